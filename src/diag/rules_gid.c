/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_gid - rules: GID tables of RoCE ports
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/addr.h"
#include "diag/doctor.h"
#include "diag/subject.h"

static void gid_empty(struct rb_subject *s)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	size_t n;

	if (rb_unreadable(s, RB_PORT, "gids"))
		return;
	n = rb_gid_facts(s, v);
	if (n)
		rb_subject_pass(s, "%zu GIDs", n);
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the GID table of %s/%s is empty%s%s", s->device,
				s->port, s->netdev ? ": no address on " : "",
				s->netdev ? s->netdev : "");
}

/* The GIDs of a rule that needs some: 0 when it has said why there are none. */
static size_t gids_of(struct rb_subject *s,
		      struct rb_gid_fact v[static RB_GIDS_MOST])
{
	size_t n;

	if (rb_unreadable(s, RB_PORT, "gids"))
		return 0;
	n = rb_gid_facts(s, v);
	if (!n)
		rb_subject_skip(s, "the table is empty");
	return n;
}

static void gid_nov4(struct rb_subject *s)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	size_t n = gids_of(s, v), global = 0;

	for (size_t i = 0; i < n; i++)
		global += !rb_addr_link_local(&v[i].addr);
	if (global)
		rb_subject_pass(s, "%zu of %zu GIDs are more than link-local",
				global, n);
	else if (n)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s/%s has link-local GIDs (fe80::) only: %s has no IP address",
				s->device, s->port,
				s->netdev ? s->netdev : "its interface");
}

/* --- the choice ------------------------------------------------------------- */

/* Variables by which programs are told an index. */
static const char *const index_names[] = {
	"NCCL_IB_GID_INDEX",	  "UCX_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX",
	"MC_GID_INDEX",		  "RCCL_IB_GID_INDEX", "FI_VERBS_GID_IDX",
	"GLOO_IBV_GID_INDEX",
};

/* The index that a user or a variable names; -1: none. */
static int named_index(struct rb_subject *s, const char **by)
{
	char path[64];

	*by = "the option --gid-index";
	if (!s->which && s->asked->gid_index >= 0)
		return s->asked->gid_index;
	for (size_t i = 0; i < RB_ARRAY_SIZE(index_names); i++) {
		const char *text;
		char *end;
		long value;

		snprintf(path, sizeof(path), "environment/%s", index_names[i]);
		text = rb_get_text(s, RB_HOST, path);
		value = strtol(text, &end, 10);
		*by = index_names[i];
		if (*text && !*end && value >= 0 && value < 65536)
			return (int)value;
	}
	return -1;
}

/* What is wrong with using @gid where @best is there; NULL: nothing. */
static const char *fault_of(const struct rb_gid_fact *gid,
			    const struct rb_gid_fact *best)
{
	if (!gid->netdev)
		return "it has no interface here";
	if (rb_addr_link_local(&gid->addr) && !rb_addr_link_local(&best->addr))
		return "link-local, it reaches no further than its own link";
	if (!gid->v2 && best->v2)
		return "RoCE v1, which is not routed and which RoCE v2 peers do not hear";
	if (best->netdev && strcmp(gid->netdev, best->netdev))
		return "it is of another interface than the port's own";
	return NULL;
}

static void gid_choice(struct rb_subject *s)
{
	struct rb_gid_fact v[RB_GIDS_MOST], best;
	size_t n = gids_of(s, v);
	const char *by, *fault = "the table has no such entry";
	int index;

	if (!n || !rb_gid_best(s, &best))
		return;
	index = named_index(s, &by);
	for (size_t i = 0; i < n && index >= 0; i++)
		if (v[i].index == index)
			fault = fault_of(&v[i], &best);
	if (index < 0 || !fault)
		rb_subject_pass(s, "GID index %d (%s, %s, %s) is right",
				index < 0 ? best.index : index,
				index < 0 ? best.type : "as chosen",
				index < 0 ? best.text : by,
				best.netdev ? best.netdev : "-");
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"GID index %d (%s) of %s/%s: %s; use index %d (%s, %s)",
				index, by, s->device, s->port, fault, best.index,
				best.type, best.text);
}

