/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * joint - what the two ends of a measurement do together, whatever it measures
 *
 *   client                              server
 *     ready { size }                ->
 *                                   <-  start      the loops begin here
 *     (alive, once a second, both ways; stop or error at any time)
 *     result { row, interrupted }   ->  the initiators' rows, both ways
 *                                   <-  result
 *
 * Functions return 0 or a negative errno (reported).
 */
#ifndef RB_JOINT_H
#define RB_JOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/report.h"
#include "run/result.h"
#include "run/stream.h"
#include "run/window.h"

struct rb_context;
struct rb_session;

/* Wait until both ends are ready for the same size. */
int rb_joint_barrier(struct rb_context *ctx, uint64_t size);

/* The window that the options ask for. */
struct rb_window_plan rb_joint_window(const struct rb_context *ctx);

/* Nothing completed for so long: give up. */
uint64_t rb_joint_stall_ns(const struct rb_context *ctx);

/* Report how a loop of @s, in @session, ended, if it failed: the best reason that is known. */
int rb_joint_failed(struct rb_context *ctx, struct rb_session *session,
		    const struct rb_stream *s, enum rb_stream_end end);

/*
 * After a loop: note an interruption in ctx->interrupted, or report that
 * something outside ended it.
 */
int rb_joint_note_stop(struct rb_context *ctx);

/* Send @row to the peer; after an interruption it is asked to stop first. */
int rb_joint_send(struct rb_context *ctx, const struct rb_fields *fields,
		  const void *row);

/*
 * Wait for the peer's row. Where only the peer measures, this is the whole of
 * our part of the run: an interruption here asks it to stop and send what it has.
 */
int rb_joint_await(struct rb_context *ctx, const struct rb_fields *fields,
		   void *row);

/* CPU time of an end that only responds, from the barrier to the result. */
struct rb_idle {
	struct rb_cpu_time from;
	uint64_t since_ns;
};

struct rb_idle rb_idle_begin(void);
void rb_idle_end(const struct rb_idle *idle, struct rb_cpu_use *use);

#endif
