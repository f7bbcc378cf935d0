/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expect - an expectation of a result, METRIC OP VALUE[UNIT], read and judged
 */
#include "run/expect.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "diag/counter.h"

#define TEXT_MAX 200
#define UNIT_MAX 16

/* The longer ones first. */
static const struct {
	const char *text;
	enum rb_expect_op op;
} ops[] = {
	{ ">=", RB_EXPECT_GE }, { "<=", RB_EXPECT_LE }, { "==", RB_EXPECT_EQ },
	{ "!=", RB_EXPECT_NE }, { ">", RB_EXPECT_GT },	{ "<", RB_EXPECT_LT },
};

static int refuse(char why[static RB_EXPECT_WHY], const char *before,
		  const char *what, const char *after)
{
	snprintf(why, RB_EXPECT_WHY, "%s%.60s%s", before, what, after);
	return -EINVAL;
}

static const char *skip_space(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

static int read_op(struct rb_expect *e, const char **at)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(ops); i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(*at, ops[i].text, n))
			continue;
		e->op = ops[i].op;
		*at = skip_space(*at + n);
		return 0;
	}
	return -EINVAL;
}

/* Percentiles are written as people write them, or as the keys have them. */
static void as_keys_have_it(char *metric)
{
	char *p = strstr(metric, "p99.9");

	if (p)
		p[3] = '_';
}

static const struct {
	const char *name, *key;
} names[] = {
	{ "goodput", "receiver.bits_per_s" },
};

/* The row of @fields that is meant; sets whether by its full name. */
static const struct rb_field *find_field(const struct rb_fields *fields,
					 const char *metric, bool *full)
{
	char text[RB_METRIC_KEY];

	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++)
		if (!strcmp(metric, names[i].name))
			metric = names[i].key;
	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];

		if (!f->key || f->type == RB_FIELD_TEXT)
			continue;
		*full = !strcmp(f->key, metric);
		if (*full || !strcmp(rb_metric_short(f->key, text), metric))
			return f;
	}
	return NULL;
}

static const char *after(const char *text, const char *beginning)
{
	size_t n = strlen(beginning);

	return strncmp(text, beginning, n) ? NULL : text + n;
}

static void take_counters(struct rb_expect *e, const char *name)
{
	const char *local = after(name, "local."), *peer = after(name, "peer.");

	e->of = RB_EXPECT_COUNTERS;
	e->quantity = RB_QUANTITY_COUNT;
	e->ends[RB_EXPECT_LOCAL] = !peer;
	e->ends[RB_EXPECT_PEER] = !local;
	name = local ? local : peer ? peer : name;
	snprintf(e->key, sizeof(e->key), "%s", name);
}

/* Sets @full: it may stand without a unit. */
static int take_metric(struct rb_expect *e, char *metric,
		       const struct rb_fields *fields, bool *full)
{
	const char *counter = after(metric, "counters.");
	const struct rb_field *f;

	*full = true;
	e->quantity = RB_QUANTITY_COUNT;
	if (counter && *counter) {
		take_counters(e, counter);
		return 0;
	}
	if (!strcmp(metric, "warnings") || !strcmp(metric, "events")) {
		e->of = *metric == 'w' ? RB_EXPECT_WARNINGS : RB_EXPECT_EVENTS;
		return 0;
	}
	as_keys_have_it(metric);
	f = find_field(fields, metric, full);
	if (!f)
		return -EINVAL;
	e->of = RB_EXPECT_ROW;
	e->quantity = rb_metric_quantity(f->key);
	snprintf(e->key, sizeof(e->key), "%s", f->key);
	return 0;
}

static int read_metric(struct rb_expect *e, const char **at,
		       const struct rb_fields *fields, bool *full,
		       char why[static RB_EXPECT_WHY])
{
	char metric[RB_METRIC_KEY];
	size_t n = 0;

	while (is_of_name((*at)[n]))
		n++;
	if (!n || n >= sizeof(metric))
		return refuse(why, "it has to begin with a metric", "", "");
	snprintf(metric, sizeof(metric), "%.*s", (int)n, *at);
	*at = skip_space(*at + n);
	if (take_metric(e, metric, fields, full))
		return refuse(why, "there is no metric '", metric,
			      "' in this command's results");
	return 0;
}

static bool wants_unit(const struct rb_expect *e)
{
	return e->quantity == RB_QUANTITY_BITS || e->quantity == RB_QUANTITY_NS;
}

static int read_unit(struct rb_expect *e, const char *at, bool full,
		     char why[static RB_EXPECT_WHY])
{
	char unit[UNIT_MAX];
	size_t n = strcspn(at, " \t");
	double factor;

	if (n >= sizeof(unit) || *skip_space(at + n))
		return refuse(why, "'", at, "' is not a unit");
	snprintf(unit, sizeof(unit), "%.*s", (int)n, at);
	e->of_link = e->quantity == RB_QUANTITY_BITS && !strcmp(unit, "%link");
	if (e->of_link)
		return 0;
	if (!*unit && !full && wants_unit(e))
		return refuse(why, "its value needs a unit, like ",
			      e->quantity == RB_QUANTITY_BITS ? "Gb/s or %link" :
								"us",
			      "");
	factor = rb_metric_unit(e->quantity, unit);
	if (factor == 0)
		return refuse(why, "'", unit, "' is not a unit of this metric");
	e->limit *= factor;
	return isfinite(e->limit) ? 0 :
				    refuse(why, "its value is too large", "", "");
}

