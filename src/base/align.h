/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * align - a moment of another clock told by this host's, both having been read
 * together
 *
 * The other clock has a rate of its own, which is known about (nominal), drifts,
 * and shows only the lower bits of its count (mask). A pair of readings bounds a
 * span; between them the clocks are taken to go evenly, so that what is told is
 * off by no more than the readings at the span's ends, however the rates change
 * from one span to the next:
 *
 *     host   ----a--------------------------b----   a, b: read together, each known
 *     other  ----a----------------s---------b----         to half the time it took
 *
 * Of a stamp s it is known when it was seen, and that it is older: so it can be
 * told even when the count begins anew between it and the reading. That holds
 * while it is seen within three quarters of a round of the count, and a span is
 * short enough that drift makes less than half a round (rb_align_longest()).
 */
#ifndef RB_ALIGN_H
#define RB_ALIGN_H

#include <stdint.h>

/* Both clocks at one moment. */
struct rb_moment {
	uint64_t host;	/* ticks of this host's clock (clock.h) */
	uint64_t half;	/* the other one was read at host +- half */
	uint64_t other; /* what it showed */
};

struct rb_align {
	uint64_t mask;	/* of the other clock's bits: 2^n - 1 */
	double nominal; /* its ticks in one of the host's, as it is said to have */
	struct rb_moment first, last;
	double elapsed; /* its ticks from the first moment to the last */
	uint64_t half;	/* the worst of all readings */
	/* the span that ended last */
	struct rb_moment from;
	double slope; /* its ticks in one of the host's */
};

/* Begin with a reading. @mask is 2^n - 1, @nominal above 0. */
void rb_align_begin(struct rb_align *a, uint64_t mask, double nominal,
		    const struct rb_moment *first);

/* End a span, which began with the reading before. */
void rb_align_end_span(struct rb_align *a, const struct rb_moment *next);

/*
 * Of a stamp that was seen at @seen, in or near the span that ended last: host
 * ticks from the stamp to @seen. Below 0: by the clocks it was seen before.
 */
double rb_align_age(const struct rb_align *a, uint64_t stamp, uint64_t seen);

/*
 * From the first reading to the last: by how many millionths the other clock
 * went faster than nominal, and in *@error by how many that may be wrong for the
 * readings' sake. NaN before a span has ended.
 */
double rb_align_ppm(const struct rb_align *a, double *error);

/* The longest span, in host ticks, with a clock that is off by some percent. */
uint64_t rb_align_longest(uint64_t mask, double nominal);

#endif
