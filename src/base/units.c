/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * units - strict reading and writing of sizes, counts, durations and rates
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

struct suffix {
	const char *text;
	uint64_t factor;
};

static const struct suffix size_suffixes[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", 1ull << 10 },
	{ "kb", 1ull << 10 },
	{ "kib", 1ull << 10 },
	{ "m", 1ull << 20 },
	{ "mb", 1ull << 20 },
	{ "mib", 1ull << 20 },
	{ "g", 1ull << 30 },
	{ "gb", 1ull << 30 },
	{ "gib", 1ull << 30 },
	{ "t", 1ull << 40 },
	{ "tb", 1ull << 40 },
	{ "tib", 1ull << 40 },
};

static const struct suffix time_suffixes[] = {
	{ "", RB_NS_PER_S },
	{ "ns", 1 },
	{ "us", RB_NS_PER_US },
	{ "ms", RB_NS_PER_MS },
	{ "s", RB_NS_PER_S },
	{ "m", 60 * RB_NS_PER_S },
	{ "min", 60 * RB_NS_PER_S },
	{ "h", 3600 * RB_NS_PER_S },
};

static int read_digits(const char **text, uint64_t *value)
{
	const char *p = *text;
	uint64_t v = 0;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return -ERANGE;
	*text = p;
	*value = v;
	return 0;
}

static int find_factor(const struct suffix *table, size_t n, const char *text,
		       uint64_t *factor)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcasecmp(table[i].text, text)) {
			*factor = table[i].factor;
			return 0;
		}
	}
	return -EINVAL;
}

int rb_parse_count(const char *text, uint64_t *count)
{
	uint64_t v, factor = 1;
	int err = read_digits(&text, &v);

	if (err)
		return err;
	/* counts take k, M and G as powers of ten: -n 10k is ten thousand */
	if (!strcasecmp(text, "k"))
		factor = 1000;
	else if (!strcasecmp(text, "m"))
		factor = 1000000;
	else if (!strcasecmp(text, "g"))
		factor = 1000000000;
	else if (*text)
		return -EINVAL;
	if (__builtin_mul_overflow(v, factor, &v))
		return -ERANGE;
	*count = v;
	return 0;
}

int rb_parse_real(const char *text, const char **end, double *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *rest;
	double v;

	if (!isdigit((unsigned char)*text) || hex)
		return -EINVAL;
	v = strtod(text, &rest);
	if (!isfinite(v))
		return -ERANGE;
	*end = rest;
	*value = v;
	return 0;
}

int rb_parse_size(const char *text, uint64_t *bytes)
{
	uint64_t v, factor;
	int err = read_digits(&text, &v);

	if (!err)
		err = find_factor(size_suffixes, RB_ARRAY_SIZE(size_suffixes),
				  text, &factor);
	if (!err && __builtin_mul_overflow(v, factor, &v))
		err = -ERANGE;
	if (!err)
		*bytes = v;
	return err;
}

/* The digits after a point, as billionths: ".5" is 500000000. */
static int read_fraction(const char **text, uint64_t *billionths)
{
	uint64_t scale = RB_NS_PER_S / 10;

	*billionths = 0;
	if (**text != '.')
		return 0;
	(*text)++;
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); (*text)++, scale /= 10)
		*billionths += (uint64_t)(**text - '0') * scale;
	return 0;
}

