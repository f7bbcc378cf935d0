/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text - look into a line of somebody's log: find words, read numbers
 */
#include "diag/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

#define SEPARATORS " \t:=(,\"'[#"
#define WORD_ENDS " \t,;()[]<>\"'"

struct rb_text rb_text_of(const char *s)
{
	return (struct rb_text){ .p = s, .n = strlen(s) };
}

struct rb_text rb_text_indexed(struct rb_text t, struct rb_pairs *pairs)
{
	memset(pairs, 0, sizeof(*pairs));
	pairs->base = t.p;
	for (size_t i = RB_MIN(t.n, (size_t)UINT16_MAX); i-- > 1;)
		pairs->first[rb_text_pair(t.p + i - 1)] = (uint16_t)i;
	/* what is beyond may stand anywhere */
	for (size_t i = UINT16_MAX; i < t.n; i++) {
		uint16_t *first = &pairs->first[rb_text_pair(t.p + i - 1)];

		*first = *first ? *first : UINT16_MAX;
	}
	t.pairs = pairs;
	return t;
}

/* The first place in @t at which @what can begin, or the length. */
static size_t earliest(struct rb_text t, const char *what)
{
	size_t at = 0, part;

	if (!t.pairs)
		return 0;
	for (size_t i = 1; what[i]; i++) {
		size_t first = t.pairs->first[rb_text_pair(what + i - 1)];

		if (!first)
			return t.n;
		at = RB_MAX(at, first > i ? first - i : 0);
	}
	part = (size_t)(t.p - t.pairs->base);
	return at > part ? at - part : 0;
}


/* The same but for case. */
static bool alike(char a, char b)
{
	char low = (char)(a | 0x20);

	return a == b || (low == (b | 0x20) && low >= 'a' && low <= 'z');
}

bool rb_text_begins(struct rb_text t, const char *what)
{
	for (size_t i = 0; what[i]; i++)
		if (i >= t.n || !alike(t.p[i], what[i]))
			return false;
	return true;
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The place of @what at or after @from, or the length. */
static size_t find(struct rb_text t, const char *what, size_t from)
{
	size_t n;

	if (!*what)
		return from;
	from = RB_MAX(from, earliest(t, what));
	if (from >= t.n)
		return t.n;
	n = strlen(what);
	for (size_t i = from; i + n <= t.n; i++)
		if (alike(t.p[i], *what) &&
		    rb_text_begins(rb_text_from(t, i), what))
			return i;
	return t.n;
}

bool rb_text_search(struct rb_text t, const char *what, struct rb_text *rest)
{
	size_t at = find(t, what, 0);

	if (at == t.n && *what)
		return false;
	if (rest)
		*rest = rb_text_from(t, at + strlen(what));
	return true;
}

bool rb_text_search_word(struct rb_text t, const char *what,
			 struct rb_text *rest)
{
	size_t at = find(t, what, 0);

	while (at < t.n && at && word_char(t.p[at - 1]))
		at = find(t, what, at + 1);
	if (at == t.n && *what)
		return false;
	if (rest)
		*rest = rb_text_from(t, at + strlen(what));
	return true;
}

void rb_text_skip(struct rb_text *t)
{
	while (t->n && *t->p && strchr(SEPARATORS, *t->p))
		*t = rb_text_from(*t, 1);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read digits: as decimal and as hexadecimal at once; their number. */
static size_t read_digits(struct rb_text t, struct rb_number *number,
			  uint64_t *decimal)
{
	size_t i = 0;

	*decimal = 0;
	for (; i < t.n && digit(t.p[i]) >= 0; i++) {
		if (i >= sizeof(number->digits) - 1)
			return 0; /* no number that we know is so long */
		number->digits[i] = t.p[i];
		number->hex |= digit(t.p[i]) > 9;
		number->as_hex = number->as_hex << 4 | (unsigned int)digit(t.p[i]);
		*decimal = *decimal * 10 + (unsigned int)digit(t.p[i]);
	}
	return i;
}

/* "fe80" and "efa" begin with letters: no numbers unless 0x stands before. */
static bool is_number(struct rb_text t, const struct rb_number *number,
		      bool marked, size_t n)
{
	if (!n || (!marked && digit(t.p[0]) > 9))
		return false;
	/* "12ms" is a number; "81st" too; "9a2x" is none */
	return n == t.n || !number->hex || !word_char(t.p[n]);
}

bool rb_text_number(struct rb_text *t, struct rb_number *number)
{
	struct rb_number found = { 0 };
	struct rb_text rest = *t;
	uint64_t decimal;
	bool marked;
	size_t n;

	rb_text_skip(&rest);
	if (rest.n && *rest.p == '-') {
		found.negative = true;
		rest = rb_text_from(rest, 1);
	}
	marked = rb_text_begins(rest, "0x");
	found.hex = marked;
	if (marked)
		rest = rb_text_from(rest, 2);
	n = read_digits(rest, &found, &decimal);
	if (!is_number(rest, &found, marked, n))
		return false;
	found.either = !found.hex;
	found.value = found.hex ? found.as_hex : decimal;
	*number = found;
	*t = rb_text_from(rest, n);
	return true;
}

bool rb_text_key(struct rb_text t, const char *key, uint64_t *value)
{
	struct rb_number number;

	if (!rb_text_after_word(t, key, &t) || !rb_text_number(&t, &number))
		return false;
	*value = number.value;
	return true;
}

bool rb_text_hex(struct rb_text *t, unsigned int digits, uint32_t *value)
{
	uint32_t v = 0;

	if (t->n < digits || (t->n > digits && word_char(t->p[digits])))
		return false;
	for (unsigned int i = 0; i < digits; i++) {
		if (digit(t->p[i]) < 0)
			return false;
		v = v << 4 | (uint32_t)digit(t->p[i]);
	}
	*value = v;
	*t = rb_text_from(*t, digits);
	return true;
}

size_t rb_text_word(struct rb_text *t, char *out, size_t room)
{
	size_t n = 0;

	while (t->n && (*t->p == ' ' || *t->p == '\t'))
		*t = rb_text_from(*t, 1);
	while (n < t->n && t->p[n] && !strchr(WORD_ENDS, t->p[n]))
		n++;
	rb_text_copy(rb_text_first(*t, n), out, room);
	*t = rb_text_from(*t, n);
	return n;
}

void rb_text_copy(struct rb_text t, char *out, size_t room)
{
	size_t n = RB_MIN(t.n, room - 1);

	for (size_t i = 0; i < n; i++)
		out[i] = t.p[i] == '\t' ? ' ' :
			 isprint((unsigned char)t.p[i]) ? t.p[i] : '?';
	out[n] = '\0';
}
