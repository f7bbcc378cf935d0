/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * srq - a receive queue that many queue pairs take their receives from
 */
#include "verbs/srq.h"

#include <errno.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "verbs/dev.h"

int rb_srq_check(const struct rb_dev *dev, uint32_t depth)
{
	const struct ibv_device_attr *attr = &dev->attr;

	if (attr->max_srq <= 0)
		return rb_fail_hint(RB_FAULT_TRANSPORT, -EOPNOTSUPP,
				    "its driver reports none",
				    "leave --srq out: each queue pair then has its own receives",
				    "'%s' has no shared receive queues", dev->name);
	if (attr->max_srq_wr > 0 && depth > (uint32_t)attr->max_srq_wr)
		return rb_fail_hint(RB_FAULT_DEPTH_LIMIT, -EINVAL,
				    "the device's shared receive queues are not that deep",
				    "lower -r; with --verify lower -t or -q",
				    "shared receive queues of '%s' hold at most %d receives, not %u",
				    dev->name, attr->max_srq_wr, depth);
	return 0;
}

int rb_srq_create(const struct rb_dev *dev, struct ibv_pd *pd, uint32_t depth,
		  struct ibv_srq **srq)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = depth, .max_sge = 1 },
	};
	int err = rb_srq_check(dev, depth);

	if (err)
		return err;
	*srq = rb_traced_ptr(ibv_create_srq(pd, &attr), "%u entries",
			     attr.attr.max_wr);
	if (*srq)
		return 0;
	return rb_fail(RB_FAULT_SRQ, -errno,
		       "cannot create a shared receive queue of %u entries on '%s'",
		       depth, dev->name);
}

void rb_srq_destroy(struct ibv_srq *srq)
{
	if (srq && rb_traced(ibv_destroy_srq(srq), "%p", (void *)srq))
		rb_debug("cannot destroy a shared receive queue");
}
