/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch - the command: events of all devices as they happen
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/lines.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/units.h"
#include "command.h"
#include "local.h"
#include "watch/watch.h"

#define NAME_TEXT 32
#define SUMMARY_TEXT 512

struct tool_opts {
	const char *device, *until, *fail_on;
	bool no_open, qps, counters;
	uint64_t poll_ns, interval_ns, for_ns, flap_count, flap_time_ns;
};

static const struct rb_opt watch_rows[] = {
	/* clang-format off */
	{ .name = "device", .letter = 'd', .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct tool_opts, device),
	  .help = "only this device, or the one of this network interface [all]" },
	{ .name = "for", .type = RB_OPT_DURATION, .min = 1, .max = UINT64_MAX / 2, .arg = "TIME",
	  .offset = offsetof(struct tool_opts, for_ns), .flags = RB_OPT_AUTO,
	  .help = "end after so long [with SIGINT or SIGTERM]" },
	{ .name = "until", .type = RB_OPT_STRING, .arg = "EVENT,...",
	  .offset = offsetof(struct tool_opts, until),
	  .help = "end with the first such event" },
	{ .name = "fail-on", .type = RB_OPT_STRING, .arg = "EVENT,...",
	  .offset = offsetof(struct tool_opts, fail_on),
	  .help = "end with the first such event, with exit code 3" },
	{ .name = "qps", .type = RB_OPT_FLAG, .offset = offsetof(struct tool_opts, qps),
	  .help = "also watch the queue pairs of all processes for errors" },
	{ .name = "poll", .type = RB_OPT_DURATION, .arg = "TIME", .def = "50ms",
	  .min = RB_NS_PER_MS, .max = 3600 * RB_NS_PER_S,
	  .offset = offsetof(struct tool_opts, poll_ns),
	  .help = "between readings of queue pairs" },
	{ .name = "counters", .type = RB_OPT_FLAG, .offset = offsetof(struct tool_opts, counters),
	  .help = "also tell which counters moved, and how fast" },
	{ .name = "interval", .type = RB_OPT_DURATION, .arg = "TIME", .def = "1s",
	  .min = 10 * RB_NS_PER_MS, .max = 24 * 3600 * RB_NS_PER_S,
	  .offset = offsetof(struct tool_opts, interval_ns),
	  .help = "between readings of counters" },
	{ .name = "flap-count", .type = RB_OPT_COUNT, .def = "5", .min = 2, .max = RB_FLAP_COUNT_MAX,
	  .offset = offsetof(struct tool_opts, flap_count),
	  .help = "what changes so many times flaps, and is told once ..." },
	{ .name = "flap-time", .type = RB_OPT_DURATION, .arg = "TIME", .def = "10s",
	  .min = RB_NS_PER_MS, .max = 24 * 3600 * RB_NS_PER_S,
	  .offset = offsetof(struct tool_opts, flap_time_ns),
	  .help = "... within so long" },
	{ .name = "no-open", .type = RB_OPT_FLAG, .offset = offsetof(struct tool_opts, no_open),
	  .help = "open no device, as a driver in use cannot be unloaded: no async events, no GIDs" },
	/* clang-format on */
};

static const struct rb_optgroup watch_optgroup = { "Watching", watch_rows,
						   RB_ARRAY_SIZE(watch_rows) };

/* A list of kinds to flags; reported. */
static int parse_kinds(const char *option, const char *list, bool *flags,
		       bool *any)
{
	while (list) {
		size_t n = strcspn(list, ",");
		const struct rb_watch_kind *kind;
		char name[NAME_TEXT];

		snprintf(name, sizeof(name), "%.*s", (int)RB_MIN(n, NAME_TEXT - 1), list);
		kind = rb_watch_kind(name);
		if (!kind)
			return rb_fail_hint(
				RB_FAULT_USAGE, -EINVAL, NULL,
				"'rbench watch --help' lists them",
				"'%.*s' of option '--%s' is no event", (int)n,
				list, option);
		flags[rb_watch_kind_index(kind)] = true;
		*any = true;
		list = list[n] ? list + n + 1 : NULL;
	}
	return 0;
}

static int complete(const struct tool_opts *from, bool verbose,
		    struct rb_watch_opts *to)
{
	int err;

