/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * latresult - the row that a latency run of one size yields
 *
 * What was not measured is absent (report.h); so is a percentile of which there
 * are too few samples: one in a hundred takes a hundred of them.
 */
#ifndef RB_LATRESULT_H
#define RB_LATRESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/report.h"
#include "run/result.h"

struct rb_hist;
struct rb_window;

struct rb_latency {
	uint64_t count;
	/* nanoseconds */
	double min, mean, stddev, p50, p90, p99, p99_9, p99_99, max;
};

struct rb_lat_result {
	uint64_t size_bytes, messages, duration_ns;
	double messages_per_s;
	const char *kind; /* "half_round_trip" or "completion" */
	struct rb_latency ns;
	struct rb_latency response; /* where messages were due at a rate */
	double background; /* bit/s that the load beside it carried */
	struct rb_cpu_use local, peer;
};

/* What rows have: response times at a rate, and a load beside it. */
const struct rb_fields *rb_lat_result_fields(bool rated, bool loaded);

/* All absent but size and kind. */
void rb_lat_result_init(struct rb_lat_result *r, uint64_t size, bool half);

/* What the closed window shows of rate and CPU time. */
void rb_lat_result_window(struct rb_lat_result *r, const struct rb_window *w);

/*
 * What @hist, of round trips or completions in units of @unit_ns, says by the
 * row's kind.
 */
void rb_lat_result_hist(struct rb_lat_result *r, const struct rb_hist *hist,
			double unit_ns);

/* What @hist, of response times in units of @unit_ns, says. */
void rb_lat_result_response(struct rb_lat_result *r, const struct rb_hist *hist,
			    double unit_ns);

#endif
