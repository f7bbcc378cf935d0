/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lane - what one measuring thread works with: its share of the QPs, and their CQ
 */
#include "run/lane.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/hist.h"
#include "base/log.h"
#include "run/hwlat.h"
#include "run/session.h"
#include "verbs/dev.h"
#include "verbs/srq.h"
#include "verbs/xrc.h"

#define FULL_CQ (64u << 10) /* entries; up to here a CQ can hold every request */

uint32_t rb_power_of_two(uint32_t v)
{
	uint32_t p = 1;

	while (p < v)
		p *= 2;
	return p;
}

void *rb_lane_alloc(size_t n, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, RB_CACHE_LINE - 1, &bytes))
		return NULL;
	bytes &= ~(size_t)(RB_CACHE_LINE - 1);
	memory = aligned_alloc(RB_CACHE_LINE, bytes);
	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

uint32_t rb_lane_first(uint32_t qps, uint32_t lanes, uint32_t index)
{
	return (uint32_t)((uint64_t)qps * index / lanes);
}

/*
 * Room for every completion that can be there at once. When QPs die, each
 * request is flushed with a completion, asked for or not: so up to a size that
 * costs little the CQ holds them all.
 */
static uint64_t cq_entries(const struct rb_session_plan *plan, uint64_t qps,
			   uint64_t *asked)
{
	uint64_t receives = plan->receive_depth * (plan->srq ? 1 : qps);
	uint64_t all = qps * plan->depth + receives;

	*asked = qps * plan->signals + receives;
	return RB_MAX(*asked, RB_MIN(all, FULL_CQ));
}

/* Each lane's CQ has an interrupt of its own, as far as there are any. */
static struct rb_cq_opts cq_opts(const struct rb_dev *dev,
				 const struct rb_session_plan *plan,
				 uint32_t index)
{
	uint64_t vectors = (uint64_t)dev->ctx->num_comp_vectors;
	struct rb_cq_opts opts = plan->cq;

	if (index && vectors && opts.vector < vectors)
		opts.vector = (opts.vector + index) % vectors;
	return opts;
}

static int open_cq(const struct rb_dev *dev, const struct rb_session_plan *plan,
		   uint32_t index, struct rb_lane *lane)
{
	uint64_t most = dev->attr.max_cqe > 0 ? (uint64_t)dev->attr.max_cqe :
						UINT32_MAX;
	struct rb_cq_opts opts = cq_opts(dev, plan, index);
	uint64_t asked, n = cq_entries(plan, lane->n, &asked);
	int err;

	if (asked > most)
		return rb_fail(RB_FAULT_CQ, -EINVAL,
			       "a completion queue of '%s' holds %" PRIu64
			       " entries, %" PRIu64 " are needed",
			       dev->name, most, asked);
	err = rb_cq_create(dev, (unsigned int)RB_MIN(n, most), &opts,
			   &lane->cq);
	lane->cq.solicited = plan->solicited;
	return err;
}

static int open_srq(const struct rb_session *s, struct rb_lane *lane)
{
	const struct rb_session_plan *plan = &s->plan;
	const struct rb_xrc_srq_plan xrc = { s->pd, s->xrcd, lane->cq.cq,
					     plan->receive_depth };

	if (plan->type == IBV_QPT_XRC_SEND)
		return plan->receives ?
			       rb_xrc_srq_create(s->dev, &xrc, &lane->srq) :
			       0;
	return plan->srq ? rb_srq_create(s->dev, s->pd, plan->receive_depth,
					 &lane->srq) :
			   0;
}

int rb_lane_open(const struct rb_session *session, uint32_t index,
		 struct rb_lane *lane)
{
	const struct rb_session_plan *plan = &session->plan;
	int err;

	lane->first = rb_lane_first(plan->qps, plan->lanes, index);
	lane->n = rb_lane_first(plan->qps, plan->lanes, index + 1) -
		  lane->first;
	lane->flows = rb_lane_alloc(lane->n, sizeof(*lane->flows));
	lane->ring = rb_lane_alloc(rb_power_of_two(lane->n),
				   sizeof(*lane->ring));
	lane->shares = rb_lane_alloc(lane->n, sizeof(*lane->shares));
	if (!lane->flows || !lane->ring || !lane->shares)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u queue pairs", plan->qps);
	for (uint32_t i = 0; i < lane->n; i++)
		lane->flows[i].credits = plan->depth;
	err = open_cq(session->dev, plan, index, lane);
	return err ? err : open_srq(session, lane);
}

int rb_lane_open_lists(struct rb_lane *lane, uint32_t list, uint32_t sges)
{
	size_t n = (size_t)lane->n * list;

	lane->wrs = rb_lane_alloc(n, sizeof(*lane->wrs));
	lane->sges = rb_lane_alloc(n * sges, sizeof(*lane->sges));
	if (!lane->wrs || !lane->sges)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %zu prepared requests", n);
	return 0;
}

void rb_lane_close(struct rb_lane *lane)
{
	rb_srq_destroy(lane->srq);
	rb_cq_destroy(&lane->cq);
	free(lane->sges);
	free(lane->wrs);
	rb_hist_destroy(lane->lap.hist[1]);
	rb_hist_destroy(lane->lap.hist[0]);
	rb_hwlat_destroy(lane->hwlat);
	rb_hist_destroy(lane->response);
	rb_hist_destroy(lane->hist);
	free(lane->shares);
	free(lane->ring);
	free(lane->flows);
	memset(lane, 0, sizeof(*lane));
}
