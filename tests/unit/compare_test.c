/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare_test - verdicts of known changes with known noise; what is refused
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/stats.h"
#include "run/compare.h"
#include "run/noise.h"

/* A run of 30 intervals at @rate whose deviation is @stddev. */
static json_t *bandwidth(double rate, double stddev)
{
	return json_pack("{s:s, s:s, s:s, s:[{s:i, s:i, s:i, s:{s:f}, s:{s:i, s:{s:f, s:f}}}]}",
			 "schema", "rbench/1", "command", "write_bw", "status",
			 "ok", "results", "size_bytes", 65536, "qps", 1,
			 "duration_ns", 3000, "bandwidth", "bits_per_s", rate,
			 "intervals", "period_ns", 100, "bits_per_s", "stddev",
			 stddev, "min", rate - 3 * stddev);
}

static json_t *latency(double p50, double p90, int count)
{
	return json_pack("{s:s, s:s, s:s, s:[{s:i, s:{s:i, s:f, s:f, s:f, s:f}}]}",
			 "schema", "rbench/1", "command", "write_lat",
			 "status", "ok", "results", "size_bytes", 2,
			 "latency_ns", "count", count, "p50", p50, "p90", p90,
			 "mean", p50, "stddev", p90 - p50);
}

/* The verdict on @key of the only row; both documents are released. */
static const char *verdict(json_t *base, json_t *is, const char *key)
{
	static char text[16];
	unsigned int unmatched;
	json_t *rows = rb_compare_rows(base, &is, 1, 2, &unmatched);
	json_t *keys = json_object_get(json_array_get(rows, 0), "keys"), *o;
	size_t i;

	assert_int_equal(unmatched, 0);
	snprintf(text, sizeof(text), "absent");
	json_array_foreach(keys, i, o)
		if (!strcmp(json_string_value(json_object_get(o, "key")), key))
			snprintf(text, sizeof(text), "%s",
				 json_string_value(json_object_get(o, "verdict")));
	json_decref(rows);
	json_decref(base);
	json_decref(is);
	return text;
}

static void rates(void **state)
{
	const char *key = "bandwidth.bits_per_s";

	(void)state;
	/* 1 % of deviation over 30 intervals: 0.37 % of noise each */
	assert_string_equal(verdict(bandwidth(100, 1), bandwidth(101, 1), key),
			    "same");
	assert_string_equal(verdict(bandwidth(100, 1), bandwidth(90, 1), key),
			    "worse");
	assert_string_equal(verdict(bandwidth(100, 1), bandwidth(110, 1), key),
			    "better");
	/* 60 %: 22 % of noise each */
	assert_string_equal(verdict(bandwidth(100, 60), bandwidth(90, 60), key),
			    "inconclusive");
	assert_string_equal(verdict(bandwidth(100, 60), bandwidth(50, 60), key),
			    "worse");
	/* of the slowest interval nothing tells the noise */
	key = "intervals.bits_per_s.min";
	assert_string_equal(verdict(bandwidth(100, 1), bandwidth(90, 1), key),
			    "inconclusive");
	assert_string_equal(verdict(bandwidth(100, 1), bandwidth(101, 1), key),
			    "same");
	assert_string_equal(verdict(bandwidth(0, 1), bandwidth(101, 1), key),
			    "absent");
}

static void less_latency_is_better(void **state)
{
	const char *key = "latency_ns.p50";

	(void)state;
	assert_string_equal(verdict(latency(1000, 1100, 100000),
				    latency(1100, 1200, 100000), key),
			    "worse");
	assert_string_equal(verdict(latency(1000, 1100, 100000),
				    latency(900, 1000, 100000), key),
			    "better");
	/* of nine samples nobody can tell */
	assert_string_equal(verdict(latency(1000, 1500, 9),
				    latency(1100, 1600, 9), key),
			    "inconclusive");
}

