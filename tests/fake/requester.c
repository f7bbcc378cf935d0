/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * requester - the send queue: execute what is due, in order, and complete it
 *
 * A request is executed when it is posted, unless the plan delays it, the far
 * end is not ready or nobody answers; then the engine tries again later.
 */

#include "responder.h"
#include "plan.h"

#include <string.h>

enum {
	RETRY_EVERY_NS	= 500000,
	GIVE_UP_MAX_NS	= 1000000000,	/* shorter than real cards, for tests */
	RNR_FOR_EVER	= 7,
	VENDOR_FLUSH	= 0xf9,
};

#define ACK_TIMEOUT_NS 4096ull		/* times 2^timeout; IBTA vol. 1 */

/* Syndromes as an mlx5 card reports them, so that explanations can be tried. */
static uint32_t vendor_error(int status)
{
	switch (status) {
	case IBV_WC_RETRY_EXC_ERR:
		return 0x81;
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return 0x82;
	case IBV_WC_REM_ACCESS_ERR:
		return 0x88;
	case IBV_WC_REM_OP_ERR:
		return 0x89;
	case IBV_WC_REM_INV_REQ_ERR:
		return 0x8a;
	case IBV_WC_LOC_PROT_ERR:
		return 0x51;
	case IBV_WC_WR_FLUSH_ERR:
		return VENDOR_FLUSH;
	default:
		return 0;
	}
}

static enum ibv_wc_opcode wc_opcode(uint8_t opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	default:
		return IBV_WC_SEND;
	}
}

uint64_t requester_stamp(const struct fake_qp *qp, const struct fake_wqe *wqe)
{
	return qp->retried ? 0 : wqe->due_ns;
}

static void complete(struct fake_qp *qp, const struct fake_wqe *wqe,
		     int status)
{
	struct wire_cqe cqe = {
		.wc = {
			.wr_id = wqe->wr_id,
			.status = (enum ibv_wc_status)status,
			.opcode = wc_opcode(wqe->opcode),
			.vendor_err = vendor_error(status),
			.byte_len = wqe->len,
			.qp_num = qp->qp.qp_num,
		},
		.stamp_ns = requester_stamp(qp, wqe),
		.seq = qp->sq_exec,
	};

	if (status || qp->sig_all || wqe->flags & IBV_SEND_SIGNALED)
		cq_push(&proc.self, to_cq(qp->qp.send_cq)->w->index, &cqe,
			false);
}

static uint64_t rnr_ns(unsigned int timer)
{
	/* IBTA vol. 1, "encoding for RNR NAK timer field", in 10 us */
	static const uint32_t table[32] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};

	return table[timer & 31] * 10000ull;
}

static uint64_t give_up_after(const struct fake_qp *qp)
{
	uint64_t ns;

	if (!qp->attr.timeout)
		return UINT64_MAX / 2;
	ns = (ACK_TIMEOUT_NS << qp->attr.timeout) *
	     (qp->attr.retry_cnt + 1u);
	return ns < GIVE_UP_MAX_NS ? ns : GIVE_UP_MAX_NS;
}

static bool is_frozen(const struct wire_arena *a, int dev)
{
	return __atomic_load_n(&a->frozen[dev], __ATOMIC_RELAXED);
}

static bool is_up(const struct wire_arena *a, int dev)
{
	return !__atomic_load_n(&a->port_down[dev], __ATOMIC_RELAXED) &&
	       !is_frozen(a, dev);
}

/* The type of queue pair that one of this type is connected to. */
static enum ibv_qp_type far_type(const struct fake_qp *qp)
{
	return qp->qp.qp_type == IBV_QPT_XRC_SEND ? IBV_QPT_XRC_RECV :
						    qp->qp.qp_type;
}

static bool is_reliable(const struct fake_qp *qp)
{
	return qp->qp.qp_type == IBV_QPT_RC ||
	       qp->qp.qp_type == IBV_QPT_XRC_SEND;
}

/* Would the packets of @qp be taken by @dst as those of its connection? */
static bool is_connected(const struct fake_qp *qp)
{
	const struct wire_qp *d = qp->dst;

	if (d->qpn != qp->attr.dest_qp_num || d->type != far_type(qp))
		return false;
	if (load32(&d->state) < IBV_QPS_RTR || load32(&d->state) > IBV_QPS_SQE)
		return false;
	if (d->dest_qpn != qp->qp.qp_num ||
	    d->pkey_index != qp->attr.pkey_index ||
	    !is_up(qp->peer->a, d->dev))
		return false;
	if (ah_to_dev(&qp->attr.ah_attr) != d->dev)
		return false;
	return !is_reliable(qp) ||
	       ((d->rq_psn ^ qp->attr.sq_psn) & 0xffffff) == 0;
}

static void note_contact(const struct message *m)
{
	struct wire_qp *d = m->dst;

	if (d->state != IBV_QPS_RTR || d->comm_est)
		return;
	d->comm_est = 1;
	async_raise(m->peer, d->async_fd, IBV_EVENT_COMM_EST,
		    d->qpn & (WIRE_QPS - 1), d->gen);
}

