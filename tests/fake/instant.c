/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instant - the data path of the plan "instant"
 *
 * Nothing moves: a request is complete when it is posted, a receive too. It
 * exists to count a program's own instructions, so it has no lock and makes no
 * system call (but the event of an armed queue); the threads of a program must
 * not share a completion queue.
 *
 * With "instant=echo" a write is answered by itself: the last byte of what goes
 * to a place in the peer's region appears in the same place of our own. So a
 * loop that waits for memory to change finds its answer.
 */

#define _GNU_SOURCE
#include "fake.h"

#include "memory.h"

#include <errno.h>
#include <string.h>

static void overrun(struct fake_cq *cq)
{
	if (!cq->w->overrun)
		async_raise(&proc.self, cq->w->async_fd, IBV_EVENT_CQ_ERR,
			    cq->w->index, cq->w->gen);
	cq->w->overrun = 1;
}

static void notify(struct fake_cq *cq)
{
	struct wire_event event = { WIRE_CQ_EVENT, cq->w->index, cq->w->gen,
				    0 };

	cq->armed = 0;
	wire_signal(&proc.self, cq->w->event_fd, &event, sizeof(event));
}

static inline struct instant_cqe *push(struct fake_cq *cq)
{
	struct instant_cqe *cqe = &cq->ring[cq->itail & cq->imask];

	if (__builtin_expect(cq->itail - cq->ihead > cq->isize, 0))
		overrun(cq);
	cq->itail++;
	return cqe;
}

static const uint8_t wc_opcodes[] = {
	[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
	[IBV_WR_SEND] = IBV_WC_SEND,
	[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
	[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
};

static inline void push_send(struct fake_qp *qp, struct fake_cq *cq,
			     uint64_t wr_id, unsigned int opcode)
{
	struct instant_cqe *cqe = push(cq);

	cqe->wr_id = wr_id;
	cqe->qp = qp;
	cqe->seq = qp->sq_head;
	cqe->opcode = wc_opcodes[opcode];
	cqe->is_recv = 0;
}

static inline int cannot_post(const struct fake_qp *qp, unsigned int opcode)
{
	if (__builtin_expect(qp->qp.state != IBV_QPS_RTS ||
			     opcode > IBV_WR_ATOMIC_FETCH_AND_ADD, 0))
		return EINVAL;
	if (__builtin_expect(qp->sq_head - qp->sq_tail >= qp->sq_max, 0))
		return ENOMEM;
	return 0;
}

static const struct wire_mr *own_region(uint64_t length)
{
	const struct wire_mr *mr = proc.self.a->mr;
	int i;

	for (i = 0; i < WIRE_MRS; i++)
		if (mr[i].access & MR_VALID &&
		    mr[i].access & IBV_ACCESS_REMOTE_WRITE &&
		    mr[i].length == length)
			return &mr[i];
	return NULL;
}

static __attribute__((noinline)) void echo(const struct fake_qp *qp,
					   uint64_t raddr, uint32_t rkey,
					   uint64_t laddr, uint32_t length)
{
	const struct wire_mr *to = &qp->peer->a->mr[rkey >> 8 & (WIRE_MRS - 1)];
	const struct wire_mr *own = own_region(to->length);
	uint64_t last = raddr - to->iova + length - 1;

	if (own && last < own->length)
		*(char *)(uintptr_t)(own->addr + last) =
			*(const char *)(uintptr_t)(laddr + length - 1);
}

static void echo_wr(const struct fake_qp *qp, const struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_RDMA_WRITE && wr->num_sge == 1)
		echo(qp, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey,
		     wr->sg_list->addr, wr->sg_list->length);
}

int instant_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad)
{
	struct fake_qp *qp = to_qp(ibqp);
	struct fake_cq *cq = to_cq(ibqp->send_cq);

	for (; wr; wr = wr->next) {
		int err = cannot_post(qp, wr->opcode);

		if (__builtin_expect(err, 0)) {
			*bad = wr;
			return err;
		}
		if (wr->send_flags & IBV_SEND_SIGNALED || qp->sig_all)
			push_send(qp, cq, wr->wr_id, wr->opcode);
		qp->sq_head++;
		if (__builtin_expect(qp->echo, 0))
			echo_wr(qp, wr);
	}
	if (__builtin_expect(cq->armed, 0) && cq->ihead != cq->itail)
		notify(cq);
	return 0;
}

static uint32_t receive_len(const struct ibv_recv_wr *wr)
{
	uint32_t len = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		len += wr->sg_list[i].length;
	return len;
}

int instant_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad)
{
	struct fake_qp *qp = to_qp(ibqp);
	struct fake_cq *cq = to_cq(ibqp->recv_cq);

	for (; wr; wr = wr->next) {
		struct instant_cqe *cqe;

		if (ibqp->state == IBV_QPS_RESET) {
			*bad = wr;
			return EINVAL;
		}
		cqe = push(cq);
		cqe->wr_id = wr->wr_id;
		cqe->qp = qp;
		cqe->opcode = IBV_WC_RECV;
		cqe->byte_len = receive_len(wr);
		cqe->is_recv = 1;
	}
	if (__builtin_expect(cq->armed, 0))
		notify(cq);
	return 0;
}

static inline void retire(const struct instant_cqe *cqe)
{
	if (!cqe->is_recv)
		cqe->qp->sq_tail = cqe->seq + 1;
}

