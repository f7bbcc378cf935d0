/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * metric - what a key of a result row says by its name: quantity, unit, goodness
 */
#include "base/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

/* The words of units; the first that a key has decides. */
static const struct word {
	const char *text;
	enum rb_quantity quantity;
	bool ends;    /* stands at the end of a key only */
	bool dropped; /* in the short name */
} words[] = {
	/* clang-format off */
	{ ".bits_per_s",     RB_QUANTITY_BITS,     false, true },
	{ ".per_s",          RB_QUANTITY_RATE,     true,  true },
	{ "_ns",             RB_QUANTITY_NS,       false, true },
	{ ".utilisation",    RB_QUANTITY_FRACTION, true,  true },
	{ "_bytes",          RB_QUANTITY_BYTES,    true,  true },
	{ "bytes",           RB_QUANTITY_BYTES,    true,  false },
	{ "_per_s",          RB_QUANTITY_RATE,     true,  false },
	{ "_s",              RB_QUANTITY_SECONDS,  true,  false },
	{ "percent_of_link", RB_QUANTITY_PERCENT,  true,  false },
	{ "_percent",        RB_QUANTITY_PERCENT,  true,  false },
	/* clang-format on */
};

/* Where @key has the word, as a whole end of one of its parts. */
static const char *find_word(const char *key, const struct word *w)
{
	size_t n = strlen(w->text);

	for (const char *p = strstr(key, w->text); p;
	     p = strstr(p + 1, w->text))
		if (!p[n] || (p[n] == '.' && !w->ends))
			return p;
	return NULL;
}

static const struct word *word_of(const char *key, const char **at)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(words); i++) {
		*at = find_word(key, &words[i]);
		if (*at)
			return &words[i];
	}
	return NULL;
}

static bool ends_in(const char *key, const char *end)
{
	size_t n = strlen(key), m = strlen(end);

	return n >= m && !strcmp(key + n - m, end);
}

enum rb_quantity rb_metric_quantity(const char *key)
{
	const char *at;
	const struct word *w = word_of(key, &at);

	/* the number of samples stands among them: latency_ns.count */
	return w && !ends_in(key, ".count") ? w->quantity : RB_QUANTITY_COUNT;
}

const char *rb_metric_short(const char *key, char to[static RB_METRIC_KEY])
{
	const char *at;
	const struct word *w = word_of(key, &at);

	if (w && w->dropped)
		snprintf(to, RB_METRIC_KEY, "%.*s%s", (int)(at - key), key,
			 at + strlen(w->text));
	else
		snprintf(to, RB_METRIC_KEY, "%s", key);
	return to;
}

#define K2 1024.0

static const struct {
	enum rb_quantity quantity;
	const char *text;
	double factor;
} units[] = {
	/* clang-format off */
	{ RB_QUANTITY_COUNT, "", 1 },
	{ RB_QUANTITY_COUNT, "K", 1e3 },
	{ RB_QUANTITY_COUNT, "M", 1e6 },
	{ RB_QUANTITY_COUNT, "G", 1e9 },
	{ RB_QUANTITY_BITS, "", 1 },
	{ RB_QUANTITY_BITS, "b/s", 1 },
	{ RB_QUANTITY_BITS, "Kb/s", 1e3 },
	{ RB_QUANTITY_BITS, "Mb/s", 1e6 },
	{ RB_QUANTITY_BITS, "Gb/s", 1e9 },
	{ RB_QUANTITY_BITS, "Tb/s", 1e12 },
	{ RB_QUANTITY_BITS, "Mbps", 1e6 },
	{ RB_QUANTITY_BITS, "Gbps", 1e9 },
	{ RB_QUANTITY_BITS, "MB/s", 8e6 },
	{ RB_QUANTITY_BITS, "GB/s", 8e9 },
	{ RB_QUANTITY_BITS, "MiB/s", 8 * K2 * K2 },
	{ RB_QUANTITY_BITS, "GiB/s", 8 * K2 * K2 * K2 },
	{ RB_QUANTITY_NS, "", 1 },
	{ RB_QUANTITY_NS, "ns", 1 },
	{ RB_QUANTITY_NS, "us", 1e3 },
	{ RB_QUANTITY_NS, "ms", 1e6 },
	{ RB_QUANTITY_NS, "s", 1e9 },
	{ RB_QUANTITY_SECONDS, "", 1 },
	{ RB_QUANTITY_SECONDS, "s", 1 },
	{ RB_QUANTITY_SECONDS, "ms", 1e-3 },
	{ RB_QUANTITY_SECONDS, "us", 1e-6 },
	{ RB_QUANTITY_RATE, "", 1 },
	{ RB_QUANTITY_RATE, "/s", 1 },
	{ RB_QUANTITY_RATE, "K", 1e3 },
	{ RB_QUANTITY_RATE, "M", 1e6 },
	{ RB_QUANTITY_RATE, "G", 1e9 },
	{ RB_QUANTITY_RATE, "K/s", 1e3 },
	{ RB_QUANTITY_RATE, "M/s", 1e6 },
	{ RB_QUANTITY_RATE, "Kmsg/s", 1e3 },
	{ RB_QUANTITY_RATE, "Mmsg/s", 1e6 },
	{ RB_QUANTITY_BYTES, "", 1 },
	{ RB_QUANTITY_BYTES, "B", 1 },
	{ RB_QUANTITY_BYTES, "K", K2 },
	{ RB_QUANTITY_BYTES, "M", K2 * K2 },
	{ RB_QUANTITY_BYTES, "G", K2 * K2 * K2 },
	{ RB_QUANTITY_FRACTION, "", 1 },
	{ RB_QUANTITY_FRACTION, "%", 0.01 },
	{ RB_QUANTITY_PERCENT, "", 1 },
	{ RB_QUANTITY_PERCENT, "%", 1 },
	/* clang-format on */
};

