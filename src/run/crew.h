/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crew - the measuring threads of a run, each on its core
 */
#ifndef RB_CREW_H
#define RB_CREW_H

#include <stdint.h>

struct rb_cores;

/*
 * Run @fn(@arg, 0 ... @n - 1), each in a thread of its own but the first, which
 * has the caller's; thread i on core i of @cores, where that has any. None
 * begins before all are there. Returns when all have ended: 0, or a negative
 * errno (reported), and then @fn was called by none.
 */
int rb_crew_run(const struct rb_cores *cores, uint32_t n,
		void (*fn)(void *arg, uint32_t index), void *arg);

#endif
