/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * align - a moment of another clock told by this host's
 */
#include "base/align.h"

#include <math.h>

#include "base/base.h"

#define LONGEST_ROUNDS 8 /* 5 % of them are less than half a round */
#define OFF 2.0 /* times faster or slower than nominal: not that clock at all */

void rb_align_begin(struct rb_align *a, uint64_t mask, double nominal,
		    const struct rb_moment *first)
{
	*a = (struct rb_align){
		.mask = mask,
		.nominal = nominal,
		.first = *first,
		.last = *first,
		.from = *first,
		.slope = nominal,
		.half = first->half,
	};
}

/* Host ticks between two moments, in their order or not. */
static double between(uint64_t from, uint64_t to)
{
	return (double)(int64_t)(to - from);
}

/*
 * Ticks of the other clock from one reading to the next: what it shows, and as
 * many rounds as come nearest to what is expected.
 */
static double ticks_between(const struct rb_align *a,
			    const struct rb_moment *from,
			    const struct rb_moment *to)
{
	double expected = between(from->host, to->host) * a->nominal;
	double shown = (double)((to->other - from->other) & a->mask);
	double round = (double)a->mask + 1;

	return shown + round * nearbyint((expected - shown) / round);
}

void rb_align_end_span(struct rb_align *a, const struct rb_moment *next)
{
	double host = between(a->last.host, next->host);
	double other = ticks_between(a, &a->last, next);

	a->from = a->last;
	a->last = *next;
	a->elapsed += other;
	a->half = RB_MAX(a->half, next->half);
	a->slope = host > 0 ? other / host : a->nominal;
	/* a span too short to tell, or a clock that is none: it shows in the ppm */
	if (!(a->slope > a->nominal / OFF && a->slope < a->nominal * OFF))
		a->slope = a->nominal;
}

double rb_align_age(const struct rb_align *a, uint64_t stamp, uint64_t seen)
{
	double since = between(a->from.host, seen) * a->slope;
	double whole = floor(since);
	uint64_t then = a->from.other + (uint64_t)(int64_t)whole;
	uint64_t older = (then - stamp) & a->mask;
	double age = (double)older;

	if (older > a->mask - a->mask / 4)
		age = -(double)((stamp - then) & a->mask);
	return (age + since - whole) / a->slope;
}

double rb_align_ppm(const struct rb_align *a, double *error)
{
	double host = between(a->first.host, a->last.host);

	if (!(host > 0)) {
		*error = NAN;
		return NAN;
	}
	*error = (double)(a->first.half + a->last.half) / host * 1e6;
	return (a->elapsed / host / a->nominal - 1) * 1e6;
}

uint64_t rb_align_longest(uint64_t mask, double nominal)
{
	double ticks = LONGEST_ROUNDS * ((double)mask + 1) / nominal;

	return ticks < 0x1p62 ? (uint64_t)ticks : 1ull << 62;
}
