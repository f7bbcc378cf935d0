/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock - choose and calibrate the tick source
 */
#include "base/clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/words.h"

#define CALIBRATION_NS (4 * RB_NS_PER_MS)
#define PAIR_TRIES 16
#define MULT_SHIFT 32
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/"

uint64_t rb_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * RB_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static struct rb_clock_pair read_pair(void)
{
	struct rb_clock_pair best = { .width = UINT64_MAX };

	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = rb_clock_counter();
		uint64_t ns = rb_now_ns();
		uint64_t after = rb_clock_counter();

		if (after - before < best.width)
			best = (struct rb_clock_pair){
				ns, before + (after - before) / 2, after - before
			};
	}
	return best;
}

static bool counter_invariant(void)
{
#if defined(__x86_64__)
	const unsigned int invariant_tsc = 1u << 8;
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & invariant_tsc);
#elif defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

static bool has_tsc(const char *words)
{
	return rb_words_have(words, "tsc", strlen("tsc"));
}

bool rb_clock_trusts(const char *current, const char *available, bool invariant)
{
	if (has_tsc(current))
		return true;
	if (*available && !has_tsc(available))
		return false;
	return invariant;
}

static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(line, size, file))
		*line = '\0';
	if (file)
		fclose(file);
}

static bool counter_trusted(void)
{
#if defined(__x86_64__)
	char current[64], available[256];

	read_line(CLOCKSOURCE "current_clocksource", current, sizeof(current));
	read_line(CLOCKSOURCE "available_clocksource", available,
		  sizeof(available));
	return rb_clock_trusts(current, available, counter_invariant());
#else
	return counter_invariant();
#endif
}

void rb_clock_fit(struct rb_clock *clock, bool trusted,
		  const struct rb_clock_pair *a, const struct rb_clock_pair *b)
{
	uint64_t dt = b->ticks - a->ticks, ns = b->ns - a->ns;
	bool moves = b->ticks > a->ticks && ns;

	/* the system's clock; the counter may still serve as an alarm */
	*clock = (struct rb_clock){
		.mult = 1,
		.alarm = moves ? (double)dt / (double)ns : 1,
	};
	if (!moves || !trusted || dt <= a->width + b->width)
		return;
	clock->counter = true;
	clock->alarm = 1;
	clock->shift = MULT_SHIFT;
	clock->mult = (uint64_t)(((unsigned __int128)ns << MULT_SHIFT) / dt);
	clock->error_ppm = (double)(a->width + b->width) / 2 / (double)dt * 1e6;
}

void rb_clock_init(struct rb_clock *clock)
{
	const char *forced = getenv("RBENCH_CLOCK");
	struct rb_clock_pair a = read_pair(), b;

	do
		b = read_pair();
	while (b.ns - a.ns < CALIBRATION_NS);
	rb_clock_fit(clock,
		     counter_trusted() && (!forced || strcmp(forced, "system")),
		     &a, &b);
}

void rb_clock_gap(const struct rb_clock *clock, double per_s, uint64_t *ticks,
		  uint32_t *part)
{
	double gap = (double)rb_clock_ticks(clock, RB_NS_PER_S) / per_s;

	*ticks = (uint64_t)gap;
	*part = (uint32_t)((gap - (double)*ticks) * 0x1p32);
}

const char *rb_clock_source(const struct rb_clock *clock)
{
	if (!clock->counter)
		return "monotonic_raw";
#if defined(__x86_64__)
	return "tsc";
#else
	return "cntvct";
#endif
}

int rb_deadline_ms(uint64_t deadline_ns)
{
	uint64_t now = rb_now_ns();
	uint64_t ms;

	if (deadline_ns <= now)
		return 0;
	ms = (deadline_ns - now + RB_NS_PER_MS - 1) / RB_NS_PER_MS;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}
