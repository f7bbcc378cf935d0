/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare - documents of runs against a base: better, worse, same, inconclusive
 *
 * The text forms are views of the document's "comparison".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/units.h"
#include "command.h"
#include "compareform.h"
#include "run/compare.h"

#define FILE_MAX (16u << 20)
#define FILES (1 + RB_COMPARE_FILES)

struct compare_opts {
	const char *fail_worse; /* percent; NULL: do not fail */
	const char *tolerance;	/* percent */
	int format;		/* enum rb_compare_format */
	bool junit, markdown;
};

static const struct rb_enum format_names[] = {
	{ "text", RB_COMPARE_TEXT },
	{ "json", RB_COMPARE_JSON },
	{ "junit", RB_COMPARE_JUNIT },
	{ "markdown", RB_COMPARE_MARKDOWN },
	{ NULL, 0 },
};

static const struct rb_opt compare_rows[] = {
	/* clang-format off */
	{ .name = "fail-worse", .type = RB_OPT_STRING, .arg = "PCT", .offset = offsetof(struct compare_opts, fail_worse),
	  .help = "exit 3 when a key is worse by more than PCT percent" },
	{ .name = "tolerance", .type = RB_OPT_STRING, .arg = "PCT", .def = "2",
	  .offset = offsetof(struct compare_opts, tolerance),
	  .help = "changes up to PCT percent are the same" },
	{ .name = "format", .type = RB_OPT_ENUM, .arg = "FORMAT", .def = "text", .names = format_names,
	  .offset = offsetof(struct compare_opts, format), .help = "text, json, junit or markdown on standard output" },
	{ .name = "junit", .type = RB_OPT_FLAG, .offset = offsetof(struct compare_opts, junit),
	  .help = "the same as --format junit" },
	{ .name = "markdown", .type = RB_OPT_FLAG, .offset = offsetof(struct compare_opts, markdown),
	  .help = "the same as --format markdown" },
	/* clang-format on */
};

static const struct rb_optgroup compare_optgroup = {
	"Comparison", compare_rows, RB_ARRAY_SIZE(compare_rows)
};

struct run {
	struct rb_optset set;
	struct compare_opts opts;
	struct rb_report_opts report_opts;
	struct rb_report report;
	double fail_worse, tolerance; /* percent; fail_worse < 0: none */
	const char *files[FILES];
	unsigned int nfiles;
	json_t *docs[FILES];
	bool below;
};

static void bind_options(struct run *run)
{
	rb_optset_bind(&run->set, &compare_optgroup, &run->opts);
	rb_optset_bind(&run->set, &rb_report_optgroup, &run->report_opts);
}

static int read_percent(const char *name, const char *text, double *percent)
{
	const char *end;

	if (!rb_parse_real(text, &end, percent) && *percent <= 1e6 &&
	    (!*end || !strcmp(end, "%")))
		return 0;
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "--help shows the options",
			    "value '%.60s' of option '--%s' is not a percentage",
			    text, name);
}

/* One of the ways to say the format; two that differ are refused. */
static int settle_format(struct run *run)
{
	static const char *const clash = "only one format goes to standard output";
	bool given = rb_optset_source(&run->set, "format") == RB_SOURCE_USER;
	struct compare_opts *o = &run->opts;
	bool json = run->report_opts.json && !strcmp(run->report_opts.json, "-");

	if (given + o->junit + o->markdown + json > 1)
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "give one of --format, --json, --junit and --markdown",
				    "%s", clash);
	if (run->report_opts.csv)
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "give --markdown or --json",
				    "a comparison has no CSV form");
	if (o->junit)
		o->format = RB_COMPARE_JUNIT;
	if (o->markdown)
		o->format = RB_COMPARE_MARKDOWN;
	if (o->format == RB_COMPARE_JSON)
		run->report_opts.json = "-";
	return 0;
}

