/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * addrfacts - addresses, neighbours, routes and rules of this network namespace
 *
 * Recorded answers: nl/addr.bin, nl/neigh.bin, nl/route.bin, nl/rule.bin.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "host/facts.h"
#include "host/nlask.h"
#include "host/snap.h"

#define NEIGHBOURS_MOST 4096
#define ROUTES_MOST 4096
#define MAC_TEXT 64
#define PREFIX_TEXT (INET6_ADDRSTRLEN + 4)

/* A name for each bit or number; NULL for one that has none. */
struct word {
	unsigned int value;
	const char *word;
};

static const char *word_of(const struct word *words, size_t n,
			   unsigned int value)
{
	for (size_t i = 0; i < n; i++)
		if (words[i].value == value)
			return words[i].word;
	return NULL;
}

static const char *family_word(int family)
{
	return family == AF_INET ? "ipv4" : family == AF_INET6 ? "ipv6" : NULL;
}

static const struct word scopes[] = {
	{ RT_SCOPE_UNIVERSE, "global" }, { RT_SCOPE_SITE, "site" },
	{ RT_SCOPE_LINK, "link" },	 { RT_SCOPE_HOST, "host" },
	{ RT_SCOPE_NOWHERE, "nowhere" },
};

static void put_word(json_t *to, const char *key, const struct word *words,
		     size_t n, unsigned int value)
{
	const char *word = word_of(words, n, value);

	if (word)
		rb_fact_text(to, key, word);
}

/* The text of an address; false when there is none of that family's size. */
static bool address_text(int family, const struct nlattr *attr,
			 char text[static INET6_ADDRSTRLEN])
{
	size_t size = family == AF_INET ? sizeof(struct in_addr)
					: sizeof(struct in6_addr);
	const void *raw = rb_nl_data(attr, size);

	return raw && inet_ntop(family, raw, text, INET6_ADDRSTRLEN);
}

static void put_address(json_t *to, const char *key, int family,
			const struct nlattr *attr)
{
	char text[INET6_ADDRSTRLEN];

	if (address_text(family, attr, text))
		rb_fact_text(to, key, text);
}

/* "10.0.0.0/24"; "default" for what matches everything. */
static void put_prefix(json_t *to, const char *key, int family,
		       const struct nlattr *attr, unsigned int bits)
{
	char address[INET6_ADDRSTRLEN], text[PREFIX_TEXT];

	if (!bits || !address_text(family, attr, address))
		snprintf(text, sizeof(text), "default");
	else
		snprintf(text, sizeof(text), "%s/%u", address, bits);
	rb_fact_text(to, key, text);
}

static void put_mac(json_t *to, const char *key, const struct nlattr *attr)
{
	const unsigned char *raw = rb_nl_data(attr, 1);
	char text[MAC_TEXT];
	size_t n = 0;

	for (int i = 0; raw && i < nla_len(attr) && n + 4 < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%02x",
				      i ? ":" : "", raw[i]);
	if (n)
		rb_fact_text(to, key, text);
}

/* What a taker of answers works on. */
struct taking {
	const struct rb_place *doc;
	json_t *netdevs;
	json_t *list;
	uint64_t count4, count6;
};

static void put_netdev(json_t *to, const char *key, const struct taking *t,
		       const struct nlattr *index)
{
	const char *name =
		index ? rb_snap_netdev_name(t->netdevs,
					    (unsigned int)rb_nl_uint(index))
		      : NULL;

	if (name)
		rb_fact_text(to, key, name);
}

static int ask(const char *name, uint16_t type, const void *head, size_t size,
	       rb_nl_taker take, struct taking *t)
{
	struct rb_nl_ask question = { .name = name,
				      .protocol = NETLINK_ROUTE,
				      .type = type,
				      .flags = NLM_F_DUMP };

	rb_nl_add(&question, head, size);
	return rb_nl_ask(&question, take, t);
}

