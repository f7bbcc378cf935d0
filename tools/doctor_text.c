/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor_text - the section "doctor" of the document, for people
 *
 * The first screen has the verdict, then what is worst with what to do. Notes
 * are a line each; what passed, was skipped or is unknown is shown with -v.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "base/report.h"
#include "doctor.h"
#include "paragraph.h"

#define PLACE_TEXT 256

/* "peer host-b mlx5_0/1": the host only where there are two. */
static void place_of(const json_t *subject, bool with_host,
		     char out[static PLACE_TEXT])
{
	bool peer = !strcmp(rb_text_at(subject, "end"), "peer");
	const char *host = with_host ? rb_text_at(subject, "host") : "";
	const char *device = rb_text_at(subject, "device");
	const char *port = rb_text_at(subject, "port");

	snprintf(out, PLACE_TEXT, "%s%.80s%s%.64s%s%.16s", peer ? "peer " : "", host,
		 *host && *device ? " " : "", device, *port ? "/" : "", port);
}

static void show_finding(struct rb_report *out, const json_t *finding,
			 bool two_hosts)
{
	const char *severity = rb_text_at(finding, "severity");
	const json_t *subject = json_object_get(finding, "subject");
	const json_t *peer = json_object_get(subject, "peer");
	char place[PLACE_TEXT], other[PLACE_TEXT] = "", likely[48] = "";

	place_of(subject, two_hosts, place);
	if (peer)
		place_of(peer, two_hosts, other);
	if (rb_int_at(finding, "likelihood", 0))
		snprintf(likely, sizeof(likely), " - explains the symptom");
	rb_report_text(out, "\n%s %s%s%s%s%s%s\n",
		       *severity == 'e' ? "ERROR" : *severity == 'w' ? "WARNING" : "NOTE",
		       rb_text_at(finding, "rule"), *place ? ": " : "", place,
		       *other ? " and " : "", other, likely);
	rb_paragraph(out, 0, "", rb_text_at(finding, "text"));
	rb_paragraph(out, 0, "fix: ", rb_text_at(finding, "fix"));
	if (*severity != 'i')
		rb_paragraph(out, 0, "why: ", rb_text_at(finding, "why"));
}

static void show_note(struct rb_report *out, const json_t *finding,
		      bool two_hosts)
{
	char label[64], place[PLACE_TEXT] = "", text[1024];

	if (two_hosts)
		place_of(json_object_get(finding, "subject"), true, place);
	snprintf(label, sizeof(label), "%-16s ", rb_text_at(finding, "rule"));
	snprintf(text, sizeof(text), "%s%s%s", place, *place ? ": " : "",
		 rb_text_at(finding, "text"));
	rb_paragraph(out, 0, label, text);
}

static void show_findings(struct rb_report *out, const json_t *findings,
			  bool two_hosts, bool notes_in_full)
{
	const json_t *finding;
	bool headed = false;
	size_t i;

	json_array_foreach(findings, i, finding)
		if (notes_in_full || *rb_text_at(finding, "severity") != 'i' ||
		    rb_int_at(finding, "likelihood", 0))
			show_finding(out, finding, two_hosts);
	json_array_foreach(findings, i, finding) {
		if (notes_in_full || *rb_text_at(finding, "severity") != 'i' ||
		    rb_int_at(finding, "likelihood", 0))
			continue;
		if (!headed)
			rb_report_text(out, "\nNotes:\n");
		headed = true;
		show_note(out, finding, two_hosts);
	}
}

