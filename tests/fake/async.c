/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* async - asynchronous events, raised by peers, by errors and by the plan. */

#define _GNU_SOURCE
#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ACK_PATIENCE_S = 5 };

static pthread_mutex_t ctx_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_ctx *contexts;

void async_raise(const struct wire_peer *peer, int fd, int type,
		 uint32_t index, uint32_t gen)
{
	struct wire_event event = { (uint32_t)type, index, gen, 0 };

	wire_signal(peer, fd, &event, sizeof(event));
}

void async_purge(int fd, uint32_t gen)
{
	static const struct wire_layout layout = {
		sizeof(struct wire_event), offsetof(struct wire_event, gen),
	};

	wire_purge(fd, &layout, gen);
}

enum owner { OWNER_PORT, OWNER_CQ, OWNER_QP, OWNER_SRQ };

static enum owner event_owner(uint32_t type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return OWNER_CQ;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return OWNER_SRQ;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return OWNER_QP;
	default:
		return OWNER_PORT;
	}
}

static bool resolve_qp(const struct wire_event *raw,
		       struct ibv_async_event *event)
{
	struct fake_qp *qp = proc.qps[raw->index];

	if (!qp || qp->w->gen != raw->gen)
		return false;
	event->element.qp = &qp->qp;
	__atomic_add_fetch(&qp->async_got, 1, __ATOMIC_RELAXED);
	return true;
}

static bool resolve_cq(const struct wire_event *raw,
		       struct ibv_async_event *event)
{
	struct fake_cq *cq = proc.cqs[raw->index];

	if (!cq || cq->w->gen != raw->gen)
		return false;
	event->element.cq = &cq->cq;
	__atomic_add_fetch(&cq->async_got, 1, __ATOMIC_RELAXED);
	return true;
}

static bool resolve_srq(const struct wire_event *raw,
			struct ibv_async_event *event)
{
	struct fake_srq *srq = proc.srqs[raw->index];

	if (!srq || srq->w->gen != raw->gen)
		return false;
	event->element.srq = &srq->srq;
	__atomic_add_fetch(&srq->async_got, 1, __ATOMIC_RELAXED);
	return true;
}

static bool resolve(const struct wire_event *raw,
		    struct ibv_async_event *event)
{
	event->event_type = (enum ibv_event_type)raw->type;
	switch (event_owner(raw->type)) {
	case OWNER_QP:
		return resolve_qp(raw, event);
	case OWNER_CQ:
		return resolve_cq(raw, event);
	case OWNER_SRQ:
		return resolve_srq(raw, event);
	default:
		event->element.port_num = 1;
		return true;
	}
}

FAKE_EXPORT int ibv_get_async_event(struct ibv_context *ctx,
				    struct ibv_async_event *event)
{
	struct wire_event raw;

	FAKE_FAIL_MINUS(ibv_get_async_event);
	do {
		if (wire_read(ctx->async_fd, &raw, sizeof(raw)))
			return -1;
	} while (!resolve(&raw, event));
	return 0;
}

static void ack(pthread_mutex_t *lock, pthread_cond_t *cond, uint32_t *acked)
{
	pthread_mutex_lock(lock);
	++*acked;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(lock);
}

FAKE_EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct ibv_srq *srq = event->element.srq;
	struct ibv_cq *cq = event->element.cq;
	struct ibv_qp *qp = event->element.qp;

	switch (event_owner(event->event_type)) {
	case OWNER_QP:
		ack(&qp->mutex, &qp->cond, &qp->events_completed);
		break;
	case OWNER_CQ:
		ack(&cq->mutex, &cq->cond, &cq->async_events_completed);
		break;
	case OWNER_SRQ:
		ack(&srq->mutex, &srq->cond, &srq->events_completed);
		break;
	default:
		break;
	}
}

