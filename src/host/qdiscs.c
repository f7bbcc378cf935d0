/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * qdiscs - queueing disciplines, netem's losses among them
 *
 * Recorded answer: nl/qdisc.bin (RTM_GETQDISC).
 */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "host/facts.h"
#include "host/nlask.h"
#include "host/snap.h"

#define PERCENT 100.0
#define QDISCS_MOST 64 /* of one netdev; multi-queue ones have one a queue */

static void put_netem(json_t *to, struct nlattr *options)
{
	const struct tc_netem_qopt *netem = rb_nl_data(options, sizeof(*netem));
	/* 64 ns a tick: PSCHED_TICKS2NS, with PSCHED_SHIFT 6 */
	const unsigned int ns_per_tick = 64;

	if (!netem)
		return;
	rb_fact_value(to, "loss_percent",
		      json_real(PERCENT * netem->loss / UINT32_MAX));
	rb_fact_number(to, "delay_us",
		       (uint64_t)netem->latency * ns_per_tick / RB_NS_PER_US);
}

static void put_drops(json_t *to, struct nlattr *stats)
{
	struct nlattr *attrs[TCA_STATS_MAX + 1];
	const struct gnet_stats_queue *queue;

	if (!stats || nla_parse_nested(attrs, TCA_STATS_MAX, stats, NULL))
		return;
	queue = rb_nl_data(attrs[TCA_STATS_QUEUE], sizeof(*queue));
	if (queue)
		rb_fact_number(to, "drops", queue->drops);
}

static void take_qdisc(const struct nlmsghdr *msg, void *arg)
{
	const struct rb_place *netdevs = arg;
	struct nlattr *attrs[TCA_MAX + 1];
	const struct tcmsg *head;
	json_t *netdev, *list, *to;
	const char *name, *kind;

	if (msg->nlmsg_type != RTM_NEWQDISC ||
	    nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg, sizeof(*head), attrs,
			TCA_MAX, NULL) < 0)
		return;
	head = NLMSG_DATA(msg);
	name = rb_snap_netdev_name(netdevs->object,
				   (unsigned int)head->tcm_ifindex);
	kind = rb_nl_text(attrs[TCA_KIND]);
	if (!name || !*kind)
		return;
	netdev = json_object_get(netdevs->object, name);
	list = json_object_get(netdev, "qdiscs");
	if (!list)
		json_object_set_new(netdev, "qdiscs", list = json_array());
	if (json_array_size(list) >= QDISCS_MOST)
		return;
	to = json_pack("{s:s, s:b}", "kind", kind, "root",
		       head->tcm_parent == TC_H_ROOT);
	if (!strcmp(kind, "netem"))
		put_netem(to, attrs[TCA_OPTIONS]);
	put_drops(to, attrs[TCA_STATS2]);
	json_array_append_new(list, to);
}

void rb_snap_qdiscs(const struct rb_place *doc)
{
	const struct tcmsg head = { .tcm_family = AF_UNSPEC };
	struct rb_place netdevs = rb_place_enter(doc, "netdevs");
	struct rb_nl_ask ask = { .name = "qdisc",
				 .protocol = NETLINK_ROUTE,
				 .type = RTM_GETQDISC,
				 .flags = NLM_F_DUMP };

	rb_nl_add(&ask, &head, sizeof(head));
	rb_place_failed(&netdevs, "", "netlink RTM_GETQDISC",
			rb_nl_ask(&ask, take_qdisc, &netdevs));
}