	*to = (struct rb_watch_opts){ .device = from->device,
				      .no_open = from->no_open,
				      .qps = from->qps,
				      .counters = from->counters,
				      .poll_ns = from->poll_ns,
				      .interval_ns = from->interval_ns,
				      .for_ns = from->for_ns,
				      .flap_count = from->flap_count,
				      .flap_time_ns = from->flap_time_ns,
				      .verbose = verbose };
	err = parse_kinds("until", from->until, to->until, &to->any_until);
	return err ? err :
		     parse_kinds("fail-on", from->fail_on, to->fail_on,
				 &to->any_fail_on);
}

static void show_summary(const struct rb_watch *w, struct rb_report *report)
{
	char text[SUMMARY_TEXT] = "", time[RB_TEXT_SIZE];

	for (size_t i = 0; i < rb_watch_nkinds; i++) {
		size_t n = strlen(text);

		if (w->seen[i])
			snprintf(text + n, sizeof(text) - n, "%s%s %llu",
				 n ? ", " : ": ", rb_watch_kinds[i].name,
				 (unsigned long long)w->seen[i]);
	}
	rb_report_text(report, "watched for %s, %llu event%s%s\n",
		       rb_format_duration(rb_now_ns() - w->began_ns, time),
		       (unsigned long long)w->nevents,
		       w->nevents == 1 ? "" : "s", text);
}

/* What --fail-on asked for, as expectations: "no port_err". */
static void put_expectations(const struct rb_watch *w, struct rb_report *report)
{
	json_t *list = json_array();
	char expr[NAME_TEXT + sizeof("no ")];

	for (size_t i = 0; i < rb_watch_nkinds; i++) {
		if (!w->opts->fail_on[i])
			continue;
		snprintf(expr, sizeof(expr), "no %s", rb_watch_kinds[i].name);
		json_array_append_new(
			list, json_pack("{s:s, s:I, s:b}", "expr", expr,
					"value", (json_int_t)w->seen[i], "met",
					!w->seen[i]));
	}
	rb_report_set(report, "expectations", list);
}

static int observe(const struct rb_watch_opts *opts, struct rb_intr *intr,
		   struct rb_local_call *call)
{
	struct rb_watch w;
	int err = rb_watch_open(&w, opts, call->report);

	if (!err)
		err = rb_watch_run(&w, intr);
	if (!err) {
		show_summary(&w, call->report);
		rb_report_set(call->report, "watch", rb_watch_json(&w));
		if (opts->any_fail_on)
			put_expectations(&w, call->report);
		if (w.end == RB_WATCH_FAILED_ON)
			call->status = RB_STATUS_BELOW_EXPECTATION;
	}
	rb_watch_close(&w);
	return err;
}

static int run_watch(struct rb_local_call *call)
{
	struct rb_watch_opts opts;
	struct rb_intr intr;
	int err = complete(call->opts, call->report->opts->verbose > 0, &opts);

	if (err)
		return err;
	call->report->lines = true;
	err = rb_report_lines_begin(call->report, call->report->opts->json);
	if (err)
		return err;
	err = rb_intr_init(&intr);
	if (!err) {
		err = observe(&opts, &intr, call);
		rb_intr_fini(&intr);
	}
	rb_report_lines_end(call->report);
	return err;
}

static void list_events(void)
{
	size_t column = 0;

	printf("\nEvents:\n ");
	for (size_t i = 0; i < rb_watch_nkinds; i++) {
		size_t n = strlen(rb_watch_kinds[i].name) + 1;

		if (column + n > 76) {
			printf("\n ");
			column = 0;
		}
		printf(" %s", rb_watch_kinds[i].name);
		column += n;
	}
	printf("\n");
}

static const struct rb_local watch_local = {
	.group = &watch_optgroup,
	.opts_size = sizeof(struct tool_opts),
	.usage = "[options]",
	.no_csv = "give --json",
	.run = run_watch,
	.help = list_events,
};

const struct rb_command rb_command_watch = {
	.name = "watch",
	.summary = "events of devices, ports, GIDs and interfaces as they happen",
	.kind = RB_COMMAND_LOCAL,
	.local = &watch_local,
};