static int parse(struct run *run, int argc, char **argv)
{
	int err = rb_optset_parse(&run->set, argc, argv, run->files, FILES,
				  &run->nfiles);

	run->fail_worse = -1;
	if (!err && run->opts.fail_worse)
		err = read_percent("fail-worse", run->opts.fail_worse,
				   &run->fail_worse);
	if (!err)
		err = read_percent("tolerance", run->opts.tolerance,
				   &run->tolerance);
	if (!err)
		err = settle_format(run);
	if (!err && run->nfiles < 2)
		err = rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				   "rbench compare BASE.json NEW.json [...]",
				   "a base and at least one document to compare with it are needed");
	return err;
}

static int refuse(const char *file, const char *why)
{
	return rb_fail(RB_FAULT_DOCUMENT, -EBADMSG, "cannot compare '%.120s': %s",
		       file, why);
}

/* At most FILE_MAX bytes of it; the caller frees them. */
static int read_file(const char *name, char **data, size_t *size)
{
	FILE *in = fopen(name, "re");
	int err = 0;

	if (!in)
		return rb_fail(RB_FAULT_DOCUMENT, -errno,
			       "cannot read '%.120s': %s", name,
			       strerror(errno));
	*data = malloc(FILE_MAX + 1);
	errno = 0;
	*size = *data ? fread(*data, 1, FILE_MAX + 1, in) : 0;
	if (!*data || ferror(in))
		err = rb_fail(RB_FAULT_DOCUMENT, -EIO,
			      "cannot read '%.120s': %s", name,
			      strerror(errno ? errno : EIO));
	else if (*size > FILE_MAX)
		err = refuse(name, "it has more than 16 MiB");
	fclose(in);
	if (err)
		free(*data);
	return err;
}

static int load(const char *name, json_t **doc)
{
	char why[RB_COMPARE_WHY], *data = NULL;
	json_error_t where;
	size_t size = 0;
	int err = read_file(name, &data, &size);

	if (err)
		return err;
	*doc = json_loadb(data, size, JSON_REJECT_DUPLICATES, &where);
	free(data);
	if (!*doc) {
		snprintf(why, sizeof(why), "line %d: it is not JSON: %.90s",
			 where.line, where.text);
		return refuse(name, why);
	}
	return rb_compare_admit(*doc, why) ? refuse(name, why) : 0;
}

static int load_all(struct run *run)
{
	char why[RB_COMPARE_WHY];

	for (unsigned int i = 0; i < run->nfiles; i++) {
		int err = load(run->files[i], &run->docs[i]);

		if (!err && i && rb_compare_match(run->docs[0], run->docs[i], why))
			err = refuse(run->files[i], why);
		if (err)
			return err;
	}
	return 0;
}

static void warn_options(const struct run *run)
{
	for (unsigned int i = 1; i < run->nfiles; i++) {
		json_t *differ =
			rb_compare_options(run->docs[0], run->docs[i]);
		char text[256] = "";

		for (size_t k = 0; k < json_array_size(differ); k++) {
			size_t n = strlen(text);

			snprintf(text + n, sizeof(text) - n, "%s%s",
				 k ? ", " : "",
				 json_string_value(json_array_get(differ, k)));
		}
		if (*text)
			rb_warn("options_differ",
				"'%s' and '%s' were not measured with the same options: %s",
				run->files[0], run->files[i], text);
		json_decref(differ);
	}
}

/* The worst worsening that is beyond chance, in percent; 0: none. */
static double worst_of(const json_t *rows, unsigned int counts[])
{
	double worst = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *keys =
			json_object_get(json_array_get(rows, i), "keys");

		for (size_t k = 0; k < json_array_size(keys); k++) {
			const json_t *key = json_array_get(keys, k);
			enum rb_change change = rb_compare_verdict(key);
			double percent = json_number_value(
				json_object_get(key, "change_percent"));

			counts[change]++;
			percent = percent < 0 ? -percent : percent;
			if (change == RB_CHANGE_WORSE && percent > worst)
				worst = percent;
		}
	}
	return worst;
}

