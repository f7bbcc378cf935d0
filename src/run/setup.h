/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * setup - from a greeted peer to a connected session: agreement, device, plan
 */
#ifndef RB_SETUP_H
#define RB_SETUP_H

#include <stdint.h>

struct rb_context;
struct rb_path;
struct rb_session;

/*
 * Agree with the peer, open the device, make the session and connect it; the
 * report's header is shown. 0 or -errno (reported); what was made stays in @ctx
 * and is closed by its owner in any case.
 */
int rb_setup(struct rb_context *ctx);

/* One in how many messages of a latency asks for a completion. */
uint32_t rb_latency_mod(const struct rb_context *ctx);

/* Fill in how the queue pairs of the opened @session are to be connected. */
void rb_setup_conn(struct rb_context *ctx, struct rb_session *session,
		   const struct rb_path *path);

#endif
