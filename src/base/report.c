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

#include "base/fields.h"
#include "base/lines.h"
#include "base/log.h"

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

/* Is @arg the option @name, alone or with its file? */
static void look_for(const char *name, const char *arg, const char **path)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n))
		return;
	if (!arg[n])
		*path = "-";
	else if (arg[n] == '=')
		*path = arg + n + 1;
}

void rb_report_wanted(struct rb_report_opts *opts, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		look_for("--json", argv[i], &opts->json);
		look_for("--stream", argv[i], &opts->stream);
	}
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static bool is_same(const char *path, const char *other)
{
	return path && other && !strcmp(path, other);
}

/* What is to be written to standard output in place of the text; at most two. */
static unsigned int claims(const struct rb_report_opts *opts,
			   const char *claim[2])
{
	const char *const names[] = { "--json", "--stream", "--csv" };
	const bool wanted[] = { is_stdout(opts->json),
				is_stdout(opts->stream), opts->csv };
	unsigned int n = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(names) && n < 2; i++)
		if (wanted[i])
			claim[n++] = names[i];
	return n;
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
	const char *claim[2];
	unsigned int nclaims = claims(opts, claim);
	json_t *args = json_array();
	char now[RB_TIME_TEXT];

	rb_log_level(opts->quiet, opts->verbose, opts->trace);
	memset(report, 0, sizeof(*report));
	report->opts = opts;
	report->out = stdout;
	report->text = !nclaims;
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
	if (nclaims > 1)
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "give one of them a file: --json=FILE, --stream=FILE",
				    "%s and %s both want standard output",
				    claim[0], claim[1]);
	if (is_same(opts->json, opts->stream))
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "give each a file of its own",
				    "--json and --stream both want '%s'",
				    opts->json);
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

/* A line of the table or of the CSV, below its heads. */
static void put_row(struct rb_report *report, const struct rb_fields *fields,
		    const void *result)
{
	bool csv = report->opts->csv;

	/* a table ends where one of other columns begins */
	if (report->heads && report->heads != fields && !csv)
		fputc('\n', report->out);
	if (report->heads != fields && csv)
		rb_fields_csv_header(fields, report->out);
	else if (report->heads != fields)
		rb_fields_text_header(fields, report->out);
	report->heads = fields;
	if (csv)
		rb_fields_csv(fields, result, report->out);
	else
		rb_fields_text(fields, result, report->out);
	flush(report);
}

void rb_report_row(struct rb_report *report, const struct rb_fields *fields,
		   const void *result)
{
	json_t *row = rb_fields_json(fields, result);

	json_array_append_new(report->results, row);
	rb_report_stream(report, "result", json_pack("{s:O}", "result", row));
	if (report->opts->csv || report->text)
		put_row(report, fields, result);
}

void rb_report_interval(struct rb_report *report,
			const struct rb_fields *fields, const void *interval)
{
	if (report->text)
		put_row(report, fields, interval);
	rb_report_stream(report, "interval", rb_fields_json(fields, interval));
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

enum form { WHOLE, LINE };

static int write_document(struct rb_report *report, const json_t *document,
			  const char *path, enum form as)
{
	bool standard = is_stdout(path);
	FILE *out = standard ? report->out :
			       fopen(path, as == LINE ? "ae" : "we");
	size_t form = as == LINE ? JSON_COMPACT : JSON_INDENT(INDENT);
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

int rb_report_file(struct rb_report *report, const json_t *document,
		   const char *path)
{
	return write_document(report, document, path,
			      report->lines ? LINE : WHOLE);
}

int rb_report_finish(struct rb_report *report, enum rb_status status,
		     struct rb_log *log)
{
	int err = 0, later = 0;

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
	if (report->opts->stream &&
	    !is_same(report->opts->json, report->opts->stream))
		later = write_document(report, report->doc,
				       report->opts->stream, LINE);
	err = err ? err : later;
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
