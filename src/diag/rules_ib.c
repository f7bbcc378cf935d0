/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_ib - rules: InfiniBand and iWARP
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"

#define INTERNAL_MTU 512

static void ib_sm(struct rb_subject *s)
{
	int64_t sm_lid, lid;

	if (!rb_need_int(s, RB_PORT, "sm_lid", &sm_lid) ||
	    !rb_need_int(s, RB_PORT, "lid", &lid))
		return;
	if (rb_get_int(s, RB_PORT, "phys_state_id", 0) != 5)
		rb_subject_skip(s, "the link is down");
	else if (!sm_lid || !lid || lid == 0xffff)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s/%s has LID %" PRId64 " and knows no subnet manager (LID %" PRId64 ")",
				s->device, s->port, lid, sm_lid);
	else
		rb_subject_pass(s, "LID %" PRId64 ", subnet manager %" PRId64, lid, sm_lid);
}

static void ib_pkey_limited(struct rb_subject *s)
{
	const json_t *pkeys = rb_need(s, RB_PORT, "pkeys"), *entry;
	int64_t full = -1;
	unsigned long first = 0;
	size_t i;

	json_array_foreach(pkeys, i, entry) {
		unsigned long key = strtoul(rb_text_at(entry, "pkey"), NULL, 16);
		int64_t index = rb_int_at(entry, "index", -1);

		if (!index)
			first = key;
		if (key & 0x8000 && full < 0)
			full = index;
	}
	if (!pkeys)
		return;
	if (!first)
		rb_subject_skip(s, "there is no key at index 0");
	else if (first & 0x8000)
		rb_subject_pass(s, "the key at index 0 is of a full member");
	else if (full >= 0)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the partition key at index 0 of %s/%s (0x%04lx) is of a limited member: two such hosts cannot talk; index %" PRId64 " is of a full one",
				s->device, s->port, first, full);
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s/%s is a limited member of all its partitions (0x%04lx)",
				s->device, s->port, first);
}

static void ib_pkey_default(struct rb_subject *s)
{
	const json_t *pkeys = rb_need(s, RB_PORT, "pkeys"), *entry;
	size_t i, others = 0;

	if (!pkeys)
		return;
	json_array_foreach(pkeys, i, entry) {
		unsigned long key = strtoul(rb_text_at(entry, "pkey"), NULL, 16);

		others += (key & 0x7fff) != 0x7fff && key;
	}
	if (others)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s/%s is in %zu partitions besides the default one: programs that always take index 0 may be in the wrong one",
				s->device, s->port, others);
	else
		rb_subject_pass(s, "only the default partition");
}

static void ib_lmc(struct rb_subject *s)
{
	int64_t bits;

	if (!rb_need_int(s, RB_PORT, "lid_mask_count", &bits))
		return;
	if (bits)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s/%s has 2^%" PRId64 " LIDs (LMC): programs that use the first one only leave paths idle",
				s->device, s->port, bits);
	else
		rb_subject_pass(s, "one LID");
}

static void ib_ipoib(struct rb_subject *s)
{
	const char *name, *want = s->device;
	json_t *netdev;

	if (rb_unreadable(s, RB_HOST, "netdevs"))
		return;
	json_object_foreach(json_object_get(s->doc, "netdevs"), name, netdev) {
		const json_t *rdma = json_object_get(netdev, "rdma"), *one;
		bool same_card = s->pci && !strcmp(rb_text_at(netdev, "pci"), s->pci);
		size_t i, n = strlen(want);

		json_array_foreach(rdma, i, one)
			if (json_is_string(one) &&
			    !strncmp(json_string_value(one), want, n) &&
			    json_string_value(one)[n] == '/')
				same_card = true;
		if (same_card && json_array_size(json_object_get(netdev, "addresses"))) {
			rb_subject_pass(s, "%s has an address", name);
			return;
		}
	}
	rb_subject_fail(s, RB_SEVERITY_INFO,
			"%s has no IPoIB interface with an address: rdma_cm (-R) cannot resolve it",
			s->device);
}

static void hca_wrong(struct rb_subject *s)
{
	int64_t mtu;

	if (!rb_need_int(s, RB_PORT, "max_mtu", &mtu))
		return;
	mtu = rb_get_int(s, RB_PORT, "mtu", mtu);
	if (mtu <= INTERNAL_MTU)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s/%s is active with an MTU of %" PRId64 ": a device inside this node (NVSwitch), not one of the fabric",
				s->device, s->port, mtu);
	else
		rb_subject_pass(s, "MTU %" PRId64, mtu);
}

