/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * align_test - stamps of another clock, whatever its rate, drift, width and start
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/align.h"

/* A clock of which all is known: host ticks are ns, its rate is ticks in a ns. */
struct truth {
	uint64_t mask, start, origin; /* what it shows, when the host's shows origin */
	double nominal, real;
};

static uint64_t shows(const struct truth *t, double ns)
{
	/* the whole part by itself: of 2^63 a double has no fraction */
	return (t->start + (uint64_t)(int64_t)floor(ns * t->real)) & t->mask;
}

static struct rb_moment read_at(const struct truth *t, uint64_t ns, uint64_t half)
{
	return (struct rb_moment){ t->origin + ns, half, shows(t, (double)ns) };
}

/* Spans of @span ns one after the other, a stamp every 10 us, each seen @late. */
static void follow(const struct truth *t, uint64_t span, unsigned int spans,
		   uint64_t late)
{
	struct rb_moment m = read_at(t, 0, 0);
	double tick = 1 / t->real;
	struct rb_align a;

	rb_align_begin(&a, t->mask, t->nominal, &m);
	for (unsigned int i = 0; i < spans; i++) {
		m = read_at(t, (i + 1) * span, 0);
		rb_align_end_span(&a, &m);
		for (uint64_t at = i * span; at + late < (i + 1) * span; at += 10000) {
			uint64_t stamp = shows(t, (double)at);
			double age = rb_align_age(&a, stamp, t->origin + at + late);

			/* stamp and readings are cut to whole ticks */
			assert_true(fabs(age - (double)late) <= 2 * tick);
		}
	}
}

static const struct truth mlx = { UINT64_MAX, 0, 1000, 0.15625, 0.15625 };

static void a_clock_as_it_says(void **state)
{
	(void)state;
	follow(&mlx, 1000000, 20, 0);
	follow(&mlx, 1000000, 20, 1);
	follow(&mlx, 1000000, 20, 50000);
}

static void a_clock_that_drifts(void **state)
{
	struct truth t = mlx;

	(void)state;
	for (double ppm = -20000; ppm <= 20000; ppm += 2500) {
		t.real = t.nominal * (1 + ppm * 1e-6);
		follow(&t, 10000000, 5, 3000);
	}
}

static void a_clock_faster_than_the_host(void **state)
{
	struct truth t = mlx;

	(void)state;
	t.nominal = t.real = 3.7;
	follow(&t, 1000000, 20, 700);
}

/* 20 bits of 156 MHz are 6.7 ms: each span begins and ends elsewhere in a round. */
static void the_count_begins_anew(void **state)
{
	struct truth t = mlx;

	(void)state;
	t.mask = (1 << 20) - 1;
	t.real = t.nominal * 1.0003;
	follow(&t, 1700000, 40, 500000);
	follow(&t, 13000000, 5, 2000000);
	follow(&t, rb_align_longest(t.mask, t.nominal), 3, 100000);
}

static void wide_counts_overflow(void **state)
{
	struct truth t = mlx;

	(void)state;
	t.start = UINT64_MAX - 1000; /* 64 bits, 6 us before their end */
	follow(&t, 1000000, 3, 20000);
	t.mask = (1ull << 48) - 1;
	t.start = t.mask - 1000;
	follow(&t, 1000000, 3, 20000);
	t.origin = UINT64_MAX - 500000; /* and the host's */
	follow(&t, 1000000, 3, 20000);
}

/* Seen before it was stamped: told as such, up to a quarter of a round. */
static void a_stamp_from_the_future(void **state)
{
	struct rb_moment a = read_at(&mlx, 0, 0), b = read_at(&mlx, 1000000, 0);
	struct truth narrow = mlx;
	struct rb_align align;

	(void)state;
	rb_align_begin(&align, mlx.mask, mlx.nominal, &a);
	rb_align_end_span(&align, &b);
	assert_true(fabs(rb_align_age(&align, shows(&mlx, 504000),
				      mlx.origin + 500000) + 4000) < 13);
	/* years ahead are not years ago */
	assert_true(rb_align_age(&align, shows(&mlx, 1e17), mlx.origin) < -9e16);
	narrow.mask = 0xffff; /* 419 us */
	rb_align_begin(&align, narrow.mask, narrow.nominal, &a);
	rb_align_end_span(&align, &b);
	assert_true(fabs(rb_align_age(&align, shows(&narrow, 600000),
				      narrow.origin + 500000) + 100000) < 13);
	assert_true(fabs(rb_align_age(&align, shows(&narrow, 200000),
				      narrow.origin + 500000) - 300000) < 13);
}

