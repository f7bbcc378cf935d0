/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stats - what a few repeated values say: median, spread, confidence
 */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

/* Student's t, 97.5 %, by degrees of freedom from 1 (any book of tables). */
static const double student[] = {
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201,	2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080,	2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
};

#define NORMAL 1.960

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void rb_stats_sort(double *values, unsigned int n)
{
	if (n)
		qsort(values, n, sizeof(*values), by_value);
}

double rb_stats_median(const double *sorted, unsigned int n)
{
	if (!n)
		return NAN;
	return n % 2 ? sorted[n / 2] :
		       sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

double rb_stats_mean(const double *values, unsigned int n)
{
	double mean = 0;

	for (unsigned int i = 0; i < n; i++)
		mean += values[i] / n;
	return mean;
}

double rb_stats_stddev(const double *values, unsigned int n)
{
	double mean = rb_stats_mean(values, n), sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sqrt(sum / (n - 1)) : 0;
}

double rb_stats_half95(double stddev, unsigned int n)
{
	if (n < 2)
		return INFINITY;
	return stddev / sqrt(n) *
	       (n - 1 <= RB_ARRAY_SIZE(student) ? student[n - 2] : NORMAL);
}
