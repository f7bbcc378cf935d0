/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * imm - immediate data: which message of which flow it is (see stream.h)
 */
#ifndef RB_IMM_H
#define RB_IMM_H

#include <endian.h>

#include "base/base.h"
#include "run/stream.h"

#define RB_IMM_SEQ_BITS 16 /* above them: the flow's number */

/* The immediate data of a flow's next message, as it goes over the wire. */
RB_INLINE __be32 rb_next_imm(struct rb_flow *f)
{
	return htobe32(f->index << RB_IMM_SEQ_BITS | f->seq++);
}

/* A message arrived with immediate data: was it the expected one? */
RB_INLINE void rb_check_imm(struct rb_stream *s, const struct ibv_wc *wc)
{
	uint32_t imm = be32toh(wc->imm_data);
	uint32_t index = imm >> RB_IMM_SEQ_BITS;

	if (rb_unlikely(!(wc->wc_flags & IBV_WC_WITH_IMM) ||
			index >= s->nflows)) {
		s->imm_wrong = UINT32_MAX;
		return;
	}
	s->imm_wrong |= (uint16_t)imm ^ s->flows[index].rx_seq;
	s->flows[index].rx_seq = (uint16_t)(imm + 1);
}

#endif
