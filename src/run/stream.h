/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stream - the loop that keeps send queues full and counts completions
 *
 * Credits. A flow is one QP. It begins with as many credits as its send queue
 * has places (the depth). Posting a message takes one; a completion gives back
 * as many as messages have been posted since the completion before it, a number
 * that travels in the upper half of the request's wr_id. Only every mod-th
 * message asks for a completion, and so does the last one of a flow; since mod
 * never exceeds the depth, there is always a completion under way while a flow
 * is without credits, and the loop cannot stand still.
 *
 *      depth = 8, mod = 3         s: asks for a completion
 *      posted  . . s . . s . .    credits 0: wait
 *      completion of the first s: 3 credits, wr_id = 3 << 32 | flow
 *
 * Flows with credits wait in a ring, so that the cost of a turn does not depend
 * on how many QPs there are: a completion puts its flow into the ring, the post
 * half of the loop takes it out and fills its queue. Turns are fair because
 * completions come in the order in which the device works.
 *
 * Receives. What arrives takes a posted receive; the flow then owes one, and owed
 * ones are posted in batches, each a part of the queue, so that it never runs dry.
 * Of a shared receive queue the first flow keeps the account. Over UD nobody waits
 * for the receiver: a message that finds no receive is lost, and the difference
 * between what was sent and what arrived is part of the result.
 *
 * Immediate data is the flow's number above the lower half of the message's: what
 * arrives tells its flow even from a shared queue, and a gap shows. The loop only
 * gathers the bits that were wrong; what they mean is said after it.
 *
 * Load. What few ask for is in one instance of the loop that looks at everything
 * while it runs (loaded); the others know nothing of it. There messages may be
 * due at a rate: a flow is taken out of the ring when the time of its next burst
 * has come, posts that, and goes to the ring's end if it could post more. So
 * flows take turns, and the time that a burst takes is added to when the next is
 * due, not to when it was posted: a loop that was late catches up, by up to
 * RB_PACE_LAG_NS, but not beyond the edge of the window, in which the rate would
 * be more than was asked for. A run by count ends when one more would be due. And messages may walk through more memory than one page, and be
 * made of pieces. The next place is offset * factor + step (mod mask + 1): factor
 * 1 walks by step, another makes each slot follow each other in no order that a
 * prefetcher knows, once in a round (Knuth, TAOCP vol. 2, 3.2.1.2).
 *
 * Time. Once a turn the loop compares the counter with window->next. That single
 * comparison is its stop rule: intervals, the window's edges, a signal, the
 * peer's word and the death of a QP are all looked at behind it. A run by count
 * ends when each flow has posted its messages and got all credits back.
 */
#ifndef RB_STREAM_H
#define RB_STREAM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "run/verb.h"
#include "run/window.h"

struct rb_cq;

#define RB_RECEIVE_BATCH 16
#define RB_PACE_LAG_NS RB_NS_PER_S

struct rb_flow {
	struct ibv_qp_ex *qpx; /* NULL: by ibv_post_send */
	struct ibv_qp *qp;
	uint64_t laddr, raddr; /* where messages are taken from and go to */
	uint32_t lkey, rkey;   /* of the regions there; arrivals have lkey's too */
	uint64_t left;	       /* messages still to be posted */
	uint32_t credits;
	uint32_t since; /* posted since the last request for a completion */
	uint64_t offset; /* of the next message in both buffers */
	uint32_t place; /* of this flow in the array, in bytes: what wr_id carries */
	uint32_t until; /* pingpong.h: messages until it is time to tidy up */
	bool asked;	/* a completion was asked for and not seen yet */
	uint64_t rx_addr; /* where messages arrive */
	uint32_t rx_posted; /* verify.h: receives that are there, and ... */
	uint64_t rx_number; /* ... of the next to be posted */
	uint64_t rx_offset; /* of the next receive there */
	uint32_t rx_owed; /* receives that were used and not posted again */
	struct ibv_ah *ah; /* UD: where to, with peer_qpn */
	uint32_t peer_qpn;
	uint32_t index;
	uint16_t seq, rx_seq; /* of immediate data: next to send, to arrive */
	struct ibv_send_wr *chain; /* a list of requests, linked; NULL with qpx */
	bool queued;		   /* in the ring */
};

