/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explain_text - the section "explain" of the document, for people
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "base/report.h"
#include "explain.h"
#include "paragraph.h"

#define LABEL 11 /* columns of a label */

static RB_PRINTF(3, 4) void add(char *line, size_t room, const char *fmt, ...)
{
	size_t n = strlen(line);
	va_list args;

	if (n >= room)
		return;
	va_start(args, fmt);
	vsnprintf(line + n, room - n, fmt, args);
	va_end(args);
}

/* "status=12 vendor=0x81 (129 decimal)": as reports and tables have them. */
static void show_codes(struct rb_report *out, const json_t *finding)
{
	static const char *const hidden[] = { "vendor_err_printed", "base",
					      "vendor_err", "status_name",
					      "opcode_name", "errno_name",
					      "event_number",
					      "event_status_name" };
	const json_t *codes = json_object_get(finding, "codes");
	char line[512] = "";
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)codes, key, value)
	{
		bool hide = false;
		char name[48];

		for (size_t i = 0; i < RB_ARRAY_SIZE(hidden); i++)
			hide |= !strcmp(hidden[i], key);
		if (hide)
			continue;
		add(line, sizeof(line), "%s%s=", *line ? " " : "",
		    strcmp(key, "vendor_err_hex") ? key : "vendor");
		if (json_is_integer(value))
			add(line, sizeof(line), "%" JSON_INTEGER_FORMAT,
			    json_integer_value(value));
		else
			add(line, sizeof(line), "%s", json_string_value(value));
		snprintf(name, sizeof(name), "%s_name", key);
		if (*rb_text_at(codes, name))
			add(line, sizeof(line), " %s", rb_text_at(codes, name));
		if (!strcmp(key, "vendor_err_hex"))
			add(line, sizeof(line), " (%" PRId64
			    " decimal)", rb_int_at(codes, "vendor_err", 0));
	}
	if (*rb_text_at(codes, "base"))
		add(line, sizeof(line), " base=%s", rb_text_at(codes, "base"));
	if (*line)
		rb_paragraph(out, LABEL, "decoded", line);
}

static void show_causes(struct rb_report *out, const json_t *finding)
{
	static const struct {
		const char *outcome;
		const char *remark;
	} remarks[] = {
		{ "fail", " - supported by what the text shows" },
		{ "pass", " - ruled out by what the text shows" },
	};
	const json_t *list = json_object_get(finding, "causes");
	const json_t *cause;
	char line[640], label[32];
	size_t i;

	json_array_foreach(list, i, cause)
	{
		const char *outcome = rb_text_at(cause, "outcome");

		snprintf(label, sizeof(label), "cause %zu", i + 1);
		snprintf(line, sizeof(line), "%s", rb_text_at(cause, "text"));
		if (*rb_text_at(cause, "rule"))
			add(line, sizeof(line), " [%s]", rb_text_at(cause, "rule"));
		add(line, sizeof(line), " (%s", rb_text_at(cause, "certainty"));
		if (*rb_text_at(cause, "reference"))
			add(line, sizeof(line), ": %s",
			    rb_text_at(cause, "reference"));
		add(line, sizeof(line), ")");
		for (size_t k = 0; k < RB_ARRAY_SIZE(remarks); k++)
			if (!strcmp(remarks[k].outcome, outcome))
				add(line, sizeof(line), "%s",
				    remarks[k].remark);
		rb_paragraph(out, LABEL, label, line);
	}
	if (!json_array_size(list) &&
	    !strcmp(rb_text_at(finding, "certainty"), "unknown"))
		rb_paragraph(out, LABEL, "cause", "unknown: nobody has published one");
}

