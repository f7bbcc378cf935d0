/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * report - results, by field tables: text, JSON and CSV from the same rows
 */
#include "base/report.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/metric.h"

#define SCHEMA "rbench/1"
#define INDENT 2

static const struct rb_opt report_rows[] = {
	/* clang-format off */
	{ .name = "json", .type = RB_OPT_STRING, .arg = "FILE",
	  .offset = offsetof(struct rb_report_opts, json), .flags = RB_OPT_ARG_MAYBE,
	  .help = "one JSON document on standard output, or beside the text in FILE" },
	{ .name = "csv", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_report_opts, csv),
	  .help = "the result rows as CSV on standard output" },
	{ .name = "quiet", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_report_opts, quiet),
	  .help = "no warnings and no progress on standard error" },
	{ .name = "verbose", .letter = 'v', .type = RB_OPT_LEVEL,
	  .offset = offsetof(struct rb_report_opts, verbose),
	  .help = "say why things were chosen; -vv: every step" },
	{ .name = "trace", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_report_opts, trace),
	  .help = "each verbs, rdma_cm and side-channel call, on standard error" },
	/* clang-format on */
};

const struct rb_optgroup rb_report_optgroup = {
	"Output", report_rows, RB_ARRAY_SIZE(report_rows)
};

static const char *const status_names[] = {
	[RB_STATUS_OK] = "ok",
	[RB_STATUS_FAILED] = "failed",
	[RB_STATUS_UNSUPPORTED] = "unsupported",
	[RB_STATUS_BELOW_EXPECTATION] = "below_expectation",
	[RB_STATUS_INTERRUPTED] = "interrupted",
};

const char *rb_status_name(enum rb_status status)
{
	return status_names[status];
}

int rb_exit_code(enum rb_status status, int err)
{
	if (status == RB_STATUS_UNSUPPORTED)
		return RB_EXIT_UNSUPPORTED;
	if (status == RB_STATUS_BELOW_EXPECTATION && !err)
		return RB_EXIT_EXPECTATION;
	return status == RB_STATUS_OK && !err ? RB_EXIT_OK : RB_EXIT_FAILED;
}

void rb_report_wanted(struct rb_report_opts *opts, int argc, char **argv)
{
	const char *name = "--json";
	size_t n = strlen(name);

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			opts->json = "-";
		else if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
			opts->json = argv[i] + n + 1;
	}
}

static bool to_stdout(const struct rb_report_opts *opts)
{
	return opts->json && !strcmp(opts->json, "-");
}

const char *rb_time_text(char text[static RB_TIME_TEXT])
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, RB_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return text;
}

json_t *rb_report_string(const char *text)
{
	json_t *s = json_string(text);
	char clean[RB_LOG_TEXT];
	size_t i;

	if (s)
		return s;
	for (i = 0; text[i] && i + 1 < sizeof(clean); i++)
		clean[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	clean[i] = '\0';
	return json_string(clean);
}

int rb_report_open(struct rb_report *report, const struct rb_report_opts *opts,
		   const char *command, int argc, char **argv)
{
	json_t *args = json_array();
	char now[RB_TIME_TEXT];

	rb_log_level(opts->quiet, opts->verbose, opts->trace);
	memset(report, 0, sizeof(*report));
	report->opts = opts;
	report->out = stdout;
	report->text = !to_stdout(opts) && !opts->csv;
	report->doc = json_object();
	report->results = json_array();
	for (int i = 0; i < argc; i++)
		json_array_append_new(args, rb_report_string(argv[i]));
	rb_report_set(report, "schema", json_string(SCHEMA));
	rb_report_set(report, "command", json_string(command));
	rb_report_set(report, "status", json_string("failed"));
	rb_report_set(report, "version", json_string(PACKAGE_VERSION));
	rb_report_set(report, "started_at", json_string(rb_time_text(now)));
	rb_report_set(report, "argv", args);
	if (to_stdout(opts) && opts->csv)
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "use --json=FILE with --csv",
				    "--json and --csv both want standard output");
	return 0;
}

void rb_report_set(struct rb_report *report, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(report->doc, key, value);
}

/* Later calls fail too, but know the reason no more. */
static void flush(struct rb_report *report)
{
	if (fflush(report->out) && !report->write_err)
		report->write_err = -errno;
}

void rb_report_text(struct rb_report *report, const char *fmt, ...)
{
	va_list args;

	if (!report->text)
		return;
	va_start(args, fmt);
	vfprintf(report->out, fmt, args);
	va_end(args);
	flush(report);
}

static const void *value_at(const struct rb_field *f, const void *result)
{
	return (const char *)result + f->offset;
}

static uint64_t uint_of(const struct rb_field *f, const void *result)
{
	return *(const uint64_t *)value_at(f, result);
}

static double real_of(const struct rb_field *f, const void *result)
{
	return *(const double *)value_at(f, result);
}

