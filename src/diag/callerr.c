/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * callerr - what an errno of a verbs or rdma_cm call means: a plain look-up
 * table, by call and, of ibv_modify_qp, by transition
 */
#include "diag/callerr.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"

#define SRC RB_SURE_SOURCE
#define CONF RB_SURE_CONFIRMED
#define LIKELY RB_SURE_LIKELY
#define GUESS RB_SURE_GUESS
#define KERNEL "kernel, drivers/infiniband/core"

/* clang-format off */
static const struct rb_errno_name errnos[] = {
	{ EPERM, "EPERM", "Operation not permitted" },
	{ ENOENT, "ENOENT", "No such file or directory" },
	{ EIO, "EIO", "Input/output error" },
	{ EAGAIN, "EAGAIN", "Resource temporarily unavailable" },
	{ ENOMEM, "ENOMEM", "Cannot allocate memory" },
	{ EACCES, "EACCES", "Permission denied" },
	{ EFAULT, "EFAULT", "Bad address" },
	{ EBUSY, "EBUSY", "Device or resource busy" },
	{ ENODEV, "ENODEV", "No such device" },
	{ EINVAL, "EINVAL", "Invalid argument" },
	{ ENOSPC, "ENOSPC", "No space left on device" },
	{ ENOSYS, "ENOSYS", "Function not implemented" },
	{ ENODATA, "ENODATA", "No data available" },
	{ EPROTO, "EPROTO", "Protocol error" },
	{ EOPNOTSUPP, "EOPNOTSUPP", "Operation not supported" },
	{ EPROTONOSUPPORT, "EPROTONOSUPPORT", "Protocol not supported" },
	{ EADDRINUSE, "EADDRINUSE", "Address already in use" },
	{ EADDRNOTAVAIL, "EADDRNOTAVAIL", "Cannot assign requested address" },
	{ ENETDOWN, "ENETDOWN", "Network is down" },
	{ ENETUNREACH, "ENETUNREACH", "Network is unreachable" },
	{ ECONNRESET, "ECONNRESET", "Connection reset by peer" },
	{ ETIMEDOUT, "ETIMEDOUT", "Connection timed out" },
	{ ECONNREFUSED, "ECONNREFUSED", "Connection refused" },
	{ EHOSTUNREACH, "EHOSTUNREACH", "No route to host" },
	{ EREMOTEIO, "EREMOTEIO", "Remote I/O error" },
};

