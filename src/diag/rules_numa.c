/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_numa - rules: how near processors, memory, interrupts and NICs are
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"
#include "host/cpu.h"

#define CPUS_MOST 8192

/* "0-3,8" as a set; processors beyond CPUS_MOST are not told. */
static void read_list(const char *list, bool set[static CPUS_MOST])
{
	unsigned int first, last, next = 0;

	memset(set, 0, CPUS_MOST);
	/* in ascending order, as the kernel has them: none is looked at twice */
	while (rb_cpulist_next(&list, &first, &last))
		for (next = RB_MAX(next, first); next <= last && next < CPUS_MOST;
		     next++)
			set[next] = true;
}

/* How many of @a are in @b, and how many @a has. */
static size_t common(const char *a, const char *b, size_t *all)
{
	bool x[CPUS_MOST], y[CPUS_MOST];
	size_t n = 0;

	read_list(a, x);
	read_list(b, y);
	*all = 0;
	for (size_t i = 0; i < CPUS_MOST; i++) {
		*all += x[i];
		n += x[i] && y[i];
	}
	return n;
}

static void numa_node(struct rb_subject *s)
{
	int64_t node, sockets;

	if (!rb_need_int(s, RB_DEVICE, "numa_node", &node) ||
	    rb_unreadable(s, RB_HOST, "cpu/sockets"))
		return;
	sockets = rb_get_int(s, RB_HOST, "cpu/sockets", 1);
	if (node < 0 && sockets > 1)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the kernel does not know the NUMA node of %s, and there are %" PRId64 " sockets",
				s->device, sockets);
	else
		rb_subject_pass(s, "node %" PRId64 ", %" PRId64 " sockets", node,
				sockets);
}

static void numa_bind(struct rb_subject *s)
{
	const char *own = rb_need_text(s, RB_DEVICE, "local_cpus");
	const char *allowed =
		own ? rb_need_text(s, RB_HOST, "process/cpus_allowed") : NULL;
	size_t here, all;

	if (!allowed)
		return;
	here = common(allowed, own, &all);
	if (!all || !*own)
		rb_subject_skip(s, "the processors are not told");
	else if (!here)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"this process may run on CPUs %s only, none of them near %s (%s)",
				allowed, s->device, own);
	else
		rb_subject_pass(s, "%zu of %zu allowed CPUs are near", here, all);
}

static void irq_numa(struct rb_subject *s)
{
	int64_t count, off, busiest;

	if (!rb_need_int(s, RB_DEVICE, "irqs/count", &count))
		return;
	off = rb_get_int(s, RB_DEVICE, "irqs/off_node", 0);
	busiest = rb_get_int(s, RB_DEVICE, "irqs/busiest_cpu_irqs", 0);
	if (count > 1 && off == count)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"all %" PRId64 " interrupts of %s go to CPUs of another NUMA node (%s)",
				count, s->device, rb_get_text(s, RB_DEVICE, "irqs/cpus"));
	else if (count > 2 && busiest == count)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"all %" PRId64 " interrupts of %s go to CPU %" PRId64,
				count, s->device, rb_get_int(s, RB_DEVICE, "irqs/busiest_cpu", 0));
	else
		rb_subject_pass(s, "%" PRId64 " interrupts, %" PRId64 " far", count, off);
}

/* --- GPUs ------------------------------------------------------------------- */

/* Whether both are below one bridge; below one host bridge at least. */
static bool share_bridge(const json_t *a, const json_t *b)
{
	const char *x = rb_text_at(a, "path/0"), *y = rb_text_at(b, "path/0");

	return *x && !strcmp(x, y);
}

static void numa_gpu(struct rb_subject *s)
{
	const json_t *gpus = rb_need(s, RB_HOST, "gpu/functions"), *gpu;
	const json_t *pci = rb_at(s->doc, "pci");
	size_t i, near = 0, same = 0;

	if (!gpus || !rb_need(s, RB_PCI, "root_bus"))
		return;
	json_array_foreach(gpus, i, gpu) {
		const json_t *one = json_is_string(gpu) ?
			json_object_get(pci, json_string_value(gpu)) : NULL;

		near += share_bridge(s->pciv, one);
		same += !strcmp(rb_text_at(one, "root_bus"),
				rb_get_text(s, RB_PCI, "root_bus"));
	}
	if (!json_array_size(gpus))
		rb_subject_skip(s, "there is no GPU");
	else if (near)
		rb_subject_pass(s, "%zu of %zu GPUs are below the same bridge", near,
				json_array_size(gpus));
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"no GPU is below the same PCIe bridge as %s: GPUDirect crosses the host bridge%s",
				s->device, same ? "" : " and goes from one socket or die to another");
}

#define W RB_SEVERITY_WARNING

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "NUMA-NODE", .scope = RB_SCOPE_DEVICE, .severity = W, .test = numa_node, .on = RB_ON_HARDWARE,
	  .title = "the NUMA node of the NIC is not known", .reads = "/devices/*/numa_node /cpu/sockets",
	  .why = "Nothing can be bound to be near it: the firmware's tables say nothing.",
	  .fix = "BIOS: NUMA nodes per socket, SLIT; newer BIOS",
	  .evidence = "common operational practice" },
	{ .id = "NUMA-BIND", .scope = RB_SCOPE_DEVICE, .severity = W, .test = numa_bind, .on = RB_ON_HARDWARE,
	  .title = "the process runs far from the NIC", .reads = "/devices/*/local_cpus /process/cpus_allowed",
	  .why = "Between sockets 10 to 40% of bandwidth are lost, and latency grows.",
	  .fix = "numactl -N NODE -m NODE COMMAND, with the node of {device}; or a NIC of this node",
	  .evidence = "common operational practice" },
	{ .id = "IRQ-NUMA", .scope = RB_SCOPE_DEVICE, .severity = W, .test = irq_numa, .on = RB_ON_HARDWARE,
	  .title = "interrupts go to far or too few processors", .reads = "/devices/*/irqs",
	  .why = "Matters where completions are waited for by events (-e), not when polling.",
	  .fix = "set_irq_affinity_bynode.sh NODE {netdev}; or irqbalance with a hint",
	  .evidence = "common operational practice" },
	{ .id = "NUMA-GPU", .scope = RB_SCOPE_DEVICE, .severity = W, .test = numa_gpu, .on = RB_ON_HARDWARE,
	  .title = "GPU and NIC are far apart", .reads = "/gpu/functions /pci/*/root_bus",
	  .why = "Below one bridge (PIX, PXB) GPUDirect has full speed; through the host bridge (PHB, NODE, SYS) much less.",
	  .fix = "use the NIC next to the GPU: nvidia-smi topo -m",
	  .evidence = "NVIDIA/nccl#489" },
};
/* clang-format on */

const struct rb_rules rb_rules_numa = { "NUMA", rows, RB_ARRAY_SIZE(rows) };
