/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vendor_irdma - vendor_err and asynchronous events of irdma
 *
 * vendor_err is major << 16 | minor. Major 1 is a flush whose minor is the
 * reason, which stands on the first completion of the queue only. Versions of
 * the library before 2022 show 19 (FATAL_ERR) for several of them.
 */
#include <infiniband/verbs.h>

#include "base/base.h"
#include "diag/vendor.h"

#define ROW(c, s, n, m) { .code = (c), .status = (s), .name = (n), .meaning = (m), .sure = RB_SURE_SOURCE }

/* clang-format off */
static const struct rb_vendor_row codes[] = {
	ROW(0x10000, IBV_WC_FATAL_ERR, "FLUSH_INVALID", "flushed for no known reason"),
	ROW(0x10001, IBV_WC_WR_FLUSH_ERR, "FLUSH_GENERAL_ERR", "flushed behind an earlier error"),
	ROW(0x10002, IBV_WC_LOC_PROT_ERR, "FLUSH_PROT_ERR", "local key, PD, range or rights"),
	ROW(0x10003, IBV_WC_REM_ACCESS_ERR, "FLUSH_REM_ACCESS_ERR", "the peer refused access"),
	ROW(0x10004, IBV_WC_LOC_QP_OP_ERR, "FLUSH_LOC_QP_OP_ERR", "the request could not be executed"),
	ROW(0x10005, IBV_WC_REM_OP_ERR, "FLUSH_REM_OP_ERR", "the peer failed while it served the request (iWARP: a segment with a wrong CRC)"),
	ROW(0x10006, IBV_WC_LOC_LEN_ERR, "FLUSH_LOC_LEN_ERR", "local length error"),
	ROW(0x10007, IBV_WC_FATAL_ERR, "FLUSH_FATAL_ERR", "catastrophic error"),
	ROW(0x10008, IBV_WC_RETRY_EXC_ERR, "FLUSH_RETRY_EXC_ERR", "the peer never acknowledged (before 2021-12 shown as 19)"),
	ROW(0x10009, IBV_WC_MW_BIND_ERR, "FLUSH_MW_BIND_ERR", "window binding refused (before 2021-12 shown as 19)"),
	ROW(0x1000a, IBV_WC_REM_INV_REQ_ERR, "FLUSH_REM_INV_REQ_ERR", "the peer refused the request as invalid (before 2022-09 shown as 19)"),
	ROW(0x1000b, IBV_WC_RNR_RETRY_EXC_ERR, "FLUSH_RNR_RETRY_EXC_ERR", "the peer had no receive posted"),
};
const struct rb_vendor_table rb_vendor_irdma = { codes, RB_ARRAY_SIZE(codes) };

