/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gidpair - choose the pair of GIDs through which two ends reach each other
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "host/netdev.h"
#include "verbs/gid.h"

#define KINDS_TEXT 128
#define END_TEXT 128
#define PAIRS_SHOWN 32 /* lines of reasoning */

/* One candidate, with what the criteria look at. */
struct pair {
	const struct rb_gid_table *local_table, *peer_table;
	const struct rb_gid *local, *peer;
	const struct in6_addr *local_addr, *peer_addr; /* or NULL */
};

static const struct in6_addr *addr_of(const struct rb_gid *gid)
{
	return (const struct in6_addr *)(const void *)gid->raw.raw;
}

static bool is_v4(const struct rb_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED(addr_of(gid));
}

/* fe80::/10, or 169.254.0.0/16 of RFC 3927 */
static bool is_link_local(const struct rb_gid *gid)
{
	if (gid->type == RB_GID_IB)
		return false;
	return IN6_IS_ADDR_LINKLOCAL(addr_of(gid)) ||
	       (is_v4(gid) && gid->raw.raw[12] == 169 &&
		gid->raw.raw[13] == 254);
}

static bool reach_bit(const struct rb_gid_table *table,
		      const struct rb_gid *from,
		      const struct rb_gid_table *to_table,
		      const struct rb_gid *to)
{
	size_t i = (size_t)(from - table->v), j = (size_t)(to - to_table->v);

	return !table->has_reach || i >= RB_ARRAY_SIZE(table->reach) ||
	       j >= RB_ARRAY_SIZE(table->reach) || (table->reach[i] >> j & 1);
}

static unsigned int is_up(const struct pair *p)
{
	return !p->local->netdev_down && !p->local->stale &&
	       !p->peer->netdev_down && !p->peer->stale;
}

static unsigned int is_reachable(const struct pair *p)
{
	return reach_bit(p->local_table, p->local, p->peer_table, p->peer) &&
	       reach_bit(p->peer_table, p->peer, p->local_table, p->local);
}

static unsigned int is_v2(const struct pair *p)
{
	return p->local->type == RB_GID_ROCE_V2;
}

/* How many of the two ends have the address of the side channel. */
static unsigned int is_channel(const struct pair *p)
{
	return (p->local_addr &&
		IN6_ARE_ADDR_EQUAL(addr_of(p->local), p->local_addr)) +
	       (p->peer_addr &&
		IN6_ARE_ADDR_EQUAL(addr_of(p->peer), p->peer_addr));
}

static bool same_prefix(const struct rb_gid *a, const struct rb_gid *b,
			unsigned int bits)
{
	const unsigned int mapped_bits = 96;
	unsigned int whole, rest;
	uint8_t mask;

	if (is_v4(a))
		bits += mapped_bits;
	whole = RB_MIN(bits, 128) / RB_BITS_PER_BYTE;
	rest = RB_MIN(bits, 128) % RB_BITS_PER_BYTE;
	mask = (uint8_t)(0xff00u >> rest);
	return !memcmp(a->raw.raw, b->raw.raw, whole) &&
	       (!rest || !((a->raw.raw[whole] ^ b->raw.raw[whole]) & mask));
}

/*
 * By the prefix of each end that knows one. Link-local prefixes are the same on
 * every link: that two ends share one says nothing.
 */
static unsigned int is_one_subnet(const struct pair *p)
{
	const struct rb_gid *a = p->local, *b = p->peer;

	if (a->type == RB_GID_IB)
		return a->raw.global.subnet_prefix ==
		       b->raw.global.subnet_prefix;
	return !is_link_local(a) && (a->prefix || b->prefix) &&
	       (!a->prefix || same_prefix(a, b, a->prefix)) &&
	       (!b->prefix || same_prefix(a, b, b->prefix));
}

static unsigned int is_global(const struct pair *p)
{
	return !is_link_local(p->local) && !is_link_local(p->peer);
}

static unsigned int is_ipv4(const struct pair *p)
{
	return is_v4(p->local);
}

