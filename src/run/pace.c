/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pace - when the messages of a loaded stream are due
 */
#include "run/stream.h"

#include "base/base.h"
#include "base/clock.h"

void rb_stream_pace(struct rb_stream *s, double messages_per_s, uint32_t burst)
{
	rb_clock_gap(s->clock, messages_per_s, &s->gap, &s->gap_part);
	s->lag = rb_clock_ticks(s->clock, RB_PACE_LAG_NS);
	s->burst = burst;
}

bool rb_stream_is_due(struct rb_stream *s)
{
	uint64_t now;

	if (!s->burst)
		return true;
	now = rb_clock_now(s->clock);
	if (now < s->due)
		return false;
	if (rb_unlikely(now - s->due > s->lag))
		s->due = s->due ? now - s->lag : now;
	return true;
}

void rb_stream_forget_lag(struct rb_stream *s)
{
	uint64_t out = 0;

	if (!s->burst)
		return;
	for (uint32_t i = 0; i < s->nflows; i++)
		out += s->depth - s->flows[i].credits;
	s->due = RB_MAX(s->due, s->window->from + out * s->gap);
}
