/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cm - the double of librdmacm
 *
 * An event channel is a pipe of records. An id has an entry in its process's
 * arena, by which others find a listener and the pipe to answer to; local
 * progress (an address resolved) is a record to oneself. The state of an id
 * moves when its owner takes a record out of the pipe, as it moves with
 * rdma_get_cm_event in the real library.
 */
#ifndef FAKE_CM_H
#define FAKE_CM_H

#include "fake.h"

#include <netinet/in.h>
#include <rdma/rdma_cma.h>

enum cm_state {
	CM_IDLE, CM_BOUND, CM_ADDR, CM_ROUTE, CM_LISTENING,
	CM_CONNECTING,			/* active: request sent */
	CM_REQUESTED,			/* passive: request got */
	CM_ACCEPTED,			/* passive: answer sent */
	CM_RESPONDED,			/* active: answer got */
	CM_CONNECTED, CM_CLOSED
};

enum { REJECT_NO_LISTENER = 8, REJECT_CONSUMER = 28 };	/* IBTA, REJ reasons */

struct cm_channel {
	struct rdma_event_channel ch;
	struct fake_obj obj;
	int wfd;
};

/* What the other side has to know; also kept in the id. */
struct cm_end {
	uint32_t slot, index, gen;
	uint32_t qpn, psn, qkey;
	uint32_t addr;			/* network order, as the port */
	uint16_t port;
	uint8_t responder_resources, initiator_depth;
	uint8_t retry_count, rnr_retry_count, flow_control, srq;
	int32_t dev;
};

struct cm_record {
	uint32_t index, gen;		/* the id that it is for */
	int32_t event, status;
	struct cm_end from;
	uint32_t to_addr;
	uint8_t private_len;
	uint8_t private_data[WIRE_PRIVATE];
};

struct cm_id {
	struct rdma_cm_id id;
	struct fake_obj obj;
	struct wire_cmid *w;
	uint32_t index;
	enum cm_state state;
	struct cm_end own, far;
	struct wire_peer *peer;
	bool mourned;			/* the peer's death was noticed */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	uint32_t events_got, events_acked;
};

struct cm_event {
	struct rdma_cm_event event;	/* first: freed by this address */
	struct cm_id *counted;		/* the id whose destruction it holds up */
	uint8_t private_data[WIRE_PRIVATE];
};

/* cm.c */
extern struct cm_id *cm_ids[WIRE_CMIDS];
extern pthread_mutex_t cm_lock;		/* the table, and states */

static inline struct cm_id *to_cm(struct rdma_cm_id *id)
{
	return (struct cm_id *)(void *)id;
}

struct cm_id *cm_id_new(struct rdma_event_channel *channel, void *context,
			enum rdma_port_space ps);
struct ibv_context *cm_context(int dev);
int cm_fail(int err);			/* sets errno, returns -1 */

/* cm_addr.c */
void cm_addr_set(struct sockaddr_storage *to, uint32_t addr, uint16_t port);
int cm_addr_dev(uint32_t addr);		/* -1: not ours */
void cm_set_device(struct cm_id *id, int dev);

/* cm_conn.c */
void cm_tell_self(struct cm_id *id, int event, int status);
bool cm_tell_peer(struct cm_id *id, int event, int status,
		  const void *data, uint8_t len);
void cm_hang_up(struct cm_id *id);

/* DISCONNECTED, at most once for an id whoever says it. */
void cm_disconnect_self(struct cm_id *id);

/* cm_group.c: the event of a group that was joined, from its private data */
void cm_group_fill(const struct cm_id *id, struct rdma_ud_param *ud);

/* cm_qp.c */
int cm_qp_connect(struct cm_id *id);
bool cm_qp_is_ours(const struct cm_id *id); /* to connect, not the program's */
int cm_qp_attr(struct cm_id *id, struct ibv_qp_attr *attr, int *mask);

#endif
