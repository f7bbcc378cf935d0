/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* responder - what the far end of a message does, done by the requester. */

#include "responder.h"
#include "grh.h"
#include "plan.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum { FLUSH_VENDOR = 0xf9 };

struct receive {
	uint64_t wr_id;
	uint32_t nsge;
	struct ibv_sge sge[WIRE_SGE];
};

static bool is_reliable(const struct message *m)
{
	return m->dst->type == IBV_QPT_RC || m->dst->type == IBV_QPT_XRC_RECV;
}

static uint32_t dst_index(const struct wire_qp *dst)
{
	return dst->qpn & (WIRE_QPS - 1);
}

/* With rq->lock held. */
static bool pop(const struct wire_peer *peer, struct wire_rq *rq,
		struct receive *out)
{
	const struct wire_rwqe *wqe;

	if (rq->head == load32(&rq->tail))
		return false;
	wqe = wire_at(peer->a, rq->ring +
		      (uint64_t)(rq->head & rq->mask) * rq->stride);
	out->wr_id = wqe->wr_id;
	out->nsge = wqe->nsge <= WIRE_SGE ? wqe->nsge : WIRE_SGE;
	memcpy(out->sge, wqe->sge, out->nsge * sizeof(*out->sge));
	store32(&rq->head, rq->head + 1);
	return true;
}

static bool take_srq(const struct wire_peer *peer, struct wire_srq *srq,
		     struct receive *out)
{
	struct wire_rq *rq = &srq->rq;
	bool got;

	wire_lock(&rq->lock);
	got = pop(peer, rq, out);
	if (got && rq->limit && rq->tail - rq->head < rq->limit) {
		rq->limit = 0;
		async_raise(peer, srq->async_fd, IBV_EVENT_SRQ_LIMIT_REACHED,
			    srq->index, srq->gen);
	}
	wire_unlock(&rq->lock);
	return got;
}

static bool take_receive(const struct message *m, struct receive *out)
{
	struct wire_qp *dst = m->dst;
	bool got;

	if (m->srq)
		return take_srq(m->peer, m->srq, out);
	if (dst->srq)
		return take_srq(m->peer, &m->peer->a->srq[dst->srq - 1], out);
	wire_lock(&dst->rq.lock);
	got = pop(m->peer, &dst->rq, out);
	wire_unlock(&dst->rq.lock);
	return got;
}

void rq_flush(const struct wire_peer *peer, struct wire_qp *qp)
{
	struct wire_cqe cqe = { .wc = {
		.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV,
		.vendor_err = FLUSH_VENDOR, .qp_num = qp->qpn,
	} };
	struct receive r;

	if (qp->srq)
		return;
	wire_lock(&qp->rq.lock);
	while (pop(peer, &qp->rq, &r)) {
		cqe.wc.wr_id = r.wr_id;
		cq_push(peer, qp->recv_cq, &cqe, false);
	}
	wire_unlock(&qp->rq.lock);
}

void responder_fail(const struct wire_peer *peer, struct wire_qp *qp,
		    int event)
{
	store32(&qp->state, IBV_QPS_ERR);
	rq_flush(peer, qp);
	async_raise(peer, qp->async_fd, event, dst_index(qp), qp->gen);
	if (qp->srq)
		async_raise(peer, qp->async_fd, IBV_EVENT_QP_LAST_WQE_REACHED,
			    dst_index(qp), qp->gen);
}

int respond_nak(const struct message *m, int status, int event)
{
	if (is_reliable(m))
		responder_fail(m->peer, m->dst, event);
	return status;
}

static int after_copy(const struct message *m, int err)
{
	if (!err)
		return IBV_WC_SUCCESS;
	if (err == -ESRCH)
		return OUT_LOST;
	return respond_nak(m, IBV_WC_REM_OP_ERR, IBV_EVENT_QP_FATAL);
}

