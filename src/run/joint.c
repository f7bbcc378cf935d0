/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * joint - what the two ends of a measurement do together, whatever it measures
 */
#include "run/joint.h"

#include <errno.h>

#include "base/units.h"
#include "run/aftermath.h"
#include "run/bench.h"
#include "run/context.h"
#include "run/wcfail.h"

#define STALL_TRIES 32 /* acknowledge timeouts: 8 tries, each up to 4 times longer
			* than asked for (IB specification 9.7.6.1.3) */
#define ACK_UNIT_NS 4096ull

int rb_joint_barrier(struct rb_context *ctx, uint64_t size)
{
	json_t *frame;
	uint64_t theirs;
	int err;

	if (ctx->host) {
		err = rb_oob_send(&ctx->oob,
				  json_pack("{s:s, s:I}", "type", "ready",
					    "size", (json_int_t)size));
		if (!err)
			err = rb_oob_expect(&ctx->oob, "start", &frame);
		if (!err)
			json_decref(frame);
		return err;
	}
	err = rb_oob_expect(&ctx->oob, "ready", &frame);
	if (err)
		return err;
	err = rb_frame_uint(frame, "size", size, size, &theirs);
	json_decref(frame);
	return err ? err :
		     rb_oob_send(&ctx->oob,
				 json_pack("{s:s}", "type", "start"));
}

/* The longest that nothing completes because nothing is due. */
static uint64_t pause_ns(const struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	uint64_t size = rb_run_max_size(run), burst = ctx->load_opts.burst;
	uint64_t at_once = rb_run_cq_mod(run, size);
	double each_s;

	if (!ctx->load_opts.rate)
		return 0;
	if (burst != RB_AUTO)
		at_once = RB_MAX(at_once, burst);
	each_s = 1 / rb_load_rate(&ctx->load_opts, size);
	return (uint64_t)RB_MIN(each_s * 1e9 * (double)run->qps *
					(double)at_once,
				1e18);
}

uint64_t rb_joint_stall_ns(const struct rb_context *ctx)
{
	unsigned int shift = (unsigned int)ctx->conn_opts.qp_timeout;
	uint64_t timeout_ns = ctx->oob_opts.timeout_ns + pause_ns(ctx);

	/* nothing is waited for but the network */
	if (rb_conn_is_lossy(&ctx->conn_opts))
		return timeout_ns;
	return RB_MAX(timeout_ns,
		      STALL_TRIES * (ACK_UNIT_NS << shift));
}

/* The peer's device answered, and refused: its QP died of this request. */
static bool is_refusal(const struct ibv_wc *wc)
{
	return wc->status == IBV_WC_REM_INV_REQ_ERR ||
	       wc->status == IBV_WC_REM_ACCESS_ERR ||
	       wc->status == IBV_WC_REM_OP_ERR;
}

/*
 * A peer that died, or said why it gave up, is a better explanation than what
 * the QP makes of it; but a device's own trouble comes first.
 */
static bool peer_to_blame(struct rb_context *ctx, enum rb_stream_end end,
			  const struct ibv_wc *wc)
{
	if (end == RB_STREAM_POST || end == RB_STREAM_POLL ||
	    rb_monitor_explains(&ctx->monitor) >= 0)
		return false;
	return rb_monitor_blames_peer(&ctx->monitor) &&
	       !(end == RB_STREAM_COMPLETION && is_refusal(wc) &&
		 rb_other_half(&ctx->oob));
}

/* The device said that it, or a QP, is gone: what a loop saw follows from it. */
static bool device_to_blame(struct rb_context *ctx, enum rb_stream_end end)
{
	int why = atomic_load(&ctx->monitor.stop);

	return why == RB_STOP_DEVICE_DIED ||
	       (why == RB_STOP_QP_DIED && end == RB_STREAM_STALLED);
}

/* A ping-pong whose message nobody sends again never goes on. */
static bool waits_for_lost(const struct rb_context *ctx,
			   const struct rb_session *session)
{
	return session == &ctx->session &&
	       ctx->bench->pattern == RB_PATTERN_PINGPONG &&
	       rb_conn_is_lossy(&ctx->conn_opts);
}

static int lost_fail(const struct rb_context *ctx, const struct rb_stream *s)
{
	char time[RB_TEXT_SIZE];

	return rb_fail(RB_FAULT_MESSAGE_LOST, -ETIMEDOUT,
		       "unreliable transport: a message was lost: %s has no answer to message %llu for %s",
		       rb_conn_type_name(ctx->conn_opts.transport),
		       (unsigned long long)s->completed + 1,
		       rb_format_duration(rb_joint_stall_ns(ctx), time));
}

