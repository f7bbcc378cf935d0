/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * measurelat - one size of a latency run: barrier, exchanges, results
 *
 * The client leads and measures. It decides when it is over: by its window, and
 * its result then ends the server's loop; or both by the count. One exchange
 * before all others is not measured: in it the two ends find each other.
 */
#include <errno.h>

#include "base/hist.h"
#include "base/units.h"
#include "run/bench.h"
#include "run/context.h"
#include "run/hwlat.h"
#include "run/joint.h"
#include "run/latfile.h"
#include "run/setup.h"
#include "run/team.h"

static bool is_pingpong(const struct rb_context *ctx)
{
	return ctx->bench->pattern == RB_PATTERN_PINGPONG;
}

const struct rb_fields *rb_measure_lat_fields(const struct rb_context *ctx)
{
	return rb_lat_result_fields((struct rb_lat_parts){
		.rated = ctx->load_opts.rate != 0,
		.loaded = ctx->load_opts.background != 0,
		.stamped = ctx->cq_opts.stamped,
	});
}

static void show_progress(void *arg, double messages_per_s)
{
	struct rb_lane *lane = arg;
	double rate = rb_team_progress(lane->ctx, lane, messages_per_s);

	if (rate >= 0)
		rb_progress("%u bytes: %.0f exchanges a second",
			    lane->stream.length, rate);
}

static void prepare_lane(struct rb_context *ctx, struct rb_lane *lane,
			 uint64_t size)
{
	struct rb_stream *s = &lane->stream;

	*s = (struct rb_stream){
		.window = &lane->window,
		.clock = &ctx->clock,
		.depth = ctx->session.plan.depth,
		.mod = rb_latency_mod(ctx),
		.wake_fd = ctx->monitor.wake_fd,
		.stall_ns = rb_joint_stall_ns(ctx),
	};
	lane->ctx = ctx;
	rb_session_aim(&ctx->session, lane, (uint32_t)size, s);
	lane->pingpong = (struct rb_pingpong){ .stream = s,
					       .leads = ctx->host != NULL };
	rb_pingpong_prepare(&lane->pingpong);
}

/* An empty histogram in *@hist. */
static int need_hist(struct rb_hist **hist)
{
	rb_hist_destroy(*hist);
	*hist = rb_hist_create();
	return *hist ? 0 :
		       rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold a histogram");
}

/* Each lane's messages are due at its part of the rate. */
static void pace_lane(struct rb_context *ctx, struct rb_lane *lane,
		      uint64_t size)
{
	double rate = rb_load_rate(&ctx->load_opts, size);
	struct rb_pingpong *p = &lane->pingpong;

	p->half = is_pingpong(ctx);
	rb_clock_gap(&ctx->clock, rate / ctx->session.plan.lanes, &p->gap,
		     &p->gap_part);
}

/* What the end that measures needs. */
static int prepare_leader(struct rb_context *ctx, struct rb_lane *lane,
			  uint64_t size)
{
	int err = need_hist(&lane->hist);

	if (!err && ctx->cq_opts.stamped && !lane->hwlat) {
		lane->hwlat = rb_hwlat_create(&ctx->hwclock, &ctx->clock);
		err = lane->hwlat ? 0 : -ENOMEM;
	}
	if (err || !ctx->load_opts.rate)
		return err;
	err = need_hist(&lane->response);
	if (!err)
		pace_lane(ctx, lane, size);
	return err;
}

static int prepare(struct rb_context *ctx, uint64_t size)
{
	int err = 0;

	for (uint32_t i = 0; i < ctx->session.plan.lanes && !err; i++) {
		prepare_lane(ctx, &ctx->session.lanes[i], size);
		if (ctx->host)
			err = prepare_leader(ctx, &ctx->session.lanes[i],
					     size);
	}
	if (!err && ctx->host)
		rb_latfile_attach(&ctx->latfile, ctx->session.lanes[0].hist);
	return err;
}

/* The end that answers goes on until it is told. */
static struct rb_window_plan window_plan(const struct rb_context *ctx,
					 bool leads)
{
	struct rb_window_plan plan = rb_joint_window(ctx);

	if (!leads)
		plan = (struct rb_window_plan){
			.interval_ns = plan.interval_ns,
			.stall_ns = UINT64_MAX / RB_NS_PER_S,
		};
	return plan;
}

static void clear(struct rb_pingpong *p)
{
	rb_hist_clear(p->hist);
	if (p->response)
		rb_hist_clear(p->response);
	if (p->hwlat)
		rb_hwlat_begin(p->hwlat);
}

static void exchange_lane(struct rb_context *ctx, struct rb_lane *lane)
{
	struct rb_window_plan first = ctx->window_plan;
	struct rb_pingpong *p = &lane->pingpong;

	p->messages = 1;
	p->hist = rb_laps_hist(lane);
	p->response = lane->response;
	p->hwlat = lane->hwlat;
	if (p->hwlat)
		rb_hwlat_begin(p->hwlat);
	first.lap_ns = 0;
	first.progress = NULL;
	rb_window_start(&lane->window, &ctx->clock, &ctx->monitor.halt, &first);
	lane->end = rb_pingpong_run(p);
	if (lane->end != RB_STREAM_DONE)
		return;
	p->messages = ctx->run_opts.messages == RB_AUTO ?
			      UINT64_MAX :
			      ctx->run_opts.messages;
	if (p->leads)
		clear(p);
	rb_team_start_window(ctx, lane);
	lane->end = rb_pingpong_run(p);
	if (p->hwlat)
		rb_hwlat_end_block(p->hwlat);
}

