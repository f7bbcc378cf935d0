/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnl - network interfaces and addresses in the messages of rtnetlink(7)
 */
#ifndef RB_RTNL_H
#define RB_RTNL_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct nlmsghdr;

/* Of operstate; <linux/if.h> has them and cannot stand beside <net/if.h>. */
enum { RB_RTNL_OPER_UNKNOWN = 0, RB_RTNL_OPER_UP = 6 };

struct rb_rtnl_link {
	int ifindex;
	bool gone; /* the message is about its removal */
	char name[IFNAMSIZ];
	unsigned int flags; /* IFF_UP ... */
	unsigned int mtu;
	uint8_t operstate; /* RB_RTNL_OPER_UP ... */
	uint8_t mac[6];	   /* all zero: none, or of another kind */
	unsigned int vlan; /* id; 0: none */
};

struct rb_rtnl_addr {
	int ifindex;
	bool gone;
	struct in6_addr addr; /* IPv4 mapped */
	uint8_t prefix;
};

/* Read a message; false when it is of another kind. */
bool rb_rtnl_link(struct nlmsghdr *message, struct rb_rtnl_link *link);
bool rb_rtnl_addr(struct nlmsghdr *message, struct rb_rtnl_addr *addr);

/*
 * The VLAN id of an interface; 0 where it has none, or where @ifindex is not
 * called @name here.
 */
unsigned int rb_rtnl_vlan(int ifindex, const char *name);

#endif
