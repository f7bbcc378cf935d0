/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * team - all lanes of a run at work on one size, and what they make together
 */
#include "run/team.h"

#include "host/cycles.h"
#include "run/context.h"
#include "run/crew.h"
#include "run/joint.h"

struct task {
	struct rb_context *ctx;
	void (*fn)(struct rb_context *ctx, struct rb_lane *lane);
};

static void work(void *arg, uint32_t index)
{
	const struct task *task = arg;
	struct rb_lane *lane = &task->ctx->session.lanes[index];

	rb_cycles_begin();
	task->fn(task->ctx, lane);
	rb_cycles_end();
	if (lane->end != RB_STREAM_DONE)
		rb_monitor_halt(&task->ctx->monitor);
}

int rb_team_run(struct rb_context *ctx, const struct rb_window_plan *plan,
		void (*fn)(struct rb_context *ctx, struct rb_lane *lane))
{
	struct task task = { ctx, fn };
	int err;

	ctx->window_plan = *plan;
	atomic_store(&ctx->start, 0);
	err = rb_monitor_start(&ctx->monitor);
	if (err)
		return err;
	err = rb_laps_start(ctx);
	if (!err) {
		err = rb_crew_run(&ctx->cores, ctx->session.plan.lanes, work,
				  &task);
		rb_laps_stop(ctx);
	}
	if (!err)
		rb_laps_finish(ctx);
	rb_monitor_join(&ctx->monitor);
	rb_progress("%s", "");
	return err;
}

void rb_team_start_window(struct rb_context *ctx, struct rb_lane *lane)
{
	struct rb_window_plan plan = ctx->window_plan;
	uint64_t none = 0, now = rb_clock_now(&ctx->clock);

	/* one thread alone begins when it begins; of several, the first says */
	if (ctx->session.plan.lanes > 1)
		plan.start = atomic_compare_exchange_strong(&ctx->start, &none,
							    now) ?
				     now :
				     none;
	plan.arg = lane;
	rb_window_start(&lane->window, &ctx->clock, &ctx->monitor.halt, &plan);
}

void rb_team_window(const struct rb_context *ctx, struct rb_window *w)
{
	*w = ctx->session.lanes[0].window;
	for (uint32_t i = 1; i < ctx->session.plan.lanes; i++)
		rb_window_merge(w, &ctx->session.lanes[i].window);
}

int rb_team_ended(struct rb_context *ctx)
{
	struct rb_session *s = &ctx->session;
	const struct rb_lane *lane = &s->lanes[0];

	for (uint32_t i = 0; i < s->plan.lanes; i++) {
		lane = &s->lanes[i];
		if (lane->end != RB_STREAM_DONE || lane->stream.imm_wrong)
			break;
	}
	return rb_joint_failed(ctx, s, &lane->stream, lane->end);
}

double rb_team_progress(struct rb_context *ctx, struct rb_lane *lane,
			double messages_per_s)
{
	const struct rb_session *s = &ctx->session;
	double sum = 0;

	atomic_store_explicit(&lane->rate, messages_per_s,
			      memory_order_relaxed);
	if (lane != s->lanes)
		return -1;
	for (uint32_t i = 0; i < s->plan.lanes; i++)
		sum += atomic_load_explicit(&s->lanes[i].rate,
					    memory_order_relaxed);
	return sum;
}

uint64_t rb_team_completed(const struct rb_context *ctx)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++)
		sum += ctx->session.lanes[i].stream.completed;
	return sum;
}

uint64_t rb_team_received(const struct rb_context *ctx)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++)
		sum += ctx->session.lanes[i].stream.received;
	return sum;
}
