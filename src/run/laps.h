/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * laps - what a run shows while it runs: one interval after the other
 *
 * Each lane ends its laps by itself, at a look of its own loop (window.h), and
 * hands each over: messages, beginning and end, and of a latency the histogram.
 * When all lanes have handed one over, a thread of its own makes a row of them,
 * writes it, and forgets it; the loop neither waits nor formats.
 *
 * No message falls between two rows: a lap begins where the one before ended,
 * with the count at that look; and what the last look found is a row too, so that
 * the rows of a run add up to its result. Where nobody reads what is written, or
 * one lane was held up, a lap that cannot be handed over goes on until the next
 * edge: rows become longer, and memory stays as it is.
 */
#ifndef RB_LAPS_H
#define RB_LAPS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rb_context;
struct rb_hist;
struct rb_lane;
struct rb_window_plan;

/* Of one lane. */
struct rb_lap {
	atomic_bool full; /* handed over, and not taken yet */
	/* what is handed over; times in ticks */
	uint64_t from, to, messages;
	/* the lane's */
	uint64_t mark, mark_count; /* where the present one began; 0: the window */
	struct rb_hist *hist[2];   /* the lane's, and the one it handed over */
	unsigned int now;	   /* which of them is the lane's */
};

/* Of a run; in rb_context. */
struct rb_laps {
	pthread_t thread;
	sem_t wake;
	atomic_bool leave;
	atomic_uint there;	/* lanes that have handed over */
	bool latency;		/* rows have latencies */
	uint64_t origin;	/* the window's beginning, in ticks; 0: no row yet */
	unsigned int events;	/* told so far */
	struct rb_hist *hist;	/* of the row that is being made */
};

/* Does anybody want to see intervals of this run? */
bool rb_laps_wanted(const struct rb_context *ctx);

/*
 * Have @plan end laps and tell them, where they are wanted. Of a latency the
 * lanes' histograms take in what rows have shown, and are whole after
 * rb_laps_finish. 0 or -ENOMEM (reported).
 */
int rb_laps_plan(struct rb_context *ctx, struct rb_window_plan *plan);

/* Where the lane's loop records samples. */
struct rb_hist *rb_laps_hist(const struct rb_lane *lane);

/* Start the thread, and end it. 0 or a negative errno (reported). */
int rb_laps_start(struct rb_context *ctx);
void rb_laps_stop(struct rb_context *ctx);

/* After that, all windows being closed: tell what was not told yet. */
void rb_laps_finish(struct rb_context *ctx);

void rb_laps_free(struct rb_laps *laps);

#endif
