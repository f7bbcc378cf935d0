/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hist - latency histogram of fixed memory
 *
 * Log-linear: each power of two is cut into 1024 equal parts, so that a value
 * is known to better than 0.1 % (three significant digits) whatever its size,
 * from 1 to 2^63. That is how a double is made (IEEE 754 binary64): a bucket's
 * number is the value's exponent and the upper ten bits of its fraction. Maximum,
 * sum and sum of squares are kept exactly, so mean and deviation are those of the
 * samples; no sample is dropped. Recording neither allocates,
 * divides nor branches on the value. Histograms are merged by adding them.
 */
#ifndef RB_HIST_H
#define RB_HIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define RB_HIST_BITS 10 /* of the fraction's 52 */
#define RB_HIST_BUCKETS (64u << RB_HIST_BITS)
#define RB_HIST_FIRST (1023u << RB_HIST_BITS) /* the exponent of 1 */

struct rb_hist {
	uint64_t sum, max;
	uint64_t brief; /* sum of squares that is to be added to squares */
	unsigned __int128 squares; /* their sum */
	uint64_t notable; /* larger values are looked at: see rb_hist_note() */
	uint64_t *log;	  /* borrowed; see rb_hist_log() */
	size_t logged, room;
	uint64_t buckets[RB_HIST_BUCKETS]; /* at rb_hist_place() */
};

/* An empty histogram on the heap (512 KiB); NULL without memory. */
struct rb_hist *rb_hist_create(void);
void rb_hist_destroy(struct rb_hist *h);
void rb_hist_clear(struct rb_hist *h); /* its log begins anew */

/* Keep the first @room samples as they are in @log too, which the caller owns. */
void rb_hist_log(struct rb_hist *h, uint64_t *log, size_t room);

/* @to goes on with the log of @from, which has none then. */
void rb_hist_pass_log(struct rb_hist *from, struct rb_hist *to);

/*
 * Where a value is counted: of 1 to 2^63; whatever the value, it is a place that
 * there is. Buckets are in the order of the values, places begin with another.
 */
RB_INLINE unsigned int rb_hist_place(uint64_t value)
{
	double v = (double)(int64_t)value;
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return (uint32_t)(bits >> (52 - RB_HIST_BITS)) % RB_HIST_BUCKETS;
}

RB_INLINE unsigned int rb_hist_bucket(uint64_t value)
{
	return (rb_hist_place(value) - RB_HIST_FIRST) % RB_HIST_BUCKETS;
}

/* How many samples are in @bucket. */
RB_INLINE uint64_t rb_hist_in(const struct rb_hist *h, unsigned int bucket)
{
	return h->buckets[(bucket + RB_HIST_FIRST) % RB_HIST_BUCKETS];
}

/* A new maximum, or a sample that is to be logged. */
void rb_hist_note(struct rb_hist *h, uint64_t value);

/*
 * For loops: values of which rb_hist_carry() is called before they are 2^32
 * together. The sum of their squares has 64 bits until then.
 */
RB_INLINE void rb_hist_record_brief(struct rb_hist *h, uint64_t value)
{
	h->buckets[rb_hist_place(value)]++;
	h->sum += value;
	if (rb_unlikely(value > h->notable))
		rb_hist_note(h, value);
	h->brief += value * value;
}

static inline void rb_hist_carry(struct rb_hist *h)
{
	h->squares += h->brief;
	h->brief = 0;
}

/* Any value. */
static inline void rb_hist_record(struct rb_hist *h, uint64_t value)
{
	rb_hist_carry(h);
	rb_hist_record_brief(h, value);
	h->brief = 0;
	h->squares += (unsigned __int128)value * value;
}

uint64_t rb_hist_count(const struct rb_hist *h);
void rb_hist_merge(struct rb_hist *into, const struct rb_hist *from);

/*
 * The value that @percent of the samples do not exceed (nearest rank), as the
 * middle of its bucket, never beyond the true maximum. 0 if empty; of 0 percent,
 * the smallest value.
 */
uint64_t rb_hist_percentile(const struct rb_hist *h, double percent);
double rb_hist_mean(const struct rb_hist *h);

/* Of the sample (n - 1). */
double rb_hist_stddev(const struct rb_hist *h);

/* The text form that HdrHistogram's tools read; values are shown times @scale. */
void rb_hist_write(const struct rb_hist *h, double scale, FILE *out);

#endif
