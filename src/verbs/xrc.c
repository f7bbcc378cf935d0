/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xrc - extended connections: domains, and shared receive queues in them
 */
#include "verbs/xrc.h"

#include <errno.h>
#include <fcntl.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "verbs/dev.h"
#include "verbs/srq.h"

static int has_none(const struct rb_dev *dev, const char *cause)
{
	return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP, cause,
			    "use -c RC", "'%s' cannot do XRC", dev->name);
}

int rb_xrcd_open(const struct rb_dev *dev, struct ibv_xrcd **xrcd)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, /* no file by which other processes would share it */
		.oflags = O_CREAT,
	};

	if (!(dev->attr.device_cap_flags & IBV_DEVICE_XRC))
		return has_none(dev, "its driver does not report it (IBV_DEVICE_XRC)");
	*xrcd = rb_traced_ptr(ibv_open_xrcd(dev->ctx, &attr), "%s", dev->name);
	if (*xrcd)
		return 0;
	if (errno == EOPNOTSUPP || errno == ENOSYS)
		return has_none(dev, "its provider in this libibverbs has no ibv_open_xrcd");
	return rb_fail(RB_FAULT_XRCD, -errno,
		       "cannot open an XRC domain on '%s'", dev->name);
}

void rb_xrcd_close(struct ibv_xrcd *xrcd)
{
	if (xrcd && rb_traced(ibv_close_xrcd(xrcd), "%p", (void *)xrcd))
		rb_debug("cannot close an XRC domain");
}

int rb_xrc_srq_create(const struct rb_dev *dev,
		      const struct rb_xrc_srq_plan *plan, struct ibv_srq **srq)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = RB_MAX(plan->depth, 1), .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = plan->pd,
		.xrcd = plan->xrcd,
		.cq = plan->cq,
	};
	int err = rb_srq_check(dev, plan->depth);

	if (err)
		return err;
	*srq = rb_traced_ptr(ibv_create_srq_ex(dev->ctx, &attr), "XRC, %u entries",
			     attr.attr.max_wr);
	if (*srq)
		return 0;
	return rb_fail(RB_FAULT_SRQ, -errno,
		       "cannot create an XRC shared receive queue of %u entries on '%s'",
		       attr.attr.max_wr, dev->name);
}

int rb_xrc_srq_number(const struct rb_dev *dev, struct ibv_srq *srq,
		      uint32_t *number)
{
	int err = ibv_get_srq_num(srq, number);

	return err ? rb_fail(RB_FAULT_SRQ, -err,
			     "cannot learn the number of a shared receive queue on '%s'",
			     dev->name) :
		     0;
}
