/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_net - rules: IP below RoCE, iWARP and rdma_cm
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/addr.h"
#include "diag/subject.h"

#define ROCE_UDP 4791
#define RBENCH_TCP 18515
#define RAILS_MOST 64
#define TABLE_FULL 0.8

/* An interface below an RDMA port. */
struct rail {
	const char *name;
	const json_t *netdev;
	unsigned int kind;
};

struct rails {
	size_t n;
	struct rail v[RAILS_MOST];
};

static void add_rail(struct rb_subject *one, void *arg)
{
	struct rails *rails = arg;

	if (!one->netdevv || rails->n == RAILS_MOST ||
	    !(one->kind & RB_ON_ETHERNET) ||
	    strcmp(rb_text_at(one->netdevv, "state"), "up"))
		return;
	for (size_t i = 0; i < rails->n; i++)
		if (!strcmp(rails->v[i].name, one->netdev))
			return;
	rails->v[rails->n++] = (struct rail){ one->netdev, one->netdevv,
					      one->kind };
}

/*
 * The sysctl @name of @netdev, of which the kernel takes the higher of its own
 * and that of all; -1 when one of both is not known.
 */
static int64_t sysctl_of(const struct rb_subject *s, const json_t *netdev,
			 const char *name)
{
	char all[64], own[64];
	int64_t a, b;

	snprintf(all, sizeof(all), "net.ipv4.conf.all.%s", name);
	snprintf(own, sizeof(own), "ipv4.%s", name);
	a = rb_int_at(json_object_get(s->doc, "sysctl"), all, -1);
	b = rb_int_at(json_object_get(netdev, "sysctl"), own, -1);
	if (a < 0 || b < 0)
		return -1;
	return a > b ? a : b;
}

/* --- several NICs in one subnet --------------------------------------------- */

static bool meet(const json_t *a, const json_t *b, struct rb_addr *first,
		 struct rb_addr *second)
{
	const json_t *x, *y;
	size_t i, k;

	json_array_foreach(json_object_get(a, "addresses"), i, x) {
		int64_t bits = rb_int_at(x, "prefix_length", 0);

		if (!rb_addr_parse(rb_text_at(x, "address"), first) ||
		    first->len != 4 || bits <= 0 || bits >= 32)
			continue;
		json_array_foreach(json_object_get(b, "addresses"), k, y)
			if (rb_addr_parse(rb_text_at(y, "address"), second) &&
			    rb_addr_near(first, second, (unsigned int)bits))
				return true;
	}
	return false;
}

/* Whether a rule sends by source: what has this address goes its own way. */
static bool has_rule(const struct rb_subject *s, const struct rb_addr *addr)
{
	char text[RB_ADDR_TEXT], want[RB_ADDR_TEXT + 4];
	const json_t *rule;
	size_t i;

	snprintf(want, sizeof(want), "%s/32", rb_addr_text(addr, text));
	json_array_foreach(json_object_get(s->doc, "rules"), i, rule)
		if (!strcmp(rb_text_at(rule, "from"), want))
			return true;
	return false;
}

static void judge_two(struct rb_subject *s, const struct rail *a,
		      const struct rail *b, const struct rb_addr *x,
		      const struct rb_addr *y)
{
	int64_t ia = sysctl_of(s, a->netdev, "arp_ignore");
	int64_t ib = sysctl_of(s, b->netdev, "arp_ignore");
	int64_t announce = sysctl_of(s, a->netdev, "arp_announce");
	bool rules = has_rule(s, x) && has_rule(s, y);

	if (ia < 0 || ib < 0)
		rb_subject_unknown(s, "%s and %s share a subnet, arp_ignore is not known",
				   a->name, b->name);
	else if (!ia || !ib)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s and %s are in one subnet and arp_ignore is 0: each answers for the other's address",
				a->name, b->name);
	else if (!rules)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s and %s are in one subnet, and no rule sends by source: replies may leave by the other one",
				a->name, b->name);
	else if (announce < 2)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s and %s are in one subnet, with rules by source and arp_ignore; arp_announce is %" PRId64 " (2 is safe)",
				a->name, b->name, announce);
	else
		rb_subject_pass(s, "%s and %s share a subnet, with rules by source and ARP set for it",
				a->name, b->name);
}

