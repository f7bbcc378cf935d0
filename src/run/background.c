/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * background - a load on the path while a latency is measured
 */
#include "run/background.h"

#include <errno.h>

#include "run/context.h"
#include "run/joint.h"
#include "run/setup.h"

#define DEPTH 128u
#define COMPLETIONS 4u /* of a full queue */
#define RAMP_NS (10 * RB_NS_PER_MS) /* until the queues are full */

static uint32_t queue_depth(const struct rb_context *ctx)
{
	uint64_t limit = ctx->run_opts.depth_limit;

	return limit && limit < DEPTH ? RB_MAX(COMPLETIONS, (uint32_t)limit) :
					DEPTH;
}

/* Messages to a completion. */
static uint32_t moderation(uint32_t depth)
{
	return depth / COMPLETIONS;
}

static struct rb_session_plan session_plan(const struct rb_context *ctx)
{
	uint32_t depth = queue_depth(ctx);
	struct rb_cq_opts cq = ctx->cq_opts;

	cq.stamped = false; /* nobody asks when these are done */
	return (struct rb_session_plan){
		.verb = RB_VERB_WRITE,
		.type = IBV_QPT_RC,
		.qps = (uint32_t)ctx->load_opts.background,
		.lanes = 1,
		.senders = (uint32_t)ctx->load_opts.background,
		.depth = depth,
		.signals = depth / moderation(depth) + 2,
		.list = 1,
		.region_bytes = ctx->load_opts.background_size,
		.largest = (uint32_t)ctx->load_opts.background_size,
		.load = { .footprint = RB_AUTO, .sges = 1 },
		.sends = ctx->host != NULL,
		.receives = ctx->host == NULL,
		.cq = cq,
		.mr_per_qp = ctx->run_opts.mr_per_qp,
		.of = " of --background",
		.others = ctx->session.plan.qps,
	};
}

int rb_background_open(struct rb_context *ctx, const struct rb_path *path)
{
	struct rb_background *b = &ctx->background;
	struct rb_session_plan plan = session_plan(ctx);
	int err;

	if (!ctx->load_opts.background)
		return 0;
	err = rb_session_open(ctx->dev, &plan, &b->session);
	if (err)
		return err;
	rb_setup_conn(ctx, &b->session, path);
	return rb_conn_open(&b->session.conn);
}

/* The window opens: the queues are full. */
static void pass_edge(void *arg, bool opens)
{
	struct rb_background *b = arg;

	if (opens)
		sem_post(&b->going);
}

static void prepare(struct rb_context *ctx)
{
	struct rb_background *b = &ctx->background;
	struct rb_lane *lane = &b->session.lanes[0];
	struct rb_window_plan plan = {
		.warmup_ns = RAMP_NS,
		.interval_ns = ctx->run_opts.interval_ns,
		.stall_ns = rb_joint_stall_ns(ctx),
		.edge = pass_edge,
		.arg = b,
	};

	lane->stream = (struct rb_stream){
		.window = &lane->window,
		.clock = &ctx->clock,
		.depth = b->session.plan.depth,
		.mod = moderation(b->session.plan.depth),
		.wake_fd = -1, /* it ends by a stop of its own */
		.stall_ns = rb_joint_stall_ns(ctx),
	};
	rb_session_aim(&b->session, lane,
		       (uint32_t)ctx->load_opts.background_size,
		       &lane->stream);
	rb_stream_prepare(&lane->stream, UINT64_MAX);
	atomic_store(&b->stop, 0);
	rb_window_start(&lane->window, &ctx->clock, &b->stop, &plan);
}

static void *press(void *arg)
{
	struct rb_context *ctx = arg;
	struct rb_background *b = &ctx->background;
	struct rb_lane *lane = &b->session.lanes[0];

	rb_log_bind(b->log);
	lane->end = rb_stream_run(&lane->stream);
	if (lane->window.stalled && lane->end == RB_STREAM_DONE)
		lane->end = RB_STREAM_STALLED;
	/* a latency without its load is not what was asked for */
	if (lane->end != RB_STREAM_DONE)
		rb_monitor_halt(&ctx->monitor);
	sem_post(&b->going);
	return NULL;
}

int rb_background_start(struct rb_context *ctx)
{
	struct rb_background *b = &ctx->background;
	int err;

	if (!ctx->load_opts.background)
		return 0;
	b->log = rb_log_bound();
	sem_init(&b->going, 0, 0);
	prepare(ctx);
	err = pthread_create(&b->thread, NULL, press, ctx);
	if (err)
		return rb_fail(RB_FAULT_SYSTEM, -err,
			       "cannot start the thread of --background");
	b->running = true;
	while (sem_wait(&b->going) && errno == EINTR)
		;
	return 0;
}

int rb_background_stop(struct rb_context *ctx, double *bits_per_s)
{
	struct rb_background *b = &ctx->background;
	const struct rb_lane *lane = b->session.lanes;
	int failed;

	if (!b->running)
		return 0;
	b->running = false;
	atomic_store(&b->stop, 1);
	pthread_join(b->thread, NULL);
	sem_destroy(&b->going);
	*bits_per_s = rb_window_rate(&lane->window) * RB_BITS_PER_BYTE *
		      (double)ctx->load_opts.background_size;
	failed = rb_joint_failed(ctx, &b->session, &lane->stream, lane->end);
	if (b->session.failed_status)
		ctx->session.failed_status = b->session.failed_status;
	return failed;
}

void rb_background_close(struct rb_context *ctx)
{
	rb_session_close(&ctx->background.session);
}
