/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_stubs - calls of librdmacm that the double does not offer: EOPNOTSUPP. */

#include "cm.h"

#include <errno.h>
#include <rdma/rdma_verbs.h>

FAKE_EXPORT int rdma_create_ep(struct rdma_cm_id **id,
			       struct rdma_addrinfo *res, struct ibv_pd *pd,
			       struct ibv_qp_init_attr *attr)
{
	(void)id, (void)res, (void)pd, (void)attr;
	return cm_fail(EOPNOTSUPP);
}

FAKE_EXPORT void rdma_destroy_ep(struct rdma_cm_id *id)
{
	(void)id;
}

FAKE_EXPORT int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd,
				struct ibv_srq_init_attr *attr)
{
	(void)id, (void)pd, (void)attr;
	return cm_fail(EOPNOTSUPP);
}

FAKE_EXPORT int rdma_get_request(struct rdma_cm_id *listen,
				 struct rdma_cm_id **id)
{
	(void)listen, (void)id;
	return cm_fail(EOPNOTSUPP);
}

FAKE_EXPORT int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
	(void)id, (void)event;
	return 0;
}

FAKE_EXPORT int rdma_migrate_id(struct rdma_cm_id *id,
				struct rdma_event_channel *channel)
{
	(void)id, (void)channel;
	return cm_fail(EOPNOTSUPP);
}

FAKE_EXPORT int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	(void)id, (void)ece;
	return cm_fail(EOPNOTSUPP);
}

FAKE_EXPORT int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	(void)id, (void)ece;
	return cm_fail(EOPNOTSUPP);
}
