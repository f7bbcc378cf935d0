/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mem - the memory that a run moves: one region, registered once
 */
#include "verbs/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
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
static int registration_failed(const struct rb_dev *dev, size_t size, int err)
{
	char text[RB_TEXT_SIZE], limit[RB_TEXT_SIZE];
	struct rlimit rl;

	rb_format_size(size, text);
	if (err == -ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &rl) &&
	    rl.rlim_cur != RLIM_INFINITY && rl.rlim_cur < size)
		return rb_fail(RB_FAULT_MEMLOCK, err,
			       "cannot register %s of memory on '%s' under a locked-memory limit of %s",
			       text, dev->name,
			       rb_format_size(rl.rlim_cur, limit));
	return rb_fail_cause(RB_FAULT_MEM_REGISTER, err,
			     rb_call_meaning("ibv_reg_mr", NULL, -err),
			     "cannot register %s of memory on '%s'", text,
			     dev->name);
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

static int enroll(const struct rb_dev *dev, struct ibv_pd *pd, int access,
		  struct rb_pool *pool)
{
	char names[RB_QP_TEXT];
	uint64_t since = rb_trace_begin();

	pool->mr = ibv_reg_mr(pd, pool->base, pool->size, access);
	rb_trace_end(since, pool->mr ? 0 : errno, "ibv_reg_mr",
		     "%s, %p, %zu bytes, %s -> lkey 0x%x rkey 0x%x", dev->name,
		     (void *)pool->base, pool->size,
		     rb_access_text((unsigned int)access, names),
		     pool->mr ? pool->mr->lkey : 0,
		     pool->mr ? pool->mr->rkey : 0);
	return pool->mr ? 0 : registration_failed(dev, pool->size, -errno);
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
	err = enroll(dev, pd, access_of(plan), pool);
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
	uint32_t rkey;

	if (!pool)
		return;
	rkey = pool->mr->rkey; /* what is traced is said after the call */
	if (rb_traced(ibv_dereg_mr(pool->mr), "rkey 0x%x", rkey))
		rb_debug("cannot deregister memory: %s", strerror(errno));
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
