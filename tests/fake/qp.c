/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* qp - queue pairs: their creation, their destruction, what they answer. */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_index;

void qp_table_lock(void)
{
	pthread_mutex_lock(&table_lock);
}

void qp_table_unlock(void)
{
	pthread_mutex_unlock(&table_lock);
}

/* Of the sending kind: it has no receives. */
static bool is_xrc(const struct ibv_qp_init_attr *attr)
{
	return attr->qp_type == IBV_QPT_XRC_SEND && plan_get()->dev.xrc;
}

static int check_attr(const struct ibv_qp_init_attr *attr)
{
	const struct plan_device *d = &plan_get()->dev;
	const struct ibv_qp_cap *cap = &attr->cap;

	if (attr->qp_type == IBV_QPT_XRC_RECV && plan_get()->dev.xrc)
		return 0;
	if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UC &&
	    attr->qp_type != IBV_QPT_UD && !is_xrc(attr))
		return EOPNOTSUPP;
	if (!attr->send_cq || (!attr->recv_cq && !is_xrc(attr)) ||
	    (attr->srq && is_xrc(attr)))
		return EINVAL;
	if (cap->max_send_wr > (uint32_t)d->max_qp_wr ||
	    cap->max_send_sge > (uint32_t)d->max_sge ||
	    cap->max_send_sge > WIRE_SGE ||
	    cap->max_inline_data > (uint32_t)d->max_inline)
		return EINVAL;
	if (!attr->srq && (cap->max_recv_wr > (uint32_t)d->max_qp_wr ||
			   cap->max_recv_sge > (uint32_t)d->max_sge ||
			   cap->max_recv_sge > WIRE_SGE))
		return EINVAL;
	return 0;
}

/* Numbers are taken in turn, so that a stale one leads to nothing. */
static struct wire_qp *take_slot(struct fake_qp *qp)
{
	struct wire_qp *w = NULL;
	uint32_t i, index = 0;

	qp_table_lock();
	for (i = 0; i < WIRE_QPS && !w; i++) {
		index = next_index++ % WIRE_QPS;
		if (proc.qps[index])
			continue;
		proc.qps[index] = qp;
		w = &proc.self.a->qp[index];
	}
	qp_table_unlock();
	if (!w)
		return NULL;
	if (!w->ready) {
		wire_lock_init(&w->lock);
		wire_lock_init(&w->rq.lock);
		w->ready = 1;
	}
	qp->qp.qp_num = proc.self.slot << WIRE_QP_BITS | index;
	return w;
}

static size_t sq_bytes(const struct fake_qp *qp)
{
	return ((size_t)qp->sq_mask + 1) * qp->sq_stride;
}

