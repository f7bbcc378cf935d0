/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * setup - from a greeted peer to a connected session: agreement, device, plan
 */
#include "run/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/units.h"
#include "run/background.h"
#include "run/bench.h"
#include "run/context.h"
#include "run/environ.h"
#include "run/header.h"
#include "run/heed.h"
#include "run/pingpong.h"
#include "run/stream.h"
#include "run/verifyplan.h"
#include "verbs/datagram.h"
#include "verbs/mem.h"

#define INLINE_MOST 1024u /* no device takes much more */

static bool is_datagram(const struct rb_context *ctx)
{
	return ctx->conn_opts.transport == IBV_QPT_UD;
}

/* Which way the data goes, from the plan and from who we are. */
static void take_role(struct rb_context *ctx)
{
	bool both = ctx->run_opts.bidirectional ||
		    ctx->bench->pattern == RB_PATTERN_PINGPONG;

	ctx->initiates = ctx->host || both;
	ctx->responds = !ctx->host || both;
}

/* Where this end's threads go: known before it describes itself to the other. */
static void choose_cores(struct rb_context *ctx)
{
	rb_load_cores(&ctx->load_opts, ctx->dev->name, ctx->host != NULL,
		      &ctx->cores);
	ctx->ends.cores = &ctx->cores;
}

static int agree_client(struct rb_context *ctx, struct rb_path *path)
{
	struct rb_path_wish wish = { ctx->conn_opts.mtu,
				     ctx->conn_opts.rd_atomic };
	int err = rb_dev_open(&ctx->dev_opts,
			      (const struct sockaddr *)&ctx->oob.local,
			      &ctx->dev);

	if (!err)
		err = rb_heed_device(ctx);
	if (!err && ctx->cq_opts.stamped)
		err = rb_hwclock_open(ctx->dev, &ctx->hwclock);
	if (err)
		return err;
	choose_cores(ctx);
	err = rb_agree_client(&ctx->oob, ctx->bench->name, &ctx->set, ctx->dev,
			      ctx->dev_opts.gid_index, &ctx->ends);
	return err ? err :
		     rb_agree_path(&ctx->oob, ctx->dev, &ctx->ends, &wish,
				   path);
}

static int agree_server(struct rb_context *ctx)
{
	int err = rb_agree_take(ctx->plan, ctx->bench->name, &ctx->set);

	if (!err)
		err = rb_run_admit(ctx->bench, &ctx->run_opts,
				   &ctx->conn_opts, &ctx->load_opts);
	if (!err)
		err = rb_dev_open(&ctx->dev_opts,
				  (const struct sockaddr *)&ctx->oob.local,
				  &ctx->dev);
	if (!err)
		err = rb_heed_device(ctx);
	if (err)
		return err;
	choose_cores(ctx);
	return rb_agree_answer(&ctx->oob, ctx->plan, ctx->dev,
			       ctx->dev_opts.gid_index, &ctx->ends);
}

static uint64_t region_bytes(const struct rb_context *ctx)
{
	uint64_t bytes = rb_run_max_size(&ctx->run_opts);

	if (ctx->run_opts.verify)
		return rb_verify_memory(ctx);
	if (is_datagram(ctx))
		bytes += RB_GRH_BYTES;
	return rb_load_region(&ctx->load_opts, bytes);
}

/* Receives of each QP: for what the peer sends, or for the rounds of verify. */
static uint32_t receive_depth(const struct rb_context *ctx)
{
	if (ctx->run_opts.verify)
		return rb_verify_receives(ctx);
	return ctx->responds && rb_verb_row(rb_context_verb(ctx))->receives ?
		       (uint32_t)ctx->run_opts.rx_depth :
		       0;
}

/* Places in a send queue, and how many at once ask for a completion. */
static void queue_needs(const struct rb_context *ctx, uint64_t *depth,
			uint64_t *signals)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	uint64_t limit = run->depth_limit ? run->depth_limit : UINT64_MAX;

	*depth = *signals = 0;
	if (ctx->bench->pattern != RB_PATTERN_STREAM) {
		*depth = RB_MAX(2, RB_MIN(RB_PINGPONG_DEPTH, limit));
		*signals = 4;
	} else {
		for (unsigned int i = 0; i < run->sizes.n; i++) {
			uint64_t d = rb_run_depth(run, run->sizes.v[i]);
			uint64_t mod = rb_run_cq_mod(run, run->sizes.v[i]);

			*depth = RB_MAX(*depth, d);
			/* and one for the message that ends a stream */
			*signals = RB_MAX(*signals, d / mod + 2);
		}
	}
}

/* The largest message that may well go inline, where that is left to us. */
static uint32_t inline_wish(const struct rb_context *ctx)
{
	const struct rb_sizes *sizes = &ctx->run_opts.sizes;
	uint64_t most = 0;

	for (unsigned int i = 0; i < sizes->n; i++)
		if (sizes->v[i] <= INLINE_MOST)
			most = RB_MAX(most, sizes->v[i]);
	return (uint32_t)most;
}

static bool is_xrc(const struct rb_context *ctx)
{
	return ctx->conn_opts.transport == IBV_QPT_XRC_SEND;
}

