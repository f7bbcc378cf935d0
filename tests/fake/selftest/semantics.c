/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* semantics - the double behaves as a card does; both ends in this process. */

#include "end.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

static struct end a, b;
static struct end_addr ba;

static void open_pair(const struct end_opts *opts)
{
	pair_open(&a, &b, opts);
	ba = end_address(&b);
}

static void write_moves_bytes(void)
{
	struct ibv_wc wc;

	open_pair(&end_defaults);
	memset(a.buf, 7, 5000);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 5000, IBV_SEND_SIGNALED));
	wc = end_wait(&a);
	CHECK(wc.status == 0 && wc.opcode == IBV_WC_RDMA_WRITE);
	CHECK(wc.wr_id == IBV_WR_RDMA_WRITE && wc.qp_num == a.qp->qp_num);
	CHECK(b.buf[4999] == 7 && b.buf[5000] == 0 && end_is_quiet(&b));
	pair_close(&a, &b);
}

static void send_needs_a_receive_of_its_size(void)
{
	struct ibv_wc wc;

	open_pair(&end_defaults);
	CHECK(!end_receive(&b, 3, 100));
	CHECK(!end_post(&a, IBV_WR_SEND_WITH_IMM, NULL, 100, 2));
	wc = end_wait(&b);
	CHECK(wc.wr_id == 3 && wc.byte_len == 100 && wc.imm_data == 0x55 &&
	      wc.wc_flags & IBV_WC_WITH_IMM);
	CHECK(end_wait(&a).status == IBV_WC_SUCCESS);
	CHECK(!end_receive(&b, 4, 10) && !end_receive(&b, 5, 10));
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 11, 2));
	CHECK(end_wait(&a).status == IBV_WC_REM_INV_REQ_ERR);
	CHECK(end_wait(&b).status == IBV_WC_LOC_LEN_ERR);
	CHECK(end_wait(&b).status == IBV_WC_WR_FLUSH_ERR);
	CHECK(end_event(&b) == IBV_EVENT_QP_REQ_ERR);
	pair_close(&a, &b);
}

static void rnr_is_retried_then_reported(void)
{
	struct end_opts o = end_defaults;
	struct ibv_wc wc;

	open_pair(&o);			/* for ever */
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 1, 2));
	CHECK(end_is_quiet(&a));
	CHECK(!end_receive(&b, 1, 1));
	CHECK(end_wait(&a).status == IBV_WC_SUCCESS);
	pair_close(&a, &b);

	o.rnr_retry = 2;
	open_pair(&o);
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 1, 0));
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 1, 0));
	wc = end_wait(&a);
	CHECK(wc.status == IBV_WC_RNR_RETRY_EXC_ERR);
	CHECK(end_wait(&a).status == IBV_WC_WR_FLUSH_ERR);
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 1, 0));
	CHECK(end_wait(&a).status == IBV_WC_WR_FLUSH_ERR);
	pair_close(&a, &b);
}

static void bad_keys_are_refused_at_both_ends(void)
{
	struct end_addr to;

	open_pair(&end_defaults);
	to = ba;
	to.rkey++;
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &to, 8, 0));
	CHECK(end_wait(&a).status == IBV_WC_REM_ACCESS_ERR);
	CHECK(end_event(&b) == IBV_EVENT_QP_ACCESS_ERR);
	pair_close(&a, &b);

	open_pair(&end_defaults);
	to = ba;
	to.addr += END_BYTES - 7;
	CHECK(!end_post(&a, IBV_WR_RDMA_READ, &to, 8, 0));
	CHECK(end_wait(&a).status == IBV_WC_REM_ACCESS_ERR);
	pair_close(&a, &b);

	open_pair(&end_defaults);
	a.mr->lkey++;
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 8, 0));
	CHECK(end_wait(&a).status == IBV_WC_LOC_PROT_ERR);
	a.mr->lkey--;
	pair_close(&a, &b);
}

static void rights_are_checked(void)
{
	struct end_opts o = end_defaults;

	o.access = IBV_ACCESS_LOCAL_WRITE;
	open_pair(&o);
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 8, 0));
	CHECK(end_wait(&a).status == IBV_WC_REM_INV_REQ_ERR);
	CHECK(end_event(&b) == IBV_EVENT_QP_REQ_ERR);
	pair_close(&a, &b);
}

