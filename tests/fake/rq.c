/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rq - receive queues, own and shared: posting to the ring that peers read. */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_srq;

static size_t ring_bytes(const struct wire_rq *rq)
{
	return ((size_t)rq->mask + 1) * rq->stride;
}

int rq_init(struct wire_rq *rq, uint32_t max_wr, uint32_t max_sge)
{
	rq->max_wr = max_wr;
	rq->max_sge = max_sge;
	rq->mask = round_pow2(max_wr) - 1;
	rq->stride = (uint32_t)(sizeof(struct wire_rwqe) +
				max_sge * sizeof(struct ibv_sge));
	rq->head = rq->tail = 0;
	rq->limit = 0;
	rq->ring = 0;
	if (!max_wr)
		return 0;
	rq->ring = wire_alloc(ring_bytes(rq));
	return rq->ring ? 0 : ENOMEM;
}

void rq_fini(struct wire_rq *rq)
{
	uint64_t ring = rq->ring;

	rq->ring = 0;
	if (ring)
		wire_free(ring, ring_bytes(rq));
}

/* With rq->lock held. */
static int push(struct wire_rq *rq, uint32_t polled,
		const struct ibv_recv_wr *wr)
{
	struct wire_rwqe *wqe;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return EINVAL;
	if (rq->tail - polled >= rq->max_wr)
		return ENOMEM;
	wqe = wire_at(proc.self.a, rq->ring +
		      (uint64_t)(rq->tail & rq->mask) * rq->stride);
	wqe->wr_id = wr->wr_id;
	wqe->nsge = (uint32_t)wr->num_sge;
	if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list,
		       (size_t)wr->num_sge * sizeof(*wqe->sge));
	store32(&rq->tail, rq->tail + 1);
	return 0;
}

static int post_one(struct fake_qp *qp, const struct ibv_recv_wr *wr)
{
	struct wire_qp *w = qp->w;
	uint32_t state;
	int err;

	if (plan_get()->nfail) {
		err = plan_call(CALL_ibv_post_recv);
		if (err)
			return err;
	}
	wire_lock(&w->rq.lock);
	state = load32(&w->state);
	err = state == IBV_QPS_RESET ? EINVAL :
	      push(&w->rq, load32(&qp->rq_polled), wr);
	wire_unlock(&w->rq.lock);
	if (!err)
		notes_receive(qp, wr);
	if (!err && state == IBV_QPS_ERR)
		rq_flush(&proc.self, w);
	return err;
}

int qp_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		 struct ibv_recv_wr **bad)
{
	int err = 0;

	if (ibqp->srq) {
		*bad = wr;
		return EINVAL;
	}
	for (; wr && !err; wr = err ? wr : wr->next)
		err = post_one(to_qp(ibqp), wr);
	if (err)
		*bad = wr;
	return err;
}

static struct fake_srq *to_srq(struct ibv_srq *srq)
{
	return (struct fake_srq *)(void *)srq;
}

int srq_post_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad)
{
	struct fake_srq *srq = to_srq(ibsrq);
	int err = plan_call(CALL_ibv_post_srq_recv);

	wire_lock(&srq->w->rq.lock);
	for (; wr && !err; wr = err ? wr : wr->next)
		err = push(&srq->w->rq, load32(&srq->polled), wr);
	wire_unlock(&srq->w->rq.lock);
	if (err)
		*bad = wr;
	return err;
}

static struct wire_srq *take_srq(struct fake_srq *srq)
{
	struct wire_srq *w = NULL;
	uint32_t i;

	pthread_mutex_lock(&table_lock);
	for (i = 0; i < WIRE_SRQS && !w; i++) {
		uint32_t index = next_srq++ % WIRE_SRQS;

		if (proc.srqs[index])
			continue;
		proc.srqs[index] = srq;
		w = &proc.self.a->srq[index];
		w->index = index;
	}
	pthread_mutex_unlock(&table_lock);
	if (w && !w->ready) {
		wire_lock_init(&w->rq.lock);
		w->ready = 1;
	}
	return w;
}

static void srq_release(struct fake_srq *srq)
{
	if (srq->w) {
		rq_fini(&srq->w->rq);
		srq->w->gen = 0;
		__atomic_store_n(&proc.srqs[srq->w->index], NULL,
				 __ATOMIC_RELEASE);
	}
	free(srq);
}

static int srq_init(struct fake_srq *srq, struct ibv_pd *pd,
		    const struct ibv_srq_init_attr *attr)
{
	srq->w = take_srq(srq);
	if (!srq->w || rq_init(&srq->w->rq, attr->attr.max_wr,
			       attr->attr.max_sge))
		return ENOMEM;
	srq->w->pd = pd->handle;
	srq->w->async_fd = to_ctx(pd->context)->async_wfd;
	srq->w->gen = next_gen();
	srq->srq.context = pd->context;
	srq->srq.srq_context = attr->srq_context;
	srq->srq.pd = pd;
	srq->srq.handle = srq->w->index;
	return 0;
}

FAKE_EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
					   struct ibv_srq_init_attr *attr)
{
	struct fake_srq *srq;

	FAKE_FAIL_NULL(ibv_create_srq);
	if (!attr->attr.max_wr || attr->attr.max_wr > 16384 ||
	    !attr->attr.max_sge || attr->attr.max_sge > WIRE_SGE) {
		errno = EINVAL;
		return NULL;
	}
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	if (srq_init(srq, pd, attr)) {
		srq_release(srq);
		errno = ENOMEM;
		return NULL;
	}
	pthread_mutex_init(&srq->srq.mutex, NULL);
	pthread_cond_init(&srq->srq.cond, NULL);
	obj_use(pd_obj(pd));
	obj_add(&srq->obj, KIND_SRQ, srq->w->index);
	return &srq->srq;
}

FAKE_EXPORT int ibv_modify_srq(struct ibv_srq *ibsrq,
			       struct ibv_srq_attr *attr, int mask)
{
	struct wire_rq *rq = &to_srq(ibsrq)->w->rq;

	FAKE_FAIL_ERRNO(ibv_modify_srq);
	if (mask != IBV_SRQ_LIMIT || attr->srq_limit >= rq->max_wr)
		return EINVAL;
	wire_lock(&rq->lock);
	rq->limit = attr->srq_limit;
	wire_unlock(&rq->lock);
	return 0;
}

FAKE_EXPORT int ibv_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct wire_rq *rq = &to_srq(ibsrq)->w->rq;

	FAKE_FAIL_ERRNO(ibv_query_srq);
	attr->max_wr = rq->max_wr;
	attr->max_sge = rq->max_sge;
	attr->srq_limit = rq->limit;
	return 0;
}

FAKE_EXPORT int ibv_destroy_srq(struct ibv_srq *ibsrq)
{
	struct fake_srq *srq = to_srq(ibsrq);

	FAKE_FAIL_ERRNO(ibv_destroy_srq);
	if (srq->obj.users)
		return EBUSY;
	async_purge(ibsrq->context->async_fd, srq->w->gen);
	async_wait_acked(&ibsrq->mutex, &ibsrq->cond, &srq->async_got,
			 &ibsrq->events_completed);
	pthread_mutex_destroy(&ibsrq->mutex);
	pthread_cond_destroy(&ibsrq->cond);
	obj_unuse(pd_obj(ibsrq->pd));
	xrc_release_srq(srq);
	obj_del(&srq->obj);
	srq_release(srq);
	return 0;
}