/* --- interfaces ------------------------------------------------------------- */

/* The rule looks at the interface of the GID in use. False: it has said why not. */
static bool take_interface(struct rb_subject *s, struct rb_gid_fact *gid)
{
	if (rb_unreadable(s, RB_PORT, "gids"))
		return false;
	if (!rb_gid_used(s, gid) || !gid->netdev) {
		rb_subject_skip(s, "no GID with an interface");
		return false;
	}
	rb_subject_netdev(s, gid->netdev);
	return true;
}

static void gid_ndev(struct rb_subject *s)
{
	struct rb_gid_fact gid;
	const char *state, *master;

	if (!take_interface(s, &gid))
		return;
	state = rb_need_text(s, RB_NETDEV, "state");
	if (!state)
		return;
	master = rb_get_text(s, RB_NETDEV, "master");
	if (!strcmp(state, "down") || !strcmp(state, "no_carrier"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s, the interface of GID %d, is %s", gid.netdev,
				gid.index,
				*state == 'd' ? "switched off" : "without a link");
	else if (*master && json_object_get(rb_at(s->doc, "netdevs"), master) &&
		 rb_at(rb_at(rb_at(s->doc, "netdevs"), master), "bond"))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s, the interface of GID %d, is a slave of %s: its GIDs vanish, those of the bond stay",
				gid.netdev, gid.index, master);
	else if (!strcmp(state, "unknown"))
		rb_subject_unknown(s, "the state of %s is not known", gid.netdev);
	else
		rb_subject_pass(s, "%s is up", gid.netdev);
}

/* An IPv4 GID whose address its interface has not. */
static const struct rb_gid_fact *find_stale(struct rb_subject *s,
					    const struct rb_gid_fact *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *netdev =
			v[i].netdev ? json_object_get(rb_at(s->doc, "netdevs"),
						      v[i].netdev) :
				      NULL;

		if (v[i].addr.len == 4 && netdev &&
		    !rb_addr_prefix(netdev, &v[i].addr))
			return &v[i];
	}
	return NULL;
}

/* An address of the port's interface that has no GID: NULL when all have. */
static const char *find_bare(struct rb_subject *s, const struct rb_gid_fact *v,
			     size_t n)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(s->netdevv, "addresses"), i, entry) {
		const char *text = rb_text_at(entry, "address");
		struct rb_addr addr;
		bool has = false;

		if (!rb_addr_parse(text, &addr) || addr.len != 4)
			continue;
		for (size_t k = 0; k < n; k++)
			has |= rb_addr_same(&v[k].addr, &addr);
		if (!has)
			return text;
	}
	return NULL;
}

static void gid_stale_ip(struct rb_subject *s)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	const struct rb_gid_fact *stale;
	const char *bare;
	size_t n;

	if (!s->netdevv) {
		rb_subject_skip(s, "the port's interface is not here");
		return;
	}
	if (rb_unreadable(s, RB_NETDEV, "addresses"))
		return;
	n = gids_of(s, v);
	if (!n)
		return;
	stale = find_stale(s, v, n);
	bare = find_bare(s, v, n);
	if (stale)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"GID %d of %s/%s is %s, and %s has no such address any more",
				stale->index, s->device, s->port, stale->text,
				stale->netdev);
	else if (bare)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s has the address %s, and %s/%s has no GID of it",
				s->netdev, bare, s->device, s->port);
	else
		rb_subject_pass(s, "GIDs and addresses agree");
}

struct twins {
	const struct rb_subject *s;
	struct rb_gid_fact *v;
	size_t n;
	const char *device, *text;
	bool hidden; /* some port's GIDs */
};

