/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyverb - what each verb does in a round of verify, and how it is checked
 */
#include "run/verifyverb.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "run/verify.h"
#include "verbs/mem.h"

static void nothing_arrives(struct rb_verify *v, uint32_t qp,
			    const struct ibv_wc *wc)
{
	(void)v, (void)qp, (void)wc;
}

static void nothing_to_check(struct rb_verify *v, uint64_t first, uint32_t n)
{
	(void)v, (void)first, (void)n;
}

static int nothing_to_offer(struct rb_verify *v, uint64_t first, uint32_t n)
{
	(void)v, (void)first, (void)n;
	return 0;
}

static uint32_t none(uint32_t n)
{
	return n * 0;
}

static uint32_t one(uint32_t n)
{
	return n > 0;
}

static uint32_t all(uint32_t n)
{
	return n;
}

static bool is_message(const struct rb_verify *v, const uint8_t *at,
		       uint32_t qp, uint64_t seq)
{
	rb_verify_fill(v->scratch, v->size, qp, seq);
	return !memcmp(at, v->scratch, v->size);
}

static uint64_t slot_address(const struct rb_verify *v, uint8_t *base,
			     uint32_t qp, uint32_t k)
{
	return (uint64_t)(uintptr_t)rb_verify_slot(v, base, qp, k);
}

static uint64_t peer_slot(const struct rb_verify *v, uint32_t qp, uint32_t k)
{
	const struct rb_region *to = &v->session->conn.peer.region;

	return to->addr + qp * to->stride + (uint64_t)k * v->pitch;
}

/* Post receives of @qp until @n are there, into the slots one after another. */
static int top_up(struct rb_verify *v, uint32_t qp, uint32_t n, bool with_data)
{
	struct rb_session *s = v->session;
	struct rb_flow *f = &s->lanes[0].flows[qp];
	int err = 0;

	for (; f->rx_posted < n && !err; f->rx_posted++) {
		uint32_t k = (f->rx_at + f->rx_posted) % v->slots;
		struct ibv_sge sge = { slot_address(v, s->recv_base, qp, k),
				       v->pitch, rb_session_lkey(s, qp) };
		struct ibv_recv_wr wr = {
			.wr_id = RB_VERIFY_RECEIVE_FLAG | qp,
			.sg_list = &sge,
			.num_sge = with_data ? 1 : 0,
		}, *bad;

		err = ibv_post_recv(s->qps[qp].qp, &wr, &bad);
	}
	if (!err)
		return 0;
	return rb_fail(RB_FAULT_POST, -err, "cannot post a receive on QP 0x%06x",
		       s->qps[qp].qp->qp_num);
}

/* --- write: the last one of a round carries immediate data -------------------- */

static void write_request(const struct rb_verify *v, uint32_t qp, uint32_t k,
			  uint64_t seq, struct ibv_send_wr *wr)
{
	(void)seq;
	wr->opcode = wr->send_flags & IBV_SEND_SIGNALED ?
			     IBV_WR_RDMA_WRITE_WITH_IMM :
			     IBV_WR_RDMA_WRITE;
	wr->wr.rdma.remote_addr = peer_slot(v, qp, k);
	wr->wr.rdma.rkey = rb_conn_rkey(&v->session->conn, qp);
}

static int write_offer(struct rb_verify *v, uint64_t first, uint32_t n)
{
	int err = 0;

	(void)first, (void)n;
	for (uint32_t qp = 0; qp < v->session->plan.qps && !err; qp++)
		err = top_up(v, qp, 1, false);
	return err;
}

static void write_arrive(struct rb_verify *v, uint32_t qp,
			 const struct ibv_wc *wc)
{
	(void)wc;
	v->session->lanes[0].flows[qp].rx_posted--;
}

static bool is_blank(const uint8_t *at, uint32_t n)
{
	return !at[0] && !memcmp(at, at + 1, n - 1);
}