static void net_samesubnet(struct rb_subject *s)
{
	struct rails rails = { 0 };
	struct rb_addr x, y;

	if (rb_unreadable(s, RB_HOST, "netdevs"))
		return;
	rb_subject_each(s, RB_SCOPE_PORT, add_rail, &rails);
	for (size_t i = 0; i < rails.n; i++) {
		if (!json_object_get(rails.v[i].netdev, "addresses")) {
			rb_subject_netdev(s, rails.v[i].name);
			if (rb_unreadable(s, RB_NETDEV, "addresses"))
				return;
		}
		for (size_t k = i + 1; k < rails.n; k++)
			if (meet(rails.v[i].netdev, rails.v[k].netdev, &x, &y)) {
				judge_two(s, &rails.v[i], &rails.v[k], &x, &y);
				return;
			}
	}
	if (rails.n)
		rb_subject_pass(s, "no two of %zu RDMA interfaces share a subnet",
				rails.n);
	else
		rb_subject_skip(s, "no RDMA interface is up");
}

static void net_rpfilter(struct rb_subject *s)
{
	struct rails rails = { 0 };
	bool known = true;

	rb_subject_each(s, RB_SCOPE_PORT, add_rail, &rails);
	if (rails.n < 2) {
		rb_subject_skip(s, "there are no two RDMA interfaces");
		return;
	}
	for (size_t i = 0; i < rails.n; i++) {
		int64_t filter = sysctl_of(s, rails.v[i].netdev, "rp_filter");

		known &= filter >= 0;
		if (filter != 1)
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"rp_filter of %s is 1 (strict), and this host has %zu RDMA interfaces: what comes in by another than the route's is dropped",
				rails.v[i].name, rails.n);
		return;
	}
	if (known)
		rb_subject_pass(s, "no strict filter");
	else
		rb_subject_unknown(s, "rp_filter is not known of all interfaces");
}

/* --- neighbours and routes -------------------------------------------------- */

static void net_arp(struct rb_subject *s)
{
	const json_t *list = rb_need(s, RB_HOST, "neighbours"), *one;
	size_t i, n = 0;
	const char *first = "";

	if (!list)
		return;
	json_array_foreach(list, i, one) {
		const char *state = rb_text_at(one, "state");

		if (!s->netdev || strcmp(rb_text_at(one, "netdev"), s->netdev) ||
		    (strcmp(state, "failed") && strcmp(state, "incomplete")))
			continue;
		first = n++ ? first : rb_text_at(one, "address");
	}
	if (n)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%zu neighbour%s on %s did not answer, first %s",
				n, n == 1 ? "" : "s", s->netdev, first);
	else
		rb_subject_pass(s, "no neighbour failed to answer");
}

static void net_gc(struct rb_subject *s)
{
	static const char *const families[] = { "ipv4", "ipv6" };
	char count[64], most[64];
	bool decided = false;

	if (rb_unreadable(s, RB_HOST, "neighbour_count") ||
	    rb_unreadable(s, RB_HOST, "sysctl"))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(families); i++) {
		int64_t n, room;

		snprintf(count, sizeof(count), "neighbour_count/%s", families[i]);
		snprintf(most, sizeof(most), "sysctl/net.%s.neigh.default.gc_thresh3",
			 families[i]);
		n = rb_get_int(s, RB_HOST, count, -1);
		room = rb_get_int(s, RB_HOST, most, -1);
		decided |= n >= 0 && room > 0;
		if (room <= 0 || (double)n <= TABLE_FULL * (double)room)
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the %s neighbour table has %" PRId64 " of %" PRId64 " entries (gc_thresh3)",
				families[i], n, room);
		return;
	}
	if (decided)
		rb_subject_pass(s, "the neighbour table has room");
	else
		rb_subject_skip(s, "sizes of the neighbour table are not there");
}

