/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * event - what an async event means, and what it explains when a run fails: a
 * plain look-up table
 */
#include "diag/event.h"

#include <infiniband/verbs.h>

#include "base/base.h"

#define SRC RB_SURE_SOURCE
#define CONF RB_SURE_CONFIRMED
#define LIKELY RB_SURE_LIKELY
#define IDLE(e, n, t, o, m) { .event = (e), .name = (n), .text = (t), .object = (o), .meaning = (m) }

/* clang-format off */
static const struct rb_event_row rows[] = {
	{ IBV_EVENT_CQ_ERR, "CQ_ERR", "CQ error", "cq",
	  "the completion queue overran or could not be written: all its queue pairs die",
	  "the completion queue overran or could not be written",
	  "this is a defect of rbench or of the driver: report it with -vv",
	  RB_CAUSES({ "the CQ has fewer places than all its queue pairs have signaled requests, or nobody polls it", CONF, NULL, "linux-rdma list, svcrdma SQ depth" },
		{ "DMA to the CQ's memory failed", LIKELY, "IOMMU-MODE", NULL }), NULL },
	{ IBV_EVENT_QP_FATAL, "QP_FATAL", "local work queue catastrophic error", "qp",
	  "the queue pair went to the error state without a completion that tells why",
	  "the device could not use the QP's own queue or its CQ",
	  "dmesg on this host has a line about the QP ('QP .. error'); 'rbench explain' decodes it",
	  RB_CAUSES({ "DMA to the queue's memory failed, or its CQ is in error", LIKELY, NULL, NULL },
		{ "the hardware failed", LIKELY, NULL, NULL }), NULL },
	{ IBV_EVENT_QP_REQ_ERR, "QP_REQ_ERR", "invalid request local work queue error", "qp",
	  "a request that came in was invalid for this queue pair",
	  "the peer sent a request that this QP does not take: operation, too many reads, or a message longer than the receive",
	  "compare path MTU, access rights and outstanding reads of both ends; the peer sees 'remote invalid request error'",
	  RB_CAUSES({ "the peer has more READs or atomics under way than was agreed", SRC, NULL, "InfiniBand specification, 9.7.4" },
		{ "an operation that the queue pair does not take, or a SEND longer than the receive", SRC, NULL, "InfiniBand specification, 9.9.3" }),
	  "the requester sees 9 (REM_INV_REQ_ERR)" },
	{ IBV_EVENT_QP_ACCESS_ERR, "QP_ACCESS_ERR", "local access violation work queue error", "qp",
	  "a request that came in violated the protection of the memory here: same fact as the requester's status 10, seen from the responder",
	  "the peer used an rkey, address or right that this end did not give",
	  "compare rkey, address and length that the peer used with what this end registered; the peer sees 'remote access error'",
	  RB_CAUSES({ "the peer used a wrong or stale rkey, or one of another device or PD", CONF, "HCA-RKEY", "fault injection" },
		{ "the address range leaves the region", CONF, NULL, "fault injection" },
		{ "the region or the queue pair lacks the right", SRC, NULL, "ibv_reg_mr(3)" },
		{ "the two ends use different MTUs", CONF, "MTU-PEER", "NVIDIA/nccl#1524" }),
	  "the requester sees 10 (REM_ACCESS_ERR)" },
	IDLE(IBV_EVENT_COMM_EST, "COMM_EST", "communication established", "qp", "a packet came before the connection was complete: normal"),
	IDLE(IBV_EVENT_SQ_DRAINED, "SQ_DRAINED", "send queue drained", "qp", "the send queue was drained, as asked for"),
	IDLE(IBV_EVENT_PATH_MIG, "PATH_MIG", "path migrated", "qp", "the connection moved to its alternate path: the primary one failed"),
	{ IBV_EVENT_PATH_MIG_ERR, "PATH_MIG_ERR", "path migration request error", "qp",
	  "moving to the alternate path failed", "moving the QP to its alternate path failed",
	  "check both ports and the paths between them", NULL, NULL },
	{ IBV_EVENT_DEVICE_FATAL, "DEVICE_FATAL", "local catastrophic error", "ca",
	  "the device is gone or failed internally: everything on it must be created again",
	  "the device reported a fatal error", "dmesg and 'devlink health' tell more",
	  RB_CAUSES({ "firmware assertion, PCIe error (AER) or lost PCIe link", LIKELY, "PCI-AER", NULL },
		{ "reset, reload, unplug or suspend", LIKELY, NULL, NULL }), NULL },
	IDLE(IBV_EVENT_PORT_ACTIVE, "PORT_ACTIVE", "port active", "port", "the link is up; repeated, it flaps"),
	{ IBV_EVENT_PORT_ERR, "PORT_ERR", "port error", "port", "the port lost its link",
	  "the port lost its link (event 'port error')",
	  "check cable, switch port and 'ip link'; run again when the port is ACTIVE",
	  RB_CAUSES({ "cable or transceiver, switch port, or the peer's port is down", LIKELY, "PORT-FLAP", "spdk/spdk#414" },
		{ "an administrator took it down", LIKELY, NULL, NULL }), NULL },
	{ IBV_EVENT_LID_CHANGE, "LID_CHANGE", "LID change", "port", "the subnet manager gave the port another LID: paths must be resolved again",
	  "the subnet manager gave the port another LID", "run again; check the subnet manager", NULL, NULL },
	IDLE(IBV_EVENT_PKEY_CHANGE, "PKEY_CHANGE", "P_Key change", "port", "the table of partition keys changed: read the indexes again"),
	IDLE(IBV_EVENT_SM_CHANGE, "SM_CHANGE", "SM change", "port", "another subnet manager is master"),
	{ IBV_EVENT_SRQ_ERR, "SRQ_ERR", "SRQ catastrophic error", "srq", "the shared receive queue failed and must be created again",
	  "the shared receive queue failed", "dmesg tells more", NULL, NULL },
	IDLE(IBV_EVENT_SRQ_LIMIT_REACHED, "SRQ_LIMIT_REACHED", "SRQ limit reached", "srq", "fewer receives are posted than the armed limit: refill, and arm it again"),
	IDLE(IBV_EVENT_QP_LAST_WQE_REACHED, "QP_LAST_WQE_REACHED", "last WQE reached", "qp", "a queue pair with SRQ is in error and will use no more receives: usually tear-down"),
	IDLE(IBV_EVENT_CLIENT_REREGISTER, "CLIENT_REREGISTER", "client reregistration", "port", "the subnet manager restarted and asks to join again"),
	{ IBV_EVENT_GID_CHANGE, "GID_CHANGE", "GID table change", "port",
	  "the GID table changed: an address was added or removed; an index that was kept may be stale",
	  "the port's GID table changed (event 'GID table change'): an address was removed or added",
	  "check 'ip addr' and 'rbench devices'",
	  RB_CAUSES({ "address added or removed, link flap, bond failover, move to another namespace", CONF, "GID-CHANGE", "NVIDIA/nccl#2157" }), NULL },
	{ IBV_EVENT_WQ_FATAL, "WQ_FATAL", "WQ fatal error", "wq", "a work queue failed", "a work queue failed", "dmesg tells more", NULL, NULL },
	IDLE(IBV_EVENT_WQ_FATAL + 1, "DEVICE_SPEED_CHANGE", "device speed change", "ca", "the speed of the aggregated link changed: a member or a lane was lost or came back"),
};
/* clang-format on */

const struct rb_event_row *rb_event_row(int event)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].event == event && rows[i].cause)
			return &rows[i];
	return NULL;
}

const struct rb_event_row *rb_event_rows(size_t *n)
{
	*n = RB_ARRAY_SIZE(rows);
	return rows;
}
