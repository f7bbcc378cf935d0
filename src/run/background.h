/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * background - a load on the path while a latency is measured
 *
 * A session of its own beside the one that measures: RC queue pairs on the same
 * device and path, through which a thread of the client writes as fast as it can
 * (RDMA write, which needs nothing of the server's processor). It begins before
 * the first exchange of a size and ends after the last one.
 */
#ifndef RB_BACKGROUND_H
#define RB_BACKGROUND_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "run/lane.h"
#include "run/session.h"

struct rb_context;
struct rb_log;
struct rb_path;

struct rb_background {
	struct rb_session session; /* closed: not asked for */
	struct rb_log *log;
	pthread_t thread;
	sem_t going; /* it has begun, or it will not */
	atomic_int stop;
	bool running;
};

/*
 * Connect what --background asks for by @path, after the session that measures;
 * both ends call it. 0, also when nothing is asked for, or a negative errno
 * (reported).
 */
int rb_background_open(struct rb_context *ctx, const struct rb_path *path);

/*
 * Client: load the path from now on. Returns when the load is there: 0, or a
 * negative errno (reported).
 */
int rb_background_start(struct rb_context *ctx);

/*
 * Client: end it; *@bits_per_s is what it carried, left alone when nothing was
 * asked for. 0, or a negative errno (reported) when it failed before.
 */
int rb_background_stop(struct rb_context *ctx, double *bits_per_s);

/* Not started, or stopped. Safe when it was never opened. */
void rb_background_close(struct rb_context *ctx);

#endif
