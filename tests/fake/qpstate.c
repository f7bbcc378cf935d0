/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * qpstate - ibv_modify_qp: the state machine and its attribute masks
 *
 * The rows give, for a transition and a transport, the attributes that are
 * required and those that are allowed besides (IBTA vol. 1, "modify QP").
 */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <string.h>

enum {
	RC = 1, UC = 2, UD = 4, INI = 8, TGT = 16, /* of XRC: sends, receives */
	ANY = RC | UC | UD | INI,
	CONNECT = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		  IBV_QP_RQ_PSN,
	OPT_RTS = IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_ALT_PATH |
		  IBV_QP_PATH_MIG_STATE,
	MAX_RD_ATOMIC = 16,
};

struct transition {
	enum ibv_qp_state from, to;
	int types;
	int required, allowed;
};

static const struct transition transitions[] = {
	{ IBV_QPS_RESET, IBV_QPS_INIT, RC | UC | INI | TGT,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
	{ IBV_QPS_RESET, IBV_QPS_INIT, UD,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0 },
	{ IBV_QPS_INIT, IBV_QPS_INIT, RC | UC | INI | TGT, 0,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
	{ IBV_QPS_INIT, IBV_QPS_INIT, UD, 0,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
	{ IBV_QPS_INIT, IBV_QPS_RTR, RC | TGT,
	  CONNECT | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
	{ IBV_QPS_INIT, IBV_QPS_RTR, UC | INI, CONNECT,
	  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
	{ IBV_QPS_INIT, IBV_QPS_RTR, UD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
	{ IBV_QPS_RTR, IBV_QPS_RTS, TGT, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN,
	  OPT_RTS | IBV_QP_MIN_RNR_TIMER },
	{ IBV_QPS_RTR, IBV_QPS_RTS, RC | INI,
	  IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	  OPT_RTS | IBV_QP_MIN_RNR_TIMER | IBV_QP_RATE_LIMIT },
	{ IBV_QPS_RTR, IBV_QPS_RTS, UC, IBV_QP_SQ_PSN,
	  OPT_RTS | IBV_QP_RATE_LIMIT },
	{ IBV_QPS_RTR, IBV_QPS_RTS, UD, IBV_QP_SQ_PSN,
	  IBV_QP_CUR_STATE | IBV_QP_QKEY | IBV_QP_RATE_LIMIT },
	{ IBV_QPS_RTS, IBV_QPS_RTS, RC, 0,
	  OPT_RTS | IBV_QP_MIN_RNR_TIMER | IBV_QP_RATE_LIMIT },
	{ IBV_QPS_RTS, IBV_QPS_RTS, UC, 0, OPT_RTS | IBV_QP_RATE_LIMIT },
	{ IBV_QPS_RTS, IBV_QPS_RTS, UD, 0,
	  IBV_QP_CUR_STATE | IBV_QP_QKEY | IBV_QP_RATE_LIMIT },
	{ IBV_QPS_RTS, IBV_QPS_SQD, ANY, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ IBV_QPS_SQD, IBV_QPS_RTS, RC, 0, OPT_RTS | IBV_QP_MIN_RNR_TIMER },
	{ IBV_QPS_SQD, IBV_QPS_RTS, UC | UD, 0, OPT_RTS | IBV_QP_QKEY },
	{ IBV_QPS_SQE, IBV_QPS_RTS, UC | UD, 0,
	  IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_QKEY },
};

static int type_bit(const struct fake_qp *qp)
{
	switch (qp->qp.qp_type) {
	case IBV_QPT_RC:
		return RC;
	case IBV_QPT_UC:
		return UC;
	case IBV_QPT_XRC_SEND:
		return INI;
	case IBV_QPT_XRC_RECV:
		return TGT;
	default:
		return UD;
	}
}

static int check_masks(const struct fake_qp *qp, enum ibv_qp_state from,
		       enum ibv_qp_state to, int mask)
{
	size_t i;

	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return mask & ~(IBV_QP_STATE | IBV_QP_CUR_STATE) ? EINVAL : 0;
	for (i = 0; i < sizeof(transitions) / sizeof(*transitions); i++) {
		const struct transition *t = &transitions[i];
		int rest = mask & ~(IBV_QP_STATE | t->required | t->allowed);

		if (t->from != from || t->to != to ||
		    !(t->types & type_bit(qp)))
			continue;
		return rest || (mask & t->required) != t->required ? EINVAL : 0;
	}
	return EINVAL;
}

static int check_values(const struct fake_qp *qp,
			const struct ibv_qp_attr *a, int mask)
{
	if (mask & IBV_QP_PORT && a->port_num != 1)
		return EINVAL;
	if (mask & IBV_QP_PKEY_INDEX && a->pkey_index >= plan_get()->dev.pkeys)
		return EINVAL;
	if (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 ||
				       (int)a->path_mtu > plan_get()->dev.mtu))
		return EINVAL;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic > MAX_RD_ATOMIC)
		return EINVAL;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	    a->max_dest_rd_atomic > MAX_RD_ATOMIC)
		return EINVAL;
	if (mask & IBV_QP_TIMEOUT && a->timeout > 31)
		return EINVAL;
	if (mask & (IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY) &&
	    (a->retry_cnt > 7 || a->rnr_retry > 7))
		return EINVAL;
	if (mask & IBV_QP_AV)
		return ah_check(qp->w->dev, &a->ah_attr);
	return 0;
}

#define KEEP(bit, field) \
	do { \
		if (mask & (bit)) \
			to->field = from->field; \
	} while (0)

static void keep_attr(struct ibv_qp_attr *to, const struct ibv_qp_attr *from,
		      int mask)
{
	KEEP(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	KEEP(IBV_QP_PKEY_INDEX, pkey_index);
	KEEP(IBV_QP_PORT, port_num);
	KEEP(IBV_QP_QKEY, qkey);
	KEEP(IBV_QP_AV, ah_attr);
	KEEP(IBV_QP_PATH_MTU, path_mtu);
	KEEP(IBV_QP_TIMEOUT, timeout);
	KEEP(IBV_QP_RETRY_CNT, retry_cnt);
	KEEP(IBV_QP_RNR_RETRY, rnr_retry);
	KEEP(IBV_QP_RQ_PSN, rq_psn);
	KEEP(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	KEEP(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	KEEP(IBV_QP_SQ_PSN, sq_psn);
	KEEP(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	KEEP(IBV_QP_DEST_QPN, dest_qp_num);
	KEEP(IBV_QP_RATE_LIMIT, rate_limit);
}

/* What peers look at; with w->lock held. */
static void publish(struct fake_qp *qp, enum ibv_qp_state state)
{
	struct wire_qp *w = qp->w;

	w->access = qp->attr.qp_access_flags;
	w->qkey = qp->attr.qkey;
	w->mtu = (uint8_t)qp->attr.path_mtu;
	w->rq_psn = qp->attr.rq_psn;
	w->dest_qpn = qp->attr.dest_qp_num;
	w->min_rnr_timer = qp->attr.min_rnr_timer;
	w->pkey_index = (uint8_t)qp->attr.pkey_index;
	w->max_dest_rd_atomic = qp->attr.max_dest_rd_atomic;
	store32(&w->state, state);
}

static void connect_peer(struct fake_qp *qp)
{
	uint32_t qpn = qp->attr.dest_qp_num;

	wire_peer_put(qp->peer);
	qp->peer = wire_peer_get(qpn >> WIRE_QP_BITS);
	qp->dst = qp->peer ? &qp->peer->a->qp[qpn & (WIRE_QPS - 1)] : NULL;
}

static void reset_queues(struct fake_qp *qp)
{
	engine_forget(qp);
	if (qp->qp.send_cq)
		cq_clean(qp->qp.send_cq, qp->qp.qp_num);
	if (qp->qp.recv_cq)
		cq_clean(qp->qp.recv_cq, qp->qp.qp_num);
	qp->sq_head = qp->sq_exec = qp->sq_tail = 0;
	qp->give_up_ns = qp->busy_ns = 0;
	qp->rnr_active = false;
	wire_lock(&qp->w->rq.lock);
	qp->w->rq.head = qp->w->rq.tail = 0;
	qp->rq_polled = 0;
	wire_unlock(&qp->w->rq.lock);
	wire_peer_put(qp->peer);
	qp->peer = NULL;
	qp->dst = NULL;
	memset(&qp->attr, 0, sizeof(qp->attr));
}

void qp_fail(struct fake_qp *qp)
{
	wire_lock(&qp->w->lock);
	store32(&qp->w->state, IBV_QPS_ERR);
	rq_flush(&proc.self, qp->w);
	wire_unlock(&qp->w->lock);
	qp->qp.state = IBV_QPS_ERR;
}

static void move(struct fake_qp *qp, enum ibv_qp_state to)
{
	if (to == IBV_QPS_ERR) {
		qp_fail(qp);
		qp_progress(qp, now_ns());
		return;
	}
	if (to == IBV_QPS_RTR && qp->qp.qp_type != IBV_QPT_UD)
		connect_peer(qp);
	wire_lock(&qp->w->lock);
	publish(qp, to);
	wire_unlock(&qp->w->lock);
	if (to == IBV_QPS_RESET)
		reset_queues(qp);
	if (to == IBV_QPS_RTS)
		qp_progress(qp, now_ns());
}

static int modify(struct fake_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	enum ibv_qp_state from = (enum ibv_qp_state)load32(&qp->w->state);
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	int err;

	if (mask & IBV_QP_CUR_STATE && attr->cur_qp_state != from)
		return EINVAL;
	err = check_masks(qp, from, to, mask);
	if (!err)
		err = check_values(qp, attr, mask);
	if (err)
		return err;
	keep_attr(&qp->attr, attr, mask);
	move(qp, to);
	qp->qp.state = to;
	return 0;
}

FAKE_EXPORT int ibv_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
			      int mask)
{
	struct fake_qp *qp = to_qp(ibqp);
	int err;

	FAKE_FAIL_ERRNO(ibv_modify_qp);
	pthread_mutex_lock(&qp->lock);
	err = modify(qp, attr, mask);
	pthread_mutex_unlock(&qp->lock);
	return err;
}
