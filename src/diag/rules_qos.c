/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_qos - rules: PFC, ECN and what leads traffic into their priority
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/addr.h"
#include "diag/doctor.h"
#include "diag/subject.h"
#include "diag/traffic.h"

#define FAST 25000000000
#define PAUSED_SOME 0.01 /* of the time */
#define PAUSED_MUCH 0.10

/* DCB, or the rule has said why not. */
static bool traffic_of(struct rb_subject *s, struct rb_traffic *t)
{
	if (!rb_need(s, RB_NETDEV, "dcb"))
		return false;
	rb_traffic_of(s, t);
	if (t->has_pfc)
		return true;
	if (!rb_unreadable(s, RB_NETDEV, "dcb/pfc"))
		rb_subject_skip(s, "%s tells nothing of PFC", s->netdev);
	return false;
}

static void list_pfc(const struct rb_traffic *t, char text[static 24])
{
	size_t n = 0;

	*text = '\0';
	for (int i = 0; i < RB_PRIORITIES; i++)
		if (t->pfc[i])
			n += (size_t)snprintf(text + n, 24 - n, "%s%d",
					      n ? "," : "", i);
}

static void qos_pfc_none(struct rb_subject *s)
{
	struct rb_traffic t;

	if (!traffic_of(s, &t))
		return;
	if (t.npfc || rb_get_flag(s, RB_NETDEV, "ethtool/pause/rx"))
		rb_subject_pass(s, "there is flow control");
	else if (rb_hidden(s, RB_NETDEV, "ethtool/pause"))
		rb_unreadable(s, RB_NETDEV, "ethtool/pause");
	else if (rb_subject_rate(s) < FAST)
		rb_subject_skip(s, "the link is slow");
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s has neither PFC nor pause: under congestion packets are lost, and ECN or retransmission has to cope",
				s->netdev);
}

static void qos_pfc_many(struct rb_subject *s)
{
	struct rb_traffic t;
	char list[24];

	if (!traffic_of(s, &t))
		return;
	list_pfc(&t, list);
	if (t.npfc > 1)
		rb_subject_fail(s, t.npfc > 2 ? RB_SEVERITY_WARNING : RB_SEVERITY_INFO,
				"PFC is on for %d priorities of %s: %s", t.npfc,
				s->netdev, list);
	else
		rb_subject_pass(s, "PFC for %d priority", t.npfc);
}

static void qos_pfc_peer(struct rb_subject *s)
{
	const json_t *own = rb_need(s, RB_NETDEV, "dcb/pfc/enabled");
	const json_t *its = own ? rb_need(s, RB_NETDEV, "dcb/peer_pfc/enabled") :
				  NULL;
	int differ = -1;

	if (!its)
		return;
	for (size_t i = 0; i < RB_PRIORITIES; i++)
		if (json_is_true(json_array_get(own, i)) !=
		    json_is_true(json_array_get(its, i)))
			differ = (int)i;
	if (differ < 0)
		rb_subject_pass(s, "the switch has the same PFC");
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"PFC of priority %d is %s at %s and %s at the switch (LLDP)",
				differ,
				json_is_true(json_array_get(own, (size_t)differ)) ? "on" : "off",
				s->netdev,
				json_is_true(json_array_get(its, (size_t)differ)) ? "on" : "off");
}

static void qos_globalpause(struct rb_subject *s)
{
	struct rb_traffic t;
	bool rx, tx;

	if (!traffic_of(s, &t) ||
	    !rb_need_flag(s, RB_NETDEV, "ethtool/pause/rx", &rx) ||
	    !rb_need_flag(s, RB_NETDEV, "ethtool/pause/tx", &tx))
		return;
	if ((rx || tx) && t.npfc)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s has both pause (802.3x) and PFC: adapters do one or the other",
				s->netdev);
	else
		rb_subject_pass(s, "pause and PFC are not mixed");
}

/* --- pause ------------------------------------------------------------------ */

