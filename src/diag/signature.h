/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signature - which counters must have moved for a completion's status: a plain
 * look-up table
 *
 * Of mlx5 from published fault injection, of rxe from its source, of bnxt_re
 * from its documentation. Names as in host/counters.h, without "hw.". Counters
 * of errors move at the requester; responders count volume only.
 */
#ifndef RB_DIAG_SIGNATURE_H
#define RB_DIAG_SIGNATURE_H

#include <stddef.h>

struct rb_signature {
	int status;
	const char *requester; /* names, blanks between; any of them */
	const char *responder; /* or NULL: nothing moves there */
	const char *missing;   /* what it means that none of both has moved */
};

/* The row of @status, or NULL. */
const struct rb_signature *rb_signature(int status);

/* How long it takes until status 12, in microseconds; 0: for ever. */
double rb_retry_us(unsigned int timeout, unsigned int retry_cnt);

/* What a value of min_rnr_timer means, in microseconds. */
double rb_rnr_timer_us(unsigned int value);

#endif
