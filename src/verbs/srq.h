/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * srq - a receive queue that many queue pairs take their receives from
 */
#ifndef RB_SRQ_H
#define RB_SRQ_H

#include <infiniband/verbs.h>
#include <stdint.h>

struct rb_dev;

/*
 * Create one for @depth receives of one piece each. 0 or a negative errno
 * (reported: DEPTH_LIMIT with the device's limit, SRQ; -EOPNOTSUPP where the
 * device has none).
 */
int rb_srq_create(const struct rb_dev *dev, struct ibv_pd *pd, uint32_t depth,
		  struct ibv_srq **srq);

/* Can the device have one of this @depth? 0 or a negative errno (reported). */
int rb_srq_check(const struct rb_dev *dev, uint32_t depth);
void rb_srq_destroy(struct ibv_srq *srq);

#endif
