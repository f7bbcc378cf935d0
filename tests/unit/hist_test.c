/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hist_test - the histogram keeps three digits, the true maximum and all samples
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hist.h"

static void empty_has_nothing(void **state)
{
	struct rb_hist *h = rb_hist_create();

	(void)state;
	assert_int_equal(rb_hist_count(h), 0);
	assert_int_equal(rb_hist_percentile(h, 50), 0);
	assert_true(rb_hist_mean(h) == 0 && rb_hist_stddev(h) == 0);
	rb_hist_destroy(h);
}

static void every_value_is_within_a_thousandth(void **state)
{
	struct rb_hist *h = rb_hist_create();

	(void)state;
	for (uint64_t v = 1; v < 1ull << 62; v += v / 3 + 1) {
		double error;

		/* a larger sample, so that the maximum does not give it away */
		rb_hist_clear(h);
		rb_hist_record(h, v);
		rb_hist_record(h, v);
		rb_hist_record(h, 2 * v);
		error = fabs((double)rb_hist_percentile(h, 60) - (double)v);
		assert_true(error <= (double)v / 1000);
		assert_int_equal(h->max, 2 * v);
		assert_int_equal(rb_hist_percentile(h, 100), h->max);
	}
	rb_hist_destroy(h);
}

static void buckets_are_in_order_and_fit(void **state)
{
	unsigned int last = 0;

	(void)state;
	assert_int_equal(rb_hist_bucket(1), 0);
	assert_true(rb_hist_bucket(0) < RB_HIST_BUCKETS);
	for (uint64_t v = 1; v < 1ull << 62; v += v / 700 + 1) {
		unsigned int b = rb_hist_bucket(v);

		assert_true(b >= last);
		last = b;
	}
	assert_true(rb_hist_bucket(INT64_MAX) < RB_HIST_BUCKETS);
	assert_true(rb_hist_bucket(UINT64_MAX) < RB_HIST_BUCKETS);
}

static void known_distribution(void **state)
{
	struct rb_hist *h = rb_hist_create();

	(void)state;
	for (uint64_t v = 1; v <= 1000; v++)
		rb_hist_record(h, v);
	assert_int_equal(rb_hist_percentile(h, 50), 500);
	assert_int_equal(rb_hist_percentile(h, 99), 990);
	assert_int_equal(rb_hist_percentile(h, 99.9), 999);
	assert_int_equal(rb_hist_percentile(h, 0), 1);
	assert_true(fabs(rb_hist_mean(h) - 500.5) < 1e-9);
	/* n (n + 1) / 12 for the sample variance of 1..n */
	assert_true(fabs(rb_hist_stddev(h) - sqrt(1000.0 * 1001 / 12)) < 1e-6);
	rb_hist_destroy(h);
}

/* Large values that differ by less than their buckets are wide. */
static void deviation_is_that_of_the_samples(void **state)
{
	const uint64_t large = 3000000000, n = 100000;
	struct rb_hist *h = rb_hist_create(), *stalls = rb_hist_create();

	(void)state;
	for (uint64_t i = 0; i < n; i++)
		rb_hist_record(h, large + i % 2);
	assert_true(rb_hist_mean(h) == (double)large + 0.5);
	assert_true(fabs(rb_hist_stddev(h) -
			 sqrt(0.25 * (double)n / (double)(n - 1))) < 1e-12);
	/* and sums of squares beyond 64 bits */
	for (uint64_t i = 0; i < n; i++)
		rb_hist_record(stalls, i % 2 ? 1 : 2 * large - 1);
	rb_hist_merge(h, stalls);
	assert_true(fabs(rb_hist_stddev(h) /
				 sqrt(0.5 * (double)large * (double)large) -
			 1) < 1e-5);
	rb_hist_destroy(h);
	rb_hist_destroy(stalls);
}

/* As a loop records them, carried before their sum is 2^32, or not yet. */
static void brief_samples_are_samples(void **state)
{
	const unsigned int rounds = 4000, each = 1000;
	struct rb_hist *brief = rb_hist_create(), *h = rb_hist_create();
	struct rb_hist *merged = rb_hist_create();

	(void)state;
	for (unsigned int i = 0; i < rounds * each; i++) {
		uint64_t value = 4000000 + i % 997;

		rb_hist_record_brief(brief, value);
		rb_hist_record(h, value);
		if (i % each == each - 2)
			rb_hist_carry(brief);
	}
	assert_true(brief->brief != 0);
	assert_true(rb_hist_stddev(brief) == rb_hist_stddev(h));
	rb_hist_merge(merged, brief);
	assert_true(rb_hist_stddev(merged) == rb_hist_stddev(h));
	rb_hist_record(brief, UINT32_MAX);
	rb_hist_record(h, UINT32_MAX);
	assert_true(rb_hist_stddev(brief) == rb_hist_stddev(h));
	rb_hist_destroy(brief);
	rb_hist_destroy(merged);
	rb_hist_destroy(h);
}

static void merging_is_recording_both(void **state)
{
	struct rb_hist *a = rb_hist_create(), *b = rb_hist_create();

	(void)state;
	rb_hist_record(a, 10);
	rb_hist_record(b, 1000000);
	rb_hist_record(b, 3);
	rb_hist_merge(a, b);
	assert_int_equal(rb_hist_count(a), 3);
	assert_int_equal(rb_hist_percentile(a, 0), 3);
	assert_int_equal(a->max, 1000000);
	assert_int_equal(rb_hist_percentile(a, 50), 10);
	rb_hist_destroy(a);
	rb_hist_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_has_nothing),
		cmocka_unit_test(every_value_is_within_a_thousandth),
		cmocka_unit_test(buckets_are_in_order_and_fit),
		cmocka_unit_test(known_distribution),
		cmocka_unit_test(deviation_is_that_of_the_samples),
		cmocka_unit_test(brief_samples_are_samples),
		cmocka_unit_test(merging_is_recording_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
