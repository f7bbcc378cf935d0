/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expect_test - what an expectation may be, and what fulfils it
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "run/expect.h"
#include "run/latresult.h"
#include "run/result.h"

/* clang-format off */
static const struct accepted {
	const char *text, *key;
	double limit;
	bool of_link;
} accepted[] = {
	{ "bandwidth >= 90%link", "bandwidth.bits_per_s", 90, true },
	{ "bandwidth>=90%link", "bandwidth.bits_per_s", 90, true },
	{ " bandwidth\t>= 1.5 Gb/s ", "bandwidth.bits_per_s", 1.5e9, false },
	{ "bandwidth.bits_per_s > 1000", "bandwidth.bits_per_s", 1000, false },
	{ "bandwidth.percent_of_link > 90", "bandwidth.percent_of_link", 90, false },
	{ "bandwidth >= 10GB/s", "bandwidth.bits_per_s", 80e9, false },
	{ "message_rate >= 1M", "message_rate.per_s", 1e6, false },
	{ "message_rate >= 1.5e3", "message_rate.per_s", 1500, false },
	{ "intervals.min >= 80%link", "intervals.bits_per_s.min", 80, true },
	{ "goodput >= 1Mb/s", "receiver.bits_per_s", 1e6, false },
	{ "messages != 0", "messages", 0, false },
	{ "cpu.local < 50%", "cpu.local.utilisation", 0.5, false },
	{ "cpu.peer.user_s < 5ms", "cpu.peer.user_s", 0.005, false },
	{ "duration >= 3s", "duration_ns", 3e9, false },
	{ "duration_ns >= 3", "duration_ns", 3, false },
	{ "loss.received == 0", "loss.received", 0, false },
};

static const struct accepted of_latency[] = {
	{ "latency.p99 <= 5us", "latency_ns.p99", 5000, false },
	{ "latency.p99.9 <= 5us", "latency_ns.p99_9", 5000, false },
	{ "latency.p99_99 <= 1ms", "latency_ns.p99_99", 1e6, false },
	{ "latency_ns.p50 < 1800", "latency_ns.p50", 1800, false },
	{ "latency.count > 10K", "latency_ns.count", 10000, false },
};

static const struct { const char *text, *why; } refused[] = {
	{ "", "begin with a metric" },
	{ ">= 3", "begin with a metric" },
	{ "bandwith >= 3Gb/s", "no metric 'bandwith'" },
	{ "bandwidth", "not followed by" },
	{ "bandwidth = 3Gb/s", "not followed by" },
	{ "bandwidth => 3Gb/s", "not followed by" },
	{ "bandwidth 3Gb/s", "not followed by" },
	{ "bandwidth >= ", "is not a number" },
	{ "bandwidth >= nan", "is not a number" },
	{ "bandwidth >= inf", "is not a number" },
	{ "bandwidth >= -1Gb/s", "is not a number" },
	{ "bandwidth >= 0x10Gb/s", "is not a number" },
	{ "bandwidth >= 1e999Gb/s", "is not a number" },
	{ "bandwidth >= 1e308Gb/s", "too large" },
	{ "bandwidth >= 90", "needs a unit" },
	{ "intervals.min >= 90", "needs a unit" },
	{ "bandwidth >= 90gb/s", "not a unit" },
	{ "bandwidth >= 90us", "not a unit" },
	{ "bandwidth >= 90%", "not a unit" },
	{ "message_rate >= 1%link", "not a unit" },
	{ "bandwidth >= 90Gb/s and more", "not a unit" },
	{ "latency.p99 <= 5us", "no metric" },
	{ "latency.kind == 1", "no metric" },
	{ "directions.out >= 1Gb/s", "no metric" },
	{ "counters. == 0", "no metric" },
	{ "counters == 0", "no metric" },
};
/* clang-format on */

static void accept_all(const struct accepted *rows, size_t n,
		       const struct rb_fields *fields)
{
	for (size_t i = 0; i < n; i++) {
		char why[RB_EXPECT_WHY] = "";
		struct rb_expect e;
		int err = rb_expect_parse(&e, rows[i].text, fields, why);

		if (err || strcmp(e.key, rows[i].key) ||
		    fabs(e.limit - rows[i].limit) > 1e-9 * rows[i].limit ||
		    e.of_link != rows[i].of_link)
			fail_msg("'%s': %s, key '%s', limit %g", rows[i].text,
				 why, e.key, e.limit);
	}
}

static void accepted_as_meant(void **state)
{
	(void)state;
	accept_all(accepted, RB_ARRAY_SIZE(accepted), &rb_bw_fields);
	accept_all(of_latency, RB_ARRAY_SIZE(of_latency), rb_lat_result_fields((struct rb_lat_parts){ 0 }));
}

static void refused_with_the_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < RB_ARRAY_SIZE(refused); i++) {
		char why[RB_EXPECT_WHY] = "";
		struct rb_expect e;

		if (!rb_expect_parse(&e, refused[i].text, &rb_bw_fields, why) ||
		    !strstr(why, refused[i].why))
			fail_msg("'%s': '%s'", refused[i].text, why);
	}
}

static struct rb_expect parsed(const char *text)
{
	char why[RB_EXPECT_WHY];
	struct rb_expect e;

	assert_int_equal(rb_expect_parse(&e, text, &rb_bw_fields, why), 0);
	return e;
}

