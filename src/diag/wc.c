/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wc - what the status of a work completion means: a plain look-up table
 */
#include "diag/wc.h"

#include <infiniband/verbs.h>

#include "base/base.h"

#define SRC RB_SURE_SOURCE
#define CONF RB_SURE_CONFIRMED
#define LIKELY RB_SURE_LIKELY
#define GUESS RB_SURE_GUESS

/* clang-format off */
static const struct rb_wc_row rows[] = {
[IBV_WC_SUCCESS] = {
	.name = "SUCCESS", .text = "success", .side = "either",
	.meaning = "the request completed; nothing is wrong", },
[IBV_WC_LOC_LEN_ERR] = {
	.name = "LOC_LEN_ERR", .text = "local length error",
	.side = "responder, mostly; requester when its own request is too long",
	.meaning = "a message did not fit: the posted receive is too small, or one request is longer than the port allows",
	.cause = "a message was longer than the posted receive, or than the port allows",
	.hint_first = "compare the message size with max_msg_sz and the path MTUs of both ends",
	.causes = RB_CAUSES(
		{ "the receive buffer is smaller than the message (UD: 40 bytes for the GRH were forgotten)", SRC, NULL, "ibv_poll_cq(3)" },
		{ "the two queue pairs use different path MTUs", CONF, "MTU-PEER", "NVIDIA/nccl#1524" },
		{ "one request is longer than the port's max_msg_sz (1 GiB on older adapters)", CONF, "PT-MSGSZ", "Open MPI devel 2011/06/9301" },
		{ "a scatter entry of length 0 on mlx4, which means 2 GiB there", LIKELY, NULL, "LCI pull request 33" }),
	.check = "size of the posted receives, path MTU of both queue pairs, active_mtu of both ports, max_msg_sz",
	.next = "ibv_devinfo -v on both hosts: compare active_mtu and max_msg_sz",
	.pair = "the requester sees 9 (REM_INV_REQ_ERR) when a message overran the receive", },
[IBV_WC_LOC_QP_OP_ERR] = {
	.name = "LOC_QP_OP_ERR", .text = "local QP operation error", .side = "requester",
	.meaning = "the adapter could not execute the request: request and queue pair do not fit, or the request is malformed",
	.cause = "the device could not execute the request: an opcode, SGE count or inline size that it does not take",
	.hint_first = "repeat without -I and -l; dmesg may tell more",
	.hint_later = "it worked before: check that the port and its address still are what they were ('rbench devices'), and dmesg",
	.causes = RB_CAUSES(
		{ "an operation that the device or the queue pair does not support, too many SGEs, or too much inline data: check num_sge and the shape of the request against the device's max_sge", LIKELY, NULL, "uccl-project/uccl#972" },
		{ "the address handle was destroyed or is of another PD (UD)", SRC, NULL, "ibv_create_ah(3)" },
		{ "the request was corrupted in memory, or posted without the write barrier that ARM needs", GUESS, NULL, "openucx/ucx#857" },
		{ "the completion queue overran", LIKELY, NULL, NULL },
		{ "atomics on a device without them", SRC, NULL, "ibv_query_device(3)" }),
	.check = "vendor_err, num_sge and inline size against the device's limits, atomic_cap, 'CQ error' in dmesg",
	.next = "ibv_devinfo -v: max_sge, atomic_cap; dmesg on this host", },
[IBV_WC_LOC_EEC_OP_ERR] = {
	.name = "LOC_EEC_OP_ERR", .text = "local EE context operation error", .side = "RD only",
	.meaning = "of reliable datagrams, which no adapter of today has: a driver that reports it is at fault", },
[IBV_WC_LOC_PROT_ERR] = {
	.name = "LOC_PROT_ERR", .text = "local protection error",
	.side = "the end that reports it: requester (send queue) or responder (receive queue)",
	.meaning = "a local buffer could not be used: its key, range, PD or rights were refused, or DMA to it failed",
	.cause = "the device was not allowed to read or write the local buffer",
	.hint_first = "suspect the IOMMU or PCIe access control (ACS): see dmesg",
	.causes = RB_CAUSES(
		{ "DMA to GPU or peer memory is blocked by PCIe ACS or the IOMMU (mlx5: vendor 0x51)", CONF, "ACS-ON", "openucx/ucx#3564" },
		{ "the lkey is stale, or of another PD or device (mlx5: 0x52)", CONF, NULL, "fault injection" },
		{ "the range leaves its memory region (mlx5: 0x53)", CONF, NULL, "fault injection" },
		{ "the memory region lacks LOCAL_WRITE and is the target of a receive or a READ (mlx5: 0x33)", CONF, NULL, "fault injection" },
		{ "the buffer was freed or remapped below the region; fork without copy-on-fork", LIKELY, "FORK", NULL }),
	.check = "which memory it is (GPU?), lkey and range against the region, ACS and IOMMU",
	.next = "repeat with host memory; then lspci -vvv | grep ACSCtl and cat /proc/cmdline", },
[IBV_WC_WR_FLUSH_ERR] = {
	.name = "WR_FLUSH_ERR", .text = "Work Request Flushed Error", .side = "either",
	.meaning = "the queue pair was in the error state already: a consequence, never the cause",
	.cause = "the QP was in the error state already: the cause came before, perhaps on the other side",
	.hint_first = "look at the other side's output and at 'events' of the JSON document",
	.causes = RB_CAUSES(
		{ "an earlier error of the same queue pair: the first completion that is not a flush", SRC, NULL, "InfiniBand specification, 10.3.1" },
		{ "the peer closed or lost the connection", LIKELY, NULL, NULL },
		{ "the program itself moved the queue pair to the error state or destroyed it", CONF, NULL, "fault injection (mlx5 0xf5)" },
		{ "the port or its GID went away", LIKELY, "GID-CHANGE", NULL }),
	.check = "the first completion that is not a flush, on BOTH sides; async events; RDMA_CM_EVENT_DISCONNECTED",
	.next = "give 'rbench explain' the whole log, and the log of the other side", },
[IBV_WC_MW_BIND_ERR] = {
	.name = "MW_BIND_ERR", .text = "memory management operation error", .side = "requester",
	.meaning = "binding a memory window, a local invalidate or a fast registration was refused",
	.cause = "a memory window could not be bound", .hint_first = "see dmesg on both hosts",
	.causes = RB_CAUSES(
		{ "the region lacks MW_BIND, or the window asks for more rights than the region has", SRC, NULL, "ibv_bind_mw(3)" },
		{ "the key is in use already", LIKELY, NULL, NULL },
		{ "the range leaves the region", SRC, NULL, "ibv_bind_mw(3)" }),
	.check = "access flags of the region, state of the key", },
[IBV_WC_BAD_RESP_ERR] = {
	.name = "BAD_RESP_ERR", .text = "bad response error", .side = "requester",
	.meaning = "the response had an opcode or length that does not belong to the request",
	.cause = "the peer answered with an unexpected packet",
	.hint_first = "compare firmware and driver versions of both ends",
	.causes = RB_CAUSES(
		{ "firmware or driver of the peer; two vendors that do not agree", LIKELY, NULL, NULL },
		{ "a queue pair number was used again too early, so old packets arrive", LIKELY, NULL, NULL },
		{ "EFA: the peer is down (device status 12)", LIKELY, NULL, "ofiwg/libfabric#9694" }),
	.check = "firmware and driver versions of both ends", },
[IBV_WC_LOC_ACCESS_ERR] = {
	.name = "LOC_ACCESS_ERR", .text = "local access error", .side = "responder",
	.meaning = "a request that came in hit the protection of the memory here",
	.cause = "the peer's request was refused by the protection of the memory here",
	.hint_first = "see dmesg on both hosts",
	.causes = RB_CAUSES(
		{ "the region lacks the remote right", SRC, NULL, "ibv_reg_mr(3)" },
		{ "the key is wrong or stale", LIKELY, NULL, NULL },
		{ "the queue pair's access flags lack the right", SRC, NULL, "ibv_modify_qp(3)" }),
	.check = "qp_access_flags at INIT, access flags of the region", },
[IBV_WC_REM_INV_REQ_ERR] = {
	.name = "REM_INV_REQ_ERR", .text = "remote invalid request error", .side = "requester",
	.meaning = "the peer's adapter refused the request as invalid for its queue pair; it is alive",
	.cause = "the peer's device refused the request as invalid for its QP: access flags, too many outstanding reads, or the message is too long",
	.hint_first = "compare the path MTU and limits of both ends ('rbench devices -v')",
	.causes = RB_CAUSES(
		{ "the peer's queue pair or region lacks REMOTE_WRITE, REMOTE_READ or REMOTE_ATOMIC for this operation", CONF, NULL, "fault injection (mlx5 0x8a)" },
		{ "more READs or atomics under way than the peer's max_dest_rd_atomic, or 0", SRC, NULL, "InfiniBand specification, 9.7.4" },
		{ "a SEND that is longer than the peer's receive (it shows status 1)", SRC, NULL, "ibv_poll_cq(3)" },
		{ "the two path MTUs differ", LIKELY, "MTU-PEER", NULL },
		{ "the peer's queue pair is only half set up: a modify to RTR or RTS failed and was ignored", LIKELY, NULL, "charmplusplus/charm#2532" },
		{ "an atomic that is not aligned to 8 bytes", SRC, NULL, "ibv_post_send(3)" }),
	.check = "access flags, max_rd_atomic against max_dest_rd_atomic, path MTU: of both queue pairs",
	.next = "compare the attributes of both queue pairs (ibv_query_qp); perftest: the same tool on both ends",
	.pair = "the responder sees QP_REQ_ERR, or a completion 1, 2 or 8", },
[IBV_WC_REM_ACCESS_ERR] = {
	.name = "REM_ACCESS_ERR", .text = "remote access error", .side = "requester",
	.meaning = "the peer's adapter refused access to its memory: rkey, address range or rights; it is alive",
	.cause = "the peer's device refused access: wrong rkey, address or permission",
	.hint_first = "look at the other side: it may have ended and released its memory",
	.hint_later = "look at the other side: it may have ended and released its memory",
	.causes = RB_CAUSES(
		{ "the rkey is stale: the peer deregistered the memory or is exiting", CONF, NULL, "spdk/spdk#1387" },
		{ "the rkey is of another device or PD of a peer with several adapters", CONF, NULL, "chimera-nas/libevpl pull 89" },
		{ "address or length leave the region (perftest: other -s or -a on the server)", CONF, "PT-SIZE", "fault injection" },
		{ "the region or the queue pair lacks the remote right", SRC, NULL, "ibv_reg_mr(3)" },
		{ "atomics on GPU memory", CONF, "GPU-ATOMIC", "open-mpi/ompi#1241" },
		{ "the program cut or byte-swapped the rkey when it exchanged it", LIKELY, NULL, NULL },
		{ "a memory window was invalidated", SRC, NULL, "ibv_bind_mw(3)" },
		{ "the program picked an adapter that does not lead to the peer (one inside the node)", CONF, "HCA-WRONG", "NCCL beside EFA, public report" }),
	.check = "address, length and rkey that were sent against those registered; PD and device; dmesg of the responder ('QP .. error')",
	.next = "on the peer: dmesg | grep 'QP .* error'; does its process still run?",
	.pair = "the responder sees the async event QP_ACCESS_ERR and no completion", },
[IBV_WC_REM_OP_ERR] = {
	.name = "REM_OP_ERR", .text = "remote operation error", .side = "requester",
	.meaning = "the peer's adapter failed while it served the request: look there",
	.cause = "the peer's device failed while it served the request",
	.hint_first = "look at dmesg on the other side (PCIe, IOMMU)",
	.causes = RB_CAUSES(
		{ "the responder could not read or write its own memory: PCIe, IOMMU or ACS (READ from a GPU)", LIKELY, "ACS-ON", "linux-rdma/perftest#200" },
		{ "a malformed receive request at the peer", SRC, NULL, "ibv_poll_cq(3)" },
		{ "the peer's queue pair or SRQ broke", LIKELY, NULL, NULL },
		{ "iWARP: the CRC of a segment was wrong", SRC, NULL, "irdma" }),
	.check = "completions, async events, dmesg and PCIe errors (AER) of the responder",
	.next = "on the peer: dmesg | grep -i -e aer -e iommu -e dmar -e 'QP .* error'",
	.pair = "the responder sees 4 or 2, or an async event", },
[IBV_WC_RETRY_EXC_ERR] = {
	.name = "RETRY_EXC_ERR", .text = "transport retry counter exceeded", .side = "requester",
	.meaning = "the peer never acknowledged: no valid answer came within any of the retries",
	.cause = "no acknowledgement came for any of the retries: packets or their acknowledgements do not arrive",
	.hint_first = "check that the GIDs reach each other ('rbench devices', ip route), that no firewall drops UDP 4791, and the MTU on the way",
	.hint_later = "it worked before: check link, cable and switch port, that the other side still runs, and for packet loss (PFC, ECN)",
	.causes = RB_CAUSES(
		{ "at once, every time, RoCE: the GIDs do not reach each other (link-local fe80, RoCE v1, another type at the other end): choose the IPv4-mapped RoCE v2 GID on both ends (index 3 on many hosts, but look it up)", CONF, "GID-CHOICE", "NVIDIA/nccl#426" },
		{ "at once, RoCE: this pair of adapters has no path (rail-isolated fabric), or several adapters share one subnet (ARP flux)", CONF, "NET-RAIL", "ROCm/rccl#1303" },
		{ "at once: UDP port 4791 is filtered (firewall, security group, switch ACL)", LIKELY, "NET-FW", NULL },
		{ "small messages pass and large ones do not: the path MTU is above what the way carries", CONF, "MTU-HARD", NULL },
		{ "at once, InfiniBand: LID, SL or P_Key index do not fit (partition without full membership)", CONF, "IB-PKEY", "NVIDIA/nccl#1323" },
		{ "after working: the peer's process ended or its host went down", CONF, NULL, "fault injection" },
		{ "after working: the link went down and up", CONF, "PORT-FLAP", "spdk/spdk#414" },
		{ "after working, RoCE: packets are lost (no PFC or ECN, wrong priority), or the peer is paused", LIKELY, "QOS-MAP", "openucx/ucx#2434" }),
	.check = "WHEN it came (first message or later) and WHO still runs; port state and GIDs of both ends; loss counters",
	.next = "rbench write_bw between the two hosts (it chooses the GIDs); rbench devices on both",
	.pair = "the responder sees nothing, or its process died", },
[IBV_WC_RNR_RETRY_EXC_ERR] = {
	.name = "RNR_RETRY_EXC_ERR", .text = "RNR retry counter exceeded", .side = "requester",
	.meaning = "the receiver had no receive posted, for more retries than rnr_retry allows: look at the PEER",
	.cause = "the peer had no receive posted, for all retries",
	.hint_first = "look at the other side: its process may be stuck",
	.causes = RB_CAUSES(
		{ "the peer posted no or too few receives, or its SRQ is empty", CONF, NULL, "fault injection (mlx5 0x87)" },
		{ "rnr_retry is below 7 (7 is without end)", SRC, NULL, "ibv_modify_qp(3)" },
		{ "min_rnr_timer of the peer is too small for its pace", LIKELY, NULL, NULL },
		{ "the peer's program is stuck or starts late", LIKELY, NULL, "Open MPI users 2011/12/18005" }),
	.check = "out_of_buffer at the peer, rnr_nak_retry_err here, the SRQ's limit",
	.next = "on the peer: its hw_counters out_of_buffer; set rnr_retry 7 and min_rnr_timer 12 (rdma_cm leaves 0, which is 655.36 ms)",
	.pair = "the responder sees nothing; its out_of_buffer rises", },
[IBV_WC_LOC_RDD_VIOL_ERR] = {
	.name = "LOC_RDD_VIOL_ERR", .text = "local RDD violation error", .side = "RD only",
	.meaning = "of reliable datagrams, which no adapter of today has", },
[IBV_WC_REM_INV_RD_REQ_ERR] = {
	.name = "REM_INV_RD_REQ_ERR", .text = "remote invalid RD request", .side = "as the provider has it",
	.meaning = "of reliable datagrams; providers use it for their own: EFA for a destination QP that is gone, hns for an XRC violation, qedr for an invalid request", },
[IBV_WC_REM_ABORT_ERR] = {
	.name = "REM_ABORT_ERR", .text = "aborted error", .side = "requester",
	.meaning = "the responder aborted the operation (mlx5: on-demand paging or PSN; EFA: the peer reset the connection)",
	.cause = "the peer aborted the operation",
	.hint_first = "look at the other side's output", },
[IBV_WC_INV_EECN_ERR] = {
	.name = "INV_EECN_ERR", .text = "invalid EE context number", .side = "RD only",
	.meaning = "of reliable datagrams; in a line of the mlx5 kernel driver this text stands for hardware syndrome 0x11, local access error", },
[IBV_WC_INV_EEC_STATE_ERR] = {
	.name = "INV_EEC_STATE_ERR", .text = "invalid EE context state", .side = "RD only",
	.meaning = "of reliable datagrams; in a line of the mlx5 kernel driver this text stands for hardware syndrome 0x12, remote invalid request", },
[IBV_WC_FATAL_ERR] = {
	.name = "FATAL_ERR", .text = "fatal error", .side = "either",
	.meaning = "an unrecoverable error of transport or hardware (irdma before 2022 used it for many others)",
	.cause = "the device reported an unrecoverable error",
	.hint_first = "see dmesg and 'devlink health'",
	.check = "dmesg, devlink health, the version of the provider library",
	.next = "devlink health show; dmesg", },
[IBV_WC_RESP_TIMEOUT_ERR] = {
	.name = "RESP_TIMEOUT_ERR", .text = "response timeout error", .side = "requester",
	.meaning = "the peer did not respond (EFA: it went silent, or never answered)",
	.cause = "the peer did not respond in time",
	.hint_first = "check security groups, subnets, and that the other side still runs",
	.causes = RB_CAUSES(
		{ "the security group does not allow all traffic to and from itself", LIKELY, "EFA-SG", "ofiwg/libfabric pull 8889" },
		{ "the instances are in different subnets", LIKELY, "EFA-SG", "ofiwg/libfabric pull 8889" },
		{ "the peer's process ended or its host failed", LIKELY, NULL, "ofiwg/libfabric pull 9666" }), },
[IBV_WC_GENERAL_ERR] = {
	.name = "GENERAL_ERR", .text = "general error", .side = "either",
	.meaning = "the provider has no better name: only the vendor's code tells more",
	.cause = "the provider has no better name for this error",
	.hint_first = "the vendor's error code tells more; see dmesg", },
[IBV_WC_TM_ERR] = {
	.name = "TM_ERR", .text = "TM error", .side = "responder",
	.meaning = "the adapter's list for tag matching is in error", },
[IBV_WC_TM_RNDV_INCOMPLETE] = {
	.name = "TM_RNDV_INCOMPLETE", .text = "TM software rendezvous", .side = "responder",
	.meaning = "not an error: software has to finish the rendezvous", },
};
/* clang-format on */

static const struct rb_wc_row unknown = {
	.name = "unknown",
	.text = "unknown",
	.side = "unknown",
	.meaning = "no status of that number is defined",
	.cause = "rbench does not know more about this status",
	.hint_first = "see dmesg on both hosts",
};

const struct rb_wc_row *rb_wc_row(unsigned int status)
{
	_Static_assert(RB_ARRAY_SIZE(rows) == RB_WC_STATUSES, "all of them");
	return status < RB_WC_STATUSES ? &rows[status] : &unknown;
}