static void show_place(struct rb_report *out, const json_t *finding)
{
	char line[512] = "";
	int64_t n = rb_int_at(finding, "count", 0);

	if (!rb_int_at(finding, "line", 0))
		return;
	add(line, sizeof(line), "%s:%" PRId64,
	    rb_text_at(finding, "file"), rb_int_at(finding, "line", 0));
	if (n > 1)
		add(line, sizeof(line),
		    " and %" PRId64 " times more, to line %"
		    PRId64, n - 1, rb_int_at(finding, "last_line", 0));
	if (rb_int_at(finding, "further_objects", 0))
		add(line, sizeof(line), ", of other objects too");
	rb_paragraph(out, LABEL, "at", line);
	rb_paragraph(out, LABEL, "line", rb_text_at(finding, "text"));
}

static void show_ends(struct rb_report *out, const json_t *finding)
{
	static const char *const keys[] = { "time", "host", "device", "peer" };
	char line[256] = "";

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++)
		if (*rb_text_at(finding, keys[i]))
			add(line, sizeof(line), "%s%s %s", *line ? ", " : "",
			    keys[i], rb_text_at(finding, keys[i]));
	rb_paragraph(out, LABEL, "where", line);
}

static void show_certainty(struct rb_report *out, const json_t *finding)
{
	char line[256];

	snprintf(line, sizeof(line), "%s%s%s", rb_text_at(finding, "certainty"),
		 *rb_text_at(finding, "reference") ? ": " : "",
		 rb_text_at(finding, "reference"));
	rb_paragraph(out, LABEL, "certainty", line);
}

static void show_head(struct rb_report *out, const json_t *finding)
{
	static const struct {
		const char *role;
		const char *words;
	} heads[] = {
		{ "cause", "ERROR" },
		{ "other_side", "THE SAME, SEEN FROM THE OTHER SIDE" },
		{ "later", "LATER" },
		{ "consequence", "CONSEQUENCE" },
	};
	const char *words = "";

	for (size_t i = 0; i < RB_ARRAY_SIZE(heads); i++)
		if (!strcmp(heads[i].role, rb_text_at(finding, "role")))
			words = heads[i].words;
	rb_report_text(out, "%s: %s %s%s%s\n", words, rb_text_at(finding, "kind"),
		       rb_text_at(finding, "name"),
		       *rb_text_at(finding, "detail_name") ? " / " : "",
		       rb_text_at(finding, "detail_name"));
}

static void show_finding(struct rb_report *out, const json_t *finding)
{
	bool cause = !strcmp(rb_text_at(finding, "role"), "cause");
	const json_t *note;
	size_t i;

	show_head(out, finding);
	show_place(out, finding);
	show_ends(out, finding);
	show_codes(out, finding);
	rb_paragraph(out, LABEL, "seen by", rb_text_at(finding, "side"));
	rb_paragraph(out, LABEL, "meaning", rb_text_at(finding, "meaning"));
	rb_paragraph(out, LABEL, "in detail", rb_text_at(finding, "detail"));
	show_certainty(out, finding);
	/* what follows from another error has no causes of its own to look for */
	if (cause || strcmp(rb_text_at(finding, "role"), "consequence"))
		show_causes(out, finding);
	if (cause) {
		rb_paragraph(out, LABEL, "check", rb_text_at(finding, "check"));
		rb_paragraph(out, LABEL, "next", rb_text_at(finding, "next"));
		rb_paragraph(out, LABEL, "other side", rb_text_at(finding, "other_side"));
	}
	json_array_foreach(json_object_get(finding, "notes"), i, note)
		rb_paragraph(out, LABEL, "note", json_string_value(note));
	rb_report_text(out, "\n");
}

static void show_rules(struct rb_report *out, const json_t *rules)
{
	const json_t *rule;
	char line[640];
	size_t i;

	if (json_array_size(rules))
		rb_report_text(out, "WHAT THE TEXT SHOWS BESIDE\n");
	json_array_foreach(rules, i, rule)
	{
		snprintf(line, sizeof(line), "[%s] %s%s%s",
			 rb_text_at(rule, "id"), rb_text_at(rule, "text"),
			 *rb_text_at(rule, "fix") ? "; " : "",
			 rb_text_at(rule, "fix"));
		rb_paragraph(out, LABEL, rb_text_at(rule, "outcome"), line);
	}
	if (json_array_size(rules))
		rb_report_text(out, "\n");
}

