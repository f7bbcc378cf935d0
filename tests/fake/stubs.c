/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stubs - calls that take our objects and do nothing here. */

#include "fake.h"

#include <errno.h>

FAKE_EXPORT int ibv_fork_init(void)
{
	return 0;
}

FAKE_EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

FAKE_EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp,
					   enum ibv_wr_opcode op,
					   uint32_t flags)
{
	(void)qp, (void)op, (void)flags;
	return 1;
}

FAKE_EXPORT int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp, (void)ece;
	errno = EOPNOTSUPP;
	return EOPNOTSUPP;
}

FAKE_EXPORT int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp, (void)ece;
	errno = EOPNOTSUPP;
	return EOPNOTSUPP;
}

FAKE_EXPORT int ibv_resolve_eth_l2_from_gid(struct ibv_context *ctx,
					    struct ibv_ah_attr *attr,
					    uint8_t mac[ETHERNET_LL_SIZE],
					    uint16_t *vid)
{
	(void)ctx, (void)attr, (void)mac, (void)vid;
	errno = EOPNOTSUPP;
	return -1;
}

FAKE_EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	(void)cmd_fd;
	errno = EOPNOTSUPP;
	return NULL;
}
