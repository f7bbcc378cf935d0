/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * qp - the only place that creates queue pairs and moves them between states
 */
#include "verbs/qp.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "diag/callerr.h"
#include "verbs/dev.h"
#include "verbs/qptext.h"

#define MIN_RNR_TIMER 12 /* 0.64 ms: IB specification table 45 */

static int destroy(struct ibv_qp *qp)
{
	uint32_t qpn = qp->qp_num; /* what is traced is said after the call */

	return rb_traced(ibv_destroy_qp(qp), "qpn 0x%06x", qpn);
}

static void trace_creation(uint64_t since, const char *call,
			   const struct rb_qp_plan *plan,
			   const struct ibv_qp *qp)
{
	rb_trace_end(since, qp ? 0 : errno, call,
		     "%s, send %u, receive %u, inline %u -> qpn 0x%06x",
		     rb_qp_type_name(plan->type), plan->send_depth,
		     plan->recv_depth, plan->max_inline, qp ? qp->qp_num : 0);
}

static struct ibv_qp *create_plain(struct ibv_pd *pd,
				   const struct rb_qp_plan *plan,
				   struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = plan->send_cq,
		.recv_cq = plan->recv_cq,
		.srq = plan->srq,
		.cap = *cap,
		.qp_type = plan->type,
	};
	uint64_t since = rb_trace_begin();
	struct ibv_qp *qp = ibv_create_qp(pd, &attr);

	trace_creation(since, "ibv_create_qp", plan, qp);
	if (qp)
		*cap = attr.cap;
	return qp;
}

static struct ibv_qp *create_extended(const struct rb_dev *dev,
				      struct ibv_pd *pd,
				      const struct rb_qp_plan *plan,
				      struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = plan->send_cq,
		.recv_cq = plan->recv_cq,
		.srq = plan->srq,
		.cap = *cap,
		.qp_type = plan->type,
		.comp_mask = plan->send_ops ?
				     IBV_QP_INIT_ATTR_PD |
					     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS :
				     IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.send_ops_flags = plan->send_ops,
	};
	struct ibv_qp_init_attr_ex receiving = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = plan->xrcd,
	};
	uint64_t since = rb_trace_begin();
	struct ibv_qp *qp = ibv_create_qp_ex(
		dev->ctx, plan->type == IBV_QPT_XRC_RECV ? &receiving : &attr);

	trace_creation(since, "ibv_create_qp_ex", plan, qp);
	if (qp && plan->type != IBV_QPT_XRC_RECV)
		*cap = attr.cap;
	return qp;
}

/* There is no plain interface to them. */
static bool is_xrc(enum ibv_qp_type type)
{
	return type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV;
}

/* By the extended interface where wanted and there, else by the plain one. */
static struct ibv_qp *create_any(const struct rb_dev *dev, struct ibv_pd *pd,
				 const struct rb_qp_plan *plan,
				 struct ibv_qp_cap *cap, bool *extended)
{
	struct ibv_qp *qp;

	*extended = plan->send_ops != 0;
	if (is_xrc(plan->type))
		return create_extended(dev, pd, plan, cap);
	if (*extended) {
		qp = create_extended(dev, pd, plan, cap);
		if (qp || (errno != EOPNOTSUPP && errno != ENOSYS))
			return qp;
		*extended = false;
	}
	return create_plain(pd, plan, cap);
}

/*
 * A QP that receives nothing gets one place all the same: the siw provider maps
 * its receive queue, and a map of nothing is an error (rdma-core, siw.c).
 */
static struct ibv_qp_cap cap_of(const struct rb_qp_plan *plan)
{
	return (struct ibv_qp_cap){
		.max_send_wr = plan->send_depth,
		.max_recv_wr = plan->srq || is_xrc(plan->type) ?
				       0 :
				       RB_MAX(plan->recv_depth, 1),
		.max_send_sge = RB_MAX(plan->sges, 1),
		.max_recv_sge = plan->srq || is_xrc(plan->type) ?
					0 :
					RB_MAX(plan->sges, 1),
		.max_inline_data = plan->max_inline,
	};
}

static int random_psn(uint32_t *psn)
{
	if (getrandom(psn, sizeof(*psn), 0) != sizeof(*psn))
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot get a random number");
	*psn &= RB_PSN_MASK;
	return 0;
}

static int creation_failed(const struct rb_dev *dev, struct ibv_pd *pd,
			   const struct rb_qp_plan *plan, int err)
{
	struct rb_qp_plan bare = *plan;
	uint32_t most;

	bare.max_inline = 0;
	if (plan->max_inline && err == -EINVAL) {
		most = rb_qp_probe_inline(dev, pd, &bare, plan->max_inline);
		if (most < plan->max_inline)
			return rb_fail(RB_FAULT_INLINE_LIMIT, err,
				       "'%s' can send at most %u bytes inline, not %u",
				       dev->name, most, plan->max_inline);
	}
	if (plan->type != IBV_QPT_RC && err == -EOPNOTSUPP)
		return rb_fail_hint(RB_FAULT_TRANSPORT, err,
				    "its driver makes none", "use -c RC",
				    "'%s' has no %s queue pairs", dev->name,
				    rb_qp_type_name(plan->type));
	return rb_fail_hint(RB_FAULT_QP_CREATE, err,
			    rb_call_meaning("ibv_create_qp", NULL, -err), NULL,
			    "cannot create a queue pair on '%s' with %u send requests",
			    dev->name, plan->send_depth);
}