static void noise_of_known_distributions(void **state)
{
	json_t *doc = latency(1000, 1400, 10000), *row;
	double noise;

	(void)state;
	row = json_array_get(json_object_get(doc, "results"), 0);
	/* sqrt(0.25 / 10^4) of the distribution, at 1000 ns for all of it */
	noise = rb_noise_of(row, "latency_ns.p50");
	assert_true(fabs(noise - hypot(1.96 * 1000 * 0.005, 1)) < 0.01);
	noise = rb_noise_of(row, "latency_ns.mean");
	assert_true(fabs(noise - 1.96 * 4) < 1e-9);
	assert_true(isnan(rb_noise_of(row, "latency_ns.max")));
	assert_true(isnan(rb_noise_of(row, "cpu.local.user_s")));
	assert_true(isnan(rb_noise_of(NULL, "latency_ns.p50")));
	/* what --repeat found goes before all else */
	json_object_set_new(row, "repeats",
			    json_pack("{s:{s:{s:f, s:f}}}", "metrics",
				      "latency_ns.p50", "ci95_low", 990.0,
				      "ci95_high", 1030.0));
	noise = rb_noise_of(row, "latency_ns.p50");
	assert_true(fabs(noise - 20) < 1e-9);
	json_decref(doc);
}

static void several_count_by_their_median(void **state)
{
	json_t *base = bandwidth(100, 1);
	json_t *news[3] = { bandwidth(90, 1), bandwidth(20, 1), bandwidth(91, 1) };
	unsigned int unmatched;
	json_t *rows = rb_compare_rows(base, news, 3, 2, &unmatched);
	json_t *key = json_array_get(json_object_get(json_array_get(rows, 0), "keys"), 0);

	(void)state;
	assert_true(fabs(json_number_value(json_object_get(key, "new")) - 90) < 1e-9);
	/* they differ by far too much among one another */
	assert_string_equal(json_string_value(json_object_get(key, "verdict")),
			    "inconclusive");
	json_decref(rows);
	json_decref(base);
	for (int i = 0; i < 3; i++)
		json_decref(news[i]);
}

static void rows_that_do_not_match(void **state)
{
	json_t *base = bandwidth(100, 1), *is = bandwidth(90, 1), *rows;
	unsigned int unmatched;

	(void)state;
	json_object_set_new(json_array_get(json_object_get(is, "results"), 0),
			    "qps", json_integer(2));
	rows = rb_compare_rows(base, &is, 1, 2, &unmatched);
	assert_int_equal(json_array_size(rows), 0);
	assert_int_equal(unmatched, 2);
	json_decref(rows);
	json_decref(base);
	json_decref(is);
}

static void what_is_refused(void **state)
{
	static const struct { const char *text, *why; } rows[] = {
		{ "{}", "not a document" },
		{ "[]", "not a document" },
		{ "{\"schema\": \"rbench/1\", \"command\": \"w\\u001b[2J\", \"status\": \"ok\"}", "not a document" },
		{ "{\"schema\": \"rbench/1\", \"command\": \"w\", \"status\": \"failed\"}", "(status 'failed')" },
		{ "{\"schema\": \"rbench/1\", \"command\": \"w\", \"status\": \"interrupted\"}", "not measured to its end" },
		{ "{\"schema\": \"rbench/1\", \"command\": \"devices\", \"status\": \"ok\"}", "no results" },
	};
	json_t *one = bandwidth(1, 1), *other = latency(1, 1, 1);
	char why[RB_COMPARE_WHY];

	(void)state;
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		json_t *doc = json_loads(rows[i].text, 0, NULL);

		assert_int_not_equal(rb_compare_admit(doc, why), 0);
		assert_non_null(strstr(why, rows[i].why));
		json_decref(doc);
	}
	assert_int_equal(rb_compare_admit(one, why), 0);
	assert_int_equal(rb_compare_match(one, one, why), 0);
	assert_int_not_equal(rb_compare_match(one, other, why), 0);
	assert_non_null(strstr(why, "of 'write_lat', the base of 'write_bw'"));
	json_decref(one);
	json_decref(other);
}

static void few_values(void **state)
{
	double v[] = { 4, 1, 3, 2 };

	(void)state;
	rb_stats_sort(v, 4);
	assert_true(fabs(rb_stats_median(v, 4) - 2.5) < 1e-12);
	assert_true(fabs(rb_stats_median(v, 3) - 2) < 1e-12);
	assert_true(fabs(rb_stats_stddev(v, 4) - sqrt(5.0 / 3)) < 1e-12);
	/* t of 3 degrees of freedom is 3.182 */
	assert_true(fabs(rb_stats_half95(2, 4) - 3.182) < 1e-12);
	assert_true(isinf(rb_stats_half95(2, 1)));
	assert_true(isnan(rb_stats_median(v, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),
		cmocka_unit_test(less_latency_is_better),
		cmocka_unit_test(noise_of_known_distributions),
		cmocka_unit_test(several_count_by_their_median),
		cmocka_unit_test(rows_that_do_not_match),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(few_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