int rb_expect_parse(struct rb_expect *e, const char *text,
		    const struct rb_fields *fields,
		    char why[static RB_EXPECT_WHY])
{
	const char *at = skip_space(text);
	bool full = false;
	int err;

	*e = (struct rb_expect){ .text = text };
	if (strlen(text) > TEXT_MAX)
		return refuse(why, "it is too long", "", "");
	err = read_metric(e, &at, fields, &full, why);
	if (err)
		return err;
	if (read_op(e, &at))
		return refuse(why, "its metric is not followed by >=, <=, ==, !=, > or <",
			      "", "");
	if (rb_parse_real(at, &at, &e->limit))
		return refuse(why, "'", at, "' is not a number");
	return read_unit(e, skip_space(at), full, why);
}

bool rb_expect_holds(const struct rb_expect *e, double value)
{
	if (!isfinite(value))
		return false;
	switch (e->op) {
	case RB_EXPECT_GE:
		return value >= e->limit;
	case RB_EXPECT_LE:
		return value <= e->limit;
	case RB_EXPECT_EQ:
		return !(value < e->limit) && !(value > e->limit);
	case RB_EXPECT_NE:
		return value < e->limit || value > e->limit;
	case RB_EXPECT_GT:
		return value > e->limit;
	case RB_EXPECT_LT:
		return value < e->limit;
	}
	return false;
}

/* How far @value is on the wrong side; the least fulfilment has the most. */
static double badness(const struct rb_expect *e, double value)
{
	if (!isfinite(value))
		return INFINITY;
	switch (e->op) {
	case RB_EXPECT_GE:
	case RB_EXPECT_GT:
		return e->limit - value;
	case RB_EXPECT_LE:
	case RB_EXPECT_LT:
		return value - e->limit;
	case RB_EXPECT_EQ:
		return fabs(value - e->limit);
	case RB_EXPECT_NE:
		return -fabs(value - e->limit);
	}
	return 0;
}

static double value_of_row(const struct rb_expect *e,
			   const struct rb_expect_facts *facts,
			   const json_t *row)
{
	const json_t *v = rb_metric_at(row, e->key);
	double link = facts->link_bits_per_s;

	if (!json_is_number(v))
		return RB_ABSENT_F;
	if (!e->of_link)
		return json_number_value(v);
	if (after(e->key, "bandwidth.") && facts->directions)
		link *= facts->directions;
	return link > 0 ? 100 * json_number_value(v) / link : RB_ABSENT_F;
}

/* Is @name the counter that is meant, by its name or by what it warns of? */
static bool is_meant(const struct rb_expect *e, const char *name)
{
	const struct rb_counter_row *row = rb_counter_row(name);
	const char *last = strchr(name, '.');

	return !strcmp(name, e->key) || (last && !strcmp(last + 1, e->key)) ||
	       (row && !strcmp(row->id, e->key));
}

/* Add what moved at one end; false: no such counter there. */
static bool add_counters(const struct rb_expect *e, const json_t *moved,
			 const json_t *still, double *sum)
{
	bool known = false;
	const char *name;
	json_t *value;
	size_t i;

	json_object_foreach((json_t *)moved, name, value) {
		if (!is_meant(e, name))
			continue;
		*sum += (double)json_integer_value(value);
		known = true;
	}
	json_array_foreach((json_t *)still, i, value)
		if (json_is_string(value) &&
		    is_meant(e, json_string_value(value)))
			known = true;
	return known;
}

static double value_of_counters(const struct rb_expect *e,
				const struct rb_expect_facts *facts)
{
	bool known = false;
	double sum = 0;

	for (int end = 0; end < RB_EXPECT_ENDS; end++)
		if (e->ends[end] &&
		    add_counters(e, facts->moved[end], facts->still[end], &sum))
			known = true;
	return known ? sum : RB_ABSENT_F;
}

static double value_of_run(const struct rb_expect *e,
			   const struct rb_expect_facts *facts)
{
	switch (e->of) {
	case RB_EXPECT_COUNTERS:
		return value_of_counters(e, facts);
	case RB_EXPECT_WARNINGS:
		return (double)facts->warnings;
	default:
		return (double)facts->events;
	}
}

static void put_value(json_t *to, double value, const json_t *size)
{
	if (isfinite(value))
		json_object_set_new(to, "value", json_real(value));
	if (size)
		json_object_set(to, "size_bytes", (json_t *)size);
}

static void judge_rows(const struct rb_expect *e,
		       const struct rb_expect_facts *facts, json_t *verdict)
{
	size_t n = json_array_size(facts->results);
	json_t *failed = json_array();
	double worst = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		const json_t *row = json_array_get(facts->results, i);
		const json_t *size = json_object_get(row, "size_bytes");
		double value = value_of_row(e, facts, row);

		if (!rb_expect_holds(e, value)) {
			json_t *one = json_object();

			put_value(one, value, size);
			json_array_append_new(failed, one);
		}
		if (badness(e, value) <= worst)
			continue;
		worst = badness(e, value);
		json_object_del(verdict, "value");
		put_value(verdict, value, size);
	}
	json_object_set_new(verdict, "met",
			    json_boolean(n && !json_array_size(failed)));
	if (json_array_size(failed))
		json_object_set(verdict, "failed", failed);
	json_decref(failed);
}

json_t *rb_expect_judge(const struct rb_expect *e,
			const struct rb_expect_facts *facts)
{
	json_t *verdict = json_object();
	double value;

	json_object_set_new(verdict, "expr", json_string(e->text));
	json_object_set_new(verdict, "limit", json_real(e->limit));
	if (e->of == RB_EXPECT_ROW) {
		judge_rows(e, facts, verdict);
		return verdict;
	}
	value = value_of_run(e, facts);
	put_value(verdict, value, NULL);
	json_object_set_new(verdict, "met",
			    json_boolean(rb_expect_holds(e, value)));
	return verdict;
}
