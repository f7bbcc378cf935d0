/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifylane - what each lane's thread does in a round of verify
 */
#include "run/verifylane.h"

#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "run/monitor.h"
#include "run/pace.h"
#include "run/pieces.h"
#include "run/request.h"
#include "run/verify.h"
#include "run/verifyverb.h"

#define RECEIVE_WAIT_NS RB_NS_PER_S /* the peer has all its completions by then */
#define SEND_WAIT_NS (10 * RB_NS_PER_S)

/* The receive with the queue's @number, which says where it lies, if it takes data. */
static int post_receive(struct rb_verify_lane *l, struct rb_flow *f,
			uint64_t number)
{
	const struct rb_verify *v = l->v;
	struct ibv_sge sge[RB_SGES_MAX];
	struct ibv_recv_wr wr = { .wr_id = RB_VERIFY_RECEIVE_FLAG | number,
				  .sg_list = sge }, *bad;

	if (l->lane->srq) {
		f = &l->lane->flows[number % l->lane->n];
		number /= l->lane->n;
	}
	if (rb_verify_kind(v->verb)->takes_data)
		wr.num_sge = rb_cut_pieces(
			sge, (uint32_t)v->session->plan.load.sges,
			f->rx_addr + rb_verify_receive_place(v, number),
			v->rx_length, f->lkey);
	return l->lane->srq ? ibv_post_srq_recv(l->lane->srq, &wr, &bad) :
			      ibv_post_recv(f->qp, &wr, &bad);
}

/* Post receives until @n of each QP are there. */
static int top_up(struct rb_verify_lane *l, uint32_t n)
{
	struct rb_lane *lane = l->lane;
	uint32_t queues = lane->srq ? 1 : lane->n;

	if (lane->srq)
		n *= lane->n;
	for (uint32_t i = 0; i < queues; i++) {
		struct rb_flow *f = &lane->flows[i];

		for (; f->rx_posted < n; f->rx_posted++) {
			int err = post_receive(l, f, f->rx_number++);

			if (err)
				return err;
		}
	}
	return 0;
}

void rb_verify_offer(struct rb_verify_lane *l)
{
	const struct rb_verify_kind *kind = rb_verify_kind(l->v->verb);
	const struct rb_verify_round *next = &l->v->next;
	struct rb_lane *lane = l->lane;

	l->first = next->first;
	l->imm_wrong = false;
	memset(&l->v->seen[(uint64_t)lane->first * l->v->slots], 0,
	       (uint64_t)lane->n * l->v->slots);
	kind->lay(l, next);
	lane->stream.err = top_up(l, kind->arrivals(next->n));
	if (lane->stream.err)
		lane->end = RB_STREAM_POST;
}

