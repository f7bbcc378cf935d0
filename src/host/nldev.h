/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nldev - the queue pairs of all processes, as 'rdma resource' shows them
 *
 * (include/uapi/rdma/rdma_netlink.h, RDMA_NLDEV_CMD_RES_QP_GET.) Nothing here
 * reports.
 */
#ifndef RB_NLDEV_H
#define RB_NLDEV_H

#include <stdint.h>

struct rb_netlink;

#define RB_NLDEV_NAME 32

struct rb_nldev_qp {
	uint32_t qpn;
	uint32_t port;
	uint8_t type;  /* as in enum ibv_qp_type */
	uint8_t state; /* as in enum ibv_qp_state */
	uint32_t pid;  /* 0: the kernel's own */
	char comm[RB_NLDEV_NAME]; /* name of the process or of the kernel's user */
};

typedef void (*rb_nldev_qp_fn)(const struct rb_nldev_qp *qp, void *arg);

/*
 * Hand each queue pair of @device to @take. @nl is a socket of NETLINK_RDMA. 0,
 * or -errno: -ENODEV for an unknown device, -EOPNOTSUPP or so for a kernel that
 * does not show them.
 */
int rb_nldev_qps(struct rb_netlink *nl, const char *device, rb_nldev_qp_fn take,
		 void *arg);

#endif
