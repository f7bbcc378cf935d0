/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gidpeer - which GID is right for a peer of which only the address is known
 */
#include "verbs/gidpeer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/log.h"
#include "host/facts.h"
#include "host/route.h"
#include "verbs/dev.h"
#include "verbs/devlist.h"

#define ANY_PORT 9 /* of UDP: nothing is sent (RFC 863, discard) */

/* What the checks look at. */
struct question {
	const struct rb_gid_view *view;
	const struct rb_gid_peer *peer;
	bool same_family;
	bool has_hop; /* the routes were asked, and answered */
	struct rb_route_hop hop;
	char own[RB_GID_TEXT], peers[RB_GID_TEXT]; /* addresses */
	char *text; /* where a check says what it found */
};

static const struct in6_addr *addr_of(const struct rb_gid *gid)
{
	return (const struct in6_addr *)(const void *)gid->raw.raw;
}

static bool is_v4(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(addr);
}

static const char *text_of(const struct in6_addr *addr,
			   char buf[static RB_GID_TEXT])
{
	union ibv_gid raw;

	memcpy(&raw, addr, sizeof(raw));
	return rb_gid_text(&raw, buf);
}

static bool is_link_local(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_LINKLOCAL(addr) ||
	       (is_v4(addr) && addr->s6_addr[12] == 169 &&
		addr->s6_addr[13] == 254);
}

const char *rb_gid_scope(const struct rb_gid *gid)
{
	const unsigned int ula_mask = 0xfe, ula = 0xfc; /* RFC 4193 */
	const struct in6_addr *addr = addr_of(gid);

	if (gid->type == RB_GID_IB)
		return "subnet";
	if (is_link_local(addr))
		return "link-local";
	if (IN6_IS_ADDR_LOOPBACK(addr) ||
	    (is_v4(addr) && addr->s6_addr[12] == IN_LOOPBACKNET))
		return "loopback";
	return (addr->s6_addr[0] & ula_mask) == ula ? "unique-local" : "global";
}

/* The address that this host would send from: the kernel's own choice. */
static void find_source(struct rb_gid_peer *peer, const struct sockaddr *sa)
{
	socklen_t len = sa->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(struct sockaddr_in6);
	int fd = socket(sa->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage to = { 0 }, from;

	if (fd < 0)
		return;
	memcpy(&to, sa, len);
	((struct sockaddr_in *)(void *)&to)->sin_port = htons(ANY_PORT);
	if (!connect(fd, (struct sockaddr *)&to, len)) {
		len = sizeof(from);
		peer->has_source =
			!getsockname(fd, (struct sockaddr *)&from, &len) &&
			rb_netaddr_normal((struct sockaddr *)&from,
					  &peer->source);
	}
	close(fd);
}

/* The peer may have the address in each RoCE version. */
static struct rb_gid_table *make_table(const struct in6_addr *addr)
{
	struct rb_gid_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->wanted = UINT_MAX;
	for (int type = RB_GID_ROCE_V1; type <= RB_GID_ROCE_V2; type++) {
		struct rb_gid *gid = &table->v[table->n];

		gid->type = (enum rb_gid_type)type;
		gid->index = table->n++;
		memcpy(gid->raw.raw, addr, sizeof(gid->raw.raw));
	}
	return table;
}

int rb_gid_peer_open(struct rb_gid_peer *peer, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	int err;

	memset(peer, 0, sizeof(*peer));
	if (!rb_netaddr_normal(sa, &peer->addr))
		return rb_fail(RB_FAULT_PEER_NAME, -EAFNOSUPPORT,
			       "the peer's address is neither IPv4 nor IPv6");
	if (IN6_IS_ADDR_LINKLOCAL(&peer->addr)) {
		peer->ifindex = (int)in6->sin6_scope_id;
		if (!peer->ifindex)
			return rb_fail_hint(
				RB_FAULT_USAGE, -EINVAL, NULL,
				"write it as fe80::1%NETDEV",
				"a link-local address exists on every link: say which one");
	}
	find_source(peer, sa);
	peer->table = make_table(&peer->addr);
	if (!peer->table)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "no memory for the peer's table");
	err = rb_route_open(&peer->route);
	return err ? rb_fail(RB_FAULT_SYSTEM, err,
			     "cannot ask the kernel for routes") :
		     0;
}

