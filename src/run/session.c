/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session - everything that a run holds on a device, made and unmade in order
 */
#include "run/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/units.h"
#include "peer/oob.h"
#include "verbs/dev.h"
#include "verbs/mem.h"
#include "verbs/xrc.h"

#define WALK_SPAN 4096u /* messages of up to half of it walk through it */
#define DRAIN_NS (200 * RB_NS_PER_MS)

static bool is_xrc(const struct rb_session *s)
{
	return s->plan.type == IBV_QPT_XRC_SEND;
}

static int check_limits(const struct rb_dev *dev,
			const struct rb_session_plan *plan)
{
	const struct ibv_device_attr *attr = &dev->attr;

	if (attr->max_qp > 0 && plan->qps + plan->others > (uint32_t)attr->max_qp)
		return rb_fail(RB_FAULT_QP_LIMIT, -EINVAL,
			       "'%s' has at most %d queue pairs, not %u",
			       dev->name, attr->max_qp, plan->qps + plan->others);
	if (attr->max_qp_wr > 0 && plan->depth > (uint32_t)attr->max_qp_wr)
		return rb_fail(RB_FAULT_DEPTH_LIMIT, -EINVAL,
			       "send queues of '%s' hold at most %d requests, not %u",
			       dev->name, attr->max_qp_wr, plan->depth);
	if (plan->mr_per_qp && attr->max_mr > 0 &&
	    plan->qps + plan->others > (uint32_t)attr->max_mr)
		return rb_fail_hint(RB_FAULT_MEM_REGISTER, -EINVAL,
				    "the device's table of regions is not that long",
				    "leave --mr-per-qp out, or lower -q or --background",
				    "'%s' has at most %d memory regions, not one for each of %u queue pairs",
				    dev->name, attr->max_mr,
				    plan->qps + plan->others);
	return 0;
}

/* The size of all memory; refuses what the machine cannot hold. */
static int memory_size(struct rb_session *s, size_t *total)
{
	const struct rb_session_plan *plan = &s->plan;
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t directions = (uint64_t)plan->sends + plan->receives;
	char text[RB_TEXT_SIZE];
	uint64_t bytes;

	s->part = rb_page_round(RB_MAX(plan->region_bytes, WALK_SPAN));
	if (__builtin_mul_overflow(s->part, plan->qps * directions, &bytes) ||
	    bytes / page >= pages)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "%u queue pairs with buffers of %s are more than this machine's memory",
			       plan->qps, rb_format_size(s->part, text));
	s->stride = s->part * directions;
	*total = bytes;
	return 0;
}

static int open_memory(struct rb_session *s)
{
	struct rb_pool_plan pool = {
		.regions = s->plan.mr_per_qp ? s->plan.qps : 1,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.opts = s->plan.mem,
	};
	int err = memory_size(s, &pool.size);

	if (err)
		return err;
	if (s->plan.receives)
		pool.access |= (int)rb_verb_row(s->plan.verb)->access;
	/* with iWARP the peer writes what a read brings (RFC 5040 4.4) */
	if (s->dev->is_iwarp)
		pool.access |= IBV_ACCESS_REMOTE_WRITE;
	err = rb_pool_create(s->dev, s->pd, &pool, &s->pool);
	if (err)
		return err;
	s->send_base = s->plan.sends ? s->pool->base : NULL;
	if (s->plan.receives)
		s->recv_base = s->pool->base + (s->plan.sends ? s->part : 0);
	return 0;
}

json_t *rb_session_memory_json(const struct rb_session *s)
{
	return json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)s->pool->size,
			 "regions", (json_int_t)s->pool->nmrs, "register_ns",
			 (json_int_t)s->pool->register_ns);
}

uint32_t rb_session_lkey(const struct rb_session *s, uint32_t qp)
{
	return rb_pool_mr(s->pool, qp)->lkey;
}

