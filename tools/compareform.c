/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compareform - a comparison for people and for CI: text, JUnit, Markdown
 *
 * Commands and keys are words of ours (run/compare.c sees to it), so that no
 * text of a file needs to be quoted here.
 */
#include "compareform.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

enum rb_change rb_compare_verdict(const json_t *key)
{
	const char *text = json_string_value(json_object_get(key, "verdict"));

	for (int i = 0; i < RB_COMPARE_VERDICTS; i++)
		if (text && !strcmp(rb_change_name((enum rb_change)i), text))
			return (enum rb_change)i;
	return RB_CHANGE_INCONCLUSIVE;
}

/* An element of "keys", in words. */
struct words {
	const char *key, *verdict;
	enum rb_change change;
	double percent;
	char was[RB_TEXT_SIZE], is[RB_TEXT_SIZE];
	char moved[RB_TEXT_SIZE], noise[RB_TEXT_SIZE];
};

static double number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static struct words words_of(const json_t *o)
{
	struct words w = {
		.key = json_string_value(json_object_get(o, "key")),
		.change = rb_compare_verdict(o),
		.percent = number(o, "change_percent"),
	};
	enum rb_quantity quantity = rb_metric_quantity(w.key);

	w.verdict = rb_change_name(w.change);
	rb_metric_format(quantity, number(o, "base"), w.was);
	rb_metric_format(quantity, number(o, "new"), w.is);
	snprintf(w.moved, sizeof(w.moved), "%+.2f %%", w.percent);
	if (json_object_get(o, "noise_percent"))
		snprintf(w.noise, sizeof(w.noise), "%.2f %%",
			 number(o, "noise_percent"));
	else
		snprintf(w.noise, sizeof(w.noise), "-");
	return w;
}

struct form {
	void (*begin)(const struct rb_compare_view *view);
	void (*key)(const struct rb_compare_view *view, const json_t *row,
		    const struct words *w);
	void (*end)(const struct rb_compare_view *view);
};

/* "65536" or, where the base had more than one number of queue pairs, all. */
static const char *row_name(const json_t *row, char buf[static RB_TEXT_SIZE])
{
	const json_t *qps = json_object_get(row, "qps");
	int n = snprintf(buf, RB_TEXT_SIZE, "%lld",
			 (long long)json_integer_value(
				 json_object_get(row, "size_bytes")));

	if (qps)
		snprintf(buf + n, RB_TEXT_SIZE - (size_t)n, ".%lldqp",
			 (long long)json_integer_value(qps));
	return buf;
}

static void text_begin(const struct rb_compare_view *view)
{
	rb_report_text(view->report, "%-12s %-28s %14s %14s %10s %10s  %s\n",
		       "row", view->command, "base", "new", "change", "noise",
		       "verdict");
}

static void text_key(const struct rb_compare_view *view, const json_t *row,
		     const struct words *w)
{
	char name[RB_TEXT_SIZE];

	rb_report_text(view->report, "%-12s %-28s %14s %14s %10s %10s  %s\n",
		       row_name(row, name), w->key, w->was, w->is, w->moved,
		       w->noise, w->verdict);
}

static void text_end(const struct rb_compare_view *view)
{
	const unsigned int *n = view->counts;

	rb_report_text(view->report,
		       "\nverdict: %u worse, %u better, %u the same, %u inconclusive",
		       n[RB_CHANGE_WORSE], n[RB_CHANGE_BETTER],
		       n[RB_CHANGE_SAME], n[RB_CHANGE_INCONCLUSIVE]);
	if (n[RB_CHANGE_WORSE])
		rb_report_text(view->report, "; the worst by %.3g %%",
			       view->worst);
	rb_report_text(view->report, "\n");
}

static void markdown_begin(const struct rb_compare_view *view)
{
	rb_report_text(view->report,
		       "| row | %s | base | new | change | noise | verdict |\n"
		       "|---|---|---:|---:|---:|---:|---|\n",
		       view->command);
}

static void markdown_key(const struct rb_compare_view *view, const json_t *row,
			 const struct words *w)
{
	const char *mark = w->change == RB_CHANGE_WORSE ? "**" : "";
	char name[RB_TEXT_SIZE];

	rb_report_text(view->report,
		       "| %s | `%s` | %s | %s | %s | %s | %s%s%s |\n",
		       row_name(row, name), w->key, w->was, w->is, w->moved,
		       w->noise, mark, w->verdict, mark);
}

/* Does CI have to fail of it? */
static bool fails(const struct rb_compare_view *view, const struct words *w)
{
	double percent = w->percent < 0 ? -w->percent : w->percent;

	return w->change == RB_CHANGE_WORSE && percent > view->fail_worse;
}

static void junit_begin(const struct rb_compare_view *view)
{
	unsigned int tests = 0, failures = 0;

	for (size_t i = 0; i < json_array_size(view->rows); i++) {
		const json_t *keys = json_object_get(
			json_array_get(view->rows, i), "keys");

		for (size_t k = 0; k < json_array_size(keys); k++) {
			struct words w = words_of(json_array_get(keys, k));

			failures += fails(view, &w);
			tests++;
		}
	}
	rb_report_text(view->report,
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<testsuite name=\"rbench.compare.%s\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
		       view->command, tests, failures,
		       view->counts[RB_CHANGE_INCONCLUSIVE]);
}

static void junit_key(const struct rb_compare_view *view, const json_t *row,
		      const struct words *w)
{
	char name[RB_TEXT_SIZE];
	bool skipped = w->change == RB_CHANGE_INCONCLUSIVE;
	bool bad = skipped || fails(view, w);

	rb_report_text(view->report,
		       "  <testcase classname=\"%s.%s\" name=\"%s\"%s",
		       view->command, row_name(row, name), w->key,
		       bad ? ">\n" : "/>\n");
	if (!bad)
		return;
	rb_report_text(view->report,
		       "    <%s message=\"%s: %s, was %s: %s (noise %s)\"/>\n"
		       "  </testcase>\n",
		       skipped ? "skipped" : "failure", w->verdict, w->is,
		       w->was, w->moved, w->noise);
}

static void junit_end(const struct rb_compare_view *view)
{
	rb_report_text(view->report, "</testsuite>\n");
}

static const struct form forms[] = {
	[RB_COMPARE_TEXT] = { text_begin, text_key, text_end },
	[RB_COMPARE_JUNIT] = { junit_begin, junit_key, junit_end },
	[RB_COMPARE_MARKDOWN] = { markdown_begin, markdown_key, text_end },
};

void rb_compare_show(const struct rb_compare_view *view,
		     enum rb_compare_format format)
{
	const struct form *form = &forms[format];

	if (!form->key)
		return;
	form->begin(view);
	for (size_t i = 0; i < json_array_size(view->rows); i++) {
		const json_t *row = json_array_get(view->rows, i);
		const json_t *keys = json_object_get(row, "keys");

		for (size_t k = 0; k < json_array_size(keys); k++) {
			struct words w = words_of(json_array_get(keys, k));

			form->key(view, row, &w);
		}
	}
	form->end(view);
}
