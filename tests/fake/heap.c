/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heap - space for rings in the own arena
 *
 * Blocks are powers of two from one page up, kept by size when freed; their
 * pages go back to the system, so a freed block reads as zero.
 */

#define _GNU_SOURCE
#include "fake.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { MIN_ORDER = 12, MAX_ORDER = 32 };

struct block {
	struct block *next;
	uint64_t offset;
};

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *free_blocks[MAX_ORDER + 1];
static uint64_t heap_top;

static int order_of(size_t size)
{
	int order = MIN_ORDER;

	while (order <= MAX_ORDER && (1ull << order) < size)
		order++;
	return order;
}

static uint64_t reuse(int order)
{
	struct block *b = free_blocks[order];
	uint64_t offset;

	if (!b)
		return 0;
	free_blocks[order] = b->next;
	offset = b->offset;
	free(b);
	return offset;
}

static uint64_t extend(int order)
{
	uint64_t page = 1u << MIN_ORDER, offset;

	if (!heap_top)
		heap_top = (sizeof(struct wire_arena) + page - 1) & ~(page - 1);
	if (heap_top + (1ull << order) > WIRE_ARENA_BYTES)
		return 0;
	offset = heap_top;
	heap_top += 1ull << order;
	return offset;
}

uint64_t wire_alloc(size_t size)
{
	int order = order_of(size);
	uint64_t offset;

	if (order > MAX_ORDER)
		return 0;
	pthread_mutex_lock(&heap_lock);
	offset = reuse(order);
	if (!offset)
		offset = extend(order);
	pthread_mutex_unlock(&heap_lock);
	return offset;
}

void wire_free(uint64_t offset, size_t size)
{
	int order = order_of(size);
	struct block *b;

	if (!offset)
		return;
	madvise(wire_at(proc.self.a, offset), 1ull << order, MADV_REMOVE);
	b = malloc(sizeof(*b));
	if (!b)
		return;			/* the block is lost, no more */
	b->offset = offset;
	pthread_mutex_lock(&heap_lock);
	b->next = free_blocks[order];
	free_blocks[order] = b;
	pthread_mutex_unlock(&heap_lock);
}

void heap_forget(void)
{
	int order;

	for (order = 0; order <= MAX_ORDER; order++)
		while (free_blocks[order])
			reuse(order);
	heap_top = 0;
}

__attribute__((destructor)) static void heap_fini(void)
{
	heap_forget();
}
