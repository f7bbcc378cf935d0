/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * report_test - one result as text, JSON and CSV; the document; failures
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/report.h"
#include "quiet.h"

struct result {
	uint64_t bytes;
	double rate;
	const char *name;
	uint64_t hidden;
};

static const struct rb_field rows[] = {
	/* clang-format off */
	{ "size_bytes", "bytes", RB_FIELD_UINT, offsetof(struct result, bytes), 8, 0, 0 },
	{ "bandwidth.bits_per_s", "Gb/s", RB_FIELD_REAL, offsetof(struct result, rate), 8, 2, 1e-9 },
	{ "bandwidth.name", "name", RB_FIELD_TEXT, offsetof(struct result, name), 6, 0, 0 },
	{ "hidden", NULL, RB_FIELD_UINT, offsetof(struct result, hidden), 0, 0, 0 },
	/* clang-format on */
};
static const struct rb_fields fields = { rows, RB_ARRAY_SIZE(rows) };

static const struct result full = { 4096, 97.5e9, "x,\"y\"", 7 };
static const struct result empty = { RB_ABSENT, RB_ABSENT_F, NULL, RB_ABSENT };

/* A report into memory. */
struct capture {
	struct quiet quiet;
	struct rb_report_opts opts;
	struct rb_report report;
	char *text;
	size_t size;
};

static void begin(struct capture *c, const char *json, bool csv)
{
	static char *argv[] = { (char *)(uintptr_t) "write_bw",
				(char *)(uintptr_t) "\xff\xfe" };

	memset(c, 0, sizeof(*c));
	quiet_begin(&c->quiet);
	c->opts.json = json;
	c->opts.csv = csv;
	assert_int_equal(
		rb_report_open(&c->report, &c->opts, "write_bw", 2, argv), 0);
	c->report.out = open_memstream(&c->text, &c->size);
}

static const char *text_of(struct capture *c)
{
	fflush(c->report.out);
	return c->text;
}

static void end(struct capture *c)
{
	fclose(c->report.out);
	rb_report_close(&c->report);
	free(c->text);
	quiet_end(&c->quiet);
}

static void text_has_a_header_once_and_dashes(void **state)
{
	struct capture c;

	begin(&c, NULL, false);
	rb_report_text(&c.report, "hello %d\n", 1);
	rb_report_row(&c.report, &fields, &full);
	rb_report_row(&c.report, &fields, &empty);
	assert_string_equal(text_of(&c), "hello 1\n"
					 "    bytes     Gb/s   name\n"
					 "     4096    97.50  x,\"y\"\n"
					 "        -        -      -\n");
	end(&c);
}

static void csv_quotes_and_leaves_cells_empty(void **state)
{
	struct capture c;

	begin(&c, NULL, true);
	rb_report_text(&c.report, "for people only\n");
	rb_report_row(&c.report, &fields, &full);
	rb_report_row(&c.report, &fields, &empty);
	assert_string_equal(
		text_of(&c),
		"size_bytes,bandwidth.bits_per_s,bandwidth.name,hidden\n"
		"4096,9.75e+10,\"x,\"\"y\"\"\",7\n"
		",,,\n");
	end(&c);
}

static void json_has_nothing_that_was_not_measured(void **state)
{
	json_t *got = rb_fields_json(&fields, &full);
	json_t *want = json_pack("{s:i,s:{s:f,s:s},s:i}", "size_bytes", 4096,
				 "bandwidth", "bits_per_s", 97.5e9, "name",
				 "x,\"y\"", "hidden", 7);

	assert_true(json_equal(got, want));
	json_decref(got);
	json_decref(want);
	got = rb_fields_json(&fields, &empty);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
}

static void a_row_survives_the_wire(void **state)
{
	json_t *wire = rb_fields_json(&fields, &full);
	struct result back = { 0 };

	rb_fields_load(&fields, &back, wire);
	json_decref(wire);
	assert_int_equal(back.bytes, 4096);
	assert_true(back.rate == 97.5e9);
	assert_null(back.name); /* the peer's texts are not taken */
	assert_int_equal(back.hidden, 7);
}

