/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * addr - addresses, GIDs and routes as a snapshot has them
 */
#ifndef RB_DIAG_ADDR_H
#define RB_DIAG_ADDR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rb_subject;

struct rb_addr {
	unsigned int len; /* 4, 16; 0: none */
	uint8_t b[16];
};

#define RB_ADDR_TEXT 64

/* An address of either family; ::ffff:10.0.0.1 is IPv4. */
bool rb_addr_parse(const char *text, struct rb_addr *addr);
const char *rb_addr_text(const struct rb_addr *addr,
			 char text[static RB_ADDR_TEXT]);
bool rb_addr_same(const struct rb_addr *a, const struct rb_addr *b);
/* Whether the first @bits of both are the same. */
bool rb_addr_near(const struct rb_addr *a, const struct rb_addr *b,
		  unsigned int bits);
bool rb_addr_link_local(const struct rb_addr *addr);

#define RB_GIDS_MOST 256

struct rb_gid_fact {
	int index;
	struct rb_addr addr;
	bool v2; /* RoCE v2 */
	const char *netdev; /* NULL: none, or not in this network namespace */
	const char *text, *type;
	int worth; /* the higher, the better to use */
};

/* The GIDs of the port; returns their number. */
size_t rb_gid_facts(const struct rb_subject *s,
		    struct rb_gid_fact v[static RB_GIDS_MOST]);

/*
 * The one that programs should use: RoCE v2 before v1; IPv4 and global IPv6
 * before unique local before link-local; of the port's own interface, not a
 * VLAN. False: there is none.
 */
bool rb_gid_best(const struct rb_subject *s, struct rb_gid_fact *best);

/* The one that is in use: what the user named, else the best. */
bool rb_gid_used(const struct rb_subject *s, struct rb_gid_fact *used);

/* Prefix length of @addr on @netdev by its addresses; 0: it has it not. */
unsigned int rb_addr_prefix(const json_t *netdev, const struct rb_addr *addr);

struct rb_road {
	bool found;
	const char *netdev; /* where it leaves */
	bool gateway;
};

/*
 * Which way a packet from @from to @to would go by rules and routes of the
 * snapshot; with @netdev only by that one (NULL: any).
 */
struct rb_road rb_road_find(const json_t *doc, const struct rb_addr *from,
			    const struct rb_addr *to, const char *netdev);

#endif