/* Most important first: the order that gid.h promises. */
static const struct {
	const char *name;
	unsigned int (*score)(const struct pair *p);
} criteria[] = {
	{ "up", is_up },
	{ "reachable", is_reachable },
	{ "v2", is_v2 },
	{ "side-channel", is_channel },
	{ "one-subnet", is_one_subnet },
	{ "not-link-local", is_global },
	{ "IPv4", is_ipv4 },
};

/* All criteria in one number, the most important in its highest bits. */
static unsigned int score_of(const struct pair *p)
{
	const unsigned int bits = 2; /* no criterion says more than 2 */
	unsigned int score = 0;

	for (size_t c = 0; c < RB_ARRAY_SIZE(criteria); c++)
		score = score << bits | criteria[c].score(p);
	return score;
}

/* Whether @a is better than @b. */
static bool is_better(const struct pair *a, const struct pair *b)
{
	unsigned int x = score_of(a), y = score_of(b);

	if (x != y)
		return x > y;
	if (a->local->index != b->local->index)
		return a->local->index < b->local->index;
	return a->peer->index < b->peer->index;
}

static bool is_possible(const struct pair *p)
{
	return p->local->type == p->peer->type &&
	       is_v4(p->local) == is_v4(p->peer) &&
	       (p->local_table->wanted == UINT_MAX ||
		p->local_table->wanted == p->local->index) &&
	       (p->peer_table->wanted == UINT_MAX ||
		p->peer_table->wanted == p->peer->index);
}

int rb_gid_score(const struct rb_gid_table *local, unsigned int i,
		 const struct rb_gid_table *peer,
		 const struct in6_addr *local_addr,
		 const struct in6_addr *peer_addr)
{
	struct pair p = { .local_table = local,
			  .peer_table = peer,
			  .local = &local->v[i],
			  .local_addr = local_addr,
			  .peer_addr = peer_addr };
	int best = -1;

	for (unsigned int j = 0; j < peer->n; j++) {
		p.peer = &peer->v[j];
		if (is_possible(&p))
			best = RB_MAX(best, (int)score_of(&p));
	}
	return best;
}

static void show(const struct pair *p, const char *what)
{
	char text[256] = "", a[RB_GID_TEXT], b[RB_GID_TEXT];

	for (size_t c = 0; c < RB_ARRAY_SIZE(criteria); c++) {
		size_t n = strlen(text);

		if (criteria[c].score(p))
			snprintf(text + n, sizeof(text) - n, " %s",
				 criteria[c].name);
	}
	rb_info("%s: %s %u %s - %u %s:%s", what,
		rb_gid_type_name(p->local->type), p->local->index,
		rb_gid_text(&p->local->raw, a), p->peer->index,
		rb_gid_text(&p->peer->raw, b), text);
}

/* "'mlx5_0' port 1", "'mlx5_0' port 1 of the peer" */
static const char *end_name(const struct rb_gid_table *table, bool is_peer,
			    char text[static END_TEXT])
{
	snprintf(text, END_TEXT, "'%.64s' port %u%s", table->device,
		 table->port, is_peer ? " of the peer" : "");
	return text;
}

/* Reports where an end has nothing to offer. */
static int check_end(const struct rb_gid_table *table, bool is_peer)
{
	char end[END_TEXT], filled[END_TEXT] = "";

	end_name(table, is_peer, end);
	if (!table->n)
		return rb_fail(RB_FAULT_NO_GID, -ENOENT,
			       "the GID table of %s is empty", end);
	if (table->wanted == UINT_MAX)
		return 0;
	for (unsigned int i = 0; i < table->n; i++) {
		size_t n = strlen(filled);

		if (table->v[i].index == table->wanted)
			return 0;
		snprintf(filled + n, sizeof(filled) - n, " %u",
			 table->v[i].index);
	}
	return rb_fail(RB_FAULT_GID_INDEX, -EADDRNOTAVAIL,
		       "GID index %u of %s is empty (filled:%s)", table->wanted,
		       end, filled);
}

