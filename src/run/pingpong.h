/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pingpong - the loop that sends one message and waits for the answer to it
 *
 *   leads            answers           what the end that leads measures
 *   post ---------->                   write, send: from just before the post
 *                    post              to the sight of the answer; half of it
 *   answer <--------                   is reported
 *   post ---------->                   read, atomic: to the completion; nobody
 *   completion <----                   answers there
 *
 * An answer is seen in the cheapest place there is: for a write, the last byte
 * of the receive slot, which devices fill last and whose value differs from one
 * message to the next; for a send, the receive's completion; for a read or an
 * atomic, its own completion. Recording a sample, posting receives again and
 * taking completions of one's own sends happen outside of what is timed: after
 * the answer, or while the next message is on its way.
 *
 * Completions of sends. An answer proves that the message before it arrived, so
 * the completion of a write or send tells nothing that has to be waited for; but
 * the queue's places are only free again once a later completion was polled.
 * Hence every 64th message (half the queue; of sends, as often as
 * receives are posted again; or as --cq-mod says) asks for one, and is only posted
 * once that of the one that asked before it was seen. So never more than 128 places are taken, and
 * what is looked for came long before. That costs less than a completion for each
 * message. An error completes whether it was asked for or not.
 *
 * Cost. Two time stamps are taken in an exchange, in ticks; the second also tells
 * whether it is time to look at the window. The histogram is kept in ticks, and
 * made nanoseconds of when the run is over. Few ask for messages at a rate, or for
 * the device's time of completions (hwlat.h): one instance of the loop is for all
 * of these and looks at everything; the others know nothing of it.
 *
 * Time. What is awaited is looked at a few times, then the counter is compared
 * with window->next; behind that come the window's edges, signals, the peer's
 * word and errors (window.h, monitor.h). So a peer that died ends the loop.
 */
#ifndef RB_PINGPONG_H
#define RB_PINGPONG_H

#include <stdbool.h>
#include <stdint.h>

#include "run/stream.h"

struct rb_hist;
struct rb_hwlat;

#define RB_PINGPONG_DEPTH 128u /* places in the send queue, 2 at least */
#define RB_PINGPONG_RECEIVES 16u /* posted ahead, when it is left to us */

struct rb_pingpong {
	/* set by the caller */
	struct rb_stream *stream; /* of one flow; its window tells when to end */
	bool leads;		  /* sends first, and measures */
	uint64_t messages;	  /* UINT64_MAX: until the window ends */
	/* where it leads: of whole round trips in ticks, while the window is open */
	struct rb_hist *hist;
	/*
	 * Where messages are due at a rate: of what passed from that moment on,
	 * in the unit that is reported (for a ping-pong the wait and half the round
	 * trip); NULL: each goes when the one before it has been answered. What is
	 * late stays due: a stall is counted for every message that it delayed.
	 */
	struct rb_hist *response;
	/* by the device's time too; NULL: no. Then the CQ is a stamped one */
	struct rb_hwlat *hwlat;
	bool half;	    /* the answer's way is not part of it */
	uint64_t gap;	    /* ticks between messages */
	uint32_t gap_part;  /* and 2^-32 of a tick */
	/* the loop's */
	struct ibv_cq *cq;
	uint64_t left; /* messages still to be exchanged */
	uint64_t due;  /* when to look at the window, in ticks; 0: after this one */
	uint64_t stamp; /* the device's, of the last answer */
	unsigned int looks; /* for answers that were not there yet */
	unsigned int spins; /* a mask: of these looks, from one to linger to the next */
	uint64_t idle_for; /* what left was when the loop began to wait */
	uint64_t turn; /* when the next message is due, in ticks; 0: now */
	uint32_t turn_part;
	uint8_t value; /* in the last byte of the present messages */
	uint8_t *out, *in; /* these bytes, of writes */
	bool fresh;	  /* the window opened: nothing is recorded of it yet */
	bool closing;	  /* the window is over, one answer is still awaited */
	uint64_t deadline_ns; /* of that */
	enum rb_stream_end end;
};

/* Receives that are posted at once, of @depth: one is always left for a message. */
RB_INLINE uint32_t rb_pingpong_rx_batch(uint32_t depth)
{
	return depth < 2 ? 1 : RB_MIN(depth, RB_PINGPONG_RECEIVES) - 1;
}

/*
 * Make both ends' slots ready. Before the barrier: nothing may be under way, and
 * the peer may send as soon as it has passed.
 */
void rb_pingpong_prepare(struct rb_pingpong *p);

/*
 * Exchange p->messages messages or until the window is over, and close it. May
 * be called again, with the window started anew, when both ends do. On
 * RB_STREAM_DONE no message is under way, unless the run was stopped.
 */
enum rb_stream_end rb_pingpong_run(struct rb_pingpong *p);

#endif
