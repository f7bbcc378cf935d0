/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mem - the memory that a run moves: one region, registered once, or several
 */
#include "verbs/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/units.h"
#include "diag/callerr.h"
#include "verbs/dev.h"
#include "verbs/memmap.h"
#include "verbs/qptext.h"

size_t rb_page_round(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) & ~(page - 1);
}

/*
 * The kernel answers ENOMEM both for the limit on locked memory and for a real
 * shortage (drivers/infiniband/core/umem.c): tell them apart by the limit.
 */
static int registration_failed(const struct rb_dev *dev, uint32_t before,
			       size_t size, int err)
{
	char text[RB_TEXT_SIZE], limit[RB_TEXT_SIZE], after[RB_TEXT_SIZE] = "";
	struct rlimit rl;

	rb_format_size(size, text);
	if (before)
		snprintf(after, sizeof(after), ", after %u regions", before);
	if (err == -ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &rl) &&
	    rl.rlim_cur != RLIM_INFINITY && rl.rlim_cur < (before + 1) * size)
		return rb_fail(RB_FAULT_MEMLOCK, err,
			       "cannot register %s of memory on '%s'%s under a locked-memory limit of %s",
			       text, dev->name, after,
			       rb_format_size(rl.rlim_cur, limit));
	return rb_fail_cause(RB_FAULT_MEM_REGISTER, err,
			     rb_call_meaning("ibv_reg_mr", NULL, -err),
			     "cannot register %s of memory on '%s'%s", text,
			     dev->name, after);
}

static int access_of(const struct rb_pool_plan *plan)
{
	int access = plan->access;

	if (plan->opts && plan->opts->relaxed)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	if (plan->opts && plan->opts->on_demand)
		access |= IBV_ACCESS_ON_DEMAND;
	return access;
}

static struct ibv_mr *enroll(const struct rb_dev *dev, struct ibv_pd *pd,
			     int access, uint8_t *base, size_t size)
{
	char names[RB_QP_TEXT];
	uint64_t since = rb_trace_begin();
	struct ibv_mr *mr = ibv_reg_mr(pd, base, size, access);

	rb_trace_end(since, mr ? 0 : errno, "ibv_reg_mr",
		     "%s, %p, %zu bytes, %s -> lkey 0x%x rkey 0x%x", dev->name,
		     (void *)base, size,
		     rb_access_text((unsigned int)access, names),
		     mr ? mr->lkey : 0, mr ? mr->rkey : 0);
	return mr;
}

static void withdraw(struct rb_pool *pool)
{
	while (pool->nmrs) {
		struct ibv_mr *mr = pool->mrs[--pool->nmrs];
		uint32_t rkey = mr->rkey; /* what is traced is said after the call */

		if (rb_traced(ibv_dereg_mr(mr), "rkey 0x%x", rkey))
			rb_debug("cannot deregister memory: %s",
				 strerror(errno));
	}
	free(pool->mrs);
}

/* The regions, one after the other; none is left when one cannot be had. */
static int enroll_all(const struct rb_dev *dev, struct ibv_pd *pd, int access,
		      uint32_t regions, struct rb_pool *pool)
{
	size_t part = pool->size / regions;
	uint64_t since = rb_now_ns();
	int err = 0;

	pool->mrs = calloc(regions, sizeof(*pool->mrs));
	if (!pool->mrs)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u memory regions", regions);
	while (pool->nmrs < regions && !err) {
		struct ibv_mr *mr = enroll(dev, pd, access,
					   pool->base + pool->nmrs * part, part);

		if (mr)
			pool->mrs[pool->nmrs++] = mr;
		else
			err = registration_failed(dev, pool->nmrs, part, -errno);
	}
	pool->register_ns = rb_now_ns() - since;
	if (err)
		withdraw(pool);
	return err;
}

int rb_pool_create(const struct rb_dev *dev, struct ibv_pd *pd,
		   const struct rb_pool_plan *plan, struct rb_pool **poolp)
{
	struct rb_pool *pool = calloc(1, sizeof(*pool));
	int err;

	if (!pool)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot allocate the memory pool");
	pool->size = rb_page_round(plan->size);
	err = rb_memory_map(plan->opts, pool);
	if (err)
		goto free_pool;
	err = enroll_all(dev, pd, access_of(plan), RB_MAX(plan->regions, 1),
			 pool);
	if (err)
		goto unmap;
	*poolp = pool;
	return 0;

unmap:
	munmap(pool->base, pool->mapped);
free_pool:
	free(pool);
	return err;
}

void rb_pool_destroy(struct rb_pool *pool)
{
	if (!pool)
		return;
	withdraw(pool);
	munmap(pool->base, pool->mapped);
	free(pool);
}

uint8_t *rb_pool_take(struct rb_pool *pool, size_t size, size_t align)
{
	size_t at = (pool->used + align - 1) & ~(align - 1);

	if (at > pool->size || size > pool->size - at)
		return NULL;
	pool->used = at + size;
	return pool->base + at;
}
