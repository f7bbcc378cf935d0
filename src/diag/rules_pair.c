/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_pair - rules: a port and the one of the other host that it talks to
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/units.h"
#include "diag/addr.h"
#include "diag/subject.h"
#include "diag/traffic.h"

/* Both ends' value of a fact that the rule needs. */
static bool need_both(struct rb_subject *s, enum rb_base base, const char *path,
		      const json_t **mine, const json_t **its)
{
	*mine = rb_need(s, base, path);
	if (!*mine)
		return false;
	*its = rb_get(s->peer, base, path);
	if (*its)
		return true;
	if (rb_hidden(s->peer, base, path))
		rb_subject_unknown(s, "the other end could not read '%s'", path);
	else
		rb_subject_skip(s, "the other end has no '%s'", path);
	return false;
}

static bool need_both_ints(struct rb_subject *s, enum rb_base base,
			   const char *path, int64_t *mine, int64_t *its)
{
	const json_t *a, *b;

	if (!need_both(s, base, path, &a, &b))
		return false;
	*mine = json_integer_value(a);
	*its = json_integer_value(b);
	if (json_is_integer(a) && json_is_integer(b))
		return true;
	rb_subject_unknown(s, "'%s' is no number", path);
	return false;
}

/* --- links ------------------------------------------------------------------ */

static void port_ll(struct rb_subject *s)
{
	const json_t *a, *b;

	if (!need_both(s, RB_PORT, "link_layer", &a, &b))
		return;
	if (json_equal(a, b))
		rb_subject_pass(s, "both are %s", rb_text_at(a, ""));
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s/%s is %s, %s/%s of the other host is %s: they cannot talk",
				s->device, s->port, rb_text_at(a, ""), s->peer->device,
				s->peer->port, rb_text_at(b, ""));
}

static void port_pair_speed(struct rb_subject *s)
{
	int64_t a = rb_subject_rate(s), b = rb_subject_rate(s->peer);
	char mine[RB_TEXT_SIZE], its[RB_TEXT_SIZE];

	if (a <= 0 || b <= 0) {
		if (!rb_unreadable(s, RB_PORT, "bits_per_s"))
			rb_subject_unknown(s, "the rate is not told at both ends");
		return;
	}
	rb_format_rate((double)a, mine);
	rb_format_rate((double)b, its);
	if (a == b)
		rb_subject_pass(s, "both run at %s", mine);
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s/%s runs at %s, the other end at %s: the faster one is paused or loses packets",
				s->device, s->port, mine, its);
}

static void port_fec_pair(struct rb_subject *s)
{
	const json_t *a, *b;

	if (!need_both(s, RB_NETDEV, "ethtool/fec/active", &a, &b))
		return;
	if (json_equal(a, b))
		rb_subject_pass(s, "both have FEC %s", rb_text_at(a, ""));
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"FEC is %s at %s and %s at the other end (of one kind on each link, at least)",
				rb_text_at(a, ""), s->netdev, rb_text_at(b, ""));
}

static void mtu_peer(struct rb_subject *s)
{
	int64_t a, b;

	if (!need_both_ints(s, RB_PORT, "mtu", &a, &b))
		return;
	if (a == b)
		rb_subject_pass(s, "both have an active MTU of %" PRId64, a);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the active MTU is %" PRId64 " at %s/%s and %" PRId64 " at %s/%s of the other host",
				a, s->device, s->port, b, s->peer->device, s->peer->port);
}

/* --- settings --------------------------------------------------------------- */

static void cm_rocemode(struct rb_subject *s)
{
	const json_t *a, *b;

	if (!need_both(s, RB_PORT, "cm/default_roce_mode", &a, &b))
		return;
	if (json_equal(a, b))
		rb_subject_pass(s, "both use %s", rb_text_at(a, ""));
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"rdma_cm uses %s here and %s at the other end",
				rb_text_at(a, ""), rb_text_at(b, ""));
}

static void qos_pfc_pair(struct rb_subject *s)
{
	struct rb_traffic mine, its;
	const json_t *a, *b;

	if (!need_both(s, RB_NETDEV, "dcb/pfc/enabled", &a, &b))
		return;
	rb_traffic_of(s, &mine);
	rb_traffic_of(s->peer, &its);
	if (!json_equal(a, b))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"PFC is not on for the same priorities of %s and of the other end's %s",
				s->netdev, s->peer->netdev ? s->peer->netdev : "interface");
	else if (mine.priority != its.priority)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"traffic class %d is of priority %d here and class %d of priority %d at the other end",
				mine.tos, mine.priority, its.tos, its.priority);
	else
		rb_subject_pass(s, "PFC and the way to priority %d are alike", mine.priority);
}

static void qos_ecn_pair(struct rb_subject *s)
{
	const json_t *a, *b;

	if (!need_both(s, RB_NETDEV, "ecn", &a, &b))
		return;
	if (json_equal(a, b))
		rb_subject_pass(s, "ECN is alike");
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"ECN is not on for the same priorities of both ends");
}

/* --- InfiniBand ------------------------------------------------------------- */

