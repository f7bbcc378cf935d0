/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* end - one end of a connection, for the tests of the double itself. */

#include "end.h"

#include <poll.h>
#include <string.h>
#include <time.h>

const struct end_opts end_defaults = {
	.type = IBV_QPT_RC,
	.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	.cqe = 4 * END_DEPTH,
	.rnr_retry = 7,
};

static void open_device(struct end *e)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	CHECK(list && list[e->dev]);
	e->ctx = ibv_open_device(list[e->dev]);
	CHECK(e->ctx);
	ibv_free_device_list(list);
}

static void create_qp(struct end *e, const struct end_opts *o)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = e->cq, .recv_cq = e->cq, .srq = e->srq,
		.qp_type = o->type, .pd = e->pd,
		.cap = { END_DEPTH, END_DEPTH, 2, 2, 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
	};

	if (o->extended) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE |
				      IBV_QP_EX_WITH_SEND |
				      IBV_QP_EX_WITH_RDMA_READ;
	}
	e->qp = ibv_create_qp_ex(e->ctx, &attr);
	CHECK(e->qp);
}

void end_open(struct end *e, int dev, const struct end_opts *o)
{
	struct ibv_srq_init_attr srq = { .attr = { END_DEPTH, 2, 0 } };

	memset(e, 0, sizeof(*e));
	e->dev = dev;
	open_device(e);
	e->pd = ibv_alloc_pd(e->ctx);
	CHECK(e->pd);
	e->buf = calloc(1, END_BYTES);
	e->mr = ibv_reg_mr(e->pd, e->buf, END_BYTES, (int)o->access);
	CHECK(e->mr);
	e->channel = ibv_create_comp_channel(e->ctx);
	CHECK(e->channel);
	e->cq = ibv_create_cq(e->ctx, o->cqe, e, e->channel, 0);
	CHECK(e->cq);
	if (o->use_srq) {
		e->srq = ibv_create_srq(e->pd, &srq);
		CHECK(e->srq);
	}
	create_qp(e, o);
}

void end_close(struct end *e)
{
	CHECK(!ibv_destroy_qp(e->qp));
	if (e->srq)
		CHECK(!ibv_destroy_srq(e->srq));
	CHECK(!ibv_destroy_cq(e->cq));
	CHECK(!ibv_destroy_comp_channel(e->channel));
	CHECK(!ibv_dereg_mr(e->mr));
	CHECK(!ibv_dealloc_pd(e->pd));
	CHECK(!ibv_close_device(e->ctx));
	free(e->buf);
}

struct end_addr end_address(const struct end *e)
{
	struct end_addr a = {
		.qpn = e->qp->qp_num, .rkey = e->mr->rkey,
		.addr = (uintptr_t)e->buf,
	};

	CHECK(!ibv_query_gid(e->ctx, 1, 3, &a.gid));
	return a;
}

int end_init(struct end *e, const struct end_opts *o)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11111111,
		.qp_access_flags = o->access,
	};

	return ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PORT |
			     IBV_QP_PKEY_INDEX |
			     (o->type == IBV_QPT_UD ? IBV_QP_QKEY :
			      IBV_QP_ACCESS_FLAGS));
}

static int to_rtr(struct end *e, const struct end_addr *to,
		  const struct end_opts *o)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096,
		.dest_qp_num = to->qpn, .rq_psn = END_PSN,
		.max_dest_rd_atomic = 16, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = to->gid, .sgid_index = 3 } },
	};
	int mask = IBV_QP_STATE;

	if (o->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (o->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(e->qp, &attr, mask);
}

int end_connect(struct end *e, const struct end_addr *to,
		const struct end_opts *o)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = 10, .retry_cnt = 3,
		.rnr_retry = o->rnr_retry, .sq_psn = END_PSN,
		.max_rd_atomic = 16,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	int err = to_rtr(e, to, o);

	if (o->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return err ? err : ibv_modify_qp(e->qp, &attr, mask);
}

void pair_open(struct end *a, struct end *b, const struct end_opts *o)
{
	struct end_addr aa, ba;

	end_open(a, 0, o);
	end_open(b, 1, o);
	aa = end_address(a);
	ba = end_address(b);
	CHECK(!end_init(a, o) && !end_init(b, o));
	CHECK(!end_connect(a, &ba, o) && !end_connect(b, &aa, o));
}

void pair_close(struct end *a, struct end *b)
{
	end_close(a);
	end_close(b);
}

int end_post(struct end *e, enum ibv_wr_opcode op, const struct end_addr *to,
	     uint32_t len, unsigned int flags)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, len, e->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = op, .sg_list = &sge, .num_sge = 1, .opcode = op,
		.send_flags = flags, .imm_data = 0x55,
	}, *bad;

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	    op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = to->addr;
		wr.wr.atomic.rkey = to->rkey;
		wr.wr.atomic.compare_add = 1;
		wr.wr.atomic.swap = 77;
	} else if (to) {
		wr.wr.rdma.remote_addr = to->addr;
		wr.wr.rdma.rkey = to->rkey;
	}
	return ibv_post_send(e->qp, &wr, &bad);
}

int end_receive(struct end *e, uint64_t wr_id, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, len, e->mr->lkey };
	struct ibv_recv_wr wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1,
	}, *bad;

	return e->srq ? ibv_post_srq_recv(e->srq, &wr, &bad) :
	       ibv_post_recv(e->qp, &wr, &bad);
}

struct ibv_wc end_wait(struct end *e)
{
	time_t until = time(NULL) + 4;
	struct ibv_wc wc;
	int n = 0;

	while (!n && time(NULL) < until)
		n = ibv_poll_cq(e->cq, 1, &wc);
	CHECK(n == 1);
	return wc;
}

bool end_is_quiet(struct end *e)
{
	struct ibv_wc wc;

	return ibv_poll_cq(e->cq, 1, &wc) == 0;
}

int end_event(struct end *e)
{
	struct pollfd p = { .fd = e->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (poll(&p, 1, 1000) != 1)
		return -1;
	CHECK(!ibv_get_async_event(e->ctx, &event));
	ibv_ack_async_event(&event);
	return (int)event.event_type;
}
