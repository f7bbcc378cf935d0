/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * environ - what of two hosts spoils numbers: a warning each
 *
 * All of it stands in what the two ends tell of themselves ("local" and "peer"
 * of the document), so that one end can warn of both.
 */
#include "run/environ.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/units.h"
#include "run/context.h"

#define TEXT 200
#define SLOW_TO_WAKE_US 20 /* beyond C1E; what an interrupt costs anyway */
#define FAST_LINK 25e9
#define SMALL_MTU 1024
#define OWN_NODE 10 /* ACPI 6.5, 5.2.17: the distance of a node to itself */

static double number(const json_t *from, const char *key)
{
	return json_number_value(json_object_get(from, key));
}

static bool slow_governor(const json_t *end, char text[static TEXT])
{
	const char *governor = json_string_value(json_object_get(
		json_object_get(end, "cpu"), "governor"));

	if (!governor || !strcmp(governor, "performance"))
		return false;
	snprintf(text, TEXT, "the CPU's governor is '%.40s': its clock varies, and results with it (cpupower frequency-set -g performance)",
		 governor);
	return true;
}

static bool deep_sleep(const json_t *end, char text[static TEXT])
{
	double us = number(json_object_get(end, "cpu"), "idle_us");

	if (us <= SLOW_TO_WAKE_US)
		return false;
	snprintf(text, TEXT, "an idle CPU may sleep so deeply that it takes %.0f us to wake: seen with events and in latencies (cpupower idle-set -D %d)",
		 us, SLOW_TO_WAKE_US);
	return true;
}

static bool far_node(const json_t *end, char text[static TEXT])
{
	double distance = number(end, "numa_distance");
	int node = (int)number(end, "numa_node");

	if (distance <= OWN_NODE)
		return false;
	snprintf(text, TEXT, "the device is at NUMA node %d, the CPU in use at another one (distance %.0f, %d is near): numactl -N %d -m %d rbench ...",
		 node, distance, OWN_NODE, node, node);
	return true;
}

/* Bits per second that the lanes carry: 8b/10b up to 5 GT/s, then 128b/130b. */
static double pci_rate(const json_t *pci)
{
	double gt = number(pci, "gt_per_s");

	return gt * 1e9 * number(pci, "width") *
	       (gt < 8 ? 8.0 / 10 : 128.0 / 130);
}

static bool narrow_pci(const json_t *end, char text[static TEXT])
{
	const json_t *pci = json_object_get(end, "pci");
	double carries = pci_rate(pci), link = number(end, "link_bits_per_s");
	char rate[RB_TEXT_SIZE], of_link[RB_TEXT_SIZE];

	if (!carries || carries >= link)
		return false;
	snprintf(text, TEXT, "PCIe (%g GT/s x%.0f) carries less than the link: %s of %s; the device can do %g GT/s x%.0f",
		 number(pci, "gt_per_s"), number(pci, "width"),
		 rb_format_rate(carries, rate), rb_format_rate(link, of_link),
		 number(pci, "max_gt_per_s"), number(pci, "max_width"));
	return true;
}

static bool small_mtu(const json_t *end, char text[static TEXT])
{
	double mtu = number(end, "mtu"), link = number(end, "link_bits_per_s");
	char rate[RB_TEXT_SIZE];

	if (!mtu || mtu > SMALL_MTU || link < FAST_LINK)
		return false;
	snprintf(text, TEXT, "the MTU of the port is %.0f on a link of %s: many small packets (RoCE takes the interface's: ip link set DEV mtu 4200 for 4096)",
		 mtu, rb_format_rate(link, rate));
	return true;
}

static bool is_virtual(const json_t *end, char text[static TEXT])
{
	if (!json_is_true(json_object_get(json_object_get(end, "cpu"),
					  "hypervisor")))
		return false;
	snprintf(text, TEXT, "a virtual machine: its CPUs may be taken away at any time, and its counters of time may be emulated");
	return true;
}

static const struct {
	const char *id;
	const char *rule; /* of doctor, that finds the same; or NULL */
	bool (*spoils)(const json_t *end, char text[static TEXT]);
} rows[] = {
	{ "cpu_governor", "CPU-GOV", slow_governor },
	{ "cpu_idle_states", "CPU-CSTATE", deep_sleep },
	{ "numa_distance", "NUMA-BIND", far_node },
	{ "pcie_narrow", "PCI-SPEED", narrow_pci },
	{ "small_mtu", "MTU-ACTIVE", small_mtu },
	{ "virtual_machine", NULL, is_virtual },
};

/* One end warns of both, and a monitoring system gets one line. */
static bool are_told(const struct rb_context *ctx)
{
	return ctx->host && !ctx->gate_opts.nagios;
}

void rb_environ_warn(const struct rb_context *ctx)
{
	char text[TEXT], other[TEXT];

	if (!are_told(ctx))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		bool here = rows[i].spoils(ctx->ends.local, text);
		bool there = rows[i].spoils(ctx->ends.peer,
					    here ? other : text);

		if (here || there)
			rb_warn(rows[i].id, "%s: %s%s%s%s",
				!there ? "this end" :
				!here  ? "the peer" :
					 "both ends",
				text, rows[i].rule ? " [" : "",
				rows[i].rule ? rows[i].rule : "",
				rows[i].rule ? "]" : "");
	}
}

bool rb_environ_told(const struct rb_context *ctx, const char *rule,
		     const char *end)
{
	const json_t *of = !strcmp(end, "local") ? ctx->ends.local :
						   ctx->ends.peer;
	char text[TEXT];

	for (size_t i = 0; are_told(ctx) && i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].rule && !strcmp(rows[i].rule, rule))
			return rows[i].spoils(of, text);
	return false;
}