static bool agree(unsigned long a, unsigned long b)
{
	return !((a ^ b) & 0x7fff) && (a | b) & 0x8000 && a & 0x7fff;
}

static void ib_pkey(struct rb_subject *s)
{
	const json_t *mine, *its, *x, *y;
	size_t i, k;

	if (!need_both(s, RB_PORT, "pkeys", &mine, &its))
		return;
	json_array_foreach(mine, i, x)
		json_array_foreach(its, k, y) {
			unsigned long a = strtoul(rb_text_at(x, "pkey"), NULL, 16);
			unsigned long b = strtoul(rb_text_at(y, "pkey"), NULL, 16);
			int64_t ia = rb_int_at(x, "index", 0);
			int64_t ib = rb_int_at(y, "index", 0);

			if (!agree(a, b))
				continue;
			if (!ia && !ib)
				rb_subject_pass(s, "index 0 of both is of one partition");
			else
				rb_subject_fail(s, RB_SEVERITY_WARNING,
						"the ends share a partition at index %" PRId64 " here and %" PRId64 " there, not at index 0 of both",
						ia, ib);
			return;
		}
	rb_subject_fail(s, RB_SEVERITY_ERROR,
			"%s/%s and %s/%s of the other host share no partition",
			s->device, s->port, s->peer->device, s->peer->port);
}

static void ib_subnet(struct rb_subject *s)
{
	struct rb_gid_fact a[RB_GIDS_MOST], b[RB_GIDS_MOST];

	if (rb_unreadable(s, RB_PORT, "gids"))
		return;
	if (!rb_gid_facts(s, a) || !rb_gid_facts(s->peer, b))
		rb_subject_unknown(s, "GID 0 is not told at both ends");
	else if (rb_addr_near(&a[0].addr, &b[0].addr, 64))
		rb_subject_pass(s, "both are of one subnet");
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the ends are of different subnets (%s, %s): without an InfiniBand router they cannot talk",
				a[0].text, b[0].text);
}

/* --- where packets are lost ------------------------------------------------- */

static int64_t moved(struct rb_subject *s, enum rb_base base,
		     const char *const *names)
{
	int64_t sum = 0;

	for (; *names; names++)
		sum += rb_counter_of(s, base, *names).delta;
	return sum;
}

static const char *const sent_again[] = { "hw.packet_seq_err",
					  "hw.seq_err_naks_rcvd",
					  "hw.rcvd_seq_err", NULL };
static const char *const gaps[] = { "hw.out_of_sequence", "hw.oos_drop_count",
				    "hw.out_of_seq_request", NULL };
static const char *const back_here[] = { "hw.implied_nak_seq_err",
					 "hw.missing_resp", NULL };
static const char *const back_there[] = { "hw.duplicate_request", "hw.dup_req",
					  NULL };
static const char *const timeouts[] = { "hw.local_ack_timeout_err",
					"hw.to_retransmits",
					"hw.completer_retry_err", NULL };
static const char *const arrivals[] = { "hw.rx_write_requests",
					"hw.rx_read_requests",
					"hw.rx_atomic_requests", "hw.rcvd_pkts",
					"hw.rx_pkts", "port.port_rcv_packets",
					NULL };
static const char *const discards[] = { "ethtool.rx_discards_phy",
					"ethtool.rx_stat_discard", NULL };

/* Counters of what arrives are there, and none of them moved. */
static bool nothing_came(struct rb_subject *s)
{
	bool there = false;

	for (const char *const *name = arrivals; *name; name++) {
		struct rb_moved m = rb_counter_of(s, RB_PORT, *name);

		if (m.delta)
			return false;
		there |= m.there;
	}
	return there;
}

/* Where what did not come to @to was lost, as far as it is counted. */
static const char *where_lost(struct rb_subject *to)
{
	if (moved(to, RB_NETDEV, discards))
		return " at its port (discards there)";
	for (const char *const *name = discards; *name; name++)
		if (rb_counter_of(to, RB_NETDEV, *name).there)
			return " on the way: neither end dropped them";
	return "";
}

/* What was lost between the port that sends, @from, and @to: has @s said so? */
static bool lost(struct rb_subject *s, struct rb_subject *from,
		 struct rb_subject *to)
{
	if (moved(from, RB_PORT, sent_again) || moved(to, RB_PORT, gaps))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"packets from %s of %s to %s of %s are lost%s",
				from->device, from->host, to->device, to->host,
				where_lost(to));
	else if (moved(from, RB_PORT, back_here) || moved(to, RB_PORT, back_there))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"answers from %s of %s to %s of %s are lost",
				to->device, to->host, from->device, from->host);
	else if (moved(from, RB_PORT, timeouts) && nothing_came(to))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s of %s sends and nothing arrives at %s of %s: GID, route or firewall",
				from->device, from->host, to->device, to->host);
	else
		return false;
	return true;
}

