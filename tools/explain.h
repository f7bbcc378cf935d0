/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explain - the parts of the command explain: codes given, and the text
 */
#ifndef RB_TOOLS_EXPLAIN_H
#define RB_TOOLS_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "diag/finding.h"

struct rb_report;

/* Codes of the command line: one error, put together piece by piece. */
struct rb_given {
	struct rb_finding finding;
	bool any;
	bool has_status;
};

void rb_given_init(struct rb_given *given);

/* Each returns 0, or -EINVAL when nobody knows @value. */
int rb_given_status(struct rb_given *given, const char *value);
int rb_given_vendor(struct rb_given *given, const char *value);
int rb_given_driver(struct rb_given *given, const char *value);
int rb_given_queue(struct rb_given *given, const char *value);
int rb_given_call(struct rb_given *given, const char *value);
int rb_given_transition(struct rb_given *given, const char *value);
int rb_given_errno(struct rb_given *given, const char *value);
int rb_given_event(struct rb_given *given, const char *value);
int rb_given_event_status(struct rb_given *given, const char *value);

/* A word of any of these kinds, by what it is and what came before. */
int rb_given_word(struct rb_given *given, const char *value);

/* The section "explain", and its tables, for people. */
void rb_explain_show(struct rb_report *out, const json_t *section);
void rb_explain_show_tables(struct rb_report *out, const json_t *tables);

#endif
