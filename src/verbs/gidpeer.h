/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gidpeer - which GID is right for a peer of which only the address is known
 *
 * Nothing is asked of the peer. What this host knows is enough to say which of
 * its entries can send there: the family, the route from the entry's address
 * and the network interface that it leads over. Those that can are ordered by
 * the criteria of gid.h, with the address as the peer's whole table.
 */
#ifndef RB_GIDPEER_H
#define RB_GIDPEER_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>

#include "host/netdev.h"
#include "verbs/gid.h"

struct rb_dev;
struct rb_route;
struct sockaddr;

#define RB_GID_REASONS 6
#define RB_GID_REASON_TEXT 192

struct rb_gid_peer {
	struct in6_addr addr; /* IPv4 mapped */
	int ifindex;	      /* of a link-local address's link; 0: none */
	bool has_source;
	struct in6_addr source; /* what this host would send from */
	struct rb_route *route;
	struct rb_gid_table *table; /* what the criteria take for the peer's */
};

/* One entry of a port, and what there is to say about it. */
struct rb_gid_view {
	const struct rb_dev *dev;
	const struct rb_gid_table *table;
	const struct rb_gid *gid; /* in table */
	struct rb_netdev netdev;  /* ifindex 0: not to be seen here */
	/* of a peer */
	bool judged;
	bool usable;
	int score;	   /* of those that are usable; higher is better */
	unsigned int rank; /* 1 is the one to use; 0: not usable */
	unsigned int nreasons;
	struct {
		const char *id; /* stable */
		char text[RB_GID_REASON_TEXT];
	} reasons[RB_GID_REASONS]; /* why it is not, or less, right */
};

/*
 * Get ready to judge entries for @sa. 0, or -errno (reported: a link-local
 * address without its interface is a usage failure). Close it in any case.
 */
int rb_gid_peer_open(struct rb_gid_peer *peer, const struct sockaddr *sa);
void rb_gid_peer_close(struct rb_gid_peer *peer);

/* Entry @i of @table, of the port that @dev stands at. */
void rb_gid_view_init(struct rb_gid_view *view, const struct rb_dev *dev,
		      const struct rb_gid_table *table, unsigned int i);

/* Set what concerns the peer but the rank. */
void rb_gid_view_judge(struct rb_gid_view *view, struct rb_gid_peer *peer);

/*
 * Number the usable ones of @n by how right they are. Returns the best, or NULL
 * when no entry reaches the peer.
 */
const struct rb_gid_view *rb_gid_views_rank(struct rb_gid_view *views,
					    size_t n);

/* "link-local", "loopback", "unique-local", "global", "subnet" (InfiniBand) */
const char *rb_gid_scope(const struct rb_gid *gid);

/* The element of "gids" in the document; a new reference. */
json_t *rb_gid_view_json(const struct rb_gid_view *view);

#endif
