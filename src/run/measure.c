/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * measure - one size of a bandwidth run: barrier, window, exchange of results
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "run/bench.h"
#include "run/context.h"
#include "run/joint.h"
#include "run/result.h"
#include "run/share.h"
#include "run/team.h"
#include "run/verify.h"
#include "run/verifyplan.h"
#include "verbs/datagram.h"

static void show_progress(void *arg, double messages_per_s)
{
	struct rb_lane *lane = arg;
	double rate = rb_team_progress(lane->ctx, lane, messages_per_s);

	if (rate >= 0)
		rb_progress("%u bytes: %.3f Gb/s", lane->stream.length,
			    rate * lane->stream.length * RB_BITS_PER_BYTE /
				    1e9);
}

/* Does this end take what the peer sends, with posted receives? */
static bool takes_sends(const struct rb_context *ctx)
{
	return ctx->responds && rb_verb_row(ctx->session.plan.verb)->receives;
}

/* Receives posted in one call: a part of the queue, so that it never runs dry. */
static uint32_t receive_batch(const struct rb_context *ctx)
{
	uint32_t quarter = ctx->session.plan.receive_depth / 4;

	return RB_MAX(1, RB_MIN(quarter, RB_RECEIVE_BATCH));
}

/* A lane has its queue pairs' part of the rate. */
static void pace_lane(const struct rb_context *ctx, struct rb_lane *lane,
		      uint64_t size)
{
	double rate = rb_load_rate(&ctx->load_opts, size);
	uint64_t burst = ctx->load_opts.burst;

	if (!ctx->load_opts.rate)
		return;
	if (burst == RB_AUTO)
		burst = ctx->run_opts.list;
	rb_stream_pace(&lane->stream,
		       rate * lane->stream.nflows / ctx->session.plan.senders,
		       (uint32_t)burst);
}

static void prepare_lane(struct rb_context *ctx, struct rb_lane *lane,
			 uint64_t size)
{
	struct rb_stream *s = &lane->stream;

	*s = (struct rb_stream){
		.window = &lane->window,
		.clock = &ctx->clock,
		.wake_fd = ctx->monitor.wake_fd,
		.stall_ns = rb_joint_stall_ns(ctx),
	};
	lane->ctx = ctx;
	atomic_store_explicit(&lane->rate, 0, memory_order_relaxed);
	s->depth = (uint32_t)rb_run_depth(&ctx->run_opts, size);
	s->mod = (uint32_t)rb_run_cq_mod(&ctx->run_opts, size);
	rb_session_aim(&ctx->session, lane, (uint32_t)size, s);
	if (takes_sends(ctx))
		s->rx_batch = receive_batch(ctx);
	pace_lane(ctx, lane, size);
	rb_stream_prepare(s, ctx->run_opts.messages == RB_AUTO ?
				     UINT64_MAX :
				     ctx->run_opts.messages);
}

static void pass_edge(void *arg, bool opens)
{
	struct rb_lane *lane = arg;

	rb_share_edge(lane, opens);
	if (opens)
		rb_stream_forget_lag(&lane->stream);
}

static void stream_lane(struct rb_context *ctx, struct rb_lane *lane)
{
	rb_team_start_window(ctx, lane);
	lane->end = rb_stream_run(&lane->stream);
	if (lane->window.stalled && lane->end == RB_STREAM_DONE)
		lane->end = RB_STREAM_STALLED;
}

/* By duration: by count each has done what it was told to. */
static void put_shares(const struct rb_context *ctx, struct rb_bw_result *r)
{
	if (ctx->run_opts.messages != RB_AUTO)
		return;
	if (ctx->run_opts.qps > 1)
		r->fair_qps = rb_share_of_qps(&ctx->session);
	if (ctx->load_opts.threads > 1)
		r->fair_threads = rb_share_of_threads(&ctx->session);
}

/* Send until the window is over; @r gets what it shows. */
static int run_stream(struct rb_context *ctx, struct rb_bw_result *r)
{
	struct rb_window_plan plan = rb_joint_window(ctx);
	struct rb_window window;
	int err;

	plan.progress = show_progress;
	plan.edge = pass_edge;
	rb_monitor_halt_on_result(&ctx->monitor, false);
	err = rb_laps_plan(ctx, &plan);
	if (!err)
		err = rb_team_run(ctx, &plan, stream_lane);
	if (err)
		return err;
	rb_team_window(ctx, &window);
	rb_bw_result_window(r, &window);
	put_shares(ctx, r);
	if (rb_verb_row(ctx->session.plan.verb)->receives)
		r->total_sent = rb_team_completed(ctx);
	return rb_team_ended(ctx);
}

