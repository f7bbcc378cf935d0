/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cycles - how many processor cycles the calling thread has used
 *
 * From the processor's own counter by perf_event_open(2): exact, and unlike CPU
 * time the same at every frequency. A virtual machine often has none, and
 * /proc/sys/kernel/perf_event_paranoid may forget the kernel's part (2) or all
 * of it (3, of some distributions): what is not allowed is not there.
 */
#ifndef RB_CYCLES_H
#define RB_CYCLES_H

enum rb_cycles { RB_CYCLES_NONE, RB_CYCLES_USER, RB_CYCLES_ALL };

/* What may be counted here: of user space, of it and the kernel, or nothing. */
enum rb_cycles rb_cycles_can(void);

/* Count for the calling thread from now on, until _end. Never fails. */
void rb_cycles_begin(void);
void rb_cycles_end(void);

/* Since _begin, of the calling thread; NaN where that cannot be counted. */
double rb_cycles_now(void);

#endif