/* The other half of the address's own subnet. */
static struct rb_addr elsewhere(const struct rb_addr *own, unsigned int bits)
{
	struct rb_addr addr = *own;

	addr.b[bits / 8] ^= (uint8_t)(0x80u >> bits % 8);
	return addr;
}

static void net_route(struct rb_subject *s)
{
	const json_t *addresses, *entry;
	size_t i, n = 0;

	if (!s->netdevv) {
		rb_subject_skip(s, "the port's interface is not here");
		return;
	}
	if (rb_unreadable(s, RB_NETDEV, "addresses") ||
	    !rb_need(s, RB_HOST, "routes") || rb_unreadable(s, RB_HOST, "rules"))
		return;
	addresses = json_object_get(s->netdevv, "addresses");
	json_array_foreach(addresses, i, entry) {
		int64_t bits = rb_int_at(entry, "prefix_length", 0);
		struct rb_addr own, other;

		if (!rb_addr_parse(rb_text_at(entry, "address"), &own) ||
		    rb_addr_link_local(&own) || bits <= 0 ||
		    bits >= (int64_t)own.len * 8 - 1)
			continue;
		n++;
		other = elsewhere(&own, (unsigned int)bits);
		if (rb_road_find(s->doc, &own, &other, s->netdev).found)
			continue;
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"there is no route to the subnet of %s (/%" PRId64 ") by %s",
				rb_text_at(entry, "address"), bits, s->netdev);
		return;
	}
	if (n)
		rb_subject_pass(s, "each subnet of %s has its route", s->netdev);
	else
		rb_subject_skip(s, "%s has no address with a subnet", s->netdev);
}

/* --- what is between the interface and the program -------------------------- */

struct soft {
	bool roce, any;
};

static void find_soft(struct rb_subject *one, void *arg)
{
	struct soft *soft = arg;

	soft->any = true;
	soft->roce |= one->kind & RB_ON_SOFTWARE && one->kind & RB_ON_ROCE;
}

/* How bad a rule of the firewall is for us; -1: not at all. */
static int judge_drop(const json_t *drop, bool soft_roce)
{
	bool udp = !strcmp(rb_text_at(drop, "protocol"), "udp");
	int64_t port = rb_int_at(drop, "port", -1);
	int severity = -1;

	if (!strcmp(rb_text_at(drop, "hook"), "forward"))
		return -1;
	if (json_is_true(json_object_get(drop, "policy")))
		return RB_SEVERITY_INFO;
	if (udp && port == ROCE_UDP)
		severity = soft_roce ? RB_SEVERITY_ERROR : RB_SEVERITY_INFO;
	else if (!udp && port == RBENCH_TCP)
		severity = RB_SEVERITY_WARNING;
	if (severity > 0 && json_object_get(drop, "narrowed"))
		severity--;
	return severity;
}

static void say_drop(struct rb_subject *s, const json_t *drop, int severity)
{
	const char *narrowed =
		json_object_get(drop, "narrowed") ? " (of some packets)" : "";

	if (json_is_true(json_object_get(drop, "policy")))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"the policy of table %s, chain %s (%s) is to %s: what no rule lets through does not come in",
				rb_text_at(drop, "table"), rb_text_at(drop, "chain"),
				rb_text_at(drop, "hook"), rb_text_at(drop, "verdict"));
	else
		rb_subject_fail(s, (enum rb_severity)severity,
				"table %s, chain %s (%s): %s %s port %" PRId64 "%s%s",
				rb_text_at(drop, "table"), rb_text_at(drop, "chain"),
				rb_text_at(drop, "hook"), rb_text_at(drop, "verdict"),
				rb_text_at(drop, "protocol"), rb_int_at(drop, "port", -1),
				narrowed,
				rb_int_at(drop, "port", -1) == ROCE_UDP ?
					": that is RoCE" : ": that is rbench's side channel");
}

