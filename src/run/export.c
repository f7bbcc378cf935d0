/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * export - a run for monitoring systems: Nagios plugin line, Prometheus text file
 *
 * The line is that of the Monitoring Plugins guidelines: "SERVICE STATE - text |
 * 'label'=value[unit] ...". The file is in Prometheus' text exposition format, for
 * the textfile collector of its node exporter, in base units.
 */
#include "run/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/metric.h"
#include "run/bench.h"
#include "run/context.h"

enum state { OK, WARNING, CRITICAL, UNKNOWN };

static const char *const state_names[] = { "OK", "WARNING", "CRITICAL",
					   "UNKNOWN" };

static enum state state_of(enum rb_status status, int err)
{
	const struct rb_log *log = rb_log_bound();

	if (status == RB_STATUS_UNSUPPORTED ||
	    status == RB_STATUS_INTERRUPTED ||
	    (log->failed && log->first.fault == RB_FAULT_USAGE))
		return UNKNOWN;
	if (status != RB_STATUS_OK || err)
		return CRITICAL;
	return log->nwarnings ? WARNING : OK;
}

int rb_export_code(enum rb_status status, int err)
{
	return (int)state_of(status, err);
}

int rb_export_check(const struct rb_context *ctx)
{
	const struct rb_report_opts *o = &ctx->report_opts;
	bool taken = o->csv || (o->json && !strcmp(o->json, "-"));

	if (!ctx->gate_opts.nagios || !taken)
		return 0;
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "use --json=FILE with --nagios",
			    "--nagios wants standard output for its line");
}

void rb_export_wanted(struct rb_context *ctx, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--nagios"))
			ctx->gate_opts.nagios = true;
}

/* What a plugin's graph is drawn of. */
static const struct {
	const char *key, *label, *unit;
	double factor;
} perfdata[] = {
	{ "bandwidth.bits_per_s", "bandwidth_bits_per_s", "", 1 },
	{ "message_rate.per_s", "messages_per_s", "", 1 },
	{ "latency_ns.p50", "latency_p50", "s", 1e-9 },
	{ "latency_ns.p99", "latency_p99", "s", 1e-9 },
	{ "latency_ns.max", "latency_max", "s", 1e-9 },
};

static void put_perfdata(struct rb_report *report, const json_t *row)
{
	const json_t *size = json_object_get(row, "size_bytes");

	for (size_t i = 0; i < RB_ARRAY_SIZE(perfdata); i++) {
		const json_t *v = rb_metric_at(row, perfdata[i].key);

		if (v)
			rb_report_text(report, " %s_%" JSON_INTEGER_FORMAT "=%.6g%s",
				       perfdata[i].label,
				       json_integer_value(size),
				       json_number_value(v) *
					       perfdata[i].factor,
				       perfdata[i].unit);
	}
}

/* What the line says: the failure, what is not met, or the verdict. */
static const char *summary_of(const struct rb_context *ctx,
			      enum rb_status status, char *buf, size_t size)
{
	const struct rb_log *log = rb_log_bound();

	if (log->failed)
		snprintf(buf, size, "%s", log->first.message);
	else if (status == RB_STATUS_BELOW_EXPECTATION)
		snprintf(buf, size, "%u of %u expectations not met, %s",
			 ctx->gate.unmet, ctx->gate.n, ctx->verdict);
	else
		snprintf(buf, size, "%s", ctx->verdict);
	/* the one character that ends it */
	for (char *p = buf; *p; p++)
		if (*p == '|' || (unsigned char)*p < ' ')
			*p = '/';
	return buf;
}

static void put_line(struct rb_context *ctx, enum rb_status status)
{
	struct rb_report *report = &ctx->report;
	char text[RB_LOG_TEXT + 64];

	report->text = true;
	rb_report_text(report, "RBENCH %s - %s: %s",
		       state_names[state_of(status, 0)], ctx->bench->name,
		       summary_of(ctx, status, text, sizeof(text)));
	if (json_array_size(report->results))
		rb_report_text(report, " |");
	for (size_t i = 0; i < json_array_size(report->results); i++)
		put_perfdata(report, json_array_get(report->results, i));
	rb_report_text(report, "\n");
}

/* How each quantity is called and scaled where only base units are used. */
static const struct {
	const char *unit;
	double factor;
} bases[] = {
	[RB_QUANTITY_COUNT] = { "", 1 },
	[RB_QUANTITY_BITS] = { "_bits_per_second", 1 },
	[RB_QUANTITY_NS] = { "_seconds", 1e-9 },
	[RB_QUANTITY_SECONDS] = { "econds", 1 }, /* behind "_s" */
	[RB_QUANTITY_RATE] = { "_per_second", 1 },
	[RB_QUANTITY_BYTES] = { "", 1 },
	[RB_QUANTITY_FRACTION] = { "_ratio", 1 },
	[RB_QUANTITY_PERCENT] = { "", 1 },
};

