/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stats - what a few repeated values say: median, spread, confidence
 */
#ifndef RB_STATS_H
#define RB_STATS_H

/* Sort in place, ascending. */
void rb_stats_sort(double *values, unsigned int n);

/* Of sorted values; of an even number the mean of the two in the middle. */
double rb_stats_median(const double *sorted, unsigned int n);

double rb_stats_mean(const double *values, unsigned int n);

/* Of a sample (n - 1); 0 of fewer than two. */
double rb_stats_stddev(const double *values, unsigned int n);

/*
 * Half the width of the 95 % confidence interval of the mean of @n values with
 * that standard deviation (Student's t); infinite of fewer than two.
 */
double rb_stats_half95(double stddev, unsigned int n);

#endif
