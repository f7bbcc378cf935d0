/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapload_test - snapshots are read back, and nothing else is taken for one
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "host/snapload.h"
#include "quiet.h"

#define BEGIN                                                        \
	"{\"schema\":\"rbench-snapshot/1\",\"version\":\"0.1\","     \
	"\"taken_at\":\"2026-01-01T00:00:00Z\",\"host\":{},"         \
	"\"process\":{},\"netdevs\":{},\"pci\":{},"
#define REST "\"devices\":{},\"missing\":[]}"

static const struct {
	const char *text, *said;
} refused[] = {
	{ "", "line" },
	{ "{", "line 1" },
	{ "[]", "no snapshot" },
	{ "{}", "no snapshot" },
	{ "{\"schema\":7}", "no snapshot" },
	{ "{\"schema\":\"rbench/1\"}", "schema 'rbench/1'" },
	{ "{\"schema\":\"rbench-snapshot/9\"}", "'rbench-snapshot/9'" },
	{ "{\"schema\":\"a\\u001b[31m\"}", "'a?[31m'" },
	{ BEGIN "\"missing\":[]}", "lacks 'devices'" },
	{ BEGIN "\"devices\":[],\"missing\":[]}", "'devices'" },
	{ BEGIN "\"devices\":{\"a\":3},\"missing\":[]}", "'devices'" },
	{ BEGIN "\"devices\":{\"a\":{}},\"missing\":[]}", "'ports'" },
	{ BEGIN "\"routes\":{}," REST, "'routes'" },
	{ BEGIN "\"cpu\":[]," REST, "'cpu'" },
	{ BEGIN "\"x\":1,\"x\":2," REST, "line" },
	{ BEGIN "\"x\":[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]," REST, "deeply" },
};

static void what_is_no_snapshot_is_refused_with_the_reason(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(refused); i++) {
		struct quiet quiet;
		json_t *doc = NULL;
		int rc;

		quiet_begin(&quiet);
		rc = rb_snapshot_parse(refused[i].text,
				       strlen(refused[i].text), "file", &doc);
		if (rc != -EINVAL || doc ||
		    !strstr(quiet.log.first.message, refused[i].said))
			fail_msg("%s: %d, '%s'", refused[i].text, rc,
				 quiet.log.first.message);
		quiet_end(&quiet);
	}
}

static void a_snapshot_is_taken_with_keys_that_nobody_knows(void **state)
{
	static const char text[] = BEGIN "\"from_tomorrow\":{}," REST;
	static const char inside[] = "{\"schema\":\"rbench/1\",\"snapshot\":" BEGIN
		REST "}";
	json_t *doc = NULL;

	assert_int_equal(rb_snapshot_parse(text, strlen(text), "file", &doc),
			 0);
	assert_true(json_is_array(json_object_get(doc, "missing")));
	json_decref(doc);
	assert_int_equal(rb_snapshot_parse(inside, strlen(inside), "file",
					   &doc),
			 0);
	assert_true(json_is_object(json_object_get(doc, "devices")));
	json_decref(doc);
}

static void those_of_the_fixtures_are_snapshots(void **state)
{
	static const char *const names[] = { "mlx5", "bnxt_re", "irdma", "efa",
					     "rxe" };
	const char *src = getenv("RBENCH_SRC");
	char path[4096];
	json_t *doc = NULL;

	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path),
			 "%s/tests/fixtures/snapshots/%s.json", src ? src : ".",
			 names[i]);
		assert_int_equal(rb_snapshot_load(path, &doc), 0);
		json_decref(doc);
	}
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
	struct quiet quiet;
	json_t *doc = NULL;

	quiet_begin(&quiet);
	assert_int_equal(rb_snapshot_load("/nonexistent/file", &doc), -ENOENT);
	assert_non_null(strstr(quiet.log.first.message, "/nonexistent/file"));
	assert_int_equal(rb_snapshot_load("/", &doc), -EISDIR);
	quiet_end(&quiet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_no_snapshot_is_refused_with_the_reason),
		cmocka_unit_test(
			a_snapshot_is_taken_with_keys_that_nobody_knows),
		cmocka_unit_test(those_of_the_fixtures_are_snapshots),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests_name("snapload", tests, NULL, NULL);
}
