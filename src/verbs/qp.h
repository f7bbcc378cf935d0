/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * qp - the only place that creates queue pairs and moves them between states
 *
 * RESET -> INIT -> RTR -> RTS (IB specification 10.3.1; ibv_modify_qp(3)). With
 * the manual exchange the attributes come from rb_qp_attr_*; with rdma_cm they
 * come from rdma_init_qp_attr(3). Both are applied by rb_qp_apply, so creation,
 * limits and error texts are shared.
 */
#ifndef RB_QP_H
#define RB_QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "verbs/gid.h"

struct rb_dev;

/* IB specification 9.7.5.1.3 and 9.9: 24-bit packet sequence and QP numbers */
#define RB_PSN_MASK 0xffffffu

/* Both retry counters have 3 bits; for RNR 7 means for ever (ibv_modify_qp(3)). */
#define RB_RETRIES 7

/* As Linux's own default (net.ipv4.ip_default_ttl). */
#define RB_HOP_LIMIT 64

struct rb_qp_plan {
	enum ibv_qp_type type;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_srq *srq; /* NULL: receives of its own */
	uint32_t send_depth, recv_depth;
	uint32_t max_inline;
	uint32_t sges; /* pieces of a request, in both queues; 0: 1 */
	struct ibv_xrcd *xrcd; /* XRC_RECV: the domain it leads to, and all it has */
	uint64_t send_ops; /* IBV_QP_EX_WITH_*: for the ibv_wr_* interface */
	unsigned int access; /* of the remote: IBV_ACCESS_REMOTE_* */
};

struct rb_qp {
	struct ibv_qp *qp;
	struct ibv_qp *target; /* XRC, of an end that sends and receives: the one that
				* receives, qp being the one that sends; or NULL */
	struct ibv_qp_ex *qpx; /* NULL: the provider has no ibv_wr_* */
	uint32_t psn;	       /* of our first packet */
	uint32_t max_inline;   /* what the device granted */
};

/* How a connection is to be made: the same on both ends but for the GIDs. */
struct rb_path {
	struct rb_gid_pair gids;
	bool global;	   /* a GRH is used (always on RoCE) */
	unsigned int mtu;  /* path MTU in bytes */
	uint16_t peer_lid; /* InfiniBand */
	uint8_t sl, tclass;
	uint8_t timeout; /* 4.096 us * 2^timeout; 0: wait for ever */
	uint8_t retry_count, rnr_retry;
	uint16_t pkey_index;
	uint32_t flow_label;
	uint8_t hop_limit; /* 0: left to the kernel, where it chooses paths */
	uint8_t rd_atomic; /* outstanding reads and atomics, in each direction */
	uint32_t qkey;	   /* UD: in each packet, and what a QP lets in */
};

/*
 * Create a QP by @plan, for the ibv_wr_* interface where the provider has it.
 * Returns 0, or a negative errno (reported: RB_FAULT_INLINE_LIMIT with the
 * probed limit, TRANSPORT: no such queue pairs, QP_CREATE).
 */
int rb_qp_create(const struct rb_dev *dev, struct ibv_pd *pd,
		 const struct rb_qp_plan *plan, struct rb_qp *qp);

/* The address of the path's other end. */
struct ibv_ah_attr rb_path_address(const struct rb_dev *dev,
				   const struct rb_path *path);

/* Move to ERR (so that all work flushes); quiet when it cannot be. */
void rb_qp_error(struct rb_qp *qp);
void rb_qp_destroy(struct rb_qp *qp);

/* Each fills @attr for one move and returns the mask of what it set. */
int rb_qp_attr_init(const struct rb_dev *dev, const struct rb_path *path,
		    enum ibv_qp_type type, unsigned int access,
		    struct ibv_qp_attr *attr);
int rb_qp_attr_rtr(const struct rb_dev *dev, const struct rb_path *path,
		   enum ibv_qp_type type, uint32_t peer_qpn, uint32_t peer_psn,
		   struct ibv_qp_attr *attr);
int rb_qp_attr_rts(const struct rb_path *path, enum ibv_qp_type type,
		   uint32_t psn, struct ibv_qp_attr *attr);

/* Create qp->target by @plan, of an existing qp. As rb_qp_create. */
int rb_qp_create_target(const struct rb_dev *dev, const struct rb_qp_plan *plan,
			struct rb_qp *qp);

/* Apply one move; 0 or a negative errno (reported with the state's name). */
int rb_qp_apply(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);

/* The largest inline size up to @most that a QP by @plan can have, by trying. */
uint32_t rb_qp_probe_inline(const struct rb_dev *dev, struct ibv_pd *pd,
			    const struct rb_qp_plan *plan, uint32_t most);

#endif