static const char *text_of(const struct rb_field *f, const void *result)
{
	return *(const char *const *)value_at(f, result);
}

static bool is_present(const struct rb_field *f, const void *result)
{
	switch (f->type) {
	case RB_FIELD_UINT:
		return uint_of(f, result) != RB_ABSENT;
	case RB_FIELD_REAL:
		return isfinite(real_of(f, result));
	default:
		return text_of(f, result) != NULL;
	}
}

static void put_header(struct rb_report *report, const struct rb_fields *fields)
{
	for (size_t i = 0; i < fields->n; i++)
		if (fields->rows[i].label)
			fprintf(report->out, " %*s", fields->rows[i].width,
				fields->rows[i].label);
	fputc('\n', report->out);
}

static void put_cell(FILE *out, const struct rb_field *f, const void *result)
{
	double scale = f->scale != 0 ? f->scale : 1;

	if (!is_present(f, result))
		fprintf(out, " %*s", f->width, "-");
	else if (f->type == RB_FIELD_TEXT)
		fprintf(out, " %*s", f->width, text_of(f, result));
	else if (f->type == RB_FIELD_UINT && !f->precision)
		fprintf(out, " %*" PRIu64, f->width, uint_of(f, result));
	else
		fprintf(out, " %*.*f", f->width, f->precision,
			scale * (f->type == RB_FIELD_UINT ?
					 (double)uint_of(f, result) :
					 real_of(f, result)));
}

static void put_text(struct rb_report *report, const struct rb_fields *fields,
		     const void *result)
{
	if (!report->header_done)
		put_header(report, fields);
	report->header_done = true;
	for (size_t i = 0; i < fields->n; i++)
		if (fields->rows[i].label)
			put_cell(report->out, &fields->rows[i], result);
	fputc('\n', report->out);
	flush(report);
}

/* RFC 4180: quoted where the text holds a comma, a quote or a line end. */
static void put_csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_csv(struct rb_report *report, const struct rb_fields *fields,
		    const void *result)
{
	if (!report->header_done)
		for (size_t i = 0; i < fields->n; i++)
			fprintf(report->out, "%s%s", i ? "," : "",
				fields->rows[i].key);
	if (!report->header_done)
		fputc('\n', report->out);
	report->header_done = true;
	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];

		if (i)
			fputc(',', report->out);
		if (!is_present(f, result))
			continue;
		if (f->type == RB_FIELD_UINT)
			fprintf(report->out, "%" PRIu64, uint_of(f, result));
		else if (f->type == RB_FIELD_REAL)
			fprintf(report->out, "%.6g", real_of(f, result));
		else
			put_csv_text(report->out, text_of(f, result));
	}
	fputc('\n', report->out);
	flush(report);
}

/* Set @value at the dotted @path below @object, making objects on the way. */
static void set_path(json_t *object, const char *path, json_t *value)
{
	char key[RB_METRIC_KEY];
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		json_t *child;

		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		child = json_object_get(object, key);
		if (!child) {
			child = json_object();
			json_object_set_new(object, key, child);
		}
		object = child;
		path = dot + 1;
	}
	json_object_set_new(object, path, value);
}

json_t *rb_fields_json(const struct rb_fields *fields, const void *result)
{
	json_t *object = json_object();

	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];

		if (!f->key || !is_present(f, result))
			continue;
		if (f->type == RB_FIELD_UINT)
			set_path(object, f->key,
				 json_integer((json_int_t)uint_of(f, result)));
		else if (f->type == RB_FIELD_REAL)
			set_path(object, f->key,
				 json_real(real_of(f, result)));
		else
			set_path(object, f->key,
				 rb_report_string(text_of(f, result)));
	}
	return object;
}

void rb_fields_load(const struct rb_fields *fields, void *result,
		    const json_t *object)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];
		const json_t *v =
			f->key ? rb_metric_at(object, f->key) : NULL;
		void *to = (char *)result + f->offset;

		if (f->type == RB_FIELD_UINT)
			*(uint64_t *)to =
				json_is_integer(v) &&
						json_integer_value(v) >= 0 ?
					(uint64_t)json_integer_value(v) :
					RB_ABSENT;
		else if (f->type == RB_FIELD_REAL)
			*(double *)to = json_is_number(v) &&
							json_number_value(v) >= 0 ?
						json_number_value(v) :
						RB_ABSENT_F;
	}
}

void rb_report_row(struct rb_report *report, const struct rb_fields *fields,
		   const void *result)
{
	json_array_append_new(report->results, rb_fields_json(fields, result));
	if (report->opts->csv)
		put_csv(report, fields, result);
	else if (report->text)
		put_text(report, fields, result);
}

void rb_report_extend(struct rb_report *report, const char *key, json_t *value)
{
	size_t n = json_array_size(report->results);

	json_object_set_new(json_array_get(report->results, n - 1), key, value);
}