/* The exchange that is under way when it begins was posted, perhaps seen, before. */
static void a_moment_before_the_span(void **state)
{
	struct rb_moment a = read_at(&mlx, 500000, 0), b = read_at(&mlx, 900000, 0);
	struct rb_align align;

	(void)state;
	rb_align_begin(&align, mlx.mask, mlx.nominal, &a);
	rb_align_end_span(&align, &b);
	assert_true(fabs(rb_align_age(&align, shows(&mlx, 400000),
				      mlx.origin + 450000) - 50000) < 13);
}

static void the_rate_is_told_with_its_error(void **state)
{
	struct truth t = mlx;
	struct rb_moment m = read_at(&t, 0, 100);
	struct rb_align a;
	double error;

	(void)state;
	t.real = t.nominal * (1 + 300e-6);
	rb_align_begin(&a, t.mask, t.nominal, &m);
	assert_true(isnan(rb_align_ppm(&a, &error)) && isnan(error));
	m = read_at(&t, 40000000, 700);
	rb_align_end_span(&a, &m);
	m = read_at(&t, 100000000, 200);
	rb_align_end_span(&a, &m);
	assert_true(fabs(rb_align_ppm(&a, &error) - 300) < 0.1);
	assert_true(fabs(error - 3) < 1e-9);
	assert_int_equal(a.half, 700);
}

/* A clock that stands, or goes back, says so by its rate, and divides nothing by 0. */
static void a_clock_that_is_none(void **state)
{
	struct rb_moment a = { 1000, 10, 5000 }, b = { 2000000, 10, 5000 };
	struct rb_moment back = { 3000000, 10, 4000 };
	struct rb_align align;
	double error;

	(void)state;
	rb_align_begin(&align, UINT64_MAX, 0.15625, &a);
	rb_align_end_span(&align, &b);
	assert_true(rb_align_ppm(&align, &error) < -999999);
	assert_true(isfinite(rb_align_age(&align, 5000, 1500000)));
	rb_align_end_span(&align, &back);
	assert_true(rb_align_ppm(&align, &error) < -999999);
	assert_true(isfinite(rb_align_age(&align, 5000, 2500000)));
}

static void two_readings_at_once(void **state)
{
	struct rb_moment a = { 1000, 10, 5000 };
	struct rb_align align;
	double error;

	(void)state;
	rb_align_begin(&align, UINT64_MAX, 0.5, &a);
	rb_align_end_span(&align, &a);
	assert_true(isnan(rb_align_ppm(&align, &error)));
	assert_true(rb_align_age(&align, 4900, 1000) == 200);
}

static void the_longest_span(void **state)
{
	(void)state;
	assert_int_equal(rb_align_longest(UINT64_MAX, 0.15625), 1ull << 62);
	assert_int_equal(rb_align_longest(0xffff, 0.5), 8 * 0x20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_as_it_says),
		cmocka_unit_test(a_clock_that_drifts),
		cmocka_unit_test(a_clock_faster_than_the_host),
		cmocka_unit_test(the_count_begins_anew),
		cmocka_unit_test(wide_counts_overflow),
		cmocka_unit_test(a_stamp_from_the_future),
		cmocka_unit_test(a_moment_before_the_span),
		cmocka_unit_test(the_rate_is_told_with_its_error),
		cmocka_unit_test(a_clock_that_is_none),
		cmocka_unit_test(two_readings_at_once),
		cmocka_unit_test(the_longest_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
