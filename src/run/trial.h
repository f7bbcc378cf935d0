/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trial - one test of 'rbench check': two ends, one request, what came of it
 *
 *   client                               server
 *     test { seq, name, size, out }  ->
 *                                    <-  test { seq, skip? }
 *     endpoints ...                  <->  (peer/conn.h) a connection of its own
 *     ready                          ->
 *                                    <-  ready
 *     outcome, by who acts first     <->  outcome
 *
 * One end acts: it posts one request. The other one responds: it has prepared
 * memory and receives, and looks afterwards at what is in that memory. Each
 * trial has objects of its own, since an error ends a queue pair. An end that
 * cannot go on says so by an "error" frame, and both are ready for the next
 * trial: whatever was under way is dropped up to the next "test".
 */
#ifndef RB_TRIAL_H
#define RB_TRIAL_H

#include <infiniband/verbs.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "peer/conn.h"
#include "verbs/cq.h"

struct rb_dev;
struct rb_ends;
struct rb_oob;
struct rb_pool;
struct rb_trial;

enum rb_trial_flags {
	RB_TRIAL_CONNECT = 1 << 0,  /* the connection is all of it */
	RB_TRIAL_MANUAL = 1 << 1,   /* connect by hand, or by rdma_cm, whatever -R */
	RB_TRIAL_CM = 1 << 2,
	RB_TRIAL_SIZED = 1 << 3,    /* with every size, in both directions */
	RB_TRIAL_ATOMIC = 1 << 4,
	RB_TRIAL_RECEIVE = 1 << 5,  /* the responder posts a receive */
	RB_TRIAL_SHORT = 1 << 6,    /* one that is too short */
	RB_TRIAL_OTHER_PD = 1 << 7, /* the responder's memory has another PD */
	RB_TRIAL_DEAD_PEER = 1 << 8, /* the responder's QP takes nothing in */
	RB_TRIAL_ASKED = 1 << 9,    /* not part of the matrix: takes long */
	RB_TRIAL_DATAGRAM = 1 << 10, /* over UD; larger sizes are cut to the path MTU */
	RB_TRIAL_OVER_MTU = 1 << 11, /* larger than any MTU, whatever --size */
	RB_TRIAL_DROPPED = 1 << 12, /* nothing of it may arrive; nobody tells the sender */
};

#define RB_WC(status) (1ull << (status))

struct rb_trial_row {
	const char *name;
	const char *what; /* "write with a wrong rkey" */
	enum ibv_wr_opcode opcode;
	unsigned int flags;
	unsigned int qp_access, mr_access; /* that the responder grants */
	uint64_t expect; /* RB_WC() of each status that is right */
	/* make the request wrong before it is posted; or NULL */
	void (*spoil)(struct rb_trial *t, struct ibv_send_wr *wr);
};

/* The row provokes an error, which --inject can show. */
bool rb_trial_provokes(const struct rb_trial_row *row);

extern const struct rb_trial_row rb_trial_rows[];
extern const size_t rb_ntrials;

/* The row called @name; NULL when there is none. */
const struct rb_trial_row *rb_trial_find(const char *name);

/* What a trial uses and does not own: the same for all trials of an end. */
struct rb_trial_end {
	struct rb_oob *oob;
	const struct rb_dev *dev;
	const struct rb_ends *ends;
	struct rb_path path;
	bool pkey_given; /* path.pkey_index is the user's */
	bool client;
	bool cm; /* where the row does not say how to connect */
};

/* What came of it at one end. */
struct rb_outcome {
	bool completed; /* there was a completion: status, vendor_err */
	unsigned int status, vendor_err;
	unsigned int refused; /* errno of the post that was refused; 0: none was */
	bool lost; /* a datagram, which has left and did not arrive here */
	char wrong[160]; /* with the memory or the receive here; "": nothing */
};

struct rb_trial {
	const struct rb_trial_row *row;
	const struct rb_trial_end *end;
	uint32_t size;
	bool acts;
	/* owned */
	struct ibv_pd *pd, *other_pd;
	struct rb_pool *local, *target;
	struct rb_cq cq;
	struct rb_qp qp;
	struct rb_conn conn;
};

/*
 * Make everything, connect, act or respond, and take it all down again; both
 * ends call it with the same row, @t's first four fields set. 0 or a negative
 * errno (reported; the peer has been told).
 */
int rb_trial_run(struct rb_trial *t, struct rb_outcome *mine,
		 struct rb_outcome *theirs);

#endif
