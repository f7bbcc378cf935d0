/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * noise - how far a value of a result row may be off by chance alone
 */
#include "run/noise.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/metric.h"
#include "base/stats.h"

#define TWO_SIDED_95 1.960 /* of a normal distribution */

static double at(const json_t *row, const char *key)
{
	const json_t *v = rb_metric_at(row, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* As run/repeat.h describes it: repeats.metrics has whole keys as names. */
static double of_repeats(const json_t *row, const char *key)
{
	const json_t *metrics = rb_metric_at(row, "repeats.metrics");
	const json_t *one = json_object_get(metrics, key);
	double low = at(one, "ci95_low"), high = at(one, "ci95_high");

	return (high - low) / 2;
}

/* The mean over the window is that of its intervals. */
static double of_intervals(const json_t *row, const char *key)
{
	double stddev = at(row, "intervals.bits_per_s.stddev");
	double rate = at(row, "bandwidth.bits_per_s");
	double n = at(row, "duration_ns") / at(row, "intervals.period_ns");

	if (!(n >= 2 && n < 1e6 && rate > 0))
		return NAN;
	return rb_stats_half95(stddev / rate * at(row, key), (unsigned int)n);
}

static double of_mean(const json_t *row, const char *key)
{
	double n = at(row, "latency_ns.count");

	return n >= 2 ? TWO_SIDED_95 * at(row, "latency_ns.stddev") / sqrt(n) :
			NAN;
}

static const struct percentile {
	const char *key, *next;
	double p, beyond; /* of the next one */
} percentiles[] = {
	{ "latency_ns.p50", "latency_ns.p90", 0.5, 0.9 },
	{ "latency_ns.p90", "latency_ns.p99", 0.9, 0.99 },
	{ "latency_ns.p99", "latency_ns.p99_9", 0.99, 0.999 },
	{ "latency_ns.p99_9", "latency_ns.p99_99", 0.999, 0.9999 },
};

#define RESOLUTION 0.001 /* of the histogram (base/hist.h) */

static double of_percentile(const json_t *row, const char *key)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(percentiles); i++) {
		const struct percentile *q = &percentiles[i];
		double n = at(row, "latency_ns.count");
		double slope;

		if (strcmp(q->key, key))
			continue;
		slope = (at(row, q->next) - at(row, key)) / (q->beyond - q->p);
		if (!(n >= 1))
			return NAN;
		return hypot(TWO_SIDED_95 * slope * sqrt(q->p * (1 - q->p) / n),
			     RESOLUTION * at(row, key));
	}
	return NAN;
}

/* The first source that knows decides. */
static const struct {
	const char *beginning;
	double (*noise)(const json_t *row, const char *key);
} sources[] = {
	{ "", of_repeats },
	{ "bandwidth.", of_intervals },
	{ "message_rate.", of_intervals },
	{ "directions.out.", of_intervals },
	{ "receiver.bits_per_s", of_intervals },
	{ "latency_ns.mean", of_mean },
	{ "latency_ns.p", of_percentile },
};

double rb_noise_of(const json_t *row, const char *key)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(sources); i++) {
		double noise;

		if (strncmp(key, sources[i].beginning,
			    strlen(sources[i].beginning)))
			continue;
		noise = sources[i].noise(row, key);
		if (isfinite(noise) && noise >= 0)
			return noise;
	}
	return NAN;
}
