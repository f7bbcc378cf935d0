/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* post - ibv_post_send: from a list of work requests to the send queue. */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <string.h>

/* May a request be posted at all, and is its opcode one of the transport's? */
int wqe_check(const struct fake_qp *qp, enum ibv_wr_opcode opcode)
{
	const unsigned int sends = 1u << IBV_WR_SEND |
				   1u << IBV_WR_SEND_WITH_IMM;
	const unsigned int uc = sends | 1u << IBV_WR_RDMA_WRITE |
				1u << IBV_WR_RDMA_WRITE_WITH_IMM;
	const unsigned int rc = uc | 1u << IBV_WR_RDMA_READ |
				1u << IBV_WR_ATOMIC_CMP_AND_SWP |
				1u << IBV_WR_ATOMIC_FETCH_AND_ADD;
	unsigned int allowed = qp->qp.qp_type == IBV_QPT_XRC_RECV ? 0 : rc;

	if (qp->qp.qp_type == IBV_QPT_UC)
		allowed = uc;
	else if (qp->qp.qp_type == IBV_QPT_UD)
		allowed = sends;
	if (opcode > IBV_WR_ATOMIC_FETCH_AND_ADD ||
	    !(allowed & 1u << opcode))
		return EINVAL;
	return load32(&qp->w->state) < IBV_QPS_RTS ? EINVAL : 0;
}

static int copy_inline(const struct fake_qp *qp, struct fake_wqe *wqe,
		       const struct ibv_send_wr *wr)
{
	size_t len = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (len + sge->length > qp->sq_inline)
			return EINVAL;
		memcpy(wqe->data + len, (void *)(uintptr_t)sge->addr,
		       sge->length);
		len += sge->length;
	}
	wqe->len = (uint32_t)len;
	wqe->nsge = 0;
	return 0;
}

static int copy_sges(const struct fake_qp *qp, struct fake_wqe *wqe,
		     const struct ibv_send_wr *wr)
{
	uint64_t len = 0;
	int i;

	if (wr->num_sge < 0 ||
	    (uint32_t)wr->num_sge > qp->init.cap.max_send_sge)
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE)
		return copy_inline(qp, wqe, wr);
	for (i = 0; i < wr->num_sge; i++) {
		wqe->sge[i] = wr->sg_list[i];
		len += wr->sg_list[i].length;
	}
	if (len > UINT32_MAX)
		return EINVAL;
	wqe->nsge = (uint16_t)wr->num_sge;
	wqe->len = (uint32_t)len;
	return 0;
}

static void copy_target(const struct fake_qp *qp, struct fake_wqe *wqe,
			const struct ibv_send_wr *wr)
{
	wqe->ah = NULL;
	wqe->srqn = qp->qp.qp_type == IBV_QPT_XRC_SEND ?
			    wr->qp_type.xrc.remote_srqn :
			    0;
	if (qp->qp.qp_type == IBV_QPT_UD) {
		wqe->ah = (const struct fake_ah *)(void *)wr->wr.ud.ah;
		wqe->qpn = wr->wr.ud.remote_qpn;
		wqe->qkey = wr->wr.ud.remote_qkey;
	} else if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wqe->raddr = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->compare = wr->wr.atomic.compare_add;
		wqe->swap = wr->wr.atomic.swap;
	} else {
		wqe->raddr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
	}
}

static int enqueue(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
	struct fake_wqe *wqe = sq_at(qp, qp->sq_head);
	int err = wqe_check(qp, wr->opcode);

	if (!err && plan_get()->nfail)
		err = plan_call(CALL_ibv_post_send);
	if (err)
		return err;
	if (qp->sq_head - load32(&qp->sq_tail) >= qp->sq_max)
		return ENOMEM;
	wqe->wr_id = wr->wr_id;
	wqe->opcode = (uint8_t)wr->opcode;
	wqe->flags = (uint8_t)wr->send_flags;
	wqe->imm = wr->imm_data;
	copy_target(qp, wqe, wr);
	if (qp->qp.qp_type == IBV_QPT_UD && !wqe->ah)
		return EINVAL;
	return copy_sges(qp, wqe, wr);
}

/* Make the entries up to @head part of the queue and run what is due. */
void qp_commit(struct fake_qp *qp, uint32_t head)
{
	bool timed = plan_get()->timed;

	for (; qp->sq_head != head; qp->sq_head++) {
		struct fake_wqe *wqe = sq_at(qp, qp->sq_head);
		uint64_t now = record_now();

		wqe->msg = __atomic_add_fetch(&proc.msgs, 1, __ATOMIC_RELAXED);
		wqe->due_ns = timed ? timing_due(qp, wqe->len) : 0;
		notes_request(qp, wqe);
		record_post(now, wqe->due_ns);
	}
	if (!__atomic_load_n(&qp->busy, __ATOMIC_ACQUIRE))
		qp_progress(qp, timed ? now_ns() : 0);
}

int qp_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		 struct ibv_send_wr **bad)
{
	struct fake_qp *qp = to_qp(ibqp);
	uint32_t first;
	int err = 0;

	pthread_mutex_lock(&qp->lock);
	first = qp->sq_head;
	for (; wr; wr = wr->next) {
		err = enqueue(qp, wr);
		if (err) {
			*bad = wr;
			break;
		}
		qp_commit(qp, qp->sq_head + 1);
	}
	notes_list(qp, &qp->notes.by_post_send, qp->sq_head - first);
	pthread_mutex_unlock(&qp->lock);
	return err;
}