static int open_lanes(struct rb_session *s)
{
	int err = 0;

	s->lanes = rb_lane_alloc(s->plan.lanes, sizeof(*s->lanes));
	if (!s->lanes)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u threads", s->plan.lanes);
	for (uint32_t i = 0; i < s->plan.lanes && !err; i++)
		err = rb_lane_open(s, i, &s->lanes[i]);
	return err;
}

/* XRC: one that sends, one that receives, or both, one for each direction. */
static int open_xrc(struct rb_session *s, const struct rb_qp_plan *plan,
		    struct rb_qp *qp)
{
	struct rb_qp_plan receiving = *plan;
	int err;

	receiving.type = IBV_QPT_XRC_RECV;
	receiving.xrcd = s->xrcd;
	if (!s->plan.sends)
		return rb_qp_create(s->dev, s->pd, &receiving, qp);
	err = rb_qp_create(s->dev, s->pd, plan, qp);
	return err || !s->plan.receives ?
		       err :
		       rb_qp_create_target(s->dev, &receiving, qp);
}

static int open_qp(struct rb_session *s, const struct rb_qp_plan *plan,
		   struct rb_qp *qp)
{
	return is_xrc(s) ? open_xrc(s, plan, qp) :
			   rb_qp_create(s->dev, s->pd, plan, qp);
}

static int open_lane_qps(struct rb_session *s, const struct rb_lane *lane,
			 struct rb_qp_plan *plan)
{
	int err = 0;

	plan->send_cq = plan->recv_cq = lane->cq.cq;
	/* the receives of XRC are not those of a queue pair */
	plan->srq = is_xrc(s) ? NULL : lane->srq;
	for (uint32_t i = 0; i < lane->n && !err; i++)
		err = open_qp(s, plan, &s->qps[lane->first + i]);
	return err;
}

static uint64_t send_ops(const struct rb_session_plan *plan)
{
	const struct rb_verb_row *row = rb_verb_row(plan->verb);

	return plan->with_imm ?
		       row->send_ops | rb_verb_row(row->with_imm)->send_ops :
		       row->send_ops;
}

static int open_qps(struct rb_session *s)
{
	struct rb_qp_plan plan = {
		.type = s->plan.type,
		.send_cq = s->lanes[0].cq.cq,
		.recv_cq = s->lanes[0].cq.cq,
		.srq = s->lanes[0].srq,
		.send_depth = s->plan.depth,
		.recv_depth = s->plan.receive_depth,
		.max_inline = s->plan.max_inline,
		.sges = (uint32_t)s->plan.load.sges,
		.send_ops = s->plan.post_send ?
				    0 :
				    send_ops(&s->plan),
		.access = rb_verb_row(s->plan.verb)->access,
	};
	int err = 0;

	s->qps = calloc(s->plan.qps, sizeof(*s->qps));
	if (!s->qps)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u queue pairs", s->plan.qps);
	if (s->plan.try_inline)
		plan.max_inline = s->plan.max_inline = rb_qp_probe_inline(
			s->dev, s->pd, &plan, s->plan.try_inline);
	for (uint32_t i = 0; i < s->plan.lanes && !err; i++)
		err = open_lane_qps(s, &s->lanes[i], &plan);
	return err;
}

/* XRC: the numbers of the shared receive queues, which the peer has to name. */
static int number_srqs(struct rb_session *s)
{
	int err = 0;

	if (!is_xrc(s) || !s->plan.receives)
		return 0;
	s->srqn = calloc(s->plan.qps, sizeof(*s->srqn));
	if (!s->srqn)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u queue pairs", s->plan.qps);
	for (uint32_t i = 0; i < s->plan.lanes && !err; i++) {
		const struct rb_lane *lane = &s->lanes[i];
		uint32_t number = 0;

		err = rb_xrc_srq_number(s->dev, lane->srq, &number);
		for (uint32_t k = 0; k < lane->n; k++)
			s->srqn[lane->first + k] = number;
	}
	return err;
}

