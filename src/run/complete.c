/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * complete - what holds of a run's options where they were left to rbench
 */
#include "base/base.h"
#include "run/bench.h"
#include "run/load.h"
#include "run/options.h"
#include "run/pingpong.h"
#include "run/rules.h"

#define SWEEP_DURATION RB_NS_PER_S
#define SINGLE_DURATION (3 * RB_NS_PER_S)
#define LATENCY_BYTES 2 /* as perftest, so that figures compare */
#define FOREVER_INTERVAL RB_NS_PER_S
#define WARMUP_PART 10		/* of the duration */

static void put(struct rb_optset *set, const char *name, uint64_t value)
{
	rb_optset_put(set, name, value, rb_optset_source(set, name));
}

static void complete_times(struct rb_optset *set, struct rb_run_opts *run)
{
	if (run->messages != RB_AUTO) {
		if (run->warmup_ns == RB_AUTO)
			put(set, "warmup", 0);
		return;
	}
	if (run->duration_ns == RB_AUTO)
		put(set, "duration",
		    run->sizes.n > 1 ? SWEEP_DURATION : SINGLE_DURATION);
	if (run->warmup_ns == RB_AUTO)
		put(set, "warmup", run->duration_ns / WARMUP_PART);
	if (!run->forever)
		return;
	put(set, "duration", RB_DURATION_MAX);
	if (rb_optset_source(set, "interval") == RB_SOURCE_DEFAULT)
		put(set, "interval", FOREVER_INTERVAL);
}

/* -D 0 is another way to say --forever. */
static void read_zero(struct rb_optset *set, const struct rb_run_opts *run)
{
	if (run->duration_ns)
		return;
	rb_optset_put(set, "forever", true,
		      rb_optset_source(set, "duration"));
	rb_optset_put(set, "duration", RB_AUTO, RB_SOURCE_DEFAULT);
}

static void complete_latency(struct rb_optset *set,
			     const struct rb_bench *bench,
			     struct rb_run_opts *run)
{
	if (bench->pattern == RB_PATTERN_STREAM)
		return;
	if (rb_optset_source(set, "size") == RB_SOURCE_DEFAULT &&
	    !run->all_sizes && bench->verb != RB_VERB_FETCH_ADD)
		run->sizes = (struct rb_sizes){ 1, { LATENCY_BYTES } };
	if (rb_optset_source(set, "rx-depth") == RB_SOURCE_DEFAULT)
		put(set, "rx-depth", RB_PINGPONG_RECEIVES);
	put(set, "tx-depth", 1);
}

int rb_run_complete(struct rb_optset *set, const struct rb_bench *bench,
		    struct rb_run_opts *run, const struct rb_conn_opts *conn,
		    const struct rb_load_opts *load)
{
	bool latency = bench->pattern != RB_PATTERN_STREAM;
	int err;

	read_zero(set, run);
	/* counted one by one, or a slow rate would come in lumps */
	if (load->rate && !latency && run->cq_mod == RB_AUTO)
		put(set, "cq-mod", run->list);
	if (rb_optset_source(set, "qp") == RB_SOURCE_DEFAULT)
		put(set, "qp", load->threads);
	err = rb_run_refuse(set, bench, run, conn, load);
	if (err)
		return err;
	if (run->all_sizes)
		rb_parse_sizes(RB_ALL_SIZES, &run->sizes);
	if (bench->verb == RB_VERB_FETCH_ADD)
		run->sizes = (struct rb_sizes){ 1, { RB_ATOMIC_BYTES } };
	if (conn->multicast)
		put(set, "qp", conn->multicast);
	complete_latency(set, bench, run);
	if (run->inline_bytes == RB_AUTO &&
	    (!latency || !rb_verb_row(bench->verb)->takes_inline))
		put(set, "inline-size", 0);
	complete_times(set, run);
	return 0;
}
