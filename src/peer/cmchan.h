/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmchan - what the files of the method "cm" share: the event channel, and how
 * its events fail
 */
#ifndef RB_CMCHAN_H
#define RB_CMCHAN_H

#include <rdma/rdma_cma.h>
#include <stdint.h>

struct rb_conn;
struct rb_oob;

struct rb_cm {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct rdma_cm_id **ids; /* one a QP */
	uint32_t nids;
	uint64_t token;
	uint32_t established;
};

/* Make conn->cm, for as many ids as there are QPs. 0 or -errno (reported). */
int rb_cm_create(struct rb_conn *conn);
void rb_cm_close(struct rb_conn *conn);

/*
 * Wait for the next event, which must be acknowledged; also for a signal and for
 * the peer's word that it gives up. 0 or a negative errno (reported).
 */
int rb_cm_next_event(struct rb_conn *conn, struct rdma_cm_event **event);

/* Report an event that was not expected; returns its negative errno. */
int rb_cm_event_failed(const struct rdma_cm_event *event);

/*
 * A rejection by CM comes ahead of the words of the peer that rejected: give them
 * a moment. Returns its errno when the peer has spoken (reported), else 0.
 */
int rb_cm_hear_reason(struct rb_oob *oob);

/* Move QP @i with @id's attributes to INIT, and on to RTS. */
int rb_cm_move_datagram(struct rb_conn *conn, struct rdma_cm_id *id,
			uint32_t i);

/* Join conn->group on both ends in place of connecting (cmgroup.c). */
int rb_cm_join(struct rb_conn *conn);

#endif
