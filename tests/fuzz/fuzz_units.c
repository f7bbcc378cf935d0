/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_units - any text as a count, a size, a duration, a list of sizes
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was written has to be readable: its length and an end. */
static void check(const char *text)
{
	if (strlen(text) >= RB_TEXT_SIZE || !*text)
		abort();
}

static void format(uint64_t v)
{
	char buf[RB_TEXT_SIZE];

	check(rb_format_size(v, buf));
	check(rb_format_duration(v, buf));
	check(rb_format_rate((double)v, buf));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rb_sizes sizes;
	char *text = malloc(size + 1);
	uint64_t v;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!rb_parse_count(text, &v))
		format(v);
	if (!rb_parse_size(text, &v))
		format(v);
	if (!rb_parse_duration(text, &v))
		format(v);
	if (!rb_parse_sizes(text, &sizes) && (!sizes.n || sizes.n > RB_SIZES_MAX))
		abort();
	free(text);
	return 0;
}