static void atomics_work(void)
{
	uint64_t *at, old;

	open_pair(&end_defaults);
	at = (uint64_t *)(void *)b.buf;
	*at = 41;
	CHECK(!end_post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, &ba, 8, 2));
	CHECK(end_wait(&a).opcode == IBV_WC_FETCH_ADD);
	memcpy(&old, a.buf, 8);
	CHECK(old == 41 && *at == 42);
	*at = 1;
	CHECK(!end_post(&a, IBV_WR_ATOMIC_CMP_AND_SWP, &ba, 8, 2));
	CHECK(end_wait(&a).opcode == IBV_WC_COMP_SWAP);
	CHECK(*at == 77);
	pair_close(&a, &b);
}

static void queue_frees_when_polled(void)
{
	int i;

	open_pair(&end_defaults);
	for (i = 0; i < END_DEPTH; i++)
		CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1,
				i == 7 ? IBV_SEND_SIGNALED : 0));
	CHECK(end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 0) == ENOMEM);
	end_wait(&a);
	for (i = 0; i < 8; i++)
		CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 0));
	CHECK(end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 0) == ENOMEM);
	for (i = 0; i < END_DEPTH; i++)
		CHECK(!end_receive(&a, 0, 1));
	CHECK(end_receive(&a, 0, 1) == ENOMEM);
	pair_close(&a, &b);
}

static void overrun_is_an_event(void)
{
	struct end_opts o = end_defaults;
	int i;

	o.cqe = 2;
	open_pair(&o);
	for (i = 0; i < 3; i++)
		CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &ba, 1, 2));
	CHECK(end_event(&a) == IBV_EVENT_CQ_ERR);
	pair_close(&a, &b);
}

static void states_are_enforced(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	struct ibv_qp_init_attr init;

	end_open(&a, 0, &end_defaults);
	CHECK(end_receive(&a, 1, 1) == EINVAL);
	CHECK(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE) == EINVAL);
	attr.qp_state = IBV_QPS_INIT;
	CHECK(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE) == EINVAL);
	CHECK(!end_init(&a, &end_defaults));
	CHECK(end_post(&a, IBV_WR_SEND, NULL, 1, 0) == EINVAL);
	CHECK(!end_receive(&a, 1, 1));
	attr.qp_state = IBV_QPS_ERR;
	CHECK(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE));
	CHECK(end_wait(&a).status == IBV_WC_WR_FLUSH_ERR);
	CHECK(!ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init));
	CHECK(attr.qp_state == IBV_QPS_ERR && init.cap.max_send_wr == END_DEPTH);
	CHECK(ibv_dealloc_pd(a.pd) == EBUSY && ibv_destroy_cq(a.cq) == EBUSY);
	end_close(&a);
}

static void nobody_there_is_retry_exceeded(void)
{
	struct end_addr to;
	struct ibv_wc wc;

	end_open(&a, 0, &end_defaults);
	to = end_address(&a);
	to.qpn = 0xfedcba;
	CHECK(!end_init(&a, &end_defaults));
	CHECK(!end_connect(&a, &to, &end_defaults));
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &to, 1, 0));
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &to, 1, 0));
	wc = end_wait(&a);
	CHECK(wc.status == IBV_WC_RETRY_EXC_ERR && wc.vendor_err == 0x81);
	CHECK(end_wait(&a).status == IBV_WC_WR_FLUSH_ERR);
	end_close(&a);
}

static void completion_events_are_one_shot(void)
{
	struct pollfd p = { .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	open_pair(&end_defaults);
	p.fd = b.channel->fd;
	CHECK(!end_receive(&b, 1, 1) && !end_receive(&b, 2, 1));
	CHECK(!ibv_req_notify_cq(b.cq, 0));
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 1, 0));
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 1, 0));
	CHECK(poll(&p, 1, 1000) == 1);
	CHECK(!ibv_get_cq_event(b.channel, &cq, &context));
	CHECK(cq == b.cq && context == &b);
	CHECK(poll(&p, 1, 0) == 0);
	ibv_ack_cq_events(cq, 1);
	pair_close(&a, &b);
}

