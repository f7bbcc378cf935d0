/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_event - taking events out of a channel, and watching over peers. */

#define _GNU_SOURCE
#include "cm.h"
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY_NS = 20000000 };

static struct cm_id *find(uint32_t index, uint32_t gen)
{
	struct cm_id *id = index < WIRE_CMIDS ? cm_ids[index] : NULL;

	return id && id->own.gen == gen ? id : NULL;
}

static void keep_far(struct cm_id *id, const struct cm_record *r)
{
	id->far = r->from;
	if (!id->peer || id->peer->slot != r->from.slot) {
		wire_peer_put(id->peer);
		id->peer = wire_peer_get(r->from.slot);
	}
}

/* A request makes the id that it will be accepted on. */
static struct cm_id *new_connection(struct cm_id *listener,
				    const struct cm_record *r)
{
	struct cm_id *id = cm_id_new(listener->id.channel,
				     listener->id.context, listener->id.ps);
	struct rdma_addr *addr;
	struct ibv_gid_entry e;
	int dev = cm_addr_dev(r->to_addr);

	if (!id)
		return NULL;
	addr = &id->id.route.addr;
	keep_far(id, r);
	id->own.initiator_depth = r->from.responder_resources;
	id->own.responder_resources = r->from.initiator_depth;
	cm_set_device(id, dev < 0 ? 0 : dev);
	id->own.addr = r->to_addr;
	id->own.port = listener->own.port;
	cm_addr_set(&addr->src_storage, r->to_addr, listener->own.port);
	cm_addr_set(&addr->dst_storage, r->from.addr, r->from.port);
	if (!gid_entry(r->from.dev, (uint32_t)gid_for_cm(r->from.dev), &e))
		addr->addr.ibaddr.dgid = e.gid;
	id->state = CM_REQUESTED;
	return id;
}

/* With a queue pair of the id's own, the library finishes the handshake. */
static void take_response(struct cm_id *id, const struct cm_record *r,
			  struct rdma_cm_event *event)
{
	keep_far(id, r);
	id->own.initiator_depth = id->far.responder_resources;
	id->own.responder_resources = id->far.initiator_depth;
	id->state = CM_RESPONDED;
	if (!cm_qp_is_ours(id))
		return;
	if (cm_qp_connect(id)) {
		event->event = RDMA_CM_EVENT_CONNECT_ERROR;
		event->status = -errno;
		return;
	}
	cm_tell_peer(id, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, 0);
	event->event = RDMA_CM_EVENT_ESTABLISHED;
	id->state = CM_CONNECTED;
}

/* Move the id's state. Returns false for an event that does not fit it. */
static bool apply(struct cm_id *id, const struct cm_record *r,
		  struct rdma_cm_event *event)
{
	switch (r->event) {
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		if (id->state != CM_CONNECTING)
			return false;
		take_response(id, r, event);
		return true;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (id->state != CM_ACCEPTED && id->state != CM_CONNECTING)
			return false;
		if (id->state == CM_CONNECTING)
			keep_far(id, r);
		id->state = CM_CONNECTED;
		return true;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
		id->state = CM_CLOSED;
		return true;
	default:
		return true;
	}
}

static void fill_ud(struct cm_id *id, const struct cm_record *r,
		    struct cm_event *e)
{
	struct rdma_ud_param *ud = &e->event.param.ud;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	ud->private_data = r->private_len ? e->private_data : NULL;
	ud->private_data_len = r->private_len;
	if (r->event == RDMA_CM_EVENT_MULTICAST_JOIN) {
		cm_group_fill(id, ud);
		return;
	}
	ud->qp_num = r->from.qpn;
	ud->qkey = r->from.qkey;
	id->far = r->from;
	if (!cm_qp_attr(id, &attr, &mask))
		ud->ah_attr = attr.ah_attr;
}

static void fill_conn(const struct cm_record *r, struct cm_event *e)
{
	struct rdma_conn_param *c = &e->event.param.conn;

	c->private_data = r->private_len ? e->private_data : NULL;
	c->private_data_len = r->private_len;
	c->qp_num = r->from.qpn;
	/* the peer's depth is what this side has to be able to answer */
	c->responder_resources = r->from.initiator_depth;
	c->initiator_depth = r->from.responder_resources;
	c->flow_control = r->from.flow_control;
	c->retry_count = r->from.retry_count;
	c->rnr_retry_count = r->from.rnr_retry_count;
	c->srq = r->from.srq;
}

static void fill_event(struct cm_id *id, const struct cm_record *r,
		       struct cm_event *e)
{
	e->event.id = &id->id;
	e->event.event = (enum rdma_cm_event_type)r->event;
	e->event.status = r->status;
	memcpy(e->private_data, r->private_data, sizeof(e->private_data));
	if (id->id.ps == RDMA_PS_UDP)
		fill_ud(id, r, e);
	else
		fill_conn(r, e);
}

static void hold(struct cm_id *id, struct cm_event *e)
{
	e->counted = id;
	pthread_mutex_lock(&id->lock);
	id->events_got++;
	pthread_mutex_unlock(&id->lock);
}

/* Returns the event of a record, or NULL when it concerns nobody any more. */
static struct cm_event *make_event(const struct cm_record *r)
{
	struct cm_id *id = find(r->index, r->gen), *listener = NULL;
	struct cm_event *e;

	if (!id)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	if (r->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		listener = id;
		id = new_connection(listener, r);
	}
	if (!id) {
		free(e);
		return NULL;
	}
	fill_event(id, r, e);
	if (listener)
		e->event.listen_id = &listener->id;
	if (!apply(id, r, &e->event)) {
		free(e);
		return NULL;
	}
	hold(listener ? listener : id, e);
	return e;
}

FAKE_EXPORT int rdma_get_cm_event(struct rdma_event_channel *channel,
				  struct rdma_cm_event **event)
{
	struct cm_record r;
	struct cm_event *e;

	FAKE_FAIL_MINUS(rdma_get_cm_event);
	do {
		if (wire_read(channel->fd, &r, sizeof(r)))
			return -1;
		e = make_event(&r);
	} while (!e);
	*event = &e->event;
	return 0;
}

FAKE_EXPORT int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	struct cm_event *e = (struct cm_event *)(void *)event;
	struct cm_id *id = e->counted;

	pthread_mutex_lock(&id->lock);
	id->events_acked++;
	pthread_cond_signal(&id->cond);
	pthread_mutex_unlock(&id->lock);
	free(e);
	return 0;
}

/* The kernel hangs up for a process that dies; here, its peers notice. */
static bool look_after(struct cm_id *id)
{
	bool waits = id->state == CM_CONNECTING || id->state == CM_ACCEPTED ||
		     id->state == CM_RESPONDED || id->state == CM_CONNECTED;

	if (!waits || !id->peer || id->mourned || id->id.ps == RDMA_PS_UDP)
		return false;
	if (wire_peer_alive(id->peer))
		return true;
	if (id->state == CM_CONNECTING)
		cm_tell_self(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	else
		cm_disconnect_self(id);
	id->mourned = true;
	return false;
}

uint64_t cm_tick(uint64_t now)
{
	bool more = false;
	uint32_t i;

	if (!obj_count(KIND_CM_ID))
		return UINT64_MAX;
	pthread_mutex_lock(&cm_lock);
	for (i = 0; i < WIRE_CMIDS; i++)
		if (cm_ids[i])
			more |= look_after(cm_ids[i]);
	pthread_mutex_unlock(&cm_lock);
	return more ? now + LOOK_EVERY_NS : UINT64_MAX;
}