static int respond(const struct message *m)
{
	static const uint32_t mtu_bytes[] = { 256, 256, 512, 1024, 2048, 4096 };
	struct wire_qp *d = m->dst;

	note_contact(m);
	if (is_reliable(m->qp) && d->mtu < m->qp->attr.path_mtu &&
	    m->wqe->len > mtu_bytes[d->mtu % 6]) {
		responder_fail(m->peer, d, IBV_EVENT_QP_REQ_ERR);
		return IBV_WC_REM_INV_REQ_ERR;
	}
	switch (m->wqe->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return respond_write(m);
	case IBV_WR_RDMA_READ:
		return respond_read(m);
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return respond_atomic(m);
	default:
		return respond_send(m);
	}
}

/* A message without payload does not notice a dead peer by its copying. */
static bool needs_probe(const struct message *m)
{
	return !m->wqe->len && !m->peer->is_self;
}

/* XRC: what the request names has to be of the queue pair's domain. */
static bool find_srq(struct message *m)
{
	if (m->qp->qp.qp_type != IBV_QPT_XRC_SEND)
		return true;
	m->srq = xrc_find_srq(m->peer, m->dst, m->wqe->srqn);
	if (m->srq)
		m->pd = m->srq->pd;
	return m->srq != NULL;
}

static int deliver_connected(struct message *m)
{
	struct fake_qp *qp = m->qp;
	int result = OUT_LOST;

	if (!qp->peer || load32(&qp->peer->a->closed))
		return OUT_LOST;
	m->peer = qp->peer;
	m->dst = qp->dst;
	if (needs_probe(m) && !wire_peer_alive(m->peer))
		return OUT_LOST;
	wire_lock(&m->dst->lock);
	m->pd = m->dst->pd;
	if (is_connected(qp))
		result = find_srq(m) ? respond(m) :
				       respond_nak(m, IBV_WC_REM_INV_REQ_ERR,
						   IBV_EVENT_QP_REQ_ERR);
	wire_unlock(&m->dst->lock);
	if (result == OUT_NOT_READY && !wire_peer_alive(m->peer))
		result = OUT_LOST;
	return result;
}

static bool in_group(const struct wire_qp *d, const union ibv_gid *gid)
{
	int i;

	for (i = 0; i < d->ngroups; i++)
		if (!memcmp(d->group[i], gid->raw, sizeof(gid->raw)))
			return true;
	return false;
}

static void deliver_datagram(struct message *m, struct wire_peer *peer,
			     uint32_t index)
{
	const struct fake_wqe *wqe = m->wqe;
	uint32_t qkey = wqe->qkey & 0x80000000 ? m->qp->attr.qkey : wqe->qkey;
	bool group = wqe->ah->attr.is_global &&
		     gid_is_group(&wqe->ah->attr.grh.dgid);
	struct wire_qp *d = &peer->a->qp[index];

	if (!d->ready)
		return;
	m->peer = peer;
	m->dst = d;
	m->pd = d->pd;
	wire_lock(&d->lock);
	if (d->qpn && d->type == IBV_QPT_UD &&
	    (d->qkey == qkey || plan_get()->anykey) &&
	    d->state >= IBV_QPS_RTR && d->state <= IBV_QPS_SQE &&
	    is_up(peer->a, d->dev) &&
	    (group ? in_group(d, &wqe->ah->attr.grh.dgid) :
	     d->qpn == wqe->qpn && d->dev == wqe->ah->dev))
		respond_send(m);
	wire_unlock(&d->lock);
}

static void deliver_to_group(struct message *m)
{
	uint32_t slot, i;

	for (slot = 1; slot < WIRE_SLOTS; slot++) {
		struct wire_peer *peer = wire_peer_get(slot);

		if (peer && load32(&peer->a->ngroups))
			for (i = 0; i < WIRE_QPS; i++)
				if (peer->a->qp[i].ngroups)
					deliver_datagram(m, peer, i);
		wire_peer_put(peer);
	}
}

static int deliver_ud(struct message *m)
{
	const struct fake_ah *ah = m->wqe->ah;
	struct wire_peer *peer;

	if (ah->attr.is_global && gid_is_group(&ah->attr.grh.dgid)) {
		deliver_to_group(m);
		return IBV_WC_SUCCESS;
	}
	peer = wire_peer_get(m->wqe->qpn >> WIRE_QP_BITS);
	if (peer)
		deliver_datagram(m, peer, m->wqe->qpn & (WIRE_QPS - 1));
	wire_peer_put(peer);
	return IBV_WC_SUCCESS;
}

/* What this end can tell by itself: length and local keys. */
static int gather(struct message *m)
{
	const struct fake_wqe *wqe = m->wqe;
	struct fake_qp *qp = m->qp;
	uint32_t limit = plan_get()->dev.max_msg_sz, access = 0;

	if (qp->qp.qp_type == IBV_QPT_UD)
		limit = 128u << plan_get()->dev.mtu;
	if (wqe->len > limit)
		return IBV_WC_LOC_LEN_ERR;
	if (wqe->flags & IBV_SEND_INLINE) {
		span_add(&m->src, (uintptr_t)wqe->data, wqe->len);
		return IBV_WC_SUCCESS;
	}
	if (wqe->opcode >= IBV_WR_RDMA_READ) {
		access = IBV_ACCESS_LOCAL_WRITE;
		if (!qp->attr.max_rd_atomic)
			return IBV_WC_LOC_QP_OP_ERR;
	}
	if (!span_add_sges(&m->src, proc.self.a, qp->w->pd, wqe->sge,
			   wqe->nsge, access))
		return IBV_WC_LOC_PROT_ERR;
	return IBV_WC_SUCCESS;
}

