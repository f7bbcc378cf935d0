/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * osfacts - the machine and its kernel, namespaces, daemons and sysctls
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "host/cpu.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/host.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define COMM_TEXT 32
#define LINE_TEXT 256

static const struct {
	const char *key, *file;
} host_lines[] = {
	{ "name", "proc/sys/kernel/hostname" },
	{ "kernel", "proc/sys/kernel/osrelease" },
	{ "kernel_build", "proc/sys/kernel/version" },
	{ "machine", "proc/sys/kernel/arch" },
	{ "vendor", "sys/class/dmi/id/sys_vendor" },
	{ "product", "sys/class/dmi/id/product_name" },
	{ "bios_version", "sys/class/dmi/id/bios_version" },
	{ "bios_date", "sys/class/dmi/id/bios_date" },
};

static void put_os(const struct rb_place *host)
{
	char *text, *rest, *line;

	if (rb_file_read(&text, NULL, "etc/os-release"))
		return;
	rest = text;
	while ((line = rb_next_line(&rest))) {
		const char *name = rb_line_value(line, "PRETTY_NAME");

		if (!name)
			continue;
		name += *name == '"';
		line[strcspn(line, "\n")] = '\0';
		if (*name && name[strlen(name) - 1] == '"')
			line[strlen(line) - 1] = '\0';
		rb_fact_value(host->object, "os", rb_report_string(name));
	}
	free(text);
}

static json_t *words_of(char *text)
{
	json_t *list = json_array();
	char *save, *word = strtok_r(text, " \n", &save);

	for (; word; word = strtok_r(NULL, " \n", &save))
		json_array_append_new(list, rb_report_string(word));
	return list;
}

static void put_boot_options(const struct rb_place *host)
{
	char *text;
	int err = rb_file_read(&text, NULL, "proc/cmdline");

	rb_place_failed(host, "boot_options", "/proc/cmdline", err);
	if (err)
		return;
	rb_fact_value(host->object, "boot_options", words_of(text));
	free(text);
}

/* What says that this process is in a container, and what kind. */
static const struct {
	const char *file, *kind;
} container_signs[] = {
	{ ".dockerenv", "docker" },
	{ "run/.containerenv", "podman" },
	{ "var/run/secrets/kubernetes.io/serviceaccount/namespace",
	  "kubernetes" },
};

static void put_container(const struct rb_place *host)
{
	char line[LINE_TEXT];

	for (size_t i = 0; i < RB_ARRAY_SIZE(container_signs); i++)
		if (!rb_file_line(line, sizeof(line), "%s",
				  container_signs[i].file))
			rb_fact_text(host->object, "container",
				     container_signs[i].kind);
}

struct namespace_row {
	const char *key, *file;
};

static const struct namespace_row namespaces[] = {
	{ "net", "proc/self/ns/net" }, { "net_init", "proc/1/ns/net" },
	{ "pid", "proc/self/ns/pid" }, { "user", "proc/self/ns/user" },
	{ "mnt", "proc/self/ns/mnt" },
};

/* "net:[4026531840]" */
static void put_namespace(const struct rb_place *to,
			  const struct namespace_row *row)
{
	char target[COMM_TEXT], source[COMM_TEXT];
	int err = rb_file_link(target, sizeof(target), "%s", row->file);
	const char *number = strchr(target, '[');

	snprintf(source, sizeof(source), "/%s", row->file);
	rb_place_failed(to, row->key, source, err);
	if (!err && number)
		rb_fact_number(to->object, row->key,
			       strtoull(number + 1, NULL, 10));
}

static void put_namespaces(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "namespaces");
	const json_t *net, *init;

	for (size_t i = 0; i < RB_ARRAY_SIZE(namespaces); i++)
		put_namespace(&to, &namespaces[i]);
	net = json_object_get(to.object, "net");
	init = json_object_get(to.object, "net_init");
	if (net && init)
		rb_fact_value(to.object, "initial_net",
			      json_boolean(json_equal(net, init)));
	rb_place_leave(doc, "namespaces");
}

