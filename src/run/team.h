/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * team - all lanes of a run at work on one size, and what they make together
 *
 * Each lane has a window of its own with the same planned edges; nothing is
 * shared while they run but what one may look at: the plan, the clock, and the
 * word to stop.
 */
#ifndef RB_TEAM_H
#define RB_TEAM_H

#include <stdint.h>

#include "run/window.h"

struct rb_context;
struct rb_lane;

/*
 * Let each lane's thread do @fn, under the monitor, with windows by @plan, until
 * all have ended; a lane whose end is not RB_STREAM_DONE stops the others. 0, or a
 * negative errno (reported) when they could not be started.
 */
int rb_team_run(struct rb_context *ctx, const struct rb_window_plan *plan,
		void (*fn)(struct rb_context *ctx, struct rb_lane *lane));

/* In a lane's thread: start its window. All have the same beginning. */
void rb_team_start_window(struct rb_context *ctx, struct rb_lane *lane);

/* The closed windows of all lanes as one, in @w. */
void rb_team_window(const struct rb_context *ctx, struct rb_window *w);

/* Report how the lanes ended: by the first that failed, if one did. */
int rb_team_ended(struct rb_context *ctx);

/*
 * A lane's progress; returns the sum over all lanes for the first of them, and
 * less than 0 for the others, which show nothing.
 */
double rb_team_progress(struct rb_context *ctx, struct rb_lane *lane,
			double messages_per_s);

/* Messages that all lanes have sent, and received. */
uint64_t rb_team_completed(const struct rb_context *ctx);
uint64_t rb_team_received(const struct rb_context *ctx);

#endif
