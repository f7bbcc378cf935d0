/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * event - the kinds of events that are watched for, a row each
 */
#include "watch/event.h"

#include <string.h>

#include "base/base.h"

enum { GOOD = 1, BAD };

/* Meanings: InfiniBand Architecture Specification, 11.6.3, and the kernel. */
const struct rb_watch_kind rb_watch_kinds[] = {
	/* clang-format off */
	{ "port_active", "async", IBV_EVENT_PORT_ACTIVE, GOOD, "the port became active", NULL },
	{ "port_err", "async", IBV_EVENT_PORT_ERR, BAD, "the port lost its link", "cable, transceiver, the switch's port, or the network interface was switched off" },
	{ "device_fatal", "async", IBV_EVENT_DEVICE_FATAL, 0, "the device failed", "firmware, PCIe, or a reset: everything on it must be set up again" },
	{ "gid_change", "async", IBV_EVENT_GID_CHANGE, 0, "the GID table changed", "an address of a network interface of the port was added or removed" },
	{ "lid_change", "async", IBV_EVENT_LID_CHANGE, 0, "the LID changed", NULL },
	{ "pkey_change", "async", IBV_EVENT_PKEY_CHANGE, 0, "the table of partition keys changed", "the subnet manager changed partitions: queue pairs by index may now be in another one" },
	{ "sm_change", "async", IBV_EVENT_SM_CHANGE, 0, "another subnet manager took over", "a failover of the subnet manager; paths may change" },
	{ "client_reregister", "async", IBV_EVENT_CLIENT_REREGISTER, 0, "the subnet manager asks for registration anew", "it restarted or failed over: multicast groups must be joined again" },
	{ "cq_err", "async", IBV_EVENT_CQ_ERR, 0, "a completion queue failed", NULL },
	{ "qp_fatal", "async", IBV_EVENT_QP_FATAL, 0, "a queue pair failed", "an error that no completion could report: a defect of driver or firmware, or a completion queue that failed" },
	{ "qp_req_err", "async", IBV_EVENT_QP_REQ_ERR, 0, "a queue pair got an invalid request", "the other end broke the protocol, or a message did not fit" },
	{ "qp_access_err", "async", IBV_EVENT_QP_ACCESS_ERR, 0, "a queue pair refused an access", "the other end used a wrong rkey, address or permission" },
	{ "comm_est", "async", IBV_EVENT_COMM_EST, 0, "a queue pair got its first message", NULL },
	{ "sq_drained", "async", IBV_EVENT_SQ_DRAINED, 0, "a send queue was drained", NULL },
	{ "path_mig", "async", IBV_EVENT_PATH_MIG, 0, "a queue pair moved to its alternate path", "the path was lost, or the other end asked for it" },
	{ "path_mig_err", "async", IBV_EVENT_PATH_MIG_ERR, 0, "a queue pair could not move to its alternate path", "the request for migration did not fit the alternate path" },
	{ "srq_err", "async", IBV_EVENT_SRQ_ERR, 0, "a shared receive queue failed", "its queue pairs can receive no more" },
	{ "srq_limit_reached", "async", IBV_EVENT_SRQ_LIMIT_REACHED, 0, "a shared receive queue runs low", "receives must be posted" },
	{ "qp_last_wqe_reached", "async", IBV_EVENT_QP_LAST_WQE_REACHED, 0, "a queue pair took its last receive from a shared queue", NULL },
	{ "wq_fatal", "async", IBV_EVENT_WQ_FATAL, 0, "a work queue failed", NULL },
	{ "device_added", "device", -1, GOOD, "the device came", NULL },
	{ "device_removed", "device", -1, BAD, "the device went", "it was unplugged, reset, or its driver let it go: programs on it must open it anew" },
	{ "link_state", "device", -1, 0, "the port's state changed", NULL },
	{ "gid_added", "gid", -1, 0, "a GID came", NULL },
	{ "gid_removed", "gid", -1, 0, "a GID went", "queue pairs that use this index lose their address" },
	{ "gid_replaced", "gid", -1, 0, "a GID was replaced", "the index now stands for another address: programs that keep the index use the wrong one" },
	{ "netdev_up", "netdev", -1, GOOD, "the network interface came up", NULL },
	{ "netdev_down", "netdev", -1, BAD, "the network interface was switched off", "'ip link set NETDEV up' switches it on; its RoCE port is down" },
	{ "netdev_no_carrier", "netdev", -1, BAD, "the network interface lost its carrier", "cable, transceiver, or the switch's port" },
	{ "netdev_changed", "netdev", -1, 0, "the network interface changed", "a MAC address is in default GIDs and in the peers' neighbour tables; the MTU bounds the path MTU" },
	{ "netdev_removed", "netdev", -1, 0, "the network interface went", "its GIDs go with it" },
	{ "address_added", "netdev", -1, 0, "an address came", NULL },
	{ "address_removed", "netdev", -1, 0, "an address went", "its GIDs go with it" },
	{ "qp_error", "qp", -1, 0, "a queue pair is in the error state", "a request failed, or the program moved it there before it ends; the program's completions tell" },
	{ "counters", "counters", -1, 0, "counters moved", NULL },
	{ "watching", "watch", -1, 0, "watching began", NULL },
	{ "flapping", "watch", -1, 0, "it flaps", "cable, transceiver, the switch's port, or two managers of one interface" },
	{ "flapping_ended", "watch", -1, 0, "it stopped flapping", NULL },
	{ "messages_lost", "watch", -1, 0, "the kernel had more news than could be read", "events may be missing here; the state is read anew" },
	/* clang-format on */
};

const size_t rb_watch_nkinds = RB_ARRAY_SIZE(rb_watch_kinds);

_Static_assert(RB_ARRAY_SIZE(rb_watch_kinds) <= RB_WATCH_KINDS,
	       "a flag for each kind");

const struct rb_watch_kind *rb_watch_kind(const char *name)
{
	for (size_t i = 0; i < rb_watch_nkinds; i++)
		if (!strcmp(rb_watch_kinds[i].name, name))
			return &rb_watch_kinds[i];
	return NULL;
}

const struct rb_watch_kind *rb_watch_kind_async(enum ibv_event_type type)
{
	for (size_t i = 0; i < rb_watch_nkinds; i++)
		if (rb_watch_kinds[i].verbs == (int)type)
			return &rb_watch_kinds[i];
	return NULL;
}

size_t rb_watch_kind_index(const struct rb_watch_kind *kind)
{
	return (size_t)(kind - rb_watch_kinds);
}
