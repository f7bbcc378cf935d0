/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sampler - all counters of a snapshot, read twice
 */
#include "host/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/intr.h"
#include "host/counters.h"
#include "host/ethtool.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define NAME_TEXT 64
#define DIR_TEXT 256
#define GROW 64

/* One set of counters: whose they are, and how they are read. */
struct set {
	char name[NAME_TEXT];
	unsigned int port; /* of a device; 0: the device itself */
	struct rb_counters *(*read)(const struct rb_place *to,
				    const struct set *set);
	uint64_t read_at;
	struct rb_counters *before;
};

struct rb_sampler {
	uint64_t started_at;
	size_t n, room;
	struct set *v;
};

static struct rb_counters *read_device(const struct rb_place *to,
				       const struct set *set)
{
	struct rb_counters *c = rb_counters_create();

	rb_counters_add_folder(c, "device", "class/infiniband/%s/hw_counters",
			       set->name);
	return c;
}

static struct rb_counters *read_port(const struct rb_place *to,
				     const struct set *set)
{
	static const struct {
		const char *group, *folder;
	} rows[] = {
		{ "port", "counters" },
		{ "hw", "hw_counters" },
		{ "cm_tx_msgs", "cm_tx_msgs" },
		{ "cm_tx_retries", "cm_tx_retries" },
		{ "cm_rx_msgs", "cm_rx_msgs" },
		{ "cm_rx_duplicates", "cm_rx_duplicates" },
	};
	struct rb_counters *c = rb_counters_create();

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		rb_counters_add_folder(c, rows[i].group,
				       "class/infiniband/%s/ports/%u/%s",
				       set->name, set->port, rows[i].folder);
	return c;
}

static void take_stat(const char *name, uint64_t value, void *arg)
{
	rb_counters_add(arg, "ethtool", name, value);
}

static struct rb_counters *read_netdev(const struct rb_place *to,
				       const struct set *set)
{
	struct rb_counters *c = rb_counters_create();
	int err;

	rb_counters_add_folder(c, "netdev", "class/net/%s/statistics",
			       set->name);
	err = rb_ethtool_stats(set->name, take_stat, c);
	/* noted once, at the first reading; a driver without any is no loss */
	if (err != -EOPNOTSUPP && !set->before)
		rb_place_failed(to, "counters", "ioctl ETHTOOL_GSTATS", err);
	return c;
}

/* A line a kind of error, the sum in the last one: "TOTAL_ERR_COR 0". */
static void add_aer(struct rb_counters *c, const char *address,
		    const char *which)
{
	char file[NAME_TEXT], *text, *rest, *line;

	snprintf(file, sizeof(file), "aer_dev_%s", which);
	if (rb_file_read(&text, NULL, "sys/bus/pci/devices/%s/%s", address,
			 file))
		return;
	rest = text;
	while ((line = rb_next_line(&rest))) {
		char *value = strchr(line, ' ');

		if (value && !strncmp(line, "TOTAL_", 6))
			rb_counters_add(c, "aer", which,
					strtoull(value, NULL, 10));
	}
	free(text);
}

static struct rb_counters *read_function(const struct rb_place *to,
					 const struct set *set)
{
	struct rb_counters *c = rb_counters_create();

	add_aer(c, set->name, "correctable");
	add_aer(c, set->name, "nonfatal");
	add_aer(c, set->name, "fatal");
	return c;
}

/* The place of the set in the document. */
static struct rb_place place_of(const struct rb_place *doc,
				const struct set *set)
{
	const char *section = set->read == read_netdev	   ? "netdevs"
			      : set->read == read_function ? "pci"
							   : "devices";
	char number[16];
	struct rb_place at;

	at = rb_place_enter(doc, section);
	at = rb_place_enter(&at, set->name);
	if (set->port) {
		snprintf(number, sizeof(number), "%u", set->port);
		at = rb_place_enter(&at, "ports");
		at = rb_place_enter(&at, number);
	}
	return at;
}

static struct set *add_set(struct rb_sampler *sampler)
{
	if (sampler->n == sampler->room) {
		struct set *v = realloc(sampler->v,
					(sampler->room + GROW) * sizeof(*v));

		if (!v)
			return NULL;
		sampler->v = v;
		sampler->room += GROW;
	}
	memset(&sampler->v[sampler->n], 0, sizeof(*sampler->v));
	return &sampler->v[sampler->n++];
}

static void start_set(struct rb_sampler *sampler, const struct rb_place *doc,
		      const struct set *want)
{
	struct set *set = add_set(sampler);
	struct rb_place to;

	if (!set)
		return;
	*set = *want;
	to = place_of(doc, set);
	set->read_at = rb_now_ns();
	set->before = set->read(&to, set);
}

static void start_device(struct rb_sampler *sampler, const struct rb_place *doc,
			 const char *name, const json_t *device)
{
	struct set set = { .read = read_device };
	const char *number;
	json_t *port;

	snprintf(set.name, sizeof(set.name), "%s", name);
	start_set(sampler, doc, &set);
	set.read = read_port;
	json_object_foreach(json_object_get(device, "ports"), number, port) {
		set.port = (unsigned int)strtoul(number, NULL, 10);
		start_set(sampler, doc, &set);
	}
}

struct rb_sampler *rb_sampler_start(const struct rb_place *doc)
{
	struct rb_sampler *sampler = calloc(1, sizeof(*sampler));
	json_t *netdevs = json_object_get(doc->object, "netdevs");
	json_t *pci = json_object_get(doc->object, "pci");
	struct set set = { 0 };
	const char *name;
	json_t *value;

	if (!sampler)
		return NULL;
	sampler->started_at = rb_now_ns();
	json_object_foreach(json_object_get(doc->object, "devices"), name,
			    value)
		start_device(sampler, doc, name, value);
	set.read = read_netdev;
	json_object_foreach(netdevs, name, value) {
		if (!rb_snap_carries_rdma(netdevs, name))
			continue;
		snprintf(set.name, sizeof(set.name), "%s", name);
		start_set(sampler, doc, &set);
	}
	set.read = read_function;
	json_object_foreach(pci, name, value) {
		snprintf(set.name, sizeof(set.name), "%s", name);
		start_set(sampler, doc, &set);
	}
	return sampler;
}

static void finish_set(struct set *set, const struct rb_place *doc)
{
	struct rb_counters *after;
	struct rb_place to;
	uint64_t now;

	to = place_of(doc, set);
	now = rb_now_ns();
	after = set->read(&to, set);
	rb_fact_value(to.object, "counters",
		      rb_counters_json(set->before, after, now - set->read_at));
	rb_counters_free(after);
	rb_counters_free(set->before);
}

void rb_sampler_finish(struct rb_sampler *sampler, const struct rb_place *doc,
		       uint64_t interval_ns, struct rb_intr *intr)
{
	if (!sampler)
		return;
	if (sampler->n)
		rb_wait_fd(-1, 0, intr, sampler->started_at + interval_ns);
	for (size_t i = 0; i < sampler->n; i++)
		finish_set(&sampler->v[i], doc);
	free(sampler->v);
	free(sampler);
}
