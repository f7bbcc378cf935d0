/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verb - what the verbs that are measured need, one row each
 */
#include "run/verb.h"

/* clang-format off */
static const struct rb_verb_row rows[RB_VERB_COUNT] = {
	[RB_VERB_WRITE] = { IBV_WR_RDMA_WRITE, IBV_QP_EX_WITH_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE,
		.takes_inline = true, .with_imm = RB_VERB_WRITE_IMM },
	[RB_VERB_READ] = { IBV_WR_RDMA_READ, IBV_QP_EX_WITH_RDMA_READ, IBV_ACCESS_REMOTE_READ,
		.counts_rd_atomic = true, .with_imm = RB_VERB_READ },
	[RB_VERB_SEND] = { IBV_WR_SEND, IBV_QP_EX_WITH_SEND, 0,
		.receives = true, .takes_inline = true, .with_imm = RB_VERB_SEND_IMM },
	[RB_VERB_FETCH_ADD] = { IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
		IBV_ACCESS_REMOTE_ATOMIC, .counts_rd_atomic = true, .with_imm = RB_VERB_FETCH_ADD },
	[RB_VERB_CMP_SWAP] = { IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		IBV_ACCESS_REMOTE_ATOMIC, .counts_rd_atomic = true, .with_imm = RB_VERB_CMP_SWAP },
	[RB_VERB_WRITE_IMM] = { IBV_WR_RDMA_WRITE_WITH_IMM, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		IBV_ACCESS_REMOTE_WRITE, .receives = true, .takes_inline = true,
		.has_imm = true, .with_imm = RB_VERB_WRITE_IMM },
	[RB_VERB_SEND_IMM] = { IBV_WR_SEND_WITH_IMM, IBV_QP_EX_WITH_SEND_WITH_IMM, 0,
		.receives = true, .takes_inline = true,
		.has_imm = true, .with_imm = RB_VERB_SEND_IMM },
};
/* clang-format on */

const struct rb_verb_row *rb_verb_row(enum rb_verb verb)
{
	return &rows[verb];
}
