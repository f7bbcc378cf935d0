/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * repeat_test - what several runs say together, and the text form of a histogram
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hist.h"
#include "base/metric.h"
#include "run/repeat.h"
#include "run/result.h"

static const char key[] = "bandwidth.bits_per_s";

static json_t *rows_of(const double *rates, size_t n)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(rows,
				      json_pack("{s:{s:f}}", "bandwidth",
						"bits_per_s", rates[i]));
	return rows;
}

static double metric(const json_t *repeats, const char *name)
{
	const json_t *all = json_object_get(repeats, "metrics");

	return json_number_value(
		json_object_get(json_object_get(all, key), name));
}

static void median_and_interval(void **state)
{
	const double rates[] = { 10, 14, 11, 12, 13 };
	json_t *rows = rows_of(rates, 5), *r;
	size_t median;
	double half;

	(void)state;
	r = rb_repeat_judge(rows, &rb_bw_fields, key, &median);
	assert_int_equal(median, 3);
	assert_int_equal(json_integer_value(json_object_get(r, "count")), 5);
	assert_true(fabs(metric(r, "median") - 12) < 1e-12);
	assert_true(fabs(metric(r, "stddev") - sqrt(2.5)) < 1e-12);
	/* t of 4 degrees of freedom is 2.776 */
	half = (metric(r, "ci95_high") - metric(r, "ci95_low")) / 2;
	assert_true(fabs(half - 2.776 * sqrt(2.5 / 5)) < 1e-9);
	assert_true(fabs(json_number_value(json_object_get(r, "cv_percent")) -
			 100 * sqrt(2.5) / 12) < 1e-9);
	json_decref(r);
	json_decref(rows);
}

static void the_lower_of_two_in_the_middle(void **state)
{
	const double rates[] = { 9, 3, 5, 7 };
	json_t *rows = rows_of(rates, 4);
	size_t median;

	(void)state;
	json_decref(rb_repeat_judge(rows, &rb_bw_fields, key, &median));
	assert_int_equal(median, 2);
	/* a run without a result: nothing is said of the others */
	json_array_append_new(rows, json_object());
	assert_null(rb_repeat_judge(rows, &rb_bw_fields, key, &median));
	json_decref(rows);
}

static void text_form(void **state)
{
	struct rb_hist *h = rb_hist_create(), *part = rb_hist_create();
	const char *moments;
	double mean, stddev;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		rb_hist_record(i % 2 ? h : part, 1000 * i);
	rb_hist_merge(h, part);
	rb_hist_write(h, 1e-3, out);
	fclose(out);
	assert_non_null(strstr(text, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"));
	assert_non_null(strstr(text, "0.500000000000"));
	assert_non_null(strstr(text, "    1000.000 1.000000000000       1000\n"));
	moments = strstr(text, "#[Mean ");
	assert_non_null(moments);
	assert_int_equal(sscanf(moments, "#[Mean = %lf, StdDeviation = %lf]",
				&mean, &stddev), 2);
	assert_true(fabs(mean - 500.5) < 0.001);
	/* of the buckets' middles: three digits */
	assert_true(fabs(stddev - 288.819) < 0.288);
	assert_non_null(strstr(text, "#[Max     =     1000.000, Total count    =         1000]\n"));
	assert_null(strstr(text, "inf"));
	free(text);
	rb_hist_destroy(h);
	rb_hist_destroy(part);
}

static void a_log_has_the_first_samples(void **state)
{
	struct rb_hist *h = rb_hist_create();
	uint64_t log[3] = { 0, 0, 0 };

	(void)state;
	rb_hist_log(h, log, 2);
	for (uint64_t i = 5; i < 9; i++)
		rb_hist_record(h, i);
	assert_int_equal(h->logged, 2);
	assert_int_equal(rb_hist_count(h), 4);
	assert_true(log[0] == 5 && log[1] == 6 && log[2] == 0);
	rb_hist_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_and_interval),
		cmocka_unit_test(the_lower_of_two_in_the_middle),
		cmocka_unit_test(text_form),
		cmocka_unit_test(a_log_has_the_first_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
