/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * afterrun - what the rules of 'rbench doctor' find in the document of a run
 */
#include "diag/afterrun.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "diag/diagnosis.h"
#include "diag/doctor.h"
#include "diag/symptom.h"
#include "host/facts.h"

#define ACTIVE 4 /* enum ibv_port_state: a run has no port in another state */
#define LIST_TEXT 1024

/* What the snapshots below can have. */
static const char facts[] =
	"/cpu/governors /cpu/idle_states /process/cpus_allowed "
	"/devices/*/local_cpus /devices/*/counters /devices/*/ports/*/counters "
	"/devices/*/ports/*/link_layer /devices/*/ports/*/mtu "
	"/devices/*/ports/*/bits_per_s /netdevs/*/bits_per_s /netdevs/*/mtu "
	"/netdevs/*/counters "
	"/pci/*/gt_per_s /pci/*/width";

static void copy(json_t *to, const char *key, const json_t *from,
		 const char *path)
{
	const json_t *value = rb_at(from, path);

	if (value)
		json_object_set(to, key, (json_t *)(uintptr_t)value);
}

static void put_cpu(json_t *doc, const json_t *end)
{
	const char *governor = rb_text_at(end, "cpu/governor");
	int64_t us = rb_int_at(end, "cpu/idle_us", 0);
	json_t *cpu = json_object();

	if (*governor)
		json_object_set_new(cpu, "governors",
				    json_pack("{s:I}", governor,
					      (json_int_t)rb_int_at(
						      end, "cpu/online", 1)));
	if (us > 0)
		json_object_set_new(cpu, "idle_states",
				    json_pack("[{s:s, s:I}]", "name",
					      "its deepest state", "latency_us",
					      (json_int_t)us));
	json_object_set_new(doc, "cpu", cpu);
}

/* The cores of the run, else all that it was allowed: "0-3,8". */
static void put_process(json_t *doc, const json_t *end)
{
	json_t *process = json_object();
	char list[LIST_TEXT] = "";
	const json_t *core;
	size_t i, n = 0;

	json_array_foreach(rb_at(end, "cpu/cores"), i, core)
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      "%s%" PRId64, n ? "," : "",
					      (int64_t)json_integer_value(core));
	copy(process, "cpus_allowed", end, "cpu/allowed");
	if (*list)
		json_object_set_new(process, "cpus_allowed", json_string(list));
	json_object_set_new(doc, "process", process);
}

static void put_device(json_t *devices, const json_t *end)
{
	json_t *device = json_object(), *port = json_object();
	char number[24];

	copy(port, "link_layer", end, "link_layer");
	copy(port, "mtu", end, "mtu");
	copy(port, "bits_per_s", end, "link_bits_per_s");
	copy(port, "netdev", end, "netdev");
	rb_fact_number(port, "state_id", ACTIVE);
	copy(device, "driver", end, "driver");
	copy(device, "transport", end, "transport");
	copy(device, "local_cpus", end, "local_cpus");
	copy(device, "pci", end, "pci/address");
	json_object_set_new(device, "software",
			    json_boolean(!json_object_get(end, "pci")));
	snprintf(number, sizeof(number), "%d", (int)rb_int_at(end, "port", 1));
	json_object_set_new(device, "ports", json_pack("{s:o}", number, port));
	json_object_set_new(devices, rb_text_at(end, "device"), device);
}

/* One end of the run as a snapshot: only what rules with those facts look at. */
static json_t *snapshot_of(const json_t *run, const char *which)
{
	const json_t *end = json_object_get(run, which);
	json_t *doc = json_pack("{s:{}, s:{}, s:{}, s:{}, s:[]}", "host",
				"devices", "netdevs", "pci", "missing");
	const char *netdev = rb_text_at(end, "netdev");
	const char *address = rb_text_at(end, "pci/address");

	copy(json_object_get(doc, "host"), "name", end, "host");
	put_cpu(doc, end);
	put_process(doc, end);
	put_device(json_object_get(doc, "devices"), end);
	if (*address)
		copy(json_object_get(doc, "pci"), address, end, "pci");
	if (*netdev) {
		json_t *to = json_object();

		copy(to, "mtu", end, "netdev_mtu");
		/* a run takes it from there (rb_dev_derive) */
		if (!strcmp(rb_text_at(end, "link_layer"), "Ethernet"))
			copy(to, "bits_per_s", end, "link_bits_per_s");
		json_object_set_new(json_object_get(doc, "netdevs"), netdev, to);
	}
	rb_symptom_counters(doc, run, which);
	return doc;
}

static json_t *finding_json(const json_t *finding)
{
	const json_t *subject = json_object_get(finding, "subject");
	json_t *json = json_object();

	copy(json, "id", finding, "rule");
	copy(json, "severity", finding, "severity");
	copy(json, "end", subject, "end");
	if (json_object_get(subject, "peer"))
		rb_fact_text(json, "end", "both");
	copy(json, "text", finding, "text");
	copy(json, "likelihood", finding, "likelihood");
	return json;
}

json_t *rb_run_findings(const json_t *run)
{
	json_t *suspects = json_object(), *words = json_array();
	json_t *docs[RB_DOCTOR_HOSTS] = { snapshot_of(run, "local"),
					  snapshot_of(run, "peer") };
	const struct rb_asked asked = { .gid_index = -1, .tos = -1,
					.suspects = suspects, .facts = facts };
	json_t *section, *list = json_array();
	const json_t *finding;
	size_t i;

	rb_symptom_run(suspects, run, words);
	section = rb_doctor_examine(&asked, docs, RB_DOCTOR_HOSTS);
	json_array_foreach(json_object_get(section, "findings"), i, finding)
		json_array_append_new(list, finding_json(finding));
	json_decref(section);
	json_decref(docs[0]);
	json_decref(docs[1]);
	json_decref(suspects);
	json_decref(words);
	return list;
}