void rb_snap_host(const struct rb_place *doc)
{
	struct rb_place host = rb_place_enter(doc, "host");
	struct rb_host here;
	struct rb_cpu cpu;

	for (size_t i = 0; i < RB_ARRAY_SIZE(host_lines); i++)
		rb_place_text(&host, host_lines[i].key, "%s",
			      host_lines[i].file);
	/* a file only since Linux 6.1 */
	rb_host_read(&here);
	if (!json_object_get(host.object, "machine") && !rb_root_recorded())
		rb_fact_text(host.object, "machine", here.machine);
	put_os(&host);
	put_boot_options(&host);
	put_container(&host);
	rb_cpu_read(&cpu);
	rb_fact_value(host.object, "hypervisor", json_boolean(cpu.hypervisor));
	put_namespaces(doc);
}

/* Daemons that set something up, or that something waits for. */
static const char *const daemons[] = {
	"iwpmd",
	"irqbalance",
	"lldpad",
	"lldpd",
	"opensm",
	"firewalld",
	"tuned",
	"ibacm",
	"rdma-ndd",
	"srp_daemon",
	"nv-fabricmanager",
	"nvidia-persiste",
	"dcbd",
	"mlnx_tune",
	"NetworkManager",
	"systemd-network",
	"rasdaemon",
};

void rb_snap_services(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "services");
	struct rb_names names;
	int err = rb_file_list(&names, "proc");

	rb_place_failed(doc, "services", "/proc", err);
	for (size_t d = 0; d < RB_ARRAY_SIZE(daemons) && !err; d++)
		rb_fact_value(to.object, daemons[d], json_false());
	for (unsigned int i = 0; i < names.n; i++) {
		char comm[COMM_TEXT];

		if (!strspn(names.v[i], "0123456789") ||
		    rb_file_line(comm, sizeof(comm), "proc/%s/comm",
				 names.v[i]))
			continue;
		for (size_t d = 0; d < RB_ARRAY_SIZE(daemons); d++)
			if (!strcmp(comm, daemons[d]))
				rb_fact_value(to.object, comm, json_true());
	}
	rb_names_free(&names);
	rb_place_leave(doc, "services");
}

static const char *const sysctls[] = {
	"net/ipv4/conf/all/rp_filter",
	"net/ipv4/conf/default/rp_filter",
	"net/ipv4/conf/all/arp_ignore",
	"net/ipv4/conf/all/arp_announce",
	"net/ipv4/conf/all/arp_filter",
	"net/ipv4/conf/all/accept_local",
	"net/ipv4/ip_forward",
	"net/ipv4/neigh/default/gc_thresh1",
	"net/ipv4/neigh/default/gc_thresh2",
	"net/ipv4/neigh/default/gc_thresh3",
	"net/ipv6/neigh/default/gc_thresh3",
	"net/ipv4/ip_local_port_range",
	"net/ipv4/tcp_rmem",
	"net/ipv4/tcp_wmem",
	"net/core/rmem_max",
	"net/core/wmem_max",
	"net/core/netdev_max_backlog",
	"net/ipv6/conf/all/disable_ipv6",
	"kernel/numa_balancing",
	"kernel/shmmni",
	"kernel/shmmax",
	"kernel/pid_max",
	"kernel/dmesg_restrict",
	"kernel/sched_rt_runtime_us",
	"kernel/tainted",
	"vm/overcommit_memory",
	"vm/nr_hugepages",
	"vm/max_map_count",
	"vm/swappiness",
	"vm/zone_reclaim_mode",
	"vm/compaction_proactiveness",
	"fs/file-max",
	"fs/nr_open",
};

void rb_snap_sysctl(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "sysctl");

	for (size_t i = 0; i < RB_ARRAY_SIZE(sysctls); i++) {
		char name[LINE_TEXT], text[LINE_TEXT], file[2 * LINE_TEXT];
		int err = rb_file_line(text, sizeof(text), "proc/sys/%s",
				       sysctls[i]);

		for (size_t c = 0; c <= strlen(sysctls[i]); c++)
			name[c] = (char)(sysctls[i][c] == '/' ? '.'
							      : sysctls[i][c]);
		snprintf(file, sizeof(file), "/proc/sys/%s", sysctls[i]);
		rb_place_failed(&to, name, file, err);
		if (!err)
			rb_fact_value(to.object, name, rb_value_json(text));
	}
	rb_place_leave(doc, "sysctl");
}
