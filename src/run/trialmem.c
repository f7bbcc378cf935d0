/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trialmem - what is in the memory of a trial before its request, and must be after
 */
#include "run/trialmem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/verb.h"
#include "run/verify.h"
#include "verbs/datagram.h"
#include "verbs/mem.h"

#define SENT 1 /* seeds of the payloads */
#define KEPT 2

bool rb_trial_has(const struct rb_trial *t, unsigned int flag)
{
	return t->row->flags & flag;
}

uint32_t rb_trial_head(const struct rb_trial *t)
{
	return rb_trial_has(t, RB_TRIAL_DATAGRAM) ? RB_GRH_BYTES : 0;
}

void rb_outcome_note(struct rb_outcome *out, const char *wrong)
{
	snprintf(out->wrong, sizeof(out->wrong), "%s", wrong);
}

void rb_trial_fill(struct rb_trial *t)
{
	uint64_t old = RB_ATOMIC_OLD;

	rb_verify_fill(t->local->base, t->size, 0, SENT);
	rb_verify_fill(t->target->base, (uint32_t)t->target->size, 0, KEPT);
	if (rb_trial_has(t, RB_TRIAL_ATOMIC))
		memcpy(t->target->base, &old, sizeof(old));
}

/* Does a payload of @seed lie at @base, as far as bytes @from to @to go? */
static bool holds(const uint8_t *base, uint32_t from, uint32_t to,
		  uint64_t seed)
{
	uint8_t *want = malloc(to);
	bool same;

	if (!want)
		return false;
	rb_verify_fill(want, to, 0, seed);
	same = !memcmp(base + from, want + from, to - from);
	free(want);
	return same;
}

static bool is_value(const struct rb_pool *pool, uint64_t value)
{
	return !memcmp(pool->base, &value, sizeof(value));
}

void rb_trial_look_local(const struct rb_trial *t, struct rb_outcome *out)
{
	if (out->status != IBV_WC_SUCCESS)
		return;
	if (t->row->opcode == IBV_WR_RDMA_READ &&
	    !holds(t->local->base, 0, t->size, KEPT))
		rb_outcome_note(out, "what was read is not what is there");
	if (rb_trial_has(t, RB_TRIAL_ATOMIC) &&
	    !is_value(t->local, RB_ATOMIC_OLD))
		rb_outcome_note(out, "the atomic brought another value than was there");
}

void rb_trial_look_target(const struct rb_trial *t, bool changed,
			  struct rb_outcome *out)
{
	uint32_t all = (uint32_t)t->target->size, touched = 0;
	uint32_t head = rb_trial_head(t);
	bool good;

	if (rb_trial_has(t, RB_TRIAL_ATOMIC)) {
		good = is_value(t->target,
				changed ? RB_ATOMIC_NEW : RB_ATOMIC_OLD);
		touched = RB_ATOMIC_BYTES;
	} else {
		good = !changed ||
		       holds(t->target->base + head, 0, t->size, SENT);
		touched = changed ? head + t->size : 0;
	}
	if (!good)
		rb_outcome_note(out, changed ? "the memory does not hold what was sent" :
					       "the memory was changed by a refused request");
	else if (!holds(t->target->base, touched, all, KEPT))
		rb_outcome_note(out, changed ? "memory beside the target was changed" :
					       "the memory was changed by a refused request");
}
