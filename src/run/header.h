/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * header - what stands around the result rows: ends, counters, events
 */
#ifndef RB_HEADER_H
#define RB_HEADER_H

#include <jansson.h>

struct rb_context;
struct rb_report;

/* A line about one end, as the document has it: "local", "peer". */
void rb_report_end(struct rb_report *report, const char *title,
		   const json_t *end);

/* The lines before the table: what runs between which two ends. */
void rb_report_header(struct rb_context *ctx);

/*
 * Put the counters of both ends into the document: @local (taken over) and
 * those of the peer's "bye" (NULL: it did not come to that); warn of those that
 * mean trouble.
 */
void rb_report_counters(struct rb_context *ctx, json_t *local,
			const json_t *bye);

/*
 * After that: put what the rules of doctor find in this run into the document, and
 * show it, a line each, but for what a warning said at its beginning (environ.h).
 */
void rb_report_findings(struct rb_context *ctx);

/* The last line: what came out, in a sentence. */
void rb_report_verdict(struct rb_context *ctx);

/* Put the async events of this end, and the peer's, into the document. */
void rb_report_events(struct rb_context *ctx);

#endif