/* Where messages may be lost there may be gaps; a wrong flow may not be. */
static int check_imm(const struct rb_context *ctx, const struct rb_stream *s)
{
	uint32_t allowed = rb_conn_is_lossy(&ctx->conn_opts) ? UINT16_MAX : 0;

	if (!(s->imm_wrong & ~allowed))
		return 0;
	return rb_fail_cause(RB_FAULT_VERIFY, -EBADMSG,
			     "the immediate data of a message was not that of the next one of its queue pair",
			     "immediate data arrived wrong among %llu messages",
			     (unsigned long long)s->received);
}

int rb_joint_failed(struct rb_context *ctx, struct rb_session *session,
		    const struct rb_stream *s, enum rb_stream_end end)
{
	if (end != RB_STREAM_DONE &&
	    (device_to_blame(ctx, end) || peer_to_blame(ctx, end, &s->wc)))
		return rb_monitor_fail(&ctx->monitor);
	switch (end) {
	case RB_STREAM_COMPLETION:
		return rb_wc_fail(session, &ctx->monitor, &s->wc, s->completed);
	case RB_STREAM_POST:
		return rb_fail(RB_FAULT_POST, s->err < 0 ? s->err : -s->err,
			       "'%s' refused a send request after %llu messages",
			       ctx->dev->name,
			       (unsigned long long)s->completed);
	case RB_STREAM_POLL:
		/* ibv_poll_cq(3) promises no errno */
		return rb_fail(RB_FAULT_CQ_WAIT, -EIO,
			       "cannot poll the completion queue of '%s'",
			       ctx->dev->name);
	case RB_STREAM_STALLED:
		if (waits_for_lost(ctx, session))
			return lost_fail(ctx, s);
		return rb_stall_fail(session, &ctx->monitor, s->completed);
	case RB_STREAM_DONE:
		break;
	}
	return check_imm(ctx, s);
}

struct rb_window_plan rb_joint_window(const struct rb_context *ctx)
{
	return (struct rb_window_plan){
		.warmup_ns = ctx->run_opts.messages == RB_AUTO ?
				     ctx->run_opts.warmup_ns :
				     0,
		.duration_ns = ctx->run_opts.messages == RB_AUTO ?
				       ctx->run_opts.duration_ns :
				       0,
		.interval_ns = ctx->run_opts.interval_ns,
		.stall_ns = rb_joint_stall_ns(ctx),
	};
}

static bool is_interruption(const struct rb_context *ctx)
{
	int why = atomic_load(&ctx->monitor.stop);

	return why == RB_STOP_INTERRUPTED || why == RB_STOP_PEER_INTERRUPTED;
}

int rb_joint_note_stop(struct rb_context *ctx)
{
	if (!is_interruption(ctx))
		return rb_monitor_fail(&ctx->monitor);
	ctx->interrupted = true;
	return 0;
}

int rb_joint_send(struct rb_context *ctx, const struct rb_fields *fields,
		  const void *row)
{
	int err = 0;

	/* what has been measured must still reach the peer */
	ctx->oob.intr = NULL;
	if (ctx->interrupted)
		err = rb_oob_send(&ctx->oob,
				  json_pack("{s:s}", "type", "stop"));
	if (err)
		return err;
	return rb_oob_send(&ctx->oob,
			   json_pack("{s:s, s:b, s:o}", "type", "result",
				     "interrupted", (int)ctx->interrupted,
				     "row", rb_fields_json(fields, row)));
}

int rb_joint_await(struct rb_context *ctx, const struct rb_fields *fields,
		   void *row)
{
	json_t *frame = NULL;
	int err;

	if (ctx->interrupted)
		err = rb_oob_expect(&ctx->oob, "result", &frame);
	else
		err = rb_monitor_await(&ctx->monitor, "result", &frame);
	if (!err && !frame && is_interruption(ctx)) {
		ctx->interrupted = true;
		ctx->oob.intr = NULL;
		err = rb_oob_send(&ctx->oob,
				  json_pack("{s:s}", "type", "stop"));
		if (!err)
			err = rb_oob_expect(&ctx->oob, "result", &frame);
	}
	if (!err && !frame)
		err = rb_monitor_fail(&ctx->monitor);
	if (err)
		return err;
	if (json_is_true(json_object_get(frame, "interrupted")))
		ctx->interrupted = true;
	rb_fields_load(fields, row, json_object_get(frame, "row"));
	json_decref(frame);
	return 0;
}

struct rb_idle rb_idle_begin(void)
{
	return (struct rb_idle){ rb_cpu_now(), rb_now_ns() };
}

void rb_idle_end(const struct rb_idle *idle, struct rb_cpu_use *use)
{
	struct rb_cpu_time to = rb_cpu_now();
	double seconds = (double)(rb_now_ns() - idle->since_ns) / 1e9;

	use->user_s = to.user_s - idle->from.user_s;
	use->system_s = to.system_s - idle->from.system_s;
	use->utilisation = (use->user_s + use->system_s) / seconds;
}
