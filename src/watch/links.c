/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * links - the network interfaces of RDMA devices and their addresses
 *
 * All interfaces are known, as one may come to belong to a device; told is what
 * happens to those that do. The kernel repeats itself (lifetimes of addresses,
 * statistics): a message that changes nothing is no news.
 */
#include "watch/links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/netdev.h"
#include "host/netlink.h"
#include "host/rtnl.h"
#include "verbs/gid.h"
#include "watch/device.h"
#include "watch/watch.h"

#define MAC_TEXT sizeof("00:00:00:00:00:00")

struct link {
	struct rb_rtnl_link is;
	unsigned int reading; /* the last one that it was seen in */
};

struct address {
	struct rb_rtnl_addr is;
	unsigned int reading;
};

struct rb_watch_links {
	struct rb_netlink *netlink;
	struct rb_watch *w;
	bool quiet; /* the first reading is no news */
	unsigned int reading;
	struct link *links;
	size_t nlinks;
	struct address *addrs;
	size_t naddrs;
};

static enum rb_netdev_state state_of(const struct rb_rtnl_link *link)
{
	if (!(link->flags & IFF_UP))
		return RB_NETDEV_DOWN;
	/* drivers that do not know of a carrier leave it at "unknown" */
	return link->operstate == RB_RTNL_OPER_UP ||
			       link->operstate == RB_RTNL_OPER_UNKNOWN ?
		       RB_NETDEV_UP :
		       RB_NETDEV_NO_CARRIER;
}

static struct link *find_link(struct rb_watch_links *l, int ifindex)
{
	for (size_t i = 0; i < l->nlinks; i++)
		if (l->links[i].is.ifindex == ifindex)
			return &l->links[i];
	return NULL;
}

static struct address *find_addr(struct rb_watch_links *l,
				 const struct rb_rtnl_addr *addr)
{
	for (size_t i = 0; i < l->naddrs; i++)
		if (l->addrs[i].is.ifindex == addr->ifindex &&
		    l->addrs[i].is.prefix == addr->prefix &&
		    IN6_ARE_ADDR_EQUAL(&l->addrs[i].is.addr, &addr->addr))
			return &l->addrs[i];
	return NULL;
}

static bool is_told(const struct rb_watch_links *l, const char *netdev)
{
	return !l->quiet && rb_watch_has_netdev(l->w, netdev);
}

static const char *mac_text(const uint8_t *mac, char text[static MAC_TEXT])
{
	snprintf(text, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		 mac[1], mac[2], mac[3], mac[4], mac[5]);
	return text;
}

static void tell_state(struct rb_watch_links *l, const struct rb_rtnl_link *link)
{
	static const char *const kinds[] = {
		[RB_NETDEV_UNKNOWN] = "netdev_up",
		[RB_NETDEV_DOWN] = "netdev_down",
		[RB_NETDEV_NO_CARRIER] = "netdev_no_carrier",
		[RB_NETDEV_UP] = "netdev_up",
	};
	enum rb_netdev_state state = state_of(link);

	rb_watch_tell(l->w, kinds[state], json_pack("{s:s}", "netdev", link->name),
		      "the network interface is %s", rb_netdev_state_name(state));
}

static void tell_changes(struct rb_watch_links *l,
			 const struct rb_rtnl_link *was,
			 const struct rb_rtnl_link *is)
{
	char old[MAC_TEXT], new[MAC_TEXT];

	if (state_of(was) != state_of(is))
		tell_state(l, is);
	if (was->mtu != is->mtu)
		rb_watch_tell(l->w, "netdev_changed",
			      json_pack("{s:s, s:i}", "netdev", is->name, "mtu",
					(int)is->mtu),
			      "the MTU is %u, was %u", is->mtu, was->mtu);
	if (memcmp(was->mac, is->mac, sizeof(is->mac)))
		rb_watch_tell(l->w, "netdev_changed",
			      json_pack("{s:s, s:s}", "netdev", is->name, "mac",
					mac_text(is->mac, new)),
			      "the MAC address is %s, was %s",
			      mac_text(is->mac, new), mac_text(was->mac, old));
}

static void drop_link(struct rb_watch_links *l, struct link *link)
{
	if (is_told(l, link->is.name))
		rb_watch_tell(l->w, "netdev_removed",
			      json_pack("{s:s}", "netdev", link->is.name),
			      "the network interface went");
	*link = l->links[--l->nlinks];
}

