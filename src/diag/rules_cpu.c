/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_cpu - rules: processors and memory
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"

#define WAKE_SLOW 50 /* us to leave an idle state */
#define SHMMNI_USUAL 4096

static void cpu_gov(struct rb_subject *s)
{
	const json_t *governors = rb_need(s, RB_HOST, "cpu/governors");
	const char *name;
	json_t *count;

	if (!governors)
		return;
	json_object_foreach((json_t *)(uintptr_t)governors, name, count)
		if (strcmp(name, "performance")) {
			rb_subject_fail(s, RB_SEVERITY_WARNING,
					"the frequency of %" JSON_INTEGER_FORMAT " processors is governed by '%s'",
					json_integer_value(count), name);
			return;
		}
	rb_subject_pass(s, "all processors run at full speed");
}

static void cpu_cstate(struct rb_subject *s)
{
	const json_t *states = rb_need(s, RB_HOST, "cpu/idle_states"), *state;
	int64_t deepest = 0, held = rb_get_int(s, RB_HOST, "cpu/dma_latency_us", -1);
	const char *name = "";
	size_t i;

	if (!states)
		return;
	json_array_foreach(states, i, state) {
		int64_t latency = rb_int_at(state, "latency_us", 0);

		if (json_is_true(json_object_get(state, "disabled")) ||
		    latency <= deepest || (held >= 0 && latency > held))
			continue;
		deepest = latency;
		name = rb_text_at(state, "name");
	}
	if (deepest > WAKE_SLOW)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"an idle processor may sleep in %s, and takes %" PRId64 " us to wake",
				name, deepest);
	else
		rb_subject_pass(s, "no processor takes longer than %" PRId64 " us to wake",
				deepest);
}

static void irqbalance(struct rb_subject *s)
{
	bool runs;

	if (!rb_need_flag(s, RB_HOST, "services/irqbalance", &runs))
		return;
	if (runs)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"irqbalance runs, and moves interrupts while something is measured");
	else
		rb_subject_pass(s, "irqbalance does not run");
}

static void numa_bal(struct rb_subject *s)
{
	int64_t value;

	if (!rb_need_int(s, RB_HOST, "sysctl/kernel.numa_balancing", &value) ||
	    rb_unreadable(s, RB_HOST, "numa"))
		return;
	if (value && json_object_size(rb_at(s->doc, "numa")) > 1)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the kernel moves pages between NUMA nodes (numa_balancing %" PRId64 ")",
				value);
	else
		rb_subject_pass(s, "pages stay where they are");
}

static void huge(struct rb_subject *s)
{
	const json_t *sizes = rb_need(s, RB_HOST, "memory/hugepages"), *set;
	int64_t total = 0, left = 0;
	const char *size;

	if (!sizes)
		return;
	json_object_foreach((json_t *)(uintptr_t)sizes, size, set) {
		total += rb_int_at(set, "total", 0);
		left += rb_int_at(set, "free", 0);
	}
	if (total > 0 && !left)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"all %" PRId64 " huge pages are in use", total);
	else
		rb_subject_pass(s, "%" PRId64 " of %" PRId64 " huge pages are free",
				left, total);
}

static void shmmni(struct rb_subject *s)
{
	const json_t *sizes = rb_get(s, RB_HOST, "memory/hugepages"), *set;
	int64_t value, total = 0;
	const char *size;

	if (!rb_need_int(s, RB_HOST, "sysctl/kernel.shmmni", &value) ||
	    rb_unreadable(s, RB_HOST, "memory/hugepages"))
		return;
	json_object_foreach((json_t *)(uintptr_t)sizes, size, set)
		total += rb_int_at(set, "total", 0);
	if (value <= SHMMNI_USUAL && total > SHMMNI_USUAL)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"there are %" PRId64 " huge pages, and no more than %" PRId64 " segments of shared memory (kernel.shmmni)",
				total, value);
	else
		rb_subject_pass(s, "enough segments of shared memory");
}

static void thp(struct rb_subject *s)
{
	const char *mode = rb_need_text(s, RB_HOST, "memory/transparent_hugepages");

	if (!mode)
		return;
	if (!strcmp(mode, "always"))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"transparent huge pages are made for everybody ('always')");
	else
		rb_subject_pass(s, "transparent huge pages: %s", mode);
}

static void swap(struct rb_subject *s)
{
	int64_t total, left;

	if (!rb_need_int(s, RB_HOST, "memory/swap_total_bytes", &total) ||
	    rb_unreadable(s, RB_HOST, "memory/swap_free_bytes"))
		return;
	left = rb_get_int(s, RB_HOST, "memory/swap_free_bytes", total);
	if (total > 0 && left < total / 2)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"more than half of the swap space is in use: memory is short");
	else
		rb_subject_pass(s, "the host does not swap");
}