static void events_of_the_dead_are_not_delivered(void)
{
	struct pollfd p = { .events = POLLIN };
	struct end_addr to;

	open_pair(&end_defaults);
	to = ba;
	to.rkey++;
	CHECK(!ibv_req_notify_cq(a.cq, 0));
	CHECK(!end_post(&a, IBV_WR_RDMA_WRITE, &to, 8, 0));
	p.fd = a.channel->fd;
	CHECK(poll(&p, 1, 1000) == 1);
	CHECK(!ibv_destroy_qp(a.qp) && !ibv_destroy_cq(a.cq));
	CHECK(poll(&p, 1, 0) == 0);
	p.fd = b.ctx->async_fd;
	CHECK(poll(&p, 1, 1000) == 1);
	CHECK(!ibv_destroy_qp(b.qp));
	CHECK(poll(&p, 1, 0) == 0);
	a.cq = ibv_create_cq(a.ctx, 4, NULL, NULL, 0);
	a.qp = ibv_create_qp(a.pd, &(struct ibv_qp_init_attr) {
		.send_cq = a.cq, .recv_cq = a.cq, .qp_type = IBV_QPT_UC });
	b.qp = ibv_create_qp(b.pd, &(struct ibv_qp_init_attr) {
		.send_cq = b.cq, .recv_cq = b.cq, .qp_type = IBV_QPT_UC });
	CHECK(a.cq && a.qp && b.qp);
	pair_close(&a, &b);
}

static void shared_receives_are_shared(void)
{
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	struct end_opts o = end_defaults;

	o.use_srq = true;
	open_pair(&o);
	CHECK(!end_receive(&b, 9, 4));
	CHECK(!ibv_modify_srq(b.srq, &limit, IBV_SRQ_LIMIT));
	CHECK(!end_post(&a, IBV_WR_SEND, NULL, 4, 2));
	CHECK(end_wait(&b).wr_id == 9);
	CHECK(end_event(&b) == IBV_EVENT_SRQ_LIMIT_REACHED);
	pair_close(&a, &b);
}

static void datagrams_have_a_header_and_may_drop(void)
{
	struct end_opts o = end_defaults;
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_SEND, .send_flags = 2 };
	struct ibv_send_wr *bad;
	struct ibv_ah *ah, *back;
	struct ibv_wc wc;

	o.type = IBV_QPT_UD;
	open_pair(&o);
	attr.grh.dgid = ba.gid;
	attr.grh.sgid_index = 3;
	ah = ibv_create_ah(a.pd, &attr);
	CHECK(ah);
	memset(a.buf, 9, 100);
	sge = (struct ibv_sge) { (uintptr_t)a.buf, 100, a.mr->lkey };
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = ba.qpn;
	wr.wr.ud.remote_qkey = 0x11111111;
	CHECK(!ibv_post_send(a.qp, &wr, &bad));
	CHECK(end_wait(&a).status == 0 && end_is_quiet(&b));
	CHECK(!end_receive(&b, 1, 140));
	CHECK(!ibv_post_send(a.qp, &wr, &bad));
	wc = end_wait(&b);
	CHECK(wc.byte_len == 140 && wc.src_qp == a.qp->qp_num &&
	      wc.wc_flags & IBV_WC_GRH && b.buf[139] == 9 && b.buf[39] != 9);
	back = ibv_create_ah_from_wc(b.pd, &wc,
				     (struct ibv_grh *)(void *)b.buf, 1);
	CHECK(back && !ibv_destroy_ah(back) && !ibv_destroy_ah(ah));
	pair_close(&a, &b);
}