static const struct rb_call_row rows[] = {
	/* devices */
	{ "ibv_get_device_list", NULL, 0, "no RDMA device is visible to this process",
	  RB_CAUSES({ "the provider library of the device is missing, or built for another rdma-core", CONF, "DEV-PROVIDER", "NVIDIA/caffe#590" },
		{ "no driver has registered a device, or ib_uverbs is not loaded", SRC, "DEV-NONE", NULL },
		{ "a container without /dev/infiniband", CONF, "DEV-UVERBS", NULL }),
	  "rbench devices; ls /sys/class/infiniband /dev/infiniband" },
	{ "ibv_open_device", NULL, ENOENT, "the device node is missing", RB_CAUSES({ "/dev/infiniband/uverbsN does not exist here (container)", CONF, "DEV-UVERBS", NULL }), "ls -l /dev/infiniband" },
	{ "ibv_open_device", NULL, ENODEV, "the device node is missing", RB_CAUSES({ "/dev/infiniband/uverbsN does not exist here (container)", CONF, "DEV-UVERBS", NULL }), "ls -l /dev/infiniband" },
	{ "ibv_open_device", NULL, EPERM, "the cgroup forbids the device", RB_CAUSES({ "the container's device list lacks /dev/infiniband", LIKELY, "DEV-PERM", NULL }), "ls -l /dev/infiniband" },
	{ "ibv_open_device", NULL, EACCES, "no permission on the device node", RB_CAUSES({ "mode of /dev/infiniband/uverbs*: udev normally gives 0666", SRC, "DEV-PERM", NULL }), "ls -l /dev/infiniband" },
	{ "ibv_open_device", NULL, EIO, "the device is being removed or reset", NULL, "dmesg" },
	{ "ibv_open_device", NULL, EAGAIN, "a limit of the rdma cgroup", RB_CAUSES({ "rdma.max hca_handle is reached", SRC, "LIM-CGROUP", KERNEL }), "cat /sys/fs/cgroup/.../rdma.max" },
	{ "ibv_open_device", NULL, ENOMEM, "the device's doorbell pages (UAR) are used up", RB_CAUSES({ "too many processes on the device or virtual function", LIKELY, NULL, NULL }), NULL },
	{ "ibv_open_device", NULL, 0, "the device could not be opened",
	  RB_CAUSES({ "its node is not in /dev/infiniband here (only some devices are passed to the container)", CONF, "DEV-UVERBS", "hustcat/k8s-rdma-device-plugin#8" }, { "no permission on the node", LIKELY, "DEV-PERM", NULL }), "ls -l /dev/infiniband" },
	{ "ibv_query_gid", NULL, ENODATA, "that slot of the GID table is empty: not an error, tables have holes", RB_CAUSES({ "the index in use does not exist here", LIKELY, "GID-CHOICE", KERNEL }), "rbench devices" },
	/* memory */
	{ "ibv_reg_dmabuf_mr", NULL, EOPNOTSUPP, "kernel, driver or provider cannot register dma-buf memory",
	  RB_CAUSES({ "the RDMA driver is too old for dma-buf (kernel before 5.12, provider without it)", CONF, "GPU-DMABUF", "NVIDIA/nccl#778" }, { "the NVIDIA driver is the proprietary one, or CUDA is older than 11.7", LIKELY, "GPU-DMABUF", NULL }),
	  "use nvidia_peermem; NCCL: NCCL_DMABUF_ENABLE=0" },
	{ "ibv_reg_dmabuf_mr", NULL, EINVAL, "the exporter's buffer does not fit",
	  RB_CAUSES({ "offset and length exceed the buffer, or iova and offset have different page offsets", SRC, "GPU-DMABUF", KERNEL }), NULL },
	{ "ibv_reg_mr", NULL, ENOMEM, "the memory could not be pinned or the adapter has no key for it",
	  RB_CAUSES({ "the limit on locked memory (ulimit -l, RLIMIT_MEMLOCK) of THIS process is too small", CONF, "LIM-MEMLOCK", "NVIDIA/nccl-tests#206" },
		{ "the adapter's table of memory keys is full (dmesg: CREATE_MKEY .. limits exceeded)", CONF, "MKEY-LIMIT", "openucx/ucx#6264" },
		{ "hugepages or shared memory are used up (kernel.shmmni)", CONF, "SHMMNI", "linux-rdma/perftest#395" },
		{ "mlx4: log_num_mtt is too small", LIKELY, NULL, NULL }),
	  "ulimit -l in the same environment; dmesg | grep CREATE_MKEY; container: --ulimit memlock=-1" },
	{ "ibv_reg_mr", NULL, EPERM, "locking memory is forbidden", RB_CAUSES({ "RLIMIT_MEMLOCK is 0 and CAP_IPC_LOCK is missing", SRC, "LIM-MEMLOCK0", KERNEL }), "ulimit -l" },
	{ "ibv_reg_mr", NULL, EFAULT, "the address is not mapped or cannot be pinned: for a GPU pointer, GPUDirect is not available",
	  RB_CAUSES({ "GPU memory without nvidia_peermem (or dma-buf): modprobe nvidia-peermem on the node", LIKELY, "GPU-PEERMEM", "linux-rdma/perftest#126" },
		{ "a consumer GPU (GeForce, RTX) has no GPUDirect RDMA", LIKELY, "GPU-GEFORCE", "openucx/ucx#8049" },
		{ "memory of the GPU's virtual memory manager that was not made for RDMA (expandable segments)", CONF, "GPU-VMM", NULL },
		{ "a large GPU region exceeds its BAR1", LIKELY, "GPU-BAR1", "Mellanox/nv_peer_memory#27" },
		{ "memory of a file (DAX) or of a device", LIKELY, NULL, NULL }),
	  "lsmod | grep -e nvidia_peermem -e nv_peer_mem; repeat with host memory" },
	{ "ibv_reg_mr", NULL, EINVAL, "the arguments do not fit", RB_CAUSES({ "REMOTE_WRITE or REMOTE_ATOMIC without LOCAL_WRITE, length 0, or a flag that the device lacks", SRC, NULL, "ibv_reg_mr(3)" }), NULL },
	{ "ibv_reg_mr", NULL, EOPNOTSUPP, "the device does not support that kind of region", RB_CAUSES({ "on-demand paging without the capability, or a file of FS-DAX", SRC, NULL, KERNEL }), NULL },
	{ "ibv_reg_mr", NULL, EAGAIN, "a limit of the rdma cgroup", RB_CAUSES({ "rdma.max hca_object is reached", SRC, "LIM-CGROUP", KERNEL }), "cat /sys/fs/cgroup/.../rdma.max" },
	{ "ibv_reg_mr", NULL, 0, "the memory could not be registered: the errno would tell why", NULL, "ulimit -l; for GPU memory lsmod | grep nvidia_peermem" },
	{ "ibv_fork_init", NULL, EINVAL, "called after memory was registered", NULL, "call it first; kernels from 5.12 need it no more" },
	{ "ibv_dereg_mr", NULL, EBUSY, "a memory window is bound to the region", NULL, NULL },
	{ "ibv_dealloc_pd", NULL, EBUSY, "objects of the PD are alive", NULL, NULL },
	/* objects */
	{ "ibv_create_cq_ex", NULL, EOPNOTSUPP, "the provider lacks extended CQs or one of the flags", RB_CAUSES({ "perftest of 2024-07 on bnxt_re", CONF, NULL, "linux-rdma/perftest pull 286" }), NULL },
	{ "ibv_create_cq", NULL, ENOMEM, "the CQ's memory could not be pinned",
	  RB_CAUSES({ "the limit on locked memory: CQ buffers are pinned too (containers have 64 MiB or less)", CONF, "LIM-MEMLOCK", "open-mpi/ompi#6468" }, { "more entries than max_cqe", LIKELY, NULL, NULL }),
	  "ulimit -l in the same environment; container: --ulimit memlock=-1" },
	{ "ibv_create_cq", NULL, EINVAL, "more entries than the device has", RB_CAUSES({ "cqe is above max_cqe", SRC, NULL, "ibv_create_cq(3)" }), "ibv_devinfo -v | grep max_cqe" },
	{ "ibv_create_qp", NULL, EINVAL, "the device does not take a queue pair like that",
	  RB_CAUSES({ "too much inline data (E810 takes 101, perftest asks 220: -I 96)", CONF, NULL, "linux-rdma/perftest#139" }, { "more SGEs or work requests than the device has", SRC, NULL, "ibv_create_qp(3)" },
		{ "the device lacks the type: EFA has only UD and SRD (perftest: -c SRD)", CONF, NULL, "linux-rdma/perftest#105" }), "ibv_devinfo -v; a smaller -I" },
	{ "ibv_create_qp", NULL, ENOMEM, "no memory for the queue pair",
	  RB_CAUSES({ "the limit on locked memory", CONF, "LIM-MEMLOCK", NULL }, { "the send queue is larger than the adapter's limit (depth x request size)", SRC, NULL, "libmlx5" }, { "max_qp is reached", SRC, NULL, NULL }), "ulimit -l; a smaller depth" },
	{ "ibv_create_qp", NULL, ENOSPC, "inline data is too long (newer mlx5)", NULL, "a smaller inline size" },
	{ "ibv_create_qp", NULL, EPERM, "raw packets need CAP_NET_RAW", NULL, NULL },
	{ "ibv_create_qp", NULL, EAGAIN, "a limit of the rdma cgroup", RB_CAUSES({ "rdma.max hca_object is reached", SRC, "LIM-CGROUP", KERNEL }), NULL },
	{ "ibv_create_qp", NULL, 0, "the queue pair could not be made",
	  RB_CAUSES({ "too much inline data (E810 takes 101, perftest asks 220: -I 96)", CONF, NULL, "linux-rdma/perftest#139" }, { "the device lacks the type: EFA has only UD and SRD (perftest: -c SRD)", CONF, NULL, "linux-rdma/perftest#105" }, { "the limit on locked memory", LIKELY, "LIM-MEMLOCK", NULL }), "ibv_devinfo -v; ulimit -l" },
	{ "ibv_create_srq", NULL, EINVAL, "no SRQ of that size, or none at all", NULL, "ibv_devinfo -v | grep srq" },
	{ "ibv_create_srq", NULL, ENOSYS, "the device has no SRQ", NULL, NULL },
	{ "ibv_create_ah", NULL, ENODATA, "the GID at that index is empty", RB_CAUSES({ "wrong GID index", SRC, "GID-CHOICE", KERNEL }), "rbench devices" },
	{ "ibv_create_ah", NULL, ETIMEDOUT, "the peer's MAC address could not be resolved", RB_CAUSES({ "peer down, other VLAN or subnet, link-local GID", SRC, "NET-ARP", KERNEL }), "ip neigh" },
	{ "ibv_create_ah", NULL, ENETUNREACH, "no route to the destination GID", RB_CAUSES({ "no route out of the GID's interface", SRC, "NET-ROUTE", KERNEL }), "ip route get PEER oif INTERFACE" },
	{ "fi_av_insert", NULL, 0, "creating the address handle failed: the address could not be resolved from the GID in use",
	  RB_CAUSES({ "the default GID index 0 is link-local (fe80): FI_VERBS_GID_IDX chooses a routable one", CONF, "GID-CHOICE", "ofiwg/libfabric#12673" }), "rbench devices: the index of the RoCE v2 GID with an IP address; FI_VERBS_GID_IDX=INDEX" },
	/* states of a queue pair */
	{ "ibv_modify_qp", "RESET->INIT", EINVAL, "attributes of INIT are refused", RB_CAUSES({ "port number or P_Key index out of range, or a missing bit in the mask", SRC, NULL, "ibv_modify_qp(3)" }, { "irdma: an extra transition RESET to RESET before", CONF, NULL, "Mooncake pull 722" }), NULL },
	{ "ibv_modify_qp", "RESET->INIT", EPERM, "not allowed", RB_CAUSES({ "SELinux and the P_Key, or a privileged Q_Key", SRC, NULL, KERNEL }), NULL },
	{ "ibv_modify_qp", "RTR->RTS", EINVAL, "attributes of RTS are refused",
	  RB_CAUSES({ "max_rd_atomic exceeds the device: the two adapters differ (perftest: -o N)", CONF, NULL, "linux-rdma/perftest#114" }, { "timeout above 31, or retry counts above 7", SRC, NULL, "ibv_modify_qp(3)" }), "ibv_devinfo -v | grep rd_atom on both hosts" },
	{ "ibv_modify_qp", NULL, ENODATA, "the GID table has nothing at the source GID index", RB_CAUSES({ "wrong GID index: the slot is empty", SRC, "GID-CHOICE", KERNEL }), "rbench devices" },
	{ "ibv_modify_qp", NULL, ETIMEDOUT, "INIT->RTR: the kernel waits 1000 ms for the neighbour (ARP, ND) of the destination GID, and none answered",
	  RB_CAUSES({ "the GID in use is link-local (fe80) and the peer is on another layer 2: use the IPv4-mapped RoCE v2 GID", CONF, "GID-NOV4/GLOBAL", "NVIDIA/nccl#769" },
		{ "the peer's address is down, in another VLAN or subnet", LIKELY, "NET-ARP", "uccl-project/uccl#641" },
		{ "a rail-isolated fabric: this adapter cannot reach that one", CONF, "NET-RAIL", "ROCm/rccl#1303" },
		{ "several adapters in one subnet (ARP flux)", CONF, "NET-SAMESUBNET", "openucx/ucx#5598" }),
	  "ip neigh show PEER; ping -I INTERFACE PEER" },
	{ "ibv_modify_qp", NULL, ENETUNREACH, "INIT->RTR: there is no route to the destination GID out of the interface of the source GID",
	  RB_CAUSES({ "rails in different subnets without a gateway", LIKELY, "NET-ROUTE", "NVIDIA/nccl-tests#185" }, { "an adapter of the wrong kind was picked (RoCE beside InfiniBand)", GUESS, "HCA-WRONG", "deepseek-ai/DeepEP#321" }), "ip route get PEER oif INTERFACE" },
	{ "ibv_modify_qp", NULL, EHOSTUNREACH, "INIT->RTR: the route says unreachable, or the neighbour failed", RB_CAUSES({ "the route is missing, or the peer does not answer ARP", SRC, "NET-ARP", KERNEL }), "ip route get PEER oif INTERFACE; ip neigh" },
	{ "ibv_modify_qp", NULL, ENODEV, "INIT->RTR: the network interface of the GID is gone or down, or the destination is an address of this host",
	  RB_CAUSES({ "the GID in use has no interface that is up (wrong GID index, interface down)", LIKELY, "GID-NDEV", "NVIDIA/nccl#925" }, { "the program uses InfiniBand addressing (LID) on RoCE", LIKELY, "GID-NDEV", "microsoft/mscclpp#431" },
		{ "the peer's GID is local and its route leads to lo", SRC, NULL, KERNEL }), "rbench devices: GIDs with their interfaces" },
	{ "ibv_modify_qp", NULL, EINVAL, "attributes are refused",
	  RB_CAUSES({ "path_mtu above the port's active_mtu", SRC, "MTU-PEER", KERNEL }, { "RoCE without a GRH (is_global 0), or no source GID index", CONF, NULL, "madsys-dev/smart#2" }, { "families or RoCE versions of the two GIDs differ", SRC, "GID-TYPE-PEER", KERNEL },
		{ "rd_atomic, timeout or retry counts out of range (retry_cnt at most 7)", SRC, NULL, "ibv_modify_qp(3)" }, { "InfiniBand: destination LID 0", SRC, NULL, "ibv_modify_qp(3)" }), "dmesg (mlx5: 'INIT2RTR .. failed'); compare MTU and GIDs of both ends" },
	{ "ibv_modify_qp", NULL, EIO, "a command of the firmware failed", NULL, "dmesg" },
	{ "ibv_modify_qp", NULL, EBUSY, "a command of the firmware failed", NULL, "dmesg" },
	{ "ibv_modify_qp", NULL, ENOMEM, "a command of the firmware failed", NULL, "dmesg" },
	{ "ibv_modify_qp", NULL, 0, "a queue pair could not be moved to its next state: the errno would tell why", RB_CAUSES({ "GID index, MTU, or a peer that is not reachable", GUESS, "GID-CHOICE", NULL }), "dmesg; rbench devices on both hosts" },
	/* data */
	{ "ibv_post_send", NULL, ENOMEM, "the send queue is full",
	  RB_CAUSES({ "completions are not reaped: at least one signaled request is needed per queue depth", CONF, NULL, "spdk/spdk#3195" }, { "more SGEs or inline data than the queue pair was made for", CONF, NULL, "uccl-project/uccl#267" }), NULL },
	{ "ibv_post_send", NULL, EINVAL, "the request is not legal, or the queue pair is not in RTS",
	  RB_CAUSES({ "the queue pair is not in RTS, or in error already (bnxt_re)", CONF, NULL, "spdk/spdk#2434" }, { "opcode or flags that the type or the device lacks", CONF, NULL, "spdk/spdk#436" }), "look for an earlier completion error of the queue pair" },
	{ "ibv_post_send", NULL, EOPNOTSUPP, "the provider does not know the opcode", NULL, NULL },
	{ "ibv_post_recv", NULL, ENOMEM, "the receive queue is full", NULL, NULL },
	{ "ibv_post_recv", NULL, EINVAL, "too many SGEs, or the queue pair is in RESET", NULL, NULL },
	{ "ibv_poll_cq", NULL, 0, "the CQ is corrupt, or a queue pair was destroyed before its completions were reaped", NULL, "dmesg" },
	{ "ibv_destroy_qp", NULL, EBUSY, "a multicast group is attached", NULL, NULL },
	/* rdma_cm */
	{ "rdma_bind_addr", NULL, EADDRNOTAVAIL, "the address is not on this host, or (where TCP says EADDRINUSE) the port is taken", RB_CAUSES({ "port taken, or wrong address", CONF, NULL, "openucx/ucx pull 3516" }), "rdma resource show cm_id; ip -br addr" },
	{ "rdma_bind_addr", NULL, EADDRINUSE, "the address and port are in use", RB_CAUSES({ "a second bind of the same id or port", CONF, NULL, "spdk/spdk#2604" }), "rdma resource show cm_id" },
	{ "rdma_bind_addr", NULL, EACCES, "ports below 1024 need CAP_NET_BIND_SERVICE", NULL, NULL },
	{ "rdma_bind_addr", NULL, ENODEV, "no RDMA device has that address", RB_CAUSES({ "the address belongs to an interface without RDMA, or another namespace", LIKELY, "NS-MODE", NULL }), "rdma link; ip -br addr" },
	{ "rdma_resolve_addr", NULL, ENODEV, "the route leads to an interface without an RDMA device here", RB_CAUSES({ "wrong route, or a container without the device in its namespace", CONF, "NS-MODE", NULL }), "ip route get DESTINATION; rdma system" },
	{ "rdma_resolve_addr", NULL, ETIMEDOUT, "the neighbour was not resolved in time", RB_CAUSES({ "the peer is down or in another VLAN", LIKELY, "NET-ARP", NULL }), "ip neigh show DESTINATION" },
	{ "rdma_resolve_addr", NULL, EADDRNOTAVAIL, "the address is not local, or the port is taken", NULL, "ip -br addr" },
	{ "rdma_create_event_channel", NULL, ENODEV, "rdma_cm is not available to this process",
	  RB_CAUSES({ "rdma_ucm is not loaded, or /dev/infiniband/rdma_cm is missing here", LIKELY, "DEV-RDMACM", NULL }, { "librdmacm before 2021 and one uverbs device that cannot be opened", CONF, "DEV-UVERBS", "rdma-core pull 1060" }), "ls -l /dev/infiniband/rdma_cm" },
	{ "rdma_get_devices", NULL, ENODEV, "no RDMA device can be used", RB_CAUSES({ "librdmacm before 2021 and one uverbs device that cannot be opened", CONF, "DEV-UVERBS", "rdma-core pull 1060" }), "ls -l /dev/infiniband" },
};
/* clang-format on */

