/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmevent - what an event of rdma_cm and its status mean: plain look-up tables
 */
#include "diag/cmevent.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "base/base.h"

#define SRC RB_SURE_SOURCE
#define CONF RB_SURE_CONFIRMED
#define LIKELY RB_SURE_LIKELY
#define REASON(s, n, m) { "REJECTED", (s), (n), (m), NULL, NULL }

/* clang-format off */
static const struct rb_cm_name names[] = {
	{ RDMA_CM_EVENT_ADDR_RESOLVED, "ADDR_RESOLVED", "the address was resolved: normal" },
	{ RDMA_CM_EVENT_ADDR_ERROR, "ADDR_ERROR", "the address could not be resolved to a device and a neighbour" },
	{ RDMA_CM_EVENT_ROUTE_RESOLVED, "ROUTE_RESOLVED", "the route was resolved: normal" },
	{ RDMA_CM_EVENT_ROUTE_ERROR, "ROUTE_ERROR", "no path to the peer was found" },
	{ RDMA_CM_EVENT_CONNECT_REQUEST, "CONNECT_REQUEST", "a peer asks for a connection: normal" },
	{ RDMA_CM_EVENT_CONNECT_RESPONSE, "CONNECT_RESPONSE", "the peer answered: normal" },
	{ RDMA_CM_EVENT_CONNECT_ERROR, "CONNECT_ERROR", "setting up the connection failed at this end" },
	{ RDMA_CM_EVENT_UNREACHABLE, "UNREACHABLE", "the connection request got no answer" },
	{ RDMA_CM_EVENT_REJECTED, "REJECTED", "the peer rejected the connection" },
	{ RDMA_CM_EVENT_ESTABLISHED, "ESTABLISHED", "connected: normal" },
	{ RDMA_CM_EVENT_DISCONNECTED, "DISCONNECTED", "the connection ended: the peer closed it, or a queue pair failed (look for a completion error first)" },
	{ RDMA_CM_EVENT_DEVICE_REMOVAL, "DEVICE_REMOVAL", "the device is being removed: driver unloaded, reset, or a virtual function unplugged; everything must be created again" },
	{ RDMA_CM_EVENT_MULTICAST_JOIN, "MULTICAST_JOIN", "joined: normal" },
	{ RDMA_CM_EVENT_MULTICAST_ERROR, "MULTICAST_ERROR", "joining the multicast group failed: subnet manager, IGMP, or its rate and MTU" },
	{ RDMA_CM_EVENT_ADDR_CHANGE, "ADDR_CHANGE", "the address moved to another device (bond failover): connect again" },
	{ RDMA_CM_EVENT_TIMEWAIT_EXIT, "TIMEWAIT_EXIT", "the queue pair number may be used again: normal" },
};

