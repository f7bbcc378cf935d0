/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * idle - what a loop does while nothing completes: spin, ask for an event, sleep
 */
#ifndef RB_IDLE_H
#define RB_IDLE_H

#include <stdint.h>

struct rb_stream;

/* Before a loop that calls rb_stream_idle: it is not idle yet. */
void rb_stream_wake(struct rb_stream *s);

/*
 * Nothing completed, at @now of the counter. In event mode: spin for a while if
 * asked to, then ask for an event, look once more (by returning), and only then
 * sleep: until the event, the window's next alarm, or that somebody halts the run,
 * when the window is to be looked at at once. 0 or a negative errno (reported).
 */
int rb_stream_idle(struct rb_stream *s, uint64_t now);

/*
 * The same after the window, whatever is halted, for a caller that looks at a
 * deadline: it sleeps for a millisecond at most.
 */
int rb_stream_doze(struct rb_stream *s);

#endif
