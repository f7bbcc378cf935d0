/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mates - which port of the other host a port talks to
 */
#include "diag/mates.h"

#include "diag/addr.h"
#include "diag/subject.h"

static bool share_subnet(const struct rb_subject *a, const struct rb_subject *b)
{
	struct rb_gid_fact mine[RB_GIDS_MOST], its[RB_GIDS_MOST];
	size_t nmine = rb_gid_facts(a, mine), nits = rb_gid_facts(b, its);

	for (size_t i = 0; i < nmine; i++) {
		unsigned int bits = rb_addr_prefix(a->netdevv, &mine[i].addr);

		if (!bits || rb_addr_link_local(&mine[i].addr))
			continue;
		for (size_t k = 0; k < nits; k++)
			if (rb_addr_near(&mine[i].addr, &its[k].addr, bits))
				return true;
	}
	return false;
}

/* How many ports before it are usable and of the same kind. */
static size_t rank_of(const struct rb_subject *ports, size_t i,
		      unsigned int kind)
{
	size_t rank = 0;

	for (size_t k = 0; k < i; k++)
		rank += (ports[k].kind & kind) && ports[k].active;
	return rank;
}

static struct rb_subject *of_rank(struct rb_subject *peers, size_t n,
				  size_t rank, unsigned int kind)
{
	for (size_t k = 0; k < n; k++)
		if ((peers[k].kind & kind) && peers[k].active && !rank--)
			return &peers[k];
	return NULL;
}

struct rb_subject *rb_mate_find(struct rb_subject *ports, size_t i,
				struct rb_subject *peers, size_t npeers)
{
	const unsigned int any =
		RB_ON_ROCE | RB_ON_IB | RB_ON_IWARP | RB_ON_OTHER;
	unsigned int kind = ports[i].kind & any;
	struct rb_subject *mate;

	if (!ports[i].active)
		return NULL;
	for (size_t k = 0; k < npeers; k++)
		if (peers[k].active && share_subnet(&ports[i], &peers[k]))
			return &peers[k];
	mate = of_rank(peers, npeers, rank_of(ports, i, kind), kind);
	return mate ? mate : of_rank(peers, npeers, rank_of(ports, i, any), any);
}
