/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_test - ticks against CLOCK_MONOTONIC_RAW, and deadlines
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

#define SPAN_NS (2 * RB_NS_PER_S)
#define TOLERANCE_PPM 50
#define READINGS 16
#define TRIES 3 /* another process may take the CPU between all readings */

/* One moment by both clocks. */
struct moment {
	uint64_t ns, ticks;
};

/* The tightest of some readings: the two clocks are read one after the other. */
static struct moment now_by_both(const struct rb_clock *clock)
{
	struct moment best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = rb_now_ns();
		uint64_t ticks = rb_clock_now(clock);
		uint64_t width = rb_now_ns() - before;

		if (width >= least)
			continue;
		least = width;
		best = (struct moment){ before + width / 2, ticks };
	}
	return best;
}

/* The clock's relative error over a span, in millionths. */
static double measure_error_ppm(const struct rb_clock *clock)
{
	struct moment from = now_by_both(clock), to;
	double true_ns, clock_ns;

	while (rb_now_ns() - from.ns < SPAN_NS)
		sched_yield();
	to = now_by_both(clock);
	true_ns = (double)(to.ns - from.ns);
	clock_ns = (double)rb_clock_ns(clock, to.ticks - from.ticks);
	return (clock_ns - true_ns) / true_ns * 1e6;
}

static void check_clock(const struct rb_clock *clock)
{
	double error = 0;

	for (int i = 0; i < TRIES; i++) {
		error = measure_error_ppm(clock);
		if (error > -TOLERANCE_PPM && error < TOLERANCE_PPM)
			return;
	}
	fail_msg("off by %.1f ppm (bound: %.1f)", error, clock->error_ppm);
}

static void the_calibrated_clock_keeps_time(void **state)
{
	struct rb_clock clock;

	unsetenv("RBENCH_CLOCK");
	rb_clock_init(&clock);
	assert_true(clock.error_ppm >= 0);
	assert_true(clock.error_ppm < 10000);
	check_clock(&clock);
}

static void the_system_clock_can_be_forced(void **state)
{
	struct rb_clock clock;
	uint64_t ticks;
	uint32_t part;

	setenv("RBENCH_CLOCK", "system", 1);
	rb_clock_init(&clock);
	assert_false(clock.counter);
	assert_string_equal(rb_clock_source(&clock), "monotonic_raw");
	assert_int_equal(rb_clock_ns(&clock, 12345), 12345);
	assert_int_equal(rb_clock_ticks(&clock, 12345), 12345);
	rb_clock_gap(&clock, 3, &ticks, &part);
	assert_int_equal(ticks, 333333333);
	assert_in_range(part, 0x55550000, 0x5555ffff); /* a third */
	check_clock(&clock);
	unsetenv("RBENCH_CLOCK");
}

/* Of a counter of 2 GHz, 4 ms apart. */
static const struct rb_clock_pair early = { 1000, 5000, 100 };
static const struct rb_clock_pair late = { 4001000, 8005000, 100 };

static void the_kernel_has_the_first_word_on_a_counter(void **state)
{
	static const struct {
		const char *current, *available;
		bool invariant, trusted;
	} rows[] = {
		{ "tsc\n", "tsc hpet acpi_pm \n", true, true },
		/* a guest whose CPUID hides what its kernel has seen */
		{ "tsc\n", "tsc kvm-clock \n", false, true },
		/* taken out, since it was not steady */
		{ "hpet\n", "hpet acpi_pm \n", true, false },
		{ "kvm-clock\n", "kvm-clock acpi_pm \n", true, false },
		/* somebody chose another clock */
		{ "hpet\n", "tsc hpet acpi_pm \n", true, true },
		{ "kvm-clock\n", "kvm-clock tsc \n", true, true },
		{ "kvm-clock\n", "kvm-clock tsc \n", false, false },
		/* not while it is being tried */
		{ "tsc-early\n", "tsc-early hpet \n", true, false },
		{ "hyperv_clocksource_tsc_page\n",
		  "hyperv_clocksource_tsc_page acpi_pm \n", true, false },
		/* nothing is known */
		{ "", "", true, true },
		{ "", "", false, false },
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rb_clock_trusts(rows[i].current, rows[i].available,
				    rows[i].invariant) != rows[i].trusted)
			fail_msg("row %zu", i);
}