/* Post the @k-th message of flow @i; the round's last one is signalled. */
static int send_message(struct rb_verify_lane *l, uint32_t i, uint32_t k)
{
	struct rb_verify *v = l->v;
	const struct rb_session *s = v->session;
	const struct rb_verify_kind *kind = rb_verify_kind(v->verb);
	const struct rb_flow *f = &l->lane->flows[i];
	struct rb_verify_message m = { f, l->lane->first + i, v->out.first + k,
				       rb_verify_place(v, v->out.first + k, k) };
	uint8_t *at = (uint8_t *)(uintptr_t)f->laddr + m.place;
	struct ibv_sge sge[RB_SGES_MAX];
	struct ibv_send_wr wr = {
		.wr_id = m.qp,
		.sg_list = sge,
		.num_sge = rb_cut_pieces(sge, (uint32_t)s->plan.load.sges,
					 f->laddr + m.place, v->size, f->lkey),
		.send_flags = k + 1 == v->out.n ? IBV_SEND_SIGNALED : 0,
	};

	if (rb_verb_row(v->verb)->takes_inline) {
		rb_verify_fill(at, v->size, m.qp, m.seq);
		if (l->lane->stream.inlined)
			wr.send_flags |= IBV_SEND_INLINE;
	} else {
		memset(at, 0, v->size); /* what is brought has to come */
	}
	kind->request(v, &m, &wr);
	if (s->plan.type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = s->conn.peer.srqn[m.qp];
	return rb_request_post(f, &wr);
}

/* The peer hears that this end lives; once it is gone, nothing is due any more. */
int rb_verify_await_due(struct rb_verify_lane *l)
{
	struct rb_verify *v = l->v;

	while (!rb_stream_is_due(&l->lane->stream) &&
	       !atomic_load_explicit(&v->interrupted, memory_order_relaxed) &&
	       !atomic_load_explicit(&v->gone, memory_order_relaxed)) {
		if (l != v->lanes)
			continue;
		if (rb_intr_check(v->intr))
			v->interrupted = true;
		v->gone = rb_monitor_tell_alive(v->monitor);
	}
	return v->gone;
}

static int send_burst(struct rb_verify_lane *l, uint32_t i, uint32_t k,
		      uint32_t n)
{
	int err = 0;

	if (l->lane->stream.burst) {
		err = rb_verify_await_due(l);
		rb_pace_spend(&l->lane->stream, n);
	}
	for (uint32_t end = k + n; k < end && !err; k++)
		err = send_message(l, i, k);
	return err;
}

static int send_round(struct rb_verify_lane *l)
{
	uint32_t burst = RB_MAX(1, l->lane->stream.burst), n = l->v->out.n;
	int err = 0;

	for (uint32_t k = 0; k < n && !err; k += burst)
		for (uint32_t i = 0; i < l->lane->n && !err; i++)
			err = send_burst(l, i, k, RB_MIN(burst, n - k));
	return err;
}

static void take_arrival(struct rb_verify_lane *l, const struct ibv_wc *wc)
{
	int qp = rb_verify_qp_of(l->v, wc->qp_num);
	uint32_t i = (uint32_t)qp - l->lane->first;
	bool ours = qp >= 0 && i < l->lane->n;

	if (l->lane->srq) /* the first flow keeps the account */
		l->lane->flows[0].rx_posted--;
	else if (ours)
		l->lane->flows[i].rx_posted--;
	rb_verify_kind(l->v->verb)->arrive(l, wc, ours ? (int)i : -1);
	l->arrived++;
}

/* Wait for @sends send completions and, with them, @receives arrivals. */
static enum rb_stream_end await(struct rb_verify_lane *l, uint32_t sends,
				uint64_t receives)
{
	/* a device that sends again and again says so in the end */
	uint64_t send_end = rb_deadline(
		RB_MAX(SEND_WAIT_NS, l->lane->stream.stall_ns));
	uint64_t receive_end = rb_deadline(RECEIVE_WAIT_NS);
	struct ibv_wc *wc = &l->lane->stream.wc;

	while (sends || l->arrived < receives) {
		int n = ibv_poll_cq(l->lane->cq.cq, 1, wc);

		if (n > 0 && wc->status != IBV_WC_SUCCESS)
			return RB_STREAM_COMPLETION;
		if (n > 0 && wc->wr_id & RB_VERIFY_RECEIVE_FLAG)
			take_arrival(l, wc);
		else if (n > 0)
			sends--;
		if (n > 0)
			continue;
		if (!sends && rb_now_ns() >= receive_end)
			return RB_STREAM_DONE; /* what is missing is found out */
		if (n < 0 || rb_now_ns() >= send_end)
			return RB_STREAM_STALLED;
	}
	return RB_STREAM_DONE;
}

void rb_verify_send(void *arg, uint32_t index)
{
	struct rb_verify *v = arg;
	struct rb_verify_lane *l = &v->lanes[index];
	struct rb_lane *lane = l->lane;

	lane->stream.err = send_round(l);
	lane->end = lane->stream.err ? RB_STREAM_POST :
				       await(l, lane->n, 0);
	if (lane->end == RB_STREAM_DONE)
		rb_verify_kind(v->verb)->check_brought(l, &v->out);
}

void rb_verify_take(void *arg, uint32_t index)
{
	struct rb_verify *v = arg;
	struct rb_verify_lane *l = &v->lanes[index];
	const struct rb_verify_kind *kind = rb_verify_kind(v->verb);

	l->lane->end = await(l, 0, (uint64_t)kind->arrivals(v->in.n) * l->lane->n);
	if (l->lane->end != RB_STREAM_DONE)
		return;
	l->arrived = 0;
	kind->check_taken(l, &v->in);
	if (v->next.n)
		rb_verify_offer(l);
}