static void expect(struct run *run, double worst)
{
	json_t *verdict;
	char expr[64];

	if (run->fail_worse < 0)
		return;
	run->below = worst > run->fail_worse;
	snprintf(expr, sizeof(expr), "worse <= %g%%", run->fail_worse);
	verdict = json_pack("[{s:s, s:f, s:f, s:b}]", "expr", expr, "limit",
			    run->fail_worse, "value", worst, "met",
			    (int)!run->below);
	rb_report_set(&run->report, "expectations", verdict);
	if (run->below)
		rb_say("not met: ", "'%s': a key is worse by %.3g %%", expr,
		       worst);
}

static json_t *files_json(const struct run *run)
{
	json_t *list = json_array();

	for (unsigned int i = 1; i < run->nfiles; i++)
		json_array_append_new(list, rb_report_string(run->files[i]));
	return list;
}

static int compare(struct run *run)
{
	unsigned int counts[RB_COMPARE_VERDICTS] = { 0 };
	struct rb_compare_view view = { .report = &run->report,
					.counts = counts,
					.fail_worse = run->fail_worse };
	unsigned int unmatched;
	json_t *rows;

	warn_options(run);
	rows = rb_compare_rows(run->docs[0], run->docs + 1, run->nfiles - 1,
			       run->tolerance, &unmatched);
	if (!json_array_size(rows)) {
		json_decref(rows);
		return refuse(run->files[1], "none of its rows has a size and queue pairs of the base");
	}
	if (unmatched)
		rb_warn("rows_unmatched",
			"%u rows are not in all of the documents and were left out",
			unmatched);
	view.command = json_string_value(
		json_object_get(run->docs[0], "command"));
	view.rows = rows;
	rb_report_set(&run->report, "comparison",
		      json_pack("{s:s, s:o, s:o, s:f, s:O}", "command",
				view.command, "base",
				rb_report_string(run->files[0]), "new",
				files_json(run), "tolerance_percent",
				run->tolerance, "rows", rows));
	view.worst = worst_of(rows, counts);
	rb_compare_show(&view, (enum rb_compare_format)run->opts.format);
	expect(run, view.worst);
	json_decref(rows);
	return 0;
}

static int run_compare(const struct rb_command *command, int argc, char **argv)
{
	struct rb_log *log = rb_log_bound();
	struct run *run = calloc(1, sizeof(*run));
	enum rb_status status = RB_STATUS_FAILED;
	int usage, err;

	if (!run)
		return rb_exit_code(RB_STATUS_FAILED, -ENOMEM);
	bind_options(run);
	usage = parse(run, argc, argv);
	if (usage)
		rb_report_wanted(&run->report_opts, argc, argv);
	err = rb_report_open(&run->report, &run->report_opts, command->name,
			     argc, argv);
	usage = usage ? usage : err;
	rb_report_set(&run->report, "options", rb_optset_json(&run->set));
	err = usage ? usage : load_all(run);
	if (!err)
		err = compare(run);
	if (!err)
		status = run->below ? RB_STATUS_BELOW_EXPECTATION :
				      RB_STATUS_OK;
	if (rb_report_finish(&run->report, status, log) && !err)
		err = -EIO;
	rb_report_close(&run->report);
	for (unsigned int i = 0; i < run->nfiles; i++)
		json_decref(run->docs[i]);
	free(run);
	return usage ? RB_EXIT_USAGE : rb_exit_code(status, err);
}

static void help(const struct rb_command *command)
{
	struct run run = { 0 };

	bind_options(&run);
	printf("usage: rbench %s [options] BASE.json NEW.json [NEW.json ...]\n\n%s.\n",
	       command->name, command->summary);
	rb_optset_help(&run.set, stdout);
}

static void list_options(const struct rb_command *command)
{
	struct run run = { 0 };

	(void)command;
	bind_options(&run);
	rb_optset_list(&run.set, stdout);
}

const struct rb_command rb_command_compare = {
	.name = "compare",
	.summary = "Compare results with those of a base, heeding their noise",
	.kind = RB_COMMAND_LOCAL,
	.run = run_compare,
	.help = help,
	.list_options = list_options,
};
