/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * opt_test - command lines, agreements and help by option tables
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/opt.h"
#include "base/units.h"
#include "quiet.h"

#define WORDS 16

struct opts {
	bool flag;
	uint64_t level, count, size, duration, depth;
	int shape;
	const char *name, *file;
	struct rb_sizes sizes;
};

static const struct rb_enum shapes[] = { { "round", 1 }, { "flat", 2 }, { 0 } };

#define AT(field) .offset = offsetof(struct opts, field)
static const struct rb_opt rows[] = {
	/* clang-format off */
	{ .name = "flag", .letter = 'f', .type = RB_OPT_FLAG, AT(flag), .help = "a flag" },
	{ .name = "level", .letter = 'v', .type = RB_OPT_LEVEL, AT(level), .help = "a level" },
	{ .name = "count", .letter = 'n', .type = RB_OPT_COUNT, AT(count), .def = "5",
	  .min = 1, .max = 100, .flags = RB_OPT_AGREE, .help = "a count" },
	{ .name = "big-size", .letter = 's', .type = RB_OPT_SIZE, AT(size), .def = "64K",
	  .flags = RB_OPT_AGREE, .arg = "BYTES", .help = "a size" },
	{ .name = "duration", .letter = 'D', .type = RB_OPT_DURATION, AT(duration), .def = "3",
	  .max = 3600 * RB_NS_PER_S, .flags = RB_OPT_AGREE, .help = "a duration" },
	{ .name = "shape", .type = RB_OPT_ENUM, AT(shape), .def = "flat", .names = shapes,
	  .flags = RB_OPT_AGREE, .help = "a shape" },
	{ .name = "name", .letter = 'd', .type = RB_OPT_STRING, AT(name), .help = "a name" },
	{ .name = "json", .type = RB_OPT_STRING, AT(file), .arg = "FILE",
	  .flags = RB_OPT_ARG_MAYBE, .help = "a file" },
	/* clang-format on */
};
static const struct rb_opt more_rows[] = {
	/* clang-format off */
	{ .name = "depth", .letter = 't', .type = RB_OPT_COUNT, AT(depth), .max = 1000,
	  .flags = RB_OPT_AUTO | RB_OPT_AGREE, .help = "left to rbench" },
	{ .name = "sizes", .type = RB_OPT_SIZES, AT(sizes), .def = "2:8", .max = 1 << 30,
	  .flags = RB_OPT_AGREE | RB_OPT_HIDDEN, .help = "sizes" },
	/* clang-format on */
};
static const struct rb_optgroup group = { "Some", rows, RB_ARRAY_SIZE(rows) };
static const struct rb_optgroup more = { "More", more_rows,
					 RB_ARRAY_SIZE(more_rows) };

static const struct rb_optalias aliases[] = {
	{ "ib-name", "name", false, NULL },
	{ "N", "count", false, NULL },
	{ "old_flag", NULL, false, "it never worked" },
	{ "O", NULL, true, "it measured nothing" },
	{ "elsewhere", "not-here", true, NULL },
};

static void bind_all(struct rb_optset *set, struct opts *opts)
{
	memset(set, 0, sizeof(*set));
	memset(opts, 0x5a, sizeof(*opts));
	rb_optset_bind(set, &group, opts);
	rb_optset_bind(set, &more, opts);
	rb_optset_aliases(set, aliases, RB_ARRAY_SIZE(aliases));
}

/* Parse a line of words; at most one positional argument. */
static int parse(struct rb_optset *set, const char *line, const char **host,
		 unsigned int *nargs)
{
	static char words[256]; /* what was parsed points into it */
	char *argv[WORDS + 2] = { (char *)(uintptr_t) "test" };
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	return rb_optset_parse(set, argc, argv, host, 1, nargs);
}