const struct rb_errno_name *rb_errno_names(size_t *n)
{
	*n = RB_ARRAY_SIZE(errnos);
	return errnos;
}

const struct rb_errno_name *rb_errno_name(int err)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(errnos); i++)
		if (errnos[i].err == err)
			return &errnos[i];
	return NULL;
}

const struct rb_call_row *rb_call_rows(size_t *n)
{
	*n = RB_ARRAY_SIZE(rows);
	return rows;
}

/* How well a row fits: the call's name, then the transition, then the errno. */
static size_t fit(const struct rb_call_row *row, const char *call,
		  const char *transition, int err)
{
	size_t n = strlen(row->call);

	if (strncmp(row->call, call, n) || (row->err && row->err != err))
		return 0;
	if (row->transition &&
	    (!transition || strcmp(row->transition, transition)))
		return 0;
	return n * 4 + (row->transition ? 2 : 0) + (row->err ? 1 : 0);
}

const struct rb_call_row *rb_call_row(const char *call, const char *transition,
				      int err)
{
	const struct rb_call_row *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		size_t points = fit(&rows[i], call, transition, err);

		if (points > most) {
			most = points;
			best = &rows[i];
		}
	}
	return best;
}

const char *rb_call_meaning(const char *call, const char *transition, int err)
{
	const struct rb_call_row *row = rb_call_row(call, transition, err);

	return row && row->err ? row->meaning : NULL;
}

const char *rb_call_next(const char *call, const char *transition, int err)
{
	const struct rb_call_row *row = rb_call_row(call, transition, err);

	return row && row->err ? row->next : NULL;
}
