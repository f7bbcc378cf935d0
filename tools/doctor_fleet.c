/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor_fleet - many snapshots: where hosts differ, and what is wrong with each
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/report.h"
#include "diag/doctor.h"
#include "diag/fleet.h"
#include "doctor.h"
#include "host/snapload.h"

#define PATTERN_TEXT 4096

struct fleet {
	size_t n;
	json_t **docs;
};

static int load(struct fleet *fleet, const glob_t *files)
{
	int err = 0;

	fleet->docs = calloc(files->gl_pathc + 1, sizeof(*fleet->docs));
	if (!fleet->docs)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the snapshots");
	for (size_t i = 0; i < files->gl_pathc && !err; i++) {
		err = rb_snapshot_load(files->gl_pathv[i], &fleet->docs[fleet->n]);
		fleet->n += !err;
	}
	return err;
}

static int open_fleet(struct fleet *fleet, const char *folder)
{
	char pattern[PATTERN_TEXT];
	glob_t files = { 0 };
	int err;

	*fleet = (struct fleet){ 0 };
	snprintf(pattern, sizeof(pattern), "%s/*.json", folder);
	if (glob(pattern, 0, NULL, &files) || files.gl_pathc > RB_FLEET_MOST)
		err = rb_fail_hint(RB_FAULT_INPUT, -ENOENT, NULL,
				   "on each host: rbench snapshot -o FOLDER/HOST.json",
				   "there are no snapshots (*.json) in '%.120s', or more than %d",
				   folder, RB_FLEET_MOST);
	else
		err = load(fleet, &files);
	globfree(&files);
	return err;
}

static void close_fleet(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++)
		json_decref(fleet->docs[i]);
	free(fleet->docs);
}

/* What the rules find on each host: sums, and the identifiers of the worst. */
static json_t *examine_each(const struct fleet *fleet,
			    const struct rb_asked *asked, const json_t *hosts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < fleet->n; i++) {
		json_t *host = json_deep_copy(json_array_get(hosts, i));
		json_t *section = rb_doctor_examine(asked, &fleet->docs[i], 1);
		json_t *rules = json_array();
		const json_t *finding;
		size_t k;

		json_array_foreach(json_object_get(section, "findings"), k, finding)
			if (strcmp(json_string_value(json_object_get(finding, "severity")),
				   "info"))
				json_array_append(rules, json_object_get(finding, "rule"));
		json_object_set(host, "sums", json_object_get(section, "sums"));
		json_object_set_new(host, "rules", rules);
		json_array_append_new(list, host);
		json_decref(section);
	}
	return list;
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "(none)";
}

static void show(struct rb_report *out, const json_t *fleet)
{
	const json_t *differences = json_object_get(fleet, "differences");
	const json_t *hosts = json_object_get(fleet, "hosts"), *one, *other;
	size_t i, k;

	rb_report_text(out, "%zu hosts; they differ in %zu attributes\n",
		       json_array_size(hosts), json_array_size(differences));
	json_array_foreach(differences, i, one) {
		rb_report_text(out, "\n%s: ", text_at(one, "attribute"));
		if (json_object_get(one, "usual"))
			rb_report_text(out, "%s (%" JSON_INTEGER_FORMAT " hosts)\n",
				       text_at(one, "usual"),
				       json_integer_value(json_object_get(one, "hosts")));
		else
			rb_report_text(out, "no value is that of most\n");
		json_array_foreach(json_object_get(one, "outliers"), k, other)
			rb_report_text(out, "  %-24s %s\n", text_at(other, "host"),
				       text_at(other, "value"));
	}
	rb_report_text(out, "\n");
	json_array_foreach(hosts, i, one) {
		const json_t *sums = json_object_get(one, "sums");

		rb_report_text(out, "%-24s errors %" JSON_INTEGER_FORMAT
			       ", warnings %" JSON_INTEGER_FORMAT,
			       text_at(one, "name"),
			       json_integer_value(json_object_get(sums, "errors")),
			       json_integer_value(json_object_get(sums, "warnings")));
		json_array_foreach(json_object_get(one, "rules"), k, other)
			rb_report_text(out, "%s%s", k ? " " : ": ",
				       json_string_value(other));
		rb_report_text(out, "\n");
		json_array_foreach(json_object_get(one, "unreadable"), k, other)
			rb_report_text(out, "%s%s", k ? ", " : "  not readable: ",
				       json_string_value(other));
		if (k)
			rb_report_text(out, "\n");
	}
}

int rb_doctor_fleet(struct rb_report *report, const struct rb_asked *asked,
		    const char *folder, const char *golden, size_t *ndifferences)
{
	json_t *model = NULL, *section, *hosts;
	struct fleet fleet;
	int err = open_fleet(&fleet, folder);

	if (!err && golden)
		err = rb_snapshot_load(golden, &model);
	if (!err) {
		section = rb_fleet_compare(fleet.docs, fleet.n, model);
		hosts = examine_each(&fleet, asked,
				     json_object_get(section, "hosts"));
		json_object_set_new(section, "hosts", hosts);
		*ndifferences =
			json_array_size(json_object_get(section, "differences"));
		show(report, section);
		rb_report_set(report, "doctor",
			      json_pack("{s:o}", "fleet", section));
	}
	json_decref(model);
	close_fleet(&fleet);
	return err;
}