static void find_twin(struct rb_subject *one, void *arg)
{
	struct rb_gid_fact its[RB_GIDS_MOST];
	struct twins *twins = arg;
	size_t n;

	if (!(one->kind & RB_ON_ROCE) || twins->text ||
	    (!strcmp(one->device, twins->s->device) &&
	     !strcmp(one->port, twins->s->port)))
		return;
	twins->hidden |= rb_hidden(one, RB_PORT, "gids");
	n = rb_gid_facts(one, its);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < twins->n; k++)
			if (!rb_addr_link_local(&its[i].addr) &&
			    rb_addr_same(&its[i].addr, &twins->v[k].addr) &&
			    its[i].netdev && twins->v[k].netdev &&
			    strcmp(its[i].netdev, twins->v[k].netdev)) {
				twins->device = one->device;
				twins->text = twins->v[k].text;
			}
}

static void gid_dup(struct rb_subject *s)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	struct twins twins = { .s = s, .v = v, .n = gids_of(s, v) };

	if (!twins.n)
		return;
	rb_subject_each(s, RB_SCOPE_PORT, find_twin, &twins);
	if (twins.text)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s/%s and %s have the same GID %s", s->device,
				s->port, twins.device, twins.text);
	else if (twins.hidden)
		rb_subject_unknown(s, "the GIDs of another port could not be read");
	else
		rb_subject_pass(s, "no other port has one of its GIDs");
}

static void gid_vlan(struct rb_subject *s)
{
	struct rb_gid_fact gid;
	int64_t id;

	if (!take_interface(s, &gid))
		return;
	id = rb_get_int(s, RB_NETDEV, "vlan_id", -1);
	if (id < 0)
		rb_subject_skip(s, "%s is no VLAN", gid.netdev);
	else if (json_object_size(rb_get(s, RB_NETDEV, "vlan_egress_map")))
		rb_subject_pass(s, "VLAN %" PRId64 " maps priorities", id);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s (VLAN %" PRId64 ") maps no priority: all of its traffic is of PCP 0",
				gid.netdev, id);
}

static void gid_guid0(struct rb_subject *s)
{
	const char *guid = rb_need_text(s, RB_DEVICE, "node_guid");

	if (!guid)
		return;
	if (strspn(guid, "0x") == strlen(guid))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the node GUID of %s is 0: librdmacm finds no device (and crashed before 2025)",
				s->device);
	else
		rb_subject_pass(s, "node GUID %s", guid);
}