static void cnt_direction(struct rb_subject *s)
{
	const json_t *a, *b;

	if (!need_both(s, RB_PORT, "counters", &a, &b))
		return;
	if (!lost(s, s, s->peer) && !lost(s, s->peer, s))
		rb_subject_pass(s, "no loss between them while both were watched");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO
#define P RB_SCOPE_PAIR

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "PORT-LL", .scope = P, .severity = E, .test = port_ll,
	  .title = "InfiniBand at one end, Ethernet at the other", .reads = "/devices/*/ports/*/link_layer",
	  .why = "The ports have no link in common. Adapters that can do both are set to one of them.",
	  .fix = "mlxconfig -d {pci} set LINK_TYPE_P1=2 (1: InfiniBand), and a reset; or name another device", .evidence = "common operational practice" },
	{ .id = "CM-ROCEMODE", .scope = P, .severity = E, .test = cm_rocemode, .on = RB_ON_ROCE,
	  .title = "rdma_cm uses different RoCE versions", .reads = "/devices/*/ports/*/cm",
	  .why = "One end asks with RoCE v1 and the other listens with v2: UNREACHABLE, -110.",
	  .fix = "cma_roce_mode -d {device} -p {port} -m 2, on both", .evidence = "cma_roce_mode(8)" },
	{ .id = "MTU-PEER", .scope = P, .severity = W, .test = mtu_peer,
	  .title = "different MTUs", .reads = "/devices/*/ports/*/mtu",
	  .why = "A program that uses its own port's MTU sends packets that the other end cannot take: LOCAL LENGTH or ACCESS errors there, 9 or 12 here, often with the first large message. rbench uses the smaller one.",
	  .fix = "ip link set {netdev} mtu 9000, the same on both hosts and the switches", .evidence = "NVIDIA/nccl#1524" },
	{ .id = "QOS-PFC-PAIR", .scope = P, .severity = W, .test = qos_pfc_pair, .on = RB_ON_ROCE | RB_ON_HARDWARE,
	  .title = "the ends differ in PFC or priorities", .reads = "/netdevs/*/dcb",
	  .why = "The traffic is lossless in one direction, or takes another priority at each end.",
	  .fix = "set both alike: dcb pfc show dev {netdev}; dcb app show dev {netdev}", .evidence = "common operational practice" },
	{ .id = "QOS-ECN-PAIR", .scope = P, .severity = W, .test = qos_ecn_pair, .on = RB_ON_ROCE | RB_ON_HARDWARE,
	  .title = "the ends differ in ECN", .reads = "/netdevs/*/ecn",
	  .why = "Congestion control needs both: one end notifies, the other slows down.",
	  .fix = "set both alike: grep . /sys/class/net/{netdev}/ecn/roce_*/enable/*", .evidence = "mlx5 documentation" },
	{ .id = "PORT-FEC-PAIR", .scope = P, .severity = W, .test = port_fec_pair, .on = RB_ON_ETHERNET | RB_ON_HARDWARE,
	  .title = "the ends differ in FEC", .reads = "/netdevs/*/ethtool/fec",
	  .why = "Both ends of a direct cable must have the same. Behind switches each link is on its own; a link without FEC at 25 Gb/s or more loses frames.",
	  .fix = "ethtool --set-fec {netdev} encoding rs", .evidence = "common operational practice" },
	{ .id = "PORT-PAIR-SPEED", .scope = P, .severity = I, .test = port_pair_speed,
	  .title = "the ends have different speeds", .reads = "/devices/*/ports/*/bits_per_s",
	  .why = "The faster end is paused, slowed down by marks, or loses packets.",
	  .fix = "expect the slower one's bandwidth", .evidence = "common operational practice" },
	{ .id = "IB-PKEY", .scope = P, .severity = E, .test = ib_pkey, .on = RB_ON_IB,
	  .title = "no partition in common", .reads = "/devices/*/ports/*/pkeys",
	  .why = "Two ports talk in a partition that both are in, at least one of them as a full member; each names it by an index of its own table.",
	  .fix = "--pkey-index where the program has it: NCCL_IB_PKEY, UCX_IB_PKEY; opensm's partitions.conf", .evidence = "NVIDIA/nccl#1323" },
	{ .id = "IB-SUBNET", .scope = P, .severity = E, .test = ib_subnet, .on = RB_ON_IB,
	  .title = "different InfiniBand subnets", .reads = "/devices/*/ports/*/gids",
	  .why = "The upper half of the GID is the subnet's. Different ones need a router.",
	  .fix = "use ports of one fabric", .evidence = "IBTA specification, 4.1.1" },
	{ .id = "CNT-DIRECTION", .scope = P, .severity = E, .test = cnt_direction,
	  .title = "packets are lost between the ends", .reads = "/devices/*/ports/*/counters",
	  .why = "Counters of both ends tell in which direction packets are lost, and whether a host or the network between drops them. Snapshots of the same time, during traffic.",
	  .fix = "rbench snapshot --interval 10s on both ends at once, then rbench doctor FILE FILE2", .evidence = "kernel: mlx5 counters.rst" },
};
/* clang-format on */

const struct rb_rules rb_rules_pair = { "Pairs of ports", rows,
					RB_ARRAY_SIZE(rows) };
