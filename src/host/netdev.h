/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * netdev - facts of network interfaces, and who holds which address
 *
 * Addresses are kept in one form, IPv6 with IPv4 mapped into it, which is also
 * the form in which a RoCE GID holds them.
 */
#ifndef RB_NETDEV_H
#define RB_NETDEV_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

#define RB_DRIVER_NAME 32

enum rb_netdev_state {
	RB_NETDEV_UNKNOWN,
	RB_NETDEV_DOWN,	      /* switched off: 'ip link set ... up' */
	RB_NETDEV_NO_CARRIER, /* switched on, but there is no link */
	RB_NETDEV_UP,
};

struct rb_netdev {
	char name[IFNAMSIZ];
	int ifindex; /* 0: unknown */
	enum rb_netdev_state state;
	char operstate[16];	     /* the kernel's word; "" when unknown */
	unsigned int mtu;	     /* 0: unknown */
	uint64_t bits_per_s;	     /* 0: unknown */
	char driver[RB_DRIVER_NAME]; /* "" for a virtual one */
	char master[IFNAMSIZ]; /* VRF, bond or bridge that it belongs to; "" */
	char base[IFNAMSIZ];   /* what a VLAN lies on; "" for another kind */
	unsigned int vlan;     /* VLAN id; 0: none or unknown */
};

/* The index of a netdev; 0 for an empty name or none such. */
unsigned int rb_netdev_index(const char *name);

/* Read the facts of @name: 0 or -ENODEV (not reported). */
int rb_netdev_read(const char *name, struct rb_netdev *netdev);

/* It is known that nothing can pass: off, or without a link. */
bool rb_netdev_is_down(const struct rb_netdev *netdev);

/* "up", "down", "without carrier", "unknown" */
const char *rb_netdev_state_name(enum rb_netdev_state state);

struct rb_netaddr {
	struct in6_addr addr;
	uint8_t prefix; /* bits, of the address's own family */
	char netdev[IFNAMSIZ];
};

/* The addresses of this network namespace. */
struct rb_netaddrs {
	unsigned int n;
	struct rb_netaddr *v;
};

/* 0 or -errno (not reported; the list is empty then). The caller frees it. */
int rb_netaddrs_read(struct rb_netaddrs *list);
void rb_netaddrs_free(struct rb_netaddrs *list);

/* The entry with @addr, on @netdev unless that is NULL; NULL when none is. */
const struct rb_netaddr *rb_netaddrs_find(const struct rb_netaddrs *list,
					  const struct in6_addr *addr,
					  const char *netdev);

/* The IP address of @sa in the one form; false for another family. */
bool rb_netaddr_normal(const struct sockaddr *sa, struct in6_addr *addr);

/* The netdev that holds the local address @sa: 0 or -ENOENT (not reported). */
int rb_netdev_by_addr(const struct sockaddr *sa, char name[static IFNAMSIZ]);

#endif