json_t *rb_failure_json(const struct rb_failure *failure)
{
	const char *const maybe[][2] = { { "cause", failure->cause },
					 { "evidence", failure->evidence },
					 { "other_side", failure->other_side } };
	json_t *object = json_object();
	json_t *hints = json_array();

	json_object_set_new(object, "code", rb_report_string(failure->code));
	json_object_set_new(object, "where", rb_report_string(failure->where));
	json_object_set_new(object, "message", rb_report_string(failure->message));
	for (size_t i = 0; i < RB_ARRAY_SIZE(maybe); i++)
		if (*maybe[i][1])
			json_object_set_new(object, maybe[i][0],
					    rb_report_string(maybe[i][1]));
	for (int i = 0; i < RB_FAULT_HINTS; i++)
		if (failure->hints[i][0])
			json_array_append_new(hints,
					      rb_report_string(failure->hints[i]));
	json_object_set_new(object, "hints", hints);
	return object;
}

/* A control character: ASCII's, or (in UTF-8) one of U+0080 to U+009F. */
static bool is_control(const char *at)
{
	unsigned char c = (unsigned char)at[0], next = (unsigned char)at[1];

	return c < ' ' || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

static void load_text(char *to, size_t size, const json_t *value)
{
	const char *text = json_string_value(value);
	size_t i = 0;

	/* the peer is not trusted: nothing that moves a terminal's cursor */
	for (; text && text[i] && i + 1 < size; i++)
		to[i] = is_control(text + i) ? ' ' : text[i];
	to[i] = '\0';
}

/* A code or a stage: "port_down". What is none becomes @other. */
static void load_word(char *to, size_t size, const json_t *value,
		      const char *other)
{
	const char *letters = "abcdefghijklmnopqrstuvwxyz_0123456789";

	load_text(to, size, value);
	if (!islower((unsigned char)to[0]) || to[strspn(to, letters)])
		snprintf(to, size, "%s", other);
}

void rb_failure_load(struct rb_failure *failure, const json_t *object)
{
	const json_t *hints = json_object_get(object, "hints");

	memset(failure, 0, sizeof(*failure));
	load_word(failure->code, sizeof(failure->code),
		  json_object_get(object, "code"),
		  rb_fault_row(RB_FAULT_PEER_FAILED)->code);
	load_word(failure->where, sizeof(failure->where),
		  json_object_get(object, "where"),
		  rb_fault_row(RB_FAULT_PEER_FAILED)->where);
	load_text(failure->message, sizeof(failure->message),
		  json_object_get(object, "message"));
	load_text(failure->cause, sizeof(failure->cause),
		  json_object_get(object, "cause"));
	for (size_t i = 0; i < RB_FAULT_HINTS; i++)
		load_text(failure->hints[i], sizeof(failure->hints[i]),
			  json_array_get(hints, i));
	failure->fault = rb_fault_by_code(failure->code);
}

static json_t *warnings_json(const struct rb_log *log)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < log->nwarnings; i++) {
		json_t *w = json_object();

		json_object_set_new(w, "id", rb_report_string(log->warnings[i].id));
		json_object_set_new(w, "text",
				    rb_report_string(log->warnings[i].text));
		json_array_append_new(list, w);
	}
	return list;
}

int rb_report_file(struct rb_report *report, const json_t *document,
		   const char *path)
{
	bool standard = !strcmp(path, "-");
	FILE *out = standard ? report->out :
			       fopen(path, report->lines ? "ae" : "we");
	size_t form = report->lines ? JSON_COMPACT : JSON_INDENT(INDENT);
	int err = 0;

	if (!out)
		return rb_fail(RB_FAULT_OUTPUT, -errno, "cannot write '%s'",
			       path);
	if (json_dumpf(document, out, form) ||
	    fputc('\n', out) == EOF || fflush(out))
		err = errno ? -errno : -EIO;
	if (!standard && fclose(out) && !err)
		err = -errno;
	if (err)
		rb_fail(RB_FAULT_OUTPUT, err, "cannot write '%s'",
			standard ? "standard output" : path);
	return err;
}

int rb_report_finish(struct rb_report *report, enum rb_status status,
		     struct rb_log *log)
{
	int err = 0;

	if (report->finished)
		return 0;
	report->finished = true;
	rb_report_set(report, "status", json_string(status_names[status]));
	rb_report_set(report, "results", json_incref(report->results));
	rb_report_set(report, "warnings", warnings_json(log));
	if (log->failed)
		rb_report_set(report, "error", rb_failure_json(&log->first));
	if (report->opts->json)
		err = rb_report_file(report, report->doc,
				     report->opts->json);
	flush(report);
	if (err || !ferror(report->out))
		return err;
	return rb_fail(RB_FAULT_OUTPUT,
		       report->write_err ? report->write_err : -EIO,
		       "cannot write standard output");
}

void rb_report_close(struct rb_report *report)
{
	json_decref(report->results);
	json_decref(report->doc);
	memset(report, 0, sizeof(*report));
}
