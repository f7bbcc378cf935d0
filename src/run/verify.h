/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verify - a run in which every payload is checked
 *
 * Messages go in rounds, whose contents follow from (QP, sequence number). At a
 * round's end the ends compare and tell each other on the side channel. The rate
 * that results is that of filling and checking, not of the device; the document
 * says so.
 *
 *   write   Each QP writes its slots; the last message of the round carries
 *           immediate data, so that its completion at the responder, which the
 *           transport orders after the data of all messages before it, says that
 *           memory may be read (IB specification 9.5, 10.7.3.3).
 *   send    Each message carries its sequence number as immediate data; the
 *           receives lie in the slots in turn.
 *   read    The responder fills its slots before the round, the initiator looks
 *           at what it brought.
 *   atomic  Fetch-and-add: all QPs count on one word; every old value has to be
 *           seen once, and the word to end at the sum. Compare-and-swap: each QP
 *           swaps its own word from one sequence number to the next; old values
 *           and the last one are known.
 *
 * Over UC and UD a message may be lost: a slot that still holds the content of the
 * round before, or a number that did not come, is counted as lost, not as corrupt.
 */
#ifndef RB_VERIFY_H
#define RB_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "run/result.h"
#include "run/session.h"

struct rb_monitor;

#define RB_VERIFY_RECEIVES 2 /* of each QP, where one a round is used */
#define RB_VERIFY_BYTES (64u << 20) /* of slots, all QPs together */

struct rb_verify_counts {
	uint64_t checked, corrupt, lost;
};

struct rb_verify {
	struct rb_session *session;
	struct rb_monitor *monitor;
	struct rb_oob *oob;
	struct rb_intr *intr; /* looked at between rounds */
	enum rb_verb verb;
	uint32_t size, slots;
	uint32_t pitch; /* from one slot to the next */
	uint32_t grh;	/* bytes in front of what arrives */
	bool sends, receives;
	uint64_t messages;    /* of each QP; RB_AUTO: by time */
	uint64_t duration_ns;
	uint64_t arrived; /* of the round */
	uint64_t first;	  /* number of the round's first message that arrives here */
	uint64_t *next;	  /* of each QP: the number that should come */
	uint8_t *seen;	  /* a bit for each old value of a round */
	uint8_t *scratch; /* a message to compare with */
	/* found here in this round: of what arrived, of what was brought */
	struct rb_verify_counts taken, brought;
	/* results */
	uint64_t sent; /* from here */
	struct rb_verify_counts here, peer; /* found here, and there */
	bool interrupted;
};

/* Bytes from slot to slot for messages of @size. */
uint32_t rb_verify_pitch(uint64_t size);

/* Slots of each QP for messages of @size. */
uint32_t rb_verify_slots(uint64_t size, uint64_t qps, uint64_t depth);

/* Bytes of each QP's region for that. */
uint64_t rb_verify_region(uint64_t size, uint64_t qps, uint64_t depth);

/*
 * Make ready for the first round: what arrives finds blank memory and receives.
 * Before the barrier of a size. 0 or -errno (reported).
 */
int rb_verify_prepare(struct rb_verify *v);
void rb_verify_free(struct rb_verify *v);

/* Slot @k of @qp in the memory at @base. */
static inline uint8_t *rb_verify_slot(const struct rb_verify *v, uint8_t *base,
				      uint32_t qp, uint32_t k)
{
	return base + qp * v->session->stride + (uint64_t)k * v->pitch;
}

/* May messages get lost? */
static inline bool rb_verify_lossy(const struct rb_verify *v)
{
	return v->session->plan.type != IBV_QPT_RC;
}

/*
 * Run; fills @r (time, messages, checked, corrupt, lost). 0 or -errno
 * (reported); corruption is not an error here: see the counts.
 */
int rb_verify_run(struct rb_verify *v, struct rb_bw_result *r);

/* The payload of message @seq of QP @qp, @n bytes; exposed for its test. */
void rb_verify_fill(uint8_t *to, uint32_t n, uint32_t qp, uint64_t seq);

#endif
