/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * addr - addresses, GIDs and routes as a snapshot has them
 */
#include "diag/addr.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diag/doctor.h"
#include "diag/subject.h"

bool rb_addr_parse(const char *text, struct rb_addr *addr)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	*addr = (struct rb_addr){ 0 };
	if (inet_pton(AF_INET, text, addr->b) == 1) {
		addr->len = 4;
		return true;
	}
	if (inet_pton(AF_INET6, text, addr->b) != 1)
		return false;
	addr->len = 16;
	if (!memcmp(addr->b, mapped, sizeof(mapped))) {
		memmove(addr->b, addr->b + 12, 4);
		memset(addr->b + 4, 0, 12);
		addr->len = 4;
	}
	return true;
}

const char *rb_addr_text(const struct rb_addr *addr,
			 char text[static RB_ADDR_TEXT])
{
	if (!addr->len || !inet_ntop(addr->len == 4 ? AF_INET : AF_INET6, addr->b,
				     text, RB_ADDR_TEXT))
		*text = '\0';
	return text;
}

bool rb_addr_same(const struct rb_addr *a, const struct rb_addr *b)
{
	return a->len && a->len == b->len && !memcmp(a->b, b->b, a->len);
}

bool rb_addr_near(const struct rb_addr *a, const struct rb_addr *b,
		  unsigned int bits)
{
	unsigned int whole = bits / 8, rest = bits % 8;

	if (!a->len || a->len != b->len || bits > a->len * 8)
		return false;
	if (memcmp(a->b, b->b, whole))
		return false;
	return !rest || !((a->b[whole] ^ b->b[whole]) >> (8 - rest));
}

bool rb_addr_link_local(const struct rb_addr *addr)
{
	return addr->len == 16 && addr->b[0] == 0xfe &&
	       (addr->b[1] & 0xc0) == 0x80;
}

/* --- GIDs ------------------------------------------------------------------- */

static int worth_of(const struct rb_subject *s, const struct rb_gid_fact *gid)
{
	bool local = rb_addr_link_local(&gid->addr);
	bool unique = gid->addr.len == 16 && (gid->addr.b[0] & 0xfe) == 0xfc;
	bool own = gid->netdev && s->netdev && !strcmp(gid->netdev, s->netdev);

	return (gid->netdev ? 64 : 0) + (own ? 32 : 0) + (gid->v2 ? 16 : 0) +
	       (local ? 0 : unique ? 2 : gid->addr.len == 16 ? 3 : 4);
}

size_t rb_gid_facts(const struct rb_subject *s,
		    struct rb_gid_fact v[static RB_GIDS_MOST])
{
	const json_t *entry;
	size_t i, n = 0;

	json_array_foreach(json_object_get(s->portv, "gids"), i, entry) {
		struct rb_gid_fact *gid = &v[n];
		int64_t index = rb_int_at(entry, "index", -1);

		*gid = (struct rb_gid_fact){
			.index = index < INT_MAX ? (int)index : -1,
			.text = rb_text_at(entry, "gid"),
			.type = rb_text_at(entry, "type"),
			.netdev = json_string_value(
				json_object_get(entry, "netdev")),
		};
		if (gid->index < 0 || !rb_addr_parse(gid->text, &gid->addr))
			continue;
		gid->v2 = !strcmp(gid->type, "RoCE v2");
		gid->worth = worth_of(s, gid);
		if (++n == RB_GIDS_MOST)
			break;
	}
	return n;
}

bool rb_gid_best(const struct rb_subject *s, struct rb_gid_fact *best)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	size_t n = rb_gid_facts(s, v), at = 0;

	for (size_t i = 1; i < n; i++)
		if (v[i].worth > v[at].worth)
			at = i;
	if (n)
		*best = v[at];
	return n;
}

bool rb_gid_used(const struct rb_subject *s, struct rb_gid_fact *used)
{
	struct rb_gid_fact v[RB_GIDS_MOST];
	size_t n;

	if (s->which || s->asked->gid_index < 0)
		return rb_gid_best(s, used);
	n = rb_gid_facts(s, v);
	for (size_t i = 0; i < n; i++)
		if (v[i].index == s->asked->gid_index) {
			*used = v[i];
			return true;
		}
	return false;
}

