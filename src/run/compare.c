/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare - the difference between documents of runs, with its noise
 */
#include "run/compare.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "base/stats.h"
#include "run/noise.h"

#define DEPTH_MAX 4 /* of a key: cpu.local.user_s */
#define ROWS_MAX 4096

/* What was asked for, of a row: two rows with the same are compared. */
static const char *const identity[] = { "size_bytes", "qps", "threads" };

/* What does not change the meaning of a result when it differs. */
static const char *const indifferent[] = {
	"all",	"csv",	 "device", "expect", "gid_index",    "json",
	"port", "quiet", "verbose", "wait",  "limit_bw",     "limit_msgrate",
	"size", "timeout", "port_num",
};

const char *rb_change_name(enum rb_change change)
{
	static const char *const names[] = {
		[RB_CHANGE_SAME] = "same",
		[RB_CHANGE_BETTER] = "better",
		[RB_CHANGE_INCONCLUSIVE] = "inconclusive",
		[RB_CHANGE_WORSE] = "worse",
	};

	return names[change];
}

/* A word of ours: anything else in its place is not shown to anybody. */
static bool is_word(const char *text)
{
	const char *letters = "abcdefghijklmnopqrstuvwxyz_0123456789";

	return *text && strlen(text) < RB_METRIC_KEY &&
	       !text[strspn(text, letters)];
}

int rb_compare_admit(const json_t *doc, char why[static RB_COMPARE_WHY])
{
	const char *status = rb_text_at(doc, "status");
	const json_t *results = json_object_get(doc, "results");

	if (strcmp(rb_text_at(doc, "schema"), "rbench/1") ||
	    !is_word(rb_text_at(doc, "command")) || !is_word(status)) {
		snprintf(why, RB_COMPARE_WHY, "it is not a document of rbench");
		return -EINVAL;
	}
	if (strcmp(status, "ok") && strcmp(status, "below_expectation")) {
		snprintf(why, RB_COMPARE_WHY,
			 "its run was not measured to its end (status '%.32s')",
			 status);
		return -EINVAL;
	}
	if (!json_array_size(results) || json_array_size(results) > ROWS_MAX) {
		snprintf(why, RB_COMPARE_WHY,
			 "'%.32s' has no results to compare",
			 rb_text_at(doc, "command"));
		return -EINVAL;
	}
	return 0;
}

int rb_compare_match(const json_t *base, const json_t *doc,
		     char why[static RB_COMPARE_WHY])
{
	const char *was = rb_text_at(base, "command"), *is = rb_text_at(doc, "command");

	if (!strcmp(was, is))
		return 0;
	snprintf(why, RB_COMPARE_WHY, "it is of '%.32s', the base of '%.32s'",
		 is, was);
	return -EINVAL;
}

static bool is_indifferent(const char *name)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(indifferent); i++)
		if (!strcmp(indifferent[i], name))
			return true;
	return false;
}

json_t *rb_compare_options(const json_t *base, const json_t *doc)
{
	json_t *was = json_object_get(base, "options");
	json_t *is = json_object_get(doc, "options");
	json_t *differ = json_array(), *option;
	const char *name;

	json_object_foreach(was, name, option) {
		const json_t *other = json_object_get(is, name);
		json_t *a = json_object_get(option, "value");
		json_t *b = json_object_get(other, "value");

		/* no value here nor there is no difference (and not equal) */
		if (other && is_word(name) && !is_indifferent(name) && a != b &&
		    !json_equal(a, b))
			json_array_append_new(differ, json_string(name));
	}
	return differ;
}

static bool same_identity(const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(identity); i++) {
		json_t *x = json_object_get(a, identity[i]);
		json_t *y = json_object_get(b, identity[i]);

		if (x != y && !json_equal(x, y))
			return false;
	}
	return true;
}

/* How many rows before @at have its identity: two alike are told apart by it. */
static unsigned int rank_of(const json_t *rows, size_t at)
{
	unsigned int rank = 0;

	for (size_t i = 0; i < at; i++)
		if (same_identity(json_array_get(rows, i),
				  json_array_get(rows, at)))
			rank++;
	return rank;
}

static const json_t *find_row(const json_t *doc, const json_t *like,
			      unsigned int rank)
{
	const json_t *rows = json_object_get(doc, "results");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		if (same_identity(row, like) && !rank--)
			return row;
	}
	return NULL;
}

/* The rows of one measurement in all documents. */
struct rows {
	const json_t *base;
	const json_t *news[RB_COMPARE_FILES];
	unsigned int n;
	double tolerance; /* as a fraction */
};

