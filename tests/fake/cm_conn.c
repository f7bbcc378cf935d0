/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_conn - connecting, accepting, rejecting, hanging up. */

#define _GNU_SOURCE
#include "cm.h"
#include "plan.h"

#include <errno.h>
#include <string.h>

enum { DEVICE_DEPTH = 16 };

void cm_tell_self(struct cm_id *id, int event, int status)
{
	struct cm_record r = {
		.index = id->index, .gen = id->own.gen, .event = event,
		.status = status, .from = id->far,
	};

	wire_signal(&proc.self, id->w->event_fd, &r, sizeof(r));
}

static bool tell(const struct wire_peer *peer, uint32_t index, uint32_t gen,
		 const struct cm_record *r)
{
	const struct wire_cmid *w = &peer->a->cm[index];

	if (load32(&w->gen) != gen || !wire_peer_alive(peer))
		return false;
	wire_signal(peer, w->event_fd, r, sizeof(*r));
	return true;
}

bool cm_tell_peer(struct cm_id *id, int event, int status,
		  const void *data, uint8_t len)
{
	struct cm_record r = {
		.index = id->far.index, .gen = id->far.gen, .event = event,
		.status = status, .from = id->own, .private_len = len,
	};

	if (!id->peer)
		return false;
	if (len)
		memcpy(r.private_data, data, len);
	return tell(id->peer, r.index, r.gen, &r);
}

/* Not given: what the other side asked for, or what the device can do. */
static uint8_t depth(const struct cm_id *id, int given, uint8_t other)
{
	if (given != RDMA_MAX_INIT_DEPTH)
		return (uint8_t)given;
	return id->state == CM_REQUESTED && other < DEVICE_DEPTH ? other :
	       DEVICE_DEPTH;
}

static void keep_param(struct cm_id *id, const struct rdma_conn_param *p)
{
	static const struct rdma_conn_param none = {
		.responder_resources = RDMA_MAX_RESP_RES,
		.initiator_depth = RDMA_MAX_INIT_DEPTH,
		.retry_count = 7, .rnr_retry_count = 7,
	};

	if (!p)
		p = &none;
	id->own.responder_resources = depth(id, p->responder_resources,
					    id->far.initiator_depth);
	id->own.initiator_depth = depth(id, p->initiator_depth,
					id->far.responder_resources);
	id->own.flow_control = p->flow_control;
	id->own.retry_count = p->retry_count & 7;
	id->own.rnr_retry_count = p->rnr_retry_count & 7;
	id->own.srq = p->srq;
	id->own.qpn = p->qp_num;
}

static bool is_first(struct wire_cmid *w)
{
	return !__atomic_exchange_n(&w->hung_up, 1, __ATOMIC_ACQ_REL);
}

