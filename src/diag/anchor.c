/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anchor - find the few lines of a large log that may mean something
 */
#include "diag/anchor.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "diag/text.h"

#define WINDOW RB_ANCHOR_SHORTEST

_Static_assert(WINDOW == sizeof(uint32_t), "head() reads the window");

static unsigned int pair(unsigned char a, unsigned char b)
{
	return (unsigned int)a << 8 | b;
}

/* Four characters: equal where those at two places may be, but for case. */
static uint32_t head(const char *p)
{
	uint32_t letters;

	memcpy(&letters, p, sizeof(letters));
	return letters | 0x20202020u;
}

/* Do something for the four ways to write a pair of letters. */
static void spellings(const char *p, unsigned int pairs[4])
{
	unsigned char a = (unsigned char)tolower((unsigned char)p[0]);
	unsigned char b = (unsigned char)tolower((unsigned char)p[1]);
	unsigned char c = (unsigned char)toupper(a);
	unsigned char d = (unsigned char)toupper(b);

	pairs[0] = pair(a, b);
	pairs[1] = pair(a, d);
	pairs[2] = pair(c, b);
	pairs[3] = pair(c, d);
}

static void add(struct rb_anchors *a, size_t row)
{
	unsigned int pairs[4];

	for (unsigned int i = 0; i + 2 <= WINDOW; i++) {
		uint8_t distance = (uint8_t)(WINDOW - 2 - i);

		spellings(a->rows[row].text + i, pairs);
		for (int k = 0; k < 4; k++)
			a->skip[pairs[k]] = RB_MIN(a->skip[pairs[k]], distance);
	}
	a->head[row] = head(a->rows[row].text);
	/* chained by the pair that ends the window, in lower case */
	spellings(a->rows[row].text + WINDOW - 2, pairs);
	a->next[row] = a->first[pairs[0]];
	for (int k = 0; k < 4; k++)
		a->first[pairs[k]] = (uint16_t)(row + 1);
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

/* The row of the chain that stands at @p, where a window is; or -1. */
static int match(const struct rb_anchors *a, unsigned int key, const char *p,
		 size_t n)
{
	struct rb_text t = { .p = p, .n = n };
	uint32_t letters = head(p);

	for (unsigned int i = a->first[key]; i; i = a->next[i - 1]) {
		if (a->head[i - 1] == letters &&
		    rb_text_begins(t, a->rows[i - 1].text))
			return (int)i - 1;
	}
	return -1;
}

int rb_anchors_find(const struct rb_anchors *a, const char *p, size_t n,
		    size_t *at)
{
	size_t i = *at + WINDOW - 1; /* the last byte of the window */

	while (i < n) {
		unsigned int key = pair((unsigned char)p[i - 1],
					(unsigned char)p[i]);
		unsigned int skip = a->skip[key];
		int row;

		if (skip) {
			i += skip;
			continue;
		}
		row = match(a, key, p + i + 1 - WINDOW, n - (i + 1 - WINDOW));
		if (row >= 0) {
			*at = i + 1 - WINDOW;
			return row;
		}
		i++;
	}
	return -1;
}
