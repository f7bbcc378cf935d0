/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hwclock - the device's clock, by which it stamps completions
 */
#include "verbs/hwclock.h"

#include <errno.h>
#include <stdlib.h>

#include "base/align.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "verbs/dev.h"

/*
 * A reading crosses the bus and back, once or some times (mlx5 reads two halves
 * of a register): most of these are not disturbed.
 */
#define READINGS 8
#define HZ_PER_KHZ 1e3
#define SHORTEST_ROUND_S 10e-3 /* a poll that is later than that is not rare */

int rb_hwclock_none(const char *device, const char *cause)
{
	return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP, cause,
			    "leave out --hw-clock; 'rbench devices --json' shows completion_timestamps of each device",
			    "'%s' does not stamp completions", device);
}

int rb_hwclock_failed(const struct rb_hwclock *hw, int err)
{
	if (err == -EOPNOTSUPP || err == -ENOSYS)
		return rb_hwclock_none(hw->device,
				       "its clock cannot be read: its provider in this libibverbs, or its driver, has no ibv_query_rt_values_ex");
	return rb_fail(RB_FAULT_HW_CLOCK, err, "cannot read the clock of '%s'",
		       hw->device);
}

/* What it shows, whichever way the provider puts ticks into a struct timespec. */
static int read_device(const struct rb_hwclock *hw, uint64_t *ticks)
{
	struct ibv_values_ex v = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	int err = ibv_query_rt_values_ex(hw->ctx, &v);

	if (err)
		return -abs(err); /* providers differ in its sign */
	if (!(v.comp_mask & IBV_VALUES_MASK_RAW_CLOCK))
		return -EOPNOTSUPP;
	/* mlx4, mlx5: ticks in the place of nanoseconds, and no seconds */
	*ticks = (uint64_t)v.raw_clock.tv_sec * RB_NS_PER_S +
		 (uint64_t)v.raw_clock.tv_nsec;
	return 0;
}

int rb_hwclock_read(const struct rb_hwclock *hw, const struct rb_clock *clock,
		    struct rb_moment *moment)
{
	struct rb_moment best = { .half = UINT64_MAX };

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = rb_clock_now(clock), ticks, half;
		int err = read_device(hw, &ticks);

		if (err)
			return err;
		half = (rb_clock_now(clock) - before + 1) / 2;
		if (half < best.half)
			best = (struct rb_moment){ before + half, half, ticks };
	}
	*moment = best;
	return 0;
}

static int check_round(const struct rb_dev *dev, const struct rb_hwclock *hw)
{
	double round_s = ((double)hw->mask + 1) / hw->hz;

	if (round_s >= SHORTEST_ROUND_S)
		return 0;
	return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP,
			    "a stamp that is polled later than that cannot be told from a new one",
			    "leave out --hw-clock",
			    "the stamps of '%s' begin anew every %.3g ms",
			    dev->name, round_s * 1e3);
}

int rb_hwclock_open(const struct rb_dev *dev, struct rb_hwclock *hw)
{
	struct ibv_values_ex v = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex attr = { .comp_mask = 0 };
	int err = rb_traced(ibv_query_device_ex(dev->ctx, NULL, &attr), "%s",
			    dev->name);

	if (err)
		return rb_fail(RB_FAULT_DEVICE_QUERY, -abs(err),
			       "cannot query the features of '%s'", dev->name);
	if (!attr.completion_timestamp_mask)
		return rb_hwclock_none(dev->name,
				       "it reports no clock for it (completion_timestamp_mask of ibv_query_device_ex)");
	if (!attr.hca_core_clock)
		return rb_hwclock_none(dev->name,
				       "it does not report the rate of its clock (hca_core_clock of ibv_query_device_ex)");
	*hw = (struct rb_hwclock){
		.ctx = dev->ctx,
		.device = dev->name,
		.mask = attr.completion_timestamp_mask,
		.hz = (double)attr.hca_core_clock * HZ_PER_KHZ,
	};
	err = check_round(dev, hw);
	if (err)
		return err;
	err = rb_traced(ibv_query_rt_values_ex(dev->ctx, &v), "%s", dev->name);
	return err ? rb_hwclock_failed(hw, -abs(err)) : 0;
}