static void take_link(struct rb_watch_links *l, const struct rb_rtnl_link *link)
{
	struct link *known = find_link(l, link->ifindex);

	if (link->gone) {
		if (known)
			drop_link(l, known);
		return;
	}
	if (!known) {
		known = realloc(l->links, (l->nlinks + 1) * sizeof(*known));
		if (!known)
			return;
		l->links = known;
		known = &known[l->nlinks++];
	} else if (is_told(l, link->name)) {
		tell_changes(l, &known->is, link);
	}
	known->is = *link;
	known->reading = l->reading;
}

static void tell_addr(struct rb_watch_links *l, const struct rb_rtnl_addr *addr,
		      const char *kind, const char *what)
{
	const struct link *link = find_link(l, addr->ifindex);
	char text[RB_GID_TEXT];
	union ibv_gid raw;

	if (!link || !is_told(l, link->is.name))
		return;
	memcpy(&raw, &addr->addr, sizeof(raw));
	rb_gid_text(&raw, text);
	rb_watch_tell(l->w, kind,
		      json_pack("{s:s, s:s, s:i}", "netdev", link->is.name,
				"address", text, "prefix", (int)addr->prefix),
		      "address %s/%u %s", text, addr->prefix, what);
}

static void take_addr(struct rb_watch_links *l, const struct rb_rtnl_addr *addr)
{
	struct address *known = find_addr(l, addr);

	if (addr->gone) {
		if (!known)
			return;
		*known = l->addrs[--l->naddrs];
		tell_addr(l, addr, "address_removed", "went");
		return;
	}
	if (!known) {
		known = realloc(l->addrs, (l->naddrs + 1) * sizeof(*known));
		if (!known)
			return;
		l->addrs = known;
		known = &known[l->naddrs++];
		known->is = *addr;
		tell_addr(l, addr, "address_added", "came");
	}
	known->reading = l->reading;
}

static void take(struct nlmsghdr *message, void *arg)
{
	struct rb_watch_links *l = arg;
	struct rb_rtnl_link link;
	struct rb_rtnl_addr addr;

	if (rb_rtnl_link(message, &link))
		take_link(l, &link);
	else if (rb_rtnl_addr(message, &addr))
		take_addr(l, &addr);
}

static struct nl_msg *make_question(int type)
{
	struct ifinfomsg any = { .ifi_family = AF_UNSPEC };
	struct nl_msg *msg =
		nlmsg_alloc_simple(type, NLM_F_REQUEST | NLM_F_DUMP);

	/* all are as long as the longest of the headers, and begin alike */
	if (msg && nlmsg_append(msg, &any, sizeof(any), NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* What was not seen in this reading is gone. */
static void sweep(struct rb_watch_links *l)
{
	for (size_t i = l->naddrs; i-- > 0;)
		if (l->addrs[i].reading != l->reading) {
			struct rb_rtnl_addr gone = l->addrs[i].is;

			gone.gone = true;
			take_addr(l, &gone);
		}
	for (size_t i = l->nlinks; i-- > 0;)
		if (l->links[i].reading != l->reading)
			drop_link(l, &l->links[i]);
}

static int read_all(struct rb_watch_links *l)
{
	struct rb_netlink *nl;
	int err = rb_netlink_open(&nl, NETLINK_ROUTE);

	if (err)
		return err;
	l->reading++;
	err = rb_netlink_ask(nl, make_question(RTM_GETLINK), take, l);
	if (!err)
		err = rb_netlink_ask(nl, make_question(RTM_GETADDR), take, l);
	rb_netlink_close(nl);
	if (!err)
		sweep(l);
	return err;
}

int rb_watch_links_open(struct rb_watch *w)
{
	static const int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
				      RTNLGRP_IPV6_IFADDR, 0 };
	struct rb_watch_links *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->w = w;
	w->links = l;
	err = rb_netlink_listen(&l->netlink, NETLINK_ROUTE, groups);
	if (!err) {
		l->quiet = true;
		err = read_all(l);
		l->quiet = false;
	}
	if (err)
		rb_watch_links_close(w);
	return err;
}

void rb_watch_links_close(struct rb_watch *w)
{
	struct rb_watch_links *l = w->links;

	if (!l)
		return;
	rb_netlink_close(l->netlink);
	free(l->links);
	free(l->addrs);
	free(l);
	w->links = NULL;
}

int rb_watch_links_fd(const struct rb_watch *w)
{
	return w->links ? rb_netlink_fd(w->links->netlink) : -1;
}

void rb_watch_links_news(struct rb_watch *w)
{
	struct rb_watch_links *l = w->links;

	if (rb_netlink_drain(l->netlink, take, l) != -ENOBUFS)
		return;
	rb_watch_tell(w, "messages_lost", NULL,
		      "the kernel had more news than could be read");
	read_all(l);
}
