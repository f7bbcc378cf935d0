/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text_test - a line finds the same words with its pairs as without
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "diag/text.h"

static const char *const words[] = {
	"",	 "a",	  "ab",	   "Ba",      "aab",  "abab", "_A",
	"b_a",	 "[a",	  "aaaa",  "a b",     "0x",   "xA0",  "bbbbbbbb",
	"\xe4\x61", "a\xc4",
};

/* Few characters, so that words often stand in a line, and nearly do. */
static void fill(char *p, size_t n)
{
	static const char letters[] = "aAbB_[ x0\xc4\xe4";

	for (size_t i = 0; i < n; i++)
		p[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
}

static void same(struct rb_text plain, struct rb_text indexed)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(words); i++) {
		struct rb_text a = { 0 }, b = { 0 };

		assert_int_equal(rb_text_after(plain, words[i], &a),
				 rb_text_after(indexed, words[i], &b));
		assert_ptr_equal(a.p, b.p);
		assert_int_equal(rb_text_after_word(plain, words[i], &a),
				 rb_text_after_word(indexed, words[i], &b));
		assert_ptr_equal(a.p, b.p);
		assert_int_equal(a.n, b.n);
	}
}

static void a_line_and_its_parts(void **state)
{
	char line[24];

	for (unsigned int round = 0; round < 5000; round++) {
		struct rb_pairs pairs;
		size_t n = (size_t)rand() % sizeof(line);
		size_t from = (size_t)rand() % (n + 1);
		struct rb_text t = { .p = line, .n = n }, indexed;

		fill(line, n);
		indexed = rb_text_indexed(t, &pairs);
		same(t, indexed);
		same(rb_text_from(t, from), rb_text_from(indexed, from));
		same(rb_text_first(t, from), rb_text_first(indexed, from));
	}
}

/* Places beyond what a pair's place can hold. */
static void a_long_line(void **state)
{
	static const size_t places[] = { 0, 65533, 65534, 65535, 65536, 69990 };
	size_t n = 70000;
	char *line = malloc(n);

	assert_non_null(line);
	for (size_t i = 0; i < RB_ARRAY_SIZE(places); i++) {
		struct rb_text t = { .p = line, .n = n };
		struct rb_pairs pairs;

		memset(line, '.', n);
		memcpy(line + places[i], "abab", 4);
		same(t, rb_text_indexed(t, &pairs));
	}
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_and_its_parts),
		cmocka_unit_test(a_long_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
