/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * report - results, by field tables: text, JSON and CSV from the same rows
 *
 * Nothing else writes to standard output. A field that was not measured is
 * absent (RB_ABSENT, NaN, or a NULL string): no key in the JSON, a dash in the
 * text, an empty cell in the CSV.
 */
#ifndef RB_REPORT_H
#define RB_REPORT_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/base.h"
#include "base/opt.h"

struct rb_log;
struct rb_failure;

#define RB_ABSENT UINT64_MAX /* an integer that was not measured */
#define RB_ABSENT_F NAN

enum rb_field_type { RB_FIELD_UINT, RB_FIELD_REAL, RB_FIELD_TEXT };

struct rb_field {
	const char *key;   /* path in the JSON: "bandwidth.bits_per_s" */
	const char *label; /* text column; NULL: not shown in text */
	enum rb_field_type type;
	size_t offset;	/* uint64_t, double or const char * */
	int width;	/* of the text column */
	int precision;	/* of a number with a fraction in text */
	double scale;	/* text shows value * scale; 0 means 1 */
};

struct rb_fields {
	const struct rb_field *rows;
	size_t n;
};

enum rb_status {
	RB_STATUS_OK,
	RB_STATUS_FAILED,
	RB_STATUS_UNSUPPORTED,
	RB_STATUS_BELOW_EXPECTATION,
	RB_STATUS_INTERRUPTED,
};

struct rb_report_opts {
	const char *json; /* NULL, "-" (standard output), or a file */
	const char *stream; /* the same, of lines.h */
	bool csv;
	bool quiet;
	uint64_t verbose;
	bool trace;
};
extern const struct rb_optgroup rb_report_optgroup;

struct rb_report {
	const struct rb_report_opts *opts;
	FILE *out;
	json_t *doc; /* the document; sections are set by rb_report_set */
	json_t *results;
	bool text; /* standard output is for people */
	const struct rb_fields *heads; /* those that stand above the last row */
	bool finished;
	bool lines; /* --json: one of several documents, each a line (a server's, watch's) */
	FILE *stream; /* of lines.h; or NULL */
	int write_err; /* the first failure to write the text */
};

#define RB_TIME_TEXT 40

/* The time of day, RFC 3339 in UTC. */
const char *rb_time_text(char text[static RB_TIME_TEXT]);

/* "ok", "failed", ... as the document has it. */
const char *rb_status_name(enum rb_status status);

/* Exit codes: what scripts may rely on (rbench(1)). */
enum rb_exit {
	RB_EXIT_OK = 0,
	RB_EXIT_FAILED = 1, /* could not measure, or not to the end */
	RB_EXIT_USAGE = 2,
	RB_EXIT_EXPECTATION = 3,
	RB_EXIT_UNSUPPORTED = 77,
};

/* The exit code of a run that ended with @status and @err (0 or -errno). */
int rb_exit_code(enum rb_status status, int err);

/*
 * After a command line that could not be read to its end: is a document wanted?
 * Sets opts->json and opts->stream when --json, --stream stand anywhere on it.
 */
void rb_report_wanted(struct rb_report_opts *opts, int argc, char **argv);

/*
 * Begin the document of @command, and set the bound log's level. @argv is the
 * user's command line.
 */
int rb_report_open(struct rb_report *report, const struct rb_report_opts *opts,
		   const char *command, int argc, char **argv);

/* Put a section into the document; takes over the reference (NULL: nothing). */
void rb_report_set(struct rb_report *report, const char *key, json_t *value);

/* A string that need not be UTF-8 (an argument, a name); a new reference. */
json_t *rb_report_string(const char *text);

/* A line for people; nothing where standard output is for a machine. */
void rb_report_text(struct rb_report *report, const char *fmt, ...)
	RB_PRINTF(2, 3);

/* One result: a line of the table, an element of "results", a CSV record. */
void rb_report_row(struct rb_report *report, const struct rb_fields *fields,
		   const void *result);

/* Put one more value into the document's last row; takes over the reference. */
void rb_report_extend(struct rb_report *report, const char *key,
		      json_t *value);

/* The same row as a JSON object, for the wire; a new reference. */
json_t *rb_fields_json(const struct rb_fields *fields, const void *result);

/*
 * The reverse: fill @result from an object that the peer sent; absent keys and
 * keys of another type are left absent. Text fields are never filled.
 */
void rb_fields_load(const struct rb_fields *fields, void *result,
		    const json_t *object);

/*
 * Write the document (also after a failure), with the failure and warnings that
 * @log holds. Returns 0, or a negative errno when it could not be written
 * (reported).
 */
int rb_report_finish(struct rb_report *report, enum rb_status status,
		     struct rb_log *log);
/*
 * Write a document of another kind to @path, "-" being standard output: 0, or a
 * negative errno (reported).
 */
int rb_report_file(struct rb_report *report, const json_t *document,
		   const char *path);
void rb_report_close(struct rb_report *report);

/* { code, where, message, cause, hints } of a failure; also a wire frame. */
json_t *rb_failure_json(const struct rb_failure *failure);

/* The reverse for what a peer sent: strings are cut, unknown codes kept. */
void rb_failure_load(struct rb_failure *failure, const json_t *object);

#endif
