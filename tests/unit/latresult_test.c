/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * latresult_test - the row halves round trips, and leaves out what is not known
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/hist.h"
#include "run/latresult.h"

static struct rb_lat_result row_of(uint64_t samples, bool half)
{
	struct rb_hist *h = rb_hist_create();
	struct rb_lat_result r;

	for (uint64_t i = 1; i <= samples; i++)
		rb_hist_record(h, i);
	rb_lat_result_init(&r, 8, half);
	rb_lat_result_hist(&r, h, 1);
	rb_hist_destroy(h);
	return r;
}

static void a_completion_is_reported_whole(void **state)
{
	struct rb_lat_result r = row_of(1000, false);

	(void)state;
	assert_string_equal(r.kind, "completion");
	assert_int_equal(r.ns.count, 1000);
	assert_true(r.ns.min == 1 && r.ns.max == 1000);
	assert_true(r.ns.p50 == 500 && r.ns.p90 == 900 && r.ns.p99 == 990);
	assert_true(fabs(r.ns.mean - 500.5) < 1e-9);
}

static void a_round_trip_is_halved(void **state)
{
	struct rb_lat_result whole = row_of(1000, false);
	struct rb_lat_result r = row_of(1000, true);

	(void)state;
	assert_string_equal(r.kind, "half_round_trip");
	assert_true(r.ns.min == 0.5 && r.ns.max == 500 && r.ns.p50 == 250);
	assert_true(fabs(r.ns.stddev - whole.ns.stddev / 2) < 1e-9);
	assert_true(fabs(r.ns.mean - whole.ns.mean / 2) < 1e-9);
}

static void a_percentile_needs_its_samples(void **state)
{
	struct rb_lat_result one = row_of(1, false), most = row_of(999, false),
			     all = row_of(10000, false);

	(void)state;
	assert_true(one.ns.p50 == 1 && one.ns.stddev == 0);
	assert_true(isnan(one.ns.p90) && isnan(one.ns.p99));
	assert_true(isfinite(most.ns.p99) && isnan(most.ns.p99_9));
	assert_true(isfinite(all.ns.p99_9) && isfinite(all.ns.p99_99));
}

static void by_the_device_half_the_way_and_the_whole_delay(void **state)
{
	struct rb_hist *way = rb_hist_create(), *delay = rb_hist_create();
	struct rb_lat_result half, whole;

	(void)state;
	rb_hist_record(way, 600);
	rb_hist_record(delay, 40);
	rb_lat_result_init(&half, 8, true);
	rb_lat_result_init(&whole, 8, false);
	assert_true(half.hw.count == RB_ABSENT && half.hw_clock.outside == RB_ABSENT);
	rb_lat_result_hw(&half, way, delay, 10);
	rb_lat_result_hw(&whole, way, delay, 10);
	assert_true(half.hw.max == 3000 && half.hw_delay.max == 400);
	assert_true(whole.hw.max == 6000 && whole.hw_delay.max == 400);
	rb_hist_destroy(way);
	rb_hist_destroy(delay);
}

/* Each of the eight tables has the parts that it is asked for, and no other. */
static void rows_have_their_parts(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct rb_lat_parts parts = { i & 1, i & 2, i & 4 };
		const struct rb_fields *f = rb_lat_result_fields(parts);
		bool rated = false, loaded = false, stamped = false, cpu = false;

		for (size_t k = 0; k < f->n; k++) {
			rated |= !strcmp(f->rows[k].key, "response_ns.p50");
			loaded |= !strcmp(f->rows[k].key, "background.bits_per_s");
			stamped |= !strcmp(f->rows[k].key, "hw_latency_ns.p50");
			cpu |= !strcmp(f->rows[k].key, "cpu.peer.utilisation");
		}
		assert_true(rated == parts.rated && loaded == parts.loaded);
		assert_true(stamped == parts.stamped && cpu);
	}
}

static void without_samples_all_is_absent(void **state)
{
	struct rb_lat_result r = row_of(0, true);
	json_t *o = rb_fields_json(rb_lat_result_fields((struct rb_lat_parts){ 0 }), &r);

	(void)state;
	assert_null(json_object_get(o, "latency_ns"));
	assert_non_null(json_object_get(o, "latency"));
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_completion_is_reported_whole),
		cmocka_unit_test(a_round_trip_is_halved),
		cmocka_unit_test(a_percentile_needs_its_samples),
		cmocka_unit_test(by_the_device_half_the_way_and_the_whole_delay),
		cmocka_unit_test(rows_have_their_parts),
		cmocka_unit_test(without_samples_all_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
