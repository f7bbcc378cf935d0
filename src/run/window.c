/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * window - what of a streaming loop is counted, and the intervals in it
 */
#include "run/window.h"

#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include "host/cycles.h"

#define STOP_CHECK_NS (50 * RB_NS_PER_MS) /* at least this often */

struct rb_cpu_time rb_cpu_now(void)
{
	struct timespec now;
	struct rusage ru;

	/* brings the thread's accounts up to date: else they are those of the
	 * last scheduler tick */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	getrusage(RUSAGE_THREAD, &ru);
	return (struct rb_cpu_time){
		.user_s = (double)ru.ru_utime.tv_sec +
			  (double)ru.ru_utime.tv_usec / 1e6,
		.system_s = (double)ru.ru_stime.tv_sec +
			    (double)ru.ru_stime.tv_usec / 1e6,
		.cycles = rb_cycles_now(),
	};
}

static void open_window(struct rb_window *w, uint64_t now, uint64_t count)
{
	struct rb_cpu_time cpu = rb_cpu_now();

	w->state = RB_WINDOW_OPEN;
	if (w->length)
		w->end = w->common ? w->warm_end + w->length : now + w->length;
	w->from = w->mark = now;
	w->from_count = w->mark_count = count;
	w->lap_end = w->lap_length ? now + w->lap_length : UINT64_MAX;
	w->cpu = (struct rb_cpu_time){ -cpu.user_s, -cpu.system_s,
				       -cpu.cycles };
	if (w->edge)
		w->edge(w->arg, true);
}

/* When to look next: at the next edge, and in time for "stop" to be seen. */
static void set_alarm(struct rb_window *w, uint64_t now)
{
	uint64_t edge = w->state == RB_WINDOW_WARMUP ?
				w->warm_end :
				RB_MIN(RB_MIN(w->end, w->lap_end),
				       w->mark + w->period);
	uint64_t wait = edge > now ? edge - now : 0;

	wait = RB_MIN(wait, rb_clock_ticks(w->clock, STOP_CHECK_NS));
	w->due = now + wait;
	w->next = rb_clock_alarm(w->clock, wait);
}

void rb_window_start(struct rb_window *w, const struct rb_clock *clock,
		     const atomic_int *stop, const struct rb_window_plan *plan)
{
	uint64_t now = plan->start ? plan->start : rb_clock_now(clock);

	memset(w, 0, offsetof(struct rb_window, rate));
	w->common = plan->start != 0;
	w->progress = plan->progress;
	w->edge = plan->edge;
	w->lap = plan->lap;
	w->lap_length = rb_clock_ticks(clock, plan->lap_ns);
	w->lap_end = UINT64_MAX;
	w->arg = plan->arg;
	w->clock = clock;
	w->stop = stop;
	w->period = rb_clock_ticks(clock, plan->interval_ns);
	w->stall = rb_clock_ticks(clock, plan->stall_ns);
	w->moved = now;
	w->keep_open = plan->keep_open;
	w->warm_end = now + rb_clock_ticks(clock, plan->warmup_ns);
	w->length = rb_clock_ticks(clock, plan->duration_ns);
	w->end = UINT64_MAX;
	if (!plan->warmup_ns)
		open_window(w, now, 0);
	set_alarm(w, now);
}

static void join_neighbours(struct rb_window *w)
{
	for (unsigned int i = 0; i < RB_INTERVALS / 2; i++)
		w->rate[i] = (w->rate[2 * i] + w->rate[2 * i + 1]) / 2;
	w->n = RB_INTERVALS / 2;
	w->period *= 2;
}

static void end_interval(struct rb_window *w, uint64_t now, uint64_t count)
{
	double rate = (double)(count - w->mark_count) / (double)(now - w->mark);

	if (w->n == RB_INTERVALS)
		join_neighbours(w);
	w->rate[w->n++] = rate;
	w->mark = now;
	w->mark_count = count;
	if (w->progress)
		w->progress(w->arg,
			    rate * (double)rb_clock_ticks(w->clock,
							  RB_NS_PER_S));
}

