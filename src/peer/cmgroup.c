/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmgroup - join a multicast group through rdma_cm(7)
 *
 * The kernel tells the network (IGMP, or the subnet manager) and gives the
 * address by which the group is reached; the QPs are attached by ourselves, since
 * they are not the id's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "peer/cmchan.h"
#include "peer/conn.h"
#include "verbs/dev.h"

#define ENOTSUPP 524 /* the kernel's own (include/linux/errno.h): it gets out here */

static int start(struct rb_conn *conn, struct rdma_cm_id **id)
{
	struct rb_gid group = { .raw = conn->group };
	struct sockaddr_storage own, to;
	char text[RB_GID_TEXT];

	rb_gid_sockaddr(&conn->path.gids.local, &own);
	rb_gid_sockaddr(&group, &to);
	if (rb_traced(rdma_create_id(conn->cm->channel, id, NULL, RDMA_PS_UDP),
		      "group") ||
	    rb_traced(rdma_bind_addr(*id, (struct sockaddr *)&own), "group"))
		return rb_fail(RB_FAULT_CM, -errno,
			       "rdma_cm cannot use GID index %u of '%s'",
			       conn->path.gids.local.index, conn->dev->name);
	if (!rb_traced(rdma_join_multicast(*id, (struct sockaddr *)&to, NULL),
		       "group"))
		return 0;
	if (errno == ENOTSUPP)
		return rb_fail_hint(RB_FAULT_MULTICAST, -EOPNOTSUPP,
				    "on RoCE v2 the kernel's rdma_cm knows groups of IPv4 only",
				    "leave -R out, or choose an IPv4 GID with -x",
				    "rdma_cm cannot join the group %s",
				    rb_gid_text(&conn->group, text));
	return rb_fail(RB_FAULT_MULTICAST, -errno,
		       "rdma_cm cannot join the group %s",
		       rb_gid_text(&conn->group, text));
}

/* Where the group is: who sends aims at it, who listens attaches to it. */
static int take_group(struct rb_conn *conn, const struct rdma_cm_event *event)
{
	struct ibv_ah_attr to = event->param.ud.ah_attr;

	if (event->event != RDMA_CM_EVENT_MULTICAST_JOIN)
		return rb_cm_event_failed(event);
	conn->group = to.grh.dgid;
	if (!conn->client) {
		conn->member.lid = to.dlid;
		return rb_conn_listen(conn, NULL);
	}
	to.sl = conn->path.sl;
	to.grh.traffic_class = conn->path.tclass;
	return rb_conn_aim(conn, &to);
}

int rb_cm_join(struct rb_conn *conn)
{
	struct rdma_cm_event *event;
	int err = start(conn, &conn->cm->ids[0]);

	for (uint32_t i = 0; i < conn->nqps && !err; i++)
		err = rb_cm_move_datagram(conn, conn->cm->ids[0], i);
	if (!err)
		err = rb_cm_next_event(conn, &event);
	if (err)
		return err;
	err = take_group(conn, event);
	rdma_ack_cm_event(event);
	return err;
}
