/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verdict_gid - what GID tables in a text say: which index is right, and why the
 * one in use is not
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag/verdict.h"

enum family { LINK_LOCAL, ULA, GLOBAL, IPV4, EMPTY };

static const char *const family_names[] = {
	[LINK_LOCAL] = "link-local", [ULA] = "ULA", [GLOBAL] = "global IPv6",
	[IPV4] = "IPv4-mapped",	     [EMPTY] = "empty",
};

static const char *const type_names[] = {
	[RB_TYPE_UNKNOWN] = "unknown type",
	[RB_TYPE_IB] = "IB",
	[RB_TYPE_V1] = "RoCE v1",
	[RB_TYPE_V2] = "RoCE v2",
};

static enum family family_of(const uint8_t raw[static 16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const uint8_t zero[16];

	if (!memcmp(raw, zero, 16))
		return EMPTY;
	if (!memcmp(raw, mapped, 12))
		return IPV4;
	if (raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80)
		return LINK_LOCAL;
	return (raw[0] & 0xfe) == 0xfc ? ULA : GLOBAL;
}

/*
 * Lists without types: a kernel that has RoCE v2 shows each address twice, v1
 * first; one that shows each once has v1 only.
 */
static enum rb_fact_type type_of(const struct rb_fact_table *t, unsigned int i)
{
	if (t->gids[i].type != RB_TYPE_UNKNOWN)
		return t->gids[i].type;
	if (i && !memcmp(t->gids[i].raw, t->gids[i - 1].raw, 16))
		return RB_TYPE_V2;
	return RB_TYPE_V1;
}

static int points(const struct rb_fact_table *t, unsigned int i)
{
	static const int by_family[] = {
		[LINK_LOCAL] = 0, [ULA] = 4, [GLOBAL] = 6, [IPV4] = 8,
		[EMPTY] = -100,
	};

	return by_family[family_of(t->gids[i].raw)] +
	       (type_of(t, i) == RB_TYPE_V2);
}

static unsigned int best_of(const struct rb_fact_table *t)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < t->n; i++)
		if (points(t, i) > points(t, best))
			best = i;
	return best;
}

static const struct rb_fact_gid *at_index(const struct rb_fact_table *t,
					  int index)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (t->gids[i].index == index)
			return &t->gids[i];
	return NULL;
}

/* The index in use: told, or that of a request; -1. */
static int index_in_use(const struct rb_explain *x)
{
	if (x->facts.gid_index >= 0)
		return x->facts.gid_index;
	for (size_t i = 0; i < x->n; i++)
		if (x->findings[i].request.sgid_index >= 0)
			return x->findings[i].request.sgid_index;
	return -1;
}

static void judge_table(const struct rb_explain *x,
			const struct rb_fact_table *t, struct rb_verdicts *list)
{
	unsigned int best = best_of(t);
	enum family family = family_of(t->gids[best].raw);
	const struct rb_fact_gid *used = at_index(t, index_in_use(x));
	int index = t->gids[best].index;
	struct rb_verdict *v;

	if (family == EMPTY || family == LINK_LOCAL) {
		rb_verdict_add(list, "GID-NOV4/GLOBAL", RB_OUTCOME_WARN,
			       "give the interface an IPv4 or a global or ULA IPv6 address",
			       "%s has only link-local GIDs: they work within one layer 2 segment only",
			       *t->device ? t->device : "the port");
		return;
	}
	if (used && family_of(used->raw) == LINK_LOCAL)
		rb_verdict_add(list, "GID-NOV4/GLOBAL", RB_OUTCOME_FAIL,
			       "choose the recommended index",
			       "GID index %d, which is in use, is link-local (fe80): the peer is not reached with it over a router, and often not at all",
			       used->index);
	v = rb_verdict_add(list, "GID-CHOICE", RB_OUTCOME_INFO,
			   "on both ends an entry of the same type and family",
			   "recommended GID index: %d (%s, %s)%s%s: NCCL_IB_GID_INDEX=%d, UCX_IB_GID_INDEX=%d, FI_VERBS_GID_IDX=%d, perftest -x %d",
			   index, family_names[family],
			   type_names[type_of(t, best)],
			   *t->device ? " of " : "", t->device, index, index,
			   index, index);
	if (v)
		v->gid_index = index;
	if (family_of(t->gids[0].raw) == LINK_LOCAL && t->gids[0].index == 0 &&
	    !used)
		rb_verdict_add(list, "GID-NOV4/GLOBAL",
			       x->n ? RB_OUTCOME_FAIL : RB_OUTCOME_INFO,
			       "never leave the choice to programs that take index 0",
			       "GID index 0, the default of many programs, is link-local (fe80): never use it across a router");
}

/* Two hosts: entries of one type and one family; whether they differ. */
static bool judge_pair(const struct rb_fact_table *a,
		       const struct rb_fact_table *b, struct rb_verdicts *list)
{
	int best = -1000, ia = -1, ib = -1;
	enum rb_fact_type type = RB_TYPE_UNKNOWN;
	enum family family = EMPTY;
	bool v2a = false, v2b = false;

	for (unsigned int i = 0; i < a->n; i++) {
		for (unsigned int k = 0; k < b->n; k++) {
			v2a |= type_of(a, i) == RB_TYPE_V2;
			v2b |= type_of(b, k) == RB_TYPE_V2;
			if (type_of(a, i) != type_of(b, k) ||
			    family_of(a->gids[i].raw) !=
				    family_of(b->gids[k].raw) ||
			    points(a, i) <= best)
				continue;
			best = points(a, i);
			ia = a->gids[i].index;
			ib = b->gids[k].index;
			type = type_of(a, i);
			family = family_of(a->gids[i].raw);
		}
	}
	if (v2a == v2b && a->n == b->n)
		return false;
	rb_verdict_add(list, "GID-TYPE-PEER", RB_OUTCOME_FAIL,
		       "give each host its own index, of one type and family",
		       "the two tables differ (%u and %u entries%s): index %d exists only on one host; usable on both: %s %s, index %d of the first with index %d of the second (or link-local, 0 with 0, within one segment)",
		       a->n, b->n,
		       v2a != v2b ? "; one of them has RoCE v1 only" : "",
		       (int)RB_MAX(a->n, b->n) - 1, family_names[family],
		       type_names[type], ia, ib);
	return true;
}

/* What the requests of UCX show of the addresses that they go to. */
static void judge_requests(const struct rb_explain *x, struct rb_verdicts *list)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct rb_request *r = &x->findings[i].request;
		uint8_t raw[16];

		if (r->there && *r->dgid &&
		    inet_pton(AF_INET6, r->dgid, raw) == 1 &&
		    family_of(raw) == LINK_LOCAL) {
			rb_verdict_add(list, "GID-NOV4/GLOBAL", RB_OUTCOME_FAIL,
				       "choose a routable source GID index (the IPv4-mapped RoCE v2 one) on both ends",
				       "the request goes to a link-local GID (%s) from source GID index %d: choose a routable one",
				       r->dgid, r->sgid_index);
			return;
		}
	}
}

void rb_verdicts_gid(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;

	bool differ = f->ntables > 1 &&
		      f->tables[0].file != f->tables[1].file &&
		      judge_pair(&f->tables[0], &f->tables[1], list);

	for (unsigned int i = 0; i < f->ntables && !differ; i++)
		if (f->tables[i].n)
			judge_table(x, &f->tables[i], list);
	judge_requests(x, list);
}
