/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * laps - what a run shows while it runs: one interval after the other
 */
#include "run/laps.h"

#include <errno.h>

#include "base/hist.h"
#include "base/lines.h"
#include "run/bench.h"
#include "run/context.h"

/* A row; times are since the window's beginning. */
struct row {
	uint64_t from_ns, to_ns, size_bytes, messages, bytes;
	double bits_per_s, messages_per_s;
	struct rb_latency ns;
};

#define AT(member) offsetof(struct row, member)
#define AT_NS(member) AT(ns.member)
/* clang-format off */
#define HEAD \
	{ "from_ns", "from s", RB_FIELD_UINT, AT(from_ns), 10, 3, 1e-9 }, \
	{ "to_ns", "to s", RB_FIELD_UINT, AT(to_ns), 10, 3, 1e-9 }, \
	{ "size_bytes", NULL, RB_FIELD_UINT, AT(size_bytes), 0, 0, 0 }, \
	{ "messages", "messages", RB_FIELD_UINT, AT(messages), 11, 0, 0 }

static const struct rb_field bw_rows[] = {
	HEAD,
	{ "bytes", NULL, RB_FIELD_UINT, AT(bytes), 0, 0, 0 },
	{ "bandwidth.bits_per_s", "Gb/s", RB_FIELD_REAL, AT(bits_per_s), 9, 3, 1e-9 },
	{ "message_rate.per_s", "Mmsg/s", RB_FIELD_REAL, AT(messages_per_s), 10, 4, 1e-6 },
};

static const struct rb_field lat_rows[] = {
	HEAD,
	{ "message_rate.per_s", NULL, RB_FIELD_REAL, AT(messages_per_s), 0, 0, 0 },
	RB_LATENCY_FIELDS(AT_NS)
};
/* clang-format on */

static const struct rb_fields bw_fields = { bw_rows, RB_ARRAY_SIZE(bw_rows) };
static const struct rb_fields lat_fields = { lat_rows,
					     RB_ARRAY_SIZE(lat_rows) };

/* In a lane's loop, at an edge: hand over, unless the last one is still there. */
static void end_lap(void *arg, uint64_t now, uint64_t count)
{
	struct rb_lane *lane = arg;
	struct rb_laps *laps = &lane->ctx->laps;
	struct rb_lap *lap = &lane->lap;

	if (atomic_load_explicit(&lap->full, memory_order_acquire))
		return;
	if (!lap->mark) {
		lap->mark = lane->window.from;
		lap->mark_count = lane->window.from_count;
	}
	lap->from = lap->mark;
	lap->to = lap->mark = now;
	lap->messages = count - lap->mark_count;
	lap->mark_count = count;
	if (laps->latency) {
		rb_hist_pass_log(lap->hist[lap->now], lap->hist[!lap->now]);
		lap->now = !lap->now;
		lane->pingpong.hist = lap->hist[lap->now];
	}
	atomic_store_explicit(&lap->full, true, memory_order_release);
	if (atomic_fetch_add(&laps->there, 1) + 1 ==
	    lane->ctx->session.plan.lanes)
		sem_post(&laps->wake);
}

static bool shown_as_text(const struct rb_context *ctx)
{
	return ctx->report.text && ctx->run_opts.forever;
}

bool rb_laps_wanted(const struct rb_context *ctx)
{
	return ctx->report.stream || shown_as_text(ctx);
}

static int need_hist(struct rb_hist **hist)
{
	if (*hist)
		rb_hist_clear(*hist);
	else
		*hist = rb_hist_create();
	return *hist ? 0 :
		       rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold a histogram");
}

static int prepare_hists(struct rb_context *ctx)
{
	int err = need_hist(&ctx->laps.hist);

	for (uint32_t i = 0; i < ctx->session.plan.lanes && !err; i++) {
		struct rb_lane *lane = &ctx->session.lanes[i];

		err = need_hist(&lane->lap.hist[0]);
		if (!err)
			err = need_hist(&lane->lap.hist[1]);
		if (!err)
			rb_hist_pass_log(lane->hist, lane->lap.hist[0]);
	}
	return err;
}

int rb_laps_plan(struct rb_context *ctx, struct rb_window_plan *plan)
{
	struct rb_laps *laps = &ctx->laps;

	if (!rb_laps_wanted(ctx))
		return 0;
	plan->lap_ns = ctx->run_opts.interval_ns;
	plan->lap = end_lap;
	if (shown_as_text(ctx))
		plan->progress = NULL;
	laps->latency = ctx->bench->pattern != RB_PATTERN_STREAM;
	laps->origin = 0;
	atomic_store(&laps->leave, false);
	atomic_store(&laps->there, 0);
	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++) {
		struct rb_lap *lap = &ctx->session.lanes[i].lap;

		atomic_store(&lap->full, false);
		lap->mark = 0;
		lap->now = 0;
	}
	return laps->latency ? prepare_hists(ctx) : 0;
}

struct rb_hist *rb_laps_hist(const struct rb_lane *lane)
{
	return lane->ctx->window_plan.lap ? lane->lap.hist[lane->lap.now] :
					    lane->hist;
}

/* What has been recorded goes into the row, and into the whole. */
static void take_hist(struct rb_laps *laps, struct rb_lane *lane,
		      struct rb_hist *hist)
{
	rb_hist_merge(laps->hist, hist);
	rb_hist_merge(lane->hist, hist);
}

