/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* resources - protection domains, memory regions and address handles. */

#define _GNU_SOURCE
#include "fake.h"
#include "memory.h"
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t mr_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_mr;
static uint32_t next_pd = 1;
static uint32_t next_ah = 1;

struct fake_obj *pd_obj(struct ibv_pd *pd)
{
	return &((struct fake_pd *)(void *)pd)->obj;
}

FAKE_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *ctx)
{
	struct fake_pd *pd;

	FAKE_FAIL_NULL(ibv_alloc_pd);
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	pd->pd.context = ctx;
	pd->pd.handle = __atomic_fetch_add(&next_pd, 1, __ATOMIC_RELAXED);
	obj_add(&pd->obj, KIND_PD, pd->pd.handle);
	return &pd->pd;
}

FAKE_EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	FAKE_FAIL_ERRNO(ibv_dealloc_pd);
	if (pd_obj(pd)->users)
		return EBUSY;
	obj_del(pd_obj(pd));
	free(pd);
	return 0;
}

/* Every page of the range has to be mapped, as pinning would ask. */
static int check_mapped(void *addr, size_t length)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)addr & ~(page - 1);
	uintptr_t end = (uintptr_t)addr + length;
	unsigned char present[1024];

	if (end < (uintptr_t)addr)
		return EINVAL;
	while (at < end) {
		size_t chunk = end - at;

		if (chunk > sizeof(present) * page)
			chunk = sizeof(present) * page;
		if (mincore((void *)at, chunk, present))
			return EFAULT;
		at += chunk;
	}
	return 0;
}

static int check_reg(void *addr, size_t length, unsigned int access)
{
	const unsigned int remote = IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned int known = IBV_ACCESS_LOCAL_WRITE | remote |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_OPTIONAL_RANGE |
				   IBV_ACCESS_ON_DEMAND;

	if (access & IBV_ACCESS_HUGETLB ||
	    (access & IBV_ACCESS_ON_DEMAND && !plan_get()->dev.odp))
		return EOPNOTSUPP;
	if (access & ~known)
		return EINVAL;
	if ((access & remote) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if (!length || length > plan_get()->dev.max_mr_size)
		return EINVAL;
	return check_mapped(addr, length);
}

/* A key is the index and eight bits that change with each use of it. */
static struct wire_mr *take_mr(void)
{
	uint32_t max = (uint32_t)plan_get()->dev.max_mr, i;
	struct wire_mr *mr = NULL;

	if (max > WIRE_MRS - 1)
		max = WIRE_MRS - 1;
	pthread_mutex_lock(&mr_lock);
	for (i = 0; i < max && !mr; i++) {
		uint32_t index = 1 + next_mr++ % max;

		mr = &proc.self.a->mr[index];
		if (mr->key)
			mr = NULL;
		else
			mr->key = index << 8 | (++mr->pad & 0xff);
	}
	pthread_mutex_unlock(&mr_lock);
	return mr;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			     uint64_t iova, unsigned int access)
{
	struct fake_mr *mr;
	struct wire_mr *w;
	int err;

	FAKE_FAIL_NULL(ibv_reg_mr);
	err = check_reg(addr, length, access);
	if (err) {
		errno = err;
		return NULL;
	}
	mr = calloc(1, sizeof(*mr));
	w = mr ? take_mr() : NULL;
	if (!w) {
		free(mr);
		errno = ENOMEM;
		return NULL;
	}
	w->pd = pd->handle;
	w->iova = iova;
	w->addr = (uintptr_t)addr;
	w->length = length;
	store32(&w->access, access | MR_VALID);
	mr->mr = (struct ibv_mr) {
		.context = pd->context, .pd = pd, .addr = addr,
		.length = length, .handle = w->key >> 8, .lkey = w->key,
		.rkey = w->key,
	};
	notes_mr(addr, length, access);
	obj_use(pd_obj(pd));
	obj_add(&mr->obj, KIND_MR, w->key);
	return &mr->mr;
}

#undef ibv_reg_mr
FAKE_EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr,
				      size_t length, int access)
{
	return reg_mr(pd, addr, length, (uintptr_t)addr, (unsigned int)access);
}

#undef ibv_reg_mr_iova
FAKE_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr,
					   size_t length, uint64_t iova,
					   int access)
{
	return reg_mr(pd, addr, length, iova, (unsigned int)access);
}

FAKE_EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr,
					    size_t length, uint64_t iova,
					    unsigned int access)
{
	return reg_mr(pd, addr, length, iova, access);
}

FAKE_EXPORT struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd,
					     uint64_t offset, size_t length,
					     uint64_t iova, int fd, int access)
{
	(void)pd, (void)offset, (void)length, (void)iova, (void)fd;
	(void)access;
	errno = EOPNOTSUPP;
	return NULL;
}

FAKE_EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd,
			     void *addr, size_t length, int access)
{
	(void)mr, (void)flags, (void)pd, (void)addr, (void)length, (void)access;
	errno = EOPNOTSUPP;
	return IBV_REREG_MR_ERR_INPUT;
}

/* A message that found the region valid is over when its QPs were locked. */
static void wait_for_users(void)
{
	uint32_t i;

	if (!obj_count(KIND_QP))
		return;
	engine_quiesce();
	for (i = 0; i < WIRE_QPS; i++) {
		struct wire_qp *w = &proc.self.a->qp[i];

		if (!__atomic_load_n(&proc.qps[i], __ATOMIC_ACQUIRE))
			continue;
		wire_lock(&w->lock);
		wire_unlock(&w->lock);
	}
}

FAKE_EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct fake_mr *m = (struct fake_mr *)(void *)mr;
	struct wire_mr *w = &proc.self.a->mr[mr->lkey >> 8];

	FAKE_FAIL_ERRNO(ibv_dereg_mr);
	store32(&w->access, 0);
	wait_for_users();
	pthread_mutex_lock(&mr_lock);
	w->key = 0;
	pthread_mutex_unlock(&mr_lock);
	obj_unuse(pd_obj(mr->pd));
	obj_del(&m->obj);
	free(m);
	return 0;
}

FAKE_EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd,
					 struct ibv_ah_attr *attr)
{
	struct fake_ah *ah;
	int err;

	FAKE_FAIL_NULL(ibv_create_ah);
	err = ah_check(to_ctx(pd->context)->dev->index, attr);
	ah = err ? NULL : calloc(1, sizeof(*ah));
	if (!ah) {
		errno = err ? err : ENOMEM;
		return NULL;
	}
	ah->ah.context = pd->context;
	ah->ah.pd = pd;
	ah->ah.handle = __atomic_fetch_add(&next_ah, 1, __ATOMIC_RELAXED);
	ah->attr = *attr;
	ah->dev = ah_to_dev(attr);
	obj_use(pd_obj(pd));
	obj_add(&ah->obj, KIND_AH, ah->ah.handle);
	return &ah->ah;
}

FAKE_EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
	struct fake_ah *a = (struct fake_ah *)(void *)ah;

	FAKE_FAIL_ERRNO(ibv_destroy_ah);
	obj_unuse(pd_obj(ah->pd));
	obj_del(&a->obj);
	free(a);
	return 0;
}
