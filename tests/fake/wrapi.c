/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* wrapi - the ibv_wr_* interface: requests built in place in the send queue. */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <string.h>

static struct fake_qp *ex_qp(struct ibv_qp_ex *ex)
{
	return (struct fake_qp *)(void *)ex;
}

static void fail(struct fake_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wr_cur = NULL;
}

static struct fake_wqe *begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct fake_qp *qp = ex_qp(ex);
	struct fake_wqe *wqe;
	int err = wqe_check(qp, opcode);

	if (!err && qp->wr_head - load32(&qp->sq_tail) >= qp->sq_max)
		err = ENOMEM;
	if (err || qp->wr_err) {
		fail(qp, err);
		return NULL;
	}
	wqe = sq_at(qp, qp->wr_head++);
	wqe->wr_id = ex->wr_id;
	wqe->opcode = (uint8_t)opcode;
	wqe->flags = (uint8_t)(ex->wr_flags & ~(unsigned int)IBV_SEND_INLINE);
	wqe->ah = NULL;
	wqe->len = 0;
	wqe->nsge = 0;
	qp->wr_cur = wqe;
	return wqe;
}

static void rdma(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode,
		 uint32_t rkey, uint64_t raddr)
{
	struct fake_wqe *wqe = begin(ex, opcode);

	if (!wqe)
		return;
	wqe->rkey = rkey;
	wqe->raddr = raddr;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr)
{
	rdma(ex, IBV_WR_RDMA_WRITE, rkey, raddr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey,
			      uint64_t raddr, __be32 imm)
{
	rdma(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, raddr);
	if (ex_qp(ex)->wr_cur)
		ex_qp(ex)->wr_cur->imm = imm;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr)
{
	rdma(ex, IBV_WR_RDMA_READ, rkey, raddr);
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	struct fake_wqe *wqe = begin(ex, IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->imm = imm;
}

static void wr_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr,
		       uint64_t compare, uint64_t swap)
{
	rdma(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, raddr);
	if (!ex_qp(ex)->wr_cur)
		return;
	ex_qp(ex)->wr_cur->compare = compare;
	ex_qp(ex)->wr_cur->swap = swap;
}

static void wr_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr,
			 uint64_t add)
{
	rdma(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, raddr);
	if (ex_qp(ex)->wr_cur)
		ex_qp(ex)->wr_cur->compare = add;
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah,
			   uint32_t qpn, uint32_t qkey)
{
	struct fake_wqe *wqe = ex_qp(ex)->wr_cur;

	if (!wqe)
		return;
	wqe->ah = (const struct fake_ah *)(void *)ah;
	wqe->qpn = qpn;
	wqe->qkey = qkey;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n,
			    const struct ibv_sge *list)
{
	struct fake_qp *qp = ex_qp(ex);
	struct fake_wqe *wqe = qp->wr_cur;
	size_t i;

	if (!wqe)
		return;
	if (n > qp->init.cap.max_send_sge) {
		fail(qp, EINVAL);
		return;
	}
	for (i = 0; i < n; i++) {
		wqe->sge[i] = list[i];
		wqe->len += list[i].length;
	}
	wqe->nsge = (uint16_t)n;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_list(struct ibv_qp_ex *ex, size_t n,
			       const struct ibv_data_buf *list)
{
	struct fake_qp *qp = ex_qp(ex);
	struct fake_wqe *wqe = qp->wr_cur;
	size_t i;

	if (!wqe)
		return;
	for (i = 0; i < n; i++) {
		if (wqe->len + list[i].length > qp->sq_inline) {
			fail(qp, EINVAL);
			return;
		}
		memcpy(wqe->data + wqe->len, list[i].addr, list[i].length);
		wqe->len += (uint32_t)list[i].length;
	}
	wqe->flags |= IBV_SEND_INLINE;
}

static void wr_set_inline(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_list(ex, 1, &buf);
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct fake_qp *qp = ex_qp(ex);

	pthread_mutex_lock(&qp->lock);
	qp->wr_head = qp->sq_head;
	qp->wr_err = 0;
	qp->wr_cur = NULL;
}

static bool lacks_address(const struct fake_qp *qp)
{
	uint32_t i;

	if (qp->qp.qp_type != IBV_QPT_UD)
		return false;
	for (i = qp->sq_head; i != qp->wr_head; i++)
		if (!sq_at(qp, i)->ah)
			return true;
	return false;
}

/* An error of one request refuses the whole list. */
static int wr_complete(struct ibv_qp_ex *ex)
{
	struct fake_qp *qp = ex_qp(ex);
	int err = qp->wr_err;

	if (!err && lacks_address(qp))
		err = EINVAL;
	if (!err && plan_get()->nfail)
		err = plan_call(CALL_ibv_post_send);
	if (!err) {
		notes_list(qp, &qp->notes.by_wr, qp->wr_head - qp->sq_head);
		qp_commit(qp, qp->wr_head);
	}
	pthread_mutex_unlock(&qp->lock);
	return err;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	pthread_mutex_unlock(&ex_qp(ex)->lock);
}

void qp_set_wr_ops(struct fake_qp *qp)
{
	struct ibv_qp_ex *ex = &qp->ex;

	ex->wr_rdma_write = wr_rdma_write;
	ex->wr_rdma_write_imm = wr_rdma_write_imm;
	ex->wr_rdma_read = wr_rdma_read;
	ex->wr_send = wr_send;
	ex->wr_send_imm = wr_send_imm;
	ex->wr_atomic_cmp_swp = wr_cmp_swp;
	ex->wr_atomic_fetch_add = wr_fetch_add;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline;
	ex->wr_set_inline_data_list = wr_set_inline_list;
	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
}
