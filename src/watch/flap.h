/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flap - recognise what goes to and fro, so that it is told once
 *
 * A thing flaps when it changed its state so many times within so long; the
 * flapping has ended when it kept its state that long. A repetition of the
 * state that it has is no change.
 */
#ifndef RB_FLAP_H
#define RB_FLAP_H

#include <stdbool.h>
#include <stdint.h>

#define RB_FLAP_KEY 96
#define RB_FLAP_THINGS 128
#define RB_FLAP_COUNT_MAX 64

struct rb_flap {
	char key[RB_FLAP_KEY]; /* "" for a free slot */
	int state;
	uint64_t at[RB_FLAP_COUNT_MAX]; /* a ring: when it changed last */
	unsigned int changes;		/* of the present bout */
	bool flapping;
	uint64_t began_ns, last_ns;
};

struct rb_flaps {
	unsigned int count; /* changes ... */
	uint64_t within_ns; /* ... within so long */
	struct rb_flap v[RB_FLAP_THINGS];
};

enum rb_flap_verdict {
	RB_FLAP_NONE,	/* a change like others */
	RB_FLAP_BEGINS, /* this one makes it a flapping thing */
	RB_FLAP_GOES_ON,
};

/* @count from 2 to RB_FLAP_COUNT_MAX */
void rb_flaps_init(struct rb_flaps *flaps, unsigned int count,
		   uint64_t within_ns);

/* @key changed to @state. When every slot is taken nothing new flaps. */
enum rb_flap_verdict rb_flaps_note(struct rb_flaps *flaps, const char *key,
				   int state, uint64_t now_ns);

/*
 * One that flapped and kept its state for within_ns before @now_ns; NULL when
 * there is none. It is forgotten with the next call.
 */
const struct rb_flap *rb_flaps_ended(struct rb_flaps *flaps, uint64_t now_ns);

/* When the next one may have ended; UINT64_MAX: none flaps. */
uint64_t rb_flaps_due(const struct rb_flaps *flaps);

/* The one of @key, or NULL. */
const struct rb_flap *rb_flaps_find(const struct rb_flaps *flaps,
				    const char *key);

#endif
