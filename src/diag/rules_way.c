/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_way - rules: the way from a port to the one of the other host
 */
#include <string.h>

#include "base/base.h"
#include "diag/addr.h"
#include "diag/subject.h"

/* --- addresses -------------------------------------------------------------- */

/* The GIDs that both ends would use; false: said why not. */
static bool gids_of_both(struct rb_subject *s, struct rb_gid_fact *a,
			 struct rb_gid_fact *b)
{
	if (rb_unreadable(s, RB_PORT, "gids"))
		return false;
	if (rb_hidden(s->peer, RB_PORT, "gids"))
		rb_subject_unknown(s, "the other end's GIDs could not be read");
	else if (!rb_gid_used(s, a) || !rb_gid_used(s->peer, b))
		rb_subject_skip(s, "an end has no GID");
	else
		return true;
	return false;
}

static bool has_kind(const struct rb_subject *s, const struct rb_gid_fact *want)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	size_t n = rb_gid_facts(s, v);

	for (size_t i = 0; i < n; i++)
		if (v[i].v2 == want->v2 && v[i].addr.len == want->addr.len &&
		    rb_addr_link_local(&v[i].addr) == rb_addr_link_local(&want->addr))
			return true;
	return false;
}

static void gid_type_peer(struct rb_subject *s)
{
	struct rb_gid_fact a, b;

	if (!gids_of_both(s, &a, &b))
		return;
	if (a.v2 == b.v2 && a.addr.len == b.addr.len)
		rb_subject_pass(s, "both are %s, %s", a.type,
				a.addr.len == 4 ? "IPv4" : "IPv6");
	else
		rb_subject_fail(s, has_kind(s->peer, &a) || has_kind(s, &b) ?
					   RB_SEVERITY_WARNING : RB_SEVERITY_ERROR,
				"GID %d here is %s %s, GID %d there is %s %s%s", a.index,
				a.type, a.text, b.index, b.type, b.text,
				has_kind(s->peer, &a) ? "; the other end has one of this kind too" :
				has_kind(s, &b) ? "; this end has one of that kind too" : "");
}

/* The way from one end's GID to the other's, by facts. */
static struct rb_road road_of(struct rb_subject *s, const struct rb_gid_fact *from,
			      const struct rb_gid_fact *to, bool own)
{
	return rb_road_find(s->doc, &from->addr, &to->addr,
			    own ? from->netdev : NULL);
}

/* Which way a packet takes is known with all routes and all rules only. */
static bool can_route(struct rb_subject *s)
{
	return rb_need(s, RB_HOST, "routes") && !rb_unreadable(s, RB_HOST, "rules");
}

static void gid_subnet(struct rb_subject *s)
{
	struct rb_gid_fact a, b;
	struct rb_road road;

	if (!gids_of_both(s, &a, &b))
		return;
	if (!can_route(s))
		return;
	road = road_of(s, &a, &b, true);
	if (rb_addr_link_local(&a.addr) && rb_addr_link_local(&b.addr))
		rb_subject_skip(s, "both are link-local");
	else if (road.found)
		rb_subject_pass(s, "%s reaches %s %s", a.text, b.text,
				road.gateway ? "by a router" : "directly");
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s has no route from %s to %s", a.netdev ? a.netdev : s->device,
				a.text, b.text);
}

static void gid_dup_peer(struct rb_subject *s)
{
	struct rb_gid_fact a[RB_GIDS_MOST], b[RB_GIDS_MOST];
	size_t n, m;

	if (rb_unreadable(s, RB_PORT, "gids"))
		return;
	if (rb_hidden(s->peer, RB_PORT, "gids")) {
		rb_subject_unknown(s, "the other end's GIDs could not be read");
		return;
	}
	n = rb_gid_facts(s, a);
	m = rb_gid_facts(s->peer, b);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			if (rb_addr_same(&a[i].addr, &b[k].addr)) {
				rb_subject_fail(s, RB_SEVERITY_ERROR,
						"both ends have the GID %s: the same address on two hosts",
						a[i].text);
				return;
			}
	rb_subject_pass(s, "no address is at both ends");
}

static void net_route_peer(struct rb_subject *s)
{
	struct rb_gid_fact a, b;
	struct rb_road road;
	char to[RB_ADDR_TEXT];

	if (!gids_of_both(s, &a, &b) || !can_route(s))
		return;
	rb_addr_text(&b.addr, to);
	road = road_of(s, &a, &b, false);
	if (rb_addr_link_local(&b.addr))
		rb_subject_skip(s, "the other end's GID is link-local");
	else if (!road.found)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"there is no route to %s", to);
	else if (a.netdev && strcmp(road.netdev, a.netdev))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"packets to %s leave by %s, not by %s of %s", to, road.netdev,
				a.netdev, s->device);
	else
		rb_subject_pass(s, "packets to %s leave by %s", to, road.netdev);
}

static const char *neighbour_state(const struct rb_subject *s,
				   const struct rb_addr *addr, const char *netdev)
{
	const json_t *entry;
	struct rb_addr one;
	size_t i;

	json_array_foreach(rb_at(s->doc, "neighbours"), i, entry)
		if (rb_addr_parse(rb_text_at(entry, "address"), &one) &&
		    rb_addr_same(&one, addr) && netdev &&
		    !strcmp(rb_text_at(entry, "netdev"), netdev))
			return rb_text_at(entry, "state");
	return "";
}

