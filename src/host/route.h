/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * route - ask the kernel which way a packet from here to there would go
 *
 * RTM_GETROUTE of rtnetlink(7) with source and destination, so that policy
 * rules by source have their say. The interface itself must not be asked for:
 * IPv4 then answers "on link" even where no route exists. What is given as
 * scope is the VRF that the source belongs to, or the link of an IPv6
 * link-local destination.
 */
#ifndef RB_ROUTE_H
#define RB_ROUTE_H

#include <netinet/in.h>
#include <stdbool.h>

struct rb_route; /* a netlink socket; one thread at a time */

struct rb_route_hop {
	int ifindex;  /* the interface out; 0: there is no route */
	bool gateway; /* through a router */
	bool local;   /* the destination is an address of this host */
};

/* 0 and sets *@routep (owned by the caller), or -errno (not reported). */
int rb_route_open(struct rb_route **routep);
void rb_route_close(struct rb_route *route);

/*
 * The way from @src to @dst (IPv4 mapped) within @scope (an ifindex; 0: none).
 * "No route" is an answer: 0 with ifindex 0. -errno (not reported) when the
 * kernel gave none; it is awaited for two seconds at most.
 */
int rb_route_lookup(struct rb_route *route, const struct in6_addr *src,
		    const struct in6_addr *dst, int scope,
		    struct rb_route_hop *hop);

/*
 * Whether @hop leaves over @ifindex; a local destination is reached from
 * everywhere.
 */
bool rb_route_hop_over(const struct rb_route_hop *hop, int ifindex);

#endif