static int parse(const struct nlmsghdr *msg, size_t head, struct nlattr **attrs,
		 int most)
{
	return nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg, (int)head, attrs,
			   most, NULL);
}

static const struct word address_flags[] = {
	{ IFA_F_SECONDARY, "secondary" },   { IFA_F_TENTATIVE, "tentative" },
	{ IFA_F_DADFAILED, "dadfailed" },   { IFA_F_DEPRECATED, "deprecated" },
	{ IFA_F_OPTIMISTIC, "optimistic" },
};

static json_t *flags_json(unsigned int flags)
{
	json_t *list = json_array();

	for (size_t i = 0; i < RB_ARRAY_SIZE(address_flags); i++)
		if (flags & address_flags[i].value)
			json_array_append_new(
				list, json_string(address_flags[i].word));
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}

static void take_address(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[IFA_MAX + 1], *address;
	const struct taking *t = arg;
	const struct ifaddrmsg *head;
	char text[INET6_ADDRSTRLEN];
	json_t *netdev, *list, *to;
	const char *name;

	if (msg->nlmsg_type != RTM_NEWADDR ||
	    parse(msg, sizeof(*head), attrs, IFA_MAX) < 0)
		return;
	head = NLMSG_DATA(msg);
	name = rb_snap_netdev_name(t->netdevs, head->ifa_index);
	/* of a point-to-point link IFA_ADDRESS is the other end's */
	address = attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS];
	if (!name || !family_word(head->ifa_family) ||
	    !address_text(head->ifa_family, address, text))
		return;
	netdev = json_object_get(t->netdevs, name);
	list = json_object_get(netdev, "addresses");
	if (!list)
		json_object_set_new(netdev, "addresses", list = json_array());
	to = json_pack("{s:s, s:i, s:s}", "address", text, "prefix_length",
		       (int)head->ifa_prefixlen, "family",
		       family_word(head->ifa_family));
	put_word(to, "scope", scopes, RB_ARRAY_SIZE(scopes), head->ifa_scope);
	rb_fact_value(to, "flags",
		      flags_json(attrs[IFA_FLAGS] ? (unsigned int)rb_nl_uint(
							    attrs[IFA_FLAGS])
						  : head->ifa_flags));
	json_array_append_new(list, to);
}

void rb_snap_addresses(const struct rb_place *doc)
{
	const struct ifaddrmsg head = { .ifa_family = AF_UNSPEC };
	struct rb_place netdevs = rb_place_enter(doc, "netdevs");
	struct taking t = { .netdevs = netdevs.object };

	rb_place_failed(&netdevs, "", "netlink RTM_GETADDR",
			ask("addr", RTM_GETADDR, &head, sizeof(head),
			    take_address, &t));
}

static const struct word neighbour_states[] = {
	{ NUD_NONE, "none" },		{ NUD_INCOMPLETE, "incomplete" },
	{ NUD_REACHABLE, "reachable" }, { NUD_STALE, "stale" },
	{ NUD_DELAY, "delay" },		{ NUD_PROBE, "probe" },
	{ NUD_FAILED, "failed" },	{ NUD_NOARP, "noarp" },
	{ NUD_PERMANENT, "permanent" },
};

static void take_neighbour(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[NDA_MAX + 1];
	struct taking *t = arg;
	const struct ndmsg *head;
	const char *name, *state;
	char text[INET6_ADDRSTRLEN];
	json_t *to;

	if (msg->nlmsg_type != RTM_NEWNEIGH ||
	    parse(msg, sizeof(*head), attrs, NDA_MAX) < 0)
		return;
	head = NLMSG_DATA(msg);
	if (!family_word(head->ndm_family))
		return;
	t->count4 += head->ndm_family == AF_INET;
	t->count6 += head->ndm_family == AF_INET6;
	name = rb_snap_netdev_name(t->netdevs, (unsigned int)head->ndm_ifindex);
	state = word_of(neighbour_states, RB_ARRAY_SIZE(neighbour_states),
			head->ndm_state);
	/* multicast and the like, which nobody resolves, are of no interest */
	if (!name || !state || head->ndm_state == NUD_NOARP ||
	    json_array_size(t->list) >= NEIGHBOURS_MOST ||
	    !address_text(head->ndm_family, attrs[NDA_DST], text))
		return;
	to = json_pack("{s:s, s:s, s:s, s:s}", "family",
		       family_word(head->ndm_family), "address", text, "netdev",
		       name, "state", state);
	put_mac(to, "mac", attrs[NDA_LLADDR]);
	json_array_append_new(t->list, to);
}

