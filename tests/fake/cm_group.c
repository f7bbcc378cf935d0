/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_group - joining multicast groups through the connection manager. */

#define _GNU_SOURCE
#include "cm.h"
#include "plan.h"

#include <errno.h>
#include <string.h>

static bool group_of(const struct sockaddr *sa, union ibv_gid *group)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_in *in = (const void *)sa;

	memset(group, 0, sizeof(*group));
	if (sa->sa_family == AF_INET6) {
		memcpy(group->raw, &in6->sin6_addr, sizeof(group->raw));
		return true;
	}
	group->raw[10] = group->raw[11] = 0xff;
	memcpy(&group->raw[12], &in->sin_addr, 4);
	return sa->sa_family == AF_INET;
}

/* The group travels to the event in place of private data. */
FAKE_EXPORT int rdma_join_multicast(struct rdma_cm_id *ibid,
				    struct sockaddr *addr, void *context)
{
	const struct plan *plan = plan_get();
	struct cm_id *id = to_cm(ibid);
	struct cm_record r = {
		.index = id->index, .gen = id->own.gen,
		.event = RDMA_CM_EVENT_MULTICAST_JOIN,
		.private_len = sizeof(union ibv_gid),
	};
	union ibv_gid group;

	(void)context;
	FAKE_FAIL_MINUS(rdma_join_multicast);
	if (id->state != CM_BOUND || !group_of(addr, &group))
		return cm_fail(EINVAL);
	memcpy(r.private_data, group.raw, sizeof(group.raw));
	if (plan->cm_event == RDMA_CM_EVENT_MULTICAST_ERROR) {
		r.event = plan->cm_event;
		r.status = -plan->cm_status;
	}
	wire_signal(&proc.self, id->w->event_fd, &r, sizeof(r));
	return 0;
}

FAKE_EXPORT int rdma_leave_multicast(struct rdma_cm_id *id,
				     struct sockaddr *addr)
{
	(void)id, (void)addr;
	return 0;
}

void cm_group_fill(const struct cm_id *id, struct rdma_ud_param *ud)
{
	struct ibv_ah_attr *av = &ud->ah_attr;

	memset(av, 0, sizeof(*av));
	av->is_global = 1;
	memcpy(av->grh.dgid.raw, ud->private_data, sizeof(av->grh.dgid.raw));
	av->grh.sgid_index = (uint8_t)gid_for_cm(id->own.dev);
	av->grh.hop_limit = 1;
	av->port_num = id->id.port_num;
	if (plan_get()->dev.infiniband)
		av->dlid = 0xc000;
	ud->qp_num = 0xffffff;
	ud->qkey = RDMA_UDP_QKEY;
	ud->private_data = NULL;
	ud->private_data_len = 0;
}
