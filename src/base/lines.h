/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines - results while they come: one JSON object a line, then the document
 *
 * For commands that run until they are stopped. What --json writes is then JSON
 * Lines: objects of their own schemas, flushed one by one, and as the last line
 * the document of report.h.
 */
#ifndef RB_LINES_H
#define RB_LINES_H

#include <jansson.h>

struct rb_report;

/*
 * From now on --json is written line by line. 0, or -errno (reported) when its
 * file cannot be written; without --json there is nothing to do. End it before
 * rb_report_finish.
 */
int rb_report_lines_begin(struct rb_report *report);
void rb_report_lines_end(struct rb_report *report);

/* Write @object (borrowed) as a line; nothing without --json. */
void rb_report_line(struct rb_report *report, const json_t *object);

#endif
