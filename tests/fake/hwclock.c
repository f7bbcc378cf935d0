/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hwclock - the devices' clock: what it shows at a moment of CLOCK_MONOTONIC
 *
 * It reports hw_clock= kHz, runs hw_clock_ppm= millionths faster than that, began
 * with hw_clock_start= and has hw_clock_bits= bits.
 */

#include "fake.h"
#include "plan.h"

#define PER_MILLION 1000000

uint64_t hwclock_mask(void)
{
	const struct plan_device *d = &plan_get()->dev;

	if (!d->hw_clock)
		return 0;
	return d->hw_clock_bits >= 64 ? UINT64_MAX :
					(1ull << d->hw_clock_bits) - 1;
}

uint64_t hwclock_at(uint64_t ns)
{
	const struct plan_device *d = &plan_get()->dev;
	uint64_t ppm = (uint64_t)(PER_MILLION + d->hw_clock_ppm);
	/* kHz are ticks in 10^6 ns */
	unsigned __int128 ticks = (unsigned __int128)ns * d->hw_clock * ppm /
				  PER_MILLION / 1000000;

	return ((uint64_t)ticks + d->hw_clock_start) & hwclock_mask();
}

uint64_t hwclock_stamp(uint64_t ns)
{
	return hwclock_at(ns + (uint64_t)plan_get()->dev.hw_stamp_ns);
}