static void put_hist(const struct rb_context *ctx, struct rb_lat_result *r)
{
	double unit_ns = rb_clock_tick_ns(&ctx->clock);
	struct rb_lane *lanes = ctx->session.lanes;

	for (uint32_t i = 1; i < ctx->session.plan.lanes; i++)
		rb_hist_merge(lanes[0].hist, lanes[i].hist);
	rb_lat_result_hist(r, lanes[0].hist, unit_ns);
	if (!ctx->load_opts.rate)
		return;
	for (uint32_t i = 1; i < ctx->session.plan.lanes; i++)
		rb_hist_merge(lanes[0].response, lanes[i].response);
	rb_lat_result_response(r, lanes[0].response, unit_ns);
}

/* All exchanges, with the load that is asked for beside them. */
static int under_load(struct rb_context *ctx, const struct rb_window_plan *plan,
		      struct rb_lat_result *r)
{
	int err = ctx->host ? rb_background_start(ctx) : 0, failed;

	if (err)
		return err;
	err = rb_team_run(ctx, plan, exchange_lane);
	failed = rb_background_stop(ctx, &r->background);
	return err ? err : failed;
}

/* This end's part of the exchanges; @r gets what it shows. */
static int run(struct rb_context *ctx, struct rb_lat_result *r)
{
	bool leads = ctx->host != NULL;
	struct rb_window_plan plan = window_plan(ctx, leads);
	struct rb_window window;
	int err = 0;

	if (leads) {
		plan.progress = show_progress;
		err = rb_laps_plan(ctx, &plan);
	}
	if (err)
		return err;
	rb_monitor_halt_on_result(&ctx->monitor, !leads);
	err = under_load(ctx, &plan, r);
	if (err)
		return err;
	rb_team_window(ctx, &window);
	rb_lat_result_window(r, &window);
	if (leads) {
		put_hist(ctx, r);
		rb_latfile_take(&ctx->latfile, ctx->session.lanes[0].hist);
	}
	err = rb_team_ended(ctx);
	if (!err && leads && ctx->cq_opts.stamped)
		err = rb_hwlat_result(ctx, r);
	return err || !leads ? err : rb_joint_note_stop(ctx);
}

/* The client's row is that of both; each end knows its own CPU. */
static int exchange(struct rb_context *ctx, struct rb_lat_result *own,
		    const struct rb_idle *idle)
{
	struct rb_lat_result peer;
	int err = 0;

	rb_lat_result_init(&peer, own->size_bytes, is_pingpong(ctx));
	if (ctx->host)
		err = rb_joint_send(ctx, rb_measure_lat_fields(ctx), own);
	if (!err)
		err = rb_joint_await(ctx, rb_measure_lat_fields(ctx), &peer);
	if (err)
		return err;
	if (ctx->host) {
		own->peer = peer.local;
		rb_load_warn(&ctx->load_opts, own->size_bytes,
			     own->messages_per_s);
		return 0;
	}
	if (!is_pingpong(ctx))
		rb_idle_end(idle, &own->local);
	peer.peer = peer.local;
	peer.local = own->local;
	*own = peer;
	return rb_joint_send(ctx, rb_measure_lat_fields(ctx), own);
}

static bool has_samples(const struct rb_lat_result *r)
{
	return r->ns.count && r->ns.count != RB_ABSENT;
}

void rb_measure_lat_report(struct rb_context *ctx, const void *row)
{
	const struct rb_lat_result *r = row;

	rb_report_row(&ctx->report, rb_measure_lat_fields(ctx), r);
	if (has_samples(r) && (!ctx->best_lat.ns.count ||
			       r->ns.p50 < ctx->best_lat.ns.p50))
		ctx->best_lat = *r;
}

static int keep(struct rb_context *ctx, const struct rb_lat_result *r)
{
	char size[RB_TEXT_SIZE];

	return has_samples(r) || ctx->interrupted ?
		       rb_repeat_keep(&ctx->repeat, r, sizeof(*r)) :
		       rb_fail(RB_FAULT_EMPTY_WINDOW, -ETIME,
			       "no message of %s was answered in the time that was measured",
			       rb_format_size(r->size_bytes, size));
}

int rb_measure_lat(struct rb_context *ctx, uint64_t size)
{
	struct rb_lat_result own;
	struct rb_idle idle;
	int err = prepare(ctx, size);

	if (err)
		return err;
	rb_lat_result_init(&own, size, is_pingpong(ctx));
	err = rb_joint_barrier(ctx, size);
	if (err)
		return err;
	idle = rb_idle_begin();
	if (ctx->host || is_pingpong(ctx))
		err = run(ctx, &own);
	if (!err)
		err = exchange(ctx, &own, &idle);
	return err ? err : keep(ctx, &own);
}
