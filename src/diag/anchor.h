/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anchor - find the few lines of a large log that may mean something
 *
 * A search for many words at once, without regard to case, after Wu and
 * Manber: a table of pairs of bytes, folded, tells how far to skip when no word can
 * end here. Most bytes of a log are never looked at.
 */
#ifndef RB_DIAG_ANCHOR_H
#define RB_DIAG_ANCHOR_H

#include <stddef.h>
#include <stdint.h>

#define RB_ANCHOR_SHORTEST 4
#define RB_ANCHOR_LONGEST 40
#define RB_ANCHORS_MAX 512
/* few enough for a processor's first cache */
#define RB_ANCHOR_PAIRS 4096
#define RB_ANCHOR_CHAINS 4096

struct rb_anchor {
	const char *text; /* of RB_ANCHOR_SHORTEST characters at least */
	uint32_t topics;  /* what the caller wants to know when it is there */
};

struct rb_anchors {
	const struct rb_anchor *rows;
	size_t n;
	uint8_t skip[RB_ANCHOR_PAIRS];	/* by a pair of bytes that ends a window */
	uint16_t first[RB_ANCHOR_CHAINS]; /* by the window; +1; 0: none */
	uint16_t next[RB_ANCHORS_MAX];
	/* its first letters, case folded, and which of them are its own */
	uint64_t head[RB_ANCHORS_MAX], mask[RB_ANCHORS_MAX];
};

/* Prepare for @rows (borrowed). */
void rb_anchors_init(struct rb_anchors *a, const struct rb_anchor *rows,
		     size_t n);

/*
 * The first row in @p[0..n), from *@at on, with other topics than those @known:
 * its index, and *@at the place where it begins; -1 when there is none.
 */
int rb_anchors_find(const struct rb_anchors *a, const char *p, size_t n,
		    uint32_t known, size_t *at);

#endif
