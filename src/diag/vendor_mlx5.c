/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vendor_mlx5 - vendor_err of mlx5, and what of it mlx4 and mthca share
 *
 * Only 0x93 is named in a header (mlx5dv.h). The rest is from reports, kernel
 * commits and published fault injection: N=100 runs a fault, ConnectX-5 and -6.
 */
#include <infiniband/verbs.h>

#include "base/base.h"
#include "diag/vendor.h"

#define SRC RB_SURE_SOURCE
#define CONF RB_SURE_CONFIRMED
#define LIKELY RB_SURE_LIKELY
#define GUESS RB_SURE_GUESS
#define UNKNOWN RB_SURE_UNKNOWN
#define INJECTED "fault injection, N=100"

/* clang-format off */
static const struct rb_vendor_row rows[] = {
	{ .code = 0x25, .status = IBV_WC_MW_BIND_ERR, .sure = LIKELY,
	  .meaning = "a fast registration (UMR) could not read or bind its page list",
	  .causes = RB_CAUSES({ "the IOMMU does not map the translation list (SR-IOV, VM migration)", GUESS, "IOMMU-MODE", "one developer's note" }) },
	{ .code = 0x32, .status = IBV_WC_LOC_PROT_ERR, .sure = CONF, .ref = "kernel commits fab058356885, 665a7e13c220",
	  .meaning = "data that came in could not be placed: the key of the receive buffer violates its PD or cannot be used",
	  .causes = RB_CAUSES(
		{ "the lkey of the receive buffer was freed or never valid", CONF, NULL, "openucx/ucx pull 7801" },
		{ "the receive buffer's key violates its PD or was never mapped (kernel: headers of HW-GRO)", CONF, NULL, "kernel commits fab058356885, 665a7e13c220" }) },
	{ .code = 0x33, .status = IBV_WC_LOC_PROT_ERR, .queue = 'S', .sure = CONF, .ref = INJECTED,
	  .meaning = "the READ response could not be written to the LOCAL target of the request (va, lkey); the remote side is fine: it did serve the READ",
	  .causes = RB_CAUSES(
		{ "the local region was registered without LOCAL_WRITE and is the target of a READ or an atomic", CONF, NULL, INJECTED },
		{ "the local range is not translatable: memory of the GPU's virtual memory manager (VMM) or a mapping that changed below the region", GUESS, "GPU-VMM", "NIXL range registration, open" },
		{ "the local range leaves the region", GUESS, NULL, NULL }) },
	{ .code = 0x3b, .status = IBV_WC_LOC_PROT_ERR, .queue = 'R', .sure = LIKELY, .ref = "linux-rdma/perftest#394",
	  .meaning = "a WRITE that came in failed at the translation of the local memory",
	  .causes = RB_CAUSES(
		{ "memory mapping of the host: IOMMU, a passed-through device in a VM, the page size of the platform; large messages fail, small ones pass", LIKELY, "VM-PASSTHROUGH", "linux-rdma/perftest#394, NVIDIA forum 282142" }) },
	{ .code = 0x41, .status = -1, .sure = CONF, .ref = "linux-rdma list, svcrdma SQ depth",
	  .meaning = "the completion queue overran",
	  .causes = RB_CAUSES({ "the CQ is too small for the signaled requests of all its queue pairs", CONF, NULL, "linux-rdma list, svcrdma SQ depth" }) },
	{ .code = 0x51, .status = IBV_WC_LOC_PROT_ERR, .queue = 'S', .sure = CONF, .ref = "openucx/ucx#3564, NVIDIA/nccl#928",
	  .meaning = "the lkey is known, but the adapter's DMA read of the local buffer failed",
	  .causes = RB_CAUSES(
		{ "GPUDirect is blocked between GPU and adapter: PCIe ACS redirects peer traffic", CONF, "ACS-ON", "openucx/ucx#3564, NVIDIA/nccl#928" },
		{ "the IOMMU (VT-d, AMD-Vi) translates: iommu=pt or off", CONF, "IOMMU-MODE", "public report with before and after" },
		{ "nvidia_peermem missing, or it does not match driver and RDMA stack", LIKELY, "GPU-PEERMEM", "NVIDIA/nccl#523" },
		{ "the BIOS places MMIO where the adapter cannot reach it", LIKELY, "GPU-VM", "linux-rdma/perftest#173" },
		{ "the buffer was unmapped below its region", LIKELY, NULL, NULL }) },
	{ .code = 0x52, .status = IBV_WC_LOC_PROT_ERR, .queue = 'S', .sure = CONF, .ref = INJECTED,
	  .meaning = "the lkey is not valid for this access (unknown, freed, or of another PD); nothing went onto the wire",
	  .causes = RB_CAUSES(
		{ "the memory was deregistered too early", LIKELY, NULL, "openucx/ucx#6414" },
		{ "the lkey is of another PD or device", LIKELY, NULL, "spdk/spdk#961" },
		{ "the lkey was never set (a scatter entry of length 0)", LIKELY, NULL, "openucx/ucx pull 4727" }) },
	{ .code = 0x53, .status = IBV_WC_LOC_PROT_ERR, .queue = 'S', .sure = LIKELY, .ref = INJECTED "; field reports agree",
	  .meaning = "the local SGE lies outside its MR (memory region); nothing went onto the wire",
	  .causes = RB_CAUSES(
		{ "the SGE's length is more than the region's", LIKELY, NULL, INJECTED },
		{ "the buffer crosses the border of two regions (two hugepages)", LIKELY, NULL, "spdk/spdk#500, Juniper/warp17#81" }) },
	{ .code = 0x54, .status = IBV_WC_LOC_PROT_ERR, .sure = UNKNOWN,
	  .meaning = "undocumented; no public explanation" },
	{ .code = 0x61, .status = IBV_WC_LOC_QP_OP_ERR, .queue = 'S', .sure = GUESS, .ref = "openucx/ucx#857",
	  .meaning = "the request (WQE) could not be executed: malformed or corrupted",
	  .causes = RB_CAUSES({ "wrong opcode, size or inline format; on ARM a doorbell without its barrier", GUESS, NULL, "openucx/ucx#857" }) },
	{ .code = 0x68, .status = IBV_WC_LOC_QP_OP_ERR, .queue = 'S', .sure = LIKELY, .ref = "kernel commit c326f9c68921",
	  .meaning = "the request (WQE) was refused as malformed; the hardware syndrome tells which part",
	  .causes = RB_CAUSES({ "a driver, or a program that writes WQEs itself (DevX, GPU-initiated, mlx5dv): index and opcode of the control segment wrong, ring overwritten", LIKELY, NULL, "kernel commit c326f9c68921" },
		{ "UD: the key of the address vector or DC access key is stale; an atomic that is not allowed", LIKELY, NULL, "openucx/ucx#3618" }) },
	{ .code = 0x68, .status = IBV_WC_LOC_LEN_ERR, .queue = 'S', .sure = LIKELY, .ref = "netdev, 2021-01-19",
	  .meaning = "the request (WQE) was refused as malformed",
	  .causes = RB_CAUSES({ "the inline L2 header is missing or shorter than the adapter's minimum inline (ConnectX-4 Lx)", LIKELY, NULL, "netdev, 2021-01-19" },
		{ "the memory below a live region was used again by an allocator", GUESS, NULL, "one report" }) },
	{ .code = 0x69, .status = IBV_WC_LOC_LEN_ERR, .queue = 'S', .older = true, .sure = CONF, .ref = "Open MPI devel 2011/06/9301",
	  .meaning = "one request is longer than the port's max_msg_sz (1 GiB on mlx4)",
	  .causes = RB_CAUSES({ "the program or MPI posts one request of more than max_msg_sz; cutting it in fragments (mpi_leave_pinned 0) cures it", CONF, "PT-MSGSZ", "Open MPI devel 2011/06/9301" }) },
	{ .code = 0x6b, .status = IBV_WC_LOC_QP_OP_ERR, .queue = 'S', .older = true, .sure = UNKNOWN, .ref = "Open MPI users 2014/04/24057",
	  .meaning = "undocumented; reported with old firmware and very large data" },
	{ .code = 0x6f, .status = IBV_WC_LOC_QP_OP_ERR, .queue = 'S', .older = true, .sure = UNKNOWN, .ref = "Open MPI users 2014/06/24692",
	  .meaning = "undocumented; reported with old firmware and very large data" },
	{ .code = 0x70, .status = IBV_WC_LOC_QP_OP_ERR, .queue = 'S', .older = true, .sure = UNKNOWN, .ref = "openucx/ucx#5318",
	  .meaning = "undocumented; seen once, on mthca, without an explanation" },
	{ .code = 0x71, .status = IBV_WC_RETRY_EXC_ERR, .sure = GUESS,
	  .meaning = "no adapter was seen to report it: it is the default of a public preload library that injects faults into NCCL",
	  .causes = RB_CAUSES({ "the error is synthetic: look for LD_PRELOAD", GUESS, NULL, "that library" }) },
	{ .code = 0x72, .status = -1, .sure = UNKNOWN, .meaning = "undocumented; no public report" },
	{ .code = 0x81, .status = IBV_WC_RETRY_EXC_ERR, .queue = 'S', .older = true, .sure = CONF, .ref = INJECTED,
	  .meaning = "the peer never acknowledged: no ACK within timeout x retries; whether it is alive stays open" },
	{ .code = 0x83, .status = IBV_WC_RETRY_EXC_ERR, .queue = 'S', .sure = GUESS, .ref = "NVIDIA/nccl#2383",
	  .meaning = "undocumented: the retries were used up in another way than silence; the peer may have answered some packets",
	  .causes = RB_CAUSES({ "a RoCE path that loses packets, or a queue pair that is in error at the peer", GUESS, NULL, "NVIDIA/nccl#2383, open" }) },
	{ .code = 0x87, .status = IBV_WC_RNR_RETRY_EXC_ERR, .queue = 'S', .older = true, .sure = CONF, .ref = INJECTED,
	  .meaning = "the receiver had no receive posted until the RNR retries were used up: look at the PEER" },
	{ .code = 0x88, .status = IBV_WC_REM_ACCESS_ERR, .queue = 'S', .older = true, .sure = CONF, .ref = INJECTED,
	  .meaning = "the peer refused access: the rkey is not valid there, or the range or right is not; the code does not tell which",
	  .causes = RB_CAUSES(
		{ "the rkey is bad or stale, or the peer deregistered the memory or exited", CONF, NULL, INJECTED ", spdk/spdk#1387" },
		{ "address or length leave the peer's region (perftest: other -s or -a on the server)", CONF, "PT-SIZE", INJECTED },
		{ "the rkey of another device or PD was sent (hosts with several adapters)", CONF, "HCA-RKEY", "chimera-nas/libevpl pull 89" },
		{ "the right REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC is missing on the region", SRC, NULL, "ibv_reg_mr(3)" },
		{ "atomics to GPU memory", CONF, "GPU-ATOMIC", "open-mpi/ompi#1241" },
		{ "libmlx5 before v61 with an indirect key over more than 2 GiB: high offsets only", CONF, NULL, "rdma-core commit e23cb0a72" }) },
	{ .code = 0x89, .status = IBV_WC_REM_OP_ERR, .queue = 'S', .older = true, .sure = LIKELY, .ref = "openucx/ucx#5472, linux-rdma/perftest#200",
	  .meaning = "the peer failed while it served the request: ask the peer's dmesg",
	  .causes = RB_CAUSES(
		{ "the responder could not read or write its own memory (PCIe, ACS, IOMMU, GPU)", LIKELY, "ACS-ON", "linux-rdma/perftest#200" },
		{ "the responder's queue pair broke, or its receive request is malformed", LIKELY, NULL, "openucx/ucx#5472" }) },
	{ .code = 0x8a, .status = IBV_WC_REM_INV_REQ_ERR, .queue = 'S', .older = true, .sure = CONF, .ref = INJECTED,
	  .meaning = "the peer refused the request as invalid",
	  .causes = RB_CAUSES(
		{ "the peer lacks REMOTE_WRITE or REMOTE_READ for this operation on its queue pair or region (perftest: different tools on the two ends)", CONF, "PT-TOOL", INJECTED },
		{ "the peer's queue pair is not fully set up: a modify to RTR or RTS failed", LIKELY, NULL, "charmplusplus/charm#2532" },
		{ "more READs or atomics than the peer's max_dest_rd_atomic", LIKELY, NULL, NULL },
		{ "DC access or XRC mismatch", LIKELY, NULL, "Open MPI users 2013/01/21212" }) },
	{ .code = 0x93, .status = IBV_WC_REM_ABORT_ERR, .queue = 'R', .sure = SRC, .ref = "mlx5dv.h",
	  .meaning = "a page fault of on-demand paging on a receive; the provider repeats it" },
	{ .code = 0x99, .status = IBV_WC_REM_ABORT_ERR, .sure = SRC, .ref = "UCX",
	  .meaning = "the responder aborted because of the packet sequence; UCX posts the request again" },
	{ .code = 0xf5, .status = IBV_WC_WR_FLUSH_ERR, .sure = CONF, .ref = INJECTED,
	  .meaning = "the first request that was flushed because SOFTWARE moved the queue pair to the error state; nothing failed before it",
	  .causes = RB_CAUSES({ "the program or kernel tore the connection down: look at who called modify_qp or destroy, not at the network", CONF, NULL, INJECTED }) },
	{ .code = 0xf4, .status = IBV_WC_WR_FLUSH_ERR, .older = true, .sure = UNKNOWN, .ref = "Open MPI users 2014/04/24057",
	  .meaning = "a flush of an undocumented flavour, often of receives: not a cause" },
	{ .code = 0xf6, .status = IBV_WC_WR_FLUSH_ERR, .sure = UNKNOWN, .meaning = "a flush of an undocumented flavour: not a cause" },
	{ .code = 0xf7, .status = IBV_WC_WR_FLUSH_ERR, .sure = UNKNOWN, .meaning = "a flush of an undocumented flavour: not a cause" },
	{ .code = 0xf8, .status = IBV_WC_WR_FLUSH_ERR, .sure = UNKNOWN, .meaning = "a flush of an undocumented flavour: not a cause" },
	{ .code = 0xf9, .status = IBV_WC_WR_FLUSH_ERR, .older = true, .sure = CONF, .ref = INJECTED,
	  .meaning = "flushed behind an earlier error of the queue pair: never the cause" },
	{ .code = 0x05, .status = IBV_WC_WR_FLUSH_ERR, .sure = SRC, .ref = "mlx5_ib",
	  .meaning = "a flush that the kernel driver made itself" },
};
/* clang-format on */

const struct rb_vendor_table rb_vendor_mlx5 = { rows, RB_ARRAY_SIZE(rows) };
