/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hwlat - latencies by the device's own time stamps of completions
 *
 *     posted        stamp            seen
 *     |------ hw -----|---- delay ----|
 *     |----------- latency -----------|
 *
 * Posted and seen are the host's time, the stamp is the device's. To tell it by
 * the host's, both clocks are read from time to time (base/align.h): the samples
 * between two readings wait in a block, are told when the later reading is there,
 * and go into two histograms, in host ticks. A block ends when it is full or old,
 * between two exchanges; so memory does not grow, and drift is followed.
 *
 * A stamp has to lie between posting and sight. One that is out of it by less than
 * the readings are unsure of is put to the edge; one that is farther out is that of
 * another clock, or of none: it is counted, and in no histogram.
 */
#ifndef RB_HWLAT_H
#define RB_HWLAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/align.h"
#include "base/base.h"
#include "base/clock.h"
#include "verbs/hwclock.h"

struct rb_context;
struct rb_hist;
struct rb_lat_result;

#define RB_HWLAT_BLOCK 4096u /* 96 KiB; a reading for each costs little */

struct rb_hwlat_sample {
	uint64_t posted, seen, stamp;
};

/* Of one lane. */
struct rb_hwlat {
	const struct rb_hwclock *hw;
	const struct rb_clock *clock;
	struct rb_align align;
	struct rb_hist *hist, *delay; /* host ticks; of whole round trips */
	uint64_t outside; /* stamps that cannot be */
	uint64_t due;	  /* when the block is old, in host ticks */
	int err;	  /* of a reading, which ended it; 0: none */
	bool told;	  /* what its rate is */
	unsigned int n;
	struct rb_hwlat_sample block[RB_HWLAT_BLOCK];
};

/* Is --hw-clock given where there is something to stamp? 0 or -EINVAL (reported). */
int rb_hwlat_check(const struct rb_context *ctx);

/* On the heap; NULL without memory (reported). Both are borrowed. */
struct rb_hwlat *rb_hwlat_create(const struct rb_hwclock *hw,
				 const struct rb_clock *clock);
void rb_hwlat_destroy(struct rb_hwlat *h);

/* What is measured begins here: forget the rest, read both clocks. */
void rb_hwlat_begin(struct rb_hwlat *h);

/* Read both clocks, and tell the samples since the last reading. */
void rb_hwlat_end_block(struct rb_hwlat *h);

/* For the loop: an exchange; times in host ticks. */
RB_INLINE void rb_hwlat_add(struct rb_hwlat *h, uint64_t posted, uint64_t seen,
			    uint64_t stamp)
{
	h->block[h->n++] = (struct rb_hwlat_sample){ posted, seen, stamp };
	if (rb_unlikely(h->n == RB_HWLAT_BLOCK || seen >= h->due))
		rb_hwlat_end_block(h);
}

/*
 * Put what the lanes of @ctx found into the row, once all have ended their blocks,
 * and warn where the clocks disagree. 0, or -errno (reported) if the device's could
 * not be read.
 */
int rb_hwlat_result(struct rb_context *ctx, struct rb_lat_result *r);

#endif
