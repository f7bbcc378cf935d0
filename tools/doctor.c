/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor - what is wrong with this host, with a recorded one, or with a pair
 *
 * A live host is examined by the snapshot that is taken of it, so that a file
 * written there gives the same findings. The text is a view of the document's
 * "doctor" (tools/doctor_text.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "command.h"
#include "diag/doctor.h"
#include "doctor.h"
#include "host/facts.h"
#include "host/snapload.h"
#include "local.h"
#include "verbs/snapshot.h"

struct doctor_opts {
	const char *device, *peer_device, *rule, *symptom, *with;
	const char *fleet, *golden;
	uint64_t gid_index, tclass, interval_ns;
	int severity;
	bool list_rules;
};

static const struct rb_enum severity_names[] = {
	{ "info", RB_SEVERITY_INFO },
	{ "warning", RB_SEVERITY_WARNING },
	{ "error", RB_SEVERITY_ERROR },
	{ NULL, 0 },
};

static const struct rb_opt doctor_rows[] = {
	/* clang-format off */
	{ .name = "device", .letter = 'd', .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct doctor_opts, device),
	  .help = "only this device, or the one of this network interface" },
	{ .name = "peer-device", .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct doctor_opts, peer_device),
	  .help = "the same of the second host" },
	{ .name = "gid-index", .letter = 'x', .type = RB_OPT_COUNT, .arg = "N", .max = 65535,
	  .offset = offsetof(struct doctor_opts, gid_index), .flags = RB_OPT_AUTO,
	  .help = "the GID that your program uses (default: the best)" },
	{ .name = "tclass", .type = RB_OPT_COUNT, .arg = "N", .max = 255,
	  .offset = offsetof(struct doctor_opts, tclass), .flags = RB_OPT_AUTO,
	  .help = "the traffic class that it uses (default: what the host says)" },
	{ .name = "symptom", .type = RB_OPT_STRING, .arg = "CODES",
	  .offset = offsetof(struct doctor_opts, symptom),
	  .help = "what you see: status=12,vendor_err=0x81; slow, latency, loss" },
	{ .name = "with", .type = RB_OPT_STRING, .arg = "FILE",
	  .offset = offsetof(struct doctor_opts, with),
	  .help = "the document of a run that failed or was slow" },
	{ .name = "fleet", .type = RB_OPT_STRING, .arg = "FOLDER",
	  .offset = offsetof(struct doctor_opts, fleet),
	  .help = "where the hosts of all snapshots in it (*.json) differ" },
	{ .name = "golden", .type = RB_OPT_STRING, .arg = "FILE",
	  .offset = offsetof(struct doctor_opts, golden),
	  .help = "of --fleet: differ from this one, not from the majority" },
	{ .name = "severity", .type = RB_OPT_ENUM, .arg = "LEVEL", .def = "warning",
	  .offset = offsetof(struct doctor_opts, severity), .names = severity_names,
	  .help = "findings from this one on make the exit code 3" },
	{ .name = "rule", .type = RB_OPT_STRING, .arg = "ID",
	  .offset = offsetof(struct doctor_opts, rule),
	  .help = "only this rule, explained" },
	{ .name = "list-rules", .type = RB_OPT_FLAG, .offset = offsetof(struct doctor_opts, list_rules),
	  .help = "show the table of all rules" },
	{ .name = "interval", .type = RB_OPT_DURATION, .arg = "TIME", .def = "500ms",
	  .offset = offsetof(struct doctor_opts, interval_ns),
	  .min = 10 * RB_NS_PER_MS, .max = 3600 * RB_NS_PER_S,
	  .help = "of the live host: how long counters are watched" },
	/* clang-format on */
};

static const struct rb_optgroup doctor_optgroup = {
	"Doctor", doctor_rows, RB_ARRAY_SIZE(doctor_rows)
};

static int refuse_rule(const char *id)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "'rbench doctor --list-rules' shows them",
			    "there is no rule '%.60s'", id);
}

/* The snapshots: files, or one taken here. */
static int gather(struct rb_local_call *call, json_t **docs, size_t *n)
{
	const struct doctor_opts *opts = call->opts;
	const struct rb_snapshot_opts want = { .device = opts->device,
					       .interval_ns = opts->interval_ns };
	int err = 0;

	if (!call->nwords) {
		err = rb_snapshot_take(&want, &docs[0]);
		*n = !err;
	}
	for (; *n < call->nwords && !err; *n += !err)
		err = rb_snapshot_load(call->words[*n], &docs[*n]);
	return err;
}

/* A device that was named must be there, else every rule would pass by. */
static int check_devices(const struct rb_asked *asked, const json_t *section)
{
	const char *const words[] = { asked->device, asked->peer_device };
	const json_t *host;
	size_t i;

	json_array_foreach(json_object_get(section, "hosts"), i, host)
		if (words[i] &&
		    !json_integer_value(json_object_get(host, "devices")))
			return rb_fail(RB_FAULT_NO_DEVICE, -ENODEV,
				       "no device or network interface '%.60s' in the snapshot",
				       words[i]);
	return 0;
}

