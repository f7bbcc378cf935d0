/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anchor_test - the search for many words finds what a look at each place finds
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "base/base.h"
#include "diag/anchor.h"

/* Words that begin alike, of all lengths around those that are looked at at once. */
static const struct rb_anchor rows[] = {
	{ "abab", 1 },	      { "abab_b", 2 },	 { "ABABABAB", 4 },
	{ "aba[ba", 8 },      { "babaB", 16 },	 { "abababab_a", 32 },
	{ "b_[a", 64 },	      { "_a_b_a_b", 1 }, { "bbbb", 3 },
};

/* Few characters, so that words often stand in a line, and nearly do. */
static void fill(char *p, size_t n)
{
	static const char letters[] = "aAbB_[{";

	for (size_t i = 0; i < n; i++)
		p[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
}

static int look(const char *p, size_t n, uint32_t known, size_t *at)
{
	for (size_t i = *at; i < n; i++)
		for (size_t k = 0; k < RB_ARRAY_SIZE(rows); k++) {
			size_t length = strlen(rows[k].text);

			if (rows[k].topics & ~known && length <= n - i &&
			    !strncasecmp(p + i, rows[k].text, length)) {
				*at = i;
				return (int)k;
			}
		}
	return -1;
}

static void the_first_that_says_more(void **state)
{
	struct rb_anchors *a = malloc(sizeof(*a));
	char *line = malloc(32);

	(void)state;
	assert_non_null(a);
	assert_non_null(line);
	rb_anchors_init(a, rows, RB_ARRAY_SIZE(rows));
	for (unsigned int round = 0; round < 100000; round++) {
		size_t n = (size_t)rand() % 33, from = (size_t)rand() % (n + 1);
		/* at the end of its memory: nothing beyond may be read */
		char *p = line + 32 - n;
		uint32_t known = round % 2 ? (uint32_t)rand() % 128 : 0;
		size_t x = from, y = from;

		fill(p, n);
		assert_int_equal(look(p, n, known, &x),
				 rb_anchors_find(a, p, n, known, &y));
		assert_int_equal(x, y);
	}
	free(line);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_says_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