void cm_disconnect_self(struct cm_id *id)
{
	if (is_first(id->w))
		cm_tell_self(id, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void disconnect_peer(struct cm_id *id)
{
	struct wire_cmid *w = id->peer ? &id->peer->a->cm[id->far.index] : NULL;

	if (w && load32(&w->gen) == id->far.gen && is_first(w))
		cm_tell_peer(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, 0);
}

static void keep_qp(struct cm_id *id)
{
	if (id->id.qp)
		id->own.qpn = id->id.qp->qp_num;
	if (id->id.ps == RDMA_PS_UDP)
		id->own.qkey = RDMA_UDP_QKEY;
}

static bool bad_private(const struct rdma_conn_param *p)
{
	return p && p->private_data_len > WIRE_PRIVATE;
}

static bool hears(const struct wire_cmid *w, const struct cm_id *id)
{
	return load32(&w->listening) && w->port == id->far.port &&
	       w->ps == id->w->ps && (!w->addr || w->addr == id->far.addr);
}

/* Find the listener and keep it as the far end. */
static bool find_listener(struct cm_id *id)
{
	uint32_t slot, i;

	for (slot = 1; slot < WIRE_SLOTS; slot++) {
		struct wire_peer *p = wire_peer_get(slot);
		bool look = p && load32(&p->a->nlisten) && wire_peer_alive(p);

		for (i = 0; look && i < WIRE_CMIDS; i++) {
			if (!hears(&p->a->cm[i], id))
				continue;
			wire_peer_put(id->peer);
			id->peer = p;
			id->far.slot = slot;
			id->far.index = i;
			id->far.gen = load32(&p->a->cm[i].gen);
			return true;
		}
		wire_peer_put(p);
	}
	return false;
}

static void request(struct cm_id *id, const struct rdma_conn_param *p)
{
	struct cm_record r = {
		.event = RDMA_CM_EVENT_CONNECT_REQUEST, .from = id->own,
		.to_addr = id->far.addr,
	};

	if (dev_port_down(id->own.dev)) {
		cm_tell_self(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
		return;
	}
	if (!find_listener(id)) {
		cm_tell_self(id, RDMA_CM_EVENT_REJECTED, REJECT_NO_LISTENER);
		return;
	}
	r.index = id->far.index;
	r.gen = id->far.gen;
	if (p && p->private_data_len) {
		r.private_len = p->private_data_len;
		memcpy(r.private_data, p->private_data, r.private_len);
	}
	if (!tell(id->peer, r.index, r.gen, &r))
		cm_tell_self(id, RDMA_CM_EVENT_REJECTED, REJECT_NO_LISTENER);
}

static bool planned_outcome(struct cm_id *id)
{
	const struct plan *plan = plan_get();
	int status = plan->cm_status;

	if (plan->cm_event < RDMA_CM_EVENT_CONNECT_REQUEST)
		return false;
	if (plan->cm_event != RDMA_CM_EVENT_REJECTED)
		status = -status;
	cm_tell_self(id, plan->cm_event, status);
	return true;
}

FAKE_EXPORT int rdma_connect(struct rdma_cm_id *ibid,
			     struct rdma_conn_param *param)
{
	struct cm_id *id = to_cm(ibid);

	FAKE_FAIL_MINUS(rdma_connect);
	if (id->state != CM_ROUTE || bad_private(param))
		return cm_fail(EINVAL);
	keep_param(id, param);
	keep_qp(id);
	id->state = CM_CONNECTING;
	if (!planned_outcome(id))
		request(id, param);
	engine_kick(0);
	return 0;
}

FAKE_EXPORT int rdma_accept(struct rdma_cm_id *ibid,
			    struct rdma_conn_param *param)
{
	struct cm_id *id = to_cm(ibid);
	bool datagram = ibid->ps == RDMA_PS_UDP;
	int event = datagram ? RDMA_CM_EVENT_ESTABLISHED :
		    RDMA_CM_EVENT_CONNECT_RESPONSE;

	FAKE_FAIL_MINUS(rdma_accept);
	if (id->state != CM_REQUESTED || bad_private(param))
		return cm_fail(EINVAL);
	keep_param(id, param);
	keep_qp(id);
	if (cm_qp_is_ours(id) && cm_qp_connect(id))
		return -1;
	id->state = datagram ? CM_CONNECTED : CM_ACCEPTED;
	if (!cm_tell_peer(id, event, 0, param ? param->private_data : NULL,
			  param ? param->private_data_len : 0))
		cm_tell_self(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	engine_kick(0);
	return 0;
}

FAKE_EXPORT int rdma_reject(struct rdma_cm_id *ibid, const void *data,
			    uint8_t len)
{
	struct cm_id *id = to_cm(ibid);

	FAKE_FAIL_MINUS(rdma_reject);
	if (id->state != CM_REQUESTED || len > WIRE_PRIVATE)
		return cm_fail(EINVAL);
	cm_tell_peer(id, RDMA_CM_EVENT_REJECTED, REJECT_CONSUMER, data, len);
	id->state = CM_CLOSED;
	return 0;
}

FAKE_EXPORT int rdma_establish(struct rdma_cm_id *ibid)
{
	struct cm_id *id = to_cm(ibid);

	FAKE_FAIL_MINUS(rdma_establish);
	if (id->state != CM_RESPONDED || ibid->qp)
		return cm_fail(EINVAL);
	id->state = CM_CONNECTED;
	cm_tell_peer(id, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, 0);
	return 0;
}

FAKE_EXPORT int rdma_disconnect(struct rdma_cm_id *ibid)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct cm_id *id = to_cm(ibid);

	FAKE_FAIL_MINUS(rdma_disconnect);
	if (id->state < CM_ACCEPTED)
		return cm_fail(EINVAL);
	if (ibid->qp)
		ibv_modify_qp(ibid->qp, &attr, IBV_QP_STATE);
	if (id->state == CM_CLOSED)
		return 0;
	id->state = CM_CLOSED;
	if (ibid->ps == RDMA_PS_UDP)
		return 0;
	disconnect_peer(id);
	cm_disconnect_self(id);
	return 0;
}

/* An id that goes away says so to the other side. */
void cm_hang_up(struct cm_id *id)
{
	enum cm_state state = id->state;

	id->state = CM_CLOSED;
	if (state == CM_REQUESTED)
		cm_tell_peer(id, RDMA_CM_EVENT_REJECTED, REJECT_CONSUMER,
			     NULL, 0);
	else if (state >= CM_ACCEPTED && state < CM_CLOSED &&
		 id->id.ps != RDMA_PS_UDP)
		disconnect_peer(id);
}
