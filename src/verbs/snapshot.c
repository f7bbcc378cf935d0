/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapshot - the facts of this host in one document
 */
#include "verbs/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/report.h"
#include "host/ibsys.h"
#include "host/facts.h"
#include "host/sampler.h"
#include "host/snap.h"
#include "host/sysfs.h"
#include "verbs/verbfacts.h"

#define SCHEMA "rbench-snapshot/1"
#define TIME_TEXT 40
#define NAMES_TEXT 256

/* Whether the user's word means @device: its name, or that of a netdev. */
static bool is_meant(const char *device, const char *word)
{
	if (!strcmp(device, word))
		return true;
	for (unsigned int p = 1; p <= rb_ibsys_nports(device); p++)
		if (rb_ibsys_owns(device, p, word))
			return true;
	return false;
}

static int refuse(const char *word, const struct rb_names *names)
{
	char all[NAMES_TEXT] = "";
	size_t n = 0;

	for (unsigned int i = 0; i < names->n && n < sizeof(all); i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
				      i ? " " : "", names->v[i]);
	return rb_fail(RB_FAULT_NO_DEVICE, -ENODEV,
		       "no device or network interface '%s'; present: %s", word,
		       names->n ? all : "none");
}

/* Keep the one that is meant; names are moved, none is lost. */
static int choose(struct rb_names *names, const char *word)
{
	for (unsigned int i = 0; i < names->n; i++) {
		char *first = names->v[0];

		if (!is_meant(names->v[i], word))
			continue;
		names->v[0] = names->v[i];
		names->v[i] = first;
		return 0;
	}
	return refuse(word, names);
}

static json_t *begin(const struct rb_snapshot_opts *opts)
{
	json_t *doc = json_object();
	time_t now = time(NULL);
	char text[TIME_TEXT];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	rb_fact_text(doc, "schema", SCHEMA);
	rb_fact_text(doc, "version", PACKAGE_VERSION);
	rb_fact_text(doc, "taken_at", text);
	rb_fact_value(doc, "redacted", json_false());
	if (opts->device)
		rb_fact_value(doc, "device_filter", rb_report_string(opts->device));
	return doc;
}

/* What does not depend on devices or interfaces. */
static void (*const host_topics[])(const struct rb_place *doc) = {
	rb_snap_process,      rb_snap_environment, rb_snap_cgroup,
	rb_snap_services,     rb_snap_sysctl,	   rb_snap_cpu,
	rb_snap_memory,	      rb_snap_modules,	   rb_snap_providers,
	rb_snap_device_nodes, rb_snap_kernel_log,
};

/* What adds to the interfaces, or needs their names. */
static void (*const net_topics[])(const struct rb_place *doc) = {
	rb_snap_addresses, rb_snap_neighbours, rb_snap_routes,	 rb_snap_qdiscs,
	rb_snap_ethtool,   rb_snap_dcb,	       rb_snap_firewall,
};

/*
 * Devices, interfaces and PCI first: what has counters. They are read, then
 * everything else is, then they are read again.
 */
static void take(const struct rb_place *doc, const struct rb_names *names,
		 const struct rb_snapshot_opts *opts)
{
	struct rb_sampler *sampler;

	rb_snap_devices(doc, names);
	rb_snap_netdevs(doc, names);
	rb_snap_host(doc);
	rb_snap_pci(doc);
	sampler = rb_sampler_start(doc);
	for (size_t i = 0; i < RB_ARRAY_SIZE(host_topics); i++)
		host_topics[i](doc);
	for (size_t i = 0; i < RB_ARRAY_SIZE(net_topics); i++)
		net_topics[i](doc);
	rb_snap_rdma(doc, names);
	rb_snap_irqs(doc, names);
	rb_snap_gpu(doc);
	rb_snap_verbs(doc);
	rb_sampler_finish(sampler, doc, opts->interval_ns, opts->intr);
}

int rb_snapshot_take(const struct rb_snapshot_opts *opts, json_t **docp)
{
	struct rb_names all, wanted;
	struct rb_place doc = { .path = "" };
	int list_err = rb_ibsys_devices(&all), err = 0;

	if (opts->device)
		err = choose(&all, opts->device);
	if (!err) {
		wanted = all;
		if (opts->device)
			wanted.n = 1;
		doc.missing = json_array();
		doc.object = begin(opts);
		rb_place_failed(&doc, "devices", "/sys/class/infiniband",
				list_err);
		take(&doc, &wanted, opts);
		rb_fact_value(doc.object, "missing", doc.missing);
		*docp = doc.object;
	}
	rb_names_free(&all);
	return err;
}
