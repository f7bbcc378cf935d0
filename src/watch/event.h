/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * event - the kinds of events that are watched for, a row each
 */
#ifndef RB_WATCH_EVENT_H
#define RB_WATCH_EVENT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

#define RB_WATCH_KINDS 64 /* room for a flag each */

struct rb_watch_kind {
	const char *name;    /* stable: in the JSON, of --until and --fail-on */
	const char *source;  /* async, device, gid, netdev, qp, counters, watch */
	int verbs;	     /* of async ones: enum ibv_event_type; else -1 */
	int flap;	     /* the state that it stands for, of a thing that may
			      * flap; 0: none */
	const char *text;    /* what happened, for people */
	const char *meaning; /* with -v; NULL: nothing to add, or diag's */
};

/* The rows, in a fixed order. */
extern const struct rb_watch_kind rb_watch_kinds[];
extern const size_t rb_watch_nkinds;

/* By name, or by the type of an async event; NULL for an unknown one. */
const struct rb_watch_kind *rb_watch_kind(const char *name);
const struct rb_watch_kind *rb_watch_kind_async(enum ibv_event_type type);

/* Its place among the rows. */
size_t rb_watch_kind_index(const struct rb_watch_kind *kind);

#endif
