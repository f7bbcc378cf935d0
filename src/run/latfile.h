/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * latfile - the samples of a latency run, and their histogram, in files
 *
 * Room for the samples is made before anything is measured; what comes when it is
 * full still counts in the histogram. Both files are of all runs of one size.
 */
#ifndef RB_LATFILE_H
#define RB_LATFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/opt.h"

struct rb_context;
struct rb_hist;

struct rb_latfile_opts {
	const char *samples;   /* file; NULL: none */
	const char *histogram; /* file; NULL: none */
};
extern const struct rb_optgroup rb_latfile_optgroup;

struct rb_latfile {
	FILE *samples, *histogram;
	struct rb_hist *total;
	uint64_t *log; /* ns, whole round trips */
	size_t room, n;
	uint64_t lost; /* samples that came when it was full */
};

/* Is what was asked for possible? 0 or -EINVAL (reported). */
int rb_latfile_check(const struct rb_context *ctx);

/* Make files and room. 0 or -errno (reported). */
int rb_latfile_open(struct rb_context *ctx);

/* Before a run: @hist is to log its samples. After it: take them in. */
void rb_latfile_attach(const struct rb_latfile *f, struct rb_hist *hist);
void rb_latfile_take(struct rb_latfile *f, const struct rb_hist *hist);

/* Write and close the files. 0 or -errno (reported). */
int rb_latfile_close(struct rb_context *ctx);

#endif