static const struct {
	const char *line;
	const char *says; /* NULL: accepted; else a part of the message */
} lines[] = {
	{ "", NULL },
	{ "-f -vv -n 7 -s 4K -D 500ms --shape round -d mlx5_0", NULL },
	{ "-fvn7 host", NULL },
	{ "host -f", NULL },
	{ "--json", NULL },
	{ "--json=x", NULL },
	{ "--big-size=1M", NULL },
	{ "--depth auto", NULL },
	{ "--depth 0", NULL },
	{ "--shape ROUND", NULL },
	{ "--ib-name x", NULL },
	{ "--ib-name=x -N 9", NULL },
	{ "-- -f", NULL },
	{ "-n 0",
	  "value '0' of option '--count' is not in the range 1 to 100" },
	{ "-n 101", "range" },
	{ "-n 18446744073709551615", "beyond what 64 bits hold" },
	{ "-n 99999999999999999999", "64 bits" },
	{ "-n seven", "value 'seven' of option '--count' is not a number" },
	{ "-n auto", "not a number" },
	{ "-n -1", "not a number" },
	{ "-s 4q", "is not a size" },
	{ "-D 2d", "is not a duration" },
	{ "-D 2h", "not in the range 0 ns to 3600 s" },
	{ "--shape oval", "is not one of round, flat" },
	{ "--sizes 2:x", "is not a list of sizes" },
	{ "--sizes 2:4G", "range" },
	{ "--depth 1001", "range" },
	{ "-Z", "unknown option '-Z'" },
	{ "--zzz", "unknown option '--zzz'" },
	{ "--zzz=3", "unknown option '--zzz'" },
	{ "--cou 3", "unknown option '--cou'" },
	{ "--cou=3", "unknown option '--cou'" },
	{ "--flag -Zv", "unknown option '-Z'" },
	{ "-d x --flag -vZ", "unknown option '-Z'" },
	{ "--flag=3", "option '--flag=3' takes no value" },
	{ "-n", "option '-n' needs a value" },
	{ "--count", "option '--count' needs a value" },
	{ "--flag -n", "option '-n' needs a value" },
	{ "a b", "unexpected argument 'b'" },
	{ "--old_flag", "option '--old_flag' does not exist in rbench" },
	{ "-O 3", "option '-O' does not exist in rbench" },
	{ "--elsewhere 3", "option '--not-here' is not one of this command" },
};

static void command_lines_are_accepted_or_refused(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(lines); i++) {
		const char *host = NULL, *says = lines[i].says;
		struct rb_optset set;
		struct quiet quiet;
		unsigned int nargs;
		struct opts opts;
		int rc;

		quiet_begin(&quiet);
		bind_all(&set, &opts);
		rc = parse(&set, lines[i].line, &host, &nargs);
		if (rc != (says ? -EINVAL : 0) ||
		    strcmp(quiet_code(&quiet), says ? "usage" : "") ||
		    (says && !strstr(quiet.log.first.message, says)))
			fail_msg("'%s': %d, '%s'", lines[i].line, rc,
				 quiet.log.first.message);
		quiet_end(&quiet);
	}
}

static void defaults_are_those_of_the_rows(void **state)
{
	struct rb_optset set;
	struct opts opts;

	bind_all(&set, &opts);
	assert_false(opts.flag);
	assert_int_equal(opts.level, 0);
	assert_int_equal(opts.count, 5);
	assert_int_equal(opts.size, 65536);
	assert_int_equal(opts.duration, 3 * RB_NS_PER_S);
	assert_int_equal(opts.shape, 2);
	assert_null(opts.name);
	assert_true(opts.depth == RB_AUTO);
	assert_int_equal(opts.sizes.n, 3);
	assert_int_equal(rb_optset_source(&set, "count"), RB_SOURCE_DEFAULT);
	assert_int_equal(rb_optset_source(&set, "nonsense"), RB_SOURCE_DEFAULT);
}

static void values_arrive_with_their_source(void **state)
{
	const char *host = NULL;
	struct rb_optset set;
	unsigned int nargs;
	struct opts opts;

	bind_all(&set, &opts);
	assert_int_equal(parse(&set, "-fvvn7 --json --ib-name=mlx5_0 -t 8 host",
			       &host, &nargs),
			 0);
	assert_true(opts.flag);
	assert_int_equal(opts.level, 2);
	assert_int_equal(opts.count, 7);
	assert_string_equal(opts.file, "-");
	assert_string_equal(opts.name, "mlx5_0");
	assert_int_equal(opts.depth, 8);
	assert_int_equal(nargs, 1);
	assert_string_equal(host, "host");
	assert_int_equal(rb_optset_source(&set, "name"), RB_SOURCE_USER);
	assert_int_equal(rb_optset_source(&set, "big-size"), RB_SOURCE_DEFAULT);
	rb_optset_put(&set, "big-size", 99, RB_SOURCE_CLAMPED);
	assert_int_equal(opts.size, 99);
	assert_int_equal(rb_optset_source(&set, "big-size"), RB_SOURCE_CLAMPED);
}

static void a_refusal_tells_the_reason_of_its_row(void **state)
{
	const char *host;
	struct rb_optset set;
	struct quiet quiet;
	unsigned int nargs;
	struct opts opts;

	quiet_begin(&quiet);
	bind_all(&set, &opts);
	parse(&set, "--old_flag", &host, &nargs);
	assert_string_equal(quiet.log.first.cause, "it never worked");
	assert_non_null(strstr(quiet_text(&quiet), "it never worked"));
	quiet_end(&quiet);
}

