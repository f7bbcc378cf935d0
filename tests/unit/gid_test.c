/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gid_test - the choice of a pair of GIDs, and the words for it
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "gid_tables.h"
#include "host/netdev.h"
#include "quiet.h"

static const struct {
	const char *what;
	const struct entry *local, *peer;
	unsigned int local_x, peer_x;	    /* -x */
	const char *local_addr, *peer_addr; /* of the side channel */
	bool no_reach;
	int rc;
	unsigned int local_index, peer_index;
	const char *code; /* of the failure, or id of the warning */
	const char *says; /* part of the failure's message */
} rows[] = {
	/* clang-format off */
	{ "v2 with IPv4 is best", mlx5_a, mlx5_b, ANY, ANY, NULL, NULL, false, 0, 3, 7, NULL, NULL },
	{ "and from the other side", mlx5_b, mlx5_a, ANY, ANY, NULL, NULL, false, 0, 7, 3, NULL, NULL },
	{ "v1 when one end has nothing else", mlx5_a, v1_only, ANY, ANY, NULL, NULL, false, 0, 2, 1, NULL, NULL },
	{ "link-local when nothing else fits", mlx5_a, link_local, ANY, ANY, NULL, NULL, false, 0, 1, 1, NULL, NULL },
	{ "a global IPv6 address before a link-local one", mlx5_a, v6_only, ANY, ANY, NULL, NULL, false, 0, 5, 2, NULL, NULL },
	{ "the side channel's IPv4", mlx5_a, mlx5_b, ANY, ANY, "10.0.0.1", "10.0.0.2", false, 0, 3, 7, NULL, NULL },
	{ "the side channel's IPv6 before other IPv4", mlx5_a, mlx5_b, ANY, ANY, "fd00::1", "fd00::2", false, 0, 5, 3, NULL, NULL },
	{ "a side channel on a mapped address", two_nets_a, two_nets_b, ANY, ANY, "::ffff:192.168.1.1", "::ffff:192.168.2.2", false, 0, 0, 0, NULL, NULL },
	{ "a side channel elsewhere says nothing", mlx5_a, mlx5_b, ANY, ANY, "192.0.2.1", "192.0.2.2", false, 0, 3, 7, NULL, NULL },
	{ "one subnet before the lowest index", two_nets_a, two_nets_b, ANY, ANY, NULL, NULL, false, 0, 1, 1, NULL, NULL },
	{ "reachable before one subnet", routed_a, routed_b, ANY, ANY, NULL, NULL, false, 0, 1, 1, NULL, NULL },
	{ "reachable before the side channel's", routed_a, routed_b, ANY, ANY, "10.0.0.1", "10.0.0.2", false, 0, 1, 1, NULL, NULL },
	{ "without reach the subnet decides", routed_a, routed_b, ANY, ANY, NULL, NULL, true, 0, 0, 0, NULL, NULL },
	{ "one way is not reachable", routed_a, one_way_b, ANY, ANY, NULL, NULL, false, 0, 0, 0, "gid_unreachable", NULL },
	{ "reachable v1 before unreachable v2", unrouted, mlx5_b, ANY, ANY, NULL, NULL, false, 0, 1, 6, NULL, NULL },
	{ "up before v2", vlan_down, mlx5_b, ANY, ANY, NULL, NULL, false, 0, 1, 6, NULL, NULL },
	{ "a present address before one subnet", was_moved, mlx5_b, ANY, ANY, NULL, NULL, false, 0, 1, 7, NULL, NULL },
	{ "down is used when there is nothing else", mlx5_a, all_down, ANY, ANY, NULL, NULL, false, 0, 3, 2, "gid_netdev_down", NULL },
	{ "the lowest indexes of equals", twins_a, twins_b, ANY, ANY, NULL, NULL, false, 0, 4, 5, NULL, NULL },
	{ "a prefix within a byte: apart", odd_a, odd_b, ANY, ANY, NULL, NULL, false, 0, 1, 1, NULL, NULL },
	{ "a prefix within a byte: together", odd_a, odd_c, ANY, ANY, NULL, NULL, false, 0, 0, 0, NULL, NULL },
	{ "v2 before the side channel's", mixed_a, mixed_b, ANY, ANY, "10.0.0.1", "10.0.0.2", false, 0, 1, 1, NULL, NULL },
	{ "link-local is no common subnet", rack_a, rack_b, ANY, ANY, NULL, NULL, false, 0, 3, 3, NULL, NULL },
	{ "no link-local before IPv4", auto_a, auto_b, ANY, ANY, NULL, NULL, false, 0, 1, 1, NULL, NULL },
	{ "InfiniBand: one subnet prefix", ib_a, ib_b, ANY, ANY, NULL, NULL, false, 0, 0, 1, NULL, NULL },
	{ "-x here", mlx5_a, mlx5_b, 2, ANY, NULL, NULL, false, 0, 2, 6, NULL, NULL },
	{ "-x there", mlx5_a, mlx5_b, ANY, 1, NULL, NULL, false, 0, 1, 1, NULL, NULL },
	{ "-x on both ends", mlx5_a, mlx5_b, 0, 2, NULL, NULL, false, 0, 0, 2, NULL, NULL },
	{ "-x is kept though it leads nowhere", routed_a, routed_b, 0, ANY, NULL, NULL, false, 0, 0, 0, "gid_unreachable", NULL },
	{ "-x is kept though it is stale", was_moved, mlx5_b, 0, ANY, NULL, NULL, false, 0, 0, 7, "gid_stale", NULL },
	{ "an empty table here", empty, mlx5_b, ANY, ANY, NULL, NULL, false, -ENOENT, 0, 0, "no_gid", "the GID table of 'mlx5_0' port 1 is empty" },
	{ "an empty table there", mlx5_a, empty, ANY, ANY, NULL, NULL, false, -ENOENT, 0, 0, "no_gid", "the GID table of 'mlx5_1' port 2 of the peer is empty" },
	{ "an empty slot here", v1_only, mlx5_b, 7, ANY, NULL, NULL, false, -EADDRNOTAVAIL, 0, 0, "gid_index", "GID index 7 of 'mlx5_0' port 1 is empty (filled: 0 1)" },
	{ "an empty slot there", mlx5_a, mlx5_b, ANY, 5, NULL, NULL, false, -EADDRNOTAVAIL, 0, 0, "gid_index", "GID index 5 of 'mlx5_1' port 2 of the peer is empty (filled: 0 1 2 3 6 7)" },
	{ "families apart", v4_only, v6_only, ANY, ANY, NULL, NULL, false, -ENOENT, 0, 0, "gid_mismatch", "no GID of 'mlx5_0' port 1 (RoCE v2 IPv4) fits one of 'mlx5_1' port 2 of the peer (RoCE v2 IPv6)" },
	{ "types apart", v1_only, v6_only, ANY, ANY, NULL, NULL, false, -ENOENT, 0, 0, "gid_mismatch", "(RoCE v1 IPv6, RoCE v1 IPv4) fits" },
	{ "InfiniBand and RoCE", ib_a, mlx5_b, ANY, ANY, NULL, NULL, false, -ENOENT, 0, 0, "gid_mismatch", "(IB) fits" },
	{ "-x of different types", mlx5_a, mlx5_b, 3, 6, NULL, NULL, false, -ENOENT, 0, 0, "gid_mismatch", "(index 3 is RoCE v2 10.0.0.1) fits one of 'mlx5_1' port 2 of the peer (index 6 is RoCE v1 10.0.0.2)" },
	{ "-x of different families", mlx5_a, mlx5_b, 3, 3, NULL, NULL, false, -ENOENT, 0, 0, "gid_mismatch", "(index 3 is RoCE v2 fd00::2)" },
	{ "-x that the other end has no match for", v4_only, mlx5_b, ANY, 0, NULL, NULL, false, -ENOENT, 0, 0, "gid_mismatch", "(RoCE v2 IPv4) fits" },
	/* clang-format on */
};