static int open_lists(struct rb_session *s)
{
	int err = 0;

	if (!s->plan.sends || s->qps[0].qpx)
		return 0;
	for (uint32_t i = 0; i < s->plan.lanes && !err; i++)
		err = rb_lane_open_lists(&s->lanes[i], s->plan.list,
					 (uint32_t)s->plan.load.sges);
	return err;
}

int rb_session_open(const struct rb_dev *dev, const struct rb_session_plan *plan,
		    struct rb_session *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->dev = dev;
	s->plan = *plan;
	err = check_limits(dev, plan);
	if (err)
		return err;
	s->pd = rb_traced_ptr(ibv_alloc_pd(dev->ctx), "%s", dev->name);
	if (!s->pd)
		return rb_fail(RB_FAULT_PD, -errno,
			       "cannot allocate a protection domain on '%s'",
			       dev->name);
	err = is_xrc(s) ? rb_xrcd_open(dev, &s->xrcd) : 0;
	if (!err)
		err = open_memory(s);
	if (!err)
		err = open_lanes(s);
	if (!err)
		err = open_qps(s);
	if (!err)
		err = open_lists(s);
	if (!err)
		err = number_srqs(s);
	if (err)
		rb_session_close(s);
	return err;
}

/* Completions of what was under way: they must be gone before the CQ is. */
static void drain(struct rb_session *s)
{
	uint64_t deadline = rb_deadline(DRAIN_NS);
	struct ibv_wc wc[16];

	if (!s->qps)
		return;
	for (uint32_t i = 0; i < s->plan.qps; i++)
		rb_qp_error(&s->qps[i]);
	for (uint32_t i = 0; i < s->plan.lanes; i++)
		while (ibv_poll_cq(s->lanes[i].cq.cq, RB_ARRAY_SIZE(wc), wc) >
			       0 &&
		       rb_now_ns() < deadline)
			;
}

void rb_session_close(struct rb_session *s)
{
	drain(s);
	rb_conn_close(&s->conn);
	for (uint32_t i = 0; s->qps && i < s->plan.qps; i++)
		rb_qp_destroy(&s->qps[i]);
	for (uint32_t i = 0; s->lanes && i < s->plan.lanes; i++)
		rb_lane_close(&s->lanes[i]);
	rb_xrcd_close(s->xrcd);
	rb_pool_destroy(s->pool);
	if (s->pd && rb_traced(ibv_dealloc_pd(s->pd), "%s", s->dev->name))
		rb_debug("cannot deallocate the protection domain");
	free(s->lanes);
	free(s->qps);
	free(s->srqn);
	memset(s, 0, sizeof(*s));
}

/* Where a request goes; a send goes to a receive and has no address. */
static void aim_request(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey,
			enum rb_verb verb)
{
	if (verb == RB_VERB_FETCH_ADD || verb == RB_VERB_CMP_SWAP) {
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = verb == RB_VERB_FETCH_ADD;
		wr->wr.atomic.swap = 1;
	} else if (verb != RB_VERB_SEND && verb != RB_VERB_SEND_IMM) {
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
	}
}

static void aim_datagram(struct ibv_send_wr *wr, const struct rb_flow *f,
			 uint32_t qkey)
{
	wr->wr.ud.ah = f->ah;
	wr->wr.ud.remote_qpn = f->peer_qpn;
	wr->wr.ud.remote_qkey = qkey;
}

