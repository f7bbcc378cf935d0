/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnl - network interfaces and addresses in the messages of rtnetlink(7)
 */
#include "host/rtnl.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "host/netlink.h"

static unsigned int vlan_of(struct nlattr *linkinfo)
{
	struct nlattr *info[IFLA_INFO_MAX + 1], *data[IFLA_VLAN_MAX + 1];

	if (!linkinfo ||
	    nla_parse_nested(info, IFLA_INFO_MAX, linkinfo, NULL) < 0 ||
	    !info[IFLA_INFO_KIND] || !info[IFLA_INFO_DATA] ||
	    nla_strcmp(info[IFLA_INFO_KIND], "vlan") ||
	    nla_parse_nested(data, IFLA_VLAN_MAX, info[IFLA_INFO_DATA], NULL) <
		    0 ||
	    !data[IFLA_VLAN_ID])
		return 0;
	return nla_get_u16(data[IFLA_VLAN_ID]);
}

bool rb_rtnl_link(struct nlmsghdr *message, struct rb_rtnl_link *link)
{
	struct nlattr *attrs[IFLA_MAX + 1];
	const struct ifinfomsg *info;

	if ((message->nlmsg_type != RTM_NEWLINK &&
	     message->nlmsg_type != RTM_DELLINK) ||
	    nlmsg_parse(message, sizeof(*info), attrs, IFLA_MAX, NULL) < 0 ||
	    !attrs[IFLA_IFNAME])
		return false;
	info = nlmsg_data(message);
	/* a bridge tells of its ports in messages of its own family */
	if (info->ifi_family != AF_UNSPEC)
		return false;
	memset(link, 0, sizeof(*link));
	link->ifindex = info->ifi_index;
	link->gone = message->nlmsg_type == RTM_DELLINK;
	link->flags = info->ifi_flags;
	nla_strlcpy(link->name, attrs[IFLA_IFNAME], sizeof(link->name));
	if (attrs[IFLA_MTU])
		link->mtu = nla_get_u32(attrs[IFLA_MTU]);
	if (attrs[IFLA_OPERSTATE])
		link->operstate = nla_get_u8(attrs[IFLA_OPERSTATE]);
	if (attrs[IFLA_ADDRESS] &&
	    nla_len(attrs[IFLA_ADDRESS]) == (int)sizeof(link->mac))
		memcpy(link->mac, nla_data(attrs[IFLA_ADDRESS]),
		       sizeof(link->mac));
	link->vlan = vlan_of(attrs[IFLA_LINKINFO]);
	return true;
}

bool rb_rtnl_addr(struct nlmsghdr *message, struct rb_rtnl_addr *addr)
{
	struct nlattr *attrs[IFA_MAX + 1], *value;
	const struct ifaddrmsg *info;

	if ((message->nlmsg_type != RTM_NEWADDR &&
	     message->nlmsg_type != RTM_DELADDR) ||
	    nlmsg_parse(message, sizeof(*info), attrs, IFA_MAX, NULL) < 0)
		return false;
	info = nlmsg_data(message);
	/* of a point-to-point link, "address" is the other end's */
	value = attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS];
	if (!value)
		return false;
	memset(addr, 0, sizeof(*addr));
	addr->ifindex = (int)info->ifa_index;
	addr->gone = message->nlmsg_type == RTM_DELADDR;
	addr->prefix = info->ifa_prefixlen;
	if (info->ifa_family == AF_INET && nla_len(value) == 4) {
		memset(&addr->addr.s6_addr[10], 0xff, 2);
		memcpy(&addr->addr.s6_addr[12], nla_data(value), 4);
		return true;
	}
	if (info->ifa_family != AF_INET6 ||
	    nla_len(value) != (int)sizeof(addr->addr))
		return false;
	memcpy(&addr->addr, nla_data(value), sizeof(addr->addr));
	return true;
}

static void take_link(struct nlmsghdr *message, void *arg)
{
	struct rb_rtnl_link link;

	if (rb_rtnl_link(message, &link))
		*(struct rb_rtnl_link *)arg = link;
}

static struct nl_msg *make_question(int ifindex)
{
	struct ifinfomsg info = { .ifi_index = ifindex };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST);

	if (msg && nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

unsigned int rb_rtnl_vlan(int ifindex, const char *name)
{
	struct rb_rtnl_link link = { 0 };
	struct rb_netlink *nl;

	if (rb_netlink_open(&nl, NETLINK_ROUTE))
		return 0;
	rb_netlink_ask(nl, make_question(ifindex), take_link, &link);
	rb_netlink_close(nl);
	return strcmp(link.name, name) ? 0 : link.vlan;
}