void rb_gid_peer_close(struct rb_gid_peer *peer)
{
	rb_route_close(peer->route);
	free(peer->table);
	memset(peer, 0, sizeof(*peer));
}

void rb_gid_view_init(struct rb_gid_view *view, const struct rb_dev *dev,
		      const struct rb_gid_table *table, unsigned int i)
{
	memset(view, 0, sizeof(*view));
	view->dev = dev;
	view->table = table;
	view->gid = &table->v[i];
	/* of an InfiniBand port it is that of IPoIB */
	if (rb_netdev_read(view->gid->type == RB_GID_IB ? dev->netdev :
							  view->gid->netdev,
			   &view->netdev))
		memset(&view->netdev, 0, sizeof(view->netdev));
}

/* --- the checks: each says in q->text what it found ---------------------- */

static RB_PRINTF(2, 3) bool say(const struct question *q, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(q->text, RB_GID_REASON_TEXT, fmt, args);
	va_end(args);
	return true;
}

static bool is_ib(const struct question *q)
{
	return q->view->gid->type == RB_GID_IB;
}

static bool check_port(const struct question *q)
{
	enum ibv_port_state state = q->view->dev->port_attr.state;

	return state != IBV_PORT_ACTIVE &&
	       say(q, "port %u is %s", q->view->dev->port,
		   rb_port_state_name(state));
}

static bool check_visible(const struct question *q)
{
	if (is_ib(q) || q->view->netdev.ifindex)
		return false;
	return q->view->gid->elsewhere ?
		       say(q, "its network interface is in another network namespace: neither its address nor its routes can be seen from here") :
		       say(q, "no network interface is seen behind it: it was removed, or is in another network namespace");
}

static bool check_netdev(const struct question *q)
{
	const struct rb_netdev *netdev = &q->view->netdev;

	return !is_ib(q) && netdev->ifindex && rb_netdev_is_down(netdev) &&
	       say(q, "'%s' is %s", netdev->name,
		   rb_netdev_state_name(netdev->state));
}

static bool check_stale(const struct question *q)
{
	return q->view->gid->stale && q->view->netdev.ifindex &&
	       say(q, "stale: %s is no address of '%s' (any more)", q->own,
		   q->view->netdev.name);
}

static bool check_family(const struct question *q)
{
	bool v4 = is_v4(&q->peer->addr);

	return !is_ib(q) && !q->same_family &&
	       say(q, "the peer's address is %s, this is %s", v4 ? "IPv4" : "IPv6",
		   v4 ? "IPv6" : "IPv4");
}

static bool leads_elsewhere(const struct question *q)
{
	return q->has_hop && q->hop.ifindex && !q->hop.local &&
	       !rb_route_hop_over(&q->hop, q->view->netdev.ifindex);
}

/* The route takes the untagged interface below this one, or a VLAN above. */
static bool check_vlan(const struct question *q)
{
	const struct rb_netdev *own = &q->view->netdev;
	char name[IF_NAMESIZE] = "?";
	struct rb_netdev out;

	if (is_ib(q) || !leads_elsewhere(q) ||
	    !if_indextoname((unsigned int)q->hop.ifindex, name) ||
	    rb_netdev_read(name, &out) || (!own->base[0] && !out.base[0]))
		return false;
	if (out.base[0] && own->base[0])
		return say(q, "this is VLAN %u; the peer is in VLAN %u ('%s')",
			   own->vlan, out.vlan, name);
	if (own->base[0])
		return say(q, "this is VLAN %u; %s is reached over '%s', outside of it",
			   own->vlan, q->peers, name);
	return say(q, "%s is reached over VLAN %u ('%s'), this is outside of it",
		   q->peers, out.vlan, name);
}

