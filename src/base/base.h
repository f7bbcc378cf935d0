/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base - the few macros that every layer uses
 */
#ifndef RB_BASE_H
#define RB_BASE_H

#include <stddef.h>
#include <stdint.h>

#define RB_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RB_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RB_MAX(a, b) ((a) > (b) ? (a) : (b))
#define RB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define RB_INLINE static inline __attribute__((always_inline))
#define rb_likely(x) __builtin_expect(!!(x), 1)
#define rb_unlikely(x) __builtin_expect(!!(x), 0)

#define RB_NS_PER_S 1000000000ull
#define RB_NS_PER_MS 1000000ull
#define RB_NS_PER_US 1000ull
#define RB_MS_PER_S 1000
#define RB_BITS_PER_BYTE 8

/* The value of a number that the user left to rbench ("auto"). */
#define RB_AUTO UINT64_MAX

#endif