/* Nothing arrived in the slot: it is as the round before left it. */
static bool is_untouched(const struct rb_verify *v, const uint8_t *at,
			 uint32_t qp, uint64_t seq)
{
	return seq < v->slots ? is_blank(at, v->size) :
				is_message(v, at, qp, seq - v->slots);
}

static void write_check(struct rb_verify *v, uint64_t first, uint32_t n)
{
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++) {
		for (uint32_t k = 0; k < n; k++) {
			uint8_t *at = rb_verify_slot(v, v->session->recv_base,
						     qp, k);
			uint64_t seq = first + k;

			v->taken.checked++;
			if (is_message(v, at, qp, seq))
				continue;
			if (rb_verify_lossy(v) && is_untouched(v, at, qp, seq))
				v->taken.lost++;
			else
				v->taken.corrupt++;
		}
	}
}

/* --- send: each one's immediate data is its sequence number ------------------- */

static void send_request(const struct rb_verify *v, uint32_t qp, uint32_t k,
			 uint64_t seq, struct ibv_send_wr *wr)
{
	const struct rb_flow *f = &v->session->lanes[0].flows[qp];

	(void)k;
	wr->opcode = IBV_WR_SEND_WITH_IMM;
	wr->imm_data = htobe32((uint32_t)seq);
	if (v->session->plan.type != IBV_QPT_UD)
		return;
	wr->wr.ud.ah = f->ah;
	wr->wr.ud.remote_qpn = f->peer_qpn;
	wr->wr.ud.remote_qkey = v->session->conn.path.qkey;
}

static int send_offer(struct rb_verify *v, uint64_t first, uint32_t n)
{
	int err = 0;

	v->first = first;
	for (uint32_t qp = 0; qp < v->session->plan.qps && !err; qp++)
		err = top_up(v, qp, n, true);
	return err;
}

/* What a receive holds has to be the message that its number says. */
static void send_arrive(struct rb_verify *v, uint32_t qp,
			const struct ibv_wc *wc)
{
	struct rb_flow *f = &v->session->lanes[0].flows[qp];
	const uint8_t *at = rb_verify_slot(v, v->session->recv_base, qp,
					   f->rx_at);
	uint32_t ahead = be32toh(wc->imm_data) - (uint32_t)v->first;
	uint64_t seq = v->first + ahead;

	f->rx_at = (f->rx_at + 1) % v->slots;
	f->rx_posted--;
	v->taken.checked++;
	if (!(wc->wc_flags & IBV_WC_WITH_IMM) || ahead >= v->slots ||
	    seq < v->next[qp] || (seq > v->next[qp] && !rb_verify_lossy(v)) ||
	    wc->byte_len != v->size + v->grh ||
	    !is_message(v, at + v->grh, qp, seq))
		v->taken.corrupt++;
	v->next[qp] = seq + 1;
}

/* What did not come is lost. */
static void send_check(struct rb_verify *v, uint64_t first, uint32_t n)
{
	uint64_t sent = (uint64_t)n * v->session->plan.qps;
	uint64_t came = v->taken.checked;

	v->taken.lost += sent > came ? sent - came : 0;
	v->taken.checked = RB_MAX(sent, came);
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++)
		v->next[qp] = first + n;
}

/* --- read: the responder makes the payloads, the initiator looks at them ------ */

static void read_request(const struct rb_verify *v, uint32_t qp, uint32_t k,
			 uint64_t seq, struct ibv_send_wr *wr)
{
	(void)seq;
	wr->opcode = IBV_WR_RDMA_READ;
	wr->wr.rdma.remote_addr = peer_slot(v, qp, k);
	wr->wr.rdma.rkey = rb_conn_rkey(&v->session->conn, qp);
}

static int read_offer(struct rb_verify *v, uint64_t first, uint32_t n)
{
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++)
		for (uint32_t k = 0; k < n; k++)
			rb_verify_fill(rb_verify_slot(v, v->session->recv_base,
						      qp, k),
				       v->size, qp, first + k);
	return 0;
}