int rb_qp_create(const struct rb_dev *dev, struct ibv_pd *pd,
		 const struct rb_qp_plan *plan, struct rb_qp *qp)
{
	struct ibv_qp_cap cap = cap_of(plan);
	bool extended;
	int err;

	memset(qp, 0, sizeof(*qp));
	err = random_psn(&qp->psn);
	if (err)
		return err;
	qp->qp = create_any(dev, pd, plan, &cap, &extended);
	if (!qp->qp)
		return creation_failed(dev, pd, plan, -errno);
	qp->qpx = extended ? ibv_qp_to_qp_ex(qp->qp) : NULL;
	qp->max_inline = cap.max_inline_data;
	return 0;
}

int rb_qp_create_target(const struct rb_dev *dev, const struct rb_qp_plan *plan,
			struct rb_qp *qp)
{
	struct ibv_qp_cap cap = cap_of(plan);

	qp->target = create_extended(dev, NULL, plan, &cap);
	return qp->target ? 0 : creation_failed(dev, NULL, plan, -errno);
}

uint32_t rb_qp_probe_inline(const struct rb_dev *dev, struct ibv_pd *pd,
			    const struct rb_qp_plan *plan, uint32_t most)
{
	uint32_t low = 0, high = most;
	bool extended;

	while (low < high) {
		struct rb_qp_plan trial = *plan;
		struct ibv_qp_cap cap;
		struct ibv_qp *qp;

		trial.max_inline = low + (high - low + 1) / 2;
		cap = cap_of(&trial);
		qp = create_any(dev, pd, &trial, &cap, &extended);
		if (qp) {
			low = trial.max_inline;
			destroy(qp);
		} else {
			high = trial.max_inline - 1;
		}
	}
	return low;
}

static int modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	char text[RB_QP_TEXT];

	return rb_traced(ibv_modify_qp(qp, attr, mask), "qpn 0x%06x, %s",
			 qp->qp_num, rb_qp_attr_text(attr, mask, text));
}

void rb_qp_error(struct rb_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	if (qp->qp && modify(qp->qp, &attr, IBV_QP_STATE))
		rb_debug("cannot move QP 0x%06x to the error state",
			 qp->qp->qp_num);
	if (qp->target && modify(qp->target, &attr, IBV_QP_STATE))
		rb_debug("cannot move QP 0x%06x to the error state",
			 qp->target->qp_num);
}

void rb_qp_destroy(struct rb_qp *qp)
{
	if (qp->qp && destroy(qp->qp))
		rb_debug("cannot destroy a queue pair");
	if (qp->target && destroy(qp->target))
		rb_debug("cannot destroy a queue pair");
	qp->qp = qp->target = NULL;
	qp->qpx = NULL;
}

int rb_qp_attr_init(const struct rb_dev *dev, const struct rb_path *path,
		    enum ibv_qp_type type, unsigned int access,
		    struct ibv_qp_attr *attr)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.pkey_index = path->pkey_index,
		.port_num = dev->port,
		.qp_access_flags = access,
		.qkey = path->qkey,
	};
	return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
}

struct ibv_ah_attr rb_path_address(const struct rb_dev *dev,
				   const struct rb_path *path)
{
	return (struct ibv_ah_attr){
		.is_global = path->global,
		.dlid = path->peer_lid,
		.sl = path->sl,
		.port_num = dev->port,
		.grh = {
			.dgid = path->gids.peer.raw,
			.sgid_index = (uint8_t)path->gids.local.index,
			.hop_limit = path->hop_limit ? path->hop_limit : RB_HOP_LIMIT,
			.flow_label = path->flow_label,
			.traffic_class = path->tclass,
		},
	};
}

int rb_qp_attr_rtr(const struct rb_dev *dev, const struct rb_path *path,
		   enum ibv_qp_type type, uint32_t peer_qpn, uint32_t peer_psn,
		   struct ibv_qp_attr *attr)
{
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = rb_mtu_code(path->mtu),
		.dest_qp_num = peer_qpn,
		.rq_psn = peer_psn,
		.ah_attr = rb_path_address(dev, path),
	};
	if (type == IBV_QPT_RC || type == IBV_QPT_XRC_RECV) {
		attr->max_dest_rd_atomic = path->rd_atomic;
		attr->min_rnr_timer = MIN_RNR_TIMER;
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	}
	/* where a datagram goes is said with each one */
	return type == IBV_QPT_UD ? IBV_QP_STATE : mask;
}

int rb_qp_attr_rts(const struct rb_path *path, enum ibv_qp_type type,
		   uint32_t psn, struct ibv_qp_attr *attr)
{
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn,
	};
	if (type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND) {
		attr->timeout = path->timeout;
		attr->retry_cnt = path->retry_count;
		attr->rnr_retry = path->rnr_retry;
		attr->max_rd_atomic = path->rd_atomic;
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	}
	return mask;
}

/* As diag/callerr.h names the way to a state. */
static const char *transition_to(enum ibv_qp_state state)
{
	return state == IBV_QPS_INIT ? "RESET->INIT" :
	       state == IBV_QPS_RTR  ? "INIT->RTR" :
	       state == IBV_QPS_RTS  ? "RTR->RTS" :
				       NULL;
}

int rb_qp_apply(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const char *call = "ibv_modify_qp";
	int err = modify(qp, attr, mask);

	if (!err)
		return 0;
	/* the interface returns errno; some providers returned -1 */
	err = err < 0 ? -errno : -err;
	return rb_fail_hint(RB_FAULT_QP_MODIFY, err,
			    rb_call_meaning(call, transition_to(attr->qp_state),
					    -err),
			    rb_call_next(call, transition_to(attr->qp_state),
					 -err),
			    "cannot move QP 0x%06x to %s", qp->qp_num,
			    rb_qp_state_name(attr->qp_state));
}