/* Counters of time, in microseconds, and what it means that they grow. */
static const struct {
	const char *name;
	bool received;
} paused[] = {
	{ "ethtool.rx_global_pause_duration", true },
	{ "ethtool.tx_global_pause_duration", false },
	{ "ethtool.rx_prio%d_pause_duration", true },
	{ "ethtool.tx_prio%d_pause_duration", false },
	{ "ethtool.pfc_pri%d_rx_duration_us", true },
	{ "ethtool.pfc_pri%d_tx_duration_us", false },
};

struct worst {
	bool there, received;
	double share;
	char name[64];
};

static void weigh(struct rb_subject *s, const char *name, bool received,
		  struct worst *worst)
{
	struct rb_moved moved = rb_counter_of(s, RB_NETDEV, name);
	double share = moved.seconds > 0 ?
			       (double)moved.delta / 1e6 / moved.seconds :
			       0;

	worst->there |= moved.there;
	if (share <= worst->share)
		return;
	worst->share = share;
	worst->received = received;
	snprintf(worst->name, sizeof(worst->name), "%s", name);
}

static void weigh_all(struct rb_subject *s, struct worst *worst)
{
	char name[64];

	for (size_t i = 0; i < RB_ARRAY_SIZE(paused); i++) {
		const char *hole = strstr(paused[i].name, "%d");
		int most = hole ? RB_PRIORITIES : 1;

		for (int priority = 0; priority < most; priority++) {
			if (hole)
				snprintf(name, sizeof(name), "%.*s%d%s",
					 (int)(hole - paused[i].name), paused[i].name,
					 priority, hole + 2);
			else
				snprintf(name, sizeof(name), "%s", paused[i].name);
			weigh(s, name, paused[i].received, worst);
		}
	}
}

static void qos_pause_active(struct rb_subject *s)
{
	struct worst worst = { 0 };

	if (!rb_need(s, RB_NETDEV, "counters"))
		return;
	weigh_all(s, &worst);
	if (!worst.there)
		rb_subject_skip(s, "the driver counts no time of pause");
	else if (worst.share < PAUSED_SOME)
		rb_subject_pass(s, "%s was not paused while it was watched",
				s->netdev);
	else
		rb_subject_fail(s, worst.share > PAUSED_MUCH ? RB_SEVERITY_ERROR :
							       RB_SEVERITY_WARNING,
				"%s was paused %.3g%% of the time (%s): %s", s->netdev,
				100 * worst.share, worst.name,
				worst.received ? "the switch or the peer throttles this end" :
						 "this end is slow to take what comes in");
}

/* --- from the class to the priority ------------------------------------------ */

static void qos_trust(struct rb_subject *s)
{
	struct rb_traffic t;
	struct rb_gid_fact gid;

	if (!traffic_of(s, &t))
		return;
	if (!t.npfc || (t.npfc == 1 && t.pfc[0]))
		rb_subject_skip(s, "no priority but 0 has PFC");
	else if (*t.trust == 'd')
		rb_subject_pass(s, "%s trusts DSCP", s->netdev);
	else if (rb_gid_used(s, &gid) && gid.netdev &&
		 rb_at(rb_at(rb_at(s->doc, "netdevs"), gid.netdev), "vlan_id"))
		rb_subject_pass(s, "%s trusts PCP, and the traffic has a VLAN", s->netdev);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s trusts PCP, and traffic without a VLAN has none: all of it is of priority 0",
				s->netdev);
}

/* The driver has no DCB at all. */
static bool has_no_dcb(struct rb_subject *s)
{
	return s->netdev && !rb_get(s, RB_NETDEV, "dcb") &&
	       rb_unsupported(s, RB_NETDEV, "dcb");
}

/* Where the class leads; @told: somebody chose it. */
static void judge_map(struct rb_subject *s, const struct rb_traffic *t)
{
	char list[24];

	if (t->npfc && rb_unreadable(s, RB_NETDEV, "dcb/app"))
		return;
	list_pfc(t, list);
	if (t->pfc[t->priority] || !t->npfc)
		rb_subject_pass(s, "traffic class %d (%s) is DSCP %d, priority %d%s",
				t->tos, t->source, t->dscp, t->priority,
				t->npfc ? ", which has PFC" : "; no priority has PFC");
	else
		rb_subject_fail(s, t->told ? RB_SEVERITY_WARNING : RB_SEVERITY_INFO,
				"traffic class %d (%s) is DSCP %d and lands in priority %d of %s, which has no PFC; priority %s has%s",
				t->tos, t->source, t->dscp, t->priority, s->netdev, list,
				t->told ? "" : ": programs that set no class get the lossy one");
}

