/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bench - the sequence of any benchmark, from its command line to its document
 */
#include "run/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/lines.h"
#include "host/counters.h"
#include "run/aftermath.h"
#include "run/context.h"
#include "run/export.h"
#include "run/header.h"
#include "run/hwlat.h"
#include "run/server.h"
#include "run/setup.h"

void rb_context_bind(struct rb_context *ctx)
{
	rb_optset_bind(&ctx->set, &rb_dev_optgroup, &ctx->dev_opts);
	rb_optset_bind(&ctx->set, &rb_oob_optgroup, &ctx->oob_opts);
	rb_optset_bind(&ctx->set, &rb_conn_optgroup, &ctx->conn_opts);
	rb_optset_bind(&ctx->set, &rb_run_optgroup, &ctx->run_opts);
	rb_optset_bind(&ctx->set, &rb_cq_optgroup, &ctx->cq_opts);
	rb_optset_bind(&ctx->set, &rb_load_optgroup, &ctx->load_opts);
	rb_optset_bind(&ctx->set, &rb_mem_optgroup, &ctx->mem_opts);
	rb_optset_bind(&ctx->set, &rb_latfile_optgroup, &ctx->latfile_opts);
	rb_optset_bind(&ctx->set, &rb_gate_optgroup, &ctx->gate_opts);
	rb_optset_bind(&ctx->set, &rb_report_optgroup, &ctx->report_opts);
	rb_optset_bind(&ctx->set, &rb_stream_optgroup, &ctx->report_opts);
	rb_optset_aliases(&ctx->set, rb_perftest_aliases, rb_perftest_naliases);
}

/* What the rows of this run have. */
static const struct rb_fields *fields_of(const struct rb_context *ctx)
{
	return ctx->bench->pattern == RB_PATTERN_STREAM ?
		       rb_measure_bw_fields(ctx) :
		       rb_measure_lat_fields(ctx);
}

static int parse(struct rb_context *ctx, int argc, char **argv)
{
	unsigned int nargs;
	int err = rb_optset_parse(&ctx->set, argc, argv, &ctx->host, 1, &nargs);

	if (!err)
		err = rb_run_complete(&ctx->set, ctx->bench, &ctx->run_opts,
				      &ctx->conn_opts, &ctx->load_opts);
	if (!err)
		err = rb_latfile_check(ctx);
	if (!err)
		err = rb_hwlat_check(ctx);
	return err ? err :
		     rb_gate_init(&ctx->gate, &ctx->gate_opts, ctx->bench->name,
				  fields_of(ctx));
}

/* Server: wait for a client that speaks the protocol, and for its plan. */
static int await_client(struct rb_context *ctx, int listen_fd)
{
	int err;

	do {
		err = rb_oob_accept(&ctx->oob_opts, listen_fd, ctx->intr,
				    &ctx->oob);
		if (!err)
			err = rb_hello_client(&ctx->oob);
	} while (err == -EAGAIN);
	return err;
}

static int serve(struct rb_context *ctx)
{
	int fd, err = rb_dev_foresee(&ctx->dev_opts);

	if (!err)
		err = rb_oob_listen(&ctx->oob_opts, &fd);
	if (err)
		return err;
	rb_info("waiting for a client on port %" PRIu64, ctx->oob_opts.port);
	err = await_client(ctx, fd);
	close(fd);
	return err ? err : rb_agree_await(&ctx->oob, &ctx->plan);
}

static int meet(struct rb_context *ctx)
{
	return ctx->host ? rb_meet(&ctx->oob_opts, ctx->host, ctx->intr,
				   &ctx->oob) :
			   serve(ctx);
}

static const struct rb_repeat_way ways[] = {
	[RB_PATTERN_STREAM] = { rb_measure_bw, rb_measure_bw_report,
				"bandwidth.bits_per_s" },
	[RB_PATTERN_PINGPONG] = { rb_measure_lat, rb_measure_lat_report,
				  "latency_ns.p50" },
	[RB_PATTERN_REQUEST] = { rb_measure_lat, rb_measure_lat_report,
				 "latency_ns.p50" },
};

struct rb_counters *rb_context_count(struct rb_context *ctx)
{
	ctx->watched_ns = rb_now_ns() - ctx->before_ns;
	return rb_counters_read(ctx->dev->name, ctx->dev->port,
				ctx->dev->netdev);
}

