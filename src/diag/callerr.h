/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * callerr - what an errno of a verbs or rdma_cm call means: a plain look-up
 * table, by call and, of ibv_modify_qp, by transition
 *
 * From the manual pages, the kernel's drivers/infiniband/core, and reports.
 */
#ifndef RB_DIAG_CALLERR_H
#define RB_DIAG_CALLERR_H

#include <stddef.h>

#include "diag/cause.h"

struct rb_errno_name {
	int err;
	const char *name; /* "ENOMEM" */
	const char *text; /* as strerror(3) has it */
};

struct rb_call_row {
	const char *call;	/* longer names of the same beginning too */
	const char *transition; /* "INIT->RTR", or NULL: any */
	int err;		/* positive; 0: any */
	const char *meaning;
	const struct rb_cause *causes; /* or NULL */
	const char *next;
};

const struct rb_errno_name *rb_errno_names(size_t *n);

/* The row of a positive errno, or NULL. */
const struct rb_errno_name *rb_errno_name(int err);

const struct rb_call_row *rb_call_rows(size_t *n);

/* The most particular row, or NULL. @transition may be NULL; @err positive. */
const struct rb_call_row *rb_call_row(const char *call, const char *transition,
				      int err);

/* For a failure's report: what it means and the next step; NULL: unknown. */
const char *rb_call_meaning(const char *call, const char *transition, int err);
const char *rb_call_next(const char *call, const char *transition, int err);

#endif
