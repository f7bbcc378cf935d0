/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * netdev - facts of network interfaces, and who holds which address
 */
#include "host/netdev.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "host/rtnl.h"
#include "host/sysfs.h"

#define BITS_PER_MBIT 1000000ull
#define LOWER "lower_" /* links from a stacked netdev to those below it */

static enum rb_netdev_state state_of(const struct rb_netdev *netdev)
{
	uint64_t flags;

	if (rb_sysfs_u64(&flags, "class/net/%s/flags", netdev->name))
		return RB_NETDEV_UNKNOWN;
	if (!(flags & IFF_UP))
		return RB_NETDEV_DOWN;
	/* drivers that do not know of a carrier leave it at "unknown" */
	if (!netdev->operstate[0] || !strcmp(netdev->operstate, "up") ||
	    !strcmp(netdev->operstate, "unknown"))
		return RB_NETDEV_UP;
	return RB_NETDEV_NO_CARRIER;
}

static void read_vlan(struct rb_netdev *netdev)
{
	char type[32];
	struct rb_names names;
	const char *dot = strrchr(netdev->name, '.');

	if (rb_sysfs_text(type, sizeof(type), "class/net/%s/uevent",
			  netdev->name) ||
	    strcmp(type, "DEVTYPE=vlan"))
		return;
	rb_sysfs_list(&names, "class/net/%s", netdev->name);
	for (unsigned int i = 0; i < names.n; i++)
		if (!strncmp(names.v[i], LOWER, strlen(LOWER)))
			snprintf(netdev->base, sizeof(netdev->base), "%s",
				 names.v[i] + strlen(LOWER));
	rb_names_free(&names);
	/* the kernel gives the id through netlink only; names tell it mostly */
	netdev->vlan = rb_rtnl_vlan(netdev->ifindex, netdev->name);
	if (!netdev->vlan && dot)
		netdev->vlan = (unsigned int)strtoul(dot + 1, NULL, 10);
}

unsigned int rb_netdev_index(const char *name)
{
	/* asked for a name that it does not know, even an empty one, the kernel
	 * runs modprobe first (net/core/dev_ioctl.c, dev_load) */
	return name[0] ? if_nametoindex(name) : 0;
}

int rb_netdev_read(const char *name, struct rb_netdev *netdev)
{
	struct rb_netdev nd = { 0 };
	uint64_t v;
	int mbits;

	if (!name[0] || strlen(name) >= sizeof(nd.name) || strchr(name, '/'))
		return -ENODEV;
	memcpy(nd.name, name, strlen(name) + 1);
	if (rb_sysfs_int(&nd.ifindex, "class/net/%s/ifindex", name))
		nd.ifindex = (int)rb_netdev_index(name);
	if (nd.ifindex <= 0)
		return -ENODEV;
	rb_sysfs_text(nd.operstate, sizeof(nd.operstate),
		      "class/net/%s/operstate", name);
	nd.state = state_of(&nd);
	if (!rb_sysfs_u64(&v, "class/net/%s/mtu", name))
		nd.mtu = (unsigned int)v;
	/* -1 or an error where the link is down or its speed has no meaning */
	if (!rb_sysfs_int(&mbits, "class/net/%s/speed", name) && mbits > 0)
		nd.bits_per_s = (uint64_t)mbits * BITS_PER_MBIT;
	rb_sysfs_link(nd.driver, sizeof(nd.driver),
		      "class/net/%s/device/driver", name);
	rb_sysfs_link(nd.master, sizeof(nd.master), "class/net/%s/master",
		      name);
	read_vlan(&nd);
	*netdev = nd;
	return 0;
}

bool rb_netdev_is_down(const struct rb_netdev *netdev)
{
	return netdev->state == RB_NETDEV_DOWN ||
	       netdev->state == RB_NETDEV_NO_CARRIER;
}

const char *rb_netdev_state_name(enum rb_netdev_state state)
{
	static const char *const names[] = { "unknown", "down",
					     "without carrier", "up" };

	return names[state];
}

bool rb_netaddr_normal(const struct sockaddr *sa, struct in6_addr *addr)
{
	const struct sockaddr_in *in = (const void *)sa;
	const struct sockaddr_in6 *in6 = (const void *)sa;

	if (sa && sa->sa_family == AF_INET6) {
		memcpy(addr, &in6->sin6_addr, sizeof(*addr));
		return true;
	}
	if (!sa || sa->sa_family != AF_INET)
		return false;
	memset(addr, 0, sizeof(*addr));
	memset(&addr->s6_addr[10], 0xff, 2);
	memcpy(&addr->s6_addr[12], &in->sin_addr, 4);
	return true;
}

static uint8_t mask_bits(const struct sockaddr *mask)
{
	const struct sockaddr_in *in = (const void *)mask;
	const struct sockaddr_in6 *in6 = (const void *)mask;
	unsigned int bits = 0;

	if (!mask)
		return 0;
	if (mask->sa_family == AF_INET)
		return (uint8_t)__builtin_popcount(in->sin_addr.s_addr);
	for (size_t i = 0; i < sizeof(in6->sin6_addr.s6_addr); i++)
		bits += (unsigned int)__builtin_popcount(
			in6->sin6_addr.s6_addr[i]);
	return (uint8_t)bits;
}

int rb_netaddrs_read(struct rb_netaddrs *list)
{
	struct ifaddrs *all;
	size_t n = 0;

	memset(list, 0, sizeof(*list));
	if (getifaddrs(&all))
		return -errno;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		n++;
	list->v = calloc(n + 1, sizeof(*list->v));
	for (const struct ifaddrs *a = all; a && list->v; a = a->ifa_next) {
		struct rb_netaddr *to = &list->v[list->n];

		if (!rb_netaddr_normal(a->ifa_addr, &to->addr))
			continue;
		to->prefix = mask_bits(a->ifa_netmask);
		snprintf(to->netdev, sizeof(to->netdev), "%s", a->ifa_name);
		list->n++;
	}
	freeifaddrs(all);
	return list->v ? 0 : -ENOMEM;
}

void rb_netaddrs_free(struct rb_netaddrs *list)
{
	free(list->v);
	memset(list, 0, sizeof(*list));
}

const struct rb_netaddr *rb_netaddrs_find(const struct rb_netaddrs *list,
					  const struct in6_addr *addr,
					  const char *netdev)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (IN6_ARE_ADDR_EQUAL(&list->v[i].addr, addr) &&
		    (!netdev || !strcmp(list->v[i].netdev, netdev)))
			return &list->v[i];
	return NULL;
}

int rb_netdev_by_addr(const struct sockaddr *sa, char name[static IFNAMSIZ])
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct rb_netaddr *found = NULL;
	struct rb_netaddrs list;
	struct in6_addr addr;

	if (!rb_netaddr_normal(sa, &addr) || rb_netaddrs_read(&list))
		return -ENOENT;
	/* a link-local address exists on every link: its scope tells which */
	if (IN6_IS_ADDR_LINKLOCAL(&addr) && in6->sin6_scope_id &&
	    if_indextoname(in6->sin6_scope_id, name))
		found = rb_netaddrs_find(&list, &addr, name);
	else
		found = rb_netaddrs_find(&list, &addr, NULL);
	if (found)
		memcpy(name, found->netdev, IFNAMSIZ);
	rb_netaddrs_free(&list);
	return found ? 0 : -ENOENT;
}
