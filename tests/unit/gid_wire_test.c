/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gid_wire_test - GID tables on the wire, from a peer that is not trusted
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
#include "quiet.h"

static void a_table_survives_the_wire(void **state)
{
	static const struct entry *const tables[] = {
		empty, mlx5_a, vlan_down, was_moved, ib_b, routed_a,
	};
	struct rb_gid_table sent, got;

	for (size_t i = 0; i < RB_ARRAY_SIZE(tables); i++) {
		json_t *wire;

		fill(&sent, tables[i], i & 1 ? ANY : 3, "mlx5_0", 1);
		sent.has_reach = sent.n > 0;
		sent.reach[0] = sent.n ? UINT64_MAX : 0;
		wire = rb_gid_table_json(&sent);
		memset(&got, 0x5a, sizeof(got));
		assert_int_equal(rb_gid_table_load(&got, wire), 0);
		assert_memory_equal(&got, &sent, sizeof(got));
		json_decref(wire);
	}
}

#define ENTRY(rest) "{\"port\":1,\"entries\":[{" rest "}]}"
#define GOOD                                                                   \
	"\"index\":1,\"type\":\"RoCE v2\",\"address\":\"fe80::1\",\"prefix\":64"

static const struct {
	const char *wire;
	int rc;
} wires[] = {
	{ ENTRY(GOOD), 0 },
	{ ENTRY(GOOD ",\"reach\":\"ff\",\"netdev\":\"eth0\",\"new\":{}"), 0 },
	{ "{\"port\":1,\"entries\":[]}", 0 },
	{ "null", -EPROTO },
	{ "[]", -EPROTO },
	{ "{}", -EPROTO },
	{ "{\"port\":1}", -EPROTO },
	{ "{\"port\":1,\"entries\":{}}", -EPROTO },
	{ "{\"port\":1,\"entries\":[7]}", -EPROTO },
	{ "{\"port\":1,\"entries\":[{}]}", -EPROTO },
	{ "{\"port\":256,\"entries\":[]}", -EPROTO },
	{ "{\"port\":-1,\"entries\":[]}", -EPROTO },
	{ "{\"port\":1,\"wanted\":\"x\",\"entries\":[]}", -EPROTO },
	{ "{\"port\":1,\"wanted\":4294967295,\"entries\":[]}", -EPROTO },
	{ "{\"port\":1,\"device\":7,\"entries\":[]}", -EPROTO },
	{ ENTRY("\"index\":-1,\"type\":\"IB\",\"address\":\"::1\",\"prefix\":0"),
	  -EPROTO },
	{ ENTRY("\"index\":65536,\"type\":\"IB\",\"address\":\"::1\",\"prefix\":0"),
	  -EPROTO },
	{ ENTRY("\"index\":1,\"type\":\"RoCE v3\",\"address\":\"::1\",\"prefix\":0"),
	  -EPROTO },
	{ ENTRY("\"index\":1,\"type\":2,\"address\":\"::1\",\"prefix\":0"),
	  -EPROTO },
	{ ENTRY("\"index\":1,\"type\":\"IB\",\"address\":\"10.0.0.1\",\"prefix\":0"),
	  -EPROTO },
	{ ENTRY("\"index\":1,\"type\":\"IB\",\"address\":\"::1\",\"prefix\":129"),
	  -EPROTO },
	{ ENTRY("\"index\":1,\"type\":\"IB\",\"address\":\"::1\""), -EPROTO },
	{ ENTRY(GOOD ",\"netdev\":\"a-name-beyond-IFNAMSIZ\""), -EPROTO },
	{ ENTRY(GOOD ",\"netdev\":7"), -EPROTO },
	{ ENTRY(GOOD ",\"reach\":\"xyz\""), -EPROTO },
	{ ENTRY(GOOD ",\"reach\":\"\""), -EPROTO },
	{ ENTRY(GOOD ",\"reach\":\"-1\""), -EPROTO },
	{ ENTRY(GOOD ",\"reach\":\"11112222333344445\""), -EPROTO },
	{ ENTRY(GOOD ",\"reach\":3"), -EPROTO },
	{ "{\"port\":1,\"entries\":[{" GOOD ",\"reach\":\"1\"},{" GOOD "}]}",
	  -EPROTO },
};

static void a_table_from_the_wire_is_not_trusted(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(wires); i++) {
		json_t *wire = json_loads(wires[i].wire, JSON_DECODE_ANY, NULL);
		struct rb_gid_table table;
		int rc;

		assert_non_null(wire);
		table.n = 77;
		rc = rb_gid_table_load(&table, wire);
		if (rc != wires[i].rc || (rc && table.n != 77))
			fail_msg("%s: %d", wires[i].wire, rc);
		json_decref(wire);
	}
}

static void a_table_from_the_wire_has_an_end(void **state)
{
	static const struct {
		unsigned int n;
		bool reach;
		int rc;
	} sizes[] = {
		{ 64, true, 0 },
		{ 65, true, -EPROTO },
		{ 65, false, 0 },
		{ RB_GID_MAX, false, 0 },
		{ RB_GID_MAX + 1, false, -EPROTO },
	};
	struct rb_gid_table table;

	for (size_t i = 0; i < RB_ARRAY_SIZE(sizes); i++) {
		json_t *wire = json_pack("{s:i,s:[]}", "port", 1, "entries");
		json_t *entries = json_object_get(wire, "entries");

		for (unsigned int k = 0; k < sizes[i].n; k++) {
			json_t *entry = json_loads("{" GOOD "}", 0, NULL);

			if (sizes[i].reach)
				json_object_set_new(entry, "reach",
						    json_string("1"));
			json_array_append_new(entries, entry);
		}
		assert_int_equal(rb_gid_table_load(&table, wire), sizes[i].rc);
		json_decref(wire);
	}
}

static void names_from_the_wire_cannot_move_the_cursor(void **state)
{
	json_t *wire = json_pack("{s:i,s:s,s:[]}", "port", 1, "device",
				 "a\033[2Jb\n", "entries");
	struct rb_gid_table table;

	assert_int_equal(rb_gid_table_load(&table, wire), 0);
	assert_string_equal(table.device, "a?[2Jb?");
	json_decref(wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_survives_the_wire),
		cmocka_unit_test(a_table_from_the_wire_is_not_trusted),
		cmocka_unit_test(a_table_from_the_wire_has_an_end),
		cmocka_unit_test(names_from_the_wire_cannot_move_the_cursor),
	};

	return cmocka_run_group_tests_name("gid", tests, NULL, NULL);
}
