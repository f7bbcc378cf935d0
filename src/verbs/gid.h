/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gid - the GIDs of a port, and the choice of a pair for two ends
 *
 * A RoCE port has a GID for each address of its network interface (and of the
 * VLANs above it) in each RoCE version. Two ends that choose alone easily
 * choose entries that cannot reach each other; so one end (the client) sees
 * both tables and chooses the pair. A pair is possible when both entries are of
 * one type and one address family, not empty, and named by -x where the user
 * did. Among the possible ones the best has, in this order:
 *   netdev up on both ends; reachable (a route of each host leads to the
 *   other's address over the entry's own netdev); RoCE v2 before v1; the
 *   addresses of the side channel itself; one subnet (a link-local prefix, which
 *   is the same on every link, is none); an address that is not link-local; IPv4
 *   before IPv6; the lowest indexes.
 * (Kernel: drivers/infiniband/core/roce_gid_mgmt.c and cache.c make the table;
 * sysfs names type and netdev: Documentation/ABI/stable/sysfs-class-infiniband.)
 */
#ifndef RB_GID_H
#define RB_GID_H

#include <infiniband/verbs.h>
#include <jansson.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rb_dev;
struct sockaddr;

#define RB_GID_MAX 256
#define RB_GID_TEXT INET6_ADDRSTRLEN

enum rb_gid_type { RB_GID_IB, RB_GID_ROCE_V1, RB_GID_ROCE_V2 };

struct rb_gid {
	union ibv_gid raw;
	unsigned int index;
	enum rb_gid_type type;
	char netdev[IFNAMSIZ]; /* "" when unknown */
	bool netdev_down;      /* known to be down */
	bool stale;	       /* its address is no longer on the netdev */
	bool elsewhere;	       /* its netdev is in another network namespace */
	uint8_t prefix;	       /* of the address on the netdev; 0: unknown */
};

struct rb_gid_table {
	unsigned int n;
	unsigned int wanted; /* index given by -x, or UINT_MAX */
	unsigned int port;
	char device[64]; /* with the port: whose table it is, for messages */
	struct rb_gid v[RB_GID_MAX];
	/* reach[i] bit j: a route leads from entry i to the peer's entry j over
	 * entry i's netdev; only where has_reach (both tables <= 64 entries) */
	bool has_reach;
	uint64_t reach[64];
};

struct rb_gid_pair {
	struct rb_gid local, peer;
};

/*
 * The filled entries of the port's table as verbs give them, by index: 0 and
 * an array that the caller frees, or -errno (not reported).
 */
int rb_gid_entries(const struct rb_dev *dev, struct ibv_gid_entry **entries,
		   unsigned int *n);

/*
 * Read the port's table; empty slots are left out. @wanted is what -x says
 * (RB_AUTO: nothing). 0 or -errno (reported: DEVICE_QUERY, GID_INDEX when the
 * wanted entry is not there).
 */
int rb_gid_table_read(const struct rb_dev *dev, uint64_t wanted,
		      struct rb_gid_table *table);

/* The same for a @table whose wanted is set, without any report. */
int rb_gid_table_scan(const struct rb_dev *dev, struct rb_gid_table *table);

/* Fill reach[] of @mine by asking the kernel's routes about @peer's entries. */
void rb_gid_table_reach(struct rb_gid_table *mine,
			const struct rb_gid_table *peer);

/* For the wire; a new reference. And the reverse, which trusts nothing: 0 or
 * -EPROTO (not reported). */
json_t *rb_gid_table_json(const struct rb_gid_table *table);
int rb_gid_table_load(struct rb_gid_table *table, const json_t *object);

/*
 * Choose the pair. @local_addr and @peer_addr are the side channel's addresses
 * (may be NULL). Pure but for reporting: returns 0, or -ENOENT / -EADDRNOTAVAIL
 * (reported as RB_FAULT_NO_GID, GID_INDEX or GID_MISMATCH, saying which end).
 * The reasoning goes to rb_info, one line a candidate pair.
 */
int rb_gid_choose(const struct rb_gid_table *local,
		  const struct rb_gid_table *peer,
		  const struct sockaddr *local_addr,
		  const struct sockaddr *peer_addr, struct rb_gid_pair *pair);

/*
 * By the same criteria, how good @local's entry @i is with the best of @peer's
 * for it: -1 when none is possible, else a higher number is better. Numbers of
 * different ports of one host may be compared. The addresses are the side
 * channel's, or what stands for them (may be NULL).
 */
int rb_gid_score(const struct rb_gid_table *local, unsigned int i,
		 const struct rb_gid_table *peer,
		 const struct in6_addr *local_addr,
		 const struct in6_addr *peer_addr);

/* "IB", "RoCE v1", "RoCE v2" */
const char *rb_gid_type_name(enum rb_gid_type type);

/* "10.0.0.1" for a v4-mapped GID, else canonical IPv6. */
const char *rb_gid_text(const union ibv_gid *raw, char buf[static RB_GID_TEXT]);

/* The GID as a socket address (port 0); returns its length. */
socklen_t rb_gid_sockaddr(const struct rb_gid *gid,
			  struct sockaddr_storage *addr);

/* { index, type, address, netdev }; a new reference. */
json_t *rb_gid_json(const struct rb_gid *gid);

#endif
