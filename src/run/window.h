/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * window - what of a streaming loop is counted, and the intervals in it
 *
 *   start        warm-up over                          end
 *     |--- warm-up ---|--i--|--i--|--i--|  ...  |--i--|-- drain --|
 *                     ^ from                          ^ to
 *
 * The window opens at the first look after the warm-up and is as long as was
 * asked for from then on. The loop calls rb_window_tick when the counter has reached window->next (its
 * only stop rule). The edges are the moments at which the loop looked, not
 * those that were planned, and the count is the one at that look: so the rate
 * is exact whatever the granularity of completions.
 *
 * Several threads have a window each, with the same planned edges; each looks for
 * itself, and nothing is shared while they run (rb_window_merge).
 *
 * Intervals are kept in fixed memory: when it is full, neighbours are joined
 * and the period doubles. Laps are told and forgotten (laps.h): they end at the
 * first look after each multiple of their length, so that they do not drift.
 */
#ifndef RB_WINDOW_H
#define RB_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define RB_INTERVALS 1024

struct rb_cpu_time {
	double user_s, system_s;
	double cycles; /* NaN: cannot be counted (host/cycles.h) */
};

enum rb_window_state { RB_WINDOW_WARMUP, RB_WINDOW_OPEN, RB_WINDOW_CLOSED };

struct rb_window {
	const struct rb_clock *clock;
	const atomic_int *stop; /* not 0: somebody wants the run to end */
	uint64_t next; /* rb_clock_counter() at which the loop has to call */
	enum rb_window_state state;
	uint64_t due;  /* the same in ticks */
	uint64_t warm_end, length; /* planned, in ticks; length 0: by count */
	uint64_t end;		   /* from + length, once it is open */
	uint64_t from, to;	 /* looked at, in ticks */
	uint64_t from_count, to_count; /* messages completed at these looks */
	uint64_t stall;	 /* ticks without a completion that end the run */
	uint64_t moved, moved_count; /* when the count was last seen to change */
	bool stalled;
	bool keep_open;
	bool common; /* its edges are those of other threads too */
	uint64_t period;	 /* of an interval, in ticks */
	uint64_t mark, mark_count; /* the present interval's beginning */
	unsigned int n;
	double rate[RB_INTERVALS]; /* messages per tick */
	struct rb_cpu_time cpu;	   /* of this thread, inside the window */
	void (*progress)(void *arg, double messages_per_s);
	void (*edge)(void *arg, bool opens); /* at the window's two edges */
	uint64_t lap_length, lap_end; /* in ticks; length 0: no laps */
	void (*lap)(void *arg, uint64_t now, uint64_t count);
	void *arg; /* of all three */
};

struct rb_window_plan {
	uint64_t warmup_ns;
	uint64_t duration_ns; /* 0: until rb_window_close is called */
	uint64_t interval_ns;
	uint64_t stall_ns; /* nothing completed for so long: give up */
	bool keep_open;	   /* the loop goes on after the window has closed */
	uint64_t start;	   /* in ticks, of all threads' windows; 0: now */
	void (*progress)(void *arg, double messages_per_s); /* may be NULL */
	void (*edge)(void *arg, bool opens);		    /* may be NULL */
	uint64_t lap_ns; /* 0: no laps */
	void (*lap)(void *arg, uint64_t now, uint64_t count); /* a lap ended */
	void *arg;
};

/* Begin now. @clock and @stop are borrowed for the window's life. */
void rb_window_start(struct rb_window *w, const struct rb_clock *clock,
		     const atomic_int *stop, const struct rb_window_plan *plan);

/*
 * @count messages have completed. Returns true when the loop must post no more.
 * Sets w->next.
 */
bool rb_window_tick(struct rb_window *w, uint64_t count);

/* Milliseconds until the next call is due, at least 1: how long to sleep. */
int rb_window_wait_ms(const struct rb_window *w);

/* Close now where that did not happen yet (count mode, errors). */
void rb_window_close(struct rb_window *w, uint64_t count);

/* Messages per second inside the closed window; 0 where it had no length. */
double rb_window_rate(const struct rb_window *w);

/*
 * Add the closed window of another thread to the closed @w: counts, rates and
 * CPU time are summed; it is from the first beginning to the last end.
 */
void rb_window_merge(struct rb_window *w, const struct rb_window *other);

/* CPU time of the calling thread since it began, cycles since rb_cycles_begin. */
struct rb_cpu_time rb_cpu_now(void);

#endif
