/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapshot - the facts of this host in one file
 *
 * The snapshot is a document of its own (rbench-snapshot(5)): it is what the
 * command writes, with or without --json. With --json beside it the usual
 * document tells how that went.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "command.h"
#include "host/redact.h"
#include "local.h"
#include "verbs/snapshot.h"

struct snapshot_opts {
	const char *output; /* NULL: standard output */
	const char *device; /* NULL: all */
	uint64_t interval;  /* ns */
	bool redact;
};

static const struct rb_opt snapshot_rows[] = {
	/* clang-format off */
	{ .name = "output", .letter = 'o', .type = RB_OPT_STRING, .arg = "FILE",
	  .offset = offsetof(struct snapshot_opts, output),
	  .help = "write the snapshot to FILE instead of standard output" },
	{ .name = "device", .letter = 'd', .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct snapshot_opts, device),
	  .help = "only this device, or the one of this network interface" },
	{ .name = "interval", .type = RB_OPT_DURATION, .arg = "TIME", .def = "500ms",
	  .offset = offsetof(struct snapshot_opts, interval),
	  .min = 10 * RB_NS_PER_MS, .max = 3600 * RB_NS_PER_S,
	  .help = "time between the two readings of the counters" },
	{ .name = "redact", .type = RB_OPT_FLAG, .offset = offsetof(struct snapshot_opts, redact),
	  .help = "replace names and addresses, each by the same one everywhere" },
	/* clang-format on */
};

static const struct rb_optgroup snapshot_optgroup = {
	"Snapshot", snapshot_rows, RB_ARRAY_SIZE(snapshot_rows)
};

static size_t size_of(const json_t *doc, const char *key)
{
	const json_t *value = json_object_get(doc, key);

	return json_is_array(value) ? json_array_size(value) :
				      json_object_size(value);
}

/* Facts that another user might have read. */
static size_t count_denied(const json_t *doc)
{
	const json_t *entry;
	size_t i, n = 0;

	json_array_foreach(json_object_get(doc, "missing"), i, entry)
		n += !strcmp(json_string_value(json_object_get(entry, "kind")),
			     "denied");
	return n;
}

/* For people, where the snapshot itself goes elsewhere. */
static void show(struct rb_report *report, const json_t *doc,
		 const char *output)
{
	const char *name = json_string_value(
		json_object_get(json_object_get(doc, "host"), "name"));

	rb_report_text(report,
		       "snapshot of '%s' in '%s': RDMA devices %zu, network "
		       "interfaces %zu, PCI functions %zu\n",
		       name ? name : "?", output, size_of(doc, "devices"),
		       size_of(doc, "netdevs"), size_of(doc, "pci"));
	if (size_of(doc, "missing"))
		rb_report_text(report,
			       "facts that could not be read: %zu, for lack of "
			       "permission %zu; they are in \"missing\"\n",
			       size_of(doc, "missing"), count_denied(doc));
}

/* Take it and put it where it belongs. */
static int take(struct rb_local_call *call)
{
	const struct snapshot_opts *opts = call->opts;
	struct rb_report *report = call->report;
	const struct rb_snapshot_opts want = { .device = opts->device,
					       .interval_ns = opts->interval };
	json_t *doc = NULL;
	int err = rb_snapshot_take(&want, &doc);

	if (err)
		return err;
	if (opts->redact)
		err = rb_redact(doc);
	if (!err && opts->output) {
		err = rb_report_file(report, doc, opts->output);
		if (!err)
			show(report, doc, opts->output);
	} else if (!err && report->text) {
		err = rb_report_file(report, doc, "-");
	}
	/* in the usual document too, where that is all there is */
	if (!err && !report->text && !opts->output)
		rb_report_set(report, "snapshot", json_incref(doc));
	json_decref(doc);
	return err;
}

static const struct rb_local snapshot_local = {
	.group = &snapshot_optgroup,
	.opts_size = sizeof(struct snapshot_opts),
	.usage = "[options]",
	.no_csv = "leave it out",
	.run = take,
};

const struct rb_command rb_command_snapshot = {
	.name = "snapshot",
	.summary = "the facts of this host in one file",
	.kind = RB_COMMAND_LOCAL,
	.local = &snapshot_local,
};
