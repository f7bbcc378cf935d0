/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * request - post one request by whichever interface its queue pair was made for
 */
#include "run/request.h"

#include <errno.h>

#include "run/stream.h"

/* Begin it with ibv_wr_*; false: no verb of ours. */
static bool begin(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey,
				  wr->wr.rdma.remote_addr);
		return true;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, wr->wr.rdma.rkey,
				      wr->wr.rdma.remote_addr, wr->imm_data);
		return true;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey,
				 wr->wr.rdma.remote_addr);
		return true;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, wr->imm_data);
		return true;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey,
					wr->wr.atomic.remote_addr,
					wr->wr.atomic.compare_add);
		return true;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, wr->wr.atomic.rkey,
				      wr->wr.atomic.remote_addr,
				      wr->wr.atomic.compare_add,
				      wr->wr.atomic.swap);
		return true;
	default:
		return false;
	}
}

static int post_wr_api(const struct rb_flow *f, const struct ibv_send_wr *wr)
{
	struct ibv_qp_ex *qpx = f->qpx;

	ibv_wr_start(qpx);
	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags;
	if (!begin(qpx, wr)) {
		ibv_wr_abort(qpx);
		return EINVAL;
	}
	if (qpx->qp_base.qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qpx, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				   wr->wr.ud.remote_qkey);
	if (wr->send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(qpx, (void *)(uintptr_t)wr->sg_list->addr,
				       wr->sg_list->length);
	else
		ibv_wr_set_sge_list(qpx, (size_t)wr->num_sge, wr->sg_list);
	return ibv_wr_complete(qpx);
}

int rb_request_post(const struct rb_flow *f, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return f->qpx ? post_wr_api(f, wr) : ibv_post_send(f->qp, wr, &bad);
}
