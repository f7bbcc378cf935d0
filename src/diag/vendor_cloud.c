/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vendor_cloud - vendor_err of EFA (AWS) and mana (Azure)
 *
 * From efa_io_defs.h and efa's verbs.c with what libfabric adds, and from mana's
 * enum: certainty "source" for the name and the status.
 */
#include <infiniband/verbs.h>

#include "base/base.h"
#include "diag/vendor.h"

#define SRC .sure = RB_SURE_SOURCE
#define ROW(c, s, q, n, m) { .code = (c), .status = (s), .queue = (q), .name = (n), .meaning = (m), SRC }
#define LIKELY RB_SURE_LIKELY

/* clang-format off */
static const struct rb_vendor_row efa[] = {
	ROW(1, IBV_WC_WR_FLUSH_ERR, 0, "FLUSHED", "flushed: the queue pair is being destroyed"),
	ROW(2, IBV_WC_LOC_QP_OP_ERR, 0, "LOCAL_ERROR_QP_INTERNAL_ERROR", "internal error of the device"),
	ROW(3, IBV_WC_LOC_QP_OP_ERR, 0, "LOCAL_ERROR_UNSUPPORTED_OP", "an operation that the device lacks (RDMA write on the first generation)"),
	ROW(4, IBV_WC_LOC_QP_OP_ERR, 0, "LOCAL_ERROR_INVALID_AH", "the address handle was destroyed or is of another PD"),
	ROW(5, IBV_WC_LOC_PROT_ERR, 0, "LOCAL_ERROR_INVALID_LKEY", "lkey, rights or address do not fit"),
	ROW(6, IBV_WC_LOC_LEN_ERR, 0, "LOCAL_ERROR_BAD_LENGTH", "too long: a send above the MTU, or above max_wr_rdma_size"),
	ROW(7, IBV_WC_REM_ACCESS_ERR, 0, "REMOTE_ERROR_BAD_ADDRESS", "rkey, rights or address at the peer (older stacks used it for an interface that is down or no EFA)"),
	ROW(8, IBV_WC_REM_ABORT_ERR, 0, "REMOTE_ERROR_ABORT", "the peer reset the connection"),
	ROW(9, IBV_WC_REM_INV_RD_REQ_ERR, 0, "REMOTE_ERROR_BAD_DEST_QPN", "the destination queue pair is gone: the peer's process ended or crashed"),
	ROW(10, IBV_WC_RNR_RETRY_EXC_ERR, 0, "REMOTE_ERROR_RNR", "the peer had no receive posted"),
	ROW(11, IBV_WC_REM_INV_REQ_ERR, 0, "REMOTE_ERROR_BAD_LENGTH", "the peer's receive is too short"),
	{ .code = 12, .status = IBV_WC_BAD_RESP_ERR, .name = "REMOTE_ERROR_BAD_STATUS", SRC,
	  .meaning = "an unexpected status from the peer",
	  .causes = RB_CAUSES({ "the peer is down", LIKELY, NULL, "ofiwg/libfabric#9694" }) },
	{ .code = 13, .status = IBV_WC_RESP_TIMEOUT_ERR, .name = "LOCAL_ERROR_UNRESP_REMOTE", SRC,
	  .meaning = "the peer answered before and is silent now",
	  .causes = RB_CAUSES({ "the peer's process crashed or its hardware failed", LIKELY, NULL, "ofiwg/libfabric pull 9666" },
		{ "the security group does not allow all traffic within itself, both ways", LIKELY, "EFA-SG", "ofiwg/libfabric pull 8889" }) },
	ROW(14, IBV_WC_REM_OP_ERR, 0, "REMOTE_ERROR_UNKNOWN_PEER", "the peer has no address handle for this end, which RDMA needs"),
	{ .code = 15, .status = IBV_WC_RESP_TIMEOUT_ERR, .name = "LOCAL_ERROR_UNREACH_REMOTE", SRC,
	  .meaning = "the peer NEVER answered",
	  .causes = RB_CAUSES({ "the security group must allow all traffic to and from itself, inbound and outbound", LIKELY, "EFA-SG", "ofiwg/libfabric pull 8889" },
		{ "the instances are not in one subnet or availability zone, or the EFA is not attached", LIKELY, "EFA-SG", "ofiwg/libfabric pull 8889" },
		{ "an operation that the transport does not implement (UCX over SRD)", RB_SURE_GUESS, NULL, "openucx/ucx#10950" }) },
	ROW(18, IBV_WC_REM_INV_REQ_ERR, 0, "REMOTE_ERROR_FEATURE_MISMATCH", "the peer lacks a feature that was asked for, or did not enable it"),
	ROW(4105, -1, 0, "libfabric OOM", "libfabric ran out of memory"),
	ROW(4108, -1, 0, "libfabric pool exhausted", "a pool of libfabric is exhausted"),
	ROW(4109, -1, 0, "libfabric pool exhausted", "a pool of libfabric is exhausted"),
	ROW(4124, -1, 0, "libfabric ESTABLISHED_RECV_UNRESP", "the handshake had succeeded, and the peer is silent now: its process ended, or its hardware failed"),
	ROW(4125, -1, 0, "libfabric zero-copy mismatch", "the two ends do not agree on zero-copy receive"),
	ROW(4126, -1, 0, "libfabric UNESTABLISHED_RECV_UNRESP", "the peer is reachable, but the handshake never completed: its process is gone or stuck"),
	ROW(4127, -1, 0, "libfabric PEER_ABORTED", "the peer aborted"),
};
const struct rb_vendor_table rb_vendor_efa = { efa, RB_ARRAY_SIZE(efa) };