void rb_snap_neighbours(const struct rb_place *doc)
{
	const struct ndmsg head = { .ndm_family = AF_UNSPEC };
	struct taking t = { .netdevs = json_object_get(doc->object, "netdevs"),
			    .list = json_array() };
	struct rb_place count;
	int err = ask("neigh", RTM_GETNEIGH, &head, sizeof(head),
		      take_neighbour, &t);

	rb_place_failed(doc, "neighbours", "netlink RTM_GETNEIGH", err);
	if (err) {
		json_decref(t.list);
		return;
	}
	rb_fact_value(doc->object, "neighbours", t.list);
	count = rb_place_enter(doc, "neighbour_count");
	rb_fact_number(count.object, "ipv4", t.count4);
	rb_fact_number(count.object, "ipv6", t.count6);
}

static const struct word route_types[] = {
	{ RTN_UNICAST, "unicast" },
	{ RTN_LOCAL, "local" },
	{ RTN_BROADCAST, "broadcast" },
	{ RTN_ANYCAST, "anycast" },
	{ RTN_MULTICAST, "multicast" },
	{ RTN_BLACKHOLE, "blackhole" },
	{ RTN_UNREACHABLE, "unreachable" },
	{ RTN_PROHIBIT, "prohibit" },
	{ RTN_THROW, "throw" },
	{ RTN_NAT, "nat" },
};

/* A route over several ways: struct rtnexthop and its attributes each. */
static json_t *nexthops_json(const struct taking *t, int family,
			     const struct nlattr *attr)
{
	const struct rtnexthop *hop = nla_data(attr);
	json_t *list = json_array();
	int left = nla_len(attr);

	while (RTNH_OK(hop, left)) {
		struct nlattr *attrs[RTA_MAX + 1];
		json_t *to = json_object();
		const char *name = rb_snap_netdev_name(
			t->netdevs, (unsigned int)hop->rtnh_ifindex);

		if (name)
			rb_fact_text(to, "netdev", name);
		if (!nla_parse(attrs, RTA_MAX,
			       (struct nlattr *)(void *)RTNH_DATA(hop),
			       hop->rtnh_len - (int)sizeof(*hop), NULL))
			put_address(to, "gateway", family, attrs[RTA_GATEWAY]);
		json_array_append_new(list, to);
		left -= RTNH_ALIGN(hop->rtnh_len);
		hop = RTNH_NEXT(hop);
	}
	return list;
}

static void put_route(json_t *to, const struct taking *t,
		      const struct rtmsg *head, struct nlattr **attrs)
{
	int family = head->rtm_family;

	put_prefix(to, "destination", family, attrs[RTA_DST],
		   head->rtm_dst_len);
	put_netdev(to, "netdev", t, attrs[RTA_OIF]);
	put_address(to, "gateway", family, attrs[RTA_GATEWAY]);
	put_address(to, "source", family, attrs[RTA_PREFSRC]);
	rb_fact_uint(to, "metric", rb_nl_uint(attrs[RTA_PRIORITY]));
	put_word(to, "type", route_types, RB_ARRAY_SIZE(route_types),
		 head->rtm_type);
	put_word(to, "scope", scopes, RB_ARRAY_SIZE(scopes), head->rtm_scope);
	if (attrs[RTA_MULTIPATH])
		rb_fact_value(to, "nexthops",
			      nexthops_json(t, family, attrs[RTA_MULTIPATH]));
}

