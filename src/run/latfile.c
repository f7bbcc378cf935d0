/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * latfile - the samples of a latency run, and their histogram, in files
 */
#include "run/latfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "run/bench.h"
#include "run/context.h"

#define ROOM_MAX (1u << 24) /* samples: 128 MiB */
#define FASTEST_NS 500	    /* no exchange is faster: sizes the room by time */
#define US_PER_NS 1e-3

static const struct rb_opt latfile_rows[] = {
	/* clang-format off */
	{ .name = "samples", .type = RB_OPT_STRING, .arg = "FILE", .offset = offsetof(struct rb_latfile_opts, samples),
	  .help = "latency: write every sample, as CSV (index, ns)" },
	{ .name = "histogram", .type = RB_OPT_STRING, .arg = "FILE", .offset = offsetof(struct rb_latfile_opts, histogram),
	  .help = "latency: write the histogram in HdrHistogram's percentile format (us)" },
	/* clang-format on */
};

const struct rb_optgroup rb_latfile_optgroup = { "Files", latfile_rows,
						 RB_ARRAY_SIZE(latfile_rows) };

static bool is_wanted(const struct rb_context *ctx)
{
	return ctx->latfile_opts.samples || ctx->latfile_opts.histogram;
}

int rb_latfile_check(const struct rb_context *ctx)
{
	const char *why = NULL;

	if (!is_wanted(ctx))
		return 0;
	if (ctx->bench->pattern == RB_PATTERN_STREAM)
		why = "--samples and --histogram are about latency";
	else if (!ctx->host)
		why = "--samples and --histogram: the client measures, give them to it";
	else if (ctx->run_opts.sizes.n > 1)
		why = "--samples and --histogram are of one size: give one with --size";
	return why ? rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				  "--help shows the options", "%s", why) :
		     0;
}

static int cannot_write(const char *path)
{
	return rb_fail(RB_FAULT_OUTPUT, errno ? -errno : -EIO,
		       "cannot write '%s'", path);
}

static int open_file(const char *path, FILE **file)
{
	if (path)
		*file = fopen(path, "we");
	return path && !*file ? cannot_write(path) : 0;
}

/* As many as can come, but not more than there is room for. */
static size_t room_of(const struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	uint64_t runs = run->until_stable && run->repeat == 1 ?
				RB_REPEAT_STABLE_RUNS :
				run->repeat;
	uint64_t each = run->messages == RB_AUTO ?
				run->duration_ns / FASTEST_NS + 1 :
				run->messages;

	return (size_t)(each < ROOM_MAX ? RB_MIN(runs * each, ROOM_MAX) :
					  ROOM_MAX);
}

int rb_latfile_open(struct rb_context *ctx)
{
	struct rb_latfile *f = &ctx->latfile;
	int err = open_file(ctx->latfile_opts.samples, &f->samples);

	if (!err)
		err = open_file(ctx->latfile_opts.histogram, &f->histogram);
	if (err || !is_wanted(ctx))
		return err;
	f->total = rb_hist_create();
	if (f->samples) {
		f->room = room_of(ctx);
		f->log = malloc(f->room * sizeof(*f->log));
	}
	if (!f->total || (f->samples && !f->log))
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the samples");
	/* no page may be missing while it is measured */
	if (f->log)
		memset(f->log, 0xff, f->room * sizeof(*f->log));
	return 0;
}

void rb_latfile_attach(const struct rb_latfile *f, struct rb_hist *hist)
{
	if (f->log)
		rb_hist_log(hist, f->log + f->n, f->room - f->n);
}

void rb_latfile_take(struct rb_latfile *f, const struct rb_hist *hist)
{
	if (!f->total)
		return;
	rb_hist_merge(f->total, hist);
	f->n += hist->logged;
	if (f->log)
		f->lost += rb_hist_count(hist) - hist->logged;
}

static void write_samples(const struct rb_latfile *f, double part)
{
	fputs("index,ns\n", f->samples);
	for (size_t i = 0; i < f->n; i++)
		fprintf(f->samples, "%zu,%.1f\n", i, part * (double)f->log[i]);
}

static int close_file(FILE *file, const char *path)
{
	bool failed;

	if (!file)
		return 0;
	errno = 0;
	failed = ferror(file);
	return fclose(file) || failed ? cannot_write(path) : 0;
}

int rb_latfile_close(struct rb_context *ctx)
{
	struct rb_latfile *f = &ctx->latfile;
	double part = ctx->bench->pattern == RB_PATTERN_PINGPONG ? 0.5 : 1;
	int err, later;

	part *= rb_clock_tick_ns(&ctx->clock);
	if (f->samples && f->log)
		write_samples(f, part);
	if (f->histogram && f->total)
		rb_hist_write(f->total, part * US_PER_NS, f->histogram);
	if (f->lost)
		rb_warn("samples_full",
			"--samples has the first %zu samples; %" PRIu64 " more are in the histogram only",
			f->n, f->lost);
	err = close_file(f->samples, ctx->latfile_opts.samples);
	later = close_file(f->histogram, ctx->latfile_opts.histogram);
	rb_hist_destroy(f->total);
	free(f->log);
	*f = (struct rb_latfile){ 0 };
	return err ? err : later;
}