static void end_lap(struct rb_window *w, uint64_t now, uint64_t count)
{
	w->lap_end += (now - w->lap_end) / w->lap_length * w->lap_length +
		      w->lap_length;
	w->lap(w->arg, now, count);
}

static void close_window(struct rb_window *w, uint64_t now, uint64_t count)
{
	struct rb_cpu_time cpu = rb_cpu_now();

	if (w->state == RB_WINDOW_CLOSED)
		return;
	if (w->state == RB_WINDOW_WARMUP)
		open_window(w, now, count);
	/* what is left over is an interval only if it is nearly a whole one */
	if (now - w->mark >= w->period - w->period / 8)
		end_interval(w, now, count);
	w->state = RB_WINDOW_CLOSED;
	w->to = now;
	w->to_count = count;
	w->cpu.user_s += cpu.user_s;
	w->cpu.system_s += cpu.system_s;
	w->cpu.cycles += cpu.cycles;
	if (w->edge)
		w->edge(w->arg, false);
}

void rb_window_close(struct rb_window *w, uint64_t count)
{
	close_window(w, rb_clock_now(w->clock), count);
}

int rb_window_wait_ms(const struct rb_window *w)
{
	uint64_t now = rb_clock_now(w->clock);

	return w->due > now ? (int)(rb_clock_ns(w->clock, w->due - now) /
				    RB_NS_PER_MS) + 1 :
			      1;
}

static bool has_stalled(struct rb_window *w, uint64_t now, uint64_t count)
{
	if (count != w->moved_count) {
		w->moved_count = count;
		w->moved = now;
	}
	w->stalled = now - w->moved >= w->stall;
	return w->stalled;
}

void rb_window_merge(struct rb_window *w, const struct rb_window *other)
{
	w->from = RB_MIN(w->from, other->from);
	w->to = RB_MAX(w->to, other->to);
	w->from_count += other->from_count;
	w->to_count += other->to_count;
	w->cpu.user_s += other->cpu.user_s;
	w->cpu.system_s += other->cpu.system_s;
	w->cpu.cycles += other->cpu.cycles;
	w->n = w->period == other->period ? RB_MIN(w->n, other->n) : 0;
	for (unsigned int i = 0; i < w->n; i++)
		w->rate[i] += other->rate[i];
}

double rb_window_rate(const struct rb_window *w)
{
	uint64_t ns = rb_clock_ns(w->clock, w->to - w->from);

	return ns ? (double)(w->to_count - w->from_count) * 1e9 / (double)ns : 0;
}

/* Closed: only a loop that takes what others send goes on, until told. */
static bool rest(struct rb_window *w, uint64_t now)
{
	if (w->keep_open && !w->stalled &&
	    !atomic_load_explicit(w->stop, memory_order_relaxed)) {
		w->due = now + rb_clock_ticks(w->clock, STOP_CHECK_NS);
		w->next = rb_clock_alarm(w->clock,
					 rb_clock_ticks(w->clock,
							STOP_CHECK_NS));
		return false;
	}
	w->next = UINT64_MAX;
	return true;
}

bool rb_window_tick(struct rb_window *w, uint64_t count)
{
	uint64_t now = rb_clock_now(w->clock);

	if (w->state == RB_WINDOW_CLOSED)
		return rest(w, now);
	if (atomic_load_explicit(w->stop, memory_order_relaxed) ||
	    has_stalled(w, now, count) || now >= w->end) {
		close_window(w, now, count);
		return rest(w, now);
	}
	if (w->state == RB_WINDOW_WARMUP && now >= w->warm_end)
		open_window(w, now, count);
	else if (w->state == RB_WINDOW_OPEN && now - w->mark >= w->period)
		end_interval(w, now, count);
	if (now >= w->lap_end)
		end_lap(w, now, count);
	set_alarm(w, now);
	return false;
}