static int init_sq(struct fake_qp *qp, const struct ibv_qp_cap *cap)
{
	size_t payload = cap->max_send_sge * sizeof(struct ibv_sge);

	if (payload < cap->max_inline_data)
		payload = cap->max_inline_data;
	payload = (payload + 7) & ~(size_t)7;
	qp->sq_stride = (uint32_t)(sizeof(struct fake_wqe) + payload);
	qp->sq_max = cap->max_send_wr;
	qp->sq_mask = round_pow2(cap->max_send_wr) - 1;
	qp->sq_inline = cap->max_inline_data;
	/* mapped, so that what is never used of thousands of them costs nothing */
	qp->sq = mmap(NULL, sq_bytes(qp), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (qp->sq == MAP_FAILED)
		qp->sq = NULL;
	return qp->sq ? 0 : ENOMEM;
}

static void release(struct fake_qp *qp)
{
	if (qp->w) {
		rq_fini(&qp->w->rq);
		qp_table_lock();
		__atomic_store_n(&proc.qps[qp->qp.qp_num & (WIRE_QPS - 1)],
				 NULL, __ATOMIC_RELEASE);
		qp_table_unlock();
	}
	if (qp->sq)
		munmap(qp->sq, sq_bytes(qp));
	free(qp);
}

static int init_wire(struct fake_qp *qp, struct ibv_pd *pd,
		     const struct ibv_qp_init_attr *attr)
{
	struct fake_ctx *ctx = to_ctx(qp->qp.context);
	struct wire_qp *w = qp->w;
	bool own = !attr->srq;
	int err = rq_init(&w->rq, own ? attr->cap.max_recv_wr : 0,
			  own ? attr->cap.max_recv_sge : 0);

	if (err)
		return err;
	w->gen = next_gen();
	w->state = IBV_QPS_RESET;
	w->dest_qpn = w->qkey = w->access = w->rq_psn = 0;
	w->pd = pd ? pd->handle : 0;
	w->recv_cq = attr->recv_cq ? to_cq(attr->recv_cq)->w->index : 0;
	w->xrcd = qp->xrcd ? xrcd_handle(qp->xrcd) : 0;
	w->srq = own ? 0 :
		 ((struct fake_srq *)(void *)attr->srq)->w->index + 1;
	w->async_fd = ctx->async_wfd;
	w->type = (uint8_t)attr->qp_type;
	w->dev = (uint8_t)ctx->dev->index;
	w->mtu = w->comm_est = w->ngroups = 0;
	store32(&w->qpn, qp->qp.qp_num);
	return 0;
}

static void init_public(struct fake_qp *qp, struct ibv_pd *pd,
			const struct ibv_qp_init_attr *attr)
{
	qp->qp.qp_context = attr->qp_context;
	qp->qp.pd = pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.srq = attr->srq;
	qp->qp.handle = qp->qp.qp_num & (WIRE_QPS - 1);
	qp->qp.state = IBV_QPS_RESET;
	qp->qp.qp_type = attr->qp_type;
	qp->init = *attr;
	qp->sig_all = attr->sq_sig_all;
	qp->echo = plan_get()->echo;
	pthread_mutex_init(&qp->qp.mutex, NULL);
	pthread_cond_init(&qp->qp.cond, NULL);
	pthread_mutex_init(&qp->lock, NULL);
}

static void count_users(struct fake_qp *qp, void (*count)(struct fake_obj *))
{
	if (qp->xrcd)
		count(xrcd_obj(qp->xrcd));
	if (qp->qp.pd)
		count(pd_obj(qp->qp.pd));
	if (qp->qp.send_cq)
		count(&to_cq(qp->qp.send_cq)->obj);
	if (qp->qp.recv_cq)
		count(&to_cq(qp->qp.recv_cq)->obj);
	if (qp->qp.srq)
		count(&((struct fake_srq *)(void *)qp->qp.srq)->obj);
}

static struct fake_qp *create(struct ibv_context *ctx, struct ibv_pd *pd,
			      struct ibv_xrcd *xrcd,
			      const struct ibv_qp_init_attr *attr)
{
	struct fake_qp *qp;
	int err = check_attr(attr);

	if (!err && obj_count(KIND_QP) >= plan_get()->dev.max_qp)
		err = ENOMEM;
	if (err) {
		errno = err;
		return NULL;
	}
	qp = lines_alloc(sizeof(*qp));
	if (!qp)
		return NULL;
	qp->qp.context = ctx;
	qp->xrcd = xrcd;
	qp->w = take_slot(qp);
	if (!qp->w || init_sq(qp, &attr->cap) || init_wire(qp, pd, attr)) {
		release(qp);
		errno = ENOMEM;
		return NULL;
	}
	init_public(qp, pd, attr);
	count_users(qp, obj_use);
	obj_add(&qp->obj, KIND_QP, qp->qp.qp_num);
	return qp;
}

FAKE_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd,
					 struct ibv_qp_init_attr *attr)
{
	struct fake_qp *qp;

	FAKE_FAIL_NULL(ibv_create_qp);
	qp = create(pd->context, pd, NULL, attr);
	return qp ? &qp->qp : NULL;
}

struct ibv_qp *ctx_create_qp_ex(struct ibv_context *ctx,
				struct ibv_qp_init_attr_ex *ex)
{
	const uint64_t known = IBV_QP_EX_WITH_RDMA_WRITE |
		IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
		IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
		IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	const uint32_t masks = IBV_QP_INIT_ATTR_PD |
			       IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	struct fake_qp *qp;

	FAKE_FAIL_NULL(ibv_create_qp);
	if (ex->qp_type == IBV_QPT_XRC_RECV &&
	    ex->comp_mask == IBV_QP_INIT_ATTR_XRCD) {
		qp = create(ctx, NULL, ex->xrcd,
			    (struct ibv_qp_init_attr *)(void *)ex);
		return qp ? &qp->qp : NULL;
	}
	if (ex->comp_mask & ~masks || !(ex->comp_mask & IBV_QP_INIT_ATTR_PD) ||
	    (ex->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	     ex->send_ops_flags & ~known)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = create(ctx, ex->pd, NULL,
		    (struct ibv_qp_init_attr *)(void *)ex);
	if (!qp)
		return NULL;
	if (ex->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		qp->is_ex = true;
		if (plan_get()->instant)
			instant_set_wr_ops(qp);
		else
			qp_set_wr_ops(qp);
	}
	return &qp->qp;
}

FAKE_EXPORT struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return to_qp(qp)->is_ex ? &to_qp(qp)->ex : NULL;
}