static void operators(void **state)
{
	static const struct {
		const char *text;
		bool at[3]; /* of 1, 2, 3 */
	} rows[] = {
		{ "messages >= 2", { false, true, true } },
		{ "messages <= 2", { true, true, false } },
		{ "messages == 2", { false, true, false } },
		{ "messages != 2", { true, false, true } },
		{ "messages > 2", { false, false, true } },
		{ "messages < 2", { true, false, false } },
	};

	(void)state;
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		struct rb_expect e = parsed(rows[i].text);

		for (int v = 1; v <= 3; v++)
			assert_int_equal(rb_expect_holds(&e, v),
					 rows[i].at[v - 1]);
		assert_false(rb_expect_holds(&e, NAN));
		assert_false(rb_expect_holds(&e, INFINITY));
		assert_false(rb_expect_holds(&e, -INFINITY));
	}
}

static json_t *json(const char *text)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

	assert_non_null(value);
	return value;
}

/* The verdict on @text of what the rows and facts say, as compact JSON. */
static void assert_verdict(const char *text, struct rb_expect_facts *facts,
			   const char *expected)
{
	struct rb_expect e = parsed(text);
	json_t *verdict = rb_expect_judge(&e, facts);
	json_t *wanted = json(expected);

	json_object_del(verdict, "expr");
	json_object_del(verdict, "limit");
	if (!json_equal(verdict, wanted))
		fail_msg("'%s': %s", text,
			 json_dumps(verdict, JSON_COMPACT | JSON_SORT_KEYS));
	json_decref(verdict);
	json_decref(wanted);
}

static void every_row_has_to_hold(void **state)
{
	json_t *rows = json("[{\"size_bytes\": 1, \"bandwidth\": {\"bits_per_s\": 3.0}},"
			    " {\"size_bytes\": 2, \"bandwidth\": {\"bits_per_s\": 2.0}},"
			    " {\"size_bytes\": 4, \"bandwidth\": {\"bits_per_s\": 9.0}}]");
	json_t *lacking = json("[{\"size_bytes\": 1, \"bandwidth\": {\"bits_per_s\": 3.0}},"
			       " {\"size_bytes\": 2}]");
	struct rb_expect_facts facts = { .results = rows };

	(void)state;
	assert_verdict("bandwidth >= 2b/s", &facts,
		       "{\"met\": true, \"value\": 2.0, \"size_bytes\": 2}");
	assert_verdict("bandwidth >= 3b/s", &facts,
		       "{\"met\": false, \"value\": 2.0, \"size_bytes\": 2,"
		       " \"failed\": [{\"value\": 2.0, \"size_bytes\": 2}]}");
	assert_verdict("bandwidth < 3b/s", &facts,
		       "{\"met\": false, \"value\": 9.0, \"size_bytes\": 4,"
		       " \"failed\": [{\"value\": 3.0, \"size_bytes\": 1},"
		       " {\"value\": 9.0, \"size_bytes\": 4}]}");
	facts.results = lacking;
	assert_verdict("bandwidth >= 1b/s", &facts,
		       "{\"met\": false, \"size_bytes\": 2,"
		       " \"failed\": [{\"size_bytes\": 2}]}");
	facts.results = NULL;
	assert_verdict("bandwidth >= 0b/s", &facts, "{\"met\": false}");
	json_decref(rows);
	json_decref(lacking);
}

static void share_of_the_link(void **state)
{
	json_t *rows = json("[{\"size_bytes\": 1, \"bandwidth\": {\"bits_per_s\": 18.0},"
			    " \"intervals\": {\"bits_per_s\": {\"min\": 8.0}}}]");
	struct rb_expect_facts facts = { .results = rows,
					 .link_bits_per_s = 10,
					 .directions = 2 };

	(void)state;
	assert_verdict("bandwidth >= 90%link", &facts,
		       "{\"met\": true, \"value\": 90.0, \"size_bytes\": 1}");
	assert_verdict("intervals.min >= 80%link", &facts,
		       "{\"met\": true, \"value\": 80.0, \"size_bytes\": 1}");
	facts.link_bits_per_s = 0;
	assert_verdict("bandwidth >= 0%link", &facts,
		       "{\"met\": false, \"size_bytes\": 1,"
		       " \"failed\": [{\"size_bytes\": 1}]}");
	json_decref(rows);
}

static void counters_of_both_ends(void **state)
{
	json_t *local = json("{\"hw.out_of_seq_request\": 2, \"netdev.rx_dropped\": 1}");
	json_t *peer = json("{\"hw.out_of_sequence\": 3}");
	json_t *still = json("[\"hw.implied_nak_seq_err\", 7]");
	struct rb_expect_facts facts = { .moved = { local, peer },
					 .still = { still, NULL },
					 .warnings = 2 };

	(void)state;
	/* rxe's name and mlx5's, by what they warn of */
	assert_verdict("counters.out_of_sequence == 0", &facts,
		       "{\"met\": false, \"value\": 5.0}");
	assert_verdict("counters.peer.out_of_sequence <= 3", &facts,
		       "{\"met\": true, \"value\": 3.0}");
	assert_verdict("counters.local.hw.out_of_seq_request == 2", &facts,
		       "{\"met\": true, \"value\": 2.0}");
	assert_verdict("counters.implied_nak_seq_err == 0", &facts,
		       "{\"met\": true, \"value\": 0.0}");
	assert_verdict("counters.peer.implied_nak_seq_err == 0", &facts,
		       "{\"met\": false}");
	assert_verdict("counters.nosuch == 0", &facts, "{\"met\": false}");
	assert_verdict("warnings == 0", &facts, "{\"met\": false, \"value\": 2.0}");
	assert_verdict("events == 0", &facts, "{\"met\": true, \"value\": 0.0}");
	json_decref(local);
	json_decref(peer);
	json_decref(still);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted_as_meant),
		cmocka_unit_test(refused_with_the_reason),
		cmocka_unit_test(operators),
		cmocka_unit_test(every_row_has_to_hold),
		cmocka_unit_test(share_of_the_link),
		cmocka_unit_test(counters_of_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
