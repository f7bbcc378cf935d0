/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmevent - what an event of rdma_cm and its status mean: plain look-up tables
 *
 * The status is a negative errno; of REJECTED over InfiniBand and RoCE it is
 * the positive reason of the IB CM; of UNREACHABLE over UD the SIDR status.
 * From rdma_get_cm_event(3), the kernel's ib_cm.h and drivers/infiniband/core.
 */
#ifndef RB_DIAG_CMEVENT_H
#define RB_DIAG_CMEVENT_H

#include <stddef.h>

#include "diag/cause.h"

struct rb_cm_name {
	int event; /* enum rdma_cm_event_type */
	const char *name; /* without RDMA_CM_EVENT_ */
	const char *meaning;
};

struct rb_cm_row {
	const char *event; /* name, as above */
	int status;
	const char *name; /* of the status: "ETIMEDOUT", "INVALID_SERVICE_ID" */
	const char *meaning;
	const struct rb_cause *causes;
	const char *next;
};

/* All events; their number is the value of enum rdma_cm_event_type. */
const struct rb_cm_name *rb_cm_names(size_t *n);

/* All rows of statuses. */
const struct rb_cm_row *rb_cm_rows(size_t *n);

/* The row of @status (negative errno or a reason) of event @event, or NULL. */
const struct rb_cm_row *rb_cm_row(int event, int status);

#endif