static struct rb_session_plan session_plan(const struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	uint64_t depth, signals;

	queue_needs(ctx, &depth, &signals);
	return (struct rb_session_plan){
		.verb = rb_context_verb(ctx),
		.type = (enum ibv_qp_type)ctx->conn_opts.transport,
		.qps = (uint32_t)run->qps,
		.lanes = (uint32_t)ctx->load_opts.threads,
		.senders = ctx->conn_opts.multicast && ctx->host ?
				   1 :
				   (uint32_t)run->qps,
		.depth = (uint32_t)depth,
		.signals = (uint32_t)signals,
		.list = (uint32_t)run->list,
		.max_inline = run->inline_bytes == RB_AUTO ?
				      0 :
				      (uint32_t)run->inline_bytes,
		.try_inline = run->inline_bytes == RB_AUTO ?
				      inline_wish(ctx) :
				      0,
		.region_bytes = region_bytes(ctx),
		.largest = (uint32_t)rb_run_max_size(&ctx->run_opts) +
			   (is_datagram(ctx) ? RB_GRH_BYTES : 0),
		.load = ctx->load_opts,
		.mem = &ctx->mem_opts,
		.sends = ctx->initiates,
		.receives = ctx->responds,
		.receive_depth = receive_depth(ctx),
		.srq = (run->srq || is_xrc(ctx)) && ctx->responds,
		.solicits = run->solicited && ctx->initiates,
		.solicited = run->solicited && ctx->responds,
		/* where a request goes by XRC stands in prepared lists */
		.post_send = run->post_send || is_xrc(ctx),
		.with_imm = run->verify,
		.cq = ctx->cq_opts,
		.mr_per_qp = run->mr_per_qp,
	};
}

void rb_setup_conn(struct rb_context *ctx, struct rb_session *s,
		   const struct rb_path *path)
{
	s->conn = (struct rb_conn){
		.method = ctx->conn_opts.cm ? &rb_conn_cm : &rb_conn_manual,
		.oob = &ctx->oob,
		.dev = ctx->dev,
		.type = s->plan.type,
		.access = rb_verb_row(s->plan.verb)->access,
		.qps = s->qps,
		.nqps = s->plan.qps,
		.path = *path,
		.pkey_given = ctx->conn_opts.pkey_index != RB_AUTO,
		.local_gids = &ctx->ends.local_gids,
		.peer_gids = &ctx->ends.peer_gids,
		.region = { (uint64_t)(uintptr_t)s->recv_base, s->stride,
			    rb_pool_mr(s->pool, 0)->rkey },
		.pool = s->pool,
		.srqn = s->srqn,
		.sends = s->plan.sends,
		.pd = s->pd,
		.client = ctx->host != NULL,
		.multicast = s->plan.type == IBV_QPT_UD &&
			     ctx->conn_opts.multicast,
	};
	rb_conn_set_path(&ctx->conn_opts, &s->conn.path);
}

/* The group that the client sends to: the user's or one of our own. */
static int choose_group(struct rb_context *ctx)
{
	struct rb_conn *conn = &ctx->session.conn;
	char text[RB_GID_TEXT];
	uint32_t random;
	int err = rb_qkey_choose(&random); /* as good for an address */

	if (err)
		return err;
	if (ctx->dev->port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND &&
	    !ctx->conn_opts.cm)
		return rb_fail_hint(RB_FAULT_MULTICAST, -EOPNOTSUPP,
				    "on InfiniBand the subnet manager makes groups",
				    "give -R: rdma_cm asks it to",
				    "a group cannot be joined without rdma_cm on '%s'",
				    ctx->dev->name);
	if (!ctx->conn_opts.group)
		conn->group = rb_group_make(&conn->path.gids.local, random);
	else if (rb_group_parse(ctx->conn_opts.group, &conn->group) ||
		 !rb_group_fits(&conn->group, &conn->path.gids.local))
		return rb_fail_hint(RB_FAULT_MULTICAST, -EADDRNOTAVAIL,
				    "group and GID must be of one IP version",
				    "choose another group, or another GID with -x",
				    "nothing can be sent to the group %s from %s",
				    ctx->conn_opts.group,
				    rb_gid_text(&conn->path.gids.local.raw,
						text));
	return 0;
}

/* Client: the key of this run's datagrams, which keeps strangers' out. */
static int choose_datagrams(struct rb_context *ctx)
{
	int err;

	if (!is_datagram(ctx) || !ctx->host)
		return 0;
	err = rb_qkey_choose(&ctx->session.conn.path.qkey);
	return err || !ctx->conn_opts.multicast ? err : choose_group(ctx);
}

/* Receives must be there before the peer may send; posted once a session. */
static int post_first_receives(struct rb_context *ctx)
{
	struct rb_session *session = &ctx->session;
	int err = 0;

	if (ctx->run_opts.verify) /* each size makes ready for itself */
		return 0;
	if (!session->plan.receive_depth)
		return 0;
	for (uint32_t i = 0; i < session->plan.lanes && !err; i++) {
		struct rb_stream s = { 0 };

		rb_session_aim(session, &session->lanes[i], 1, &s);
		err = rb_stream_post_receives(&s, session->plan.receive_depth);
	}
	return err ? rb_fail(RB_FAULT_POST, -err, "cannot post receives on '%s'",
			     ctx->dev->name) :
		     0;
}

