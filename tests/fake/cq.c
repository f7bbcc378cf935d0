/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cq - completion queues: their creation, and the ring that peers write. */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_index;

static struct fake_channel *to_channel(struct ibv_comp_channel *ch)
{
	return (struct fake_channel *)(void *)ch;
}

static struct wire_cqe *ring_of(const struct wire_arena *a,
				const struct wire_cq *w)
{
	return wire_at(a, w->ring);
}

static size_t ring_bytes(uint32_t size)
{
	return (size_t)round_pow2(size) * sizeof(struct wire_cqe);
}

void cq_push(const struct wire_peer *peer, uint32_t index,
	     const struct wire_cqe *cqe, bool solicited)
{
	struct wire_cq *w = &peer->a->cq[index];
	struct wire_event event = { WIRE_CQ_EVENT, index, w->gen, 0 };
	struct wire_cqe *slot;

	wire_lock(&w->lock);
	if (w->tail - w->head >= w->size) {
		if (!w->overrun)
			async_raise(peer, w->async_fd, IBV_EVENT_CQ_ERR, index,
				    w->gen);
		w->overrun = 1;
	}
	if (!w->live || w->overrun)
		goto unlock;
	slot = &ring_of(peer->a, w)[w->tail & w->mask];
	*slot = *cqe;
	if (w->stamped && !cqe->stamp_ns)
		slot->stamp_ns = now_ns();
	store32(&w->tail, w->tail + 1);
	if (w->armed == ARMED_ANY || (w->armed && (solicited ||
						   cqe->wc.status))) {
		w->armed = ARMED_NOT;
		wire_signal(peer, w->event_fd, &event, sizeof(event));
	}
unlock:
	wire_unlock(&w->lock);
}

/* Polling gives back the queue entry of the request that it completes. */
static void retire(const struct wire_cqe *cqe)
{
	struct fake_qp *qp = proc.qps[cqe->wc.qp_num & (WIRE_QPS - 1)];

	if (!qp || qp->qp.qp_num != cqe->wc.qp_num)
		return;
	if (!(cqe->wc.opcode & IBV_WC_RECV))
		store32(&qp->sq_tail, cqe->seq + 1);
	else if (cqe->srq && proc.srqs[cqe->srq - 1])
		__atomic_add_fetch(&proc.srqs[cqe->srq - 1]->polled, 1,
				   __ATOMIC_RELEASE);
	else if (qp->qp.srq)
		__atomic_add_fetch(&((struct fake_srq *)(void *)
				     qp->qp.srq)->polled, 1, __ATOMIC_RELEASE);
	else
		__atomic_add_fetch(&qp->rq_polled, 1, __ATOMIC_RELEASE);
}

/* After an error, the rest of the queue pair's completions are flushes. */
static void spoil(struct wire_cq *w, struct wire_cqe *cqe,
		  const struct plan_wc *plan)
{
	struct wire_cqe *ring = ring_of(proc.self.a, w);
	uint32_t i;

	cqe->wc.status = (enum ibv_wc_status)plan->status;
	cqe->wc.vendor_err = plan->vendor;
	if (!plan->vendor && plan->status == IBV_WC_RETRY_EXC_ERR)
		cqe->wc.vendor_err = 0x81;
	for (i = w->head; i != w->tail; i++) {
		struct ibv_wc *wc = &ring[i & w->mask].wc;

		if (wc->qp_num == cqe->wc.qp_num && !wc->status) {
			wc->status = IBV_WC_WR_FLUSH_ERR;
			wc->vendor_err = 0xf9;
		}
	}
}

static uint32_t planned_error(struct wire_cq *w, struct wire_cqe *cqe)
{
	const struct plan *plan = plan_get();
	uint64_t n = __atomic_add_fetch(&proc.wcs, 1, __ATOMIC_RELAXED);
	int i;

	for (i = 0; i < plan->nwc; i++) {
		if (plan->wc[i].n != n || cqe->wc.status)
			continue;
		spoil(w, cqe, &plan->wc[i]);
		return cqe->wc.qp_num;
	}
	return 0;
}

static void fail_qp(uint32_t qpn)
{
	struct fake_qp *qp = proc.qps[qpn & (WIRE_QPS - 1)];

	if (!qp)
		return;
	pthread_mutex_lock(&qp->lock);
	qp_fail(qp);
	qp_progress(qp, now_ns());
	pthread_mutex_unlock(&qp->lock);
}

/* With w->lock held: would a poll find the first one? */
static bool is_seen(const struct wire_cq *w)
{
	uint64_t late = plan_get()->dev.poll_late_ns;

	return !late || now_ns() >= ring_of(proc.self.a, w)[w->head & w->mask]
						    .stamp_ns + late;
}