static void link_chain(struct rb_session *s, const struct rb_lane *lane,
		       const struct rb_stream *stream, uint32_t i)
{
	struct rb_flow *f = &lane->flows[i];
	size_t first = (size_t)i * s->plan.list;
	uint64_t offset = 0;

	f->chain = &lane->wrs[first];
	for (uint32_t k = 0; k < s->plan.list; k++) {
		struct ibv_sge *sge = &lane->sges[(first + k) * stream->sges];
		bool last = k + 1 == s->plan.list;

		*sge = (struct ibv_sge){ f->laddr + offset, stream->length,
					 f->lkey };
		f->chain[k] = (struct ibv_send_wr){
			.next = last ? NULL : &f->chain[k + 1],
			.sg_list = sge,
			.num_sge = (int)stream->sges,
			.opcode = rb_verb_row(s->plan.verb)->opcode,
			.send_flags = stream->send_flags,
		};
		aim_request(&f->chain[k], f->raddr + offset, f->rkey,
			    s->plan.verb);
		if (stream->datagram)
			aim_datagram(&f->chain[k], f, stream->qkey);
		if (is_xrc(s))
			f->chain[k].qp_type.xrc.remote_srqn =
				s->conn.peer.srqn[lane->first + i];
		offset = (offset + stream->step) & stream->mask;
	}
}

/* Through which memory messages walk, and how. */
static void aim_walk(const struct rb_session *s, uint32_t size,
		     struct rb_stream *stream)
{
	const struct rb_load_opts *load = &s->plan.load;
	struct rb_walk walk, rx;

	stream->factor = 1;
	stream->step = size <= WALK_SPAN / 2 ?
			       rb_power_of_two(RB_MAX(size, RB_CACHE_LINE)) :
			       0;
	stream->mask = WALK_SPAN - 1;
	stream->rx_step = stream->rx_mask = 0;
	if (load->footprint == RB_AUTO)
		return;
	walk = rb_load_walk(load, size);
	rx = rb_load_walk(load, s->plan.largest);
	stream->factor = walk.factor;
	stream->step = walk.step;
	stream->mask = walk.mask;
	stream->rx_step = rx.step;
	stream->rx_mask = rx.mask;
	stream->rx_length = s->plan.largest;
}

void rb_session_aim(struct rb_session *s, struct rb_lane *lane, uint32_t size,
		    struct rb_stream *stream)
{
	const struct rb_region *to = &s->conn.peer.region;

	stream->flows = lane->flows;
	stream->nflows = s->plan.receives ?
				 lane->n :
				 RB_MIN(lane->n, s->plan.senders);
	stream->ring = lane->ring;
	stream->ring_mask = rb_power_of_two(lane->n) - 1;
	stream->cq = &lane->cq;
	stream->verb = s->plan.verb;
	stream->list = s->plan.list;
	stream->length = size;
	stream->inlined = rb_verb_row(s->plan.verb)->takes_inline &&
			  size <= s->plan.max_inline;
	stream->send_flags = (s->plan.solicits ? IBV_SEND_SOLICITED : 0u) |
			      (stream->inlined ? IBV_SEND_INLINE : 0);
	stream->datagram = s->plan.type == IBV_QPT_UD;
	stream->qkey = s->conn.path.qkey;
	stream->srq = lane->srq;
	stream->rx_length = (uint32_t)s->part;
	stream->rx_batch = 0;
	stream->loaded = rb_load_is_any(&s->plan.load);
	stream->sges = (uint32_t)s->plan.load.sges;
	if (stream->sges > 1)
		stream->rx_length = s->plan.largest;
	aim_walk(s, size, stream);
	for (uint32_t i = 0; i < lane->n; i++) {
		struct rb_flow *f = &lane->flows[i];
		uint32_t qp = lane->first + i;

		f->qp = s->qps[qp].qp;
		f->qpx = s->qps[qp].qpx;
		f->index = i;
		f->ah = s->conn.ah;
		f->peer_qpn = s->conn.peer.qpn ? s->conn.peer.qpn[qp] : 0;
		f->laddr = (uint64_t)(uintptr_t)s->send_base + qp * s->stride;
		f->raddr = to->addr + qp * to->stride;
		f->lkey = rb_session_lkey(s, qp);
		f->rkey = rb_conn_rkey(&s->conn, qp);
		f->rx_addr = (uint64_t)(uintptr_t)s->recv_base + qp * s->stride;
		if (lane->wrs)
			link_chain(s, lane, stream, i);
	}
}
