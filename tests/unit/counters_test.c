/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counters_test - what moved between two readings, and what is left out
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "fixture.h"
#include "host/counters.h"

/* A small sysfs of its own that a test can change. */
static char root[] = "/tmp/rbench-counters-test.XXXXXX";

static const char *const folders[] = {
	"class",
	"class/infiniband",
	"class/infiniband/d0",
	"class/infiniband/d0/hw_counters",
	"class/infiniband/d0/ports",
	"class/infiniband/d0/ports/1",
	"class/infiniband/d0/ports/1/counters",
	"class/infiniband/d0/ports/1/hw_counters",
	"class/net",
	"class/net/n0",
	"class/net/n0/statistics",
};

static void put(const char *path, const char *text)
{
	char full[512];
	FILE *out;

	snprintf(full, sizeof(full), "%s/class/%s", root, path);
	out = fopen(full, "w");
	assert_non_null(out);
	fprintf(out, "%s\n", text);
	fclose(out);
}

static int make_root(void **state)
{
	char full[512];

	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(full, sizeof(full), "%s/%s", root, folders[i]);
		if (mkdir(full, 0700))
			return -1;
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *where)
{
	return remove(path);
}

static int remove_root(void **state)
{
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void fill(const char *data, const char *errors, const char *dropped)
{
	put("infiniband/d0/ports/1/counters/port_xmit_data", data);
	put("infiniband/d0/ports/1/counters/symbol_error", "N/A (no PMA)");
	put("infiniband/d0/ports/1/hw_counters/out_of_sequence", errors);
	put("infiniband/d0/ports/1/hw_counters/lifespan", errors);
	put("infiniband/d0/hw_counters/cmds_err", errors);
	put("net/n0/statistics/rx_dropped", dropped);
	put("net/n0/statistics/tx_dropped", "5");
}

static void only_what_moved_is_in_the_delta(void **state)
{
	struct rb_counters *before, *after;
	json_t *got, *want;

	setenv("SYSFS_PATH", root, 1);
	fill("100", "1", "18446744073709551000");
	before = rb_counters_read("d0", 1, "n0");
	put("infiniband/d0/ports/1/hw_counters/appeared", "9");
	fill("350", "3", "18446744073709551001");
	after = rb_counters_read("d0", 1, "n0");
	got = rb_counters_delta(before, after);
	want = json_pack("{s:i,s:i,s:i,s:i}", "port.port_xmit_data", 250,
			 "hw.out_of_sequence", 2, "device.cmds_err", 2,
			 "netdev.rx_dropped", 1);
	assert_true(json_equal(got, want));
	json_decref(got);
	/* and back: all of them were reset, so nothing is known */
	got = rb_counters_delta(after, before);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
	json_decref(want);
	rb_counters_free(before);
	rb_counters_free(after);
}

static void without_a_netdev_its_counters_are_absent(void **state)
{
	struct rb_counters *before, *after;
	json_t *got;

	setenv("SYSFS_PATH", root, 1);
	fill("1", "1", "1");
	before = rb_counters_read("d0", 1, "");
	fill("1", "1", "2");
	after = rb_counters_read("d0", 1, "");
	got = rb_counters_delta(before, after);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
	rb_counters_free(before);
	rb_counters_free(after);
}

static void nothing_to_read_is_no_failure(void **state)
{
	struct rb_counters *none;
	json_t *got;

	setenv("SYSFS_PATH", "/nonexistent", 1);
	none = rb_counters_read("d0", 1, "n0");
	assert_non_null(none);
	got = rb_counters_delta(none, none);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
	got = rb_counters_delta(NULL, none);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
	rb_counters_free(none);
	rb_counters_free(NULL);
}

static void a_real_tree_is_read(void **state)
{
	struct rb_counters *same;
	json_t *got;

	fixture_sys("mlx5");
	same = rb_counters_read("mlx5_0", 1, "ens1f0np0");
	assert_non_null(same);
	got = rb_counters_delta(same, same);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
	rb_counters_free(same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_moved_is_in_the_delta),
		cmocka_unit_test(without_a_netdev_its_counters_are_absent),
		cmocka_unit_test(nothing_to_read_is_no_failure),
		cmocka_unit_test(a_real_tree_is_read),
	};

	return cmocka_run_group_tests_name("counters", tests, make_root,
					   remove_root);
}
