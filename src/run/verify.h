/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verify - a run in which every payload is checked
 *
 * Messages go in rounds, whose contents follow from (QP, sequence number). At a
 * round's end the ends compare and tell each other on the side channel. The rate
 * that results is that of filling and checking, not of the device; the document
 * says so.
 *
 *   write   Each QP writes to its places, which the responder made blank; the last
 *           message of the round carries immediate data, so that its completion at
 *           the responder, which the transport orders after the data of all
 *           messages before it, says that memory may be read (IB specification
 *           9.5, 10.7.3.3). With --imm each message does, and has to be told of.
 *   send    Each message carries its sequence number as immediate data; the
 *           receives lie in the places in turn.
 *   read    The responder fills its places before the round, the initiator looks
 *           at what it brought.
 *   atomic  Fetch-and-add: all QPs count on one word; every old value has to be
 *           seen once, and the word to end at the sum. Compare-and-swap: each QP
 *           swaps its own word from one sequence number to the next; old values
 *           and the last one are known.
 *
 * Places. The messages of a round lie side by side; with --footprint they walk on
 * through all of it as those of a stream do, from round to round, and a round is
 * no longer than the way back to its first place.
 *
 * Threads. Each lane has its QPs and does all of a round with them. The first one's
 * thread also speaks with the peer; between two phases of a round the others wait.
 *
 * Over UC and UD a message may be lost: a place that is blank still, a packet's
 * part of it, or a number that did not come is counted as lost, not as corrupt.
 */
#ifndef RB_VERIFY_H
#define RB_VERIFY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "run/lane.h"
#include "run/load.h"
#include "run/result.h"
#include "run/session.h"
#include "run/verifyfault.h"

struct rb_cores;
struct rb_monitor;

#define RB_VERIFY_RECEIVES 2 /* of each QP, where one a round is used */
#define RB_VERIFY_BYTES (64u << 20) /* of places, all QPs together */
#define RB_VERIFY_RECEIVE_FLAG (1ull << 63) /* in wr_id; below it, its number */

struct rb_verify_counts {
	uint64_t checked, corrupt, lost;
};

struct rb_verify_round {
	uint64_t first; /* number of its first message */
	uint32_t n;	/* messages of each QP */
};

/* What messages that arrive name a queue pair by. */
struct rb_verify_name {
	uint32_t number, qp;
};

struct rb_verify;

/* What a lane's thread has of its own while payloads are checked. */
struct rb_verify_lane {
	struct rb_verify *v;
	struct rb_lane *lane;
	uint8_t *scratch; /* a message to compare with */
	uint64_t first;	  /* number of the first message that arrives now */
	uint64_t arrived; /* of the round */
	bool imm_wrong;	  /* in the round */
	/* found in this round: of what arrived, of what was brought */
	struct rb_verify_counts taken, brought;
	struct rb_verify_fault fault; /* the first that was found */
} __attribute__((aligned(RB_CACHE_LINE)));

struct rb_verify {
	struct rb_session *session;
	struct rb_monitor *monitor;
	struct rb_oob *oob;
	struct rb_intr *intr; /* looked at between rounds */
	const struct rb_cores *cores;
	enum rb_verb verb;
	uint32_t size;
	uint32_t slots; /* messages of a QP that have places at once */
	uint32_t most;	/* messages of each QP in a round, slots at most */
	uint32_t pitch; /* from one place to the next, without a walk */
	uint32_t grh;	/* bytes in front of what arrives */
	uint32_t rx_length; /* of a receive */
	bool walks;
	struct rb_walk walk;
	bool sends, receives;
	uint64_t messages;    /* of each QP; RB_AUTO: by time */
	uint64_t duration_ns;
	struct rb_verify_lane *lanes;
	struct rb_verify_round out, in, next; /* goes, came, is to come; n 0: none */
	uint64_t *due;	/* of each QP: the number that should come */
	uint8_t *seen;	/* slots of each QP: its immediate data, or old value, was */
	struct rb_verify_name *names; /* queue pairs by their numbers, sorted */
	atomic_int gone; /* the peer: a negative errno, reported; 0: it is there */
	/* results */
	uint64_t sent; /* from here */
	struct rb_verify_counts here, peer; /* found here, and there */
	struct rb_verify_fault fault, peer_fault; /* the first of each */
	atomic_bool interrupted;
};

/* Bytes from place to place for messages of @size. */
uint32_t rb_verify_pitch(uint64_t size);

/*
 * Messages of each of @qps QPs that have places at once: one at least, at most
 * @depth, as go into RB_VERIFY_BYTES and, with a footprint (@load), into that.
 */
uint32_t rb_verify_slots(const struct rb_load_opts *load, uint64_t size,
			 uint64_t qps, uint64_t depth);

/* Bytes of each QP's region for that. */
uint64_t rb_verify_region(const struct rb_load_opts *load, uint64_t size,
			  uint64_t qps, uint64_t depth);

/*
 * Make ready for the first round: what arrives finds blank memory and receives.
 * Before the barrier of a size. 0 or -errno (reported).
 */
int rb_verify_prepare(struct rb_verify *v);
void rb_verify_free(struct rb_verify *v);

/*
 * Where message @seq, the @k-th of its round, lies in the memory of its QP, at
 * both ends; and the @number-th receive of a QP, of those that take data.
 */
uint64_t rb_verify_place(const struct rb_verify *v, uint64_t seq, uint32_t k);
uint64_t rb_verify_receive_place(const struct rb_verify *v, uint64_t number);

/* Index of the queue pair to which messages with @qp_num arrive; -1: none of ours. */
int rb_verify_qp_of(const struct rb_verify *v, uint32_t qp_num);

/* May messages get lost? */
static inline bool rb_verify_lossy(const struct rb_verify *v)
{
	return v->session->plan.type == IBV_QPT_UC ||
	       v->session->plan.type == IBV_QPT_UD;
}

/* The first wrong message; this end's if there is one. NULL: there is none. */
const struct rb_verify_fault *rb_verify_first(const struct rb_verify *v);

/*
 * Run; fills @r (time, messages, checked, corrupt, lost, and where the first fault
 * is). 0 or -errno (reported); corruption is not an error here: see the counts.
 */
int rb_verify_run(struct rb_verify *v, struct rb_bw_result *r);

/* The payload of message @seq of QP @qp, @n bytes. */
void rb_verify_fill(uint8_t *to, uint32_t n, uint32_t qp, uint64_t seq);

#endif
