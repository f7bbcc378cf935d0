/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifylane - what each lane's thread does in a round of verify
 *
 * How it ended stands in the lane (end, stream.wc, stream.err); what it found, in the
 * struct rb_verify_lane.
 */
#ifndef RB_VERIFYLANE_H
#define RB_VERIFYLANE_H

#include <stdint.h>

struct rb_verify_lane;

/* Make ready for the next round that arrives (v->next). */
void rb_verify_offer(struct rb_verify_lane *l);

/*
 * Of a gang (gang.h), with the struct rb_verify: send the round v->out and wait for
 * its completions; wait for the round v->in, check it, and make ready for v->next.
 */
void rb_verify_send(void *v, uint32_t index);
void rb_verify_take(void *v, uint32_t index);

/*
 * With --rate: wait until the next burst is due, or the run is interrupted. 0, or a
 * negative errno (reported, by the first lane): the peer is gone.
 */
int rb_verify_await_due(struct rb_verify_lane *l);

#endif
