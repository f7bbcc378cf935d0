/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gid_tables - GID tables as machines have them, for the tests
 */
#ifndef RB_GID_TABLES_H
#define RB_GID_TABLES_H

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "verbs/gid.h"

enum { V1 = RB_GID_ROCE_V1, V2 = RB_GID_ROCE_V2, IB = RB_GID_IB };
enum { DOWN = 1, STALE = 2 };
enum { NO_REACH = 0, ALL = 0xff };

struct entry {
	int index; /* -1 ends the table */
	int type;
	const char *addr;
	unsigned int prefix, flags, reach;
};

#define END                                                                    \
	{                                                                      \
		-1, 0, NULL, 0, 0, 0                                           \
	}
#define ENTRIES 9
typedef struct entry table_rows[ENTRIES];

/* Tables as machines have them; reach: bit j is the peer's j-th entry. */
static const table_rows empty = { END };
/* a ConnectX port with one IPv4 and one global IPv6 address */
static const table_rows mlx5_a = {
	{ 0, V1, "fe80::a", 64, 0, ALL },
	{ 1, V2, "fe80::a", 64, 0, ALL },
	{ 2, V1, "::ffff:10.0.0.1", 24, 0, ALL },
	{ 3, V2, "::ffff:10.0.0.1", 24, 0, ALL },
	{ 4, V1, "fd00::1", 64, 0, ALL },
	{ 5, V2, "fd00::1", 64, 0, ALL },
	END,
};
static const table_rows mlx5_b = {
	{ 0, V1, "fe80::b", 64, 0, ALL },
	{ 1, V2, "fe80::b", 64, 0, ALL },
	{ 2, V1, "fd00::2", 64, 0, ALL },
	{ 3, V2, "fd00::2", 64, 0, ALL },
	{ 6, V1, "::ffff:10.0.0.2", 24, 0, ALL },
	{ 7, V2, "::ffff:10.0.0.2", 24, 0, ALL },
	END,
};
static const table_rows v1_only = {
	{ 0, V1, "fe80::c", 64, 0, ALL },
	{ 1, V1, "::ffff:10.0.0.3", 24, 0, ALL },
	END,
};
static const table_rows link_local = {
	{ 0, V1, "fe80::d", 64, 0, ALL },
	{ 1, V2, "fe80::d", 64, 0, ALL },
	END,
};
static const table_rows v6_only = {
	{ 0, V2, "fe80::e", 64, 0, ALL },
	{ 2, V2, "fd00::e", 64, 0, ALL },
	END,
};
static const table_rows v4_only = { { 3, V2, "::ffff:10.0.0.4", 24, 0, ALL },
				    END };
/* two addresses of one port, the second in another subnet */
static const table_rows two_nets_a = {
	{ 0, V2, "::ffff:192.168.1.1", 24, 0, ALL },
	{ 1, V2, "::ffff:10.9.0.1", 16, 0, ALL },
	END,
};
static const table_rows two_nets_b = {
	{ 0, V2, "::ffff:192.168.2.2", 24, 0, ALL },
	{ 1, V2, "::ffff:10.9.7.2", 16, 0, ALL },
	END,
};
/* the first address of each leads nowhere: only 1 to 1 is routed */
static const table_rows routed_a = {
	{ 0, V2, "::ffff:10.0.0.1", 24, 0, 0 },
	{ 1, V2, "::ffff:172.16.0.1", 24, 0, 2 },
	END,
};
static const table_rows routed_b = {
	{ 0, V2, "::ffff:10.0.0.2", 24, 0, 0 },
	{ 1, V2, "::ffff:172.31.0.2", 24, 0, 2 },
	END,
};
/* there is a way there, but none back */
static const table_rows one_way_b = {
	{ 0, V2, "::ffff:10.0.0.2", 24, 0, 0 },
	{ 1, V2, "::ffff:172.31.0.2", 24, 0, 0 },
	END,
};
static const table_rows unrouted = {
	{ 0, V2, "::ffff:10.0.0.1", 24, 0, 0 },
	{ 1, V1, "::ffff:10.0.0.1", 24, 0, ALL },
	END,
};
static const table_rows vlan_down = {
	{ 0, V2, "::ffff:10.0.0.5", 24, DOWN, ALL },
	{ 1, V1, "::ffff:10.0.0.5", 24, 0, ALL },
	END,
};
static const table_rows was_moved = {
	{ 0, V2, "::ffff:10.0.0.6", 0, STALE, ALL },
	{ 1, V2, "::ffff:10.1.0.6", 16, 0, ALL },
	END,
};
static const table_rows all_down = {
	{ 2, V2, "::ffff:10.0.0.7", 24, DOWN, ALL }, END
};
static const table_rows ib_a = { { 0, IB, "fe80::2:c903:a1:1", 0, 0, ALL },
				 END };
