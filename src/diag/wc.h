/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wc - what the status of a work completion means: a plain look-up table
 *
 * Meanings follow the InfiniBand specification (11.6.2, completion return
 * status) and ibv_poll_cq(3); causes are ranked by how often they are the one.
 */
#ifndef RB_DIAG_WC_H
#define RB_DIAG_WC_H

#include <stdbool.h>
#include <stddef.h>

#include "diag/cause.h"

#define RB_WC_STATUSES 24u /* 0 .. IBV_WC_TM_RNDV_INCOMPLETE */

struct rb_wc_row {
	const char *name; /* of enum ibv_wc_status, without IBV_WC_ */
	const char *text; /* as ibv_wc_status_str(3) has it */
	const char *side; /* who sees it: "requester", ... */
	const char *meaning;
	/* for a benchmark that has met it */
	const char *cause;
	const char *hint_first; /* when nothing had worked on the QP before */
	const char *hint_later; /* when messages had completed before */
	/* for a log; NULL where the benchmark's words are all there is */
	const struct rb_cause *causes;
	const char *check;
	const char *next;
	const char *pair; /* what the other end sees of the same failure */
};

/* The row of an enum ibv_wc_status; one that says "unknown" for the rest. */
const struct rb_wc_row *rb_wc_row(unsigned int status);

#endif
