/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * text - look into a line of somebody's log: find words, read numbers
 *
 * A slice is not terminated and may hold any bytes. Letters compare without
 * regard to case. Nothing here allocates or reads beyond the slice.
 */
#ifndef RB_DIAG_TEXT_H
#define RB_DIAG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where in a line each pair of characters stands first. A line of a log is
 * searched for some hundred words, few of which it has: a word with a pair that
 * the line lacks is not in it, and no word begins before its pairs allow it.
 */
#define RB_PAIRS 1024
struct rb_pairs {
	const char *base;
	uint16_t first[RB_PAIRS]; /* of the second character; 0: nowhere */
};

struct rb_text {
	const char *p;
	size_t n;
	const struct rb_pairs *pairs; /* of what this is a part of, or NULL */
};

struct rb_number {
	uint64_t value;	  /* in the base in which it is written */
	bool hex;	  /* 0x, or digits beyond 9 */
	bool negative;
	bool either;	  /* decimal digits only: the base is not told */
	uint64_t as_hex; /* the same digits read as hexadecimal */
	char digits[20];  /* as written */
};

struct rb_text rb_text_of(const char *s);

/* @t with its @pairs (borrowed), which are filled in. */
struct rb_text rb_text_indexed(struct rb_text t, struct rb_pairs *pairs);

/* A part of @t: without its first @n characters; only those. */
static inline struct rb_text rb_text_from(struct rb_text t, size_t n)
{
	return (struct rb_text){ t.p + n, t.n - n, t.pairs };
}

static inline struct rb_text rb_text_first(struct rb_text t, size_t n)
{
	return (struct rb_text){ t.p, n, t.pairs };
}

/* The place in rb_pairs of the two characters at @p, without regard to case. */
static inline unsigned int rb_text_pair(const char *p)
{
	return ((p[0] | 0x20u) << 5 ^ (p[1] | 0x20u)) % RB_PAIRS;
}

/* @what, by its first characters, is not in @t; the quick look. */
static inline bool rb_text_lacks(struct rb_text t, const char *what)
{
	if (!t.pairs || !what[0])
		return false;
	for (int i = 0; i < 3 && what[i + 1]; i++)
		if (!t.pairs->first[rb_text_pair(what + i)])
			return true;
	return false;
}

/*
 * What follows the first @what in @t (set in *@rest, which may be NULL). An
 * empty @what is at the beginning.
 */
bool rb_text_search(struct rb_text t, const char *what, struct rb_text *rest);

static inline bool rb_text_after(struct rb_text t, const char *what,
				 struct rb_text *rest)
{
	return !rb_text_lacks(t, what) && rb_text_search(t, what, rest);
}

bool rb_text_begins(struct rb_text t, const char *what);

static inline bool rb_text_has(struct rb_text t, const char *what)
{
	return rb_text_after(t, what, NULL);
}

/* As rb_text_after, where no letter, digit or '_' stands before @what. */
bool rb_text_search_word(struct rb_text t, const char *what,
			 struct rb_text *rest);

static inline bool rb_text_after_word(struct rb_text t, const char *what,
				      struct rb_text *rest)
{
	return !rb_text_lacks(t, what) && rb_text_search_word(t, what, rest);
}

/* Take away what separates: blanks and any of ":=(,\"'[#". */
void rb_text_skip(struct rb_text *t);

/* A number at the beginning of @t after separators; moves @t behind it. */
bool rb_text_number(struct rb_text *t, struct rb_number *number);

/* The number after @key (as rb_text_after_word); decimal unless 0x. */
bool rb_text_key(struct rb_text t, const char *key, uint64_t *value);

/* Exactly @digits hexadecimal digits at the beginning, not more. */
bool rb_text_hex(struct rb_text *t, unsigned int digits, uint32_t *value);

/* The word at the beginning, up to a blank or one of ",;()[]<>\"'"; moves @t. */
size_t rb_text_word(struct rb_text *t, char *out, size_t room);

/* Copy printable characters, others as '?'; cut to @room. */
void rb_text_copy(struct rb_text t, char *out, size_t room);

#endif