static void add(struct row *row, uint64_t messages, uint64_t from_ns,
		uint64_t to_ns)
{
	row->from_ns = RB_MIN(row->from_ns, from_ns);
	row->to_ns = RB_MAX(row->to_ns, to_ns);
	row->messages += messages;
	/* of lanes whose laps differ the rates add up, not the times */
	if (to_ns > from_ns)
		row->messages_per_s += (double)messages * 1e9 /
				       (double)(to_ns - from_ns);
}

static struct row new_row(struct rb_context *ctx)
{
	struct row row = {
		.from_ns = UINT64_MAX,
		.size_bytes = ctx->session.lanes[0].stream.length,
	};

	rb_latency_init(&row.ns);
	if (ctx->laps.latency)
		rb_hist_clear(ctx->laps.hist);
	return row;
}

static uint64_t since_origin(struct rb_context *ctx, uint64_t ticks)
{
	return ticks > ctx->laps.origin ?
		       rb_clock_ns(&ctx->clock, ticks - ctx->laps.origin) :
		       0;
}

static void tell_events(struct rb_context *ctx)
{
	struct rb_laps *laps = &ctx->laps;

	for (; laps->events < atomic_load(&ctx->monitor.nevents); laps->events++)
		rb_report_stream(&ctx->report, "event",
				 json_pack("{s:o}", "event",
					   rb_monitor_event_json(&ctx->monitor,
								 laps->events)));
}

static void tell(struct rb_context *ctx, struct row *row)
{
	double part = rb_clock_tick_ns(&ctx->clock);

	if (ctx->bench->pattern == RB_PATTERN_PINGPONG)
		part /= 2;
	row->bytes = row->messages * row->size_bytes;
	row->bits_per_s = row->messages_per_s * (double)row->size_bytes *
			  RB_BITS_PER_BYTE;
	if (ctx->laps.latency)
		rb_latency_take(&row->ns, ctx->laps.hist, part);
	tell_events(ctx);
	rb_report_interval(&ctx->report,
			   ctx->laps.latency ? &lat_fields : &bw_fields, row);
}

static void note_origin(struct rb_context *ctx)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++)
		first = RB_MIN(first, ctx->session.lanes[i].window.from);
	ctx->laps.origin = first;
}

/* Take what all lanes have handed over, let them go on, and tell it. */
static void take_laps(struct rb_context *ctx)
{
	struct row row = new_row(ctx);

	if (!ctx->laps.origin)
		note_origin(ctx);
	atomic_store(&ctx->laps.there, 0);
	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++) {
		struct rb_lane *lane = &ctx->session.lanes[i];
		struct rb_lap *lap = &lane->lap;

		add(&row, lap->messages, since_origin(ctx, lap->from),
		    since_origin(ctx, lap->to));
		if (ctx->laps.latency) {
			take_hist(&ctx->laps, lane, lap->hist[!lap->now]);
			rb_hist_clear(lap->hist[!lap->now]);
		}
		atomic_store_explicit(&lap->full, false, memory_order_release);
	}
	tell(ctx, &row);
}

static void *tell_main(void *arg)
{
	struct rb_context *ctx = arg;

	for (;;) {
		while (sem_wait(&ctx->laps.wake) && errno == EINTR)
			;
		if (atomic_load(&ctx->laps.leave))
			return NULL;
		take_laps(ctx);
	}
}

int rb_laps_start(struct rb_context *ctx)
{
	int err;

	if (!ctx->window_plan.lap)
		return 0;
	sem_init(&ctx->laps.wake, 0, 0);
	err = pthread_create(&ctx->laps.thread, NULL, tell_main, ctx);
	if (err)
		return rb_fail(RB_FAULT_SYSTEM, -err,
			       "cannot start the thread that shows intervals");
	return 0;
}

/* What a lane did since the last row: handed over or not. */
static void take_rest(struct rb_context *ctx, struct rb_lane *lane,
		      struct row *row)
{
	const struct rb_window *w = &lane->window;
	struct rb_lap *lap = &lane->lap;
	bool full = atomic_load(&lap->full);
	uint64_t mark = lap->mark ? lap->mark : w->from;
	uint64_t count = w->to_count -
			 (lap->mark ? lap->mark_count : w->from_count);

	add(row, count + (full ? lap->messages : 0),
	    since_origin(ctx, full ? lap->from : mark),
	    since_origin(ctx, w->to));
	if (!ctx->laps.latency)
		return;
	take_hist(&ctx->laps, lane, lap->hist[lap->now]);
	if (full)
		take_hist(&ctx->laps, lane, lap->hist[!lap->now]);
	rb_hist_pass_log(lap->hist[lap->now], lane->hist);
}

void rb_laps_stop(struct rb_context *ctx)
{
	if (!ctx->window_plan.lap)
		return;
	atomic_store(&ctx->laps.leave, true);
	sem_post(&ctx->laps.wake);
	pthread_join(ctx->laps.thread, NULL);
	sem_destroy(&ctx->laps.wake);
}

void rb_laps_finish(struct rb_context *ctx)
{
	struct row row;

	if (!ctx->window_plan.lap)
		return;
	row = new_row(ctx);
	if (!ctx->laps.origin)
		note_origin(ctx);
	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++)
		take_rest(ctx, &ctx->session.lanes[i], &row);
	if (row.messages || row.to_ns > row.from_ns)
		tell(ctx, &row);
	tell_events(ctx);
}

void rb_laps_free(struct rb_laps *laps)
{
	rb_hist_destroy(laps->hist);
	laps->hist = NULL;
}
