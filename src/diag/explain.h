/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explain - find the errors in any text, decode them, say which came first
 *
 * Text goes in by pieces (rb_explain_feed); its lines are looked at only where
 * one of some hundred words stands (diag/anchor.h). What a line means is told by
 * the first of the takers (diag/taker.h) that knows it. Memory does not grow
 * with the text.
 */
#ifndef RB_DIAG_EXPLAIN_H
#define RB_DIAG_EXPLAIN_H

#include <jansson.h>

#include "diag/facts.h"
#include "diag/finding.h"

#define RB_EXPLAIN_FILES 16
#define RB_LINE_MAX 65536u /* more of a line is not looked at */

struct rb_explain_stats {
	uint64_t bytes, lines;
	uint64_t long_lines;   /* cut at RB_LINE_MAX */
	uint64_t binary_lines; /* had a byte that no text has, and were passed over */
	uint64_t broken_dumps; /* dumps of completions without their end */
	uint64_t dropped;      /* findings beyond RB_FINDINGS_MAX */
};

struct rb_explain;

struct rb_explain *rb_explain_create(void);
void rb_explain_destroy(struct rb_explain *x);

/* What follows is of another input; @name is borrowed. */
void rb_explain_begin(struct rb_explain *x, const char *name);
/* Pieces of any size; the input's end completes its last line. */
void rb_explain_feed(struct rb_explain *x, const char *data, size_t n);
void rb_explain_end(struct rb_explain *x);

/* A finding that was not read but given (codes on the command line). */
void rb_explain_add(struct rb_explain *x, const struct rb_finding *f);

/* No more input: decide on providers, bases of numbers, and roles. */
void rb_explain_judge(struct rb_explain *x);

/* Provider of everything that does not tell its own. */
void rb_explain_provider(struct rb_explain *x, enum rb_provider provider);

const struct rb_explain_stats *rb_explain_stats(const struct rb_explain *x);

/* The section "explain" of the document; a new reference. */
json_t *rb_explain_json(const struct rb_explain *x);

/* All tables, as the section's "tables"; a new reference. */
json_t *rb_explain_tables(void);

#endif
