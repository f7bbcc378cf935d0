/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gang - a crew (crew.h) whose first thread leads: what it asks for, all do at once
 */
#ifndef RB_GANG_H
#define RB_GANG_H

#include <stdint.h>

struct rb_cores;
struct rb_gang;

/*
 * Run @lead(gang, @arg) in the caller's thread, @n - 1 more waiting for what it
 * asks them to do, each on its core (crew.h). 0, or a negative errno (reported), and
 * then @lead was not called.
 */
int rb_gang_run(const struct rb_cores *cores, uint32_t n,
		void (*lead)(struct rb_gang *gang, void *arg), void *arg);

/* From @lead: @fn(@arg, 0 ... n - 1), each in its thread; returns when all are done. */
void rb_gang_do(struct rb_gang *gang, void (*fn)(void *arg, uint32_t index),
		void *arg);

#endif
