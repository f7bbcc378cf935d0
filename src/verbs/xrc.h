/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xrc - extended connections: many processes of a host behind one connection
 *
 * A connection has a sending end (a queue pair that only sends) and a receiving
 * one (that only receives), which leads to a domain. Each request names a shared
 * receive queue of that domain: from there come receives, the completion queue
 * and the protection domain in which keys are looked up, so that writes and reads
 * name one too (IB specification, annex A14). What goes both ways takes a
 * connection each way.
 */
#ifndef RB_XRC_H
#define RB_XRC_H

#include <infiniband/verbs.h>
#include <stdint.h>

struct rb_dev;

/*
 * Open a domain of this run alone. 0 or a negative errno (reported; -EOPNOTSUPP
 * where the device has none).
 */
int rb_xrcd_open(const struct rb_dev *dev, struct ibv_xrcd **xrcd);
void rb_xrcd_close(struct ibv_xrcd *xrcd);

struct rb_xrc_srq_plan {
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	struct ibv_cq *cq; /* where its receives complete */
	uint32_t depth;	   /* receives of one piece each; 0: as few as can be */
};

/* A shared receive queue in a domain; rb_srq_destroy (srq.h) destroys it. */
int rb_xrc_srq_create(const struct rb_dev *dev,
		      const struct rb_xrc_srq_plan *plan, struct ibv_srq **srq);

/* What requests name it by. 0 or a negative errno (reported). */
int rb_xrc_srq_number(const struct rb_dev *dev, struct ibv_srq *srq,
		      uint32_t *number);

#endif
