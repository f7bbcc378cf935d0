/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock - time in ticks for measured loops, nanoseconds for everything else
 *
 * A tick is a cycle of the CPU's own counter where that counter can be trusted
 * (x86: see rb_clock_trusts(); arm64: the generic timer, whose frequency the
 * architecture fixes), else a nanosecond of CLOCK_MONOTONIC_RAW, which costs some
 * hundred instructions to read, in each sample of a latency. The x86 counter is calibrated against
 * CLOCK_MONOTONIC_RAW: two pairs of readings some milliseconds apart, each
 * pair the tightest of several, so that the error is bounded by the width of
 * the pairs over the distance between them and is known. /proc/cpuinfo has no
 * part in it: it shows a core's momentary frequency, not the counter's.
 */
#ifndef RB_CLOCK_H
#define RB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/base.h"

/*
 * A loop that only wants to know whether it is time to look at the clock reads
 * the counter itself (rb_clock_counter), invariant or not, and compares it with
 * rb_clock_alarm: cheap everywhere, and exact where the clock is then read.
 */
struct rb_clock {
	bool counter;	    /* ticks are the CPU's counter */
	unsigned int shift; /* ns = ticks * mult >> shift */
	uint64_t mult;
	double error_ppm; /* bound of the calibration's relative error */
	double alarm; /* counts of the counter in a tick, about */
};

/* Nanoseconds of CLOCK_MONOTONIC_RAW, from no particular start. */
uint64_t rb_now_ns(void);

/*
 * Choose the source and calibrate it: takes about 4 ms for a counter of
 * unknown frequency. RBENCH_CLOCK=system in the environment forces
 * CLOCK_MONOTONIC_RAW.
 */
void rb_clock_init(struct rb_clock *clock);

/*
 * May the x86 counter be the clock? The kernel compares it with other clocks for
 * as long as it runs (kernel/time/clocksource.c): what it keeps time with itself,
 * "tsc" in @current (current_clocksource in sysfs), is steady and the same on all
 * CPUs, also in a guest whose CPUID does not say so; what it has taken out of
 * @available is not, whatever CPUID says. Where it says neither ("": the file
 * cannot be read; or it keeps time with a hypervisor's clock), the word of CPUID
 * is taken (@invariant: 0x80000007 EDX bit 8, Intel SDM vol. 3 "Invariant TSC").
 */
bool rb_clock_trusts(const char *current, const char *available,
		     bool invariant);

/* One moment by both clocks, and how many ticks the readings were apart. */
struct rb_clock_pair {
	uint64_t ns, ticks, width;
};

/*
 * What rb_clock_init() decides from two moments: the counter if it is @trusted
 * and moved by more than the readings are unsure of, else the system's clock.
 */
void rb_clock_fit(struct rb_clock *clock, bool trusted,
		  const struct rb_clock_pair *a, const struct rb_clock_pair *b);

/* The source's name, for the document: "tsc", "cntvct", "monotonic_raw". */
const char *rb_clock_source(const struct rb_clock *clock);

RB_INLINE uint64_t rb_clock_counter(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return rb_now_ns();
#endif
}

/* The present time in ticks. */
RB_INLINE uint64_t rb_clock_now(const struct rb_clock *clock)
{
	return rb_likely(clock->counter) ? rb_clock_counter() : rb_now_ns();
}

static inline uint64_t rb_clock_ns(const struct rb_clock *clock, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * clock->mult >>
			  clock->shift);
}

/* Nanoseconds of one tick. */
static inline double rb_clock_tick_ns(const struct rb_clock *clock)
{
	return (double)clock->mult / (double)(1ull << clock->shift);
}

static inline uint64_t rb_clock_ticks(const struct rb_clock *clock, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << clock->shift) /
			  clock->mult);
}

/* The time between events of which @per_s are due: ticks, and 2^-32 of a tick. */
void rb_clock_gap(const struct rb_clock *clock, double per_s, uint64_t *ticks,
		  uint32_t *part);

/* What the counter will show in @ticks from now, about. */
static inline uint64_t rb_clock_alarm(const struct rb_clock *clock,
				      uint64_t ticks)
{
	return rb_clock_counter() + (uint64_t)((double)ticks * clock->alarm);
}

/* A point in time (rb_now_ns) by which a wait must have ended. */
static inline uint64_t rb_deadline(uint64_t timeout_ns)
{
	uint64_t now = rb_now_ns();

	return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

/*
 * What is left until @deadline_ns as poll(2) takes it: milliseconds rounded up,
 * 0 when it has passed.
 */
int rb_deadline_ms(uint64_t deadline_ns);

#endif
