/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * window_test - counts past 2^32 are counted, in the window and in its rate
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/window.h"

#define MANY (5ull << 32) /* 21 thousand million */

static const struct rb_clock ns_clock = { .mult = 1, .alarm = 1 };

static void a_window_counts_past_32_bits(void **state)
{
	const struct rb_window_plan plan = { .interval_ns = 1, .stall_ns = RB_NS_PER_S };
	static struct rb_window w;
	atomic_int stop = 0;

	(void)state;
	rb_window_start(&w, &ns_clock, &stop, &plan);
	assert_false(rb_window_tick(&w, MANY));
	assert_false(rb_window_tick(&w, 2 * MANY + 7));
	rb_window_close(&w, 3 * MANY);
	assert_true(w.to_count - w.from_count == 3 * MANY);
	assert_true(fabs(rb_window_rate(&w) * (double)(w.to - w.from) / 1e9 -
			 3.0 * (double)MANY) < 1e-3 * (double)MANY);
	/* what the intervals saw is the same */
	assert_true(w.n > 0 && w.rate[0] * (double)RB_NS_PER_S > 1);
}

static void a_stop_ends_it_whatever_the_count(void **state)
{
	const struct rb_window_plan plan = { .duration_ns = RB_NS_PER_S,
					     .interval_ns = RB_NS_PER_S,
					     .stall_ns = RB_NS_PER_S };
	static struct rb_window w;
	atomic_int stop = 1;

	(void)state;
	rb_window_start(&w, &ns_clock, &stop, &plan);
	assert_true(rb_window_tick(&w, UINT64_MAX));
	assert_true(w.to_count == UINT64_MAX);
}

struct laps {
	unsigned int n;
	uint64_t to[8], count[8];
};

static void note_lap(void *arg, uint64_t now, uint64_t count)
{
	struct laps *laps = arg;

	laps->to[laps->n] = now;
	laps->count[laps->n++] = count;
}

/* Wait until the clock shows @ns. */
static void wait_until(uint64_t ns)
{
	while (rb_clock_now(&ns_clock) < ns)
		;
}

static void laps_do_not_drift_and_missed_ones_are_one(void **state)
{
	/* more than a busy machine keeps a process from running */
	const uint64_t length = 100 * RB_NS_PER_MS;
	struct laps laps = { 0 };
	const struct rb_window_plan plan = { .interval_ns = RB_NS_PER_S,
					     .stall_ns = RB_NS_PER_S,
					     .lap_ns = length,
					     .lap = note_lap,
					     .arg = &laps };
	static struct rb_window w;
	atomic_int stop = 0;

	(void)state;
	rb_window_start(&w, &ns_clock, &stop, &plan);
	assert_false(rb_window_tick(&w, 1));
	assert_int_equal(laps.n, 0);
	/* half a lap late: the next edge is where it was planned */
	wait_until(w.from + length + length / 2);
	assert_false(rb_window_tick(&w, 10));
	assert_true(w.lap_end > laps.to[0]);
	assert_true((w.lap_end - w.from) % length == 0);
	/* three edges missed: one lap, with all that came */
	wait_until(w.from + 5 * length + length / 2);
	assert_false(rb_window_tick(&w, 70));
	assert_int_equal(laps.n, 2);
	assert_true(laps.count[0] == 10 && laps.count[1] == 70);
	assert_true((w.lap_end - w.from) % length == 0 && w.lap_end > laps.to[1]);
	assert_true(w.due <= w.lap_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_counts_past_32_bits),
		cmocka_unit_test(a_stop_ends_it_whatever_the_count),
		cmocka_unit_test(laps_do_not_drift_and_missed_ones_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
