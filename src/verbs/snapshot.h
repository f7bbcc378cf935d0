/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapshot - the facts of this host in one document (rbench-snapshot(5))
 */
#ifndef RB_SNAPSHOT_H
#define RB_SNAPSHOT_H

#include <jansson.h>
#include <stdint.h>

struct rb_intr;

struct rb_snapshot_opts {
	const char *device;   /* only this one (or the one of this netdev); NULL */
	uint64_t interval_ns; /* between the two readings of counters */
	struct rb_intr *intr; /* a signal ends that time; NULL */
};

/*
 * Take a snapshot. Reads only, needs no privilege, blocks for the interval at
 * least. 0 and sets *@docp (owned by the caller), or -ENODEV (reported:
 * RB_FAULT_NO_DEVICE) when @opts names a device that is not there.
 */
int rb_snapshot_take(const struct rb_snapshot_opts *opts, json_t **docp);

#endif