int cq_take(struct fake_cq *cq, int n, struct wire_cqe *out)
{
	struct wire_cq *w = cq->w;
	uint32_t bad = 0;
	int i;

	if (load32(&engine_nbusy))
		engine_run();
	if (w->head == load32(&w->tail))
		return 0;
	wire_lock(&w->lock);
	for (i = 0; i < n && !bad && w->head != w->tail && is_seen(w); i++) {
		out[i] = ring_of(proc.self.a, w)[w->head & w->mask];
		store32(&w->head, w->head + 1);
		retire(&out[i]);
		record_taken(&out[i].wc);
		if (plan_get()->nwc)
			bad = planned_error(w, &out[i]);
	}
	wire_unlock(&w->lock);
	if (bad)
		fail_qp(bad);
	return i;
}

int cq_poll(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct wire_cqe got[16];
	int total = 0, i, k;

	if (plan_get()->nfail && plan_call(CALL_ibv_poll_cq))
		return -1;
	do {
		k = n - total < 16 ? n - total : 16;
		k = cq_take(to_cq(ibcq), k, got);
		for (i = 0; i < k; i++)
			wc[total++] = got[i].wc;
	} while (k && total < n);
	if (total && n > to_cq(ibcq)->batch)
		to_cq(ibcq)->batch = n;
	return total;
}

int cq_arm(struct ibv_cq *ibcq, int solicited_only)
{
	struct wire_cq *w = to_cq(ibcq)->w;
	uint32_t armed = solicited_only ? ARMED_SOLICITED : ARMED_ANY;

	FAKE_FAIL_ERRNO(ibv_req_notify_cq);
	wire_lock(&w->lock);
	if (armed > w->armed)
		w->armed = armed;
	wire_unlock(&w->lock);
	to_cq(ibcq)->arms++;
	return 0;
}

void cq_clean(struct ibv_cq *ibcq, uint32_t qpn)
{
	struct wire_cq *w = to_cq(ibcq)->w;
	struct wire_cqe *ring = ring_of(proc.self.a, w);
	uint32_t from, to;

	wire_lock(&w->lock);
	if (plan_get()->instant) /* polled is another ring; here are flushes only */
		store32(&w->tail, w->head);
	for (from = to = w->head; from != w->tail; from++) {
		struct wire_cqe *cqe = &ring[from & w->mask];

		if (cqe->wc.qp_num != qpn)
			ring[to++ & w->mask] = *cqe;
		else if (cqe->wc.opcode & IBV_WC_RECV)
			retire(cqe);
	}
	store32(&w->tail, to);
	wire_unlock(&w->lock);
}

static struct wire_cq *take_slot(struct fake_cq *cq)
{
	uint32_t max = (uint32_t)plan_get()->dev.max_cq, i;
	struct wire_cq *w = NULL;

	if (max > WIRE_CQS)
		max = WIRE_CQS;
	pthread_mutex_lock(&table_lock);
	for (i = 0; i < max && !w; i++) {
		uint32_t index = next_index++ % max;

		if (proc.cqs[index])
			continue;
		proc.cqs[index] = cq;
		w = &proc.self.a->cq[index];
		w->index = index;
	}
	pthread_mutex_unlock(&table_lock);
	if (w && !w->ready) {
		wire_lock_init(&w->lock);
		w->ready = 1;
	}
	return w;
}

static int init_ring(struct fake_cq *cq, uint32_t size)
{
	struct wire_cq *w = cq->w;

	w->ring = wire_alloc(ring_bytes(size));
	if (!w->ring)
		return ENOMEM;
	if (plan_get()->instant) {
		cq->ring = calloc(round_pow2(size), sizeof(*cq->ring));
		if (!cq->ring) {
			wire_free(w->ring, ring_bytes(size));
			return ENOMEM;
		}
	}
	w->size = size;
	w->mask = round_pow2(size) - 1;
	cq->isize = size;
	cq->imask = w->mask;
	w->head = w->tail = 0;
	w->armed = w->overrun = 0;
	return 0;
}

static struct fake_cq *create(struct ibv_context *ctx, int cqe,
			      struct ibv_comp_channel *channel, int vector)
{
	const int holds = plan_get()->dev.cq_holds;
	struct fake_cq *cq;

