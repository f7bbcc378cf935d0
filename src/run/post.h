/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * post - hand requests of a flow to the device: the inline half of the loops
 *
 * The verb and the interface are constants in each instance of a loop, so that
 * the compiler leaves one path of each switch.
 */
#ifndef RB_POST_H
#define RB_POST_H

#include "base/base.h"
#include "run/how.h"
#include "run/imm.h"
#include "run/pieces.h"
#include "run/stream.h"
#include "run/verb.h"

#define RB_CREDIT_SHIFT 32
#define RB_RECEIVE_FLAG (1ull << 63) /* in the wr_id of a receive */

/* The flow whose request carries @wr_id. */
RB_INLINE struct rb_flow *rb_flow_of(const struct rb_stream *s, uint64_t wr_id)
{
	return (struct rb_flow *)(void *)((char *)s->flows + (uint32_t)wr_id);
}

RB_INLINE uint64_t rb_next_offset(const struct rb_stream *s, uint64_t offset,
				  const struct rb_how how)
{
	if (how.loaded)
		offset *= s->factor;
	return (offset + s->step) & s->mask;
}

RB_INLINE void rb_wr_begin(struct ibv_qp_ex *qpx, const struct rb_stream *s,
			   struct rb_flow *f, uint64_t raddr,
			   const enum rb_verb verb)
{
	switch (verb) {
	case RB_VERB_WRITE:
		ibv_wr_rdma_write(qpx, f->rkey, raddr);
		break;
	case RB_VERB_READ:
		ibv_wr_rdma_read(qpx, f->rkey, raddr);
		break;
	case RB_VERB_SEND:
		ibv_wr_send(qpx);
		break;
	case RB_VERB_FETCH_ADD:
		ibv_wr_atomic_fetch_add(qpx, f->rkey, raddr, 1);
		break;
	case RB_VERB_CMP_SWAP:
		ibv_wr_atomic_cmp_swp(qpx, f->rkey, raddr, 0, 1);
		break;
	case RB_VERB_WRITE_IMM:
		ibv_wr_rdma_write_imm(qpx, f->rkey, raddr, rb_next_imm(f));
		break;
	case RB_VERB_SEND_IMM:
		ibv_wr_send_imm(qpx, rb_next_imm(f));
		break;
	case RB_VERB_COUNT:
		break;
	}
}

/* Add the request of one message; returns the offset of the next. */
RB_INLINE uint64_t rb_wr_add(struct ibv_qp_ex *qpx, const struct rb_stream *s,
			     struct rb_flow *f, uint64_t offset,
			     const struct rb_how how)
{
	if (!how.walks)
		offset = 0;
	rb_wr_begin(qpx, s, f, f->raddr + offset, how.verb);
	if (how.datagram)
		ibv_wr_set_ud_addr(qpx, f->ah, f->peer_qpn, s->qkey);
	if (how.inlined)
		ibv_wr_set_inline_data(qpx, (void *)(f->laddr + offset),
				       s->length);
	else if (how.loaded && s->sges > 1)
		rb_wr_set_pieces(qpx, s, f, offset);
	else
		ibv_wr_set_sge(qpx, f->lkey, f->laddr + offset, s->length);
	return how.walks ? rb_next_offset(s, offset, how) : 0;
}

/*
 * One doorbell for @n requests; the last one has @flags and @wr_id.
 *
 * rxe's provider takes inline data but forgets to say so to the kernel
 * (wr_set_inline_data in providers/rxe/rxe.c), unless the flag of ibv_post_send
 * stands here too; the other providers ignore it.
 */
