/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor - what is wrong with this host, with a recorded one, or with a pair
 *
 * A live host is examined by the snapshot that is taken of it, and so is the peer
 * by that which its server takes: files written there give the same findings. The text is a view of the document's
 * "doctor" (tools/doctor_text.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "command.h"
#include "diag/doctor.h"
#include "doctor.h"
#include "host/facts.h"
#include "host/snapload.h"
#include "local.h"
#include "run/consult.h"
#include "verbs/snapshot.h"

struct doctor_opts {
	const char *device, *peer_device, *rule, *symptom, *with;
	const char *fleet, *golden, *save;
	uint64_t port, gid_index, tclass, interval_ns;
	int severity;
	bool list_rules;
	struct rb_oob_opts oob;
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
	{ .name = "port-num", .letter = 'i', .type = RB_OPT_COUNT, .min = 1, .max = UINT8_MAX,
	  .offset = offsetof(struct doctor_opts, port), .flags = RB_OPT_AUTO,
	  .help = "with PEER: the device's port that is tried [the first active one]" },
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
	{ .name = "save", .type = RB_OPT_STRING, .arg = "BASE",
	  .offset = offsetof(struct doctor_opts, save),
	  .help = "keep the snapshots: BASE.json, of PEER BASE.peer.json" },
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
	  .help = "of live hosts: how long counters are watched" },
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

/* The host to ask; NULL: none. */
static const char *peer_of(const struct rb_local_call *call)
{
	return call->nwords == 1 && !rb_doctor_is_file(call->words[0]) ?
		       call->words[0] :
		       NULL;
}

static int consult(const struct doctor_opts *opts, const char *peer,
		   json_t **docs, size_t *n)
{
	struct rb_consult c = {
		.oob_opts = opts->oob,
		.dev_opts = { opts->device, opts->port, opts->gid_index },
		.interval_ns = opts->interval_ns,
		.tclass = opts->tclass,
	};
	int err = rb_doctor_consult(&c, peer, docs);

	*n = err ? 0 : RB_DOCTOR_HOSTS;
	return err;
}

/* The snapshots: files, one taken here, or two of live hosts. */
static int gather(struct rb_local_call *call, json_t **docs, size_t *n)
{
	const struct doctor_opts *opts = call->opts;
	const struct rb_snapshot_opts want = { .device = opts->device,
					       .interval_ns = opts->interval_ns };
	const char *peer = peer_of(call);
	int err = 0;

	if (peer)
		return consult(opts, peer, docs, n);
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

/* Of the peer, when only one device here is meant: the one that it was tried with. */
static void choose_mate(struct rb_asked *asked, const json_t *doc)
{
	const json_t *probe = json_array_get(json_object_get(doc, "probes"), 0);
	const char *mate = rb_text_at(probe, "peer/device");

	if (asked->device && !asked->peer_device && *mate)
		asked->peer_device = mate;
}

static int examine(struct rb_local_call *call, struct rb_asked *asked,
		   const struct rb_doctor_symptom *symptom)
{
	const struct doctor_opts *opts = call->opts;
	json_t *docs[RB_DOCTOR_HOSTS] = { NULL }, *section = NULL;
	size_t n = 0;
	int err = gather(call, docs, &n);

	if (!err && opts->save)
		err = rb_doctor_save(call->report, opts->save, docs, n);
	if (!err) {
		rb_doctor_symptom_use(symptom, docs, n);
		if (n > 1)
			choose_mate(asked, docs[0]);
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

/* What says how to reach a peer, without one; reported. */
static int refuse_lonely(const struct rb_local_call *call)
{
	static const char *const names[] = { "port-num", "port", "wait",
					     "timeout", "bind-source-ip" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++)
		if (rb_optset_source(call->set, names[i]) == RB_SOURCE_USER)
			return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
					    "name the host: rbench doctor [options] PEER",
					    "--%s is about a peer that is asked, and none is given",
					    names[i]);
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
	if (!peer_of(call) && refuse_lonely(call))
		return -EINVAL;
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
	.more = &rb_oob_optgroup,
	.more_offset = offsetof(struct doctor_opts, oob),
	.opts_size = sizeof(struct doctor_opts),
	.words_most = RB_DOCTOR_HOSTS,
	.usage = "[options] [PEER | FILE [FILE2]]",
	.remark = "PEER is a host with 'rbench server': both ends are examined, and what is\n"
		  "between them is tried. FILE is a snapshot. Without either this host is examined.",
	.no_csv = "give --json",
	.run = run_doctor,
};

const struct rb_command rb_command_doctor = {
	.name = "doctor",
	.summary = "what is wrong with this host, or with a pair of hosts",
	.kind = RB_COMMAND_LOCAL,
	.local = &doctor_local,
	.serve = rb_consult_serve,
};
