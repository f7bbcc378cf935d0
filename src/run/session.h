/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session - everything that a run holds on a device, made in one order and
 * unmade in the reverse one
 *
 * device (given) -> PD (XRC: domain) -> memory -> lanes with a CQ (and SRQ) each -> QPs ->
 * connection; back: QPs to ERR, CQs drained, connection, QPs, lanes, memory, PD.
 * Two sessions in one process do not know of each other.
 */
#ifndef RB_SESSION_H
#define RB_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "peer/conn.h"
#include "run/lane.h"
#include "run/load.h"
#include "run/stream.h"
#include "verbs/cq.h"

struct rb_dev;
struct rb_oob;
struct rb_pool;

struct rb_session_plan {
	enum rb_verb verb;
	enum ibv_qp_type type;
	uint32_t qps, depth, list; /* depth: the largest of the sweep */
	uint32_t lanes; /* measuring threads, each with a part of the QPs */
	uint32_t senders; /* QPs that send: one to a multicast group, else all */
	uint32_t signals; /* requests of a QP that ask for completions at once */
	uint32_t max_inline; /* once the session is open: what holds */
	uint32_t try_inline; /* not 0: as much of this as the device takes */
	uint64_t region_bytes; /* of each QP, in each direction used */
	uint32_t largest; /* message of the sweep, with what stands before it */
	struct rb_load_opts load;
	bool sends, receives;  /* this end is initiator, responder, or both */
	uint32_t receive_depth; /* posted receives of a QP, or of the SRQ */
	bool srq;		/* one receive queue for all QPs */
	bool solicits;		/* what this end sends asks for an event */
	bool solicited;		/* this end waits for such only */
	bool with_imm; /* besides, some of what it sends has immediate data */
	bool post_send; /* by ibv_post_send even where there is ibv_wr_* */
	struct rb_cq_opts cq;
	bool mr_per_qp;	/* a memory region for each QP */
	const struct rb_mem_opts *mem; /* borrowed */
	const char *of; /* whose QPs these are, for errors: " of --x"; or NULL */
	uint32_t others; /* QPs that the process has besides */
};

struct rb_session {
	const struct rb_dev *dev;
	struct rb_session_plan plan;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd; /* NULL: no XRC */
	uint32_t *srqn;	       /* XRC: what each QP's requests arrive by; or NULL */
	struct rb_pool *pool;
	struct rb_lane *lanes;
	struct rb_qp *qps;
	struct rb_conn conn;
	/* a QP's memory is what it sends from, then what arrives */
	uint64_t part;	 /* bytes of each of them */
	uint64_t stride; /* from one QP's memory to the next one's */
	uint8_t *send_base, *recv_base; /* of the first QP */
	int failed_status;	 /* of the completion that ended it; 0: none */
};

/*
 * Check @plan against the device's limits and make everything up to the QPs
 * (RESET). 0 or a negative errno (reported: QP_LIMIT, DEPTH_LIMIT, ...); then
 * nothing is left.
 */
int rb_session_open(const struct rb_dev *dev, const struct rb_session_plan *plan,
		    struct rb_session *s);
void rb_session_close(struct rb_session *s);

/* { "bytes", "regions", "register_ns" } of its memory; a new reference. */
json_t *rb_session_memory_json(const struct rb_session *s);

/* Keys of @qp's memory at this end. */
uint32_t rb_session_lkey(const struct rb_session *s, uint32_t qp);

/*
 * Point @stream at the flows of @lane for messages of @size bytes: addresses,
 * keys, inline, prepared lists. The connection must have been made.
 */
void rb_session_aim(struct rb_session *s, struct rb_lane *lane, uint32_t size,
		    struct rb_stream *stream);

#endif
