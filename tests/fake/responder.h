/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * responder - what the far end of a message does, done by the requester
 *
 * Each function runs with the destination's wire_qp lock held and returns a
 * completion status for the requester, or one of the outcomes below.
 */
#ifndef FAKE_RESPONDER_H
#define FAKE_RESPONDER_H

#include "fake.h"
#include "memory.h"

enum outcome {
	OUT_LOST	= -1,		/* nobody answers */
	OUT_NOT_READY	= -2,		/* no receive is posted */
};

struct message {
	struct fake_qp *qp;
	const struct fake_wqe *wqe;
	const struct wire_peer *peer;
	struct wire_qp *dst;
	struct wire_srq *srq;		/* XRC: the one that was named */
	uint32_t pd;			/* whose keys hold at the far end */
	struct span src;		/* payload, or the READ's destination */
};

/* Refuse the request; an unreliable transport drops it and carries on. */
int respond_nak(const struct message *m, int status, int event);

int respond_write(const struct message *m);
int respond_read(const struct message *m);
int respond_atomic(const struct message *m);
int respond_send(const struct message *m);

#endif
