/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intr - SIGINT and SIGTERM as a descriptor that every wait can watch
 *
 * The first signal ends the run in order: partial results, both sides told. The
 * second kills the process as it would have without this.
 */
#ifndef RB_INTR_H
#define RB_INTR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rb_intr {
	int fd; /* signalfd: readable when a signal has come */
	atomic_bool hit;
};

/* Take the signals over; call before any thread is made. 0 or -errno. */
int rb_intr_init(struct rb_intr *intr);
void rb_intr_fini(struct rb_intr *intr);

/*
 * Has a signal come? Reading it here also gives the signals their default
 * action back in the calling thread, so that the next one kills.
 */
bool rb_intr_check(struct rb_intr *intr);

/*
 * Wait until @fd (-1: none) is ready for @events (poll(2)), a signal comes (when
 * @intr is not NULL) or @deadline_ns (rb_now_ns; UINT64_MAX: none) has passed.
 * 0, -EINTR for a signal, -ETIMEDOUT, or another negative errno; not reported.
 */
int rb_wait_fd(int fd, short events, struct rb_intr *intr,
	       uint64_t deadline_ns);

#endif
