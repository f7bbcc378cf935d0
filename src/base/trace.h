/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace - --trace: each call of the control path with its arguments, its result
 * and how long it took
 *
 *   pd = rb_traced_ptr(ibv_alloc_pd(ctx), "%s", dev->name);
 *
 * says, where the log bound to the thread is to trace (log.h),
 *
 *   trace 0.012345: ibv_alloc_pd(mlx5_0) ok, 12.3 us
 *   trace 0.012345: ibv_alloc_pd(mlx5_0) ENOMEM, 12.3 us
 *
 * with the time since the log's beginning at which the call returned, so lines
 * are in the order of time. The arguments are those that matter, written by the
 * caller; they are not evaluated while nothing is traced. Never in a measured
 * loop.
 */
#ifndef RB_TRACE_H
#define RB_TRACE_H

#include <errno.h>
#include <stdint.h>

#include "base/base.h"
#include "base/clock.h"

/* The time, or 0 where nothing is traced. */
uint64_t rb_trace_begin(void);

/*
 * A call that began at @since has returned: @err is 0 or an errno (of either
 * sign), @call its name (what follows a parenthesis is cut off). Nothing when
 * @since is 0. errno is left as it was.
 */
void rb_trace_end(uint64_t since, int err, const char *call, const char *fmt,
		  ...) RB_PRINTF(4, 5);

/* Something came that was not waited for in the call: without a time. */
void rb_trace_event(const char *call, const char *fmt, ...) RB_PRINTF(2, 3);

/* The value of @call, which returns NULL and sets errno when it fails. */
#define rb_traced_ptr(call, ...)                                               \
	({                                                                     \
		uint64_t since_ = rb_trace_begin();                            \
		__auto_type value_ = (call);                                   \
                                                                               \
		if (rb_unlikely(since_))                                       \
			rb_trace_end(since_, value_ ? 0 : errno, #call,        \
				     __VA_ARGS__);                             \
		value_;                                                        \
	})

/*
 * The value of @call, which returns 0, an errno, or -1 and sets errno. What is to
 * be written is looked at after the call: nothing that it releases.
 */
#define rb_traced(call, ...)                                                   \
	({                                                                     \
		uint64_t since_ = rb_trace_begin();                            \
		int value_ = (call);                                           \
                                                                               \
		if (rb_unlikely(since_))                                       \
			rb_trace_end(since_, value_ == -1 ? errno : value_,    \
				     #call, __VA_ARGS__);                      \
		value_;                                                        \
	})

#endif
