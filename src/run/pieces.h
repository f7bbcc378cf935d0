/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pieces - loaded streams: where messages lie, and what they are gathered from
 */
#ifndef RB_PIECES_H
#define RB_PIECES_H

#include "base/base.h"
#include "run/load.h"
#include "run/stream.h"

/* The pieces of a message of @length at @addr: as equal as they can be. */
RB_INLINE int rb_cut_pieces(struct ibv_sge *list, uint32_t n, uint64_t addr,
			    uint32_t length, uint32_t lkey)
{
	uint32_t piece = length / n;

	for (uint32_t i = 0; i < n; i++)
		list[i] = (struct ibv_sge){ addr + (uint64_t)i * piece, piece,
					    lkey };
	list[n - 1].length = length - (n - 1) * piece;
	return (int)n;
}

RB_INLINE void rb_wr_set_pieces(struct ibv_qp_ex *qpx,
				const struct rb_stream *s,
				const struct rb_flow *f, uint64_t offset)
{
	struct ibv_sge list[RB_SGES_MAX];

	rb_cut_pieces(list, s->sges, f->laddr + offset, s->length, f->lkey);
	ibv_wr_set_sge_list(qpx, s->sges, list);
}

/* Loaded: the first @n requests of the chain, at the flow's next places. */
void rb_aim_chain(const struct rb_stream *s, struct rb_flow *f, uint32_t n);

/* Loaded: post @n receives of @f, each at the flow's next place. */
int rb_post_loaded_receives(struct rb_stream *s, struct rb_flow *f, uint32_t n);

#endif