static const struct rb_vendor_row mana[] = {
	ROW(0x003, IBV_WC_REM_INV_REQ_ERR, 'R', "RX_OP_REQ", "the operation that came in was refused"),
	ROW(0x005, IBV_WC_LOC_LEN_ERR, 'R', "RX_PKT_LEN", "length of a packet wrong"),
	ROW(0x043, IBV_WC_REM_ACCESS_ERR, 'R', "RX_ATB_RKEY_MISCONFIG", "rkey of access that came in not valid"),
	ROW(0x083, IBV_WC_REM_ACCESS_ERR, 'R', "RX_ATB_RKEY_ADDR_RIGHT", "access that came in lacked the right"),
	ROW(0x0c3, IBV_WC_REM_ACCESS_ERR, 'R', "RX_ATB_RKEY_ADDR_RANGE", "access that came in left the region"),
	ROW(0x102, IBV_WC_LOC_LEN_ERR, 'R', "RX_MSG_LEN_OVFL", "the message is longer than the receive"),
	ROW(0x108, IBV_WC_FATAL_ERR, 'R', "RX_MISBEHAVING_CLIENT", "the client misbehaves"),
	ROW(0x109, IBV_WC_LOC_QP_OP_ERR, 'R', "RX_MALFORMED_WQE", "malformed receive request"),
	ROW(0x10a, IBV_WC_FATAL_ERR, 'R', "RX_CLIENT_ID", "client id"),
	ROW(0x10b, IBV_WC_LOC_ACCESS_ERR, 'R', "RX_GFID", "function id"),
	ROW(0x10c, IBV_WC_FATAL_ERR, 'R', "RX_PCIE", "PCIe error"),
	ROW(0x10f, IBV_WC_LOC_LEN_ERR, 'S', "RX_READRESP_LEN_MISMATCH", "length of a READ response wrong"),
	ROW(0x111, IBV_WC_FATAL_ERR, 'R', "RX_NO_AVAIL_WQE", "no receive posted"),
	ROW(0x143, IBV_WC_LOC_PROT_ERR, 'R', "RX_ATB_SGE_MISCONFIG", "key of the receive buffer"),
	ROW(0x145, IBV_WC_FATAL_ERR, 'R', "RX_ATB_WQE_MISCONFIG", "the receive queue's own memory"),
	ROW(0x161, IBV_WC_REM_OP_ERR, 'S', "RX_INVALID_REQ_NAK", "the peer refused the request as invalid"),
	ROW(0x162, IBV_WC_REM_ACCESS_ERR, 'S', "RX_REMOTE_ACCESS_NAK", "the peer refused access"),
	ROW(0x163, IBV_WC_REM_OP_ERR, 'S', "RX_REMOTE_OP_ERR_NAK", "the peer failed while it served the request"),
	ROW(0x164, IBV_WC_RNR_RETRY_EXC_ERR, 'S', "RX_RNR_NAK", "the peer had no receive posted (libraries before 2025-08 show status 21)"),
	ROW(0x183, IBV_WC_LOC_ACCESS_ERR, 'R', "RX_ATB_SGE_ADDR_RIGHT", "the receive buffer lacks the right"),
	ROW(0x185, IBV_WC_FATAL_ERR, 'R', "RX_ATB_WQE_ADDR_RIGHT", "the receive queue's own memory"),
	ROW(0x1c3, IBV_WC_LOC_PROT_ERR, 'R', "RX_ATB_SGE_ADDR_RANGE", "the receive buffer leaves its region"),
	ROW(0x1c5, IBV_WC_FATAL_ERR, 'R', "RX_ATB_WQE_ADDR_RANGE", "the receive queue's own memory"),
	ROW(0x1c6, IBV_WC_RETRY_EXC_ERR, 'S', "TX_RETRY_LIMIT_EXCEEDED", "the peer never acknowledged (libraries before 2025-08 show status 21)"),
	ROW(0x1c7, IBV_WC_WR_FLUSH_ERR, 0, "RX_NOT_EMPTY_ON_DISABLE", "flushed"),
	ROW(0x201, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_GDMA_CORRUPTED_WQE", "corrupted request"),
	ROW(0x202, IBV_WC_LOC_PROT_ERR, 'S', "TX_ATB_WQE_ACCESS_VIOLATION", "the send queue's own memory: access"),
	ROW(0x203, IBV_WC_LOC_PROT_ERR, 'S', "TX_ATB_WQE_ADDR_RANGE", "the send queue's own memory: range"),
	ROW(0x204, IBV_WC_LOC_PROT_ERR, 'S', "TX_ATB_WQE_CONFIG", "the send queue's own memory: configuration"),
	ROW(0x205, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_PCIE_WQE", "PCIe error on a request"),
	ROW(0x206, IBV_WC_LOC_PROT_ERR, 'S', "TX_ATB_MSG_ACCESS_VIOLATION", "local buffer: access"),
	ROW(0x207, IBV_WC_LOC_PROT_ERR, 'S', "TX_ATB_MSG_ADDR_RANGE", "local buffer: range"),
	ROW(0x208, IBV_WC_LOC_PROT_ERR, 'S', "TX_ATB_MSG_CONFIG", "local buffer: configuration"),
	ROW(0x209, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_PCIE_MSG", "PCIe error on the local buffer"),
	ROW(0x20a, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_GDMA_INVALID_STATE", "state of the queue"),
	ROW(0x20b, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_MISBEHAVING_CLIENT", "the client misbehaves"),
	ROW(0x210, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_RDMA_MALFORMED_WQE_SIZE", "size of the request"),
	ROW(0x211, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_RDMA_MALFORMED_WQE_FIELD", "field of the request"),
	ROW(0x212, IBV_WC_FATAL_ERR, 'S', "TX_RDMA_INVALID_STATE", "state of the queue pair"),
	ROW(0x213, IBV_WC_FATAL_ERR, 'S', "TX_RDMA_INVALID_NPT", "network parameters"),
	ROW(0x214, IBV_WC_FATAL_ERR, 'S', "TX_RDMA_INVALID_SGID", "source GID not valid"),
	ROW(0x215, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_RDMA_WQE_UNSUPPORTED", "operation not supported"),
	ROW(0x216, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_RDMA_WQE_LEN_ERR", "length of the request"),
	ROW(0x217, IBV_WC_LOC_QP_OP_ERR, 'S', "TX_RDMA_WQE_MTU_ERR", "MTU"),
	ROW(0x218, IBV_WC_FATAL_ERR, 'S', "TX_RDMA_VFID_MISMATCH", "virtual function id"),
	ROW(0x220, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_MISS", "key not found"),
	ROW(0x221, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_IDX_ERROR", "index of the key"),
	ROW(0x222, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_TAG_MISMATCH", "tag of the key"),
	ROW(0x223, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_PDID_MISMATCH", "the key is of another PD"),
	ROW(0x224, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_AR_ERROR", "the key lacks the right"),
	ROW(0x225, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_PT_OVF", "page table overflow"),
	ROW(0x226, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_PT_LENGTH_MISMATCH", "page table length"),
	ROW(0x227, IBV_WC_LOC_PROT_ERR, 'S', "TX_RDMA_ATB_CMD_ILLEGAL_CMD", "illegal command"),
	ROW(0xfff, IBV_WC_WR_FLUSH_ERR, 0, "SW_FLUSHED", "flushed by software"),
};
/* clang-format on */
const struct rb_vendor_table rb_vendor_mana = { mana, RB_ARRAY_SIZE(mana) };
