/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * diagnosis - what the rules said of their subjects, collected and put in order
 */
#ifndef RB_DIAG_DIAGNOSIS_H
#define RB_DIAG_DIAGNOSIS_H

#include "diag/subject.h"

/* How @s->rule ended; @text may hold anything that a snapshot had. */
void rb_diagnosis_add(struct rb_subject *s, enum rb_ruling ruling,
		      enum rb_severity severity, const char *text);

struct rb_diagnosis; /* all of them */

struct rb_diagnosis *rb_diagnosis_create(const json_t *suspects);
void rb_diagnosis_destroy(struct rb_diagnosis *d);

/* The doctor's own; what rb_diagnosis_add adds to. */
struct rb_diagnosis *rb_doctor_diagnosis(struct rb_doctor *doctor);

/*
 * Put a text that a snapshot had, which may be anything: what is no plain ASCII
 * becomes '?'. Nothing when it is NULL or empty.
 */
void rb_plain_text(json_t *to, const char *key, const char *text);
json_t *rb_plain_json(const char *text); /* a new reference */

/* Findings, outcomes and sums go into the section. */
void rb_diagnosis_json(const struct rb_diagnosis *d, json_t *section);

#endif
