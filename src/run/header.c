/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * header - what stands around the result rows: ends, counters, events
 */
#include "run/header.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "diag/counter.h"
#include "peer/admit.h"
#include "run/bench.h"
#include "run/context.h"
#include "run/environ.h"

#define LINE 400
#define CORES 16 /* as many are named in the header */

static const char *text_of(const json_t *o, const char *key, const char *none)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text && *text ? text : none;
}

RB_PRINTF(3, 4)
static void add(char line[static LINE], bool when, const char *fmt, ...)
{
	size_t n = strlen(line);
	va_list args;

	if (!when)
		return;
	va_start(args, fmt);
	vsnprintf(line + n, LINE - n, fmt, args);
	va_end(args);
}

/* local  host-a  mlx5_0 port 1  Ethernet 100 Gb/s  GID 3 RoCE v2 10.0.0.1 ... */
void rb_report_end(struct rb_report *report, const char *title,
		   const json_t *end)
{
	const json_t *gid = json_object_get(end, "gid");
	const json_t *rate = json_object_get(end, "link_bits_per_s");
	const json_t *numa = json_object_get(end, "numa_node");
	const json_t *cores = json_object_get(json_object_get(end, "cpu"),
					      "cores");
	const char *netdev = text_of(gid, "netdev", "");
	char line[LINE] = "", text[RB_TEXT_SIZE];

	add(line, true, "%-6s %s  %s port %d  %s", title,
	    text_of(end, "host", "?"), text_of(end, "device", "?"),
	    (int)json_integer_value(json_object_get(end, "port")),
	    text_of(end, "link_layer", "?"));
	add(line, json_is_integer(rate), " %s",
	    rb_format_rate((double)json_integer_value(rate), text));
	add(line, gid != NULL, "  GID %d %s %s",
	    (int)json_integer_value(json_object_get(gid, "index")),
	    text_of(gid, "type", ""), text_of(gid, "address", ""));
	add(line, *netdev, " (%s)", netdev);
	add(line, json_is_integer(numa), "  NUMA node %d",
	    (int)json_integer_value(numa));
	for (size_t i = 0; i < json_array_size(cores) && i < CORES; i++)
		add(line, true, "%s%d", i ? "," : "  cores ",
		    (int)json_integer_value(json_array_get(cores, i)));
	add(line, json_array_size(cores) > CORES, ",...");
	rb_report_text(report, "%s\n", line);
}

static void plan_line(struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;
	char line[LINE] = "", text[RB_TEXT_SIZE];

	add(line, true, "rbench %s: %s, %u QP%s, depth %u, path MTU %u, %s",
	    ctx->bench->name, rb_conn_type_name(ctx->conn_opts.transport),
	    (unsigned int)run->qps, run->qps == 1 ? "" : "s",
	    (unsigned int)rb_run_depth(run, run->sizes.v[0]), ctx->session.conn.path.mtu,
	    ctx->conn_opts.cm ? "rdma_cm" : "manual exchange");
	add(line, ctx->load_opts.threads > 1, ", %u threads with %s%u QPs each",
	    (unsigned int)ctx->load_opts.threads,
	    run->qps % ctx->load_opts.threads ? "about " : "",
	    (unsigned int)(run->qps / ctx->load_opts.threads));
	add(line, run->bidirectional, ", both directions");
	add(line, ctx->cq_opts.events, ", events");
	add(line, run->mr_per_qp, ", a memory region each");
	add(line, run->verify, ", payload verified");
	if (run->forever)
		add(line, true, ", until Ctrl-C");
	else if (run->messages == RB_AUTO)
		add(line, true, ", %s a size",
		    rb_format_duration(run->duration_ns, text));
	else
		add(line, true, ", %llu messages a QP",
		    (unsigned long long)run->messages);
	rb_report_text(&ctx->report, "%s\n", line);
}

void rb_report_header(struct rb_context *ctx)
{
	plan_line(ctx);
	rb_report_end(&ctx->report, "local", ctx->ends.local);
	rb_report_end(&ctx->report, "peer", ctx->ends.peer);
	rb_report_text(&ctx->report, "\n");
}

/* Warn of each counter that means trouble, once for both ends. */
static void warn_counters(const char *end, const json_t *counters)
{
	const char *name;
	json_t *value;
	char id[32];

	json_object_foreach((json_t *)counters, name, value) {
		const struct rb_counter_row *row = rb_counter_row(name);

		if (!row || json_integer_value(value) <= 0)
			continue;
		snprintf(id, sizeof(id), "%s", row->id);
		rb_warn(id, "%s: %s rose by %lld: %s%s%s%s", end, name,
			(long long)json_integer_value(value), row->meaning,
			row->rule ? " [" : "", row->rule ? row->rule : "",
			row->rule ? "]" : "");
	}
}

/* The peer's last words: counters into @both, events. */
static void take_bye(struct rb_context *ctx, const json_t *bye, json_t *both)
{
	json_t *peer = rb_admit_counters(json_object_get(bye, "counters"));

	warn_counters("peer", peer);
	json_object_set_new(both, "peer", peer);
	ctx->peer_events = rb_admit_events(json_object_get(bye, "events"));
}