static void qos_map(struct rb_subject *s)
{
	struct rb_traffic t;

	rb_traffic_of(s, &t);
	if (s->asked->tos > 0 && has_no_dcb(s)) {
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"traffic class %d (%s): %s has no DCB, so nothing maps DSCP %d to a priority of its own",
				t.tos, t.source, s->netdev, t.dscp);
		return;
	}
	if (traffic_of(s, &t))
		judge_map(s, &t);
}

static void cm_tos(struct rb_subject *s)
{
	struct rb_traffic t;
	int64_t tos;

	if (!rb_need_int(s, RB_PORT, "cm/default_roce_tos", &tos))
		return;
	if (tos <= 0 || tos > 255) {
		rb_subject_skip(s, "rdma_cm sets no type of service");
		return;
	}
	if (has_no_dcb(s)) {
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"rdma_cm's default type of service is %" PRId64 ", and %s has no DCB that would map it",
				tos, s->netdev);
		return;
	}
	if (!traffic_of(s, &t))
		return;
	if (t.tos == tos)
		judge_map(s, &t);
	else
		rb_subject_skip(s, "another class is in use: %s", t.source);
}

static void qos_buffer(struct rb_subject *s)
{
	const json_t *map = rb_need(s, RB_NETDEV, "dcb/buffer/priority_buffer");
	const json_t *sizes = rb_get(s, RB_NETDEV, "dcb/buffer/size_bytes");
	struct rb_traffic t;

	if (!map || !traffic_of(s, &t))
		return;
	for (size_t i = 0; i < RB_PRIORITIES; i++) {
		json_int_t buffer = json_integer_value(json_array_get(map, i));

		if (!t.pfc[i])
			continue;
		if (!buffer && t.npfc < RB_PRIORITIES)
			rb_subject_fail(s, RB_SEVERITY_WARNING,
					"priority %zu of %s has PFC and shares buffer 0 with the lossy ones",
					i, s->netdev);
		else if (sizes && buffer >= 0 &&
			 !json_integer_value(json_array_get(sizes, (size_t)buffer)))
			rb_subject_fail(s, RB_SEVERITY_WARNING,
					"priority %zu of %s has PFC, and its buffer %" JSON_INTEGER_FORMAT " has no room",
					i, s->netdev, buffer);
	}
	if (!s->said)
		rb_subject_pass(s, "lossless priorities have buffers of their own");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO
#define HARD_ROCE (RB_ON_ROCE | RB_ON_HARDWARE | RB_ON_ACTIVE)

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "QOS-GLOBALPAUSE", .scope = RB_SCOPE_PORT, .severity = E, .test = qos_globalpause, .on = HARD_ROCE,
	  .title = "pause and PFC at once", .reads = "/netdevs/*/ethtool/pause /netdevs/*/dcb",
	  .why = "Global pause (802.3x) and PFC exclude each other; what the adapter makes of both is not what either asks for.",
	  .fix = "ethtool -A {netdev} autoneg off rx off tx off",
	  .evidence = "mlx5 documentation" },
	{ .id = "QOS-PFC-PEER", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_pfc_peer, .on = HARD_ROCE,
	  .title = "this end and the switch differ in PFC", .reads = "/netdevs/*/dcb",
	  .why = "Lossless in one direction only: the side that does not honour PFC drops.",
	  .fix = "set the same at the switch port; or dcb pfc set dev {netdev} prio-pfc 3:on; with firmware DCBX: dcb dcbx show dev {netdev}",
	  .evidence = "IEEE 802.1Qbb" },
	{ .id = "QOS-TRUST", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_trust, .on = HARD_ROCE,
	  .title = "DSCP is not trusted", .reads = "/netdevs/*/dcb",
	  .why = "RoCE v2 without a VLAN has DSCP and no PCP. An interface that trusts PCP puts all of it into priority 0.",
	  .fix = "dcb apptrust set dev {netdev} order dscp; or mlnx_qos -i {netdev} --trust dscp",
	  .evidence = "bytedance/byteps#179" },
	{ .id = "QOS-MAP", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_map, .on = RB_ON_ROCE | RB_ON_ACTIVE,
	  .title = "the traffic lands in a lossy priority", .reads = "/netdevs/*/dcb /netdevs/*/dcb/app",
	  .why = "The upper six bits of type of service or traffic class are the DSCP, the interface's APP table makes a priority of it (default: its upper three bits), and PFC is by priority: traffic class 106 is DSCP 26, priority 3.",
	  .fix = "set the class in the program: rbench --tclass 106, NCCL_IB_TC=106, UCX_IB_TRAFFIC_CLASS=106, rdma_cm: cma_roce_tos -d {device} -t 106; or dcb app add dev {netdev} dscp-prio DSCP:3",
	  .evidence = "openucx/ucx#2434, bytedance/byteps#179" },
	{ .id = "CM-TOS", .scope = RB_SCOPE_PORT, .severity = W, .test = cm_tos, .on = RB_ON_ROCE | RB_ON_ACTIVE,
	  .title = "rdma_cm's type of service leads to a lossy priority", .reads = "/devices/*/ports/*/cm /netdevs/*/dcb /netdevs/*/dcb/app",
	  .why = "What connects by rdma_cm gets the default of configfs, and that DSCP is not mapped to a priority with PFC.",
	  .fix = "cma_roce_tos -d {device} -t 106; or dcb app add dev {netdev} dscp-prio DSCP:3",
	  .evidence = "openucx/ucx#2434" },
	{ .id = "QOS-BUFFER", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_buffer, .on = HARD_ROCE,
	  .title = "a lossless priority without a buffer of its own", .reads = "/netdevs/*/dcb",
	  .why = "Before the switch hears the pause, what is under way must find room. In a buffer shared with lossy traffic it does not.",
	  .fix = "dcb buffer set dev {netdev} prio-buffer 3:1 buffer-size 0:130K 1:130K; or mlnx_qos -i {netdev} --prio2buffer 0,0,0,1,0,0,0,0",
	  .evidence = "mlx5 documentation" },
	{ .id = "QOS-PAUSE-ACTIVE", .scope = RB_SCOPE_PORT, .severity = E, .test = qos_pause_active, .on = HARD_ROCE,
	  .title = "the port is paused", .reads = "/netdevs/*/counters",
	  .why = "A paused sender looks like a slow one: nothing is lost, and the bandwidth is missing. Received pauses come from switch or peer; sent ones say that this host is slow (PCIe, memory, an application that does not post receives).",
	  .fix = "look at the receiver: rbench doctor there; ethtool -S {netdev} | grep pause",
	  .evidence = "NVIDIA/daqiri#250" },
	{ .id = "QOS-PFC-MANY", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_pfc_many, .on = HARD_ROCE,
	  .title = "PFC for several priorities", .reads = "/netdevs/*/dcb",
	  .why = "Each lossless priority needs a buffer of its own: they become small, and deadlocks become possible.",
	  .fix = "dcb pfc set dev {netdev} prio-pfc all:off 3:on",
	  .evidence = "common operational practice" },
	{ .id = "QOS-PFC-NONE", .scope = RB_SCOPE_PORT, .severity = I, .test = qos_pfc_none, .on = HARD_ROCE,
	  .title = "no flow control", .reads = "/netdevs/*/dcb /netdevs/*/ethtool/pause",
	  .why = "A lossy network is a choice that some make, with ECN and the adapter's adaptive retransmission. Look at the counters of loss first.",
	  .fix = "dcb pfc set dev {netdev} prio-pfc 3:on; mlnx_qos -i {netdev} --pfc 0,0,0,1,0,0,0,0; and the same on the switches",
	  .evidence = "common operational practice" },
};
/* clang-format on */

const struct rb_rules rb_rules_qos = { "PFC and priorities", rows,
				       RB_ARRAY_SIZE(rows) };
