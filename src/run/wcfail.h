/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wcfail - report a completion error with its cause
 */
#ifndef RB_WCFAIL_H
#define RB_WCFAIL_H

#include <infiniband/verbs.h>
#include <stdint.h>

struct rb_session;
struct rb_monitor;

/*
 * Report @wc, an error of a QP of @session after @completed good messages;
 * returns -EIO. Of several errors the first one that is not a flush tells the
 * cause: when @wc is a flush, the CQ is searched for a better one. An async event
 * that @monitor has seen, or sees in the next moment, is a better cause still:
 * a port without link makes requests fail in many ways.
 */
int rb_wc_fail(struct rb_session *session, struct rb_monitor *monitor,
	       const struct ibv_wc *wc, uint64_t completed);

/* Report that nothing completes any more; returns -ETIMEDOUT. */
int rb_stall_fail(struct rb_session *session, struct rb_monitor *monitor,
		  uint64_t completed);

#endif
