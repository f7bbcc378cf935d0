/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * units - strict reading and writing of sizes, counts, durations and rates
 *
 * Sizes take the suffixes K, M, G, T (powers of 2^10; lower case too, and an
 * optional 'B' or 'iB'). Durations take ns, us, ms, s, m, h; a bare number is
 * seconds, and fractions are allowed ("0.5s"). Nothing may follow.
 */
#ifndef RB_UNITS_H
#define RB_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define RB_SIZES_MAX 256
#define RB_TEXT_SIZE 32 /* enough for any text that these functions write */

/* A list of sizes in the order in which they will be measured. */
struct rb_sizes {
	unsigned int n;
	uint64_t v[RB_SIZES_MAX];
};

/*
 * Each returns 0 and sets its output, or -EINVAL (not of that form) or
 * -ERANGE (of that form, but beyond 64 bits or RB_SIZES_MAX entries).
 */
int rb_parse_count(const char *text, uint64_t *count);
int rb_parse_size(const char *text, uint64_t *bytes);
int rb_parse_duration(const char *text, uint64_t *ns);

/*
 * A comma-separated list of sizes and ranges FROM:TO[:*FACTOR|:+STEP], both
 * ends included; "*2" is the default step. "2:8M" and "1K:4K:+1K,64K" are lists.
 */
int rb_parse_sizes(const char *text, struct rb_sizes *sizes);

/*
 * A decimal number (digits, a fraction, an exponent) at the beginning of @text;
 * @end is what follows it. Neither a sign nor "nan" or "inf".
 */
int rb_parse_real(const char *text, const char **end, double *value);

/* "64 KiB", "1.5 MiB", "700 B": exact when it can be, else three digits. */
const char *rb_format_size(uint64_t bytes, char buf[static RB_TEXT_SIZE]);

/* "3 s", "250 ms", "1.25 us" */
const char *rb_format_duration(uint64_t ns, char buf[static RB_TEXT_SIZE]);

/* "100 Gb/s", "2.5 Gb/s", "850 Mb/s" */
const char *rb_format_rate(double bits_per_s, char buf[static RB_TEXT_SIZE]);

#endif
