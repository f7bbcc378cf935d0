/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_limits - rules: what the system lets a process have
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/units.h"
#include "diag/subject.h"

#define MEMLOCK_LOW (8u << 20) /* what some systems give everybody by default */
#define FILES_LOW 256
#define FILES_USUAL 1024

/* The soft limit on locked memory: -1 without one; false: not decided. */
static bool memlock_of(struct rb_subject *s, int64_t *bytes)
{
	const json_t *soft =
		rb_need(s, RB_HOST, "process/limits/memlock_bytes/soft");
	bool capable;

	if (!soft)
		return false;
	*bytes = json_is_integer(soft) ? json_integer_value(soft) : -1;
	if (*bytes < 0)
		return true;
	if (!rb_need_flag(s, RB_HOST, "process/ipc_lock", &capable))
		return false;
	if (capable)
		*bytes = -1;
	return true;
}

static void lim_memlock(struct rb_subject *s)
{
	char text[RB_TEXT_SIZE];
	int64_t bytes;

	if (!memlock_of(s, &bytes))
		return;
	if (bytes < 0)
		rb_subject_pass(s, "locked memory is not limited");
	else if (!bytes)
		rb_subject_skip(s, "it is 0: LIM-MEMLOCK0");
	else
		rb_subject_fail(s, bytes <= MEMLOCK_LOW ? RB_SEVERITY_ERROR :
							  RB_SEVERITY_WARNING,
				"this process may lock %s: registering more fails with ENOMEM, and so do large queues",
				rb_format_size((uint64_t)bytes, text));
}

static void lim_memlock0(struct rb_subject *s)
{
	int64_t bytes;

	if (!memlock_of(s, &bytes))
		return;
	if (bytes)
		rb_subject_pass(s, "some memory may be locked");
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"this process may lock no memory at all: registering fails with EPERM");
}

static bool reached(const json_t *set, const char *key)
{
	int64_t most = rb_int_at(json_object_get(set, "max"), key, -1);

	return most >= 0 &&
	       rb_int_at(json_object_get(set, "current"), key, -1) >= most;
}

static void lim_cgroup(struct rb_subject *s)
{
	const json_t *sets = rb_need(s, RB_HOST, "cgroup/rdma");
	const json_t *set = json_object_get(sets, s->device);

	if (!sets)
		return;
	if (!set)
		rb_subject_pass(s, "the cgroup has no limit for this device");
	else if (reached(set, "hca_handle"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the cgroup's limit of open devices (rdma.max hca_handle) is reached: %" PRId64,
				rb_int_at(set, "max/hca_handle", 0));
	else if (reached(set, "hca_object"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the cgroup's limit of objects (rdma.max hca_object) is reached: %" PRId64,
				rb_int_at(set, "max/hca_object", 0));
	else
		rb_subject_pass(s, "the cgroup's limits are not reached");
}

static void lim_nofile(struct rb_subject *s)
{
	const json_t *soft = rb_need(s, RB_HOST, "process/limits/open_files/soft");
	int64_t files = json_is_integer(soft) ? json_integer_value(soft) :
						INT64_MAX;

	if (!soft)
		return;
	if (files > FILES_USUAL)
		rb_subject_pass(s, "enough files may be open");
	else
		rb_subject_fail(s, files < FILES_LOW ? RB_SEVERITY_WARNING :
						       RB_SEVERITY_INFO,
				"%" PRId64 " files may be open: a program with hundreds of queue pairs and completion channels runs out of them",
				files);
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "LIM-MEMLOCK", .scope = RB_SCOPE_HOST, .severity = E, .test = lim_memlock,
	  .title = "the limit on locked memory", .reads = "/process/limits/memlock_bytes /process/ipc_lock",
	  .why = "Registered memory is locked. The kernel compares it with RLIMIT_MEMLOCK unless the process has CAP_IPC_LOCK: ibv_reg_mr, ibv_create_cq and ibv_create_qp fail with ENOMEM. The limit that counts is the one of the process: a change in limits.conf needs a new login, and launchers and containers have limits of their own.",
	  .fix = "'* - memlock unlimited' in /etc/security/limits.d/rdma.conf and log in again; LimitMEMLOCK=infinity (systemd); --ulimit memlock=-1 (docker); PropagateResourceLimitsExcept=MEMLOCK (slurm)",
	  .evidence = "kernel: drivers/infiniband/core/umem.c; NVIDIA/nccl-tests#206, openucx/ucx#6264" },
	{ .id = "LIM-MEMLOCK0", .scope = RB_SCOPE_HOST, .severity = E, .test = lim_memlock0,
	  .title = "no memory may be locked", .reads = "/process/limits/memlock_bytes /process/ipc_lock",
	  .why = "With a limit of 0 and without CAP_IPC_LOCK the kernel refuses at once, with EPERM in place of ENOMEM: it looks like a missing permission on the device.",
	  .fix = "ulimit -l unlimited as root, or as for LIM-MEMLOCK",
	  .evidence = "kernel: can_do_mlock, mm/mlock.c" },
	{ .id = "LIM-CGROUP", .scope = RB_SCOPE_DEVICE, .severity = E, .test = lim_cgroup,
	  .title = "the cgroup's limit of RDMA objects is reached", .reads = "/cgroup/rdma",
	  .why = "The RDMA controller of cgroups limits open devices and objects: opening and creating fail with EAGAIN.",
	  .fix = "echo '{device} hca_handle=max hca_object=max' > /sys/fs/cgroup/GROUP/rdma.max",
	  .evidence = "kernel: kernel/cgroup/rdma.c" },
	{ .id = "LIM-NOFILE", .scope = RB_SCOPE_HOST, .severity = W, .test = lim_nofile,
	  .title = "the limit on open files", .reads = "/process/limits/open_files",
	  .why = "A completion channel, an rdma_cm identifier and a side channel are a file each.",
	  .fix = "ulimit -n 65536",
	  .evidence = "common operational practice" },
};
/* clang-format on */

const struct rb_rules rb_rules_limits = { "Limits", rows, RB_ARRAY_SIZE(rows) };