static void show_outcomes(struct rb_report *out, const json_t *outcomes,
			  bool two_hosts)
{
	static const char *const kinds[] = { "unknown", "pass", "skip" };
	const json_t *outcome;
	char place[PLACE_TEXT];
	size_t i;

	for (size_t k = 0; k < RB_ARRAY_SIZE(kinds); k++) {
		bool apart = false;

		json_array_foreach(outcomes, i, outcome) {
			if (strcmp(rb_text_at(outcome, "outcome"), kinds[k]))
				continue;
			if (!apart)
				rb_report_text(out, "\n");
			apart = true;
			place_of(json_object_get(outcome, "subject"), two_hosts,
				 place);
			rb_report_text(out, "%-7s %-16s %-12s %s\n", kinds[k],
				       rb_text_at(outcome, "rule"), place,
				       rb_text_at(outcome, "text"));
		}
	}
}

/* The class of the traffic and where it leads, a line a port. */
static void show_traffic(struct rb_report *out, const json_t *traffic)
{
	const json_t *row;
	size_t i;

	if (json_array_size(traffic))
		rb_report_text(out, "\nTraffic:\n");
	json_array_foreach(traffic, i, row) {
		const json_t *pfc = json_object_get(row, "pfc");
		const json_t *ecn = json_object_get(row, "ecn");

		rb_report_text(out, "  %s %s/%s: class %" PRId64
			       " (%s), DSCP %" PRId64,
			       rb_text_at(row, "host"), rb_text_at(row, "device"),
			       rb_text_at(row, "port"), rb_int_at(row, "traffic_class", 0),
			       rb_text_at(row, "source"), rb_int_at(row, "dscp", 0));
		if (json_object_get(row, "priority"))
			rb_report_text(out, ", by %s priority %" PRId64
				       ": PFC %s, ECN %s\n", rb_text_at(row, "trust"),
				       rb_int_at(row, "priority", 0),
				       !pfc ? "unknown" : json_is_true(pfc) ? "on" : "off",
				       !ecn ? "unknown" : json_is_true(ecn) ? "on" : "off");
		else
			rb_report_text(out, ": no DCB, no priority\n");
	}
}

/* "write 64 out PASS" */
static void show_test(struct rb_report *out, const json_t *test, bool further)
{
	rb_report_text(out, "%s%s ", further ? ", " : "  ",
		       rb_text_at(test, "test"));
	if (json_object_get(test, "size_bytes"))
		rb_report_text(out, "%" PRId64 " %s ",
			       rb_int_at(test, "size_bytes", 0),
			       rb_text_at(test, "direction"));
	rb_report_text(out, "%s", rb_text_at(test, "outcome"));
}

/* What was tried between the two, a line a pair of ports. */
static void show_probes(struct rb_report *out, const json_t *probes)
{
	const json_t *probe, *test;
	size_t i, k;

	json_array_foreach(probes, i, probe) {
		if (!json_object_get(probe, "peer_device")) {
			rb_paragraph(out, 0, "Nothing was tried between the two: ",
				     rb_text_at(probe, "error"));
			continue;
		}
		rb_report_text(out, "tried from %s/%" PRId64 " to the peer's %s/%" PRId64
			       ", path MTU %" PRId64 ":\n",
			       rb_text_at(probe, "device"), rb_int_at(probe, "port", 0),
			       rb_text_at(probe, "peer_device"),
			       rb_int_at(probe, "peer_port", 0),
			       rb_int_at(probe, "path_mtu", 0));
		json_array_foreach(json_object_get(probe, "tests"), k, test)
			show_test(out, test, k > 0);
		rb_report_text(out, "\n");
	}
}

