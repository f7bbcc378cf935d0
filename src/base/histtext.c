/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * histtext - a histogram in the percentile text format of HdrHistogram
 *
 * The format of its outputPercentileDistribution: plotters and merge tools of
 * that project read it. The steps between percentiles halve with each halving of
 * what is left to 100 %, five to a half.
 */
#include "base/hist.h"

#include <inttypes.h>
#include <math.h>

#define TICKS_PER_HALF 5

/* The percentile after @percent. */
static double next_step(double percent)
{
	double halvings = floor(log2(100 / (100 - percent))) + 1;

	return percent + 100 / (TICKS_PER_HALF * exp2(halvings));
}

static uint64_t count_up_to(const struct rb_hist *h, uint64_t value)
{
	unsigned int last = rb_hist_bucket(value);
	uint64_t n = 0;

	for (unsigned int i = 0; i <= last; i++)
		n += rb_hist_in(h, i);
	return n;
}

static void write_steps(const struct rb_hist *h, double scale, FILE *out)
{
	uint64_t count = rb_hist_count(h), seen = 0;

	for (double percent = 0; seen < count && percent < 100;
	     percent = next_step(percent)) {
		uint64_t value = rb_hist_percentile(h, percent);

		seen = count_up_to(h, value);
		if (seen == count)
			break;
		fprintf(out, "%12.3f %2.12f %10" PRIu64 " %14.2f\n",
			scale * (double)value, percent / 100, seen,
			1 / (1 - percent / 100));
	}
	if (count)
		fprintf(out, "%12.3f %2.12f %10" PRIu64 "\n",
			scale * (double)h->max, 1.0, count);
}

void rb_hist_write(const struct rb_hist *h, double scale, FILE *out)
{
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile",
		"TotalCount", "1/(1-Percentile)");
	write_steps(h, scale, out);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
		scale * rb_hist_mean(h), scale * rb_hist_stddev(h));
	fprintf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n",
		scale * (double)h->max, rb_hist_count(h));
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n",
		RB_HIST_BUCKETS >> RB_HIST_BITS, 1 << RB_HIST_BITS);
}