/* Where a stream ended; on RB_STREAM_COMPLETION wc and its flow tell more. */
enum rb_stream_end {
	RB_STREAM_DONE,
	RB_STREAM_POST,	      /* the device refused a request: err */
	RB_STREAM_COMPLETION, /* a request completed with an error: wc */
	RB_STREAM_POLL,	      /* the CQ could not be polled or waited for: err */
	RB_STREAM_STALLED,    /* nothing completed while draining */
};

struct rb_stream {
	/* set by the caller */
	struct rb_flow *flows;
	uint32_t nflows;
	struct rb_flow **ring; /* ring_mask + 1 places, nflows at least */
	uint32_t ring_mask;
	struct rb_cq *cq;
	struct rb_window *window;
	const struct rb_clock *clock;
	uint32_t depth, mod, list;
	uint32_t length;
	bool inlined;		  /* data goes with the request */
	enum rb_verb verb;
	bool datagram;		 /* UD */
	unsigned int send_flags; /* of every request: inline, solicited */
	uint32_t qkey;
	struct ibv_srq *srq; /* NULL: each flow has its own receives */
	uint32_t rx_length; /* of a posted receive */
	uint32_t rx_batch;  /* receives posted in one call; 0: none are */
	uint64_t step, mask; /* messages walk through mask + 1 bytes by step;
			      * powers of two, or step 0: always the same place */
	bool loaded; /* what follows is to be looked at */
	uint64_t factor; /* of the walk, beside step and mask; 1: by steps */
	uint32_t sges; /* pieces of a message, in each direction */
	uint64_t rx_step, rx_mask; /* the walk of receives; step 0: none */
	uint64_t gap;	   /* ticks between messages; 0: as fast as it goes */
	uint32_t gap_part; /* and 2^-32 of a tick */
	uint32_t burst;	   /* messages of a flow that go together */
	int wake_fd;	     /* ends a sleep in event mode */
	uint64_t stall_ns;   /* how long draining may see no completion */
	/* the loop's */
	uint32_t ring_head, ring_tail; /* taken from, put to; both only grow */
	uint32_t busy;	    /* flows that have messages or credits out */
	uint64_t messages;  /* of each flow, as prepared */
	uint64_t due;	    /* loaded: when the next burst may go, in ticks */
	uint32_t due_part;
	uint64_t lag;	    /* ticks that it catches up at most */
	uint64_t completed; /* messages sent, read, ... */
	uint64_t received;  /* messages that took a receive */
	uint32_t imm_wrong; /* bits in which immediate data was not as expected */
	bool armed;	    /* an event was asked for, and the CQ polled since */
	uint64_t idle_since; /* rb_clock_counter(); 0: not idle */
	uint64_t spin;	     /* counts to spin before sleeping */
	struct ibv_recv_wr rx_wr[RB_RECEIVE_BATCH]; /* as posted last */
	struct ibv_sge rx_sge;
	uint32_t rx_linked;
	struct ibv_wc wc;
	int err;
};

/*
 * Prepare the flows for a run of @messages each (UINT64_MAX: until the window
 * ends). The queues must be empty.
 */
void rb_stream_prepare(struct rb_stream *s, uint64_t messages);

/*
 * How many messages of flow @i have completed: what was posted but for what is
 * out. Nothing is counted for it while the loop runs.
 */
uint64_t rb_stream_share(const struct rb_stream *s, uint32_t i);

/* Pace the stream at @messages_per_s, in bursts of @burst of a flow. */
void rb_stream_pace(struct rb_stream *s, double messages_per_s, uint32_t burst);

/* Has the time of the next burst come? What was lost is made up in part. */
bool rb_stream_is_due(struct rb_stream *s);

/*
 * Its window opens: what was late before is not made up inside, and what is out
 * already is of the messages that are due in it.
 */
void rb_stream_forget_lag(struct rb_stream *s);

/* Run until the window or the count is over and everything has completed. */
enum rb_stream_end rb_stream_run(struct rb_stream *s);

/*
 * Post @depth receives on each flow; once, before the peer may send. Returns 0
 * or the errno value of ibv_post_recv.
 */
int rb_stream_post_receives(struct rb_stream *s, uint32_t depth);

/* Take what is still there after that, for a moment. */
enum rb_stream_end rb_stream_settle(struct rb_stream *s);

/* Take what arrives, and post receives again, until the window is over. */
enum rb_stream_end rb_stream_receive(struct rb_stream *s);

#endif