static bool check_other_netdev(const struct question *q)
{
	char name[IF_NAMESIZE] = "?", text[RB_GID_REASON_TEXT];
	struct question other = *q;

	other.text = text;
	if (is_ib(q) || !leads_elsewhere(q) || check_vlan(&other))
		return false;
	if_indextoname((unsigned int)q->hop.ifindex, name);
	return say(q, "the route from %s to %s leads over '%s', not over '%s'",
		   q->own, q->peers, name, q->view->netdev.name);
}

static bool check_route(const struct question *q)
{
	if (is_ib(q) || !q->has_hop || q->hop.ifindex || q->hop.local)
		return false;
	if (is_link_local(addr_of(q->view->gid)))
		return say(q, "link-local: no route from it to %s", q->peers);
	return q->view->gid->prefix ?
		       say(q, "another subnet (%s/%u), and no route from it to %s",
			   q->own, q->view->gid->prefix, q->peers) :
		       say(q, "no route from %s to %s", q->own, q->peers);
}

static bool check_router(const struct question *q)
{
	return q->has_hop && q->hop.gateway &&
	       q->view->gid->type == RB_GID_ROCE_V1 &&
	       say(q, "RoCE v1 has no IP header: the router on the way to %s does not pass it on",
		   q->peers);
}

static bool check_link_local_routed(const struct question *q)
{
	return q->has_hop && q->hop.gateway &&
	       is_link_local(addr_of(q->view->gid)) &&
	       say(q, "link-local: it ends at the router on the way to %s",
		   q->peers);
}

static bool check_link_local(const struct question *q)
{
	return !is_ib(q) && !q->peer->ifindex &&
	       is_link_local(addr_of(q->view->gid)) &&
	       !check_link_local_routed(q) && !check_route(q) &&
	       say(q, "link-local: it is known on its own link only");
}

static bool check_v1(const struct question *q)
{
	const struct rb_gid *gid = q->view->gid;

	if (gid->type != RB_GID_ROCE_V1 || check_router(q))
		return false;
	for (unsigned int i = 0; i < q->view->table->n; i++) {
		const struct rb_gid *twin = &q->view->table->v[i];

		if (twin->type == RB_GID_ROCE_V2 &&
		    !memcmp(&twin->raw, &gid->raw, sizeof(gid->raw)) &&
		    !strcmp(twin->netdev, gid->netdev))
			return say(q, "RoCE v1, which no router passes on; index %u is the same address in RoCE v2",
				   twin->index);
	}
	return say(q, "RoCE v1, which no router passes on: the peer must use it too");
}

static bool check_ipoib(const struct question *q)
{
	return is_ib(q) && leads_elsewhere(q) &&
	       say(q, "%s is not reached over this port's '%s'", q->peers,
		   q->view->netdev.name);
}

/* In the order in which they are told. */
static const struct {
	const char *id;
	bool fatal; /* the entry cannot be used for the peer */
	bool (*check)(const struct question *q);
} checks[] = {
	{ "port_down", true, check_port },
	{ "not_visible", true, check_visible },
	{ "netdev_down", true, check_netdev },
	{ "stale", true, check_stale },
	{ "other_family", true, check_family },
	{ "no_route", true, check_route },
	{ "vlan", true, check_vlan },
	{ "other_netdev", true, check_other_netdev },
	{ "roce_v1_routed", true, check_router },
	{ "link_local_routed", true, check_link_local_routed },
	{ "link_local", false, check_link_local },
	{ "roce_v1", false, check_v1 },
	{ "not_ipoib", false, check_ipoib },
};

static void ask_route(struct question *q, struct rb_gid_peer *peer)
{
	const struct rb_gid_view *view = q->view;
	const struct in6_addr *from = view->gid->type == RB_GID_IB ?
					      &peer->source :
					      addr_of(view->gid);
	int scope = peer->ifindex;

	/* what is down or stale has no routes: that is told already */
	if (!view->netdev.ifindex || rb_netdev_is_down(&view->netdev) ||
	    view->gid->stale ||
	    (view->gid->type == RB_GID_IB && !peer->has_source) ||
	    is_v4(from) != is_v4(&peer->addr))
		return;
	if (!scope)
		scope = (int)rb_netdev_index(view->netdev.master);
	q->has_hop = !rb_route_lookup(peer->route, from, &peer->addr, scope,
				      &q->hop);
}

