/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * procself - this process: limits, capabilities, processors, environment,
 * cgroup
 */
#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"

#define BYTES_PER_KB 1024
#define WORD_TEXT 32
#define FILE_TEXT 512

static json_t *limit_json(const char *word)
{
	if (!strcmp(word, "unlimited") || !strcmp(word, "max"))
		return json_string("unlimited");
	return json_integer((json_int_t)strtoull(word, NULL, 10));
}

static const struct {
	const char *key, *name;
} limits[] = {
	{ "memlock_bytes", "Max locked memory" },
	{ "open_files", "Max open files" },
	{ "processes", "Max processes" },
	{ "address_space_bytes", "Max address space" },
	{ "stack_bytes", "Max stack size" },
};

static void put_limit(const struct rb_place *to, const char *line)
{
	char soft[WORD_TEXT], hard[WORD_TEXT];

	for (size_t i = 0; i < RB_ARRAY_SIZE(limits); i++) {
		size_t n = strlen(limits[i].name);

		if (strncmp(line, limits[i].name, n) || line[n] != ' ' ||
		    sscanf(line + n, "%31s %31s", soft, hard) != 2)
			continue;
		rb_fact_value(to->object, limits[i].key,
			      json_pack("{s:o, s:o}", "soft", limit_json(soft),
					"hard", limit_json(hard)));
	}
}

static void put_limits(const struct rb_place *process)
{
	struct rb_place to = rb_place_enter(process, "limits");
	char *text, *rest, *line;
	int err = rb_file_read(&text, NULL, "proc/self/limits");

	rb_place_failed(process, "limits", "/proc/self/limits", err);
	rest = err ? NULL : text;
	while ((line = rb_next_line(&rest)))
		put_limit(&to, line);
	if (!err)
		free(text);
	rb_place_leave(process, "limits");
}

static bool has_capability(uint64_t set, unsigned int capability)
{
	return set >> capability & 1;
}

static void put_capabilities(const struct rb_place *to, const char *text)
{
	uint64_t set = strtoull(text, NULL, 16);
	char hex[WORD_TEXT];

	snprintf(hex, sizeof(hex), "0x%016llx", (unsigned long long)set);
	rb_fact_text(to->object, "capabilities", hex);
	rb_fact_value(to->object, "ipc_lock",
		      json_boolean(has_capability(set, CAP_IPC_LOCK)));
	rb_fact_value(to->object, "net_admin",
		      json_boolean(has_capability(set, CAP_NET_ADMIN)));
	rb_fact_value(to->object, "sys_admin",
		      json_boolean(has_capability(set, CAP_SYS_ADMIN)));
}

static void put_status_line(const struct rb_place *to, const char *line)
{
	const char *value;

	if ((value = rb_line_value(line, "Uid")))
		/* real, effective, saved, file system */
		rb_fact_number(to->object, "uid", strtoull(value, NULL, 10));
	else if ((value = rb_line_value(line, "CapEff")))
		put_capabilities(to, value);
	else if ((value = rb_line_value(line, "Cpus_allowed_list")))
		rb_fact_text(to->object, "cpus_allowed", value);
	else if ((value = rb_line_value(line, "Mems_allowed_list")))
		rb_fact_text(to->object, "mems_allowed", value);
	else if ((value = rb_line_value(line, "VmLck")))
		rb_fact_number(to->object, "locked_bytes",
			       strtoull(value, NULL, 10) * BYTES_PER_KB);
	else if ((value = rb_line_value(line, "VmPin")))
		rb_fact_number(to->object, "pinned_bytes",
			       strtoull(value, NULL, 10) * BYTES_PER_KB);
}

void rb_snap_process(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "process");
	char *text, *rest, *line;
	int err = rb_file_read(&text, NULL, "proc/self/status");

	rb_place_failed(doc, "process", "/proc/self/status", err);
	rest = err ? NULL : text;
	while ((line = rb_next_line(&rest)))
		put_status_line(&to, line);
	if (!err)
		free(text);
	put_limits(&to);
}

/* The beginnings of names of variables that RDMA software reads. */
static const char *const variables[] = {
	"RDMAV_",   "IBV_",	 "MLX4_",	 "MLX5_",  "BNXT_RE_",
	"EFA_",	    "NCCL_",	 "RCCL_",	 "UCX_",   "UCT_",
	"FI_",	    "OMPI_MCA_", "PMIX_MCA_",	 "PSM",	   "HFI_",
	"NVSHMEM_", "MC_",	 "GLOO_",	 "SHARP_", "HCOLL_",
	"MV2_",	    "I_MPI_",	 "CUDA_VISIBLE", "HIP_",   "HSA_",
	"RBENCH_",  "IB_",	 "MALLOC_MMAP",	 "DAPL_",  "TORCH_NCCL_",
};