int instant_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct fake_cq *cq = to_cq(ibcq);
	int i;

	for (i = 0; i < n && cq->ihead != cq->itail; i++, wc++) {
		const struct instant_cqe *cqe =
			&cq->ring[cq->ihead++ & cq->imask];

		wc->wr_id = cqe->wr_id;
		wc->status = IBV_WC_SUCCESS;
		wc->opcode = (enum ibv_wc_opcode)cqe->opcode;
		wc->byte_len = cqe->byte_len;
		wc->qp_num = cqe->qp->qp.qp_num;
		wc->wc_flags = 0;
		wc->vendor_err = 0;
		retire(cqe);
	}
	return i;
}

int instant_arm(struct ibv_cq *ibcq, int solicited_only)
{
	(void)solicited_only;
	to_cq(ibcq)->armed = 1;
	return 0;
}

void instant_clean(struct ibv_cq *ibcq, const struct fake_qp *qp)
{
	struct fake_cq *cq = to_cq(ibcq);
	uint32_t from, to;

	for (from = to = cq->ihead; from != cq->itail; from++) {
		struct instant_cqe *cqe = &cq->ring[from & cq->imask];

		if (cqe->qp != qp)
			cq->ring[to++ & cq->imask] = *cqe;
	}
	cq->itail = to;
}

static struct fake_qp *ex_qp(struct ibv_qp_ex *ex)
{
	return (struct fake_qp *)(void *)ex;
}

static inline void wr_one(struct ibv_qp_ex *ex, unsigned int opcode)
{
	struct fake_qp *qp = ex_qp(ex);
	int err = cannot_post(qp, opcode);

	if (__builtin_expect(err, 0)) {
		qp->wr_err = err;
		return;
	}
	if (ex->wr_flags & IBV_SEND_SIGNALED || qp->sig_all)
		push_send(qp, to_cq(qp->qp.send_cq), ex->wr_id, opcode);
	qp->sq_head++;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr)
{
	ex_qp(ex)->echo_rkey = rkey;
	ex_qp(ex)->echo_raddr = raddr;
	wr_one(ex, IBV_WR_RDMA_WRITE);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey,
			      uint64_t raddr, __be32 imm)
{
	(void)rkey, (void)raddr, (void)imm;
	wr_one(ex, IBV_WR_RDMA_WRITE_WITH_IMM);
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr)
{
	(void)rkey, (void)raddr;
	wr_one(ex, IBV_WR_RDMA_READ);
}

static void wr_send(struct ibv_qp_ex *ex)
{
	wr_one(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	(void)imm;
	wr_one(ex, IBV_WR_SEND_WITH_IMM);
}

static void wr_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr,
		       uint64_t compare, uint64_t swap)
{
	(void)rkey, (void)raddr, (void)compare, (void)swap;
	wr_one(ex, IBV_WR_ATOMIC_CMP_AND_SWP);
}

static void wr_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr,
			 uint64_t add)
{
	(void)rkey, (void)raddr, (void)add;
	wr_one(ex, IBV_WR_ATOMIC_FETCH_AND_ADD);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah,
			   uint32_t qpn, uint32_t qkey)
{
	(void)ex, (void)ah, (void)qpn, (void)qkey;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	const struct fake_qp *qp = ex_qp(ex);

	(void)lkey;
	if (__builtin_expect(qp->echo, 0))
		echo(qp, qp->echo_raddr, qp->echo_rkey, addr, length);
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n,
			    const struct ibv_sge *list)
{
	(void)ex, (void)n, (void)list;
}

static void wr_set_inline(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	wr_set_sge(ex, 0, (uint64_t)(uintptr_t)addr, (uint32_t)length);
}

static void wr_set_inline_list(struct ibv_qp_ex *ex, size_t n,
			       const struct ibv_data_buf *list)
{
	(void)ex, (void)n, (void)list;
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct fake_qp *qp = ex_qp(ex);

	qp->wr_head = qp->sq_head;
	qp->wr_cq_tail = to_cq(qp->qp.send_cq)->itail;
	qp->wr_err = 0;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	struct fake_qp *qp = ex_qp(ex);

	qp->sq_head = qp->wr_head;
	to_cq(qp->qp.send_cq)->itail = qp->wr_cq_tail;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct fake_qp *qp = ex_qp(ex);
	struct fake_cq *cq = to_cq(qp->qp.send_cq);

	if (__builtin_expect(qp->wr_err, 0))
		wr_abort(ex);
	else if (__builtin_expect(cq->armed, 0) && cq->ihead != cq->itail)
		notify(cq);
	return qp->wr_err;
}

void instant_set_wr_ops(struct fake_qp *qp)
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

static int take_one(struct ibv_cq_ex *ex)
{
	struct fake_cq *cq = (struct fake_cq *)(void *)ex;
	struct ibv_wc *wc = &cq->cur.wc;

	if (!instant_poll_cq(&cq->cq, 1, wc))
		return ENOENT;
	ex->wr_id = wc->wr_id;
	ex->status = IBV_WC_SUCCESS;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	(void)attr;
	return take_one(ex);
}

/* The readers are those of cqex.c; only the taking differs. */
void instant_set_poll_ops(struct fake_cq *cq)
{
	cq->ex.start_poll = start_poll;
	cq->ex.next_poll = take_one;
}
