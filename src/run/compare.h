/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compare - the difference between documents of runs, with its noise
 *
 * Rows are matched by what was asked for (size, queue pairs, ...). Of each key
 * that can be better or worse (base/metric.h) the change is told in percent of
 * the base, with the noise of that change: half of its 95 % confidence interval,
 * of what the documents know, in this order:
 *
 *   repeats         the interval that --repeat found
 *   several NEW     their spread; the value is their median
 *   intervals       of rates: the deviation over the intervals of the run
 *   percentiles     of latencies: count and deviation (mean), or how far the
 *                   neighbouring percentiles are away (a percentile's error is
 *                   sqrt(p (1 - p) / n) over the density there)
 *
 *   better, worse   the change is larger than its noise and than the tolerance
 *   same            it is not, and the noise would not hide twice the tolerance
 *   inconclusive    it is not, or its noise is not known: nobody can tell
 *
 * Documents come from files, so anything may stand in them. Nothing here
 * reports.
 */
#ifndef RB_COMPARE_H
#define RB_COMPARE_H

#include <jansson.h>

#include "base/metric.h"

#define RB_COMPARE_FILES 64 /* of NEW */
#define RB_COMPARE_WHY 160

enum rb_change {
	RB_CHANGE_SAME,
	RB_CHANGE_BETTER,
	RB_CHANGE_INCONCLUSIVE,
	RB_CHANGE_WORSE,
};

/* "same", "better", "inconclusive", "worse" */
const char *rb_change_name(enum rb_change change);

/* Is @doc one that can be compared at all? 0, or -EINVAL with the reason. */
int rb_compare_admit(const json_t *doc, char why[static RB_COMPARE_WHY]);

/* May @doc be compared with @base? 0, or -EINVAL with the reason. */
int rb_compare_match(const json_t *base, const json_t *doc,
		     char why[static RB_COMPARE_WHY]);

/* [ NAME, ... ]: options that both have, that matter and that differ. */
json_t *rb_compare_options(const json_t *base, const json_t *doc);

/*
 * The comparison of admitted documents that match: an array of
 *   { size_bytes, qps, ..., keys: [ { key, base, new, change_percent,
 *     noise_percent, verdict } ] }
 * noise_percent is absent where it is not known. Rows that only one side has are
 * left out and counted in @unmatched. A new reference.
 */
json_t *rb_compare_rows(const json_t *base, json_t *const news[],
			unsigned int n, double tolerance_percent,
			unsigned int *unmatched);

#endif