static const struct rb_cm_row rows[] = {
	{ "ADDR_ERROR", -ENODEV, "ENODEV", "the route leads to a network interface that has no RDMA device here",
	  RB_CAUSES({ "the destination is reached through another interface (management)", CONF, "NET-ROUTE", "rdma_cm" },
		{ "a container without the RDMA device in its namespace", CONF, "NS-MODE", "rdma_cm" },
		{ "a virtual function without a node GUID", CONF, "GID-GUID0", "rdma-core pull 1547" }),
	  "ip route get DESTINATION; rdma link; rdma system" },
	{ "ADDR_ERROR", -ETIMEDOUT, "ETIMEDOUT", "the neighbour (ARP, ND) was not resolved in time",
	  RB_CAUSES({ "the peer is down, in another VLAN, or its IPoIB interface is down", LIKELY, "NET-ARP", NULL },
		{ "several interfaces in one subnet (ARP flux)", LIKELY, "NET-SAMESUBNET", NULL }),
	  "ip neigh show DESTINATION; arping -I INTERFACE DESTINATION" },
	{ "ADDR_ERROR", -ENETUNREACH, "ENETUNREACH", "there is no route to the destination",
	  RB_CAUSES({ "the route is missing on that interface", SRC, "NET-ROUTE", NULL }), "ip route get DESTINATION oif INTERFACE" },
	{ "ADDR_ERROR", -EHOSTUNREACH, "EHOSTUNREACH", "the route says unreachable, or the neighbour failed",
	  RB_CAUSES({ "the route is missing, or the peer does not answer ARP", SRC, "NET-ARP", NULL }), "ip route get DESTINATION; ip neigh" },
	{ "ADDR_ERROR", -EADDRNOTAVAIL, "EADDRNOTAVAIL", "the source address is not on this host",
	  RB_CAUSES({ "the address to bind to is wrong", LIKELY, NULL, NULL }, { "InfiniBand routing without a resolver (ibacm)", LIKELY, NULL, NULL }), "ip -br addr" },
	{ "ROUTE_ERROR", -ETIMEDOUT, "ETIMEDOUT", "the subnet manager did not answer the path query in time",
	  RB_CAUSES({ "the subnet manager or SA is overloaded (more than 1500 clients at once) or absent", LIKELY, "IB-SM", "ofiwg/libfabric#3017" }), "sminfo; saquery" },
	{ "ROUTE_ERROR", -EINVAL, "EINVAL", "there is no path record that fits",
	  RB_CAUSES({ "partition (P_Key) or SL do not fit; RoCE: the GID has no network interface", LIKELY, "IB-PKEY", NULL }), NULL },
	{ "ROUTE_ERROR", -ENODEV, "ENODEV", "there is no path record that fits",
	  RB_CAUSES({ "RoCE: the GID has no network interface", LIKELY, "GID-NDEV", NULL }), NULL },
	{ "UNREACHABLE", -ETIMEDOUT, "ETIMEDOUT", "no reply to 16 connection requests",
	  RB_CAUSES({ "connection packets are filtered on the way (QP 1, UDP 4791)", LIKELY, "NET-FW", NULL },
		{ "the two hosts connect with different RoCE versions (default_roce_mode)", SRC, "CM-ROCEMODE", "cma_roce_mode(8)" },
		{ "the peer's kernel is stuck, or the MTU does not fit", LIKELY, NULL, NULL }),
	  "cat /sys/kernel/config/rdma_cm/DEVICE/ports/PORT/default_roce_mode on both hosts" },
	{ "UNREACHABLE", 2, "SIDR 2 (rejected)", "UD: the service rejected the request",
	  RB_CAUSES({ "nobody listens in that port space", LIKELY, NULL, "ofiwg/libfabric#8256" }), NULL },
	{ "CONNECT_ERROR", -EINVAL, "EINVAL", "the queue pair could not be moved, or the reply was not accepted",
	  RB_CAUSES({ "responder_resources or initiator_depth exceed the device", LIKELY, NULL, NULL }, { "the GID was removed", LIKELY, "GID-CHANGE", NULL }), "dmesg; ibv_devinfo -v: max_qp_rd_atom" },
	{ "CONNECT_ERROR", -ENOMEM, "ENOMEM", "out of memory or of a limit while connecting", NULL, "ulimit -l; dmesg" },
	{ "CONNECT_ERROR", -ECONNRESET, "ECONNRESET", "iWARP: the TCP connection or its MPA negotiation failed",
	  RB_CAUSES({ "a firewall, or MPA versions or CRC settings that differ", LIKELY, "NET-FW", NULL }), NULL },
	{ "CONNECT_ERROR", -EPROTO, "EPROTO", "iWARP: the TCP connection or its MPA negotiation failed", NULL, NULL },
	REASON(1, "NO_QP", "the peer has no queue pair for it"),
	{ "REJECTED", 3, "NO_RESOURCES", "the peer is out of resources",
	  RB_CAUSES({ "backlog of the listener, or the number of queue pairs", LIKELY, NULL, NULL }), NULL },
	{ "REJECTED", 4, "TIMEOUT", "the peer gave up waiting for this end",
	  RB_CAUSES({ "the program was slow between event and answer, or packets were lost", LIKELY, NULL, NULL }), NULL },
	REASON(5, "UNSUPPORTED", "the request is not supported"),
	REASON(6, "INVALID_COMM_ID", "a message that belongs to no connection: late or duplicate"),
	REASON(7, "INVALID_COMM_INSTANCE", "a message that belongs to no connection: late or duplicate"),
	{ "REJECTED", 8, "INVALID_SERVICE_ID", "nobody listens on that port: there is no listener (the 'connection refused' of InfiniBand and RoCE)",
	  RB_CAUSES({ "the server does not run (yet, or again after a restart), or the port or address is wrong", CONF, NULL, "spdk/spdk#1087" }),
	  "on the server: rdma resource show cm_id" },
	REASON(9, "INVALID_TRANSPORT_TYPE", "transport type refused"),
	{ "REJECTED", 10, "STALE_CONN", "the peer still holds an old connection with these numbers",
	  RB_CAUSES({ "a fast reconnect after a crash or reboot: wait, or use a new queue pair", LIKELY, NULL, NULL }), NULL },
	REASON(11, "RDC_NOT_EXIST", "RD channel does not exist"),
	{ "REJECTED", 12, "INVALID_GID", "the peer refused a GID of the path", RB_CAUSES({ "the RoCE versions or subnets of the ports differ", LIKELY, "GID-TYPE-PEER", NULL }), NULL },
	REASON(13, "INVALID_LID", "the peer refused a LID of the path"),
	REASON(14, "INVALID_SL", "the peer refused the service level"),
	REASON(15, "INVALID_TRAFFIC_CLASS", "the peer refused the traffic class"),
	REASON(16, "INVALID_HOP_LIMIT", "the peer refused the hop limit"),
	REASON(17, "INVALID_PACKET_RATE", "the peer refused the packet rate"),
	REASON(18, "INVALID_ALT_GID", "the peer refused a GID of the alternate path"),
	REASON(19, "INVALID_ALT_LID", "the peer refused a LID of the alternate path"),
	REASON(24, "PORT_CM_REDIRECT", "the peer redirects the request"),
	REASON(25, "PORT_REDIRECT", "the peer redirects the connection"),
	{ "REJECTED", 26, "INVALID_MTU", "the peer refused the path MTU", RB_CAUSES({ "the active MTUs of the two ports differ", SRC, "MTU-PEER", NULL }), "ibv_devinfo | grep mtu on both hosts" },
	{ "REJECTED", 27, "INSUFFICIENT_RESP_RESOURCES", "the peer has not so many responder resources", RB_CAUSES({ "too many outstanding READs asked for", SRC, NULL, NULL }), "lower initiator_depth" },
	{ "REJECTED", 28, "CONSUMER_DEFINED", "the program at the peer rejected the connection; its private data says why",
	  RB_CAUSES({ "a policy of the program: NVMe-oF, limits, versions, or both ends connecting at once (libfabric)", CONF, NULL, "ofiwg/libfabric#10359" }),
	  "look at the log of the program at the peer" },
	REASON(29, "INVALID_RNR_RETRY", "the peer refused the RNR retry count"),
	REASON(30, "DUPLICATE_LOCAL_COMM_ID", "a duplicate connection id"),
	REASON(31, "INVALID_CLASS_VERSION", "CM protocol version"),
	REASON(32, "INVALID_FLOW_LABEL", "the peer refused the flow label"),
	REASON(33, "INVALID_ALT_FLOW_LABEL", "the peer refused the flow label of the alternate path"),
	REASON(35, "VENDOR_OPTION_NOT_SUPPORTED", "vendor option not supported"),
	{ "REJECTED", -ECONNREFUSED, "ECONNREFUSED", "iWARP: nobody listens, or the program refused",
	  RB_CAUSES({ "the server does not run, or it ran out of a resource (perftest with more than 1025 queue pairs)", CONF, NULL, "linux-rdma/perftest#54" }), NULL },
	{ "REJECTED", -ECONNRESET, "ECONNRESET", "iWARP: the peer reset the connection", NULL, NULL },
};
/* clang-format on */

const struct rb_cm_name *rb_cm_names(size_t *n)
{
	*n = RB_ARRAY_SIZE(names);
	return names;
}

const struct rb_cm_row *rb_cm_rows(size_t *n)
{
	*n = RB_ARRAY_SIZE(rows);
	return rows;
}

const struct rb_cm_row *rb_cm_row(int event, int status)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		const char *name = rows[i].event;

		if (rows[i].status != status)
			continue;
		for (size_t k = 0; k < RB_ARRAY_SIZE(names); k++)
			if (names[k].event == event &&
			    !strcmp(names[k].name, name))
				return &rows[i];
	}
	return NULL;
}