static void net_fw(struct rb_subject *s)
{
	const json_t *drops = rb_need(s, RB_HOST, "firewall/drops"), *drop;
	struct soft soft = { 0 };
	size_t i, n = 0;

	if (!drops)
		return;
	rb_subject_each(s, RB_SCOPE_DEVICE, find_soft, &soft);
	json_array_foreach(drops, i, drop) {
		int severity = judge_drop(drop, soft.roce);

		if (severity < 0)
			continue;
		n++;
		say_drop(s, drop, severity);
	}
	if (!n && !rb_unreadable(s, RB_HOST, "firewall"))
		rb_subject_pass(s, "no rule of nftables drops RoCE or rbench's side channel");
}

static void net_qdisc(struct rb_subject *s)
{
	const json_t *list = rb_need(s, RB_NETDEV, "qdiscs"), *qdisc;
	bool soft = s->kind & RB_ON_SOFTWARE;
	size_t i;

	if (!list)
		return;
	json_array_foreach(list, i, qdisc) {
		double loss = json_number_value(
			json_object_get(qdisc, "loss_percent"));
		int64_t delay = rb_int_at(qdisc, "delay_us", 0);

		if (loss <= 0 && delay <= 0)
			continue;
		rb_subject_fail(s, soft ? RB_SEVERITY_WARNING : RB_SEVERITY_INFO,
				"%s has a %s that %s %.3g%s of the packets", s->netdev,
				rb_text_at(qdisc, "kind"), loss > 0 ? "drops" : "delays",
				loss > 0 ? loss : (double)delay,
				loss > 0 ? "%" : " us, all");
		return;
	}
	rb_subject_pass(s, "%s neither drops nor delays", s->netdev);
}

/* --- rdma_cm ---------------------------------------------------------------- */

static const char *const retries[] = {
	"cm_tx_retries.req", "cm_tx_retries.rep", "cm_tx_retries.mra",
	"cm_tx_retries.dreq", "cm_tx_retries.sidr_req", "cm_tx_retries.lap",
};

static void cm_retries(struct rb_subject *s)
{
	bool there = false;

	if (!rb_need(s, RB_PORT, "counters"))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(retries); i++) {
		struct rb_moved moved = rb_counter_of(s, RB_PORT, retries[i]);

		there |= moved.there;
		if (!moved.delta)
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"rdma_cm sent messages again on %s/%s: %s grew by %" PRId64 " in %.3g s",
				s->device, s->port, retries[i], moved.delta, moved.seconds);
		return;
	}
	if (there)
		rb_subject_pass(s, "rdma_cm sent nothing twice");
	else
		rb_subject_skip(s, "the kernel does not count that here");
}

