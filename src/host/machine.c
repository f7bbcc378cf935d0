/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * machine - processors, memory and NUMA nodes for a snapshot
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "host/cpu.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define CPU "devices/system/cpu"
#define NODE "devices/system/node"
#define BYTES_PER_KB 1024
#define WORD_TEXT 64

/* Whether @name is @stem and a number. */
static bool is_numbered(const char *name, const char *stem)
{
	size_t n = strlen(stem);

	return !strncmp(name, stem, n) && isdigit((unsigned char)name[n]);
}

/* Count the governors and the sockets of all processors that are online. */
static void count_processors(const struct rb_place *to)
{
	struct rb_place governors = rb_place_enter(to, "governors");
	uint64_t sockets = 0;
	struct rb_names names;

	rb_sysfs_list(&names, CPU);
	for (unsigned int i = 0; i < names.n; i++) {
		char text[WORD_TEXT];
		uint64_t package;

		if (!is_numbered(names.v[i], "cpu"))
			continue;
		if (!rb_sysfs_text(text, sizeof(text),
				   CPU "/%s/cpufreq/scaling_governor",
				   names.v[i])) {
			json_int_t n = json_integer_value(
				json_object_get(governors.object, text));

			json_object_set_new(governors.object, text,
					    json_integer(n + 1));
		}
		if (!rb_sysfs_u64(&package,
				  CPU "/%s/topology/physical_package_id",
				  names.v[i]))
			sockets = RB_MAX(sockets, package + 1);
	}
	rb_names_free(&names);
	rb_fact_uint(to->object, "sockets", sockets);
	rb_place_leave(to, "governors");
}

static void put_idle_states(const struct rb_place *to)
{
	json_t *list = json_array();
	struct rb_names names;

	rb_sysfs_list(&names, CPU "/cpu0/cpuidle");
	for (unsigned int i = 0; i < names.n; i++) {
		char text[WORD_TEXT];
		uint64_t latency, disabled;
		json_t *state;

		if (!is_numbered(names.v[i], "state") ||
		    rb_sysfs_text(text, sizeof(text),
				  CPU "/cpu0/cpuidle/%s/name", names.v[i]))
			continue;
		state = json_pack("{s:o}", "name", rb_report_string(text));
		if (!rb_sysfs_u64(&latency, CPU "/cpu0/cpuidle/%s/latency",
				  names.v[i]))
			rb_fact_number(state, "latency_us", latency);
		if (!rb_sysfs_u64(&disabled, CPU "/cpu0/cpuidle/%s/disable",
				  names.v[i]))
			rb_fact_value(state, "disabled",
				      json_boolean(disabled));
		json_array_append_new(list, state);
	}
	rb_names_free(&names);
	if (json_array_size(list))
		rb_fact_value(to->object, "idle_states", list);
	else
		json_decref(list);
}

/* intel_pstate says no_turbo, the others say boost. */
static void put_turbo(const struct rb_place *to)
{
	uint64_t v;

	if (!rb_sysfs_u64(&v, CPU "/intel_pstate/no_turbo"))
		rb_fact_value(to->object, "turbo", json_boolean(!v));
	else if (!rb_sysfs_u64(&v, CPU "/cpufreq/boost"))
		rb_fact_value(to->object, "turbo", json_boolean(v));
}

/*
 * Reading asks for nothing: the request of a descriptor begins with a write
 * (Documentation/power/pm_qos_interface). 2000 s is what it holds when nobody
 * has a wish.
 */
static void put_dma_latency(const struct rb_place *to)
{
	const int32_t nobody = 2000 * 1000 * 1000;
	int32_t latency;
	size_t size;
	char *data;
	int err = rb_file_read(&data, &size, "dev/cpu_dma_latency");

	rb_place_failed(to, "dma_latency_us", "/dev/cpu_dma_latency", err);
	if (err)
		return;
	if (size == sizeof(latency)) {
		memcpy(&latency, data, sizeof(latency));
		if (latency >= 0 && latency < nobody)
			rb_fact_number(to->object, "dma_latency_us",
				       (uint64_t)latency);
	}
	free(data);
}

static unsigned int count_online(const struct rb_place *to)
{
	const char *list =
		json_string_value(json_object_get(to->object, "online"));

	return list ? rb_cpulist_count(list) : 0;
}

void rb_snap_cpu(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "cpu");
	struct rb_cpu cpu;
	uint64_t v;

	rb_cpu_read(&cpu);
	if (cpu.model[0])
		rb_fact_value(to.object, "model", rb_report_string(cpu.model));
	if (cpu.vendor[0])
		rb_fact_value(to.object, "vendor", rb_report_string(cpu.vendor));
	rb_place_text(&to, "online", "sys/" CPU "/online");
	rb_fact_uint(to.object, "count", count_online(&to));
	rb_place_text(&to, "isolated", "sys/" CPU "/isolated");
	rb_place_text(&to, "frequency_driver",
		      "sys/" CPU "/cpu0/cpufreq/scaling_driver");
	rb_place_text(&to, "idle_driver", "sys/" CPU "/cpuidle/current_driver");
	if (!rb_sysfs_u64(&v, CPU "/smt/active"))
		rb_fact_value(to.object, "smt", json_boolean(v));
	count_processors(&to);
	put_turbo(&to);
	put_idle_states(&to);
	put_dma_latency(&to);
}