static const struct sockaddr *channel(const char *text,
				      struct sockaddr_storage *storage)
{
	struct sockaddr_in *in = (void *)storage;
	struct sockaddr_in6 *in6 = (void *)storage;

	memset(storage, 0, sizeof(*storage));
	if (!text)
		return NULL;
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
	} else {
		inet_pton(AF_INET6, text, &in6->sin6_addr);
		in6->sin6_family = AF_INET6;
	}
	return (struct sockaddr *)storage;
}

/* "" or what is wrong with the outcome of a row. */
static const char *judge(size_t i, int rc, const struct rb_gid_pair *pair,
			 const struct quiet *q)
{
	if (rc != rows[i].rc)
		return "returns something else";
	if (rc && strcmp(quiet_code(q), rows[i].code))
		return "fails in another way";
	if (rc && !strstr(q->log.first.message, rows[i].says))
		return "says something else";
	if (rc)
		return pair->local.index == 77 ? "" : "sets its output";
	if (q->log.failed)
		return "reports a failure";
	if (rows[i].code && !quiet_warned(q, rows[i].code))
		return "does not warn";
	if (!rows[i].code && q->log.nwarnings)
		return "warns";
	return pair->local.index == rows[i].local_index &&
			       pair->peer.index == rows[i].peer_index ?
		       "" :
		       "chooses others";
}

static void the_best_pair_is_chosen(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		struct rb_gid_pair pair = { .local.index = 77 };
		struct sockaddr_storage la, pa;
		struct rb_gid_table local, peer;
		struct quiet quiet;
		const char *wrong;
		int rc;

		quiet_begin(&quiet);
		fill(&local, rows[i].local, rows[i].local_x, "mlx5_0", 1);
		fill(&peer, rows[i].peer, rows[i].peer_x, "mlx5_1", 2);
		if (rows[i].no_reach)
			local.has_reach = peer.has_reach = false;
		rc = rb_gid_choose(&local, &peer,
				   channel(rows[i].local_addr, &la),
				   channel(rows[i].peer_addr, &pa), &pair);
		wrong = judge(i, rc, &pair, &quiet);
		if (*wrong)
			fail_msg("%s: %s: %d, %u - %u, '%s'", rows[i].what,
				 wrong, rc, pair.local.index, pair.peer.index,
				 quiet_text(&quiet));
		quiet_end(&quiet);
	}
}