/* Those that hold what nobody should find in a file that is sent around. */
static bool is_secret(const char *name)
{
	static const char *const words[] = { "KEY", "TOKEN", "SECRET", "PASS",
					     "CRED" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static void put_variable(const struct rb_place *to, char *variable)
{
	char *value = strchr(variable, '=');

	if (!value)
		return;
	*value++ = '\0';
	for (size_t i = 0; i < RB_ARRAY_SIZE(variables); i++) {
		if (strncmp(variable, variables[i], strlen(variables[i])))
			continue;
		json_object_set_new(to->object, variable,
				    rb_report_string(is_secret(variable)
							 ? "(not shown)"
							 : value));
		return;
	}
}

void rb_snap_environment(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "environment");
	size_t size;
	char *text;
	int err = rb_file_read(&text, &size, "proc/self/environ");

	rb_place_failed(doc, "environment", "/proc/self/environ", err);
	if (!err) {
		for (size_t i = 0; i < size;) {
			size_t n = strlen(text + i) + 1;

			put_variable(&to, text + i);
			i += n;
		}
		free(text);
	}
	rb_place_leave(doc, "environment");
}

/* "mlx5_0 hca_handle=2 hca_object=max" */
static void put_rdma_line(const struct rb_place *rdma, const char *which,
			  char *line)
{
	char *save, *word = strtok_r(line, " ", &save);
	struct rb_place device, to;
	const char *name = word;

	if (!word)
		return;
	device = rb_place_enter(rdma, name);
	to = rb_place_enter(&device, which);
	while ((word = strtok_r(NULL, " ", &save))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(word, "hca_handle") || !strcmp(word, "hca_object"))
			rb_fact_value(to.object, word, limit_json(value));
	}
	rb_place_leave(&device, which);
	rb_place_leave(rdma, name);
}

static void put_rdma_file(const struct rb_place *cgroup, const char *folder,
			  const char *which)
{
	struct rb_place rdma = rb_place_enter(cgroup, "rdma");
	char *text, *rest, *line, path[FILE_TEXT];
	int err = rb_file_read(&text, NULL, "%s/rdma.%s", folder, which);

	snprintf(path, sizeof(path), "/%s/rdma.%s", folder, which);
	rb_place_failed(cgroup, "rdma", path, err);
	rest = err ? NULL : text;
	while ((line = rb_next_line(&rest)))
		put_rdma_line(&rdma, which, line);
	if (!err)
		free(text);
	rb_place_leave(cgroup, "rdma");
}

static void put_cgroup(const struct rb_place *to, int version, const char *path)
{
	char folder[FILE_TEXT / 2], text[WORD_TEXT];

	snprintf(folder, sizeof(folder), "sys/fs/cgroup%s%s",
		 version == 1 ? "/rdma" : "", path);
	rb_fact_number(to->object, "version", (uint64_t)version);
	rb_fact_value(to->object, "path", rb_report_string(path));
	put_rdma_file(to, folder, "max");
	put_rdma_file(to, folder, "current");
	if (version == 1)
		return;
	if (!rb_file_line(text, sizeof(text), "%s/memory.max", folder))
		rb_fact_value(to->object, "memory_max_bytes", limit_json(text));
	rb_place_text(to, "cpus", "%s/cpuset.cpus.effective", folder);
}

/*
 * "0::/user.slice" is the cgroup of version 2, "9:rdma:/" the one of the
 * controller in version 1, which is the one that counts where there are both.
 */
void rb_snap_cgroup(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "cgroup");
	const char *path = NULL;
	char *text, *rest, *line;
	int version = 0;
	int err = rb_file_read(&text, NULL, "proc/self/cgroup");

	rb_place_failed(doc, "cgroup", "/proc/self/cgroup", err);
	rest = err ? NULL : text;
	while ((line = rb_next_line(&rest))) {
		const char *at = strstr(line, ":rdma:");

		if (at) {
			path = at + strlen(":rdma:");
			version = 1;
		} else if (!version && !strncmp(line, "0::", 3)) {
			path = line + 3;
			version = 2;
		}
	}
	if (path)
		put_cgroup(&to, version, path);
	if (!err)
		free(text);
	rb_place_leave(doc, "cgroup");
}