static size_t count_role(const json_t *findings, const char *role)
{
	const json_t *finding;
	size_t i, n = 0;

	json_array_foreach(findings, i, finding)
		n += !strcmp(rb_text_at(finding, "role"), role);
	return n;
}

static void show_verdict(struct rb_report *out, const json_t *section)
{
	const json_t *findings = json_object_get(section, "findings");
	const json_t *input = json_object_get(section, "input");
	const json_t *first = json_array_get(findings, 0);
	int64_t skipped = rb_int_at(input, "binary_lines", 0),
		   cut = rb_int_at(input, "long_lines", 0),
		   broken = rb_int_at(input, "broken_dumps", 0);

	if (skipped || cut || broken)
		rb_report_text(out,
			       "skipped: %" PRId64
			       " binary lines, the rest of %" PRId64
			       " long lines, %" PRId64
			       " dumps without their end\n",
			       skipped, cut, broken);
	if (!first)
		rb_report_text(out,
			       "verdict: no RDMA error in %" PRId64
			       " lines%s\n", rb_int_at(input, "lines", 0),
			       json_array_size(json_object_get(section, "rules")) ?
				       "; what it shows stands above" : "");
	else if (!count_role(findings, "cause"))
		rb_report_text(out,
			       "verdict: consequences only: the cause is not in this text\n");
	else
		rb_report_text(out,
			       "verdict: first cause: %s %s; %zu of %zu findings are causes, %zu only follow\n",
			       rb_text_at(first, "kind"), rb_text_at(first, "name"),
			       count_role(findings, "cause"),
			       json_array_size(findings),
			       count_role(findings, "consequence"));
}

void rb_explain_show(struct rb_report *out, const json_t *section)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(section, "findings"), i, finding)
		show_finding(out, finding);
	show_rules(out, json_object_get(section, "rules"));
	show_verdict(out, section);
}

/* --- --list --------------------------------------------------------------- */

static void show_row(struct rb_report *out, const json_t *row)
{
	static const char *const keys[] = { "event", "transition", "code",
					    "number", "status", "queue",
					    "errno_name", "name" };
	const json_t *value;
	char line[256] = "";

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++) {
		value = json_object_get(row, keys[i]);
		if (json_is_integer(value))
			add(line, sizeof(line), "%s%s%" JSON_INTEGER_FORMAT,
			    *line ? " " : "",
			    strcmp(keys[i], "status") ? "" : "status ",
			    json_integer_value(value));
		else if (json_is_string(value) &&
			 strcmp(json_string_value(value), "-"))
			add(line, sizeof(line), "%s%s", *line ? " " : "",
			    json_string_value(value));
	}
	rb_report_text(out, "  %-40s %s%s%s%s\n", line, rb_text_at(row, "meaning"),
		       *rb_text_at(row, "certainty") ? " (" : "",
		       rb_text_at(row, "certainty"),
		       *rb_text_at(row, "certainty") ? ")" : "");
}

static void show_table(struct rb_report *out, const char *title,
		       const json_t *rows)
{
	const json_t *row;
	size_t i;

	rb_report_text(out, "%s\n", title);
	json_array_foreach(rows, i, row)
		show_row(out, row);
	rb_report_text(out, "\n");
}

void rb_explain_show_tables(struct rb_report *out, const json_t *tables)
{
	const json_t *provider;
	char title[160];
	size_t i;

	show_table(out, "completions (ibv_wc_status)",
		   json_object_get(tables, "statuses"));
	json_array_foreach(json_object_get(tables, "providers"), i, provider)
	{
		snprintf(title, sizeof(title), "vendor_err of %s: %s",
			 rb_text_at(provider, "name"), rb_text_at(provider, "holds"));
		show_table(out, title, json_object_get(provider, "codes"));
	}
	show_table(out, "asynchronous events",
		   json_object_get(tables, "async_events"));
	show_table(out, "events of rdma_cm",
		   json_object_get(tables, "cm_events"));
	show_table(out, "errno by call", json_object_get(tables, "calls"));
}