static int sweep(struct rb_context *ctx)
{
	const struct rb_sizes *sizes = &ctx->run_opts.sizes;
	int err = 0;

	ctx->before = rb_context_count(ctx);
	ctx->before_ns = rb_now_ns();
	for (unsigned int i = 0; i < sizes->n && !err && !ctx->interrupted;
	     i++)
		err = rb_repeat_size(ctx, &ways[ctx->bench->pattern],
				     fields_of(ctx), sizes->v[i]);
	if (ctx->interrupted)
		ctx->oob.intr = NULL;
	return err;
}

/* The last words each way: what moved and happened on the two ends. */
static int part(struct rb_context *ctx)
{
	struct rb_counters *after = rb_context_count(ctx);
	json_t *counters = rb_counters_delta(ctx->before, after);
	json_t *still = rb_counters_still(ctx->before, after);
	json_t *frame;
	int err;

	ctx->still[RB_EXPECT_LOCAL] = still;
	rb_counters_free(after);
	rb_monitor_events(&ctx->monitor);
	err = rb_oob_send(&ctx->oob,
			  json_pack("{s:s, s:O, s:O, s:o}", "type", "bye",
				    "counters", counters, "still", still,
				    "events",
				    rb_monitor_json(&ctx->monitor)));
	if (!err)
		err = rb_oob_expect(&ctx->oob, "bye", &frame);
	if (err) {
		json_decref(counters);
		return err;
	}
	rb_report_counters(ctx, counters, frame);
	rb_report_findings(ctx);
	ctx->still[RB_EXPECT_PEER] =
		json_incref(json_object_get(frame, "still"));
	json_decref(frame);
	rb_report_verdict(ctx);
	return 0;
}

/* What was measured to its end is judged by what was expected of it. */
static void judge_run(struct rb_context *ctx)
{
	json_t *counters = json_object_get(ctx->report.doc, "counters");
	json_t *events = rb_monitor_json(&ctx->monitor);
	struct rb_expect_facts facts = {
		.results = ctx->report.results,
		.link_bits_per_s = (double)ctx->ends.link_bits_per_s,
		.directions = ctx->run_opts.bidirectional ? 2 : 1,
		.moved = { json_object_get(counters, "local"),
			   json_object_get(counters, "peer") },
		.still = { ctx->still[RB_EXPECT_LOCAL],
			   ctx->still[RB_EXPECT_PEER] },
		.warnings = rb_log_bound()->nwarnings,
		.events = json_array_size(events) +
			  json_array_size(ctx->peer_events),
	};

	rb_gate_judge(&ctx->gate, &ctx->report, &facts);
	json_decref(events);
}

static int run(struct rb_context *ctx)
{
	int err = ctx->plan ? 0 : meet(ctx);

	if (!err)
		err = rb_setup(ctx);
	if (!err)
		err = rb_latfile_open(ctx);
	if (!err)
		err = sweep(ctx);
	if (!err)
		err = part(ctx);
	if (!err && !ctx->interrupted)
		judge_run(ctx);
	if (err) {
		rb_oob_tell_failure(&ctx->oob, err);
		rb_aftermath(ctx);
	}
	return err;
}

static json_t *clock_json(const struct rb_clock *clock)
{
	json_t *o = json_pack("{s:s}", "source", rb_clock_source(clock));

	if (clock->counter)
		json_object_set_new(o, "error_ppm",
				    json_real(clock->error_ppm));
	return o;
}

static void close_all(struct rb_context *ctx)
{
	if (ctx->monitor.dev)
		rb_monitor_events(&ctx->monitor);
	rb_report_set(&ctx->report, "options", rb_optset_json(&ctx->set));
	rb_report_set(&ctx->report, "clock", clock_json(&ctx->clock));
	rb_report_set(&ctx->report, "local", json_incref(ctx->ends.local));
	rb_report_set(&ctx->report, "peer", json_incref(ctx->ends.peer));
	if (ctx->monitor.dev)
		rb_report_events(ctx);
	json_decref(ctx->peer_events);
	for (int i = 0; i < RB_EXPECT_ENDS; i++)
		json_decref(ctx->still[i]);
	rb_counters_free(ctx->before);
	rb_background_close(ctx);
	rb_session_close(&ctx->session);
	rb_laps_free(&ctx->laps);
	rb_monitor_fini(&ctx->monitor);
	rb_ends_free(&ctx->ends);
	rb_dev_close(ctx->dev);
	json_decref(ctx->plan);
	rb_oob_close(&ctx->oob);
}

/* Who measures for ever waits for just that. */
static bool was_cut_short(const struct rb_context *ctx)
{
	return ctx->interrupted && !ctx->run_opts.forever;
}