double rb_metric_unit(enum rb_quantity quantity, const char *unit)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(units); i++)
		if (units[i].quantity == quantity &&
		    !strcmp(units[i].text, unit))
			return units[i].factor;
	return 0;
}

/* The unit in which a value of a size is shown: the largest that is below it. */
static const struct scale {
	enum rb_quantity quantity;
	double from, factor;
	const char *unit;
} scales[] = {
	/* clang-format off */
	{ RB_QUANTITY_BITS, 1e9, 1e-9, " Gb/s" },
	{ RB_QUANTITY_BITS, 1e6, 1e-6, " Mb/s" },
	{ RB_QUANTITY_BITS, 0, 1, " b/s" },
	{ RB_QUANTITY_NS, 1e9, 1e-9, " s" },
	{ RB_QUANTITY_NS, 1e6, 1e-6, " ms" },
	{ RB_QUANTITY_NS, 1e3, 1e-3, " us" },
	{ RB_QUANTITY_NS, 0, 1, " ns" },
	{ RB_QUANTITY_SECONDS, 0, 1, " s" },
	{ RB_QUANTITY_RATE, 1e6, 1e-6, " M/s" },
	{ RB_QUANTITY_RATE, 1e3, 1e-3, " K/s" },
	{ RB_QUANTITY_RATE, 0, 1, " /s" },
	{ RB_QUANTITY_BYTES, 0, 1, " B" },
	{ RB_QUANTITY_FRACTION, 0, 100, " %" },
	{ RB_QUANTITY_PERCENT, 0, 1, " %" },
	/* clang-format on */
};

const char *rb_metric_format(enum rb_quantity quantity, double value,
			     char buf[static RB_TEXT_SIZE])
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(scales); i++) {
		const struct scale *s = &scales[i];

		if (s->quantity != quantity || fabs(value) < s->from)
			continue;
		snprintf(buf, RB_TEXT_SIZE, "%.4g%s", value * s->factor,
			 s->unit);
		return buf;
	}
	snprintf(buf, RB_TEXT_SIZE, "%.10g", value);
	return buf;
}

/* The first beginning of a key that fits decides. */
static const struct {
	const char *beginning;
	int goodness;
} goodness[] = {
	/* clang-format off */
	{ "bandwidth.", 1 },
	{ "message_rate.", 1 },
	{ "directions.", 1 },
	{ "receiver.bits_per_s", 1 },
	{ "intervals.bits_per_s.stddev", -1 },
	{ "intervals.bits_per_s.", 1 },
	{ "latency_ns.count", 0 },
	{ "latency_ns.", -1 },
	{ "hw_latency_ns.count", 0 },
	{ "hw_latency_ns.", -1 },
	{ "hw_delay_ns.count", 0 },
	{ "hw_delay_ns.", -1 },
	{ "response_ns.count", 0 },
	{ "response_ns.", -1 },
	{ "cpu.", -1 },
	{ "verify.corrupt", -1 },
	{ "verify.lost", -1 },
	/* clang-format on */
};

int rb_metric_goodness(const char *key)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(goodness); i++)
		if (!strncmp(key, goodness[i].beginning,
			     strlen(goodness[i].beginning)))
			return goodness[i].goodness;
	return 0;
}

const json_t *rb_metric_at(const json_t *object, const char *path)
{
	char key[RB_METRIC_KEY];
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		object = json_object_get(object, key);
		path = dot + 1;
	}
	return json_object_get(object, path);
}