/* What an end could offer: the wanted entry, or the kinds that it has. */
static void list_kinds(const struct rb_gid_table *table,
		       char text[static KINDS_TEXT])
{
	bool seen[RB_GID_ROCE_V2 + 1][2] = { { false } };
	char address[RB_GID_TEXT];

	text[0] = '\0';
	for (unsigned int i = 0; i < table->n; i++) {
		const struct rb_gid *g = &table->v[i];
		size_t n = strlen(text);

		if (table->wanted == g->index)
			snprintf(text, KINDS_TEXT, "index %u is %s %s",
				 g->index, rb_gid_type_name(g->type),
				 rb_gid_text(&g->raw, address));
		if (table->wanted != UINT_MAX || seen[g->type][is_v4(g)])
			continue;
		seen[g->type][is_v4(g)] = true;
		snprintf(text + n, KINDS_TEXT - n, "%s%s%s", n ? ", " : "",
			 rb_gid_type_name(g->type),
			 g->type == RB_GID_IB ? "" :
			 is_v4(g)	      ? " IPv4" :
						" IPv6");
	}
}

static int report_mismatch(const struct rb_gid_table *local,
			   const struct rb_gid_table *peer)
{
	char here[KINDS_TEXT], there[KINDS_TEXT], a[END_TEXT], b[END_TEXT];

	list_kinds(local, here);
	list_kinds(peer, there);
	return rb_fail(RB_FAULT_GID_MISMATCH, -ENOENT,
		       "no GID of %s (%s) fits one of %s (%s)",
		       end_name(local, false, a), here, end_name(peer, true, b),
		       there);
}

static void warn_end(const struct rb_gid *gid, const char *whose)
{
	char text[RB_GID_TEXT];

	if (gid->netdev_down)
		rb_warn("gid_netdev_down",
			"%s GID %u (%s) lies on '%s', which is down", whose,
			gid->index, rb_gid_text(&gid->raw, text), gid->netdev);
	if (gid->stale)
		rb_warn("gid_stale",
			"%s GID %u: %s is no address of its network interface (any more)",
			whose, gid->index, rb_gid_text(&gid->raw, text));
}

/* Say what is wrong even with the best pair. */
static void warn_about(const struct pair *p)
{
	bool there =
		reach_bit(p->local_table, p->local, p->peer_table, p->peer);
	bool back = reach_bit(p->peer_table, p->peer, p->local_table, p->local);
	char a[RB_GID_TEXT], b[RB_GID_TEXT];

	warn_end(p->local, "our");
	warn_end(p->peer, "the peer's");
	if (!there || !back)
		rb_warn("gid_unreachable",
			"no route of %s leads from %s to %s over '%s'",
			there ? "the peer" : "this host",
			rb_gid_text(there ? &p->peer->raw : &p->local->raw, a),
			rb_gid_text(there ? &p->local->raw : &p->peer->raw, b),
			there ? p->peer->netdev : p->local->netdev);
}

static bool find_best(const struct pair *ends, struct pair *best)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ends->local_table->n; i++) {
		for (unsigned int j = 0; j < ends->peer_table->n; j++) {
			struct pair p = *ends;

			p.local = &p.local_table->v[i];
			p.peer = &p.peer_table->v[j];
			if (!is_possible(&p))
				continue;
			if (n++ < PAIRS_SHOWN)
				show(&p, "GID pair");
			if (n == 1 || is_better(&p, best))
				*best = p;
		}
	}
	return n > 0;
}

int rb_gid_choose(const struct rb_gid_table *local,
		  const struct rb_gid_table *peer,
		  const struct sockaddr *local_addr,
		  const struct sockaddr *peer_addr, struct rb_gid_pair *pair)
{
	struct in6_addr la, pa;
	struct pair ends = { .local_table = local, .peer_table = peer }, best;
	int err = check_end(local, false);

	if (!err)
		err = check_end(peer, true);
	if (err)
		return err;
	if (rb_netaddr_normal(local_addr, &la))
		ends.local_addr = &la;
	if (rb_netaddr_normal(peer_addr, &pa))
		ends.peer_addr = &pa;
	if (!find_best(&ends, &best))
		return report_mismatch(local, peer);
	show(&best, "GIDs chosen");
	warn_about(&best);
	pair->local = *best.local;
	pair->peer = *best.peer;
	return 0;
}
