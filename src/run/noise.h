/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noise - how far a value of a result row may be off by chance alone
 */
#ifndef RB_NOISE_H
#define RB_NOISE_H

#include <jansson.h>

/*
 * Half of the 95 % confidence interval of @key's value in @row, in the key's
 * unit, from repeats, intervals or the latency's percentiles, whichever is
 * there first; NAN where nothing tells. See run/compare.h.
 */
double rb_noise_of(const json_t *row, const char *key);

#endif