int rb_parse_duration(const char *text, uint64_t *ns)
{
	uint64_t whole, part, factor;
	int err = read_digits(&text, &whole);

	if (!err)
		err = read_fraction(&text, &part);
	if (!err)
		err = find_factor(time_suffixes, RB_ARRAY_SIZE(time_suffixes),
				  text, &factor);
	if (err)
		return err;
	part = (uint64_t)((unsigned __int128)part * factor / RB_NS_PER_S);
	if (__builtin_mul_overflow(whole, factor, &whole) ||
	    __builtin_add_overflow(whole, part, &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

static int add_size(struct rb_sizes *sizes, uint64_t v)
{
	if (sizes->n == RB_SIZES_MAX)
		return -ERANGE;
	sizes->v[sizes->n++] = v;
	return 0;
}

/* Read "*FACTOR" or "+STEP". */
static int read_step(const char *text, uint64_t *factor, uint64_t *step)
{
	*factor = 1;
	*step = 0;
	if (*text == '*')
		return rb_parse_size(text + 1, factor);
	if (*text == '+')
		return rb_parse_size(text + 1, step);
	return -EINVAL;
}

static int add_range(struct rb_sizes *sizes, char *from_text, char *to_text)
{
	char *step_text = strchr(to_text, ':');
	uint64_t from, to, factor = 2, step = 0;
	int err;

	if (step_text)
		*step_text++ = '\0';
	err = rb_parse_size(from_text, &from);
	if (!err)
		err = rb_parse_size(to_text, &to);
	if (!err && step_text)
		err = read_step(step_text, &factor, &step);
	if (err)
		return err;
	if (from > to || (factor < 2 && !step) || (!from && !step))
		return -EINVAL;
	for (uint64_t v = from; v <= to && !err;) {
		err = add_size(sizes, v);
		if (__builtin_mul_overflow(v, factor, &v) ||
		    __builtin_add_overflow(v, step, &v))
			break;
	}
	return err;
}

static int add_item(struct rb_sizes *sizes, char *item)
{
	char *colon = strchr(item, ':');
	uint64_t v;
	int err;

	if (colon) {
		*colon = '\0';
		return add_range(sizes, item, colon + 1);
	}
	err = rb_parse_size(item, &v);
	return err ? err : add_size(sizes, v);
}

int rb_parse_sizes(const char *text, struct rb_sizes *sizes)
{
	struct rb_sizes list = { 0 };
	char buf[1024];
	char *rest = buf;
	int err = 0;

	if (strlen(text) >= sizeof(buf))
		return -ERANGE;
	memcpy(buf, text, strlen(text) + 1);
	while (rest && !err) {
		char *comma = strchr(rest, ',');

		if (comma)
			*comma++ = '\0';
		err = add_item(&list, rest);
		rest = comma;
	}
	if (!err)
		*sizes = list;
	return err;
}

/* Three significant digits, without zeros that say nothing. */
static void put_number(double v, const char *unit, char *buf)
{
	char number[RB_TEXT_SIZE];
	int prec = v >= 100 ? 0 : v >= 10 ? 1 : 2;

	snprintf(number, sizeof(number), "%.*f", prec, v);
	if (strchr(number, '.')) {
		char *end = number + strlen(number) - 1;

		while (*end == '0')
			*end-- = '\0';
		if (*end == '.')
			*end = '\0';
	}
	snprintf(buf, RB_TEXT_SIZE, "%.20s %s", number, unit);
}

const char *rb_format_size(uint64_t bytes, char buf[static RB_TEXT_SIZE])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned int u = 0;
	double v = (double)bytes;

	while (v >= 1024 && u + 1 < RB_ARRAY_SIZE(units)) {
		v /= 1024;
		u++;
	}
	if (v == floor(v))
		snprintf(buf, RB_TEXT_SIZE, "%.0f %s", v, units[u]);
	else
		put_number(v, units[u], buf);
	return buf;
}

const char *rb_format_duration(uint64_t ns, char buf[static RB_TEXT_SIZE])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned int u = 0;
	double v = (double)ns;

	while (v >= 1000 && u + 1 < RB_ARRAY_SIZE(units)) {
		v /= 1000;
		u++;
	}
	put_number(v, units[u], buf);
	return buf;
}

const char *rb_format_rate(double bits_per_s, char buf[static RB_TEXT_SIZE])
{
	static const char *const units[] = { "b/s", "kb/s", "Mb/s", "Gb/s",
					     "Tb/s" };
	unsigned int u = 0;

	while (bits_per_s >= 1000 && u + 1 < RB_ARRAY_SIZE(units)) {
		/* link rates read as "1600 Gb/s", not "1.6 Tb/s" */
		if (u == 3 && bits_per_s < 10000)
			break;
		bits_per_s /= 1000;
		u++;
	}
	put_number(bits_per_s, units[u], buf);
	return buf;
}