static void gid_bond(struct rb_subject *s)
{
	const json_t *gids = rb_need(s, RB_PORT, "gids"), *gid;
	size_t i;

	json_array_foreach(gids, i, gid) {
		const char *name = rb_text_at(gid, "netdev");
		const json_t *netdev =
			json_object_get(rb_at(s->doc, "netdevs"), name);

		if (!json_object_get(netdev, "bond"))
			continue;
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s is of the bond %s: one RDMA device stands for both ports (RoCE LAG)",
				s->device, name);
		return;
	}
	if (gids)
		rb_subject_pass(s, "no bond");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "GID-EMPTY", .scope = RB_SCOPE_PORT, .severity = E, .test = gid_empty, .on = RB_ON_ROCE,
	  .title = "the GID table is empty", .reads = "/devices/*/ports/*/gids",
	  .why = "RoCE addresses come from the IP addresses of the interface: it has none, it is down, or it is in another network namespace.",
	  .fix = "ip link set {netdev} up; ip addr add ADDRESS/24 dev {netdev}",
	  .evidence = "openucx/ucx#6000" },
	{ .id = "GID-NOV4", .scope = RB_SCOPE_PORT, .severity = W, .test = gid_nov4, .on = RB_ON_ROCE | RB_ON_ACTIVE,
	  .title = "only link-local GIDs", .reads = "/devices/*/ports/*/gids",
	  .why = "fe80:: GIDs work within one link only and need neighbour discovery there. Behind a router the first packet is lost for ever: status 12, vendor_err 0x81, or ETIMEDOUT of the move to RTR.",
	  .fix = "ip addr add ADDRESS/24 dev {netdev}",
	  .evidence = "NVIDIA/nccl#426, NVIDIA/nccl#769, openucx/ucx#6000, ofiwg/libfabric#12673" },
	{ .id = "GID-CHOICE", .scope = RB_SCOPE_PORT, .severity = W, .test = gid_choice, .on = RB_ON_ROCE,
	  .title = "a GID index that is not right", .reads = "/devices/*/ports/*/gids",
	  .why = "The index to use is not always 3: IPv6 addresses, VLANs and macvlan move it. Right is RoCE v2 of the port's own interface, with an IPv4 or a global address.",
	  .fix = "use the index named, or leave the choice to rbench: rbench gids -d {device}; NCCL_IB_GID_INDEX, UCX_IB_GID_INDEX",
	  .evidence = "NVIDIA/nccl#426, pytorch/pytorch#81628, openucx/ucx#7785" },
	{ .id = "GID-NDEV", .scope = RB_SCOPE_PORT, .severity = E, .test = gid_ndev, .on = RB_ON_ROCE,
	  .title = "the interface of the GID cannot be used", .reads = "/devices/*/ports/*/gids /netdevs/*/state",
	  .why = "The kernel answers ENODEV when the GID's interface is down. Slaves of a bond lose their GIDs to it.",
	  .fix = "ip link set {netdev} up; with a bond use the bond's GIDs",
	  .evidence = "microsoft/mscclpp#431" },
	{ .id = "GID-STALE-IP", .scope = RB_SCOPE_PORT, .severity = W, .test = gid_stale_ip, .on = RB_ON_ROCE,
	  .title = "GIDs and IP addresses do not agree", .reads = "/devices/*/ports/*/gids /netdevs/*/addresses",
	  .why = "The table lags behind or missed a change (an rxe device that is older than its address): connections from that address find no GID.",
	  .fix = "ip addr del and add the address again; for rxe: rdma link delete {device}; rdma link add {device} type rxe netdev {netdev}",
	  .evidence = "SoftRoCE/rxe-dev#79" },
	{ .id = "GID-DUP", .scope = RB_SCOPE_PORT, .severity = E, .test = gid_dup, .on = RB_ON_ROCE,
	  .title = "two ports have the same GID", .reads = "/devices/*/ports/*/gids",
	  .why = "The same IP address is on two interfaces: which of them answers is chance.",
	  .fix = "give every interface an address of its own",
	  .evidence = "common operational practice" },
	{ .id = "GID-VLAN", .scope = RB_SCOPE_PORT, .severity = W, .test = gid_vlan, .on = RB_ON_ROCE,
	  .title = "a VLAN that maps no priority", .reads = "/devices/*/ports/*/gids",
	  .why = "Where the switch trusts PCP, the VLAN's egress map decides on the priority; without one everything is of priority 0, which is rarely the lossless one.",
	  .fix = "ip link set {netdev} type vlan egress-qos-map 0:3 (socket priority to PCP); or trust DSCP",
	  .evidence = "common operational practice" },
	{ .id = "GID-GUID0", .scope = RB_SCOPE_DEVICE, .severity = E, .test = gid_guid0, .on = RB_ON_ROCE | RB_ON_IB | RB_ON_IWARP,
	  .title = "the node GUID is zero", .reads = "/devices/*/node_guid",
	  .why = "A virtual function that nobody gave a GUID: librdmacm cannot match the device.",
	  .fix = "ip link set PF vf N node_guid 00:11:22:33:44:55:66:77, then unbind and bind the function",
	  .evidence = "linux-rdma/rdma-core pull 1547" },
	{ .id = "GID-BOND", .scope = RB_SCOPE_PORT, .severity = I, .test = gid_bond, .on = RB_ON_ROCE,
	  .title = "the device is of a bond", .reads = "/devices/*/ports/*/gids",
	  .why = "RoCE LAG merges the ports of one adapter into one device: the devices of the single ports are gone, on purpose. One queue pair uses one of the links.",
	  .fix = "use {device}, with several queue pairs for more than one link's bandwidth",
	  .evidence = "NVIDIA/nccl#426" },
};
/* clang-format on */

const struct rb_rules rb_rules_gid = { "GIDs", rows, RB_ARRAY_SIZE(rows) };