static void iw_cm(struct rb_subject *s)
{
	rb_subject_fail(s, RB_SEVERITY_INFO,
			"%s is iWARP: connections by rdma_cm only, no UD and UC, no atomics, no RNR: a send without a receive ends the connection",
			s->device);
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "IB-SM", .scope = RB_SCOPE_PORT, .severity = E, .test = ib_sm, .on = RB_ON_IB,
	  .title = "no subnet manager", .reads = "/devices/*/ports/*/sm_lid /devices/*/ports/*/lid",
	  .why = "Without one there are no LIDs and no paths.",
	  .fix = "sminfo; systemctl start opensm", .evidence = "IBTA specification, 14.4" },
	{ .id = "IB-PKEY-LIMITED", .scope = RB_SCOPE_PORT, .severity = E, .test = ib_pkey_limited, .on = RB_ON_IB,
	  .title = "limited member of the partition", .reads = "/devices/*/ports/*/pkeys",
	  .why = "Two limited members of a partition cannot talk: status 12, vendor_err 0x81 on every rail. A key whose bit 15 is clear is of a limited member.",
	  .fix = "use the index of a full member: NCCL_IB_PKEY=INDEX, UCX_IB_PKEY; or make the port a full member in opensm's partitions.conf",
	  .evidence = "a measured case: index 0 fails, index 1 runs at 392 Gb/s" },
	{ .id = "IB-PKEY-DEFAULT", .scope = RB_SCOPE_PORT, .severity = I, .test = ib_pkey_default, .on = RB_ON_IB,
	  .title = "several partitions", .reads = "/devices/*/ports/*/pkeys",
	  .why = "Many programs take index 0 without asking. On some clouds the right key is at index 0 or 1, and moves between devices.",
	  .fix = "rbench devices -v shows the table; NCCL_IB_PKEY, UCX_IB_PKEY, NVSHMEM_IB_PKEY", .evidence = "NVIDIA/nccl#1323, NVIDIA/nvshmem#82, MicrosoftDocs/azure-docs#69185" },
	{ .id = "IB-LMC", .scope = RB_SCOPE_PORT, .severity = I, .test = ib_lmc, .on = RB_ON_IB,
	  .title = "several LIDs", .reads = "/devices/*/ports/*/lid_mask_count",
	  .why = "A port with LMC has several paths; one LID uses one of them.",
	  .fix = "nothing, or programs that use several (UCX_IB_LID_PATH_BITS)", .evidence = "IBTA specification, 4.1.3" },
	{ .id = "IB-IPOIB", .scope = RB_SCOPE_DEVICE, .severity = I, .test = ib_ipoib, .on = RB_ON_IB,
	  .title = "no IP address for rdma_cm", .reads = "/netdevs",
	  .why = "rdma_cm finds an InfiniBand port by an IP address of its IPoIB interface. Without one: ADDR_ERROR.",
	  .fix = "modprobe ib_ipoib; ip addr add ADDRESS/24 dev ib0; or connect without -R", .evidence = "ofiwg/fabtests#802, linux-rdma/perftest#132" },
	{ .id = "HCA-WRONG", .scope = RB_SCOPE_PORT, .severity = W, .test = hca_wrong, .on = RB_ON_IB | RB_ON_ACTIVE,
	  .title = "a device that is not of the fabric", .reads = "/devices/*/ports/*/max_mtu",
	  .why = "The InfiniBand device of a switch inside the node is active and looks like any other: who takes it gets status 10.",
	  .fix = "leave it out: NCCL_IB_HCA=^{device}, UCX_NET_DEVICES", .evidence = "public report of a node with NVSwitch and EFA" },
	{ .id = "IW-CM", .scope = RB_SCOPE_DEVICE, .severity = I, .test = iw_cm, .on = RB_ON_IWARP,
	  .title = "iWARP is not RoCE", .reads = "/devices/*/transport",
	  .why = "Queue pairs of iWARP are connected by rdma_cm, the initiator sends first, and unreliable transports and atomics do not exist.",
	  .fix = "rbench -R; perftest -R", .evidence = "RFC 5040, RFC 6581" },
};
/* clang-format on */

const struct rb_rules rb_rules_ib = { "InfiniBand and iWARP", rows,
				      RB_ARRAY_SIZE(rows) };