static void net_arp_peer(struct rb_subject *s)
{
	struct rb_gid_fact a, b;
	const char *state;
	struct rb_road road;

	if (!gids_of_both(s, &a, &b) || !rb_need(s, RB_HOST, "neighbours"))
		return;
	road = road_of(s, &a, &b, true);
	state = neighbour_state(s, &b.addr, a.netdev);
	if (!strcmp(state, "failed") || !strcmp(state, "incomplete"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s does not answer on %s (neighbour %s)", b.text, a.netdev,
				state);
	else if (*state)
		rb_subject_pass(s, "%s is known on %s (%s)", b.text, a.netdev, state);
	else if (road.found && road.gateway)
		rb_subject_skip(s, "%s is behind a router", b.text);
	else
		rb_subject_unknown(s, "nobody has asked for %s on %s yet (ping it first)",
				   b.text, a.netdev ? a.netdev : "its interface");
}

/* --- rails ------------------------------------------------------------------ */

struct reach {
	struct rb_subject *s;
	size_t reached, missed;
	const char *first; /* netdev that cannot */
};

static void try_rail(struct rb_subject *one, void *arg)
{
	struct reach *reach = arg;
	struct rb_gid_fact a, b;

	if (!(one->kind & RB_ON_ROCE) || !one->active ||
	    !rb_gid_best(one, &a) || !rb_gid_best(reach->s->peer, &b) ||
	    rb_addr_link_local(&a.addr) || rb_addr_link_local(&b.addr))
		return;
	if (rb_road_find(one->doc, &a.addr, &b.addr, a.netdev).found) {
		reach->reached++;
	} else {
		reach->missed++;
		reach->first = one->netdev;
	}
}

static void net_rail(struct rb_subject *s)
{
	struct reach reach = { .s = s };

	if (!can_route(s) || rb_unreadable(s, RB_PORT, "gids"))
		return;
	rb_subject_each(s, RB_SCOPE_PORT, try_rail, &reach);
	if (reach.reached + reach.missed < 2)
		rb_subject_skip(s, "there is one rail");
	else if (reach.reached && reach.missed)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s/%s of the other host is reached from %zu of %zu ports (not from %s): a fabric of separate rails",
				s->peer->device, s->peer->port, reach.reached,
				reach.reached + reach.missed, reach.first);
	else
		rb_subject_pass(s, "all rails are alike");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define P RB_SCOPE_PAIR

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "GID-DUP-PEER", .scope = P, .severity = E, .test = gid_dup_peer, .on = RB_ON_ROCE,
	  .title = "both hosts have the same address", .reads = "/devices/*/ports/*/gids",
	  .why = "An IP address is used twice: which host answers is chance.",
	  .fix = "arping -D -I {netdev} ADDRESS; give one of them another address", .evidence = "common operational practice" },
	{ .id = "GID-SUBNET", .scope = P, .severity = E, .test = gid_subnet, .on = RB_ON_ROCE,
	  .title = "no way from one GID to the other", .reads = "/devices/*/ports/*/gids /routes /rules",
	  .why = "The addresses are of different subnets and the interface has no route: the move to RTR fails with ENETUNREACH, or packets are lost (status 12).",
	  .fix = "ip route add SUBNET via ROUTER dev {netdev}; or use ports of one subnet", .evidence = "NVIDIA/nccl-tests#185, deepseek-ai/DeepEP#321" },
	{ .id = "GID-TYPE-PEER", .scope = P, .severity = E, .test = gid_type_peer, .on = RB_ON_ROCE,
	  .title = "GIDs of different kinds", .reads = "/devices/*/ports/*/gids",
	  .why = "RoCE v1 and v2 do not hear each other (time-out), and an IPv4 GID does not go with an IPv6 one (EINVAL of the move to RTR).",
	  .fix = "use GIDs of one kind: rbench gids --peer ADDRESS", .evidence = "linux-rdma/perftest#44; kernel: rdma_resolve_ip" },
	{ .id = "NET-ROUTE-PEER", .scope = P, .severity = E, .test = net_route_peer, .on = RB_ON_ROCE,
	  .title = "packets to the peer leave by another interface", .reads = "/routes /rules",
	  .why = "rdma_cm chooses the device by the route, and soft-RoCE and iWARP send by it: another device than the one that was named, or ENODEV.",
	  .fix = "ip route add PEER dev {netdev}; or a rule by source: ip rule add from ADDRESS table N", .evidence = "NVIDIA/nccl-tests#185" },
	{ .id = "NET-ARP-PEER", .scope = P, .severity = E, .test = net_arp_peer, .on = RB_ON_ROCE,
	  .title = "the peer does not answer ARP", .reads = "/neighbours",
	  .why = "The kernel cannot find the MAC address for the queue pair: the move to RTR ends with ETIMEDOUT after a second.",
	  .fix = "ping -I {netdev} PEER; compare VLANs and switch ports", .evidence = "NVIDIA/nccl#769, uccl-project/uccl#641" },
	{ .id = "NET-RAIL", .scope = P, .severity = W, .test = net_rail, .on = RB_ON_ROCE | RB_ON_ACTIVE,
	  .title = "separate rails", .reads = "/routes /rules",
	  .why = "Not every NIC reaches every NIC of the peer. Programs that pair them freely fail with some pairs.",
	  .fix = "pair by rail: NCCL_CROSS_NIC=0 and PXN on; rbench -d with the devices of one rail", .evidence = "ROCm/rccl#1303" },
};
/* clang-format on */

const struct rb_rules rb_rules_way = { "The way between two hosts", rows,
				     RB_ARRAY_SIZE(rows) };