static double number_of(const json_t *row, const char *key)
{
	const json_t *v = rb_metric_at(row, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Median over the new rows that have @key, and its noise; NAN where unknown. */
static double value_of_news(const struct rows *rows, const char *key,
			    double *noise)
{
	double v[RB_COMPARE_FILES];
	const json_t *last = NULL;
	unsigned int n = 0;

	*noise = NAN;
	for (unsigned int i = 0; i < rows->n; i++) {
		v[n] = number_of(rows->news[i], key);
		if (!isfinite(v[n]))
			continue;
		n++;
		last = rows->news[i];
	}
	if (!n)
		return NAN;
	rb_stats_sort(v, n);
	*noise = n > 2 ? rb_stats_half95(rb_stats_stddev(v, n), n) :
			 rb_noise_of(last, key);
	return rb_stats_median(v, n);
}

static enum rb_change judge(double change, double noise, double tolerance,
			    int goodness)
{
	bool small = fabs(change) <= tolerance;

	if (!isfinite(noise))
		return small ? RB_CHANGE_SAME : RB_CHANGE_INCONCLUSIVE;
	if (fabs(change) > noise && !small)
		return change * goodness > 0 ? RB_CHANGE_BETTER :
					       RB_CHANGE_WORSE;
	return noise <= 2 * tolerance ? RB_CHANGE_SAME :
					RB_CHANGE_INCONCLUSIVE;
}

static void compare_key(const struct rows *rows, const char *key, json_t *keys)
{
	double base = number_of(rows->base, key), noise_new;
	double is = value_of_news(rows, key, &noise_new);
	double noise_base = rb_noise_of(rows->base, key);
	double change, noise;
	json_t *o;

	if (!isfinite(base) || !isfinite(is) || base <= 0)
		return;
	change = (is - base) / base;
	noise = hypot(noise_base, noise_new) / base;
	/* hypot(3) of a huge or unknown part is huge or unknown */
	if (!isfinite(change) || !isfinite(100 * change))
		return;
	o = json_pack("{s:s, s:f, s:f, s:f, s:s}", "key", key, "base", base,
		      "new", is, "change_percent", 100 * change, "verdict",
		      rb_change_name(judge(change, noise, rows->tolerance,
					   rb_metric_goodness(key))));
	if (isfinite(100 * noise))
		json_object_set_new(o, "noise_percent",
				    json_real(100 * noise));
	json_array_append_new(keys, o);
}

/* Each number below @object whose key can be better or worse. */
static void walk(const struct rows *rows, const json_t *object,
		 const char *path, unsigned int depth, json_t *keys)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value) {
		char key[2 * RB_METRIC_KEY];

		if (!is_word(name))
			continue;
		snprintf(key, sizeof(key), "%s%s%s", path, *path ? "." : "",
			 name);
		if (strlen(key) >= RB_METRIC_KEY)
			continue;
		if (json_is_object(value) && depth < DEPTH_MAX)
			walk(rows, value, key, depth + 1, keys);
		else if (json_is_number(value) && rb_metric_goodness(key))
			compare_key(rows, key, keys);
	}
}

static json_t *compare_row(const struct rows *rows)
{
	json_t *o = json_object(), *keys = json_array();

	for (size_t i = 0; i < RB_ARRAY_SIZE(identity); i++) {
		json_t *v = json_object_get(rows->base, identity[i]);

		if (json_is_integer(v))
			json_object_set(o, identity[i], v);
	}
	walk(rows, rows->base, "", 1, keys);
	json_object_set_new(o, "keys", keys);
	return o;
}

json_t *rb_compare_rows(const json_t *base, json_t *const news[],
			unsigned int n, double tolerance_percent,
			unsigned int *unmatched)
{
	const json_t *all = json_object_get(base, "results");
	size_t there = json_array_size(json_object_get(news[0], "results"));
	struct rows rows = { .tolerance = tolerance_percent / 100 };
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(all); i++) {
		unsigned int rank = rank_of(all, i);

		rows.base = json_array_get(all, i);
		rows.n = 0;
		for (unsigned int d = 0; d < n; d++) {
			const json_t *row = find_row(news[d], rows.base, rank);

			if (row)
				rows.news[rows.n++] = row;
		}
		if (rows.n == n)
			json_array_append_new(list, compare_row(&rows));
	}
	*unmatched = (unsigned int)(json_array_size(all) + there -
				    2 * json_array_size(list));
	return list;
}
