/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_qp - queue pair attributes of a connection, and queue pairs of an id. */

#define _GNU_SOURCE
#include "cm.h"
#include "plan.h"

#include <errno.h>
#include <string.h>

enum {
	CM_TIMEOUT = 14,
	CM_INIT = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT,
	CM_RTR = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		 IBV_QP_MIN_RNR_TIMER,
	CM_RTS = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		 IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
};

static bool is_datagram(const struct cm_id *id)
{
	return id->id.ps == RDMA_PS_UDP;
}

static void init_attr(const struct cm_id *id, struct ibv_qp_attr *a, int *mask)
{
	a->pkey_index = 0;
	a->port_num = id->id.port_num;
	a->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			     IBV_ACCESS_REMOTE_ATOMIC;
	a->qkey = RDMA_UDP_QKEY;
	*mask = CM_INIT | (is_datagram(id) ? IBV_QP_QKEY :
			   IBV_QP_ACCESS_FLAGS);
}

static void fill_av(const struct cm_id *id, struct ibv_ah_attr *av)
{
	int index = gid_for_cm(id->own.dev);

	memset(av, 0, sizeof(*av));
	av->port_num = id->id.port_num;
	if (plan_get()->dev.infiniband) {
		av->dlid = (uint16_t)(id->far.dev + 1);
		return;
	}
	av->is_global = 1;
	av->grh.dgid = id->id.route.addr.addr.ibaddr.dgid;
	av->grh.sgid_index = (uint8_t)index;
	av->grh.hop_limit = 64;
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static void rtr_attr(const struct cm_id *id, struct ibv_qp_attr *a, int *mask)
{
	fill_av(id, &a->ah_attr);
	a->path_mtu = (enum ibv_mtu)plan_get()->dev.mtu;
	a->dest_qp_num = id->far.qpn;
	a->rq_psn = id->far.psn;
	a->max_dest_rd_atomic = smaller(id->own.responder_resources, 16);
	a->min_rnr_timer = 0;
	*mask = is_datagram(id) ? IBV_QP_STATE : CM_RTR;
}

static void rts_attr(const struct cm_id *id, struct ibv_qp_attr *a, int *mask)
{
	bool active = id->state == CM_RESPONDED || id->state == CM_CONNECTING;
	const struct cm_end *asked = active ? &id->own : &id->far;

	a->timeout = CM_TIMEOUT;
	a->retry_cnt = asked->retry_count;
	a->rnr_retry = id->far.rnr_retry_count;
	a->sq_psn = id->own.psn;
	a->max_rd_atomic = smaller(id->own.initiator_depth, 16);
	*mask = is_datagram(id) ? IBV_QP_STATE | IBV_QP_SQ_PSN : CM_RTS;
}

int cm_qp_attr(struct cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	switch (attr->qp_state) {
	case IBV_QPS_INIT:
		init_attr(id, attr, mask);
		return 0;
	case IBV_QPS_RTR:
		rtr_attr(id, attr, mask);
		return 0;
	case IBV_QPS_RTS:
		rts_attr(id, attr, mask);
		return 0;
	default:
		return EINVAL;
	}
}

FAKE_EXPORT int rdma_init_qp_attr(struct rdma_cm_id *ibid,
				  struct ibv_qp_attr *attr, int *mask)
{
	struct cm_id *id = to_cm(ibid);
	int err;

	FAKE_FAIL_MINUS(rdma_init_qp_attr);
	if (!ibid->verbs || (attr->qp_state != IBV_QPS_INIT && !id->peer &&
			     !is_datagram(id)))
		return cm_fail(EINVAL);
	err = cm_qp_attr(id, attr, mask);
	return err ? cm_fail(err) : 0;
}

static int move(struct cm_id *id, struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask, err = cm_qp_attr(id, &attr, &mask);

	if (!err)
		err = ibv_modify_qp(qp, &attr, mask);
	return err ? cm_fail(err) : 0;
}

/*
 * The library's share of a connection whose queue pair belongs to the id; and the
 * kernel's of iWARP, which finds any queue pair by the number it was told.
 */
int cm_qp_connect(struct cm_id *id)
{
	struct fake_qp *own = proc.qps[id->own.qpn & (WIRE_QPS - 1)];
	struct ibv_qp *qp = id->id.qp ? id->id.qp : own ? &own->qp : NULL;

	if (!qp)
		return cm_fail(EINVAL);
	if (move(id, qp, IBV_QPS_RTR))
		return -1;
	return move(id, qp, IBV_QPS_RTS);
}

bool cm_qp_is_ours(const struct cm_id *id)
{
	return !is_datagram(id) && (id->id.qp || dev_is_iwarp());
}

static int adopt(struct cm_id *id, struct ibv_qp *qp)
{
	if (!qp)
		return -1;
	if (move(id, qp, IBV_QPS_INIT) ||
	    (is_datagram(id) && (move(id, qp, IBV_QPS_RTR) ||
				 move(id, qp, IBV_QPS_RTS)))) {
		ibv_destroy_qp(qp);
		return -1;
	}
	id->id.qp = qp;
	id->id.pd = qp->pd;
	id->id.send_cq = qp->send_cq;
	id->id.recv_cq = qp->recv_cq;
	id->id.srq = qp->srq;
	return 0;
}

FAKE_EXPORT int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd,
			       struct ibv_qp_init_attr *attr)
{
	FAKE_FAIL_MINUS(rdma_create_qp);
	if (id->qp || !pd || pd->context != id->verbs)
		return cm_fail(EINVAL);
	return adopt(to_cm(id), ibv_create_qp(pd, attr));
}

FAKE_EXPORT int rdma_create_qp_ex(struct rdma_cm_id *id,
				  struct ibv_qp_init_attr_ex *attr)
{
	FAKE_FAIL_MINUS(rdma_create_qp);
	if (id->qp || !(attr->comp_mask & IBV_QP_INIT_ATTR_PD) ||
	    attr->pd->context != id->verbs)
		return cm_fail(EINVAL);
	return adopt(to_cm(id), ibv_create_qp_ex(id->verbs, attr));
}

FAKE_EXPORT void rdma_destroy_qp(struct rdma_cm_id *id)
{
	ibv_destroy_qp(id->qp);
	id->qp = NULL;
}