FAKE_EXPORT int ibv_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
			     int mask, struct ibv_qp_init_attr *init)
{
	struct fake_qp *qp = to_qp(ibqp);

	(void)mask;
	FAKE_FAIL_ERRNO(ibv_query_qp);
	pthread_mutex_lock(&qp->lock);
	*attr = qp->attr;
	attr->qp_state = (enum ibv_qp_state)load32(&qp->w->state);
	attr->cur_qp_state = attr->qp_state;
	ibqp->state = attr->qp_state;
	attr->cap = qp->init.cap;
	*init = qp->init;
	pthread_mutex_unlock(&qp->lock);
	return 0;
}

static void forget_completions(struct fake_qp *qp)
{
	if (qp->qp.send_cq)
		cq_clean(qp->qp.send_cq, qp->qp.qp_num);
	if (qp->qp.recv_cq && qp->qp.recv_cq != qp->qp.send_cq)
		cq_clean(qp->qp.recv_cq, qp->qp.qp_num);
	if (plan_get()->instant && qp->qp.send_cq)
		instant_clean(qp->qp.send_cq, qp);
	if (plan_get()->instant && qp->qp.recv_cq)
		instant_clean(qp->qp.recv_cq, qp);
}

static void leave_groups(struct wire_qp *w)
{
	if (w->ngroups)
		__atomic_sub_fetch(&proc.self.a->ngroups, w->ngroups,
				   __ATOMIC_RELAXED);
	w->ngroups = 0;
}

FAKE_EXPORT int ibv_destroy_qp(struct ibv_qp *ibqp)
{
	struct fake_qp *qp = to_qp(ibqp);

	FAKE_FAIL_ERRNO(ibv_destroy_qp);
	engine_drop(qp);
	notes_qp(qp);
	wire_lock(&qp->w->lock);
	store32(&qp->w->state, IBV_QPS_RESET);
	store32(&qp->w->qpn, 0);
	leave_groups(qp->w);
	wire_unlock(&qp->w->lock);
	async_purge(ibqp->context->async_fd, qp->w->gen);
	async_wait_acked(&ibqp->mutex, &ibqp->cond, &qp->async_got,
			 &ibqp->events_completed);
	forget_completions(qp);
	wire_peer_put(qp->peer);
	count_users(qp, obj_unuse);
	pthread_mutex_destroy(&ibqp->mutex);
	pthread_cond_destroy(&ibqp->cond);
	pthread_mutex_destroy(&qp->lock);
	obj_del(&qp->obj);
	release(qp);
	return 0;
}

FAKE_EXPORT int ibv_attach_mcast(struct ibv_qp *ibqp, const union ibv_gid *gid,
				 uint16_t lid)
{
	struct wire_qp *w = to_qp(ibqp)->w;
	int err = 0;

	(void)lid;
	FAKE_FAIL_ERRNO(ibv_attach_mcast);
	if (ibqp->qp_type != IBV_QPT_UD || !gid_is_group(gid))
		return EINVAL;
	wire_lock(&w->lock);
	if (w->ngroups == WIRE_GROUPS) {
		err = ENOMEM;
	} else {
		memcpy(w->group[w->ngroups++], gid->raw, 16);
		__atomic_add_fetch(&proc.self.a->ngroups, 1, __ATOMIC_RELAXED);
	}
	wire_unlock(&w->lock);
	return err;
}

FAKE_EXPORT int ibv_detach_mcast(struct ibv_qp *ibqp, const union ibv_gid *gid,
				 uint16_t lid)
{
	struct wire_qp *w = to_qp(ibqp)->w;
	int err = EINVAL, i;

	(void)lid;
	FAKE_FAIL_ERRNO(ibv_detach_mcast);
	wire_lock(&w->lock);
	for (i = 0; i < w->ngroups && err; i++) {
		if (memcmp(w->group[i], gid->raw, 16))
			continue;
		memcpy(w->group[i], w->group[--w->ngroups], 16);
		__atomic_sub_fetch(&proc.self.a->ngroups, 1, __ATOMIC_RELAXED);
		err = 0;
	}
	wire_unlock(&w->lock);
	return err;
}
