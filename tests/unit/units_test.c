/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * units_test - sizes, counts, durations and rates, in and out
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/units.h"

struct row {
	const char *text;
	int rc;
	uint64_t value;
};

static const struct row counts[] = {
	{ "0", 0, 0 },
	{ "5000", 0, 5000 },
	{ "10k", 0, 10000 },
	{ "2M", 0, 2000000 },
	{ "1G", 0, 1000000000 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999999", -ERANGE, 0 },
	{ "18446744073709551615k", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1.5", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "1kk", -EINVAL, 0 },
	{ "k", -EINVAL, 0 },
};

static const struct row sizes[] = {
	{ "0", 0, 0 },
	{ "4096", 0, 4096 },
	{ "64B", 0, 64 },
	{ "4k", 0, 4096 },
	{ "4K", 0, 4096 },
	{ "4KB", 0, 4096 },
	{ "4KiB", 0, 4096 },
	{ "8M", 0, 8ull << 20 },
	{ "2g", 0, 2ull << 30 },
	{ "1T", 0, 1ull << 40 },
	{ "16777216T", -ERANGE, 0 },
	{ "5x", -EINVAL, 0 },
	{ "4Ki", -EINVAL, 0 },
	{ "1.5M", -EINVAL, 0 },
	{ "-4K", -EINVAL, 0 },
	{ "4 K", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
};

static const struct row durations[] = {
	{ "10", 0, 10 * RB_NS_PER_S },
	{ "0", 0, 0 },
	{ "0.5", 0, RB_NS_PER_S / 2 },
	{ "500ms", 0, RB_NS_PER_S / 2 },
	{ "1.25us", 0, 1250 },
	{ "7ns", 0, 7 },
	{ "0.5ns", 0, 0 },
	{ "2m", 0, 120 * RB_NS_PER_S },
	{ "2min", 0, 120 * RB_NS_PER_S },
	{ "1h", 0, 3600 * RB_NS_PER_S },
	{ "1.0000000001s", 0, RB_NS_PER_S },
	{ "18446744073s", 0, 18446744073 * RB_NS_PER_S },
	{ "18446744074s", -ERANGE, 0 },
	{ "18446744073.9s", -ERANGE, 0 },
	{ "6000000h", -ERANGE, 0 },
	{ ".5", -EINVAL, 0 },
	{ "5.", -EINVAL, 0 },
	{ "1,5s", -EINVAL, 0 },
	{ "-1s", -EINVAL, 0 },
	{ "1d", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
};

typedef int (*parse_fn)(const char *text, uint64_t *value);

static void check_rows(const struct row *rows, size_t n, parse_fn parse)
{
	const uint64_t untouched = 0x5a5a;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = untouched;
		int rc = parse(rows[i].text, &value);

		if (rc != rows[i].rc ||
		    value != (rc ? untouched : rows[i].value))
			fail_msg("'%s': %d, %ju", rows[i].text, rc,
				 (uintmax_t)value);
	}
}

static void counts_are_strict(void **state)
{
	check_rows(counts, RB_ARRAY_SIZE(counts), rb_parse_count);
}

static void sizes_are_strict(void **state)
{
	check_rows(sizes, RB_ARRAY_SIZE(sizes), rb_parse_size);
}

static void durations_are_strict(void **state)
{
	check_rows(durations, RB_ARRAY_SIZE(durations), rb_parse_duration);
}

#define LIST_MAX 12

static const struct {
	const char *text;
	int rc;
	unsigned int n;
	uint64_t v[LIST_MAX];
} lists[] = {
	{ "64", 0, 1, { 64 } },
	{ "64,4K,1M", 0, 3, { 64, 4096, 1 << 20 } },
	{ "4K,64", 0, 2, { 4096, 64 } },
	{ "2:16", 0, 4, { 2, 4, 8, 16 } },
	{ "2:17", 0, 4, { 2, 4, 8, 16 } },
	{ "3:3", 0, 1, { 3 } },
	{ "1K:4K:+1K", 0, 4, { 1024, 2048, 3072, 4096 } },
	{ "1K:4K:+1K,64K", 0, 5, { 1024, 2048, 3072, 4096, 65536 } },
	{ "1:1000:*10", 0, 4, { 1, 10, 100, 1000 } },
	{ "0:8:+4", 0, 3, { 0, 4, 8 } },
	{ "8388608T:16777215T", 0, 1, { 1ull << 63 } },
	{ "0:255:+1", 0, 256, { 0, 1, 2 } },
	{ "0:256:+1", -ERANGE, 0, { 0 } },
	{ "0:8", -EINVAL, 0, { 0 } },
	{ "8:2", -EINVAL, 0, { 0 } },
	{ "2:8:*1", -EINVAL, 0, { 0 } },
	{ "2:8:*0", -EINVAL, 0, { 0 } },
	{ "2:8:+0", -EINVAL, 0, { 0 } },
	{ "2:8:2", -EINVAL, 0, { 0 } },
	{ "2:8:", -EINVAL, 0, { 0 } },
	{ "2:", -EINVAL, 0, { 0 } },
	{ ":8", -EINVAL, 0, { 0 } },
	{ "2:8:*2:*2", -EINVAL, 0, { 0 } },
	{ "64,", -EINVAL, 0, { 0 } },
	{ ",64", -EINVAL, 0, { 0 } },
	{ "64,,128", -EINVAL, 0, { 0 } },
	{ "", -EINVAL, 0, { 0 } },
};

static void lists_of_sizes_keep_their_order(void **state)
{
	struct rb_sizes got;

	for (size_t i = 0; i < RB_ARRAY_SIZE(lists); i++) {
		int rc;

		got.n = 77;
		rc = rb_parse_sizes(lists[i].text, &got);
		if (rc != lists[i].rc || got.n != (rc ? 77 : lists[i].n))
			fail_msg("'%s': %d, %u sizes", lists[i].text, rc,
				 got.n);
		for (unsigned int k = 0; !rc && k < lists[i].n; k++)
			if (k < LIST_MAX && lists[i].v[k] &&
			    got.v[k] != lists[i].v[k])
				fail_msg("'%s': %ju at %u", lists[i].text,
					 (uintmax_t)got.v[k], k);
	}
}

static void a_list_longer_than_its_buffer_is_refused(void **state)
{
	struct rb_sizes got;
	char text[4096];

	memset(text, '1', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(rb_parse_sizes(text, &got), -ERANGE);
}

static const struct {
	char what; /* s: size, d: duration, r: rate */
	double value;
	const char *text;
} texts[] = {
	{ 's', 0, "0 B" },
	{ 's', 700, "700 B" },
	{ 's', 1024, "1 KiB" },
	{ 's', 1536, "1.5 KiB" },
	{ 's', 65536, "64 KiB" },
	{ 's', 100000, "97.7 KiB" },
	{ 's', 1 << 20, "1 MiB" },
	{ 's', 3.0 * (1ull << 40), "3 TiB" },
	{ 'd', 0, "0 ns" },
	{ 'd', 999, "999 ns" },
	{ 'd', 1250, "1.25 us" },
	{ 'd', 250e6, "250 ms" },
	{ 'd', 3e9, "3 s" },
	{ 'd', 3600e9, "3600 s" },
	{ 'r', 0, "0 b/s" },
	{ 'r', 850e6, "850 Mb/s" },
	{ 'r', 2.5e9, "2.5 Gb/s" },
	{ 'r', 100e9, "100 Gb/s" },
	{ 'r', 1600e9, "1600 Gb/s" },
	{ 'r', 97.66e9, "97.7 Gb/s" },
};

static void numbers_are_written_short(void **state)
{
	char buf[RB_TEXT_SIZE];

	for (size_t i = 0; i < RB_ARRAY_SIZE(texts); i++) {
		double v = texts[i].value;
		const char *got = texts[i].what == 's' ?
					  rb_format_size((uint64_t)v, buf) :
				  texts[i].what == 'd' ?
					  rb_format_duration((uint64_t)v, buf) :
					  rb_format_rate(v, buf);

		if (strcmp(got, texts[i].text))
			fail_msg("%g is '%s', not '%s'", v, got, texts[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_strict),
		cmocka_unit_test(sizes_are_strict),
		cmocka_unit_test(durations_are_strict),
		cmocka_unit_test(lists_of_sizes_keep_their_order),
		cmocka_unit_test(a_list_longer_than_its_buffer_is_refused),
		cmocka_unit_test(numbers_are_written_short),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