static void complete_receive(const struct message *m,
			     const struct receive *r, int status, uint32_t len)
{
	const struct fake_wqe *wqe = m->wqe;
	struct wire_cqe cqe = { .wc = {
		.wr_id = r->wr_id, .status = (enum ibv_wc_status)status,
		.opcode = IBV_WC_RECV, .byte_len = len,
		.qp_num = m->dst->qpn, .src_qp = m->qp->qp.qp_num,
	}, .stamp_ns = requester_stamp(m->qp, wqe) };

	if (wqe->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		cqe.wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	if (wqe->opcode == IBV_WR_SEND_WITH_IMM ||
	    wqe->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
		cqe.wc.wc_flags |= IBV_WC_WITH_IMM;
		cqe.wc.imm_data = wqe->imm;
		if (plan_has(plan_get()->imm, plan_get()->nimm, wqe->msg))
			cqe.wc.imm_data ^= htonl(1);
	}
	if (plan_get()->dev.infiniband)
		cqe.wc.slid = (uint16_t)(m->qp->w->dev + 1);
	if (wqe->ah) {
		cqe.wc.sl = wqe->ah->attr.sl;
		cqe.wc.wc_flags |= wqe->ah->attr.is_global ? IBV_WC_GRH : 0;
	}
	if (m->srq)
		cqe.srq = m->srq->index + 1;
	cq_push(m->peer, m->srq ? m->srq->cq : m->dst->recv_cq, &cqe,
		wqe->flags & IBV_SEND_SOLICITED && !plan_get()->unsolicited);
}

/* The receive was consumed and cannot be filled: both ends learn of it. */
static int fail_receive(const struct message *m, const struct receive *r,
			int local, int remote)
{
	complete_receive(m, r, local, 0);
	responder_fail(m->peer, m->dst, local == IBV_WC_LOC_LEN_ERR ?
		       IBV_EVENT_QP_REQ_ERR : IBV_EVENT_QP_FATAL);
	return remote;
}

static bool to_corrupt(const struct message *m)
{
	const struct plan *plan = plan_get();

	return plan->ncorrupt && m->src.len &&
	       plan_has(plan->corrupt, plan->ncorrupt, m->wqe->msg);
}

static int put_payload(const struct message *m, const struct span *to)
{
	if (to_corrupt(m))
		return span_put_corrupt(m->peer, &m->src, to);
	return span_put(m->peer, &m->src, to);
}

/* Where a message of RDMA goes to or comes from: its own place or the next one. */
static uint64_t target_of(const struct message *m)
{
	const struct plan *plan = plan_get();
	bool aside = plan_has(plan->misplace, plan->nmisplace, m->wqe->msg);

	return m->wqe->raddr + (aside ? m->wqe->len : 0);
}

/* The last byte goes last: programs poll on it. */
static void add_target(struct span *to, uintptr_t at, size_t len)
{
	span_add(to, at, len - 1);
	span_add(to, at + len - 1, 1);
}

int respond_write(const struct message *m)
{
	const struct fake_wqe *wqe = m->wqe;
	bool imm = wqe->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	struct span to = { .n = 0 };
	struct receive r;
	int status = IBV_WC_SUCCESS;

	if (!(m->dst->access & IBV_ACCESS_REMOTE_WRITE))
		return respond_nak(m, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	if (wqe->len) {
		uintptr_t at = mr_find(m->peer->a, m->pd, wqe->rkey,
				       target_of(m), wqe->len,
				       IBV_ACCESS_REMOTE_WRITE);

		if (!at)
			return respond_nak(m, IBV_WC_REM_ACCESS_ERR,
				   IBV_EVENT_QP_ACCESS_ERR);
		add_target(&to, at, wqe->len);
	}
	if (imm && !take_receive(m, &r))
		return OUT_NOT_READY;
	if (wqe->len)
		status = after_copy(m, put_payload(m, &to));
	if (imm && !status)
		complete_receive(m, &r, IBV_WC_SUCCESS, wqe->len);
	return status;
}

int respond_read(const struct message *m)
{
	const struct fake_wqe *wqe = m->wqe;
	struct span from = { .n = 0 };
	uintptr_t at;
	int err;

	if (!(m->dst->access & IBV_ACCESS_REMOTE_READ) ||
	    !m->dst->max_dest_rd_atomic)
		return respond_nak(m, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	if (!wqe->len)
		return IBV_WC_SUCCESS;
	at = mr_find(m->peer->a, m->pd, wqe->rkey, target_of(m), wqe->len,
		     IBV_ACCESS_REMOTE_READ);
	if (!at)
		return respond_nak(m, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
	span_add(&from, at, wqe->len);
	err = span_get(m->peer, &m->src, &from);
	if (!err && to_corrupt(m))
		*(char *)m->src.v[0].iov_base ^= 1;
	return after_copy(m, err);
}

/* Atomic against every other fake atomic to that process, as on most cards. */
static int swap_or_add(const struct message *m, uintptr_t at, uint64_t *old)
{
	const struct fake_wqe *wqe = m->wqe;
	struct span here = { .n = 0 }, there = { .n = 0 };
	uint64_t value;
	int err;

	span_add(&there, at, 8);
	span_add(&here, (uintptr_t)&value, 8);
	wire_lock(&m->peer->a->atomic_lock);
	err = span_get(m->peer, &here, &there);
	*old = value;
	if (wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		value += wqe->compare;
	else if (value == wqe->compare)
		value = wqe->swap;
	if (!err && value != *old)
		err = span_put(m->peer, &here, &there);
	wire_unlock(&m->peer->a->atomic_lock);
	return err;
}

int respond_atomic(const struct message *m)
{
	const struct fake_wqe *wqe = m->wqe;
	struct span here = { .n = 0 };
	uint64_t old = 0;
	uintptr_t at;
	int status;

	if (!(m->dst->access & IBV_ACCESS_REMOTE_ATOMIC) ||
	    !m->dst->max_dest_rd_atomic || wqe->raddr % 8)
		return respond_nak(m, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	at = mr_find(m->peer->a, m->pd, wqe->rkey, wqe->raddr, 8,
		     IBV_ACCESS_REMOTE_ATOMIC);
	if (!at)
		return respond_nak(m, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
	status = after_copy(m, swap_or_add(m, at, &old));
	if (status)
		return status;
	if (to_corrupt(m))
		old ^= 1;
	span_add(&here, (uintptr_t)&old, 8);
	span_put(&proc.self, &here, &m->src);
	return IBV_WC_SUCCESS;
}

static int fill_receive(struct message *m, const struct receive *r)
{
	struct span to = { .n = 0 };
	struct ibv_grh grh;
	size_t len;
	int err;

	if (!span_add_sges(&to, m->peer->a, m->pd, r->sge, r->nsge,
			   IBV_ACCESS_LOCAL_WRITE))
		return fail_receive(m, r, IBV_WC_LOC_PROT_ERR,
				    IBV_WC_REM_OP_ERR);
	if (m->wqe->ah)
		grh_add(m, &grh);
	len = m->src.len;
	if (to.len < len)
		return fail_receive(m, r, IBV_WC_LOC_LEN_ERR,
				    IBV_WC_REM_INV_REQ_ERR);
	span_clip(&to, len);
	err = len ? put_payload(m, &to) : 0;
	if (err == -ESRCH)
		return OUT_LOST;
	if (err)
		return fail_receive(m, r, IBV_WC_LOC_PROT_ERR,
				    IBV_WC_REM_OP_ERR);
	complete_receive(m, r, IBV_WC_SUCCESS, (uint32_t)len);
	return IBV_WC_SUCCESS;
}

int respond_send(const struct message *m)
{
	struct message copy = *m;
	struct receive r;

	if (!take_receive(m, &r))
		return OUT_NOT_READY;
	return fill_receive(&copy, &r);
}
