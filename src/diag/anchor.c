/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anchor - find the few lines of a large log that may mean something
 */
#include "diag/anchor.h"

#include <string.h>

#include "base/base.h"
#include "diag/text.h"

#define WINDOW RB_ANCHOR_SHORTEST

_Static_assert(WINDOW == sizeof(uint32_t), "chain() reads the window");

/* The same for all ways to write a pair of letters; for some others too. */
static unsigned int pair(const char *p)
{
	uint16_t letters;

	memcpy(&letters, p, sizeof(letters));
	letters |= 0x2020;
	return (letters ^ letters >> 5) % RB_ANCHOR_PAIRS;
}

/* The chain of the words that begin like the window at @p, and of few others. */
static unsigned int chain(const char *p)
{
	uint32_t letters;

	memcpy(&letters, p, sizeof(letters));
	letters = (letters | 0x20202020u) * 0x9e3779b1u;
	return letters >> 16 & (RB_ANCHOR_CHAINS - 1);
}

/* The first eight characters: equal where two may be the same, but for case. */
static uint64_t head(const char *p, size_t n)
{
	uint64_t letters = 0;

	if (n >= sizeof(letters)) /* a size that the compiler knows */
		memcpy(&letters, p, sizeof(letters));
	else
		memcpy(&letters, p, n);
	return letters | 0x2020202020202020u;
}

static void add(struct rb_anchors *a, size_t row)
{
	const char *text = a->rows[row].text;
	size_t n = RB_MIN(strlen(text), sizeof(a->mask[row]));
	uint16_t *first = &a->first[chain(text)];

	for (unsigned int i = 0; i + 2 <= WINDOW; i++) {
		uint8_t *skip = &a->skip[pair(text + i)];

		*skip = RB_MIN(*skip, (uint8_t)(WINDOW - 2 - i));
	}
	memset(&a->mask[row], 0, sizeof(a->mask[row]));
	memset(&a->mask[row], 0xff, n);
	a->head[row] = head(text, n) & a->mask[row];
	a->next[row] = *first;
	*first = (uint16_t)(row + 1);
}

void rb_anchors_init(struct rb_anchors *a, const struct rb_anchor *rows,
		     size_t n)
{
	memset(a->skip, WINDOW - 1, sizeof(a->skip));
	memset(a->first, 0, sizeof(a->first));
	a->rows = rows;
	a->n = RB_MIN(n, (size_t)RB_ANCHORS_MAX);
	/* the earlier row shall be the first of its chain */
	for (size_t i = a->n; i-- > 0;)
		add(a, i);
}

/* The row that stands at @p, where a window is; or -1. */
static int match(const struct rb_anchors *a, uint32_t known, const char *p,
		 size_t n)
{
	unsigned int i = a->first[chain(p)];
	uint64_t letters = i ? head(p, n) : 0;

	for (; i; i = a->next[i - 1]) {
		if (a->head[i - 1] == (letters & a->mask[i - 1]) &&
		    a->rows[i - 1].topics & ~known &&
		    rb_text_begins((struct rb_text){ .p = p, .n = n },
				   a->rows[i - 1].text))
			return (int)i - 1;
	}
	return -1;
}

int rb_anchors_find(const struct rb_anchors *a, const char *p, size_t n,
		    uint32_t known, size_t *at)
{
	size_t i = *at + WINDOW - 1; /* the last byte of the window */

	while (i < n) {
		unsigned int skip = a->skip[pair(p + i - 1)];
		int row;

		if (skip) {
			i += skip;
			continue;
		}
		row = match(a, known, p + i + 1 - WINDOW, n - (i + 1 - WINDOW));
		if (row >= 0) {
			*at = i + 1 - WINDOW;
			return row;
		}
		i++;
	}
	return -1;
}
