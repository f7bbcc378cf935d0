/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flap - recognise what goes to and fro, so that it is told once
 */
#include "watch/flap.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

void rb_flaps_init(struct rb_flaps *flaps, unsigned int count,
		   uint64_t within_ns)
{
	memset(flaps, 0, sizeof(*flaps));
	flaps->count = RB_MIN(RB_MAX(count, 2), RB_FLAP_COUNT_MAX);
	flaps->within_ns = within_ns;
}

const struct rb_flap *rb_flaps_find(const struct rb_flaps *flaps,
				    const char *key)
{
	for (size_t i = 0; i < RB_FLAP_THINGS; i++)
		if (flaps->v[i].key[0] && !strcmp(flaps->v[i].key, key))
			return &flaps->v[i];
	return NULL;
}

/* A slot for a new thing; one that has been quiet may be given up. */
static struct rb_flap *take_slot(struct rb_flaps *flaps, uint64_t now_ns)
{
	for (size_t i = 0; i < RB_FLAP_THINGS; i++) {
		struct rb_flap *f = &flaps->v[i];

		if (!f->key[0] ||
		    (!f->flapping && now_ns - f->last_ns > flaps->within_ns))
			return f;
	}
	return NULL;
}

/* Enough changes, the oldest of which is not too old. */
static bool is_flapping(const struct rb_flaps *flaps, const struct rb_flap *f,
			uint64_t now_ns)
{
	/* the ring's next place holds the oldest of the last @count */
	return f->changes >= flaps->count &&
	       now_ns - f->at[f->changes % flaps->count] <= flaps->within_ns;
}

enum rb_flap_verdict rb_flaps_note(struct rb_flaps *flaps, const char *key,
				   int state, uint64_t now_ns)
{
	struct rb_flap *f = (struct rb_flap *)rb_flaps_find(flaps, key);

	if (!f) {
		f = take_slot(flaps, now_ns);
		if (!f)
			return RB_FLAP_NONE;
		memset(f, 0, sizeof(*f));
		snprintf(f->key, sizeof(f->key), "%s", key);
		f->began_ns = now_ns;
	} else if (f->state == state) {
		return f->flapping ? RB_FLAP_GOES_ON : RB_FLAP_NONE;
	}
	f->state = state;
	f->last_ns = now_ns;
	f->at[f->changes++ % flaps->count] = now_ns;
	if (f->flapping)
		return RB_FLAP_GOES_ON;
	f->flapping = is_flapping(flaps, f, now_ns);
	if (!f->flapping)
		return RB_FLAP_NONE;
	f->began_ns = f->at[f->changes % flaps->count];
	f->changes = flaps->count; /* those before it were no part of it */
	return RB_FLAP_BEGINS;
}

const struct rb_flap *rb_flaps_ended(struct rb_flaps *flaps, uint64_t now_ns)
{
	for (size_t i = 0; i < RB_FLAP_THINGS; i++) {
		struct rb_flap *f = &flaps->v[i];

		if (!f->flapping || now_ns - f->last_ns < flaps->within_ns)
			continue;
		f->flapping = false;
		return f;
	}
	return NULL;
}

uint64_t rb_flaps_due(const struct rb_flaps *flaps)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < RB_FLAP_THINGS; i++)
		if (flaps->v[i].flapping)
			due = RB_MIN(due, flaps->v[i].last_ns +
						  flaps->within_ns);
	return due;
}
