/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifymatch - is what stands somewhere the message that has to be there?
 */
#include "run/verifymatch.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "run/verify.h"
#include "run/verifyverb.h"

/* The smallest path MTU: every other is a multiple, so packets begin at one. */
#define PACKET 256u

#define KNOWN_BYTES 8u /* of a message: enough to tell it from all others */

static bool is_blank(const uint8_t *at, uint32_t n)
{
	return !at[0] && !memcmp(at, at + 1, n - 1);
}

static uint32_t differs_at(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/*
 * Where @at first differs from the lane's scratch message of @n bytes, in *@hole
 * whether it does so only where it is blank, by whole packets.
 */
static uint32_t first_difference(const struct rb_verify_lane *l,
				 const uint8_t *at, uint32_t n, bool *hole)
{
	uint32_t first = n;

	for (uint32_t from = 0; from < n; from += PACKET) {
		uint32_t part = RB_MIN(PACKET, n - from);

		if (!memcmp(at + from, l->scratch + from, part))
			continue;
		if (is_blank(at + from, part)) {
			first = RB_MIN(first, from);
			continue;
		}
		*hole = false;
		return RB_MIN(first, from + differs_at(at + from,
						       l->scratch + from, part));
	}
	*hole = true;
	return first;
}

/* Is it another message of these rounds? Then @f says which. */
static void find_other(struct rb_verify_lane *l, const uint8_t *at,
		       struct rb_verify_fault *f)
{
	const struct rb_verify *v = l->v;
	uint64_t from = f->sequence > v->slots ? f->sequence - v->slots : 0;

	if (v->size < KNOWN_BYTES)
		return;
	for (uint32_t qp = 0; qp < v->session->plan.qps; qp++)
		for (uint64_t seq = from; seq < f->sequence + v->slots; seq++) {
			rb_verify_fill(l->scratch, KNOWN_BYTES, qp, seq);
			if (memcmp(at, l->scratch, KNOWN_BYTES))
				continue;
			f->what = RB_VERIFY_OTHER;
			f->got = seq;
			f->want = qp;
			return;
		}
}

void rb_verify_note(struct rb_verify_lane *l,
		    const struct rb_verify_fault *fault)
{
	if (l->fault.what == RB_VERIFY_FINE)
		l->fault = *fault;
}

void rb_verify_match(struct rb_verify_lane *l, const struct rb_verify_spot *spot,
		     const uint8_t *at, struct rb_verify_counts *counts)
{
	struct rb_verify_fault f = { .qp = spot->qp,
				     .sequence = spot->seq,
				     .place = spot->place };
	uint32_t n = l->v->size;
	bool hole;

	rb_verify_fill(l->scratch, n, spot->qp, spot->seq);
	if (!memcmp(at, l->scratch, n))
		return;
	f.offset = first_difference(l, at, n, &hole);
	f.got = at[f.offset];
	f.want = l->scratch[f.offset];
	/* what lies in a receive has arrived, and that was not blank before */
	hole = hole && !rb_verify_kind(l->v->verb)->takes_data;
	if (hole)
		counts->lost++;
	else
		counts->corrupt++;
	/* what may get lost is no fault */
	if (l->fault.what != RB_VERIFY_FINE || (hole && rb_verify_lossy(l->v)))
		return;
	f.what = hole ? RB_VERIFY_MISSING : RB_VERIFY_BYTE;
	if (!hole && !f.offset)
		find_other(l, at, &f);
	l->fault = f;
}
