/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xrc - extended connections: domains, and the shared receive queues in them
 *
 * A request of an XRC_SEND queue pair names the shared receive queue that it is
 * for. The XRC_RECV queue pair at the far end only leads to its domain; receives,
 * completion queue and the protection domain of keys are those of the shared
 * receive queue (IBTA vol. 1, annex A14).
 */

#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <stdlib.h>

struct fake_xrcd {
	struct ibv_xrcd xrcd;
	struct fake_obj obj;
	uint32_t handle;
};

static uint32_t next_xrcd = 1;

static struct fake_xrcd *to_xrcd(struct ibv_xrcd *xrcd)
{
	return (struct fake_xrcd *)(void *)xrcd;
}

uint32_t xrcd_handle(struct ibv_xrcd *xrcd)
{
	return to_xrcd(xrcd)->handle;
}

struct fake_obj *xrcd_obj(struct ibv_xrcd *xrcd)
{
	return &to_xrcd(xrcd)->obj;
}

struct ibv_xrcd *ctx_open_xrcd(struct ibv_context *ctx,
			       struct ibv_xrcd_init_attr *attr)
{
	const uint32_t masks = IBV_XRCD_INIT_ATTR_FD |
			       IBV_XRCD_INIT_ATTR_OFLAGS;
	struct fake_xrcd *xrcd;

	FAKE_FAIL_NULL(ibv_open_xrcd);
	/* a domain of this process alone: others are shared by a file */
	if (attr->comp_mask != masks || attr->fd != -1) {
		errno = EINVAL;
		return NULL;
	}
	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return NULL;
	xrcd->xrcd.context = ctx;
	xrcd->handle = __atomic_fetch_add(&next_xrcd, 1, __ATOMIC_RELAXED);
	obj_add(&xrcd->obj, KIND_XRCD, xrcd->handle);
	return &xrcd->xrcd;
}

int ctx_close_xrcd(struct ibv_xrcd *xrcd)
{
	FAKE_FAIL_ERRNO(ibv_close_xrcd);
	if (xrcd_obj(xrcd)->users)
		return EBUSY;
	obj_del(xrcd_obj(xrcd));
	free(xrcd);
	return 0;
}

struct ibv_srq *ctx_create_srq_ex(struct ibv_context *ctx,
				  struct ibv_srq_init_attr_ex *ex)
{
	const uint32_t masks = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			       IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	struct fake_srq *srq;
	struct ibv_srq *made;

	(void)ctx;
	if (ex->comp_mask != masks || ex->srq_type != IBV_SRQT_XRC) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	made = ibv_create_srq(ex->pd, (struct ibv_srq_init_attr *)(void *)ex);
	if (!made)
		return NULL;
	srq = (struct fake_srq *)(void *)made;
	srq->xrcd = ex->xrcd;
	srq->cq = ex->cq;
	srq->w->cq = to_cq(ex->cq)->w->index;
	store32(&srq->w->xrcd, xrcd_handle(ex->xrcd));
	obj_use(xrcd_obj(ex->xrcd));
	obj_use(&to_cq(ex->cq)->obj);
	return made;
}

/* Numbers begin with 1: 0 is none. */
int ctx_get_srq_num(struct ibv_srq *srq, uint32_t *num)
{
	struct fake_srq *s = (struct fake_srq *)(void *)srq;

	if (!s->xrcd)
		return EOPNOTSUPP;
	*num = s->w->index + 1;
	return 0;
}

void xrc_release_srq(struct fake_srq *srq)
{
	if (!srq->xrcd)
		return;
	obj_unuse(xrcd_obj(srq->xrcd));
	obj_unuse(&to_cq(srq->cq)->obj);
	store32(&srq->w->xrcd, 0);
}

struct wire_srq *xrc_find_srq(const struct wire_peer *peer,
			      const struct wire_qp *dst, uint32_t srqn)
{
	struct wire_srq *srq;

	if (!srqn || srqn > WIRE_SRQS)
		return NULL;
	srq = &peer->a->srq[srqn - 1];
	return srq->gen && load32(&srq->xrcd) == dst->xrcd ? srq : NULL;
}