static const table_rows ib_b = {
	{ 0, IB, "fec0:0:0:1:2:c903:a1:2", 0, 0, ALL },
	{ 1, IB, "fe80::2:c903:a1:3", 0, 0, ALL },
	END,
};
/* same type, family and net: only the index is left to decide */
static const table_rows twins_a = {
	{ 4, V2, "::ffff:10.0.0.9", 24, 0, ALL },
	{ 8, V2, "::ffff:10.0.0.8", 24, 0, ALL },
	END,
};
static const table_rows twins_b = {
	{ 9, V2, "::ffff:10.0.0.19", 24, 0, ALL },
	{ 5, V2, "::ffff:10.0.0.18", 24, 0, ALL },
	END,
};
/* a prefix that ends within a byte, and an IPv6 one of 127 bits */
static const table_rows odd_a = {
	{ 0, V2, "::ffff:10.0.16.1", 20, 0, ALL },
	{ 1, V2, "2001:db8::", 127, 0, ALL },
	END,
};
static const table_rows odd_b = {
	{ 0, V2, "::ffff:10.0.32.2", 20, 0, ALL },
	{ 1, V2, "2001:db8::1", 127, 0, ALL },
	END,
};
static const table_rows odd_c = { { 0, V2, "::ffff:10.0.31.2", 20, 0, ALL },
				  { 1, V2, "2001:db8::2", 127, 0, ALL },
				  END };

/* the side channel's addresses have v1 only */
static const table_rows mixed_a = {
	{ 0, V1, "::ffff:10.0.0.1", 24, 0, ALL },
	{ 1, V2, "::ffff:10.1.0.1", 24, 0, ALL },
	END,
};
static const table_rows mixed_b = {
	{ 0, V1, "::ffff:10.0.0.2", 24, 0, ALL },
	{ 1, V2, "::ffff:10.1.0.2", 24, 0, ALL },
	END,
};
/* a routed fabric: each host has its own subnet, and fe80:: all over */
static const table_rows rack_a = {
	{ 1, V2, "fe80::a", 64, 0, ALL },
	{ 3, V2, "::ffff:10.1.0.1", 24, 0, ALL },
	END,
};
static const table_rows rack_b = {
	{ 1, V2, "fe80::b", 64, 0, ALL },
	{ 3, V2, "::ffff:10.2.0.1", 24, 0, ALL },
	END,
};
/* addresses that nobody gave: 169.254/16 is link-local as well */
static const table_rows auto_a = {
	{ 0, V2, "::ffff:169.254.1.1", 16, 0, ALL },
	{ 1, V2, "fd00:1::1", 64, 0, ALL },
	END,
};
static const table_rows auto_b = {
	{ 0, V2, "::ffff:169.254.2.2", 16, 0, ALL },
	{ 1, V2, "fd00:2::2", 64, 0, ALL },
	END,
};

#define ANY UINT_MAX

static void fill(struct rb_gid_table *table, const struct entry *e,
		 unsigned int wanted, const char *device, unsigned int port)
{
	memset(table, 0, sizeof(*table));
	table->wanted = wanted;
	table->port = port;
	snprintf(table->device, sizeof(table->device), "%s", device);
	for (; e->index >= 0; e++) {
		struct rb_gid *g = &table->v[table->n];

		inet_pton(AF_INET6, e->addr, g->raw.raw);
		g->index = (unsigned int)e->index;
		g->type = (enum rb_gid_type)e->type;
		g->prefix = (uint8_t)e->prefix;
		g->netdev_down = e->flags & DOWN;
		g->stale = e->flags & STALE;
		snprintf(g->netdev, sizeof(g->netdev), "eth%u", port);
		table->reach[table->n++] = e->reach;
	}
	table->has_reach = true;
}

#endif
