/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cores - the processors that threads are placed on
 */
#include "host/cores.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "host/cpu.h"
#include "host/sysfs.h"

#define LIST 4096 /* longest list of processors that is read */

int rb_cores_parse(const char *text, struct rb_cores *cores)
{
	struct rb_cores list = { 0 };
	unsigned int first, last;

	while (rb_cpulist_next(&text, &first, &last)) {
		if (last >= CPU_SETSIZE || last - first >= RB_CORES_MAX - list.n)
			return -EINVAL;
		for (unsigned int i = first; i <= last; i++)
			list.v[list.n++] = i;
	}
	if (*text || !list.n)
		return -EINVAL;
	*cores = list;
	return 0;
}

/* Those that this process may run on, in ascending order. */
static void read_allowed(struct rb_cores *cores)
{
	cpu_set_t set;

	cores->n = 0;
	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (unsigned int i = 0; i < CPU_SETSIZE && cores->n < RB_CORES_MAX; i++)
		if (CPU_ISSET(i, &set))
			cores->v[cores->n++] = i;
}

static bool has(const struct rb_cores *cores, unsigned int core)
{
	for (unsigned int i = 0; i < cores->n; i++)
		if (cores->v[i] == core)
			return true;
	return false;
}

/* The list in a file of sysfs; empty where there is none. */
static void read_list(struct rb_cores *cores, const char *dir,
		      const char *file)
{
	char text[LIST];

	cores->n = 0;
	rb_sysfs_text(text, sizeof(text), "%s/%s", dir, file);
	if (rb_cores_parse(text, cores))
		cores->n = 0;
}

/* Of a physical core's threads, is @core the first that may be used? */
static bool is_first(const struct rb_cores *usable, unsigned int core)
{
	struct rb_cores siblings;
	char dir[64];

	snprintf(dir, sizeof(dir), "devices/system/cpu/cpu%u/topology", core);
	read_list(&siblings, dir, "thread_siblings_list");
	for (unsigned int i = 0; i < siblings.n; i++)
		if (has(usable, siblings.v[i]))
			return siblings.v[i] == core;
	return true;
}

static void keep_near(struct rb_cores *cores, const struct rb_cores *near)
{
	struct rb_cores both = { 0 };

	for (unsigned int i = 0; i < cores->n; i++)
		if (has(near, cores->v[i]))
			both.v[both.n++] = cores->v[i];
	if (both.n)
		*cores = both;
}

void rb_cores_near(const char *ibdev, struct rb_cores *cores)
{
	struct rb_cores near, sorted = { 0 };
	char dir[128];

	read_allowed(cores);
	snprintf(dir, sizeof(dir), "class/infiniband/%.64s/device", ibdev);
	read_list(&near, dir, "local_cpulist");
	keep_near(cores, &near);
	for (int first = 1; first >= 0; first--)
		for (unsigned int i = 0; i < cores->n; i++)
			if (is_first(cores, cores->v[i]) == first)
				sorted.v[sorted.n++] = cores->v[i];
	*cores = sorted;
}

static bool any_in(const struct rb_cores *cores, const char *list)
{
	for (unsigned int i = 0; i < cores->n; i++)
		if (rb_cpulist_has(list, cores->v[i]))
			return true;
	return false;
}

unsigned int rb_cores_distance(const struct rb_cores *cores, int node)
{
	unsigned int from, most = 0;
	struct rb_names names;
	char list[LIST];

	rb_sysfs_list(&names, "devices/system/node");
	for (unsigned int i = 0; i < names.n; i++) {
		if (sscanf(names.v[i], "node%u", &from) != 1 ||
		    rb_sysfs_text(list, sizeof(list),
				  "devices/system/node/node%u/cpulist", from))
			continue;
		if (any_in(cores, list))
			most = RB_MAX(most, rb_node_distance(from, node));
	}
	rb_names_free(&names);
	return most;
}