static void take_route(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[RTA_MAX + 1];
	const struct taking *t = arg;
	const struct rtmsg *head;
	unsigned int table;
	json_t *to;

	if (msg->nlmsg_type != RTM_NEWROUTE ||
	    parse(msg, sizeof(*head), attrs, RTA_MAX) < 0)
		return;
	head = NLMSG_DATA(msg);
	table = attrs[RTA_TABLE] ? (unsigned int)rb_nl_uint(attrs[RTA_TABLE])
				 : head->rtm_table;
	if (!family_word(head->rtm_family) || table == RT_TABLE_LOCAL ||
	    head->rtm_flags & RTM_F_CLONED ||
	    json_array_size(t->list) >= ROUTES_MOST)
		return;
	to = json_pack("{s:s, s:I}", "family", family_word(head->rtm_family),
		       "table", (json_int_t)table);
	put_route(to, t, head, attrs);
	json_array_append_new(t->list, to);
}

static const struct word rule_actions[] = {
	{ FR_ACT_TO_TBL, "lookup" },
	{ FR_ACT_GOTO, "goto" },
	{ FR_ACT_NOP, "nop" },
	{ FR_ACT_BLACKHOLE, "blackhole" },
	{ FR_ACT_UNREACHABLE, "unreachable" },
	{ FR_ACT_PROHIBIT, "prohibit" },
};

static void take_rule(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[FRA_MAX + 1];
	const struct taking *t = arg;
	const struct fib_rule_hdr *head;
	uint64_t table;
	json_t *to;

	if (msg->nlmsg_type != RTM_NEWRULE ||
	    parse(msg, sizeof(*head), attrs, FRA_MAX) < 0)
		return;
	head = NLMSG_DATA(msg);
	if (!family_word(head->family))
		return;
	table = attrs[FRA_TABLE] ? rb_nl_uint(attrs[FRA_TABLE]) : head->table;
	to = json_pack("{s:s, s:I}", "family", family_word(head->family),
		       "priority", (json_int_t)rb_nl_uint(attrs[FRA_PRIORITY]));
	put_prefix(to, "from", head->family, attrs[FRA_SRC], head->src_len);
	put_prefix(to, "to", head->family, attrs[FRA_DST], head->dst_len);
	if (attrs[FRA_IIFNAME])
		rb_fact_text(to, "in", rb_nl_text(attrs[FRA_IIFNAME]));
	if (attrs[FRA_OIFNAME])
		rb_fact_text(to, "out", rb_nl_text(attrs[FRA_OIFNAME]));
	rb_fact_uint(to, "table", table);
	rb_fact_hex(to, "mark", rb_nl_uint(attrs[FRA_FWMARK]), 1);
	put_word(to, "action", rule_actions, RB_ARRAY_SIZE(rule_actions),
		 head->action);
	json_array_append_new(t->list, to);
}

/* One dump of a list of the document. */
static void put_list(const struct rb_place *doc, const char *key,
		     const char *name, uint16_t type, rb_nl_taker take)
{
	/* rtmsg and fib_rule_hdr begin with the family and are of one size */
	const struct rtmsg head = { .rtm_family = AF_UNSPEC };
	struct taking t = { .netdevs = json_object_get(doc->object, "netdevs"),
			    .list = json_array() };
	int err = ask(name, type, &head, sizeof(head), take, &t);

	rb_place_failed(doc, key,
			type == RTM_GETRULE ? "netlink RTM_GETRULE"
					    : "netlink RTM_GETROUTE",
			err);
	if (err)
		json_decref(t.list);
	else
		rb_fact_value(doc->object, key, t.list);
}

void rb_snap_routes(const struct rb_place *doc)
{
	put_list(doc, "routes", "route", RTM_GETROUTE, take_route);
	put_list(doc, "rules", "rule", RTM_GETRULE, take_rule);
}