/*
 * The document shows what held, not what was left to us: the values in effect
 * take the place of "auto".
 */
static void settle(struct rb_optset *set, const char *name, uint64_t *field,
		   uint64_t value, bool clamped)
{
	enum rb_source source = rb_optset_source(set, name);

	if (*field != RB_AUTO)
		return;
	if (clamped && source == RB_SOURCE_DEFAULT)
		source = RB_SOURCE_CLAMPED;
	rb_optset_put(set, name, value, source);
}

uint32_t rb_latency_mod(const struct rb_context *ctx)
{
	const struct rb_session_plan *plan = &ctx->session.plan;
	uint32_t rx_batch = 0;

	if (ctx->bench->pattern == RB_PATTERN_REQUEST)
		return 1;
	if (rb_verb_row(rb_context_verb(ctx))->receives)
		rx_batch = rb_pingpong_rx_batch(plan->receive_depth);
	return (uint32_t)rb_run_pingpong_mod(&ctx->run_opts, plan->depth,
					     rx_batch);
}

static uint64_t settled_mod(const struct rb_context *ctx, uint64_t size)
{
	return ctx->bench->pattern == RB_PATTERN_STREAM ?
		       rb_run_cq_mod(&ctx->run_opts, size) :
		       rb_latency_mod(ctx);
}

static void settle_options(struct rb_context *ctx)
{
	const struct rb_path *path = &ctx->session.conn.path;
	struct rb_run_opts *run = &ctx->run_opts;
	uint64_t limit = run->depth_limit;

	settle(&ctx->set, "mtu", &ctx->conn_opts.mtu, path->mtu, false);
	if (rb_verb_row(ctx->bench->verb)->counts_rd_atomic)
		settle(&ctx->set, "outs", &ctx->conn_opts.rd_atomic,
		       path->rd_atomic, false);
	settle(&ctx->set, "port-num", &ctx->dev_opts.port, ctx->dev->port,
	       false);
	settle(&ctx->set, "inline-size", &run->inline_bytes,
	       ctx->session.plan.max_inline, false);
	settle(&ctx->set, "pkey-index", &ctx->conn_opts.pkey_index,
	       path->pkey_index, false);
	if (!ctx->conn_opts.cm)
		settle(&ctx->set, "hop-limit", &ctx->conn_opts.hop_limit,
		       RB_HOP_LIMIT, false);
	settle(&ctx->set, "gid-index", &ctx->dev_opts.gid_index,
	       path->gids.local.index, false);
	/* these depend on the size: one value only where there is one size */
	if (run->sizes.n > 1 && ctx->bench->pattern == RB_PATTERN_STREAM)
		return;
	settle(&ctx->set, "cq-mod", &run->cq_mod,
	       settled_mod(ctx, run->sizes.v[0]), false);
	settle(&ctx->set, "tx-depth", &run->depth,
	       rb_run_depth(run, run->sizes.v[0]),
	       limit && rb_run_depth(run, run->sizes.v[0]) == limit);
}

/* In the header and in "local". */
static void show_cores(struct rb_context *ctx)
{
	const struct rb_cores *cores = &ctx->cores;
	json_t *list = json_array();

	for (unsigned int i = 0; i < cores->n; i++)
		json_array_append_new(list, json_integer(cores->v[i]));
	if (cores->n)
		json_object_set(json_object_get(ctx->ends.local, "cpu"),
				"cores", list);
	json_decref(list);
	if (cores->n && cores->n < ctx->load_opts.threads)
		rb_warn("cores_shared",
			"%u threads measure on %u cores: they take turns",
			(unsigned int)ctx->load_opts.threads, cores->n);
}

int rb_setup(struct rb_context *ctx)
{
	struct rb_session_plan plan;
	struct rb_path path = { 0 };
	int err = ctx->host ? agree_client(ctx, &path) : agree_server(ctx);

	if (err)
		return err;
	err = rb_heed_path(ctx);
	if (err)
		return err;
	take_role(ctx);
	plan = session_plan(ctx);
	err = rb_monitor_init(&ctx->monitor, ctx->dev, &ctx->oob, ctx->intr);
	if (!err)
		err = rb_session_open(ctx->dev, &plan, &ctx->session);
	if (err)
		return err;
	rb_setup_conn(ctx, &ctx->session, &path);
	err = choose_datagrams(ctx);
	if (!err)
		err = rb_conn_open(&ctx->session.conn);
	if (!err)
		err = post_first_receives(ctx);
	if (!err)
		err = rb_background_open(ctx, &path);
	if (err)
		return err;
	rb_ends_describe(&ctx->ends, &ctx->session.conn.path);
	json_object_set_new(ctx->ends.local, "memory",
			    rb_session_memory_json(&ctx->session));
	show_cores(ctx);
	settle_options(ctx);
	rb_report_header(ctx);
	rb_environ_warn(ctx);
	return 0;
}
