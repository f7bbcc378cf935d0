/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyverb - what each verb does in a round of verify, and how it is checked
 */
#ifndef RB_VERIFYVERB_H
#define RB_VERIFYVERB_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "run/verb.h"

struct rb_flow;
struct rb_verify;
struct rb_verify_lane;
struct rb_verify_round;

/* One message on its way out. */
struct rb_verify_message {
	const struct rb_flow *flow;
	uint32_t qp;
	uint64_t seq;
	uint64_t place;
};

/* What a lane does for its QPs, unless said otherwise. */
struct rb_verify_kind {
	/* Say what @m asks for; its payload, if any, is in place, and it has
	 * IBV_SEND_SIGNALED when it is the round's last one. */
	void (*request)(const struct rb_verify *v,
			const struct rb_verify_message *m,
			struct ibv_send_wr *wr);
	/* The responder's places before the round @r. */
	void (*lay)(struct rb_verify_lane *l, const struct rb_verify_round *r);
	/* A receive completed: of flow @i of the lane; -1: of none of them. */
	void (*arrive)(struct rb_verify_lane *l, const struct ibv_wc *wc,
		       int i);
	/* At the round's end, at the responder and at the initiator. */
	void (*check_taken)(struct rb_verify_lane *l,
			    const struct rb_verify_round *r);
	void (*check_brought)(struct rb_verify_lane *l,
			      const struct rb_verify_round *r);
	/* The same of all lanes together, by the first one. */
	void (*sum_taken)(struct rb_verify_lane *l,
			  const struct rb_verify_round *r);
	void (*sum_brought)(struct rb_verify_lane *l,
			    const struct rb_verify_round *r);
	/* Receives that a round of @n takes on each QP. */
	uint32_t (*arrivals)(uint32_t n);
	bool takes_data; /* what arrives lies in its receive */
};

const struct rb_verify_kind *rb_verify_kind(enum rb_verb verb);

#endif