	if (cqe < 1 || cqe > plan_get()->dev.max_cqe || vector < 0 ||
	    vector >= ctx->num_comp_vectors) {
		errno = EINVAL;
		return NULL;
	}
	cq = lines_alloc(sizeof(*cq));
	cq->w = cq ? take_slot(cq) : NULL;
	if (!cq || !cq->w || init_ring(cq, (uint32_t)(holds && holds < cqe ? holds : cqe))) {
		if (cq && cq->w)
			proc.cqs[cq->w->index] = NULL;
		free(cq);
		errno = ENOMEM;
		return NULL;
	}
	cq->vector = vector;
	cq->cq.context = ctx;
	cq->cq.channel = channel;
	cq->cq.cqe = cqe;
	cq->cq.handle = cq->w->index;
	pthread_mutex_init(&cq->cq.mutex, NULL);
	pthread_cond_init(&cq->cq.cond, NULL);
	cq->w->event_fd = channel ? to_channel(channel)->wfd : -1;
	cq->w->async_fd = to_ctx(ctx)->async_wfd;
	cq->w->stamped = plan_get()->dev.poll_late_ns != 0;
	cq->w->gen = next_gen();
	store32(&cq->w->live, 1);
	if (channel)
		obj_use(&to_channel(channel)->obj);
	obj_add(&cq->obj, KIND_CQ, cq->w->index);
	return cq;
}

FAKE_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe,
					 void *cq_context,
					 struct ibv_comp_channel *channel,
					 int comp_vector)
{
	struct fake_cq *cq;

	FAKE_FAIL_NULL(ibv_create_cq);
	cq = create(ctx, cqe, channel, comp_vector);
	if (!cq)
		return NULL;
	cq->cq.cq_context = cq_context;
	return &cq->cq;
}

struct ibv_cq_ex *ctx_create_cq_ex(struct ibv_context *ctx,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct fake_cq *cq;

	FAKE_FAIL_NULL(ibv_create_cq);
	if (attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS ||
	    attr->wc_flags & ~(uint64_t)(IBV_WC_STANDARD_FLAGS |
			IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK) ||
	    (attr->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP &&
	     !hwclock_mask())) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	cq = create(ctx, (int)attr->cqe, attr->channel, (int)attr->comp_vector);
	if (!cq)
		return NULL;
	cq->cq.cq_context = attr->cq_context;
	if (attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS)
		cq->w->stamped = 1;
	cq_set_poll_ops(cq, attr->wc_flags);
	if (plan_get()->instant)
		instant_set_poll_ops(cq);
	return &cq->ex;
}

int ctx_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	(void)cq;
	FAKE_FAIL_ERRNO(ibv_modify_cq);
	return attr->attr_mask & ~(uint32_t)IBV_CQ_ATTR_MODERATE ? EINVAL : 0;
}

static int move_ring(struct wire_cq *w, uint32_t size)
{
	uint64_t old = w->ring, new = wire_alloc(ring_bytes(size));
	struct wire_cqe *from = wire_at(proc.self.a, old);
	struct wire_cqe *to = wire_at(proc.self.a, new);
	uint32_t i, old_size = w->size, mask = round_pow2(size) - 1;

	if (!new)
		return ENOMEM;
	for (i = w->head; i != w->tail; i++)
		to[i & mask] = from[i & w->mask];
	w->ring = new;
	w->size = size;
	w->mask = mask;
	wire_free(old, ring_bytes(old_size));
	return 0;
}

FAKE_EXPORT int ibv_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct wire_cq *w = to_cq(ibcq)->w;
	int err;

	FAKE_FAIL_ERRNO(ibv_resize_cq);
	if (plan_get()->instant)
		return EOPNOTSUPP;
	if (cqe < 1 || cqe > plan_get()->dev.max_cqe)
		return EINVAL;
	wire_lock(&w->lock);
	err = w->tail - w->head > (uint32_t)cqe ? EINVAL :
	      move_ring(w, (uint32_t)cqe);
	wire_unlock(&w->lock);
	if (!err)
		ibcq->cqe = cqe;
	return err;
}

FAKE_EXPORT int ibv_destroy_cq(struct ibv_cq *ibcq)
{
	struct fake_cq *cq = to_cq(ibcq);
	struct wire_cq *w = cq->w;

	FAKE_FAIL_ERRNO(ibv_destroy_cq);
	if (cq->obj.users)
		return EBUSY;
	notes_cq(cq);
	wire_lock(&w->lock);
	w->live = 0;
	wire_unlock(&w->lock);
	async_purge(ibcq->context->async_fd, w->gen);
	if (ibcq->channel)
		async_purge(ibcq->channel->fd, w->gen);
	async_wait_acked(&ibcq->mutex, &ibcq->cond, &cq->async_got,
			 &ibcq->async_events_completed);
	async_wait_acked(&ibcq->mutex, &ibcq->cond, &cq->events_got,
			 &ibcq->comp_events_completed);
	if (ibcq->channel)
		obj_unuse(&to_channel(ibcq->channel)->obj);
	wire_free(w->ring, ring_bytes(w->size));
	w->gen = 0;
	__atomic_store_n(&proc.cqs[w->index], NULL, __ATOMIC_RELEASE);
	pthread_mutex_destroy(&ibcq->mutex);
	pthread_cond_destroy(&ibcq->cond);
	obj_del(&cq->obj);
	free(cq->ring);
	free(cq);
	return 0;
}
