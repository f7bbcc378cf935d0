/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * irqs - which processors get the interrupts of an RDMA device
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cpu.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define CPUS_MOST 4096
#define LIST_TEXT 1024

struct tally {
	unsigned int count, on_node, off_node;
	unsigned int of_cpu[CPUS_MOST]; /* interrupts that go there */
};

/* Where one interrupt goes: the first processor of its effective affinity. */
static void count_irq(struct tally *tally, const char *irq, const char *local)
{
	char cpus[LIST_TEXT];
	unsigned long cpu;

	tally->count++;
	if (rb_file_line(cpus, sizeof(cpus),
			 "proc/irq/%s/effective_affinity_list", irq) &&
	    rb_file_line(cpus, sizeof(cpus), "proc/irq/%s/smp_affinity_list",
			 irq))
		return;
	cpu = strtoul(cpus, NULL, 10);
	if (!cpus[0] || cpu >= CPUS_MOST)
		return;
	tally->of_cpu[cpu]++;
	if (!local[0])
		return;
	if (rb_cpulist_has(local, (unsigned int)cpu))
		tally->on_node++;
	else
		tally->off_node++;
}

/* "0-3,8" of those that get any. */
static void put_cpus(json_t *to, const struct tally *tally)
{
	char text[LIST_TEXT] = "";
	size_t n = 0;

	for (unsigned int first = 0; first < CPUS_MOST; first++) {
		unsigned int last = first;

		if (!tally->of_cpu[first])
			continue;
		while (last + 1 < CPUS_MOST && tally->of_cpu[last + 1])
			last++;
		if (n + 16 > sizeof(text))
			break;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      last > first ? "%s%u-%u" : "%s%u",
				      n ? "," : "", first, last);
		first = last;
	}
	rb_fact_text(to, "cpus", text);
}

static json_t *tally_json(const struct tally *tally, bool know_node)
{
	json_t *to = json_object();
	unsigned int busiest = 0;

	rb_fact_number(to, "count", tally->count);
	for (unsigned int c = 1; c < CPUS_MOST; c++)
		if (tally->of_cpu[c] > tally->of_cpu[busiest])
			busiest = c;
	if (!tally->of_cpu[busiest])
		return to;
	put_cpus(to, tally);
	rb_fact_number(to, "busiest_cpu", busiest);
	rb_fact_number(to, "busiest_cpu_irqs", tally->of_cpu[busiest]);
	if (know_node) {
		rb_fact_number(to, "on_node", tally->on_node);
		rb_fact_number(to, "off_node", tally->off_node);
	}
	return to;
}

static void put_irqs(const struct rb_place *device, const char *name)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	char local[LIST_TEXT];
	struct rb_names irqs;

	if (!tally)
		return;
	rb_sysfs_text(local, sizeof(local),
		      "class/infiniband/%s/device/local_cpulist", name);
	rb_sysfs_list(&irqs, "class/infiniband/%s/device/msi_irqs", name);
	for (unsigned int i = 0; i < irqs.n; i++)
		count_irq(tally, irqs.v[i], local);
	if (irqs.n)
		rb_fact_value(device->object, "irqs",
			      tally_json(tally, local[0] != '\0'));
	rb_names_free(&irqs);
	free(tally);
}

void rb_snap_irqs(const struct rb_place *doc, const struct rb_names *names)
{
	struct rb_place devices = rb_place_enter(doc, "devices");

	for (unsigned int i = 0; i < names->n; i++) {
		struct rb_place device = rb_place_enter(&devices, names->v[i]);

		put_irqs(&device, names->v[i]);
	}
}