static const char *const lies[] = {
	"{}",
	"[]",
	"null",
	"7",
	"{\"size_bytes\": -1, \"bandwidth\": {\"bits_per_s\": \"9\"}}",
	"{\"size_bytes\": 1.5, \"bandwidth\": 7, \"hidden\": true}",
	"{\"size_bytes\": null, \"bandwidth\": [], \"hidden\": []}",
};

static void what_the_peer_makes_up_is_absent(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(lies); i++) {
		json_t *wire = json_loads(lies[i], JSON_DECODE_ANY, NULL);
		struct result back = { 1, 1, NULL, 1 };

		rb_fields_load(&fields, &back, wire);
		json_decref(wire);
		if (back.bytes != RB_ABSENT || !isnan(back.rate) ||
		    back.hidden != RB_ABSENT)
			fail_msg("%s was believed", lies[i]);
	}
}

static json_t *finish(struct capture *c, enum rb_status status)
{
	assert_int_equal(rb_report_finish(&c->report, status, &c->quiet.log),
			 0);
	return json_loads(text_of(c), 0, NULL);
}

static void the_document_is_one_and_whole(void **state)
{
	struct capture c;
	json_t *doc;

	begin(&c, "-", false);
	rb_report_text(&c.report, "not this\n");
	rb_report_row(&c.report, &fields, &full);
	rb_report_set(&c.report, "local", json_pack("{s:s}", "host", "a"));
	rb_report_set(&c.report, "peer", NULL);
	rb_warn("some_warning", "mind the %s", "gap");
	rb_warn("some_warning", "again");
	doc = finish(&c, RB_STATUS_OK);
	assert_non_null(doc);
	assert_string_equal(json_string_value(json_object_get(doc, "schema")),
			    "rbench/1");
	assert_string_equal(json_string_value(json_object_get(doc, "status")),
			    "ok");
	assert_int_equal(json_array_size(json_object_get(doc, "argv")), 2);
	assert_int_equal(json_array_size(json_object_get(doc, "results")), 1);
	assert_int_equal(json_array_size(json_object_get(doc, "warnings")), 1);
	assert_null(json_object_get(doc, "peer"));
	assert_null(json_object_get(doc, "error"));
	json_decref(doc);
	/* a second time does nothing */
	assert_int_equal(
		rb_report_finish(&c.report, RB_STATUS_FAILED, &c.quiet.log), 0);
	end(&c);
}

static void a_failed_run_has_a_document_too(void **state)
{
	const json_t *error;
	struct capture c;
	json_t *doc;

	begin(&c, "-", false);
	rb_fail(RB_FAULT_DEVICE_OPEN, -EACCES, "cannot open '%s'", "mlx5_0");
	rb_fail(RB_FAULT_INTERNAL, -EIO, "what followed");
	doc = finish(&c, RB_STATUS_FAILED);
	error = json_object_get(doc, "error");
	assert_string_equal(json_string_value(json_object_get(error, "code")),
			    "device_open");
	assert_string_equal(
		json_string_value(json_object_get(error, "message")),
		"cannot open 'mlx5_0': Permission denied");
	assert_int_equal(json_array_size(json_object_get(error, "hints")), 2);
	json_decref(doc);
	end(&c);
}

static void a_file_gets_the_document_beside_the_text(void **state)
{
	char path[] = "/tmp/rbench-report-test.XXXXXX";
	int fd = mkstemp(path);
	struct capture c;
	json_t *doc;

	assert_true(fd >= 0);
	close(fd);
	begin(&c, path, false);
	rb_report_text(&c.report, "text\n");
	assert_int_equal(
		rb_report_finish(&c.report, RB_STATUS_OK, &c.quiet.log), 0);
	assert_string_equal(text_of(&c), "text\n");
	doc = json_load_file(path, 0, NULL);
	assert_non_null(doc);
	json_decref(doc);
	unlink(path);
	end(&c);
}

static const struct {
	const char *json; /* NULL: the text itself goes nowhere */
	const char *what;
} full_disks[] = {
	{ "/dev/full", "a document into a full disk" },
	{ "/nonexistent/x", "a document into no folder" },
	{ "-", "a document to a full standard output" },
	{ NULL, "text to a full standard output" },
	{ "/dev/null", "text to a full standard output beside a document" },
};

