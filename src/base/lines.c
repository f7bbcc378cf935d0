/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines - results while they come: one JSON object a line, then the document
 */
#include "base/lines.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"

#define SCHEMA "rbench-stream/1"

static const struct rb_opt stream_rows[] = {
	/* clang-format off */
	{ .name = "stream", .type = RB_OPT_STRING, .arg = "FILE",
	  .offset = offsetof(struct rb_report_opts, stream), .flags = RB_OPT_ARG_MAYBE,
	  .help = "JSON Lines while it runs: intervals, events, results; last the document" },
	/* clang-format on */
};

const struct rb_optgroup rb_stream_optgroup = {
	"Stream", stream_rows, RB_ARRAY_SIZE(stream_rows)
};

int rb_report_lines_begin(struct rb_report *report, const char *path)
{
	if (!path)
		return 0;
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

void rb_report_stream(struct rb_report *report, const char *type, json_t *object)
{
	json_t *line = report->stream ? json_pack("{s:s, s:s}", "schema",
						   SCHEMA, "type", type) :
					 NULL;

	if (line) {
		json_object_update(line, object);
		rb_report_line(report, line);
	}
	json_decref(line);
	json_decref(object);
}