/* Pools of huge pages in @folder: "hugepages-2048kB". */
static void put_hugepages(const struct rb_place *to, const char *folder)
{
	static const char stem[] = "hugepages-";
	struct rb_place pools = rb_place_enter(to, "hugepages");
	struct rb_names names;

	rb_sysfs_list(&names, "%s", folder);
	for (unsigned int i = 0; i < names.n; i++) {
		uint64_t total, available;
		char key[WORD_TEXT];

		if (!is_numbered(names.v[i], stem) ||
		    rb_sysfs_u64(&total, "%s/%s/nr_hugepages", folder,
				 names.v[i]) ||
		    rb_sysfs_u64(&available, "%s/%s/free_hugepages", folder,
				 names.v[i]))
			continue;
		snprintf(key, sizeof(key), "%llu",
			 strtoull(names.v[i] + sizeof(stem) - 1, NULL, 10) *
				 BYTES_PER_KB);
		json_object_set_new(pools.object, key,
				    json_pack("{s:I, s:I}", "total",
					      (json_int_t)total, "free",
					      (json_int_t)available));
	}
	rb_names_free(&names);
	rb_place_leave(to, "hugepages");
}

struct size_row {
	const char *name, *key;
};

static const struct size_row memory_rows[] = {
	{ "MemTotal", "total_bytes" },
	{ "MemAvailable", "available_bytes" },
	{ "SwapTotal", "swap_total_bytes" },
	{ "SwapFree", "swap_free_bytes" },
};

static const struct size_row node_rows[] = {
	{ "MemTotal", "memory_bytes" },
	{ "MemFree", "free_bytes" },
};

/* Lines "NAME:  N kB"; those of a node have "Node 0 " in front. */
static void put_sizes(const struct rb_place *to, char *text,
		      const struct size_row *rows, size_t n)
{
	char *line;

	while ((line = rb_next_line(&text))) {
		if (!strncmp(line, "Node ", 5)) {
			line += 5;
			line += strspn(line, "0123456789 ");
		}
		for (size_t i = 0; i < n; i++) {
			const char *value = rb_line_value(line, rows[i].name);

			if (value)
				rb_fact_number(to->object, rows[i].key,
					       strtoull(value, NULL, 10) *
						       BYTES_PER_KB);
		}
	}
}

static void put_node(const struct rb_place *numa, const char *name)
{
	struct rb_place to = rb_place_enter(numa, name + strlen("node"));
	char text[WORD_TEXT * 8], folder[WORD_TEXT * 2], *all, *end;
	json_t *distances = json_array();
	const char *p = text;

	snprintf(folder, sizeof(folder), NODE "/%.32s/hugepages", name);
	rb_place_text(&to, "cpus", "sys/" NODE "/%s/cpulist", name);
	if (!rb_file_read(&all, NULL, "sys/" NODE "/%s/meminfo", name)) {
		put_sizes(&to, all, node_rows, RB_ARRAY_SIZE(node_rows));
		free(all);
	}
	rb_sysfs_text(text, sizeof(text), NODE "/%s/distance", name);
	for (; *p; p = end) {
		unsigned long distance = strtoul(p, &end, 10);

		if (end == p)
			break;
		json_array_append_new(distances,
				      json_integer((json_int_t)distance));
	}
	rb_fact_value(to.object, "distances", distances);
	put_hugepages(&to, folder);
}

/* "always [madvise] never" */
static void put_transparent(const struct rb_place *to)
{
	char text[WORD_TEXT], *open, *close;

	if (rb_sysfs_text(text, sizeof(text),
			  "kernel/mm/transparent_hugepage/enabled"))
		return;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = '\0';
	rb_fact_text(to->object, "transparent_hugepages", open + 1);
}

static void put_nodes(const struct rb_place *doc)
{
	struct rb_place numa = rb_place_enter(doc, "numa");
	struct rb_names names;

	rb_sysfs_list(&names, NODE);
	for (unsigned int i = 0; i < names.n; i++)
		if (is_numbered(names.v[i], "node"))
			put_node(&numa, names.v[i]);
	rb_names_free(&names);
	rb_place_leave(doc, "numa");
}

void rb_snap_memory(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "memory");
	char *text;
	int err = rb_file_read(&text, NULL, "proc/meminfo");

	rb_place_failed(doc, "memory", "/proc/meminfo", err);
	if (!err) {
		put_sizes(&to, text, memory_rows, RB_ARRAY_SIZE(memory_rows));
		free(text);
	}
	put_transparent(&to);
	put_hugepages(&to, "kernel/mm/hugepages");
	rb_place_leave(doc, "memory");
	put_nodes(doc);
}
