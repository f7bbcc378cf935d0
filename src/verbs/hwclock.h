/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hwclock - the device's clock, by which it stamps completions
 *
 * ibv_query_device_ex(3): completion_timestamp_mask and hca_core_clock;
 * ibv_query_rt_values_ex(3): what it shows now. A CQ whose completions carry its
 * time is made by rb_cq_create() with opts->stamped.
 */
#ifndef RB_HWCLOCK_H
#define RB_HWCLOCK_H

#include <infiniband/verbs.h>
#include <stdint.h>

struct rb_clock;
struct rb_dev;
struct rb_moment;

struct rb_hwclock {
	struct ibv_context *ctx; /* borrowed, as the name is */
	const char *device;
	uint64_t mask; /* of its bits: 2^n - 1 */
	double hz;     /* that it reports */
};

/*
 * 0, or a negative errno (reported): -EOPNOTSUPP where the device stamps nothing,
 * or has no clock that can be read (TRANSPORT); DEVICE_QUERY, HW_CLOCK if asking
 * it failed.
 */
int rb_hwclock_open(const struct rb_dev *dev, struct rb_hwclock *hw);

/*
 * Both clocks at one moment: the tightest of some readings. 0 or a negative errno
 * (not reported). Takes some microseconds.
 */
int rb_hwclock_read(const struct rb_hwclock *hw, const struct rb_clock *clock,
		    struct rb_moment *moment);

/* Report that it could not be read; returns @err. */
int rb_hwclock_failed(const struct rb_hwclock *hw, int err);

/* Report that the device has no stamps, for @cause; -EOPNOTSUPP. */
int rb_hwclock_none(const char *device, const char *cause);

#endif
