/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * event - what an async event means, and what it explains when a run fails: a
 * plain look-up table
 *
 * From ibv_get_async_event(3) and the InfiniBand specification, 11.6.3.
 */
#ifndef RB_DIAG_EVENT_H
#define RB_DIAG_EVENT_H

#include <stddef.h>

#include "diag/cause.h"

struct rb_event_row {
	int event;	  /* enum ibv_event_type */
	const char *name; /* without IBV_EVENT_ */
	const char *text; /* as ibv_event_type_str(3) has it */
	const char *object;
	const char *meaning;
	const char *cause; /* of a failure; NULL: it explains none */
	const char *hint;
	const struct rb_cause *causes; /* or NULL */
	const char *pair; /* the other half of the same failure, or NULL */
};

/* The row of @event; NULL for one that explains no failure, or for -1. */
const struct rb_event_row *rb_event_row(int event);

/* All of them, whether they explain a failure or not. */
const struct rb_event_row *rb_event_rows(size_t *n);

#endif