static int in_int(uint64_t value)
{
	return value == RB_AUTO ? -1 : (int)value;
}

/* The exit code's reason, in the way of all commands. */
static void put_expectation(struct rb_report *report, const char *severity,
			    size_t n)
{
	char expr[64];

	snprintf(expr, sizeof(expr), "no finding of severity %s or worse",
		 severity);
	rb_report_set(report, "expectations",
		      json_pack("[{s:s, s:I, s:b}]", "expr", expr, "value",
				(json_int_t)n, "met", n == 0));
}

/* The hosts of a folder; a difference counts as a warning. */
static int compare_fleet(struct rb_local_call *call, const struct rb_asked *asked)
{
	const struct doctor_opts *opts = call->opts;
	size_t n = 0;
	int err = rb_doctor_fleet(call->report, asked, opts->fleet, opts->golden,
				  &n);

	if (err || opts->severity > RB_SEVERITY_WARNING)
		return err;
	rb_report_set(call->report, "expectations",
		      json_pack("[{s:s, s:I, s:b}]", "expr", "no difference",
				"value", (json_int_t)n, "met", n == 0));
	if (n)
		call->status = RB_STATUS_BELOW_EXPECTATION;
	return 0;
}

static void finish(struct rb_local_call *call, json_t *section)
{
	const struct doctor_opts *opts = call->opts;
	enum rb_severity severity = (enum rb_severity)opts->severity;
	size_t n = rb_doctor_count(section, severity);

	rb_doctor_show(call->report, section, call->report->opts->verbose > 0);
	rb_report_set(call->report, "doctor", section);
	put_expectation(call->report, rb_severity_name(severity), n);
	if (n)
		call->status = RB_STATUS_BELOW_EXPECTATION;
}

static int examine(struct rb_local_call *call, const struct rb_asked *asked,
		   const struct rb_doctor_symptom *symptom)
{
	json_t *docs[RB_DOCTOR_HOSTS] = { NULL }, *section = NULL;
	size_t n = 0;
	int err = gather(call, docs, &n);

	if (!err) {
		rb_doctor_symptom_use(symptom, docs, n);
		section = rb_doctor_examine(asked, docs, n);
		err = section ? check_devices(asked, section) :
				rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
					"cannot examine the snapshot");
	}
	if (!err) {
		rb_fact_value(section, "symptom",
			      rb_doctor_symptom_json(symptom));
		finish(call, json_incref(section));
	}
	json_decref(section);
	for (size_t i = 0; i < RB_DOCTOR_HOSTS; i++)
		json_decref(docs[i]);
	return err;
}

static int list_rules(struct rb_report *report)
{
	json_t *rules = rb_doctor_rules(NULL);

	rb_doctor_show_rules(report, rules);
	rb_report_set(report, "doctor", json_pack("{s:o}", "rules", rules));
	return 0;
}

static int run_doctor(struct rb_local_call *call)
{
	const struct doctor_opts *opts = call->opts;
	struct rb_doctor_symptom symptom;
	struct rb_asked asked = {
		.device = opts->device,
		.peer_device = opts->peer_device,
		.rule = opts->rule,
		.gid_index = in_int(opts->gid_index),
		.tos = in_int(opts->tclass),
	};
	int err;

	if ((opts->fleet && call->nwords) || (opts->golden && !opts->fleet))
		return rb_fail(RB_FAULT_USAGE, -EINVAL,
			       "--fleet takes a folder and no files; --golden is for it");
	if (opts->fleet && (opts->symptom || opts->with || opts->peer_device))
		return rb_fail(RB_FAULT_USAGE, -EINVAL,
			       "--fleet compares hosts: --symptom, --with and --peer-device are about a host or a pair");
	if (opts->list_rules)
		return list_rules(call->report);
	if (opts->rule && !rb_rule(opts->rule))
		return refuse_rule(opts->rule);
	if (opts->fleet)
		return compare_fleet(call, &asked);
	err = rb_doctor_symptom_open(&symptom, opts->symptom, opts->with);
	asked.suspects = symptom.suspects;
	if (!err)
		err = examine(call, &asked, &symptom);
	rb_doctor_symptom_close(&symptom);
	return err;
}

static const struct rb_local doctor_local = {
	.group = &doctor_optgroup,
	.opts_size = sizeof(struct doctor_opts),
	.words_most = RB_DOCTOR_HOSTS,
	.usage = "[options] [FILE [FILE2]]",
	.remark = "FILE is a snapshot; without one this host is examined.",
	.no_csv = "give --json",
	.run = run_doctor,
};

const struct rb_command rb_command_doctor = {
	.name = "doctor",
	.summary = "what is wrong with this host, or with a pair of hosts",
	.kind = RB_COMMAND_LOCAL,
	.local = &doctor_local,
};
