/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor - all rules over the snapshot of a host, or over those of two
 */
#ifndef RB_DIAG_DOCTOR_H
#define RB_DIAG_DOCTOR_H

#include <jansson.h>

#include "diag/rule.h"

#define RB_DOCTOR_HOSTS 2

/* What the user asked, beside the snapshots. */
struct rb_asked {
	const char *device;	 /* only this one, or the one of this netdev; NULL */
	const char *peer_device; /* of the second host; NULL */
	const char *rule;	 /* only this one; NULL: all */
	const char *facts; /* only rules that read none but these, blanks between; NULL */
	int gid_index;		 /* that the user's program uses; -1: not told */
	int tos;		 /* type of service, traffic class; -1 */
	json_t *suspects; /* by rule: how likely it explains the symptom, 1 to 100; NULL */
};

/*
 * Examine @n snapshots, the user's own host first. Returns the section "doctor"
 * of the document: findings, the worst first, all outcomes, and their sums.
 */
json_t *rb_doctor_examine(const struct rb_asked *asked, json_t *const *docs,
			  size_t n);

/* The table of all rules, or of @only; the section's "rules". */
json_t *rb_doctor_rules(const struct rb_rule *only);

/* Of a section: how many findings are of @severity or worse. */
size_t rb_doctor_count(const json_t *section, enum rb_severity severity);

#endif
