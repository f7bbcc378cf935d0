/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cpu - what the processors of this host are
 */
#include "host/cpu.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/facts.h"
#include "host/files.h"
#include "host/sysfs.h"

#define CPUINFO_LINE 4096 /* the list of flags is the longest line */
#define IDLE "devices/system/cpu/cpu0/cpuidle"
#define NODE "devices/system/node"
#define CPUS_MOST (1u << 16) /* beyond any kernel's NR_CPUS */
#define DISTANCES 4096 /* of all nodes, in one line */

/* The value of "KEY : VALUE", or NULL when @line has another key. */
static const char *value_of(char *line, const char *key)
{
	size_t n = strlen(key);
	char *colon = strchr(line, ':');

	if (!colon || strncmp(line, key, n) || !isspace((unsigned char)line[n]))
		return NULL;
	colon[strcspn(colon, "\n")] = '\0';
	return colon[1] == ' ' ? colon + 2 : colon + 1;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += n)
		if ((p == text || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

/* The first processor stands for all. */
static void read_cpuinfo(struct rb_cpu *cpu)
{
	char line[CPUINFO_LINE], path[RB_FILE_PATH];
	const char *value;
	FILE *in;

	if (rb_root_path(path, "proc/cpuinfo"))
		return;
	in = fopen(path, "re");
	if (!in)
		return;
	while (fgets(line, sizeof(line), in) && line[0] != '\n') {
		if ((value = value_of(line, "model name")))
			snprintf(cpu->model, sizeof(cpu->model), "%s", value);
		else if ((value = value_of(line, "vendor_id")))
			snprintf(cpu->vendor, sizeof(cpu->vendor), "%s", value);
		else if ((value = value_of(line, "flags")))
			cpu->hypervisor = has_word(value, "hypervisor");
	}
	fclose(in);
}

static void read_allowed(struct rb_cpu *cpu)
{
	char *text, *rest, *line;
	const char *value;

	if (rb_file_read(&text, NULL, "proc/self/status"))
		return;
	rest = text;
	while ((line = rb_next_line(&rest)))
		if ((value = rb_line_value(line, "Cpus_allowed_list")) &&
		    strlen(value) < sizeof(cpu->allowed))
			snprintf(cpu->allowed, sizeof(cpu->allowed), "%s", value);
	free(text);
}

static unsigned int count_nodes(void)
{
	struct rb_names names;
	unsigned int n = 0;

	rb_sysfs_list(&names, NODE);
	for (unsigned int i = 0; i < names.n; i++)
		n += !strncmp(names.v[i], "node", 4) &&
		     isdigit((unsigned char)names.v[i][4]);
	rb_names_free(&names);
	return n;
}

/* The deepest state that is allowed, by how long it takes to leave it. */
static unsigned int read_idle(void)
{
	uint64_t latency, disabled, most = 0;
	struct rb_names names;

	rb_sysfs_list(&names, IDLE);
	for (unsigned int i = 0; i < names.n; i++)
		if (!rb_sysfs_u64(&latency, IDLE "/%s/latency", names.v[i]) &&
		    (rb_sysfs_u64(&disabled, IDLE "/%s/disable", names.v[i]) ||
		     !disabled))
			most = RB_MAX(most, latency);
	rb_names_free(&names);
	return (unsigned int)RB_MIN(most, (uint64_t)UINT32_MAX);
}

unsigned int rb_node_distance(unsigned int from, int node)
{
	char text[DISTANCES];
	const char *p = text;

	if (node < 0 ||
	    rb_sysfs_text(text, sizeof(text), NODE "/node%u/distance", from))
		return 0;
	for (; node > 0 && *p; node--) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return (unsigned int)strtoul(p, NULL, 10);
}

unsigned int rb_cpu_distance(int node)
{
	unsigned int cpu, here;

	return getcpu(&cpu, &here) ? 0 : rb_node_distance(here, node);
}

void rb_cpu_read(struct rb_cpu *cpu)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	memset(cpu, 0, sizeof(*cpu));
	read_cpuinfo(cpu);
	cpu->online = online > 0 ? (unsigned int)online : 0;
	rb_sysfs_text(cpu->governor, sizeof(cpu->governor),
		      "devices/system/cpu/cpu0/cpufreq/scaling_governor");
	read_allowed(cpu);
	cpu->numa_nodes = count_nodes();
	cpu->idle_us = read_idle();
	cpu->cycles = rb_cycles_can();
}

json_t *rb_cpu_json(const struct rb_cpu *cpu)
{
	json_t *object = json_object();

	rb_fact_text(object, "model", cpu->model);
	rb_fact_uint(object, "online", cpu->online);
	rb_fact_text(object, "governor", cpu->governor);
	rb_fact_text(object, "allowed", cpu->allowed);
	rb_fact_uint(object, "numa_nodes", cpu->numa_nodes);
	rb_fact_uint(object, "idle_us", cpu->idle_us);
	rb_fact_text(object, "cycles",
		     cpu->cycles == RB_CYCLES_ALL  ? "user and kernel" :
		     cpu->cycles == RB_CYCLES_USER ? "user" :
						     "");
	json_object_set_new(object, "hypervisor",
			    json_boolean(cpu->hypervisor));
	return object;
}

bool rb_cpulist_next(const char **list, unsigned int *first,
		     unsigned int *last)
{
	unsigned long from, to;
	char *end;

	if (!isdigit((unsigned char)**list))
		return false;
	from = to = strtoul(*list, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		to = strtoul(end + 1, &end, 10);
	if (to < from || to >= CPUS_MOST)
		return false;
	*list = end + (*end == ',' && isdigit((unsigned char)end[1]));
	*first = (unsigned int)from;
	*last = (unsigned int)to;
	return true;
}

unsigned int rb_cpulist_count(const char *list)
{
	unsigned int first, last, n = 0;

	while (rb_cpulist_next(&list, &first, &last))
		n += last - first + 1;
	return n;
}

bool rb_cpulist_has(const char *list, unsigned int cpu)
{
	unsigned int first, last;

	while (rb_cpulist_next(&list, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}