static void iwpm(struct rb_subject *s)
{
	bool runs;

	if (!rb_need_flag(s, RB_HOST, "services/iwpmd", &runs))
		return;
	if (runs)
		rb_subject_pass(s, "iwpmd runs");
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s is iWARP, and the port mapper (iwpmd) does not run",
				s->device);
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "NET-SAMESUBNET", .scope = RB_SCOPE_HOST, .severity = E, .test = net_samesubnet,
	  .title = "several RDMA interfaces in one subnet", .reads = "/netdevs/*/addresses /netdevs/*/sysctl /sysctl /rules",
	  .why = "Linux answers ARP for any of its addresses on any interface (ARP flux), and chooses one route for all: traffic and replies use the wrong port. One NIC carries everything, or the move to RTR and the first packet time out (status 12).",
	  .fix = "a subnet for each; or sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2, and a rule and table by source for each address",
	  .evidence = "openucx/ucx#5598, NVIDIA/nccl#1269, ROCm/rccl#1303" },
	{ .id = "NET-RPFILTER", .scope = RB_SCOPE_HOST, .severity = W, .test = net_rpfilter,
	  .title = "strict reverse path filter with several NICs", .reads = "/netdevs/*/sysctl /sysctl",
	  .why = "With rp_filter 1 the kernel drops what comes in by another interface than the one that it would answer by: ARP, rdma_cm's and iWARP's packets, everything of soft-RoCE.",
	  .fix = "sysctl -w net.ipv4.conf.all.rp_filter=2 and the same for the interface",
	  .evidence = "openucx/ucx pull 9839" },
	{ .id = "NET-ARP", .scope = RB_SCOPE_PORT, .severity = I, .test = net_arp, .on = RB_ON_ETHERNET,
	  .title = "neighbours that do not answer", .reads = "/neighbours",
	  .why = "The kernel asked for the address of a neighbour and got no answer. If it was the peer, the move to RTR ends with ETIMEDOUT after a second: VLAN, cable, switch, or a host that is off.",
	  .fix = "ping -I {netdev} PEER; ip neigh show dev {netdev}",
	  .evidence = "NVIDIA/nccl#769, sgl-project/sglang#6548; kernel: rdma_addr" },
	{ .id = "NET-GC", .scope = RB_SCOPE_HOST, .severity = W, .test = net_gc,
	  .title = "the neighbour table is nearly full", .reads = "/neighbour_count /sysctl",
	  .why = "Beyond gc_thresh3 new neighbours are refused: on a large fabric some peers cannot be reached, and not always the same.",
	  .fix = "sysctl -w net.ipv4.neigh.default.gc_thresh3=16384 (and gc_thresh2; ipv6 as well)",
	  .evidence = "common operational practice" },
	{ .id = "NET-ROUTE", .scope = RB_SCOPE_PORT, .severity = E, .test = net_route, .on = RB_ON_ETHERNET,
	  .title = "a subnet without its route", .reads = "/netdevs/*/addresses /routes /rules",
	  .why = "The interface has the address and no route to its subnet: the move to RTR and rdma_cm fail with ENETUNREACH, or packets take another interface's way.",
	  .fix = "ip route add SUBNET dev {netdev} (or set the address again)",
	  .evidence = "NVIDIA/nccl-tests#185" },
	{ .id = "NET-FW", .scope = RB_SCOPE_HOST, .severity = E, .test = net_fw,
	  .title = "the firewall drops what is needed", .reads = "/firewall /firewall/drops",
	  .why = "Soft-RoCE's packets (UDP port 4791) pass the host's firewall as any others. Hardware's do not, but the switch or the cloud may have a rule of its own. rbench's side channel is TCP, port 18515.",
	  .fix = "nft insert rule inet filter input udp dport 4791 accept; the same for tcp dport 18515",
	  .evidence = "ofiwg/libfabric#9694" },
	{ .id = "NET-QDISC", .scope = RB_SCOPE_PORT, .severity = W, .test = net_qdisc, .on = RB_ON_ETHERNET,
	  .title = "packets are dropped or delayed on purpose", .reads = "/netdevs/*/qdiscs",
	  .why = "A netem queueing discipline is left over from a test. It is in the way of soft-RoCE and iWARP; RoCE of hardware passes it by.",
	  .fix = "tc qdisc del dev {netdev} root",
	  .evidence = "tc-netem(8)" },
	{ .id = "CM-RETRIES", .scope = RB_SCOPE_PORT, .severity = W, .test = cm_retries,
	  .title = "rdma_cm sends messages again", .reads = "/devices/*/ports/*/counters",
	  .why = "Messages of the connection manager were lost, or the peer is slow to answer.",
	  .fix = "rbench watch -d {device}; look for loss: rbench doctor --interval 10s",
	  .evidence = "kernel: drivers/infiniband/core/cm.c" },
	{ .id = "IWPM", .scope = RB_SCOPE_DEVICE, .severity = W, .test = iwpm, .on = RB_ON_IWARP,
	  .title = "no iWARP port mapper", .reads = "/services/iwpmd",
	  .why = "Without it iWARP's TCP ports and the kernel's own may collide: connections are refused or go astray.",
	  .fix = "systemctl enable --now iwpmd",
	  .evidence = "rdma-core: iwpmd(8)" },
};
/* clang-format on */

const struct rb_rules rb_rules_net = { "IP", rows, RB_ARRAY_SIZE(rows) };
