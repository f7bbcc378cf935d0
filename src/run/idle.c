/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * idle - what a loop does while nothing completes: spin, ask for an event, sleep
 */
#include "run/idle.h"

#include "base/clock.h"
#include "run/stream.h"
#include "verbs/cq.h"

/* brief, since no event tells of what nobody solicited */
#define DOZE_MS 1

void rb_stream_wake(struct rb_stream *s)
{
	s->armed = false;
	s->idle_since = 0;
	s->spin = (uint64_t)((double)rb_clock_ticks(s->clock, s->cq->spin_ns) *
			     s->clock->alarm);
}

/* In event mode, and it has spun for as long as it was asked to. */
static bool may_sleep(struct rb_stream *s, uint64_t now)
{
	if (!s->cq->channel)
		return false;
	if (!s->idle_since)
		s->idle_since = now;
	return now - s->idle_since >= s->spin;
}

static int arm(struct rb_stream *s)
{
	s->armed = true;
	return rb_cq_arm(s->cq);
}

static int sleep_armed(struct rb_stream *s, int wake_fd, int timeout_ms)
{
	s->armed = false;
	return rb_cq_sleep(s->cq, wake_fd, timeout_ms);
}

int rb_stream_idle(struct rb_stream *s, uint64_t now)
{
	int err;

	if (!may_sleep(s, now))
		return 0;
	if (!s->armed)
		return arm(s);
	err = sleep_armed(s, s->wake_fd, rb_window_wait_ms(s->window));
	/* until the window has been looked at wake_fd lets nobody sleep */
	if (atomic_load_explicit(s->window->stop, memory_order_relaxed))
		s->window->next = 0;
	return err;
}

int rb_stream_doze(struct rb_stream *s)
{
	if (!may_sleep(s, rb_clock_counter()))
		return 0;
	return s->armed ? sleep_armed(s, -1, DOZE_MS) : arm(s);
}