static enum rb_status status_of(const struct rb_context *ctx, int err)
{
	if (err == -EOPNOTSUPP)
		return RB_STATUS_UNSUPPORTED;
	if (was_cut_short(ctx) || err == -EINTR)
		return RB_STATUS_INTERRUPTED;
	if (err)
		return RB_STATUS_FAILED;
	return ctx->gate.unmet ? RB_STATUS_BELOW_EXPECTATION : RB_STATUS_OK;
}

static struct rb_context *create(const struct rb_bench *bench,
				 rb_judge_fn judge, struct rb_intr *intr)
{
	struct rb_context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	ctx->bench = bench;
	ctx->judge = judge;
	ctx->intr = intr;
	ctx->oob.fd = -1;
	rb_context_bind(ctx);
	rb_clock_init(&ctx->clock);
	return ctx;
}

/* Release what a run holds and write its document; @err is updated. */
static enum rb_status finish(struct rb_context *ctx, int *err)
{
	int written = rb_latfile_close(ctx);
	enum rb_status status;

	close_all(ctx);
	if (!*err)
		*err = written;
	if (!*err && was_cut_short(ctx))
		*err = rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
			       "interrupted: the results are those up to then");
	status = status_of(ctx, *err);
	if (rb_export(ctx, status, fields_of(ctx)) && !*err) {
		*err = -EIO;
		status = RB_STATUS_FAILED;
	}
	rb_report_lines_end(&ctx->report);
	if (rb_report_finish(&ctx->report, status, rb_log_bound()) && !*err)
		*err = -EIO;
	rb_report_close(&ctx->report);
	return status;
}

int rb_bench_run(const struct rb_bench *bench, rb_judge_fn judge, int argc,
		 char **argv)
{
	struct rb_intr intr = { .fd = -1 };
	struct rb_context *ctx = create(bench, judge, &intr);
	struct rb_log *log = rb_log_bound();
	enum rb_status status;
	int usage, err;
	bool nagios;

	if (!ctx)
		return rb_exit_code(RB_STATUS_FAILED, -ENOMEM);
	usage = parse(ctx, argc, argv);
	if (!usage)
		usage = rb_export_check(ctx);
	else
		rb_export_wanted(ctx, argc, argv);
	if (usage)
		rb_report_wanted(&ctx->report_opts, argc, argv);
	err = rb_report_open(&ctx->report, &ctx->report_opts, bench->name, argc,
			     argv);
	if (!err)
		err = rb_report_lines_begin(&ctx->report,
					    ctx->report_opts.stream);
	usage = usage ? usage : err;
	if (ctx->gate_opts.nagios)
		ctx->report.text = false;
	err = usage ? usage : rb_intr_init(&intr);
	if (!err)
		err = run(ctx);
	status = finish(ctx, &err);
	nagios = ctx->gate_opts.nagios;
	free(ctx);
	rb_intr_fini(&intr);
	if (nagios)
		return rb_export_code(status, err);
	if (err == -EINVAL && log->first.fault == RB_FAULT_USAGE)
		usage = err; /* noticed late, when the device was opened */
	return usage ? RB_EXIT_USAGE : rb_exit_code(status, err);
}

int rb_bench_serve(const struct rb_bench *bench, rb_judge_fn judge,
		   struct rb_visit *visit)
{
	struct rb_context *ctx = create(bench, judge, visit->intr);
	int err;

	if (!ctx)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold another run");
	rb_optset_inherit(&ctx->set, visit->set);
	ctx->oob = rb_visit_take(visit, &ctx->plan);
	err = rb_visit_report(visit, bench->name, &ctx->report_opts,
			      &ctx->report);
	if (!err)
		err = rb_run_complete(&ctx->set, bench, &ctx->run_opts,
				      &ctx->conn_opts, &ctx->load_opts);
	if (!err)
		err = run(ctx);
	visit->status = finish(ctx, &err);
	snprintf(visit->result, sizeof(visit->result), "%s", ctx->verdict);
	free(ctx);
	return err;
}

void rb_bench_help(const struct rb_bench *bench)
{
	struct rb_context ctx = { .bench = bench };

	rb_context_bind(&ctx);
	printf("usage: rbench %s [options]          wait as the responder\n"
	       "       rbench %s [options] HOST     measure to HOST\n\n%s.\n"
	       "The client's settings hold on both ends.\n",
	       bench->name, bench->name, bench->summary);
	rb_optset_help(&ctx.set, stdout);
}

void rb_bench_list_options(const struct rb_bench *bench)
{
	struct rb_context ctx = { .bench = bench };

	rb_context_bind(&ctx);
	rb_optset_list(&ctx.set, stdout);
}
