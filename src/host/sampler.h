/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sampler - all counters of a snapshot, read twice
 *
 * The first reading is before the rest of the snapshot is taken, so that most
 * of the time between the two costs nothing.
 */
#ifndef RB_SAMPLER_H
#define RB_SAMPLER_H

#include <stdint.h>

#include "host/place.h"

struct rb_intr;
struct rb_sampler;

/*
 * Read the counters of the devices, their ports, the netdevs and the PCI
 * functions that @doc has: NULL only without memory.
 */
struct rb_sampler *rb_sampler_start(const struct rb_place *doc);

/*
 * Wait until @interval_ns have passed since then, or a signal comes (@intr may
 * be NULL), read again, and put "counters" into the document. Frees the sampler.
 */
void rb_sampler_finish(struct rb_sampler *sampler, const struct rb_place *doc,
		       uint64_t interval_ns, struct rb_intr *intr);

#endif