static void a_group_gets_a_datagram(void)
{
	struct end_opts o = end_defaults;
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1,
				    .grh = { .sgid_index = 3 } };
	union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 1 } };
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	o.type = IBV_QPT_UD;
	open_pair(&o);
	attr.grh.dgid = group;
	wr.wr.ud.ah = ibv_create_ah(a.pd, &attr);
	CHECK(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = 0xffffff;
	wr.wr.ud.remote_qkey = 0x11111111;
	sge = (struct ibv_sge) { (uintptr_t)a.buf, 5, a.mr->lkey };
	CHECK(!ibv_attach_mcast(b.qp, &group, 0));
	CHECK(!end_receive(&b, 1, 64) && !end_receive(&b, 2, 64));
	CHECK(!ibv_post_send(a.qp, &wr, &bad));
	CHECK(end_wait(&b).byte_len == 45);
	CHECK(!ibv_detach_mcast(b.qp, &group, 0));
	CHECK(!ibv_post_send(a.qp, &wr, &bad) && end_is_quiet(&b));
	CHECK(!ibv_destroy_ah(wr.wr.ud.ah));
	pair_close(&a, &b);
}

static void extended_posting_works(void)
{
	struct end_opts o = end_defaults;
	struct ibv_qp_ex *ex;
	char text[] = "inline";

	o.extended = true;
	open_pair(&o);
	ex = ibv_qp_to_qp_ex(a.qp);
	CHECK(ex);
	memset(a.buf, 3, 64);
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(ex, ba.rkey, ba.addr);
	ibv_wr_set_sge(ex, a.mr->lkey, (uintptr_t)a.buf, 64);
	ex->wr_id = 2;
	ibv_wr_rdma_write(ex, ba.rkey, ba.addr + 100);
	ibv_wr_set_inline_data(ex, text, sizeof(text));
	CHECK(!ibv_wr_complete(ex));
	CHECK(end_wait(&a).wr_id == 1 && end_wait(&a).wr_id == 2);
	CHECK(b.buf[63] == 3 && !strcmp(b.buf + 100, "inline"));
	ibv_wr_start(ex);
	ibv_wr_rdma_write(ex, ba.rkey, ba.addr);
	ibv_wr_abort(ex);
	CHECK(end_is_quiet(&a));
	pair_close(&a, &b);
}

static void extended_polling_works(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN |
				      IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_values_ex now;
	struct ibv_cq_ex *ex;
	uint64_t stamp;

	open_pair(&end_defaults);
	CHECK(!ibv_destroy_qp(a.qp) && !ibv_destroy_cq(a.cq));
	ex = ibv_create_cq_ex(a.ctx, &attr);
	CHECK(ex);
	a.cq = ibv_cq_ex_to_cq(ex);
	CHECK(ibv_start_poll(ex, &none) == ENOENT);
	a.qp = ibv_create_qp(a.pd, &(struct ibv_qp_init_attr) {
		.send_cq = a.cq, .recv_cq = a.cq, .qp_type = IBV_QPT_RC,
		.cap = { 1, 1, 1, 1, 0 } });
	CHECK(!end_init(&a, &end_defaults) && !end_receive(&a, 5, 1));
	CHECK(!ibv_modify_qp(a.qp, &(struct ibv_qp_attr) {
		.qp_state = IBV_QPS_ERR }, IBV_QP_STATE));
	CHECK(!ibv_start_poll(ex, &none) && ex->wr_id == 5);
	CHECK(ex->status == IBV_WC_WR_FLUSH_ERR);
	CHECK(ibv_wc_read_opcode(ex) == IBV_WC_RECV);
	now.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	CHECK(!ibv_query_rt_values_ex(a.ctx, &now));
	stamp = ibv_wc_read_completion_ts(ex);
	CHECK(stamp > 0 && stamp <= (uint64_t)now.raw_clock.tv_nsec);
	CHECK(ibv_next_poll(ex) == ENOENT);
	ibv_end_poll(ex);
	pair_close(&a, &b);
}

int main(void)
{
	write_moves_bytes();
	send_needs_a_receive_of_its_size();
	rnr_is_retried_then_reported();
	bad_keys_are_refused_at_both_ends();
	rights_are_checked();
	atomics_work();
	queue_frees_when_polled();
	overrun_is_an_event();
	states_are_enforced();
	nobody_there_is_retry_exceeded();
	completion_events_are_one_shot();
	events_of_the_dead_are_not_delivered();
	shared_receives_are_shared();
	datagrams_have_a_header_and_may_drop();
	a_group_gets_a_datagram();
	extended_posting_works();
	extended_polling_works();
	puts("semantics: ok");
	return 0;
}