/* How many of the usual causes were found, and how many it cannot be. */
static void show_symptom(struct rb_report *out, const json_t *section)
{
	const json_t *symptom = json_object_get(section, "symptom"), *entry;
	const json_t *suspects = json_object_get(symptom, "suspects"), *word;
	size_t found = 0, passed = 0, unknown = 0, i;

	if (!symptom)
		return;
	json_array_foreach(json_object_get(section, "findings"), i, entry)
		found += rb_int_at(entry, "likelihood", 0) > 0;
	json_array_foreach(json_object_get(section, "outcomes"), i, entry) {
		if (!json_object_get(suspects, rb_text_at(entry, "rule")))
			continue;
		passed += !strcmp(rb_text_at(entry, "outcome"), "pass");
		unknown += !strcmp(rb_text_at(entry, "outcome"), "unknown");
	}
	json_array_foreach(json_object_get(symptom, "words"), i, word)
		rb_report_text(out, "%s%s", i ? "; " : "symptom: ",
			       json_string_value(word));
	rb_report_text(out, "\n  of what explains it: found %zu, ruled out %zu, unknown %zu\n",
		       found, passed, unknown);
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static void show_verdict(struct rb_report *out, const json_t *section)
{
	const json_t *sums = json_object_get(section, "sums"), *host;
	int64_t errors = rb_int_at(sums, "errors", 0);
	int64_t warnings = rb_int_at(sums, "warnings", 0);
	int64_t notes = rb_int_at(sums, "notes", 0);
	size_t i;

	json_array_foreach(json_object_get(section, "hosts"), i, host)
		rb_report_text(out, "%s%s", i ? " and peer " : "",
			       *rb_text_at(host, "name") ? rb_text_at(host, "name") : "this host");
	rb_report_text(out, ": ");
	if (!errors && !warnings)
		rb_report_text(out, "nothing wrong");
	if (errors)
		rb_report_text(out, "%" PRId64 " error%s", errors,
			       plural(errors));
	if (warnings)
		rb_report_text(out, "%s%" PRId64 " warning%s",
			       errors ? ", " : "", warnings, plural(warnings));
	if (notes)
		rb_report_text(out, ", %" PRId64 " note%s", notes,
			       plural(notes));
	rb_report_text(out, "; %" PRId64 " passed, %" PRId64
		       " unknown, %" PRId64 " do not apply\n",
		       rb_int_at(sums, "passed", 0), rb_int_at(sums, "unknown", 0),
		       rb_int_at(sums, "skipped", 0));
}

/* All about one rule. */
static void explain(struct rb_report *out, const json_t *rule)
{
	const json_t *fact;
	size_t i;

	rb_report_text(out, "%s: %s (%s, %s at worst)\n", rb_text_at(rule, "id"),
		       rb_text_at(rule, "title"), rb_text_at(rule, "scope"),
		       rb_text_at(rule, "severity"));
	rb_paragraph(out, 0, "why: ", rb_text_at(rule, "why"));
	rb_paragraph(out, 0, "fix: ", rb_text_at(rule, "fix"));
	json_array_foreach(json_object_get(rule, "reads"), i, fact)
		rb_paragraph(out, 0, i ? "       " : "reads: ", json_string_value(fact));
	rb_paragraph(out, 0, "known from: ", rb_text_at(rule, "evidence"));
	rb_report_text(out, "\n");
}

void rb_doctor_show(struct rb_report *out, const json_t *section, bool verbose)
{
	const json_t *rules = json_object_get(section, "rules");
	bool two = json_array_size(json_object_get(section, "hosts")) > 1;

	if (json_array_size(rules) == 1)
		explain(out, json_array_get(rules, 0));
	show_verdict(out, section);
	show_probes(out, json_object_get(section, "probes"));
	show_symptom(out, section);
	show_findings(out, json_object_get(section, "findings"), two,
		      verbose || rules);
	if (verbose || two)
		show_traffic(out, json_object_get(section, "traffic"));
	if (verbose || rules)
		show_outcomes(out, json_object_get(section, "outcomes"), two);
	else if (rb_int_at(json_object_get(section, "sums"), "unknown", 0))
		rb_report_text(out, "\n-v shows what passed, and what is unknown and why (as root less is)\n");
}

void rb_doctor_show_rules(struct rb_report *out, const json_t *rules)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(rules, i, rule)
		rb_report_text(out, "%-17s %-7s %-7s %s\n", rb_text_at(rule, "id"),
			       rb_text_at(rule, "scope"), rb_text_at(rule, "severity"),
			       rb_text_at(rule, "title"));
}
