/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* memory - ranges of memory of two processes, checked and copied. */

#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uintptr_t mr_find(const struct wire_arena *a, uint32_t pd, uint32_t key,
		  uint64_t addr, uint64_t len, uint32_t access)
{
	uint32_t index = key >> 8;
	const struct wire_mr *mr;
	uint32_t have;

	if (!index || index >= WIRE_MRS)
		return 0;
	mr = &a->mr[index];
	have = load32(&mr->access);
	if (!(have & MR_VALID) || mr->key != key || mr->pd != pd ||
	    (have & access) != access)
		return 0;
	if (addr < mr->iova || len > mr->length ||
	    addr - mr->iova > mr->length - len)
		return 0;
	return mr->addr + (addr - mr->iova);
}

void span_add(struct span *s, uintptr_t addr, size_t len)
{
	if (!len)
		return;
	s->v[s->n].iov_base = (void *)addr;
	s->v[s->n].iov_len = len;
	s->n++;
	s->len += len;
}

void span_clip(struct span *s, size_t len)
{
	size_t over = s->len - len;

	while (over && s->n) {
		struct iovec *last = &s->v[s->n - 1];
		size_t cut = over < last->iov_len ? over : last->iov_len;

		last->iov_len -= cut;
		over -= cut;
		if (!last->iov_len)
			s->n--;
	}
	s->len = len;
}

bool span_add_sges(struct span *s, const struct wire_arena *a, uint32_t pd,
		   const struct ibv_sge *sge, uint32_t n, uint32_t access)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		uintptr_t at;

		if (!sge[i].length)
			continue;
		at = mr_find(a, pd, sge[i].lkey, sge[i].addr, sge[i].length,
			     access);
		if (!at)
			return false;
		span_add(s, at, sge[i].length);
	}
	return true;
}

/* Both ends in this process: no system call, and sanitizers see it. */
static void copy_here(const struct span *to, const struct span *from)
{
	size_t to_off = 0, from_off = 0;
	int i = 0, j = 0;

	while (i < to->n && j < from->n) {
		size_t n = to->v[i].iov_len - to_off;

		if (n > from->v[j].iov_len - from_off)
			n = from->v[j].iov_len - from_off;
		memmove((char *)to->v[i].iov_base + to_off,
			(char *)from->v[j].iov_base + from_off, n);
		to_off += n;
		from_off += n;
		if (to_off == to->v[i].iov_len)
			i++, to_off = 0;
		if (from_off == from->v[j].iov_len)
			j++, from_off = 0;
	}
}

static int copied(ssize_t n, size_t want)
{
	if (n == (ssize_t)want)
		return 0;
	return n < 0 && errno == ESRCH ? -ESRCH : -EFAULT;
}

int span_put(const struct wire_peer *peer, const struct span *local,
	     const struct span *remote)
{
	if (peer->is_self) {
		copy_here(remote, local);
		return 0;
	}
	return copied(process_vm_writev(peer->pid, local->v,
					(unsigned long)local->n, remote->v,
					(unsigned long)remote->n, 0),
		      local->len);
}

int span_get(const struct wire_peer *peer, const struct span *local,
	     const struct span *remote)
{
	if (peer->is_self) {
		copy_here(local, remote);
		return 0;
	}
	return copied(process_vm_readv(peer->pid, local->v,
				       (unsigned long)local->n, remote->v,
				       (unsigned long)remote->n, 0),
		      local->len);
}

int span_put_corrupt(const struct wire_peer *peer, const struct span *local,
		     const struct span *remote)
{
	struct span whole = { .n = 0 };
	char *copy = malloc(local->len);
	int err;

	if (!copy)
		return -EFAULT;
	span_add(&whole, (uintptr_t)copy, local->len);
	copy_here(&whole, local);
	copy[local->len / 2] ^= 1;
	err = span_put(peer, &whole, remote);
	free(copy);
	return err;
}