static const struct rb_irdma_ae events[] = {
	{ 0x0102, IBV_WC_LOC_PROT_ERR, "AMP_UNALLOCATED_STAG", "the key is not allocated" },
	{ 0x0103, IBV_WC_LOC_PROT_ERR, "AMP_INVALID_STAG", "the key is not valid" },
	{ 0x0104, IBV_WC_LOC_PROT_ERR, "AMP_BAD_QP", "the key belongs to another queue pair" },
	{ 0x0105, IBV_WC_LOC_PROT_ERR, "AMP_BAD_PD", "the key belongs to another PD" },
	{ 0x0106, IBV_WC_LOC_PROT_ERR, "AMP_BAD_STAG_KEY", "the key's low byte is stale" },
	{ 0x0107, IBV_WC_LOC_PROT_ERR, "AMP_BAD_STAG_INDEX", "the key's index is wrong" },
	{ 0x0108, IBV_WC_LOC_PROT_ERR, "AMP_BOUNDS_VIOLATION", "the range leaves the region" },
	{ 0x0109, IBV_WC_LOC_PROT_ERR, "AMP_RIGHTS_VIOLATION", "a right is missing" },
	{ 0x010a, IBV_WC_LOC_PROT_ERR, "AMP_TO_WRAP", "the address wraps" },
	{ 0x0112, IBV_WC_REM_ACCESS_ERR, "AMP_INVALIDATE_NO_REMOTE_ACCESS_RIGHTS", NULL },
	{ 0x0114, IBV_WC_MW_BIND_ERR, "AMP_FASTREG_VALID_STAG", "the key is in use already" },
	{ 0x0118, IBV_WC_MW_BIND_ERR, "AMP_MWBIND_INVALID_RIGHTS", NULL },
	{ 0x0119, IBV_WC_MW_BIND_ERR, "AMP_MWBIND_INVALID_BOUNDS", NULL },
	{ 0x011b, IBV_WC_MW_BIND_ERR, "AMP_MWBIND_BIND_DISABLED", NULL },
	{ 0x011c, IBV_WC_LOC_PROT_ERR, "PRIV_OPERATION_DENIED", NULL },
	{ 0x0132, IBV_WC_LOC_LEN_ERR, "UDA_XMIT_DGRAM_TOO_LONG", NULL },
	{ 0x0133, IBV_WC_LOC_QP_OP_ERR, "UDA_XMIT_BAD_PD", NULL },
	{ 0x0134, IBV_WC_LOC_LEN_ERR, "UDA_XMIT_DGRAM_TOO_SHORT", NULL },
	{ 0x0135, IBV_WC_LOC_LEN_ERR, "UDA_L4LEN_INVALID", NULL },
	{ 0x0203, -1, "CQ_OPERATION_ERROR", "the completion queue overran or could not be written" },
	{ 0x0205, -1, "RDMA_READ_WHILE_ORD_ZERO", "a READ although no outstanding READ was agreed" },
	{ 0x0207, -1, "RREQ_AND_Q1_FULL", "more READs came in than the inbound depth (IRD) allows" },
	{ 0x0208, IBV_WC_REM_INV_REQ_ERR, "IB_INVALID_REQUEST", NULL },
	{ 0x0209, -1, "SRQ_LIMIT", "the SRQ fell below its limit" },
	{ 0x020a, IBV_WC_LOC_QP_OP_ERR, "WQE_UNEXPECTED_OPCODE", NULL },
	{ 0x020d, IBV_WC_REM_ACCESS_ERR, "IB_REMOTE_ACCESS_ERROR", NULL },
	{ 0x020e, IBV_WC_REM_OP_ERR, "IB_REMOTE_OP_ERROR", NULL },
	{ 0x0221, -1, "ATOMIC_ALIGNMENT", "an atomic that is not aligned to 8 bytes" },
	{ 0x0224, -1, "PCIE_ATOMIC_DISABLE", "atomics are disabled on PCIe" },
	{ 0x0303, IBV_WC_LOC_LEN_ERR, "DDP_UBE_DDP_MESSAGE_TOO_LONG_FOR_AVAILABLE_BUFFER", "the message is longer than the receive" },
	{ 0x0305, IBV_WC_LOC_LEN_ERR, "DDP_UBE_INVALID_MO", NULL },
	{ 0x0306, -1, "DDP_UBE_INVALID_MSN_NO_BUFFER_AVAILABLE", "iWARP: no receive was posted" },
	{ 0x0316, IBV_WC_REM_OP_ERR, "ROCE_RSP_LENGTH_ERROR", NULL },
	{ 0x0401, -1, "INVALID_ARP_ENTRY", "the peer's address is not resolved" },
	{ 0x0403, -1, "STALE_ARP_ENTRY", "the peer's address is stale" },
	{ 0x0406, -1, "INVALID_AH_ENTRY", "the address handle is not valid" },
	{ 0x0501, -1, "LLP_CLOSE_COMPLETE", "the connection was closed" },
	{ 0x0502, -1, "LLP_CONNECTION_RESET", "the peer reset the connection" },
	{ 0x0503, -1, "LLP_FIN_RECEIVED", "the peer closed the connection" },
	{ 0x0505, IBV_WC_REM_OP_ERR, "LLP_RECEIVED_MPA_CRC_ERROR", "iWARP: data was corrupted on the way" },
	{ 0x0507, IBV_WC_REM_OP_ERR, "LLP_SEGMENT_TOO_SMALL", "iWARP: MTU, or a box on the way that cuts segments" },
	{ 0x0509, -1, "LLP_TERMINATE_RECEIVED", "the peer terminated the connection" },
	{ 0x050a, IBV_WC_RETRY_EXC_ERR, "LLP_TOO_MANY_RETRIES", "the peer is silent" },
	{ 0x050b, -1, "LLP_TOO_MANY_KEEPALIVE_RETRIES", "the peer is silent" },
	{ 0x050c, -1, "LLP_DOUBT_REACHABILITY", "the peer may not be reachable any more" },
	{ 0x050f, IBV_WC_RNR_RETRY_EXC_ERR, "LLP_TOO_MANY_RNRS", "the peer had no receive posted" },
	{ 0x0520, -1, "RESOURCE_EXHAUSTION", "the adapter ran out of a resource" },
	{ 0x0602, -1, "TERMINATE_SENT", "this end terminated the connection" },
	{ 0x0700, IBV_WC_FATAL_ERR, "LCE_QP_CATASTROPHIC", NULL },
	{ 0x0703, IBV_WC_FATAL_ERR, "REMOTE_QP_CATASTROPHIC", NULL },
	{ 0x0704, IBV_WC_FATAL_ERR, "LOCAL_QP_CATASTROPHIC", NULL },
	{ 0x0705, IBV_WC_FATAL_ERR, "RCE_QP_CATASTROPHIC", NULL },
	{ 0x0b0b, -1, "ADAPTER_CATASTROPHIC", "the adapter failed as a whole" },
};
/* clang-format on */

const struct rb_irdma_ae *rb_irdma_ae(uint32_t id)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(events); i++)
		if (events[i].id == id)
			return &events[i];
	return NULL;
}