unsigned int rb_addr_prefix(const json_t *netdev, const struct rb_addr *addr)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(netdev, "addresses"), i, entry) {
		struct rb_addr own;

		if (rb_addr_parse(rb_text_at(entry, "address"), &own) &&
		    rb_addr_same(&own, addr)) {
			int64_t bits = rb_int_at(entry, "prefix_length", 0);

			return bits > 0 && bits <= 128 ? (unsigned int)bits : 0;
		}
	}
	return 0;
}

/* --- routes ----------------------------------------------------------------- */

/* "default", "10.0.0.0/24": its bits, -1 when it does not cover @addr. */
static int cover(const char *prefix, const struct rb_addr *addr)
{
	const char *slash = strchr(prefix, '/');
	char text[RB_ADDR_TEXT];
	struct rb_addr net;
	unsigned long bits;

	if (!*prefix || !strcmp(prefix, "default"))
		return 0;
	if (!slash || (size_t)(slash - prefix) >= sizeof(text))
		return -1;
	memcpy(text, prefix, (size_t)(slash - prefix));
	text[slash - prefix] = '\0';
	bits = strtoul(slash + 1, NULL, 10);
	if (!rb_addr_parse(text, &net) || bits > 128 ||
	    !rb_addr_near(&net, addr, (unsigned int)bits))
		return -1;
	return (int)bits;
}

static bool is_family(const json_t *value, const struct rb_addr *addr)
{
	return !strcmp(rb_text_at(value, "family"),
		       addr->len == 4 ? "ipv4" : "ipv6");
}

/* The netdev of a route; of several next hops @want, else the first. */
static const char *leaves_by(const json_t *route, const char *want)
{
	const char *own = rb_text_at(route, "netdev");
	const json_t *hop;
	size_t i;

	json_array_foreach(json_object_get(route, "nexthops"), i, hop) {
		const char *name = rb_text_at(hop, "netdev");

		if (!*own || (want && !strcmp(name, want)))
			own = name;
	}
	return own;
}

static struct rb_road look_up(const json_t *doc, int64_t table,
			      const struct rb_addr *to, const char *netdev)
{
	struct rb_road road = { 0 };
	int longest = -1;
	int64_t least = 0;
	const json_t *route;
	size_t i;

	json_array_foreach(json_object_get(doc, "routes"), i, route) {
		const char *type = rb_text_at(route, "type");
		int bits = cover(rb_text_at(route, "destination"), to);
		int64_t metric = rb_int_at(route, "metric", 0);
		const char *by = leaves_by(route, netdev);

		if (rb_int_at(route, "table", 254) != table ||
		    !is_family(route, to) || bits < 0 || bits < longest ||
		    (bits == longest && metric >= least) ||
		    (netdev && strcmp(by, netdev)))
			continue;
		longest = bits;
		least = metric;
		road.found = !*type || !strcmp(type, "unicast");
		road.netdev = by;
		road.gateway = json_object_get(route, "gateway") ||
			       json_object_get(route, "nexthops");
	}
	return road;
}

/* Whether the rule is for what this host sends from @from to @to. */
static bool holds(const json_t *rule, const struct rb_addr *from,
		  const struct rb_addr *to, const char *netdev)
{
	const char *in = rb_text_at(rule, "in"), *out = rb_text_at(rule, "out");
	const char *source = rb_text_at(rule, "from");

	if (!is_family(rule, to) || json_object_get(rule, "mark") ||
	    (*in && strcmp(in, "lo")) ||
	    (*out && (!netdev || strcmp(out, netdev))))
		return false;
	if (!from->len && *source && strcmp(source, "default"))
		return false;
	return (!from->len || cover(source, from) >= 0) &&
	       cover(rb_text_at(rule, "to"), to) >= 0;
}

struct rb_road rb_road_find(const json_t *doc, const struct rb_addr *from,
			    const struct rb_addr *to, const char *netdev)
{
	const json_t *rules = json_object_get(doc, "rules"), *rule;
	struct rb_road road = { 0 };
	bool any = false;
	size_t i;

	json_array_foreach(rules, i, rule) {
		const char *action = rb_text_at(rule, "action");

		any |= is_family(rule, to);
		if (!holds(rule, from, to, netdev))
			continue;
		if (*action && strcmp(action, "lookup"))
			return road;
		road = look_up(doc, rb_int_at(rule, "table", 254), to, netdev);
		if (road.netdev)
			return road;
	}
	/* a kernel without policy routing for the family */
	return any ? road : look_up(doc, 254, to, netdev);
}
