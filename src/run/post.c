/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * post - the half of it that is not inline: lists cut short, receives, what walks
 */
#include "run/post.h"

__attribute__((noinline)) int
rb_post_short_chain(const struct rb_stream *s, struct rb_flow *f, uint32_t n,
			uint64_t wr_id, unsigned int flags)
{
	struct ibv_send_wr *last = &f->chain[n - 1], *bad;
	struct ibv_send_wr *next = last->next;
	int err;

	last->wr_id = wr_id;
	last->send_flags = s->send_flags | flags;
	last->next = NULL;
	err = ibv_post_send(f->qp, f->chain, &bad);
	last->send_flags = s->send_flags;
	last->next = next;
	return err;
}

void rb_link_receives(struct rb_stream *s, const struct rb_flow *f, uint32_t n)
{
	s->rx_sge = (struct ibv_sge){ f->rx_addr, s->rx_length, f->lkey };
	for (uint32_t i = 0; i < n; i++)
		s->rx_wr[i] = (struct ibv_recv_wr){
			.wr_id = RB_RECEIVE_FLAG | f->place,
			.next = i + 1 < n ? &s->rx_wr[i + 1] : NULL,
			.sg_list = &s->rx_sge,
			.num_sge = 1,
		};
	s->rx_linked = n;
}

void rb_aim_chain(const struct rb_stream *s, struct rb_flow *f, uint32_t n)
{
	const struct rb_how how = { .loaded = true };
	bool remote = !s->datagram && s->verb != RB_VERB_SEND &&
		      s->verb != RB_VERB_SEND_IMM;

	for (uint32_t i = 0; i < n; i++) {
		struct ibv_send_wr *wr = &f->chain[i];

		rb_cut_pieces(wr->sg_list, s->sges, f->laddr + f->offset,
			      s->length, f->lkey);
		/* that of atomics stands in the same place */
		if (remote)
			wr->wr.rdma.remote_addr = f->raddr + f->offset;
		f->offset = rb_next_offset(s, f->offset, how);
	}
}

int rb_post_loaded_receives(struct rb_stream *s, struct rb_flow *f, uint32_t n)
{
	struct ibv_sge sge[RB_RECEIVE_BATCH][RB_SGES_MAX];
	struct ibv_recv_wr wr[RB_RECEIVE_BATCH], *bad;

	for (uint32_t i = 0; i < n; i++) {
		wr[i].wr_id = RB_RECEIVE_FLAG | f->place;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		wr[i].sg_list = sge[i];
		wr[i].num_sge = rb_cut_pieces(sge[i], s->sges,
					      f->rx_addr + f->rx_offset,
					      s->rx_length, f->lkey);
		f->rx_offset = (f->rx_offset * s->factor + s->rx_step) &
			       s->rx_mask;
	}
	return s->srq ? ibv_post_srq_recv(s->srq, wr, &bad) :
			ibv_post_recv(f->qp, wr, &bad);
}
