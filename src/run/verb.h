/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verb - what the verbs that are measured need, one row each
 */
#ifndef RB_VERB_H
#define RB_VERB_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

#define RB_ATOMIC_BYTES 8 /* IB specification 9.4.5 */

enum rb_verb {
	RB_VERB_WRITE,
	RB_VERB_READ,
	RB_VERB_SEND,
	RB_VERB_FETCH_ADD,
	RB_VERB_CMP_SWAP,
	RB_VERB_WRITE_IMM,
	RB_VERB_SEND_IMM,
	RB_VERB_COUNT
};

struct rb_verb_row {
	enum ibv_wr_opcode opcode;
	uint64_t send_ops;    /* IBV_QP_EX_WITH_* */
	unsigned int access;  /* IBV_ACCESS_REMOTE_* at the responder */
	bool receives;	      /* takes receives, which the responder posts */
	bool takes_inline;    /* data goes out, and may go inline */
	bool counts_rd_atomic; /* limited by outstanding reads and atomics */
	bool has_imm;	       /* carries immediate data */
	enum rb_verb with_imm; /* the same with it; itself: there is none */
};

const struct rb_verb_row *rb_verb_row(enum rb_verb verb);

/* The same of a verb that is a constant: loops are specialised by them. */
RB_INLINE bool rb_verb_has_imm(const enum rb_verb verb)
{
	return verb == RB_VERB_WRITE_IMM || verb == RB_VERB_SEND_IMM;
}

RB_INLINE bool rb_verb_receives(const enum rb_verb verb)
{
	return verb == RB_VERB_SEND || rb_verb_has_imm(verb);
}

#endif