RB_INLINE int rb_post_wr_api(const struct rb_stream *s, struct rb_flow *f,
			     uint32_t n, uint64_t wr_id, unsigned int flags,
			     const struct rb_how how)
{
	/* only what takes a receive can be solicited */
	const unsigned int always = rb_verb_receives(how.verb) ? s->send_flags :
				    how.inlined		       ? IBV_SEND_INLINE :
								 0u;
	struct ibv_qp_ex *qpx = f->qpx;
	uint64_t offset = how.walks ? f->offset : 0;

	ibv_wr_start(qpx);
	qpx->wr_flags = always;
	while (--n)
		offset = rb_wr_add(qpx, s, f, offset, how);
	if (flags || how.walks) /* else nobody will look at it */
		qpx->wr_id = wr_id;
	qpx->wr_flags = always | flags;
	offset = rb_wr_add(qpx, s, f, offset, how);
	if (how.walks)
		f->offset = offset;
	return ibv_wr_complete(qpx);
}

/* The same for a list cut short: what remains of a count. */
int rb_post_short_chain(const struct rb_stream *s, struct rb_flow *f, uint32_t n,
			uint64_t wr_id, unsigned int flags);

/*
 * The chain's requests keep their places in the buffer, but for those of a loaded
 * stream; what changes is whether the last one asks for a completion.
 */
RB_INLINE int rb_post_chain(const struct rb_stream *s, struct rb_flow *f,
			    uint32_t n, uint64_t wr_id, unsigned int flags,
			    const struct rb_how how)
{
	struct ibv_send_wr *last = &f->chain[n - 1], *bad;

	if (rb_verb_has_imm(how.verb))
		for (uint32_t i = 0; i < n; i++)
			f->chain[i].imm_data = rb_next_imm(f);
	if (how.loaded)
		rb_aim_chain(s, f, n);
	if (rb_unlikely(last->next))
		return rb_post_short_chain(s, f, n, wr_id, flags);
	last->wr_id = wr_id;
	last->send_flags = s->send_flags | flags;
	return ibv_post_send(f->qp, f->chain, &bad);
}

/* Hand @n messages to the device; the last one has @flags and @wr_id. */
RB_INLINE int rb_hand_over(const struct rb_stream *s, struct rb_flow *f,
			   uint32_t n, uint64_t wr_id, unsigned int flags,
			   const struct rb_how how)
{
	return how.interface == RB_BY_WR_API ?
		       rb_post_wr_api(s, f, n, wr_id, flags, how) :
		       rb_post_chain(s, f, n, wr_id, flags, how);
}

/*
 * Post @n messages of @f in one call; @last: nothing may follow, so that they
 * have to ask for their completion (stream.h). The caller took their credits.
 */
RB_INLINE int rb_post(const struct rb_stream *s, struct rb_flow *f, uint32_t n,
		      bool last, const struct rb_how how)
{
	unsigned int flags = 0;
	uint64_t wr_id = 0;

	f->since += n;
	if (last || f->since >= s->mod) {
		flags = IBV_SEND_SIGNALED;
		wr_id = (uint64_t)f->since << RB_CREDIT_SHIFT | f->place;
		f->since = 0;
	}
	return rb_hand_over(s, f, n, wr_id, flags, how);
}

/* Make a list of @n receives of @f, all into the same place. */
void rb_link_receives(struct rb_stream *s, const struct rb_flow *f, uint32_t n);

/*
 * Post @n receives of @f, all into the same place, unless they walk: what arrives
 * is counted, and where it is to be looked at, verify.h does so. The list is made
 * anew only when it was another flow's.
 */
RB_INLINE int rb_post_receives(struct rb_stream *s, struct rb_flow *f,
			       uint32_t n)
{
	struct ibv_recv_wr *bad;

	if (rb_unlikely(s->loaded))
		return rb_post_loaded_receives(s, f, n);
	if (rb_unlikely(s->rx_linked != n || s->rx_sge.addr != f->rx_addr))
		rb_link_receives(s, f, n);
	return s->srq ? ibv_post_srq_recv(s->srq, s->rx_wr, &bad) :
			ibv_post_recv(f->qp, s->rx_wr, &bad);
}

#endif