static void a_counter_is_fitted_to_two_moments(void **state)
{
	struct rb_clock clock;

	rb_clock_fit(&clock, true, &early, &late);
	assert_true(clock.counter && clock.alarm == 1);
	assert_int_equal(rb_clock_ns(&clock, 2 * RB_NS_PER_S), RB_NS_PER_S);
	/* 100 of 8000000 ticks are unsure */
	assert_true(clock.error_ppm > 12 && clock.error_ppm < 13);
}

/* What a counter that cannot be relied on leads to. */
static void fall_back(bool invariant, const struct rb_clock_pair *last,
		      double alarm)
{
	uint64_t before = rb_now_ns(), now;
	struct rb_clock clock;

	rb_clock_fit(&clock, invariant, &early, last);
	assert_false(clock.counter);
	assert_string_equal(rb_clock_source(&clock), "monotonic_raw");
	assert_true(clock.alarm == alarm);
	assert_int_equal(rb_clock_ns(&clock, 12345), 12345);
	now = rb_clock_now(&clock);
	assert_in_range(now, before, rb_now_ns());
}

static void a_counter_that_changes_its_pace_is_an_alarm_only(void **state)
{
	fall_back(false, &late, 2);
}

static void a_counter_that_stands_or_goes_back_is_not_used(void **state)
{
	const struct rb_clock_pair stands = { late.ns, early.ticks, 100 };
	const struct rb_clock_pair back = { late.ns, early.ticks - 1, 100 };
	/* a machine that took the CPU away between all readings */
	const struct rb_clock_pair unsure = { late.ns, late.ticks, 8000000 };

	fall_back(true, &stands, 1);
	fall_back(true, &back, 1);
	fall_back(true, &unsure, 2);
}

static void ticks_and_nanoseconds_are_inverse(void **state)
{
	static const uint64_t spans[] = { 1000, RB_NS_PER_S, 3600 * RB_NS_PER_S,
					  365 * 86400 * RB_NS_PER_S };
	struct rb_clock clock;

	rb_clock_init(&clock);
	for (size_t i = 0; i < RB_ARRAY_SIZE(spans); i++) {
		uint64_t back =
			rb_clock_ns(&clock, rb_clock_ticks(&clock, spans[i]));

		/* a tick's length may be lost, never more */
		assert_in_range(spans[i] - back, 0, 10);
	}
}

static void time_never_goes_back(void **state)
{
	struct rb_clock clock;
	uint64_t before;

	rb_clock_init(&clock);
	before = rb_clock_now(&clock);
	for (int i = 0; i < 100000; i++) {
		uint64_t now = rb_clock_now(&clock);

		assert_true(now >= before);
		before = now;
	}
}

static void deadlines_round_up_and_end(void **state)
{
	uint64_t now = rb_now_ns();

	assert_int_equal(rb_deadline_ms(now), 0);
	assert_int_equal(rb_deadline_ms(0), 0);
	assert_in_range(rb_deadline_ms(rb_deadline(RB_NS_PER_S)), 900, 1000);
	assert_int_equal(rb_deadline_ms(rb_now_ns() + 100 * RB_NS_PER_US), 1);
	assert_int_equal(rb_deadline(UINT64_MAX), UINT64_MAX);
	assert_int_equal(rb_deadline_ms(UINT64_MAX), INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_calibrated_clock_keeps_time),
		cmocka_unit_test(the_system_clock_can_be_forced),
		cmocka_unit_test(the_kernel_has_the_first_word_on_a_counter),
		cmocka_unit_test(a_counter_is_fitted_to_two_moments),
		cmocka_unit_test(a_counter_that_changes_its_pace_is_an_alarm_only),
		cmocka_unit_test(a_counter_that_stands_or_goes_back_is_not_used),
		cmocka_unit_test(ticks_and_nanoseconds_are_inverse),
		cmocka_unit_test(time_never_goes_back),
		cmocka_unit_test(deadlines_round_up_and_end),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