static int execute(struct fake_qp *qp, const struct fake_wqe *wqe)
{
	const struct plan *plan = plan_get();
	struct message m = { .qp = qp, .wqe = wqe };
	int result = gather(&m);

	if (result)
		return result;
	if (!is_up(proc.self.a, qp->w->dev) ||
	    plan_has(plan->drop, plan->ndrop, wqe->msg))
		result = OUT_LOST;
	else if (plan_has(plan->lose, plan->nlose, wqe->msg))
		result = IBV_WC_SUCCESS;
	else if (qp->qp.qp_type == IBV_QPT_UD)
		result = deliver_ud(&m);
	else
		result = deliver_connected(&m);
	return is_reliable(qp) ? result : IBV_WC_SUCCESS;
}

/* Returns true when the request has to wait, with the time in @again. */
static bool has_to_wait(struct fake_qp *qp, int *result, uint64_t now,
			uint64_t *again)
{
	if (*result == OUT_NOT_READY) {
		if (!qp->rnr_active)
			qp->rnr_left = qp->attr.rnr_retry;
		qp->rnr_active = true;
		*again = now + rnr_ns(qp->dst->min_rnr_timer);
		if (qp->rnr_left == RNR_FOR_EVER || qp->rnr_left-- > 0)
			return true;
		*result = IBV_WC_RNR_RETRY_EXC_ERR;
	} else if (*result == OUT_LOST) {
		if (!qp->give_up_ns)
			qp->give_up_ns = now + give_up_after(qp);
		*again = now + RETRY_EVERY_NS;
		if (*again > qp->give_up_ns)
			*again = qp->give_up_ns;
		if (now < qp->give_up_ns)
			return true;
		*result = IBV_WC_RETRY_EXC_ERR;
	}
	qp->give_up_ns = 0;
	qp->rnr_active = false;
	return false;
}

static void flush(struct fake_qp *qp)
{
	for (; qp->sq_exec != qp->sq_head; qp->sq_exec++)
		complete(qp, sq_at(qp, qp->sq_exec), IBV_WC_WR_FLUSH_ERR);
}

/*
 * The plan lets this message and its queue pair's next one exchange what they carry:
 * false while there is no next one.
 */
static bool swap_with_next(struct fake_qp *qp, struct fake_wqe *wqe)
{
	size_t n = qp->sq_stride - offsetof(struct fake_wqe, sge);
	struct fake_wqe *next = sq_at(qp, qp->sq_exec + 1);
	uint32_t len = wqe->len, imm = wqe->imm;
	uint16_t nsge = wqe->nsge;
	char *a = wqe->data, *b = next->data;

	if (qp->swapped == wqe->msg ||
	    !plan_has(plan_get()->swap, plan_get()->nswap, wqe->msg))
		return true;
	if (qp->sq_exec + 1 == qp->sq_head)
		return false;
	for (; n; n--, a++, b++) {
		char c = *a;

		*a = *b;
		*b = c;
	}
	wqe->len = next->len;
	next->len = len;
	wqe->nsge = next->nsge;
	next->nsge = nsge;
	wqe->imm = next->imm;
	next->imm = imm;
	qp->swapped = wqe->msg;
	return true;
}

/* Execute what is due; with qp->lock held. */
void qp_progress(struct fake_qp *qp, uint64_t now)
{
	if (plan_get()->instant) /* done when posted: nothing waits here */
		qp->sq_exec = qp->sq_head;
	while (qp->sq_exec != qp->sq_head) {
		struct fake_wqe *wqe = sq_at(qp, qp->sq_exec);
		uint64_t again = wqe->due_ns;
		int result;

		if (load32(&qp->w->state) == IBV_QPS_ERR) {
			flush(qp);
			return;
		}
		if (load32(&qp->w->state) != IBV_QPS_RTS)
			return;		/* SQD: until it is RTS again */
		if (is_frozen(proc.self.a, qp->w->dev))
			return;
		if (again > now) {
			engine_schedule(qp, again);
			return;
		}
		if (!swap_with_next(qp, wqe)) {
			engine_schedule(qp, now_ns() + RETRY_EVERY_NS);
			return;
		}
		result = execute(qp, wqe);
		if (result < 0 && has_to_wait(qp, &result, now_ns(), &again)) {
			qp->retried = true;
			engine_schedule(qp, again);
			return;
		}
		qp->give_up_ns = 0;
		qp->rnr_active = false;
		complete(qp, wqe, result);
		qp->retried = false;
		qp->sq_exec++;
		if (result)
			qp_fail(qp);
	}
}
