/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifymatch - is what stands somewhere the message that has to be there?
 */
#ifndef RB_VERIFYMATCH_H
#define RB_VERIFYMATCH_H

#include <stdint.h>

struct rb_verify_counts;
struct rb_verify_fault;
struct rb_verify_lane;

/* A message, and where it lies in the memory of its queue pair. */
struct rb_verify_spot {
	uint32_t qp;
	uint64_t seq;
	uint64_t place;
};

/*
 * Compare what stands at @at with the message of @spot. What is wrong is counted in
 * @counts, as lost where it is blank from one packet's beginning to another's; the
 * first fault is noted.
 */
void rb_verify_match(struct rb_verify_lane *l, const struct rb_verify_spot *spot,
		     const uint8_t *at, struct rb_verify_counts *counts);

/* Keep @fault if it is the lane's first. */
void rb_verify_note(struct rb_verify_lane *l,
		    const struct rb_verify_fault *fault);

#endif
