/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyverb - what each verb does in a round of verify, and how it is checked
 */
#ifndef RB_VERIFYVERB_H
#define RB_VERIFYVERB_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "run/verb.h"

struct rb_verify;

#define RB_VERIFY_RECEIVE_FLAG (1ull << 63) /* in wr_id */

struct rb_verify_kind {
	/* Describe message @seq in slot @k of QP @qp; the round's last one is
	 * @last. The payload, if any, is in place. */
	void (*request)(const struct rb_verify *v, uint32_t qp, uint32_t k,
			uint64_t seq, struct ibv_send_wr *wr);
	/* The responder makes ready for @n messages from @first. 0 or -errno. */
	int (*offer)(struct rb_verify *v, uint64_t first, uint32_t n);
	/* A receive of @qp completed. */
	void (*arrive)(struct rb_verify *v, uint32_t qp, const struct ibv_wc *wc);
	/* At the round's end, at the responder and at the initiator. */
	void (*check_taken)(struct rb_verify *v, uint64_t first, uint32_t n);
	void (*check_brought)(struct rb_verify *v, uint64_t first, uint32_t n);
	/* Arrivals that end a round of @n, on each QP. */
	uint32_t (*arrivals)(uint32_t n);
	bool fills; /* the initiator makes the payloads */
};

const struct rb_verify_kind *rb_verify_kind(enum rb_verb verb);

#endif
