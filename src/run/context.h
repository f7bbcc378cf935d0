/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * context - one run of a benchmark: its options and what it holds
 */
#ifndef RB_CONTEXT_H
#define RB_CONTEXT_H

#include "base/clock.h"
#include "base/log.h"
#include "base/report.h"
#include "host/cores.h"
#include "peer/oob.h"
#include "run/agree.h"
#include "run/background.h"
#include "run/bench.h"
#include "run/gate.h"
#include "run/laps.h"
#include "run/latfile.h"
#include "run/latresult.h"
#include "run/load.h"
#include "run/monitor.h"
#include "run/options.h"
#include "run/repeat.h"
#include "run/result.h"
#include "run/session.h"
#include "verbs/dev.h"
#include "verbs/hwclock.h"
#include "verbs/mem.h"

struct rb_bench;
struct rb_counters;
struct rb_intr;

struct rb_context {
	const struct rb_bench *bench;
	rb_judge_fn judge;
	struct rb_optset set;
	struct rb_dev_opts dev_opts;
	struct rb_oob_opts oob_opts;
	struct rb_conn_opts conn_opts;
	struct rb_run_opts run_opts;
	struct rb_cq_opts cq_opts;
	struct rb_latfile_opts latfile_opts;
	struct rb_gate_opts gate_opts;
	struct rb_load_opts load_opts;
	struct rb_mem_opts mem_opts;
	struct rb_report_opts report_opts;
	const char *host; /* NULL: wait as the server */
	struct rb_report report;
	struct rb_intr *intr; /* borrowed */
	struct rb_clock clock;
	struct rb_oob oob;
	json_t *plan; /* server: the client's "agree" */
	struct rb_dev *dev;
	struct rb_ends ends;
	struct rb_hwclock hwclock; /* with --hw-clock, of the client's device */
	struct rb_session session;
	struct rb_background background;
	struct rb_monitor monitor;
	struct rb_cores cores; /* of this end's measuring threads; none: anywhere */
	struct rb_window_plan window_plan; /* of the present size, for all threads */
	struct rb_laps laps;
	_Atomic uint64_t start; /* when the first of them began, in ticks */
	struct rb_counters *before; /* NULL: nothing was measured yet */
	uint64_t before_ns;	    /* when they were read (rb_now_ns) */
	uint64_t watched_ns;	    /* from then to the last reading */
	struct rb_latfile latfile;
	struct rb_gate gate;
	struct rb_repeat repeat; /* the runs of the present size */
	/* counters of both ends that did not move; NULL: not known */
	json_t *still[RB_EXPECT_ENDS];
	json_t *peer_events;
	unsigned int findings; /* of doctor's rules, shown */
	char verdict[RB_LOG_TEXT]; /* what came out, in a sentence; "" */
	bool initiates, responds;
	struct rb_bw_result best; /* of the sweep, by bandwidth; messages 0: none */
	struct rb_lat_result best_lat; /* by the median; ns.count 0: none */
	bool interrupted; /* here or there: what was measured is partial */
};

/* The verb that is measured. */
static inline enum rb_verb rb_context_verb(const struct rb_context *ctx)
{
	return rb_run_verb(ctx->bench, &ctx->run_opts);
}

/* Bind every option that a benchmark has to its place in @ctx. */
void rb_context_bind(struct rb_context *ctx);

/*
 * Read the counters of this end's port; how long after ctx->before that was stands in
 * ctx->watched_ns. Owned by the caller; NULL only without memory.
 */
struct rb_counters *rb_context_count(struct rb_context *ctx);

/*
 * Measure one size on a connected session: both ends call it with the same
 * size, and each keeps the row (run/repeat.h). 0 or -errno (reported); an interruption is
 * no error but sets ctx->interrupted.
 */
int rb_measure_bw(struct rb_context *ctx, uint64_t size);
int rb_measure_lat(struct rb_context *ctx, uint64_t size);

/* Report a row of theirs. */
void rb_measure_bw_report(struct rb_context *ctx, const void *row);
void rb_measure_lat_report(struct rb_context *ctx, const void *row);

/* What the rows of a bandwidth run have. */
const struct rb_fields *rb_measure_bw_fields(const struct rb_context *ctx);

/* The same of a latency run. */
const struct rb_fields *rb_measure_lat_fields(const struct rb_context *ctx);

#endif
