/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * traffic - which priority a port's RoCE traffic lands in, and what that gets
 *
 * The class of the traffic (type of service, traffic class) has one of several
 * sources; the interface makes a priority of it: by DSCP, or of a VLAN by PCP. PFC
 * and ECN are by priority.
 */
#ifndef RB_DIAG_TRAFFIC_H
#define RB_DIAG_TRAFFIC_H

#include <jansson.h>
#include <stdbool.h>

struct rb_subject;

#define RB_PRIORITIES 8

struct rb_traffic {
	int tos, dscp;
	const char *source; /* who says so */
	bool told;	    /* not just the default */
	const char *trust;  /* "dscp", "pcp" */
	int priority;
	bool mapped; /* the table has a row for it */
	bool has_pfc, pfc[RB_PRIORITIES];
	int npfc; /* priorities that have it */
	int ecn; /* of its priority: 1 on, 0 off, -1 not told */
};

/*
 * What is known of @s's port. False when neither DCB nor a trust is told: then
 * only the class is set.
 */
bool rb_traffic_of(struct rb_subject *s, struct rb_traffic *traffic);

/* The same for the document; NULL when nothing is known. */
json_t *rb_traffic_json(struct rb_subject *s);

#endif