static void read_check(struct rb_verify *v, uint64_t first, uint32_t n)
{
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++)
		for (uint32_t k = 0; k < n; k++) {
			v->brought.checked++;
			if (!is_message(v,
					rb_verify_slot(v, v->session->send_base,
						       qp, k),
					qp, first + k))
				v->brought.corrupt++;
		}
}

/* --- atomics: the old values that came back, and what stands there in the end - */

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void atomic_request(const struct rb_verify *v, uint32_t qp,
			   struct ibv_send_wr *wr)
{
	wr->wr.atomic.remote_addr = peer_slot(v, qp, 0);
	wr->wr.atomic.rkey = rb_conn_rkey(&v->session->conn, qp);
}

/* All QPs add one to the same counter. */
static void add_request(const struct rb_verify *v, uint32_t qp, uint32_t k,
			uint64_t seq, struct ibv_send_wr *wr)
{
	(void)qp, (void)k, (void)seq;
	wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr->wr.atomic.compare_add = 1;
	atomic_request(v, 0, wr);
}

/* Every old value of the round is seen once: a bit for each. */
static void add_check(struct rb_verify *v, uint64_t first, uint32_t n)
{
	uint64_t qps = v->session->plan.qps;

	memset(v->seen, 0, (v->slots * qps + 7) / 8);
	for (uint32_t qp = 0; qp < qps; qp++)
		for (uint32_t k = 0; k < n; k++) {
			uint64_t old = word_at(rb_verify_slot(
					       v, v->session->send_base, qp, k)) -
				       first * qps;
			uint8_t bit = (uint8_t)(1u << (old & 7));

			v->brought.checked++;
			if (old >= n * qps || v->seen[old / 8] & bit)
				v->brought.corrupt++;
			else
				v->seen[old / 8] |= bit;
		}
}

/* The counter ends at the sum of all that was added. */
static void add_check_sum(struct rb_verify *v, uint64_t first, uint32_t n)
{
	if (word_at(v->session->recv_base) !=
	    (first + n) * v->session->plan.qps)
		v->taken.corrupt++;
}

/* Each QP swaps its own word from one number to the next. */
static void swap_request(const struct rb_verify *v, uint32_t qp, uint32_t k,
			 uint64_t seq, struct ibv_send_wr *wr)
{
	(void)k;
	wr->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr->wr.atomic.compare_add = seq;
	wr->wr.atomic.swap = seq + 1;
	atomic_request(v, qp, wr);
}

static void swap_check(struct rb_verify *v, uint64_t first, uint32_t n)
{
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++)
		for (uint32_t k = 0; k < n; k++) {
			v->brought.checked++;
			if (word_at(rb_verify_slot(v, v->session->send_base, qp,
						   k)) != first + k)
				v->brought.corrupt++;
		}
}

static void swap_check_last(struct rb_verify *v, uint64_t first, uint32_t n)
{
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++)
		if (word_at(rb_verify_slot(v, v->session->recv_base, qp, 0)) !=
		    first + n)
			v->taken.corrupt++;
}

/* clang-format off */
static const struct rb_verify_kind kinds[RB_VERB_COUNT] = {
	[RB_VERB_WRITE] = { write_request, write_offer, write_arrive, write_check, nothing_to_check,
			    one, .fills = true },
	[RB_VERB_SEND] = { send_request, send_offer, send_arrive, send_check, nothing_to_check,
			   all, .fills = true },
	[RB_VERB_READ] = { read_request, read_offer, nothing_arrives, nothing_to_check, read_check,
			   none, .fills = false },
	[RB_VERB_FETCH_ADD] = { add_request, nothing_to_offer, nothing_arrives, add_check_sum, add_check,
				none, .fills = false },
	[RB_VERB_CMP_SWAP] = { swap_request, nothing_to_offer, nothing_arrives, swap_check_last,
			       swap_check, none, .fills = false },
};
/* clang-format on */

const struct rb_verify_kind *rb_verify_kind(enum rb_verb verb)
{
	return &kinds[verb];
}