/* What one end chooses, the other would choose as well. */
static void the_choice_is_symmetric(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		struct rb_gid_pair pair, back;
		struct rb_gid_table local, peer;
		struct quiet quiet;

		/* equals are decided by the client's indexes */
		if (rows[i].rc || rows[i].local == twins_a)
			continue;
		quiet_begin(&quiet);
		fill(&local, rows[i].local, rows[i].local_x, "mlx5_0", 1);
		fill(&peer, rows[i].peer, rows[i].peer_x, "mlx5_1", 2);
		assert_int_equal(
			rb_gid_choose(&local, &peer, NULL, NULL, &pair), 0);
		assert_int_equal(
			rb_gid_choose(&peer, &local, NULL, NULL, &back), 0);
		if (pair.local.index != back.peer.index ||
		    pair.peer.index != back.local.index)
			fail_msg("%s: %u - %u, but %u - %u", rows[i].what,
				 pair.local.index, pair.peer.index,
				 back.peer.index, back.local.index);
		quiet_end(&quiet);
	}
}

/* What is chosen has the highest score: 'rbench gids' ranks by that alone. */
static void the_score_agrees_with_the_choice(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		struct sockaddr_storage la, pa;
		struct in6_addr local_addr, peer_addr;
		struct rb_gid_table local, peer;
		int best = -1;
		unsigned int index = 0;

		fill(&local, rows[i].local, rows[i].local_x, "mlx5_0", 1);
		fill(&peer, rows[i].peer, rows[i].peer_x, "mlx5_1", 2);
		if (rows[i].no_reach)
			local.has_reach = peer.has_reach = false;
		for (unsigned int j = 0; j < local.n; j++) {
			int score = rb_gid_score(
				&local, j, &peer,
				rb_netaddr_normal(channel(rows[i].local_addr, &la),
						  &local_addr) ?
					&local_addr :
					NULL,
				rb_netaddr_normal(channel(rows[i].peer_addr, &pa),
						  &peer_addr) ?
					&peer_addr :
					NULL);

			if (score > best)
				index = local.v[j].index;
			best = RB_MAX(best, score);
		}
		if (rows[i].rc ? best != -1 : index != rows[i].local_index)
			fail_msg("%s: %d, %u", rows[i].what, best, index);
	}
}

static void the_reasoning_is_shown_on_request(void **state)
{
	struct rb_gid_table local, peer;
	struct rb_gid_pair pair;
	struct quiet quiet;

	quiet_begin(&quiet);
	quiet.log.level = RB_LOG_INFO;
	fill(&local, two_nets_a, ANY, "mlx5_0", 1);
	fill(&peer, v4_only, ANY, "mlx5_1", 2);
	assert_int_equal(rb_gid_choose(&local, &peer, NULL, NULL, &pair), 0);
	assert_non_null(strstr(
		quiet_text(&quiet),
		"GID pair: RoCE v2 0 192.168.1.1 - 3 10.0.0.4: up reachable v2"));
	assert_non_null(strstr(quiet_text(&quiet), "GIDs chosen: RoCE v2 0"));
	quiet_end(&quiet);
}

static const struct {
	const char *raw, *text;
	int family;
} addresses[] = {
	{ "::ffff:10.0.0.1", "10.0.0.1", AF_INET },
	{ "fe80:0:0:0:0:0:0:1", "fe80::1", AF_INET6 },
	{ "2001:0db8::00A0", "2001:db8::a0", AF_INET6 },
};

static void addresses_are_written_as_people_do(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(addresses); i++) {
		struct rb_gid gid = { .type = RB_GID_ROCE_V2 };
		struct sockaddr_storage sa;
		char text[RB_GID_TEXT];

		inet_pton(AF_INET6, addresses[i].raw, gid.raw.raw);
		assert_string_equal(rb_gid_text(&gid.raw, text),
				    addresses[i].text);
		assert_int_equal(rb_gid_sockaddr(&gid, &sa),
				 addresses[i].family == AF_INET ?
					 sizeof(struct sockaddr_in) :
					 sizeof(struct sockaddr_in6));
		assert_int_equal(sa.ss_family, addresses[i].family);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_pair_is_chosen),
		cmocka_unit_test(the_choice_is_symmetric),
		cmocka_unit_test(the_score_agrees_with_the_choice),
		cmocka_unit_test(the_reasoning_is_shown_on_request),
		cmocka_unit_test(addresses_are_written_as_people_do),
	};

	return cmocka_run_group_tests_name("gid", tests, NULL, NULL);
}
