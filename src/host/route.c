/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * route - ask the kernel which way a packet from here to there would go
 */
#include "host/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/base.h"
#include "host/netlink.h"

#define V4_IN_V6 12 /* where an IPv4 address begins in its mapped form */

struct rb_route {
	struct rb_netlink *netlink;
};

static bool is_way(unsigned char type)
{
	return type == RTN_UNICAST || type == RTN_LOCAL || type == RTN_ANYCAST;
}

static void take_route(struct nlmsghdr *message, void *arg)
{
	struct nlattr *attrs[RTA_MAX + 1];
	const struct rtmsg *rtm;
	struct rb_route_hop *hop = arg;

	if (message->nlmsg_type != RTM_NEWROUTE ||
	    nlmsg_parse(message, sizeof(*rtm), attrs, RTA_MAX, NULL) < 0)
		return;
	rtm = nlmsg_data(message);
	if (!is_way(rtm->rtm_type))
		return;
	if (attrs[RTA_OIF])
		hop->ifindex = (int)nla_get_u32(attrs[RTA_OIF]);
	hop->gateway = attrs[RTA_GATEWAY] || attrs[RTA_VIA];
	hop->local = rtm->rtm_type == RTN_LOCAL;
}

int rb_route_open(struct rb_route **routep)
{
	struct rb_route *route = calloc(1, sizeof(*route));
	int err;

	if (!route)
		return -ENOMEM;
	err = rb_netlink_open(&route->netlink, NETLINK_ROUTE);
	if (err) {
		free(route);
		return err;
	}
	*routep = route;
	return 0;
}

void rb_route_close(struct rb_route *route)
{
	if (!route)
		return;
	rb_netlink_close(route->netlink);
	free(route);
}

static struct nl_msg *make_question(const struct in6_addr *src,
				    const struct in6_addr *dst, int scope)
{
	bool v4 = IN6_IS_ADDR_V4MAPPED(dst);
	size_t from = v4 ? V4_IN_V6 : 0;
	int len = (int)(sizeof(*dst) - from);
	struct rtmsg rtm = {
		.rtm_family = v4 ? AF_INET : AF_INET6,
		.rtm_dst_len = (unsigned char)(len * RB_BITS_PER_BYTE),
		.rtm_src_len = (unsigned char)(len * RB_BITS_PER_BYTE),
	};
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST);

	if (!msg)
		return NULL;
	if (nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO) ||
	    nla_put(msg, RTA_DST, len, dst->s6_addr + from) ||
	    nla_put(msg, RTA_SRC, len, src->s6_addr + from) ||
	    (scope && nla_put_u32(msg, RTA_OIF, (uint32_t)scope))) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Refusals that mean "there is no such way". */
static bool is_unreachable(int err)
{
	return err == -ENETUNREACH || err == -EHOSTUNREACH || err == -EACCES ||
	       err == -EINVAL || err == -EADDRNOTAVAIL;
}

int rb_route_lookup(struct rb_route *route, const struct in6_addr *src,
		    const struct in6_addr *dst, int scope,
		    struct rb_route_hop *hop)
{
	struct rb_route_hop found = { 0 };
	int err;

	if (!IN6_IS_ADDR_V4MAPPED(src) != !IN6_IS_ADDR_V4MAPPED(dst))
		return -EAFNOSUPPORT;
	err = rb_netlink_ask(route->netlink, make_question(src, dst, scope),
			     take_route, &found);
	if (err && !is_unreachable(err))
		return err;
	*hop = found;
	return 0;
}

bool rb_route_hop_over(const struct rb_route_hop *hop, int ifindex)
{
	return hop->local || (hop->ifindex && hop->ifindex == ifindex);
}