/* The header before a datagram tells who sent it: it had better be the peer. */
static void check_source(const struct rb_context *ctx)
{
	const struct rb_path *path = &ctx->session.conn.path;
	char from[RB_GID_TEXT], peer[RB_GID_TEXT];
	union ibv_gid source;

	if (!path->global)
		return;
	source = rb_grh_source(ctx->session.recv_base, &path->gids.local);
	if (memcmp(&source, &path->gids.peer.raw, sizeof(source)))
		rb_warn("datagram_source",
			"a datagram came from %s, not from the peer's %s",
			rb_gid_text(&source, from),
			rb_gid_text(&path->gids.peer.raw, peer));
}

static void receive_lane(struct rb_context *ctx, struct rb_lane *lane)
{
	rb_team_start_window(ctx, lane);
	lane->end = rb_stream_receive(&lane->stream);
	if (lane->end == RB_STREAM_DONE)
		lane->end = rb_stream_settle(&lane->stream);
}

/*
 * Take what the peer sends until its result says that it has sent all. Where
 * this end sends too, most of it arrived during its own stream.
 */
static int run_receiver(struct rb_context *ctx, struct rb_bw_result *r)
{
	struct rb_window_plan plan = rb_joint_window(ctx);
	bool alone = !ctx->initiates;
	struct rb_window window;
	int err;

	if (!alone || !plan.duration_ns)
		plan.warmup_ns = 0;
	plan.stall_ns = UINT64_MAX / RB_NS_PER_S; /* the monitor sees to it */
	if (plan.duration_ns)
		plan.keep_open = true;
	rb_monitor_halt_on_result(&ctx->monitor, true);
	err = rb_team_run(ctx, &plan, receive_lane);
	if (err)
		return err;
	r->total_arrived = rb_team_received(ctx);
	if (ctx->session.lanes[0].stream.datagram && r->total_arrived)
		check_source(ctx);
	if (alone && plan.duration_ns) {
		rb_team_window(ctx, &window);
		r->arrived = window.to_count - window.from_count;
		r->goodput = rb_window_rate(&window) *
			     (double)r->size_bytes * RB_BITS_PER_BYTE;
		r->local.cycles_per_message =
			rb_cpu_use_of(&window).cycles_per_message;
	}
	return rb_team_ended(ctx);
}

const struct rb_fields *rb_measure_bw_fields(const struct rb_context *ctx)
{
	if (ctx->run_opts.bidirectional)
		return &rb_bw_both_fields;
	return rb_conn_is_lossy(&ctx->conn_opts) &&
			       rb_verb_row(ctx->session.plan.verb)->receives ?
		       &rb_bw_lossy_fields :
		       &rb_bw_fields;
}

/* How many get each message. */
static uint64_t listeners(const struct rb_context *ctx)
{
	return RB_MAX(1, ctx->conn_opts.multicast);
}

static void warn_loss(const struct rb_context *ctx,
		      const struct rb_bw_result *r)
{
	if (!rb_conn_is_lossy(&ctx->conn_opts) || r->missing == RB_ABSENT ||
	    !r->missing)
		return;
	rb_warn("messages_lost",
		"%llu of %llu messages were lost (%.3f %%), as %s allows: by the network, or because the receiver had no receive posted",
		(unsigned long long)r->missing,
		(unsigned long long)(r->total_sent * listeners(ctx)),
		r->missing_percent,
		rb_conn_type_name(ctx->conn_opts.transport));
}

/* What each thread and queue pair did: beside the row, of an end that sent. */
static void report_shares(struct rb_context *ctx, const struct rb_bw_result *r)
{
	json_t *rows = ctx->report.results;

	/* of several runs the shares are those of the last one only */
	if (!ctx->initiates || ctx->run_opts.repeat > 1 ||
	    ctx->run_opts.until_stable ||
	    (!isfinite(r->fair_qps) && !isfinite(r->fair_threads)))
		return;
	json_object_set_new(json_array_get(rows, json_array_size(rows) - 1),
			    "shares",
			    rb_share_json(&ctx->session, &ctx->cores));
}