static void the_document_holds_value_and_source(void **state)
{
	const char *host;
	struct rb_optset set;
	unsigned int nargs;
	struct opts opts;
	json_t *json, *expected;

	bind_all(&set, &opts);
	parse(&set, "-n 7 -d x", &host, &nargs);
	json = rb_optset_json(&set);
	expected = json_pack(
		"{s:{s:b,s:s},s:{s:i,s:s},s:{s:i,s:s},s:{s:i,s:s},s:{s:I,s:s},"
		"s:{s:s,s:s},s:{s:s,s:s},s:{s:s,s:s}}",
		"flag", "value", 0, "source", "default", "level", "value", 0,
		"source", "default", "count", "value", 7, "source", "user",
		"big_size", "value", 65536, "source", "default", "duration",
		"value", (json_int_t)3 * 1000000000, "source", "default",
		"shape", "value", "flat", "source", "default", "name", "value",
		"x", "source", "user", "depth", "value", "auto", "source",
		"default");
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
}

static void an_agreement_carries_over_what_is_to_agree(void **state)
{
	const char *host;
	struct rb_optset client, server;
	struct opts mine, yours;
	unsigned int nargs;
	json_t *agreement;

	bind_all(&client, &mine);
	bind_all(&server, &yours);
	parse(&client, "-n 7 -s 1M -D 10 --shape round --sizes 64,128 -d x",
	      &host, &nargs);
	agreement = rb_optset_agreement(&client);
	json_object_set_new(agreement, "from_the_future", json_true());
	assert_int_equal(rb_optset_agree(&server, agreement), 0);
	json_decref(agreement);
	assert_int_equal(yours.count, 7);
	assert_int_equal(yours.size, 1 << 20);
	assert_int_equal(yours.duration, 10 * RB_NS_PER_S);
	assert_int_equal(yours.shape, 1);
	assert_true(yours.depth == RB_AUTO);
	assert_int_equal(yours.sizes.n, 2);
	assert_int_equal(yours.sizes.v[1], 128);
	assert_null(yours.name);
	assert_int_equal(rb_optset_source(&server, "count"), RB_SOURCE_PEER);
	assert_int_equal(rb_optset_source(&server, "name"), RB_SOURCE_DEFAULT);
}

static const char *const lies[] = {
	"{\"count\": 0}",
	"{\"count\": 101}",
	"{\"count\": -1}",
	"{\"count\": \"7\"}",
	"{\"count\": 7.5}",
	"{\"count\": null}",
	"{\"count\": \"auto\"}",
	"{\"duration\": 99999999999999}",
	"{\"shape\": \"oval\"}",
	"{\"shape\": 1}",
	"{\"depth\": \"automatic\"}",
	"{\"depth\": 1001}",
	"{\"sizes\": 64}",
	"{\"sizes\": [64, \"x\"]}",
	"{\"sizes\": [-1]}",
	"{\"sizes\": [2147483648]}",
};

static void an_impossible_agreement_is_refused(void **state)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(lies); i++) {
		json_t *agreement = json_loads(lies[i], 0, NULL);
		struct rb_optset set;
		struct quiet quiet;
		struct opts opts;
		int rc;

		quiet_begin(&quiet);
		bind_all(&set, &opts);
		rc = rb_optset_agree(&set, agreement);
		if (rc != -EPROTO ||
		    strcmp(quiet_code(&quiet), "peer_protocol"))
			fail_msg("%s: %d", lies[i], rc);
		quiet_end(&quiet);
		json_decref(agreement);
	}
}

static void the_help_shows_all_but_what_is_hidden(void **state)
{
	struct rb_optset set;
	struct opts opts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	bind_all(&set, &opts);
	rb_optset_help(&set, out);
	rb_optset_list(&set, out);
	fclose(out);
	assert_non_null(strstr(text, "\nSome:\n"));
	assert_non_null(strstr(text, "  -s, --big-size BYTES"));
	assert_non_null(strstr(text, "a size [64K]"));
	assert_non_null(strstr(text, "      --json[=FILE]"));
	assert_non_null(strstr(text, "--big-size\ts\tBYTES\ta size\n"));
	assert_null(strstr(text, "sizes"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_are_accepted_or_refused),
		cmocka_unit_test(defaults_are_those_of_the_rows),
		cmocka_unit_test(values_arrive_with_their_source),
		cmocka_unit_test(a_refusal_tells_the_reason_of_its_row),
		cmocka_unit_test(the_document_holds_value_and_source),
		cmocka_unit_test(an_agreement_carries_over_what_is_to_agree),
		cmocka_unit_test(an_impossible_agreement_is_refused),
		cmocka_unit_test(the_help_shows_all_but_what_is_hidden),
	};

	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