/* InfiniBand: any port of the subnet; the one under the peer's IPoIB first. */
static int score_ib(const struct question *q)
{
	return q->has_hop && rb_route_hop_over(&q->hop,
					       q->view->netdev.ifindex) ?
		       INT_MAX :
		       0;
}

void rb_gid_view_judge(struct rb_gid_view *view, struct rb_gid_peer *peer)
{
	struct question q = { .view = view, .peer = peer };
	const struct rb_gid_table *table = view->table;
	unsigned int i = (unsigned int)(view->gid - table->v);

	q.same_family = is_v4(addr_of(view->gid)) == is_v4(&peer->addr);
	rb_gid_text(&view->gid->raw, q.own);
	text_of(&peer->addr, q.peers);
	ask_route(&q, peer);
	view->judged = true;
	view->usable = true;
	view->nreasons = 0;
	for (size_t c = 0; c < RB_ARRAY_SIZE(checks) &&
			   view->nreasons < RB_GID_REASONS; c++) {
		q.text = view->reasons[view->nreasons].text;
		if (!checks[c].check(&q))
			continue;
		view->reasons[view->nreasons++].id = checks[c].id;
		if (checks[c].fatal)
			view->usable = false;
	}
	view->score = view->gid->type == RB_GID_IB ?
			      score_ib(&q) :
			      rb_gid_score(table, i, peer->table,
					   peer->has_source ? &peer->source :
							      NULL,
					   &peer->addr);
}

static bool is_before(const struct rb_gid_view *a, const struct rb_gid_view *b)
{
	if (a->usable != b->usable)
		return a->usable;
	/* of equals the first in the list, which is by device and index */
	return a->score > b->score || (a->score == b->score && a < b);
}

const struct rb_gid_view *rb_gid_views_rank(struct rb_gid_view *views, size_t n)
{
	const struct rb_gid_view *best = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned int rank = 1;

		if (!views[i].usable)
			continue;
		for (size_t j = 0; j < n; j++)
			if (j != i && is_before(&views[j], &views[i]))
				rank++;
		views[i].rank = rank;
		if (rank == 1)
			best = &views[i];
	}
	return best;
}

static json_t *reasons_json(const struct rb_gid_view *view)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < view->nreasons; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "id",
						      view->reasons[i].id,
						      "text",
						      view->reasons[i].text));
	return list;
}

json_t *rb_gid_view_json(const struct rb_gid_view *view)
{
	const struct rb_netdev *netdev = &view->netdev;
	json_t *to = rb_gid_json(view->gid);
	char gid[INET6_ADDRSTRLEN];

	rb_fact_text(to, "device", view->dev->name);
	rb_fact_number(to, "port", view->dev->port);
	rb_fact_text(to, "gid", inet_ntop(AF_INET6, view->gid->raw.raw, gid,
					  sizeof(gid)));
	rb_fact_text(to, "scope", rb_gid_scope(view->gid));
	rb_fact_uint(to, "prefix", view->gid->prefix);
	rb_fact_text(to, "port_state",
		     rb_port_state_name(view->dev->port_attr.state));
	if (netdev->ifindex && netdev->state != RB_NETDEV_UNKNOWN)
		rb_fact_text(to, "netdev_state",
			     rb_netdev_state_name(netdev->state));
	rb_fact_uint(to, "vlan", netdev->vlan);
	rb_fact_flag(to, "netdev_down", view->gid->netdev_down);
	rb_fact_flag(to, "stale", view->gid->stale);
	rb_fact_flag(to, "elsewhere", view->gid->elsewhere);
	if (!view->judged)
		return to;
	json_object_set_new(to, "usable", json_boolean(view->usable));
	rb_fact_uint(to, "rank", view->rank);
	json_object_set_new(to, "reasons", reasons_json(view));
	return to;
}