/* The real library waits for ever here; a test is better told. */
void async_wait_acked(pthread_mutex_t *lock, pthread_cond_t *cond,
		      const uint32_t *got, const uint32_t *acked)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ACK_PATIENCE_S;
	pthread_mutex_lock(lock);
	while (*got != *acked && !err)
		err = pthread_cond_timedwait(cond, lock, &until);
	pthread_mutex_unlock(lock);
	if (!err)
		return;
	fprintf(stderr, "libfakeverbs: destroy would wait for ever: "
		"%u events got, %u acknowledged\n", *got, *acked);
	abort();
}

void async_arm_plan(struct fake_ctx *ctx)
{
	if (!plan_get()->nevent)
		return;
	pthread_mutex_lock(&ctx_lock);
	ctx->next = contexts;
	contexts = ctx;
	pthread_mutex_unlock(&ctx_lock);
	engine_kick(0);
}

void async_disarm_plan(struct fake_ctx *ctx)
{
	struct fake_ctx **at;

	pthread_mutex_lock(&ctx_lock);
	for (at = &contexts; *at; at = &(*at)->next) {
		if (*at != ctx)
			continue;
		*at = ctx->next;
		break;
	}
	pthread_mutex_unlock(&ctx_lock);
}

static struct fake_qp *first_qp(const struct fake_ctx *ctx)
{
	uint32_t i;

	for (i = 0; i < WIRE_QPS; i++)
		if (proc.qps[i] &&
		    proc.qps[i]->qp.context == &ctx->vctx.context)
			return proc.qps[i];
	return NULL;
}

static void fire_qp(struct fake_ctx *ctx, int type)
{
	struct fake_qp *qp;

	qp_table_lock();
	qp = first_qp(ctx);
	if (!qp)
		goto unlock;
	if (type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR ||
	    type == IBV_EVENT_QP_ACCESS_ERR) {
		pthread_mutex_lock(&qp->lock);
		qp_fail(qp);
		qp_progress(qp, now_ns());
		pthread_mutex_unlock(&qp->lock);
	}
	async_raise(&proc.self, ctx->async_wfd, type,
		    qp->qp.qp_num & (WIRE_QPS - 1), qp->w->gen);
unlock:
	qp_table_unlock();
}

static void fire_cq(struct fake_ctx *ctx, int type)
{
	uint32_t i;

	for (i = 0; i < WIRE_CQS; i++) {
		struct fake_cq *cq = proc.cqs[i];

		if (!cq || cq->cq.context != &ctx->vctx.context)
			continue;
		async_raise(&proc.self, ctx->async_wfd, type, i, cq->w->gen);
		return;
	}
}

static void fire(struct fake_ctx *ctx, int type)
{
	int dev = ctx->dev->index;

	if (event_owner((uint32_t)type) == OWNER_QP) {
		fire_qp(ctx, type);
		return;
	}
	if (event_owner((uint32_t)type) == OWNER_CQ) {
		fire_cq(ctx, type);
		return;
	}
	if (type == IBV_EVENT_PORT_ERR || type == IBV_EVENT_PORT_ACTIVE)
		dev_set_port(dev, type == IBV_EVENT_PORT_ERR);
	if (type == IBV_EVENT_DEVICE_FATAL) {
		__atomic_store_n(&proc.self.a->frozen[dev], 1,
				 __ATOMIC_RELAXED);
		plan_device_died();
	}
	async_raise(&proc.self, ctx->async_wfd, type, 0, 0);
}

/* Raise what the plan has due; returns when to come again, or UINT64_MAX. */
uint64_t async_tick(uint64_t now)
{
	const struct plan *plan = plan_get();
	uint64_t next = UINT64_MAX;
	struct fake_ctx *ctx;
	int i;

	pthread_mutex_lock(&ctx_lock);
	for (ctx = contexts; ctx; ctx = ctx->next) {
		for (i = 0; i < plan->nevent; i++) {
			uint64_t at = ctx->opened_ns + plan->event[i].at_ns;

			if (ctx->fired & (1u << i))
				continue;
			if (at <= now) {
				ctx->fired |= 1u << i;
				fire(ctx, plan->event[i].type);
			} else if (at < next) {
				next = at;
			}
		}
	}
	pthread_mutex_unlock(&ctx_lock);
	return next;
}
