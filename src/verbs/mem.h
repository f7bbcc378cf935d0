/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mem - the memory that a run moves: one region, registered once
 *
 * Registration is slow and counted against limits, so a run registers one
 * region and hands out offsets of it, unless it is to have several. Pages are
 * touched before they are registered and before anything is measured. They are
 * ordinary ones unless the user chose others (struct rb_mem_opts), each end for
 * itself.
 */
#ifndef RB_MEM_H
#define RB_MEM_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"

struct rb_dev;

struct rb_mem_opts {
	bool hugepages;
	bool relaxed;	   /* IBV_ACCESS_RELAXED_ORDERING */
	bool on_demand;	   /* IBV_ACCESS_ON_DEMAND */
	const char *file;  /* NULL: anonymous memory */
	uint64_t at;	   /* where in it */
};
extern const struct rb_optgroup rb_mem_optgroup;

struct rb_pool_plan {
	size_t size;
	uint32_t regions; /* equal parts of it, registered one by one; 0: 1 */
	int access; /* enum ibv_access_flags, without those of opts */
	const struct rb_mem_opts *opts; /* NULL: ordinary memory */
};

struct rb_pool {
	struct ibv_mr **mrs;
	uint32_t nmrs;
	uint64_t register_ns; /* how long it took */
	uint8_t *base;
	size_t size;   /* bytes registered */
	size_t mapped; /* bytes mapped: whole pages of their kind */
	size_t used; /* bytes handed out */
};

/*
 * Map and register plan->size bytes (rounded up to pages; of several regions a
 * multiple of theirs, whole pages each) under @pd. Returns 0 and
 * sets *@poolp (owned by the caller), or a negative errno (reported:
 * RB_FAULT_MEMLOCK when the limit on locked memory explains it, else what could
 * not be had).
 */
int rb_pool_create(const struct rb_dev *dev, struct ibv_pd *pd,
		   const struct rb_pool_plan *plan, struct rb_pool **poolp);
void rb_pool_destroy(struct rb_pool *pool);

/*
 * Hand out @size bytes at an address that is a multiple of @align (a power of
 * two). NULL when the pool is used up: a defect of the caller's arithmetic.
 */
uint8_t *rb_pool_take(struct rb_pool *pool, size_t size, size_t align);

/* The region of part @i, or the only one. */
static inline struct ibv_mr *rb_pool_mr(const struct rb_pool *pool, uint32_t i)
{
	return pool->mrs[pool->nmrs > 1 ? i : 0];
}

/* @size rounded up to whole pages of the system. */
size_t rb_page_round(size_t size);

#endif
