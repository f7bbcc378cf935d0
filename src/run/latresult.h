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

/* The fields of a struct rb_latency whose members are at AT(member). */
#define RB_LATENCY_FIELDS(AT)                                                   \
	{ "latency_ns.count", NULL, RB_FIELD_UINT, AT(count), 0, 0, 0 },        \
	{ "latency_ns.min", "min us", RB_FIELD_REAL, AT(min), 8, 2, 1e-3 },     \
	{ "latency_ns.p50", "p50 us", RB_FIELD_REAL, AT(p50), 8, 2, 1e-3 },     \
	{ "latency_ns.mean", "mean us", RB_FIELD_REAL, AT(mean), 8, 2, 1e-3 },  \
	{ "latency_ns.stddev", "stddev", RB_FIELD_REAL, AT(stddev), 8, 2, 1e-3 }, \
	{ "latency_ns.p90", NULL, RB_FIELD_REAL, AT(p90), 0, 0, 0 },            \
	{ "latency_ns.p99", "p99 us", RB_FIELD_REAL, AT(p99), 8, 2, 1e-3 },     \
	{ "latency_ns.p99_9", "p99.9 us", RB_FIELD_REAL, AT(p99_9), 9, 2, 1e-3 }, \
	{ "latency_ns.p99_99", NULL, RB_FIELD_REAL, AT(p99_99), 0, 0, 0 },      \
	{ "latency_ns.max", "max us", RB_FIELD_REAL, AT(max), 10, 2, 1e-3 }

/* What the device's clock was found to be. */
struct rb_hw_clock {
	double error_ns;  /* by how much a stamp may be wrong in host time */
	double hz, ppm;	  /* measured; from what it reports */
	double ppm_error; /* by how much that may be wrong */
	uint64_t outside; /* stamps that could not be, and are left out */
};

struct rb_lat_result {
	uint64_t size_bytes, messages, duration_ns;
	double messages_per_s;
	const char *kind; /* "half_round_trip" or "completion" */
	struct rb_latency ns;
	struct rb_latency response; /* where messages were due at a rate */
	/* with --hw-clock: to the device's stamp, by the row's kind */
	struct rb_latency hw;
	struct rb_latency hw_delay; /* from it to the sight of the completion, whole */
	struct rb_hw_clock hw_clock;
	double background; /* bit/s that the load beside it carried */
	struct rb_cpu_use local, peer;
};

/* What rows have besides. */
struct rb_lat_parts {
	bool rated;   /* response times at a rate */
	bool loaded;  /* a load beside it */
	bool stamped; /* the device's time */
};

const struct rb_fields *rb_lat_result_fields(struct rb_lat_parts parts);

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

/* The same of any histogram whose unit counts as @part nanoseconds. */
void rb_latency_take(struct rb_latency *l, const struct rb_hist *hist,
		     double part);

/* What @hist, of round trips or completions, and @delay, in @unit_ns, say. */
void rb_lat_result_hw(struct rb_lat_result *r, const struct rb_hist *hist,
		      const struct rb_hist *delay, double unit_ns);

/* All absent. */
void rb_latency_init(struct rb_latency *l);

/* What @hist, of response times in units of @unit_ns, says. */
void rb_lat_result_response(struct rb_lat_result *r, const struct rb_hist *hist,
			    double unit_ns);

#endif
