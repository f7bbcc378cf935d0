/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines - results while they come: one JSON object a line, then the document
 *
 * JSON Lines: objects of their own schemas, flushed one by one, and as the last
 * line the document of report.h. So --json of commands that run until they are
 * stopped writes (watch); of a measurement it is --stream, beside which --json
 * still is one document.
 */
#ifndef RB_LINES_H
#define RB_LINES_H

#include <jansson.h>

struct rb_fields;
struct rb_optgroup;
struct rb_report;

extern const struct rb_optgroup rb_stream_optgroup; /* of struct rb_report_opts */

/*
 * From now on lines are written to @path, "-" being standard output. 0, or -errno
 * (reported) when the file cannot be written; with NULL there is nothing to do.
 * End it before rb_report_finish.
 */
int rb_report_lines_begin(struct rb_report *report, const char *path);
void rb_report_lines_end(struct rb_report *report);

/* Write @object (borrowed) as a line; nothing without a stream. */
void rb_report_line(struct rb_report *report, const json_t *object);

/*
 * Write a line of --stream: the keys of @object with the schema and @type before
 * them. Takes over the reference; nothing without a stream.
 */
void rb_report_stream(struct rb_report *report, const char *type,
		      json_t *object);

/* What one more interval brought: a line of text, and one of the stream. */
void rb_report_interval(struct rb_report *report,
			const struct rb_fields *fields, const void *interval);

#endif