/* Bring the two ends' rows together into the one that is reported. */
static void join_results(struct rb_context *ctx, struct rb_bw_result *own,
			 const struct rb_bw_result *peer)
{
	unsigned int directions = ctx->run_opts.bidirectional ? 2 : 1;

	if (ctx->run_opts.bidirectional && peer->messages != RB_ABSENT)
		rb_bw_result_join(own, peer);
	else if (!ctx->initiates) {
		struct rb_bw_result here = *own;

		*own = *peer;
		own->local = here.local;
		own->peer = peer->local;
		rb_bw_result_receiver(own, &here);
	} else {
		own->peer = peer->local;
		rb_bw_result_receiver(own, peer);
	}
	rb_bw_result_loss(own, listeners(ctx));
	rb_bw_result_share(own, ctx->ends.link_bits_per_s, directions);
}

void rb_measure_bw_report(struct rb_context *ctx, const void *row)
{
	const struct rb_bw_result *r = row;

	rb_report_row(&ctx->report, rb_measure_bw_fields(ctx), r);
	report_shares(ctx, r);
	if (!ctx->best.messages || r->bits_per_s > ctx->best.bits_per_s)
		ctx->best = *r;
}

static int check_window(const struct rb_context *ctx,
			const struct rb_bw_result *r)
{
	char size[RB_TEXT_SIZE], time[RB_TEXT_SIZE];

	if (ctx->interrupted || (r->messages && r->duration_ns))
		return 0;
	return rb_fail(RB_FAULT_EMPTY_WINDOW, -ETIME,
		       "no message of %s completed in the %s that were measured",
		       rb_format_size(r->size_bytes, size),
		       rb_format_duration(ctx->run_opts.duration_ns, time));
}

/* Some may get lost; where not one arrives, there is no path. */
static int none_arrived(int transport, uint64_t sent)
{
	return rb_fail_hint(RB_FAULT_MESSAGE_LOST, -ETIMEDOUT, NULL,
			    "try each transport between the two: rbench check",
			    "none of %llu messages arrived, sent over %s",
			    (unsigned long long)sent,
			    rb_conn_type_name(transport));
}

static int check_arrival(const struct rb_context *ctx,
			 const struct rb_bw_result *r)
{
	bool none = rb_conn_is_lossy(&ctx->conn_opts) && !r->total_arrived &&
		    r->total_sent && r->total_sent != RB_ABSENT;

	return none && !ctx->interrupted ?
		       none_arrived(ctx->conn_opts.transport, r->total_sent) :
		       0;
}

static void warn_short(const struct rb_bw_result *r)
{
	if (r->messages && r->messages != RB_ABSENT &&
	    r->duration_ns < 10 * RB_NS_PER_MS)
		rb_warn("short_run",
			"a run of %.3f ms is too short for its rate to be trusted: use -D or a larger -n",
			(double)r->duration_ns / 1e6);
}

/* A row of an end that sends has to tell of what it sent. */
static int check_row(const struct rb_context *ctx,
		     const struct rb_bw_result *own,
		     const struct rb_bw_result *peer)
{
	bool tells = peer->messages != RB_ABSENT && peer->bytes != RB_ABSENT &&
		     peer->duration_ns != RB_ABSENT &&
		     (!peer->duration_ns || (isfinite(peer->bits_per_s) &&
					     isfinite(peer->messages_per_s)));

	if (peer->size_bytes == own->size_bytes && (!ctx->responds || tells))
		return 0;
	return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
		       "the peer's result is malformed");
}

/* Send our row and take the peer's; who only responds hears it first. */
static int exchange(struct rb_context *ctx, struct rb_bw_result *own,
		    const struct rb_idle *idle)
{
	struct rb_bw_result peer;
	int err = 0;

	rb_bw_result_init(&peer, own->size_bytes, own->qps, own->threads);
	if (ctx->initiates && (ctx->run_opts.verify || !takes_sends(ctx)))
		err = rb_joint_send(ctx, &rb_bw_fields, own);
	if (!err)
		err = rb_joint_await(ctx, &rb_bw_fields, &peer);
	if (!err)
		err = check_row(ctx, own, &peer);
	if (!err && !ctx->initiates) {
		rb_idle_end(idle, &own->local);
		err = rb_joint_send(ctx, &rb_bw_fields, own);
	}
	if (err)
		return err;
	join_results(ctx, own, &peer);
	warn_short(own);
	rb_load_warn(&ctx->load_opts, own->size_bytes,
		     own->messages_per_s /
			     (ctx->run_opts.bidirectional ? 2 : 1));
	warn_loss(ctx, own);
	err = check_window(ctx, own);
	if (!err)
		err = rb_repeat_keep(&ctx->repeat, own, sizeof(*own));
	return err ? err : check_arrival(ctx, own);
}

