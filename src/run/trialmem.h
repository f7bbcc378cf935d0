/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trialmem - what is in the memory of a trial before its request, and must be after
 */
#ifndef RB_TRIALMEM_H
#define RB_TRIALMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "run/trial.h"

#define RB_ATOMIC_OLD 0x0123456789abcdefull
#define RB_ATOMIC_NEW 0xfedcba9876543210ull

/* Does the row have this one of enum rb_trial_flags? */
bool rb_trial_has(const struct rb_trial *t, unsigned int flag);

/* Bytes that the device puts before what arrives: of a datagram its GRH. */
uint32_t rb_trial_head(const struct rb_trial *t);

/* What is in the memory of this end before anything happens. */
void rb_trial_fill(struct rb_trial *t);

/*
 * The end that acted, by the status of its request: did it bring what is there?
 * out->wrong says so if not.
 */
void rb_trial_look_local(const struct rb_trial *t, struct rb_outcome *out);

/*
 * The responder: is in its memory what was sent, and nothing else touched? Or,
 * not @changed, nothing at all? out->wrong says so if not.
 */
void rb_trial_look_target(const struct rb_trial *t, bool changed,
			  struct rb_outcome *out);

/* Put into @out what is wrong. */
void rb_outcome_note(struct rb_outcome *out, const char *wrong);

#endif