static void isolated(struct rb_subject *s)
{
	const char *list = rb_get_text(s, RB_HOST, "cpu/isolated");
	const char *allowed = rb_need_text(s, RB_HOST, "process/cpus_allowed");

	if (!allowed || rb_unreadable(s, RB_HOST, "cpu/isolated"))
		return;
	if (*list && !strcmp(list, allowed))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"this process may run on isolated CPUs only (%s): the scheduler does not spread threads over them",
				list);
	else
		rb_subject_pass(s, *list ? "CPUs %s are isolated" : "no CPU is isolated%s",
				list);
}

#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "CPU-GOV", .scope = RB_SCOPE_HOST, .severity = W, .test = cpu_gov,
	  .title = "processors are not at full speed", .reads = "/cpu/governors",
	  .why = "A governor other than 'performance' lowers the clock of processors that wait: latency grows and differs from run to run.",
	  .fix = "cpupower frequency-set -g performance", .evidence = "common operational practice" },
	{ .id = "CPU-CSTATE", .scope = RB_SCOPE_HOST, .severity = W, .test = cpu_cstate,
	  .title = "processors sleep deeply", .reads = "/cpu/idle_states",
	  .why = "What waits for an event pays the wake-up time; the uncore sleeps too and delays the NIC's transfers.",
	  .fix = "cpupower idle-set -D 50; or hold /dev/cpu_dma_latency open (tuned-adm profile network-latency)", .evidence = "common operational practice" },
	{ .id = "IRQBALANCE", .scope = RB_SCOPE_HOST, .severity = I, .test = irqbalance,
	  .title = "irqbalance runs", .reads = "/services/irqbalance",
	  .why = "It moves interrupts between processors, also away from the NIC's node.",
	  .fix = "systemctl stop irqbalance, while measuring", .evidence = "common operational practice" },
	{ .id = "NUMA-BAL", .scope = RB_SCOPE_HOST, .severity = W, .test = numa_bal,
	  .title = "pages are moved between NUMA nodes", .reads = "/sysctl /numa",
	  .why = "Automatic NUMA balancing unmaps pages to see who uses them; pinned ones cannot be moved, and on-demand paging faults again and again.",
	  .fix = "sysctl -w kernel.numa_balancing=0", .evidence = "common operational practice" },
	{ .id = "HUGE", .scope = RB_SCOPE_HOST, .severity = I, .test = huge,
	  .title = "no huge page is free", .reads = "/memory/hugepages",
	  .why = "What asks for huge pages fails.",
	  .fix = "echo N > /proc/sys/vm/nr_hugepages", .evidence = "linux-rdma/perftest#395" },
	{ .id = "SHMMNI", .scope = RB_SCOPE_HOST, .severity = I, .test = shmmni,
	  .title = "few segments of shared memory", .reads = "/sysctl /memory/hugepages",
	  .why = "perftest takes a segment of shared memory for each region on huge pages (--use_hugepages --mr_per_qp): \"Failed to allocate hugepages\" with pages free.",
	  .fix = "sysctl -w kernel.shmmni=32768", .evidence = "linux-rdma/perftest#395" },
	{ .id = "THP", .scope = RB_SCOPE_HOST, .severity = I, .test = thp,
	  .title = "transparent huge pages for everybody", .reads = "/memory/transparent_hugepages",
	  .why = "The kernel compacts memory in the background: latency has outliers.",
	  .fix = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled", .evidence = "common operational practice" },
	{ .id = "SWAP", .scope = RB_SCOPE_HOST, .severity = I, .test = swap,
	  .title = "the host swaps", .reads = "/memory/swap_total_bytes /memory/swap_free_bytes",
	  .why = "Registered memory is never swapped; what is not registered is, and takes its time.",
	  .fix = "free memory, or swapoff -a", .evidence = "common operational practice" },
	{ .id = "ISOL", .scope = RB_SCOPE_HOST, .severity = I, .test = isolated,
	  .title = "only isolated CPUs", .reads = "/cpu/isolated /process/cpus_allowed",
	  .why = "On isolated CPUs threads stay where they were started: two that poll share one.",
	  .fix = "bind each thread: taskset -c CPU", .evidence = "kernel-parameters.txt, isolcpus" },
};
/* clang-format on */

const struct rb_rules rb_rules_cpu = { "Processors and memory", rows,
				       RB_ARRAY_SIZE(rows) };