static int measure_plain(struct rb_context *ctx, uint64_t size)
{
	struct rb_bw_result own;
	struct rb_idle idle;
	int err;

	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++)
		prepare_lane(ctx, &ctx->session.lanes[i], size);
	rb_bw_result_init(&own, size, ctx->run_opts.qps,
			  ctx->load_opts.threads);
	err = rb_joint_barrier(ctx, size);
	if (err)
		return err;
	idle = rb_idle_begin();
	if (ctx->initiates)
		err = run_stream(ctx, &own);
	if (!err && ctx->initiates)
		err = rb_joint_note_stop(ctx);
	if (!err && ctx->initiates && takes_sends(ctx))
		err = rb_joint_send(ctx, &rb_bw_fields, &own);
	if (!err && takes_sends(ctx) && !ctx->interrupted)
		err = run_receiver(ctx, &own);
	return err ? err : exchange(ctx, &own, &idle);
}

/* As a sentence. NULL: there is none. */
static const char *first_fault(const struct rb_verify *v,
			       char text[static RB_VERIFY_FAULT_TEXT])
{
	const struct rb_verify_fault *f = rb_verify_first(v);

	return f ? rb_verify_fault_text(
			   f, v->session->qps[f->qp].qp->qp_num, text) :
		   NULL;
}

static int verify_failed(const struct rb_verify *v)
{
	bool lossy = rb_verify_lossy(v);
	unsigned long long corrupt = v->here.corrupt + v->peer.corrupt;
	unsigned long long lost = v->here.lost + v->peer.lost;
	unsigned long long all = v->here.checked + v->peer.checked;
	const char *where = v->here.corrupt || (v->here.lost && !corrupt) ?
				    "this end" :
				    "the peer";
	char text[RB_VERIFY_FAULT_TEXT];

	if (lossy && lost)
		rb_warn("uc_loss", "%llu of %llu messages were lost, as %s allows",
			lost, all, rb_conn_type_name((int)v->session->plan.type));
	if (corrupt)
		return rb_fail_cause(RB_FAULT_VERIFY, -EBADMSG,
				     first_fault(v, text),
				     "%llu of %llu messages arrived corrupted at %s",
				     corrupt, all, where);
	if (lossy && lost && lost == all)
		return none_arrived((int)v->session->plan.type, all);
	if (lost && !lossy)
		return rb_fail_cause(RB_FAULT_VERIFY, -EBADMSG,
				     first_fault(v, text),
				     "%llu of %llu messages did not arrive at %s, though their completions say so",
				     lost, all, where);
	return 0;
}

static int run_verify(struct rb_context *ctx, struct rb_verify *v)
{
	struct rb_bw_result own;
	struct rb_idle idle;
	int err;

	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++)
		prepare_lane(ctx, &ctx->session.lanes[i], v->size);
	err = rb_verify_prepare(v);
	if (!err)
		err = rb_joint_barrier(ctx, v->size);
	if (err)
		return err;
	idle = rb_idle_begin();
	ctx->oob.intr = NULL; /* interruptions are looked at between rounds */
	rb_bw_result_init(&own, v->size, ctx->run_opts.qps,
			  ctx->load_opts.threads);
	err = rb_verify_run(v, &own);
	if (err)
		return err;
	ctx->interrupted = ctx->interrupted || v->interrupted;
	err = exchange(ctx, &own, &idle);
	rb_warn("verify_rate",
		"--verify: the rate is that of filling and checking payloads, not of the device");
	return err ? err : verify_failed(v);
}

static int measure_verified(struct rb_context *ctx, uint64_t size)
{
	struct rb_verify v = rb_verify_plan(ctx, size);
	int err = run_verify(ctx, &v);

	rb_verify_free(&v);
	return err;
}

int rb_measure_bw(struct rb_context *ctx, uint64_t size)
{
	return ctx->run_opts.verify ? measure_verified(ctx, size) :
				      measure_plain(ctx, size);
}
