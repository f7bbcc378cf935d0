/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counters - what a port, its hardware counters and its netdev counted
 *
 * Names are "port.NAME" (sysfs .../ports/P/counters), "hw.NAME"
 * (.../ports/P/hw_counters), "device.NAME" (the device's own hw_counters, where
 * a driver keeps them per device) and "netdev.NAME"
 * (/sys/class/net/N/statistics). A counter that cannot be read is absent.
 * The kernel may answer from a copy of the hardware counters that is up to
 * hw_counters/lifespan milliseconds old (10 by default).
 */
#ifndef RB_COUNTERS_H
#define RB_COUNTERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct rb_counters;

/*
 * An empty set, and what puts counters into it: one, or every number of the
 * sysfs folder that @fmt names. All take NULL for a set that had no memory;
 * what does not fit in memory is left out.
 */
struct rb_counters *rb_counters_create(void);
void rb_counters_add(struct rb_counters *counters, const char *group,
		     const char *name, uint64_t value);
void rb_counters_add_folder(struct rb_counters *counters, const char *group,
			    const char *fmt, ...) RB_PRINTF(3, 4);

/* Read all counters now; @netdev may be "". NULL only without memory. */
struct rb_counters *rb_counters_read(const char *device, unsigned int port,
				     const char *netdev);
void rb_counters_free(struct rb_counters *counters);

/* Whether there is a counter @name ("hw.out_of_buffer"), moved or not. */
bool rb_counters_have(const struct rb_counters *counters, const char *name);

/*
 * { NAME: AFTER - BEFORE, ... } of those that moved; one that went back (it was
 * reset meanwhile) is absent. sysfs's "data" counters of
 * 4-byte units (port_xmit_data, port_rcv_data) stay in their own unit. A new
 * reference; empty when nothing moved or either is NULL.
 */
json_t *rb_counters_delta(const struct rb_counters *before,
			  const struct rb_counters *after);

/* [ NAME, ... ] of those that were there twice and did not move. */
json_t *rb_counters_still(const struct rb_counters *before,
			  const struct rb_counters *after);

/*
 * { interval_ns, values, deltas, reset } of a snapshot: the values of @after,
 * those that moved, and the names of those that went back. A new reference;
 * NULL when @after has none or there is no @before.
 */
json_t *rb_counters_json(struct rb_counters *before, struct rb_counters *after,
			 uint64_t interval_ns);

#endif
