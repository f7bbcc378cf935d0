/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines - results while they come: one JSON object a line, then the document
 */
#include "base/lines.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/report.h"

int rb_report_lines_begin(struct rb_report *report)
{
	const char *path = report->opts->json;

	if (!path)
		return 0;
	report->lines = true;
	report->stream = strcmp(path, "-") ? fopen(path, "we") : report->out;
	if (!report->stream)
		return rb_fail(RB_FAULT_OUTPUT, -errno, "cannot write '%s'",
			       path);
	return 0;
}

void rb_report_lines_end(struct rb_report *report)
{
	if (report->stream && report->stream != report->out &&
	    fclose(report->stream) && !report->write_err)
		report->write_err = -errno;
	report->stream = NULL;
}

void rb_report_line(struct rb_report *report, const json_t *object)
{
	if (!report->stream)
		return;
	if ((json_dumpf(object, report->stream, JSON_COMPACT) ||
	     fputc('\n', report->stream) == EOF || fflush(report->stream)) &&
	    !report->write_err)
		report->write_err = errno ? -errno : -EIO;
}
