/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_count - rules: counters that moved while they were watched
 *
 * Which counters a rule is about stands in diag/counter.c. Only what moved between
 * the two readings of a snapshot counts; totals since the driver was loaded say
 * nothing about now.
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "diag/counter.h"
#include "diag/subject.h"

#define STALLED_PERCENT 30

/* What moved, at one base. */
struct found {
	bool there;
	size_t n;
	struct rb_moved worst;
	char name[96];
};

static void look(struct rb_subject *s, enum rb_base base, const json_t *set,
		 struct found *found)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(set, "values"), name, value) {
		struct rb_moved moved;

		if (!rb_counter_is_of(name, s->rule->id))
			continue;
		moved = rb_counter_of(s, base, name);
		found->there |= moved.there;
		found->n += moved.delta > 0;
		if (moved.delta <= found->worst.delta)
			continue;
		found->worst = moved;
		snprintf(found->name, sizeof(found->name), "%s", name);
	}
}

static const json_t *set_of(const struct rb_subject *s, enum rb_base base)
{
	return json_object_get(base == RB_NETDEV ? s->netdevv :
			       base == RB_DEVICE ? s->devicev :
						   s->portv,
			       "counters");
}

static void count(struct rb_subject *s)
{
	static const struct {
		enum rb_base base;
		const char *groups;
	} places[] = {
		{ RB_PORT, "port hw" },
		{ RB_NETDEV, "netdev ethtool" },
		{ RB_DEVICE, "device" },
	};
	struct found found = { 0 };
	const enum rb_base *hidden = NULL;

	for (size_t i = 0; i < RB_ARRAY_SIZE(places); i++) {
		const json_t *set = set_of(s, places[i].base);

		if (!rb_counter_in_groups(s->rule->id, places[i].groups))
			continue;
		if (!set && rb_hidden(s, places[i].base, "counters"))
			hidden = &places[i].base;
		look(s, places[i].base, set, &found);
	}
	/* what was found stands, whatever else could not be read */
	if (!found.n && hidden && rb_unreadable(s, *hidden, "counters"))
		return;
	if (!found.there)
		rb_subject_skip(s, "the driver has no such counter");
	else if (!found.n)
		rb_subject_pass(s, "no such counter moved while they were watched");
	else
		rb_subject_fail(s, s->rule->severity,
				"%s/%s: %s grew by %" PRId64 " in %.3g s%s", s->device,
				s->port, found.name, found.worst.delta,
				found.worst.seconds,
				found.n > 1 ? ", and others like it" : "");
}

/* Percent of the last second in which PCIe could not take what the NIC had. */
static void stalled(struct rb_subject *s)
{
	static const char *const names[] = { "ethtool.outbound_pci_stalled_rd",
					     "ethtool.outbound_pci_stalled_wr" };
	bool there = false;

	if (!rb_need(s, RB_NETDEV, "counters"))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++) {
		struct rb_moved moved = rb_counter_of(s, RB_NETDEV, names[i]);

		there |= moved.there;
		if (moved.value <= STALLED_PERCENT)
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s waited for PCIe %" PRId64 "%% of the last second (%s)",
				s->netdev, moved.value, names[i]);
		return;
	}
	if (there)
		rb_subject_pass(s, "PCIe takes what the NIC has");
	else
		rb_subject_skip(s, "the driver does not count that");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO
#define READS "/devices/*/ports/*/counters"
#define WATCH "rbench doctor --interval 10s during traffic, on both ends"

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "CNT-DEVICE", .scope = RB_SCOPE_PORT, .severity = E, .test = count, .reads = READS " /devices/*/counters",
	  .title = "the device itself fails", .why = "Commands to the device, or its memory, fail: nothing above it can be trusted.",
	  .fix = "dmesg | grep -i {driver}; a reset of the device, newer firmware", .evidence = "kernel: efa, bnxt_re, mana counters" },
	{ .id = "CNT-DISCARD", .scope = RB_SCOPE_PORT, .severity = E, .test = count, .reads = READS " /netdevs/*/counters",
	  .title = "packets are dropped at this host's port", .why = "The port's buffer overflows: the NIC, PCIe or the host is too slow for what comes in, or the priority is not lossless (PFC). In a cloud it can be the instance's quota.",
	  .fix = "rbench doctor --rule QOS-MAP; rbench doctor --rule PCI-SPEED; ethtool -S {netdev} | grep -i discard", .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-LOSS-IN", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "packets to this host are lost or come out of order", .why = "The responder saw a gap. Without discards at either host a switch drops them, or adaptive routing reorders them.",
	  .fix = WATCH "; rbench doctor --rule QOS-MAP", .evidence = "kernel: mlx5 counters.rst, rxe_hw_counters.c, bnxt_re hw_counters.c" },
	{ .id = "CNT-LOSS-OUT", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "packets from this host are lost", .why = "The peer asked for packets again: they were lost on the way to it.",
	  .fix = WATCH "; look at the peer's discards and at the switches", .evidence = "kernel: mlx5 counters.rst, rxe_hw_counters.c" },
	{ .id = "CNT-LOSS-BACK", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "answers or acknowledgements are lost", .why = "Requests came twice, or answers had gaps: the way back loses packets, or the sender's timeout is too short.",
	  .fix = WATCH, .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-TIMEOUT", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "acknowledgements do not come in time", .why = "The last packet or its acknowledgement was lost, or the peer is gone. After all retries the queue pair ends with status 12.",
	  .fix = "is the peer alive? rbench explain 12; " WATCH, .evidence = "bytedance/byteps#179" },
	{ .id = "CNT-RNR", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "no receive was posted in time", .why = "Messages came for which the application had posted no receive: it is not the network. With min_rnr_timer 0 (rdma_cm's default) each costs 655 ms.",
	  .fix = "post more receives; set min_rnr_timer to 12 (0.64 ms)", .evidence = "NVIDIA/daqiri pull 138" },
	{ .id = "CNT-ACCESS", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "requests are refused", .why = "Wrong key, address, length or operation: an application's error at this end or at the peer.",
	  .fix = "find the first failed completion: rbench explain LOG", .evidence = "kernel: mlx5 counters.rst, bnxt_re hw_counters.c" },
	{ .id = "CNT-SEND", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS,
	  .title = "packets cannot be sent or taken as they are", .why = "No route, a VLAN that does not match, packets that were cut (MTU), or an interface that takes no packets.",
	  .fix = "ip route get PEER; ip -d link show {netdev}; rbench doctor --rule MTU-ACTIVE", .evidence = "kernel: irdma, rxe counters" },
	{ .id = "CNT-ICRC", .scope = RB_SCOPE_PORT, .severity = E, .test = count, .reads = READS,
	  .title = "packets are damaged on the way", .why = "The checksum from end to end is wrong while those of the links are right: a tunnel, a middlebox or a switch changes the packets.",
	  .fix = "take the tunnel out of the way; compare with a direct cable", .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-LINK", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS, .on = RB_ON_IB,
	  .title = "the link has errors", .why = "Damaged symbols or packets on an InfiniBand link. A few an hour are within its specification.",
	  .fix = "ibqueryerrors; reseat or replace the cable", .evidence = "IBTA specification, 16.1.3" },
	{ .id = "CNT-PKEY", .scope = RB_SCOPE_PORT, .severity = E, .test = count, .reads = READS, .on = RB_ON_IB,
	  .title = "packets are dropped for their partition", .why = "P_Key enforcement: the queue pair's partition key is not one of the port's or of the switch's.",
	  .fix = "rbench doctor --rule IB-PKEY-LIMITED; opensm's partitions.conf", .evidence = "IBTA specification, 16.1.3" },
	{ .id = "CNT-STORM", .scope = RB_SCOPE_PORT, .severity = E, .test = count, .reads = "/netdevs/*/counters", .on = RB_ON_ETHERNET,
	  .title = "a pause storm", .why = "The NIC was stalled and paused the whole fabric until its watchdog stepped in: a hung host or firmware.",
	  .fix = "find what hangs the host; dmesg; newer firmware", .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-PCIE", .scope = RB_SCOPE_PORT, .severity = E, .test = count, .reads = "/netdevs/*/counters /devices/*/ports/*/counters",
	  .title = "errors on PCIe", .why = "The NIC sees damaged transfers or an overflow between itself and the host.",
	  .fix = "reseat the card; another slot or riser; rbench doctor --rule PCI-AER", .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-STALLED", .scope = RB_SCOPE_PORT, .severity = W, .test = stalled, .reads = "/netdevs/*/counters", .on = RB_ON_ETHERNET | RB_ON_HARDWARE,
	  .title = "the NIC waits for PCIe", .why = "Memory or PCIe is slower than the link: the NIC will pause or drop.",
	  .fix = "rbench doctor --rule PCI-SPEED; rbench doctor --rule PCI-RO; memory of the NIC's NUMA node", .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-TCP", .scope = RB_SCOPE_PORT, .severity = W, .test = count, .reads = READS, .on = RB_ON_ETHERNET,
	  .title = "iWARP's TCP sends again", .why = "Loss or damage below iWARP: TCP repairs it, at the price of time.",
	  .fix = WATCH "; nstat TcpRetransSegs", .evidence = "kernel: irdma counters" },
	{ .id = "CNT-ADAPTIVE", .scope = RB_SCOPE_PORT, .severity = I, .test = count, .reads = READS,
	  .title = "adaptive retransmission is at work", .why = "The adapter copes with a lossy network. Much of it is an early sign of status 12.",
	  .fix = WATCH, .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "CNT-WAIT", .scope = RB_SCOPE_PORT, .severity = I, .test = count, .reads = READS, .on = RB_ON_IB,
	  .title = "the port waits for credits", .why = "There was data and the next hop had no room: congestion in the fabric.",
	  .fix = "look at the ports on the way: ibqueryerrors, perfquery", .evidence = "IBTA specification, 16.1.3" },
};
/* clang-format on */

const struct rb_rules rb_rules_count = { "Counters", rows, RB_ARRAY_SIZE(rows) };
