/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * repeat - the runs of one size over the same connection, and what they say together
 *
 * A measurement hands its row to rb_repeat_keep(). When all runs of the size are
 * done, the row of the run with the median result is reported, and with it
 * "repeats": of each key that can be better or worse the median, the deviation
 * and the 95 % confidence interval of the mean over the runs.
 *
 * How many: --repeat N; with --until-stable as many as it takes until that
 * interval is narrow enough, but at most N. The client decides that and tells.
 */
#ifndef RB_REPEAT_H
#define RB_REPEAT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/report.h"

struct rb_context;

#define RB_REPEAT_MAX 1000u
#define RB_REPEAT_STABLE_RUNS 20u /* at most, with --until-stable alone */

struct rb_repeat {
	char *rows; /* n rows of size bytes each */
	size_t size;
	unsigned int n;
};

/* How a pattern measures a size once, and reports the row that stands for it. */
struct rb_repeat_way {
	int (*measure)(struct rb_context *ctx, uint64_t size);
	void (*report)(struct rb_context *ctx, const void *row);
	const char *key; /* by which runs are compared */
};

/*
 * Measure @size as often as was asked for and report it. 0 or -errno (reported);
 * an interruption sets ctx->interrupted, and what there is by then is reported.
 */
int rb_repeat_size(struct rb_context *ctx, const struct rb_repeat_way *way,
		   const struct rb_fields *fields, uint64_t size);

/* A run's row, of @size bytes. 0 or -ENOMEM (reported). */
int rb_repeat_keep(struct rb_repeat *repeat, const void *row, size_t size);

/*
 * What @n rows say together: { count, key, values, cv_percent, metrics: { KEY:
 * { median, mean, stddev, ci95_low, ci95_high, min, max } } }; @median gets the
 * index of the row whose @key is the median (of an even number the lower one).
 * A new reference; NULL where no row has the key.
 */
json_t *rb_repeat_judge(const json_t *rows, const struct rb_fields *fields,
			const char *key, size_t *median);

#endif