static void put_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc((unsigned char)*value < ' ' ? ' ' : *value, out);
	}
	fputc('"', out);
}

static void put_labels(const struct rb_context *ctx, FILE *out)
{
	static const char *const keys[] = { "device", "host" };
	const json_t *ends[] = { json_object_get(ctx->report.doc, "local"),
				 json_object_get(ctx->report.doc, "peer") };
	static const char *const names[] = { "device", "peer" };

	fprintf(out, "{command=\"%s\"", ctx->bench->name);
	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++) {
		const char *text = json_string_value(
			json_object_get(ends[i], keys[i]));

		if (text)
			put_label(out, names[i], text);
	}
}

static void put_gauge(const struct rb_context *ctx, FILE *out,
		      const char *name, double value)
{
	fprintf(out, "# TYPE rbench_%s gauge\nrbench_%s", name, name);
	put_labels(ctx, out);
	fprintf(out, "} %.15g\n", value);
}

/* All rows' values of one key, below one TYPE line. */
static void put_field(const struct rb_context *ctx, FILE *out, const char *key)
{
	enum rb_quantity quantity = rb_metric_quantity(key);
	char name[RB_METRIC_KEY];
	bool begun = false;

	rb_metric_short(key, name);
	for (char *p = name; *p; p++)
		if (*p == '.')
			*p = '_';
	for (size_t i = 0; i < json_array_size(ctx->report.results); i++) {
		const json_t *row = json_array_get(ctx->report.results, i);
		const json_t *v = rb_metric_at(row, key);

		if (!v)
			continue;
		if (!begun)
			fprintf(out, "# TYPE rbench_%s%s gauge\n", name,
				bases[quantity].unit);
		begun = true;
		fprintf(out, "rbench_%s%s", name, bases[quantity].unit);
		put_labels(ctx, out);
		fprintf(out, ",size_bytes=\"%" JSON_INTEGER_FORMAT "\"} %.15g\n",
			json_integer_value(json_object_get(row, "size_bytes")),
			json_number_value(v) * bases[quantity].factor);
	}
}

static void put_all(const struct rb_context *ctx, enum rb_status status,
		    const struct rb_fields *fields, FILE *out)
{
	put_gauge(ctx, out, "success",
		  status == RB_STATUS_OK ||
			  status == RB_STATUS_BELOW_EXPECTATION);
	put_gauge(ctx, out, "expectations_unmet", ctx->gate.unmet);
	put_gauge(ctx, out, "warnings", rb_log_bound()->nwarnings);
	put_gauge(ctx, out, "last_run_timestamp_seconds", (double)time(NULL));
	for (size_t i = 0; i < fields->n; i++)
		if (fields->rows[i].key &&
		    fields->rows[i].type != RB_FIELD_TEXT &&
		    strcmp(fields->rows[i].key, "size_bytes"))
			put_field(ctx, out, fields->rows[i].key);
}

static int cannot_write(const char *path, int err)
{
	return rb_fail(RB_FAULT_OUTPUT, err, "cannot write '%s'", path);
}

static int write_file(const struct rb_context *ctx, enum rb_status status,
		      const struct rb_fields *fields, const char *path)
{
	size_t room = strlen(path) + 32;
	char *temporary = malloc(room);
	FILE *out;
	int err = 0;

	if (!temporary)
		return cannot_write(path, -ENOMEM);
	/* beside it, so that it can be renamed; a collector takes only *.prom */
	snprintf(temporary, room, "%s.%d.tmp", path, (int)getpid());
	out = fopen(temporary, "we");
	if (!out)
		err = cannot_write(path, errno ? -errno : -EIO);
	if (out) {
		put_all(ctx, status, fields, out);
		err = ferror(out) ? -EIO : 0;
		if (fclose(out) && !err)
			err = -errno;
		if (!err && rename(temporary, path))
			err = -errno;
		if (err) {
			unlink(temporary);
			cannot_write(path, err);
		}
	}
	free(temporary);
	return err;
}

int rb_export(struct rb_context *ctx, enum rb_status status,
	      const struct rb_fields *fields)
{
	const char *path = ctx->gate_opts.prometheus;
	int err = path ? write_file(ctx, status, fields, path) : 0;

	if (ctx->gate_opts.nagios)
		put_line(ctx, err ? RB_STATUS_FAILED : status);
	return err;
}