void rb_report_counters(struct rb_context *ctx, json_t *local,
			const json_t *bye)
{
	json_t *both = json_pack("{s:I, s:o}", "interval_ns",
				 (json_int_t)ctx->watched_ns, "local", local);

	warn_counters("this end", local);
	if (bye)
		take_bye(ctx, bye, both);
	rb_report_set(&ctx->report, "counters", both);
}

/* What the document is going to have of that which rules look at. */
static json_t *run_so_far(const struct rb_context *ctx)
{
	json_t *run = json_pack("{s:s, s:O, s:O, s:O}", "command",
				ctx->bench->name, "local", ctx->ends.local,
				"peer", ctx->ends.peer, "results",
				ctx->report.results);

	json_object_set(run, "counters",
			json_object_get(ctx->report.doc, "counters"));
	if (rb_log_bound()->failed)
		json_object_set_new(run, "error",
				    rb_failure_json(&rb_log_bound()->first));
	return run;
}

void rb_report_findings(struct rb_context *ctx)
{
	json_t *run = run_so_far(ctx), *findings = ctx->judge(run);
	const json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding) {
		const char *id = text_of(finding, "id", "?");
		const char *end = text_of(finding, "end", "?");

		if (rb_log_bound()->level >= RB_LOG_NORMAL &&
		    rb_environ_told(ctx, id, end))
			continue; /* it was warned of before the first size */
		rb_report_text(&ctx->report, "%s%s, %s: %s; rbench doctor --rule %s\n",
			       ctx->findings++ ? "" : "\n", id, end,
			       text_of(finding, "text", ""), id);
	}
	rb_report_set(&ctx->report, "findings", findings);
	json_decref(run);
}

/* "verdict: 11.7 Gb/s with messages of 64 KiB, 93.4 % of the link" */
static void bandwidth_verdict(const struct rb_context *ctx, char line[LINE])
{
	const struct rb_bw_result *best = &ctx->best;
	char rate[RB_TEXT_SIZE], size[RB_TEXT_SIZE];

	if (!best->messages || !isfinite(best->bits_per_s))
		return;
	add(line, true, "%s%s with messages of %s",
	    ctx->run_opts.sizes.n > 1 ? "at best " : "",
	    rb_format_rate(best->bits_per_s, rate),
	    rb_format_size(best->size_bytes, size));
	add(line, isfinite(best->percent_of_link), ", %.1f %% of the link",
	    best->percent_of_link);
}

/* "verdict: 1.82 us (p50), 4.1 us at p99.9, with messages of 2 B; half ..." */
static void latency_verdict(const struct rb_context *ctx, char line[LINE])
{
	const struct rb_lat_result *best = &ctx->best_lat;
	bool half = ctx->bench->pattern == RB_PATTERN_PINGPONG;
	char size[RB_TEXT_SIZE];

	if (!best->ns.count)
		return;
	add(line, true, "%s%.2f us (p50)",
	    ctx->run_opts.sizes.n > 1 ? "at best " : "", best->ns.p50 / 1e3);
	add(line, isfinite(best->ns.p99_9), ", %.2f us at p99.9",
	    best->ns.p99_9 / 1e3);
	add(line, true, ", with messages of %s: %s",
	    rb_format_size(best->size_bytes, size),
	    half ? "half the round trip" : "from the post to the completion");
}

void rb_report_verdict(struct rb_context *ctx)
{
	unsigned int warnings = rb_log_bound()->nwarnings;
	char line[LINE] = "";

	if (ctx->bench->pattern == RB_PATTERN_STREAM)
		bandwidth_verdict(ctx, line);
	else
		latency_verdict(ctx, line);
	if (!*line)
		return;
	add(line, ctx->interrupted, ", interrupted");
	add(line, warnings > 0, "; %u warning%s", warnings,
	    warnings == 1 ? "" : "s");
	add(line, ctx->findings > 0, "; %u finding%s of doctor", ctx->findings,
	    ctx->findings == 1 ? "" : "s");
	add(line, warnings == 0 && !ctx->findings && !ctx->interrupted,
	    "; nothing unusual was seen");
	rb_report_text(&ctx->report, "\nverdict: %s\n", line);
	snprintf(ctx->verdict, sizeof(ctx->verdict), "%s", line);
}

static void add_events(json_t *list, const char *side, const json_t *events)
{
	for (size_t i = 0; i < json_array_size(events); i++) {
		json_t *e = json_copy(json_array_get(events, i));

		json_object_set_new(e, "side", json_string(side));
		json_array_append_new(list, e);
	}
}

void rb_report_events(struct rb_context *ctx)
{
	json_t *list = json_array();
	json_t *local = rb_monitor_json(&ctx->monitor);

	add_events(list, "local", local);
	add_events(list, "peer", ctx->peer_events);
	json_decref(local);
	rb_report_set(&ctx->report, "events", list);
}
