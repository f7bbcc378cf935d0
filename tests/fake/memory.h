/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* memory - ranges of memory of two processes, checked and copied. */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "wire.h"

#include <sys/uio.h>

#define MR_VALID (1u << 31)		/* in wire_mr.access */

enum { SPAN_MAX = WIRE_SGE + 2 };

struct span {
	struct iovec v[SPAN_MAX];
	int n;
	size_t len;
};

/*
 * Where @len bytes at @addr of key @key lie in the process that owns @a, or 0
 * when the key, the domain, the bounds or the @access rights forbid it.
 */
uintptr_t mr_find(const struct wire_arena *a, uint32_t pd, uint32_t key,
		  uint64_t addr, uint64_t len, uint32_t access);

void span_add(struct span *s, uintptr_t addr, size_t len);
void span_clip(struct span *s, size_t len);

/* Append the entries to @s; returns false when a key forbids one. */
bool span_add_sges(struct span *s, const struct wire_arena *a, uint32_t pd,
		   const struct ibv_sge *sge, uint32_t n, uint32_t access);

/*
 * Copy between this process and @peer; the lengths have to be equal.
 * Returns 0, -ESRCH when the peer is gone, -EFAULT when memory is missing.
 */
int span_put(const struct wire_peer *peer, const struct span *local,
	     const struct span *remote);
int span_get(const struct wire_peer *peer, const struct span *local,
	     const struct span *remote);

/* As span_put, with one bit of the payload flipped. */
int span_put_corrupt(const struct wire_peer *peer, const struct span *local,
		     const struct span *remote);

#endif