static void output_that_cannot_be_written_is_a_failure(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(full_disks); i++) {
		struct capture c;
		int rc;

		begin(&c, full_disks[i].json, false);
		fclose(c.report.out);
		c.report.out = fopen("/dev/full", "w");
		rb_report_text(&c.report, "something\n");
		errno = 0; /* what came in between */
		rc = rb_report_finish(&c.report, RB_STATUS_OK, &c.quiet.log);
		if (rc >= 0 || strcmp(quiet_code(&c.quiet), "output"))
			fail_msg("%s: %d, '%s'", full_disks[i].what, rc,
				 quiet_code(&c.quiet));
		end(&c);
	}
}

static void csv_and_json_on_one_output_are_refused(void **state)
{
	struct rb_report_opts opts = { .json = "-", .csv = true };
	struct rb_report report;
	struct quiet quiet;

	quiet_begin(&quiet);
	assert_int_equal(rb_report_open(&report, &opts, "x", 0, NULL), -EINVAL);
	assert_string_equal(quiet_code(&quiet), "usage");
	rb_report_close(&report);
	quiet_end(&quiet);
}

static void a_failure_survives_the_wire(void **state)
{
	struct rb_failure sent, got;
	struct quiet quiet;
	json_t *wire;

	quiet_begin(&quiet);
	rb_fail_hint(RB_FAULT_MEMLOCK, -ENOMEM, "cause", "hint", "message");
	sent = quiet.log.first;
	quiet_end(&quiet);
	wire = rb_failure_json(&sent);
	rb_failure_load(&got, wire);
	json_decref(wire);
	assert_int_equal(got.fault, RB_FAULT_MEMLOCK);
	assert_string_equal(got.code, sent.code);
	assert_string_equal(got.where, sent.where);
	assert_string_equal(got.message, sent.message);
	assert_string_equal(got.cause, "cause");
	assert_string_equal(got.hints[0], "hint");
}

static void a_peers_failure_cannot_move_the_cursor(void **state)
{
	struct rb_failure got;
	json_t *wire = json_pack("{s:s,s:s,s:s,s:[i,s]}", "code", "new_code",
				 "message", "a\033[2Jb\nc\x7f", "cause", "",
				 "hints", 7, "h");

	rb_failure_load(&got, wire);
	json_decref(wire);
	assert_int_equal(got.fault, RB_FAULT_COUNT);
	assert_string_equal(got.code, "new_code");
	assert_string_equal(got.message, "a [2Jb c ");
	assert_string_equal(got.hints[0], "");
	assert_string_equal(got.hints[1], "h");
	rb_failure_load(&got, NULL);
	assert_string_equal(got.message, "");
}

static void exit_codes(void **state)
{
	(void)state;
	assert_int_equal(rb_exit_code(RB_STATUS_OK, 0), 0);
	assert_int_equal(rb_exit_code(RB_STATUS_BELOW_EXPECTATION, 0), 3);
	assert_int_equal(rb_exit_code(RB_STATUS_UNSUPPORTED, -EOPNOTSUPP), 77);
	/* nothing that failed ends with 0 or 3 */
	assert_int_equal(rb_exit_code(RB_STATUS_OK, -EIO), 1);
	assert_int_equal(rb_exit_code(RB_STATUS_BELOW_EXPECTATION, -EIO), 1);
	assert_int_equal(rb_exit_code(RB_STATUS_FAILED, 0), 1);
	assert_int_equal(rb_exit_code(RB_STATUS_INTERRUPTED, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_a_header_once_and_dashes),
		cmocka_unit_test(csv_quotes_and_leaves_cells_empty),
		cmocka_unit_test(json_has_nothing_that_was_not_measured),
		cmocka_unit_test(a_row_survives_the_wire),
		cmocka_unit_test(what_the_peer_makes_up_is_absent),
		cmocka_unit_test(the_document_is_one_and_whole),
		cmocka_unit_test(a_failed_run_has_a_document_too),
		cmocka_unit_test(a_file_gets_the_document_beside_the_text),
		cmocka_unit_test(output_that_cannot_be_written_is_a_failure),
		cmocka_unit_test(csv_and_json_on_one_output_are_refused),
		cmocka_unit_test(exit_codes),
		cmocka_unit_test(a_failure_survives_the_wire),
		cmocka_unit_test(a_peers_failure_cannot_move_the_cursor),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
