/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cpu - what the processors of this host are
 */
#ifndef RB_CPU_H
#define RB_CPU_H

#include <jansson.h>
#include <stdbool.h>

#include "host/cycles.h"

#define RB_CPULIST_TEXT 256 /* a longer list is not told */

struct rb_cpu {
	char model[96];	   /* "" when unknown */
	char vendor[32];   /* "GenuineIntel"; "" when unknown */
	char governor[32]; /* of CPU 0; "" when there is none */
	char allowed[RB_CPULIST_TEXT]; /* CPUs of this process: "0-3,8"; "" when unknown */
	unsigned int online;
	unsigned int numa_nodes; /* 0: unknown */
	unsigned int idle_us;	 /* to wake from the deepest sleep of CPU 0; 0: unknown */
	enum rb_cycles cycles;	 /* whose can be counted */
	bool hypervisor;	 /* this is a virtual machine */
};

void rb_cpu_read(struct rb_cpu *cpu);

/*
 * { model, online, governor, allowed, numa_nodes, idle_us, cycles, hypervisor }; a new
 * reference.
 */
json_t *rb_cpu_json(const struct rb_cpu *cpu);

/*
 * How far memory and devices of NUMA node @node are from the CPU that this thread
 * runs on, as the firmware says: 10 is its own node. 0: unknown.
 */
unsigned int rb_cpu_distance(int node);

/* The same from NUMA node @from. */
unsigned int rb_node_distance(unsigned int from, int node);

/*
 * The next range of a list of the kernel's form, "0-3,8"; false at its end, and
 * where it goes on in another way: *@list is then not empty.
 */
bool rb_cpulist_next(const char **list, unsigned int *first,
		     unsigned int *last);

/* How many processors the list names, and whether @cpu. */
unsigned int rb_cpulist_count(const char *list);
bool rb_cpulist_has(const char *list, unsigned int cpu);

#endif
