/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hist - latency histogram of fixed memory
 */
#include "base/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rb_hist *rb_hist_create(void)
{
	return calloc(1, sizeof(struct rb_hist));
}

void rb_hist_destroy(struct rb_hist *h)
{
	free(h);
}

void rb_hist_clear(struct rb_hist *h)
{
	uint64_t *log = h->log;
	size_t room = h->room;

	memset(h, 0, sizeof(*h));
	rb_hist_log(h, log, room);
}

void rb_hist_log(struct rb_hist *h, uint64_t *log, size_t room)
{
	h->log = log;
	h->logged = 0;
	h->room = room;
	h->notable = room ? 0 : h->max;
}

void rb_hist_pass_log(struct rb_hist *from, struct rb_hist *to)
{
	size_t logged = from->logged;

	rb_hist_log(to, from->log, from->room);
	to->logged = logged;
	to->notable = logged < to->room ? 0 : to->max;
	rb_hist_log(from, NULL, 0);
}

void rb_hist_note(struct rb_hist *h, uint64_t value)
{
	h->max = RB_MAX(h->max, value);
	if (h->logged < h->room)
		h->log[h->logged++] = value;
	h->notable = h->logged < h->room ? 0 : h->max;
}

void rb_hist_merge(struct rb_hist *into, const struct rb_hist *from)
{
	for (unsigned int i = 0; i < RB_HIST_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
	into->sum += from->sum;
	into->squares += from->squares + from->brief;
	into->max = RB_MAX(into->max, from->max);
	into->notable = into->logged < into->room ? 0 : into->max;
}

uint64_t rb_hist_count(const struct rb_hist *h)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < RB_HIST_BUCKETS; i++)
		count += rb_hist_in(h, i);
	return count;
}

/* Where bucket @b begins; an integer's own bucket up to 2047. */
static double lower_edge(unsigned int b)
{
	uint64_t bits = (uint64_t)(b + RB_HIST_FIRST) << (52 - RB_HIST_BITS);
	double edge;

	memcpy(&edge, &bits, sizeof(edge));
	return edge;
}

/* The middle of the values that fall into bucket @b. */
static uint64_t middle(unsigned int b)
{
	return (uint64_t)((lower_edge(b) + lower_edge(b + 1)) / 2);
}

uint64_t rb_hist_percentile(const struct rb_hist *h, double percent)
{
	uint64_t count = rb_hist_count(h), seen = 0;
	/* 99.9 % of 1000 is 999, not what 99.9 in binary makes of it */
	double exact = percent * (double)count / 100;
	uint64_t rank = (uint64_t)ceil(exact - exact * 1e-12);

	if (!count)
		return 0;
	if (rank >= count)
		return h->max;
	rank = RB_MAX(rank, 1);
	for (unsigned int i = 0; i < RB_HIST_BUCKETS; i++) {
		seen += rb_hist_in(h, i);
		if (seen >= rank)
			return RB_MIN(middle(i), h->max);
	}
	return h->max;
}

double rb_hist_mean(const struct rb_hist *h)
{
	uint64_t count = rb_hist_count(h);

	return count ? (double)h->sum / (double)count : 0;
}

/*
 * The squares are taken about the mean's whole part: integers all the way, and
 * nothing cancels; only the part that is left needs fractions.
 */
double rb_hist_stddev(const struct rb_hist *h)
{
	uint64_t count = rb_hist_count(h), whole, rest;
	unsigned __int128 about;

	if (count < 2)
		return 0;
	whole = h->sum / count;
	rest = h->sum % count;
	/* modulo 2^128, in which the result fits */
	about = h->squares + h->brief - (unsigned __int128)whole * 2 * h->sum +
		(unsigned __int128)whole * whole * count;
	return sqrt(((double)about - (double)rest * ((double)rest / (double)count)) /
		    (double)(count - 1));
}
