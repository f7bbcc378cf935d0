/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * metric_test - a key's quantity, short name and goodness follow from its words
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/metric.h"

/* clang-format off */
static const struct {
	const char *key, *brief;
	enum rb_quantity quantity;
	int goodness;
} rows[] = {
	{ "size_bytes", "size", RB_QUANTITY_BYTES, 0 },
	{ "bytes", "bytes", RB_QUANTITY_BYTES, 0 },
	{ "messages", "messages", RB_QUANTITY_COUNT, 0 },
	{ "duration_ns", "duration", RB_QUANTITY_NS, 0 },
	{ "bandwidth.bits_per_s", "bandwidth", RB_QUANTITY_BITS, 1 },
	{ "bandwidth.percent_of_link", "bandwidth.percent_of_link", RB_QUANTITY_PERCENT, 1 },
	{ "message_rate.per_s", "message_rate", RB_QUANTITY_RATE, 1 },
	{ "intervals.bits_per_s.min", "intervals.min", RB_QUANTITY_BITS, 1 },
	{ "intervals.bits_per_s.stddev", "intervals.stddev", RB_QUANTITY_BITS, -1 },
	{ "latency_ns.p99_9", "latency.p99_9", RB_QUANTITY_NS, -1 },
	{ "latency_ns.count", "latency.count", RB_QUANTITY_COUNT, 0 },
	{ "cpu.local.user_s", "cpu.local.user_s", RB_QUANTITY_SECONDS, -1 },
	{ "cpu.peer.utilisation", "cpu.peer", RB_QUANTITY_FRACTION, -1 },
};

static const struct {
	enum rb_quantity quantity;
	double value;
	const char *text;
} texts[] = {
	{ RB_QUANTITY_BITS, 11.7e9, "11.7 Gb/s" },
	{ RB_QUANTITY_BITS, 999e6, "999 Mb/s" },
	{ RB_QUANTITY_BITS, 12, "12 b/s" },
	{ RB_QUANTITY_NS, 1820, "1.82 us" },
	{ RB_QUANTITY_NS, 0, "0 ns" },
	{ RB_QUANTITY_NS, 2.5e9, "2.5 s" },
	{ RB_QUANTITY_FRACTION, 0.25, "25 %" },
	{ RB_QUANTITY_RATE, 1.5e6, "1.5 M/s" },
	{ RB_QUANTITY_COUNT, 123456, "123456" },
};
/* clang-format on */

static void keys(void **state)
{
	char brief[RB_METRIC_KEY];

	(void)state;
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		assert_string_equal(rb_metric_short(rows[i].key, brief),
				    rows[i].brief);
		assert_int_equal(rb_metric_quantity(rows[i].key),
				 rows[i].quantity);
		assert_int_equal(rb_metric_goodness(rows[i].key),
				 rows[i].goodness);
	}
}

static void for_people(void **state)
{
	char buf[RB_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < RB_ARRAY_SIZE(texts); i++)
		assert_string_equal(rb_metric_format(texts[i].quantity,
						     texts[i].value, buf),
				    texts[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
