/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vendor_misc - vendor_err of bnxt_re, hns, erdma, cxgb4, ionic, qedr, ocrdma
 *
 * From the enums of rdma-core's providers: certainty "source" throughout.
 */
#include <infiniband/verbs.h>

#include "base/base.h"
#include "diag/vendor.h"

#define SRC .sure = RB_SURE_SOURCE
#define ROW(c, s, q, n, m) { .code = (c), .status = (s), .queue = (q), .name = (n), .meaning = (m), SRC }
#define TABLE(rows) { rows, RB_ARRAY_SIZE(rows) }

/* clang-format off */
static const struct rb_vendor_row bnxt_re[] = {
	ROW(0x1, IBV_WC_BAD_RESP_ERR, 'S', "BAD_RESP", "the peer answered with a wrong opcode or length"),
	ROW(0x2, IBV_WC_LOC_LEN_ERR, 'S', "LOC_LEN", "the message is longer than allowed, or the sum of its SGEs is wrong"),
	{ .code = 0x3, .status = IBV_WC_LOC_QP_OP_ERR, .queue = 'S', .name = "LOC_QP_OP", SRC,
	  .meaning = "the request is not legal for the adapter: too many SGEs, a bad inline size, an operation that it lacks",
	  .causes = RB_CAUSES({ "num_sge or the shape of the request exceeds the device's max_sge", RB_SURE_LIKELY, NULL, "uccl-project/uccl#972 (128 iovs)" }) },
	ROW(0x4, IBV_WC_LOC_PROT_ERR, 'S', "PROT", "local key, PD or range"),
	ROW(0x5, IBV_WC_MW_BIND_ERR, 'S', "MEM_OP", "bind, invalidate or fast registration refused"),
	ROW(0x6, IBV_WC_REM_INV_REQ_ERR, 'S', "REM_INVAL", "the peer refused the request as invalid (rd_atomic, length, operation)"),
	ROW(0x7, IBV_WC_REM_ACCESS_ERR, 'S', "REM_ACC", "the peer refused access: rkey"),
	ROW(0x8, IBV_WC_REM_OP_ERR, 'S', "REM_OP", "the peer failed while it served the request"),
	ROW(0x9, IBV_WC_RNR_RETRY_EXC_ERR, 'S', "RNR_NAK_XCED", "the peer had no receive posted"),
	{ .code = 0xa, .status = IBV_WC_RETRY_EXC_ERR, .queue = 'S', .name = "TRNSP_XCED", SRC,
	  .meaning = "the peer never acknowledged: transport retries exceeded",
	  .causes = RB_CAUSES({ "GID index 0 is link-local (fe80) and cannot be routed: choose a routable GID of RoCE v2", RB_SURE_CONFIRMED, "GID-CHOICE", "uccl-project/uccl pull 803" },
		{ "the peer is silent for another reason: path, firewall, link, or its process ended", RB_SURE_LIKELY, NULL, NULL }) },
	ROW(0xb, IBV_WC_WR_FLUSH_ERR, 'S', "WR_FLUSH", "flushed: the queue pair was in error"),
	ROW(0x1, IBV_WC_LOC_ACCESS_ERR, 'R', "LOC_ACC", "access that came in was refused"),
	ROW(0x2, IBV_WC_LOC_LEN_ERR, 'R', "LOC_LEN", "the message is longer than the receive"),
	ROW(0x3, IBV_WC_LOC_PROT_ERR, 'R', "LOC_PROT", "key, PD or range of the receive buffer"),
	ROW(0x4, IBV_WC_LOC_QP_OP_ERR, 'R', "LOC_QP_OP", "the receive request is not legal"),
	ROW(0x5, IBV_WC_MW_BIND_ERR, 'R', "MEM_OP", "an invalidate that came in was refused"),
	ROW(0x6, IBV_WC_REM_INV_REQ_ERR, 'R', "REM_INVAL", "the request that came in was invalid"),
	ROW(0x7, IBV_WC_WR_FLUSH_ERR, 'R', "WR_FLUSH", "flushed: the queue pair was in error"),
	ROW(0x8, IBV_WC_FATAL_ERR, 'R', "HW_FLUSH", "flushed by hardware; the provider swallows it"),
};
const struct rb_vendor_table rb_vendor_bnxt_re = TABLE(bnxt_re);

/* The sub-status is undocumented: these are the values of the status. */
static const struct rb_vendor_row hns[] = {
	ROW(0x01, IBV_WC_LOC_LEN_ERR, 0, "LOCAL_LENGTH", "local length error"),
	ROW(0x02, IBV_WC_LOC_QP_OP_ERR, 0, "LOCAL_QP_OP", "local queue pair operation error"),
	ROW(0x04, IBV_WC_LOC_PROT_ERR, 0, "LOCAL_PROT", "local protection error; a receive's SGE must fit its region already when it is used"),
	ROW(0x05, IBV_WC_WR_FLUSH_ERR, 0, "WR_FLUSH", "flushed"),
	ROW(0x06, IBV_WC_MW_BIND_ERR, 0, "MEM_MANAGE_OPERATE", "memory management operation refused"),
	ROW(0x10, IBV_WC_BAD_RESP_ERR, 0, "BAD_RESP", "unexpected response"),
	ROW(0x11, IBV_WC_LOC_ACCESS_ERR, 0, "LOCAL_ACCESS", "access that came in was refused"),
	ROW(0x12, IBV_WC_REM_INV_REQ_ERR, 0, "REMOTE_INVAL_REQUEST", "the peer refused the request as invalid"),
	ROW(0x13, IBV_WC_REM_ACCESS_ERR, 0, "REMOTE_ACCESS", "the peer refused access"),
	ROW(0x14, IBV_WC_REM_OP_ERR, 0, "REMOTE_OP", "the peer failed while it served the request"),
	ROW(0x15, IBV_WC_RETRY_EXC_ERR, 0, "TRANSPORT_RETRY_EXCEED", "the peer never acknowledged"),
	ROW(0x16, IBV_WC_RNR_RETRY_EXC_ERR, 0, "RNR_RETRY_EXCEED", "the peer had no receive posted"),
	ROW(0x22, IBV_WC_REM_ABORT_ERR, 0, "REMOTE_ABORTED", "the peer aborted"),
	ROW(0x23, IBV_WC_GENERAL_ERR, 0, "GENERAL", "UD: the posted receive is too small; the queue pair stays usable"),
	ROW(0x24, IBV_WC_REM_INV_RD_REQ_ERR, 0, "XRC_VIOLATION", "XRC violation"),
};
const struct rb_vendor_table rb_vendor_hns = TABLE(hns);

static const struct rb_vendor_row erdma[] = {
	ROW(0x1, IBV_WC_GENERAL_ERR, 'R', "INVALID_RQE", "malformed receive request"),
	ROW(0x2, IBV_WC_REM_ACCESS_ERR, 'R', "RQE_INVALID_STAG", "access that came in with a bad key (seen on the receiver's own queue)"),
	ROW(0x3, IBV_WC_REM_ACCESS_ERR, 'R', "RQE_ADDR_VIOLATION", "access that came in left the region"),
	ROW(0x4, IBV_WC_REM_ACCESS_ERR, 'R', "RQE_ACCESS_RIGHT_ERROR", "access that came in lacked the right"),
	ROW(0x5, IBV_WC_REM_ACCESS_ERR, 'R', "RQE_INVALID_PD", "access that came in used another PD"),
	ROW(0x6, IBV_WC_REM_ACCESS_ERR, 'R', "RQE_WRAP_ERROR", "the address of access that came in wraps"),
	ROW(0x20, IBV_WC_LOC_QP_OP_ERR, 'S', "INVALID_SQE", "malformed send request"),
	ROW(0x21, IBV_WC_GENERAL_ERR, 'S', "ZERO_ORD", "a READ although no outstanding READ was agreed: negotiate rd_atomic"),
	ROW(0x30, IBV_WC_LOC_ACCESS_ERR, 'S', "SQE_INVALID_STAG", "local key not valid"),
	ROW(0x31, IBV_WC_LOC_ACCESS_ERR, 'S', "SQE_ADDR_VIOLATION", "local range leaves the region"),
	ROW(0x32, IBV_WC_LOC_ACCESS_ERR, 'S', "SQE_ACCESS_ERROR", "local right missing"),
	ROW(0x33, IBV_WC_LOC_ACCESS_ERR, 'S', "SQE_INVALID_PD", "local PD does not fit"),
	ROW(0x34, IBV_WC_LOC_ACCESS_ERR, 'S', "SQE_WRAP_ERROR", "local address wraps"),
};
const struct rb_vendor_table rb_vendor_erdma = TABLE(erdma);

static const struct rb_vendor_row cxgb4[] = {
	ROW(0x1, IBV_WC_LOC_ACCESS_ERR, 0, "STAG", "key not valid"),
	ROW(0x2, IBV_WC_LOC_PROT_ERR, 0, "PDID", "PD does not fit"),
	ROW(0x3, IBV_WC_LOC_ACCESS_ERR, 0, "QPID", "the key belongs to another queue pair"),
	ROW(0x4, IBV_WC_LOC_ACCESS_ERR, 0, "ACCESS", "right missing"),
	ROW(0x5, IBV_WC_GENERAL_ERR, 0, "WRAP", "address wraps"),
	ROW(0x6, IBV_WC_LOC_LEN_ERR, 0, "BOUND", "range leaves the region"),
	ROW(0x7, IBV_WC_MW_BIND_ERR, 0, "INVALIDATE_SHARED_MR", "a shared region cannot be invalidated"),
	ROW(0x8, IBV_WC_MW_BIND_ERR, 0, "INVALIDATE_MR_WITH_MW_BOUND", "a window is bound to the region"),
	ROW(0x9, IBV_WC_FATAL_ERR, 0, "ECC", "memory error of the adapter"),
	ROW(0xa, IBV_WC_FATAL_ERR, 0, "ECC_PSTAG", "memory error of the adapter"),
	ROW(0xb, IBV_WC_FATAL_ERR, 0, "PBL_ADDR_BOUND", "page list out of bounds"),
	ROW(0xc, IBV_WC_WR_FLUSH_ERR, 0, "SWFLUSH", "flushed by software"),
	ROW(0x10, IBV_WC_FATAL_ERR, 0, "CRC", "iWARP: CRC of a segment wrong"),
	ROW(0x11, IBV_WC_FATAL_ERR, 0, "MARKER", "iWARP: marker wrong"),
	ROW(0x12, IBV_WC_FATAL_ERR, 0, "PDU_LEN_ERR", "iWARP: length of a segment wrong"),
	ROW(0x13, IBV_WC_FATAL_ERR, 0, "OUT_OF_RQE", "no receive was posted: what RNR is elsewhere ends the connection on iWARP"),
	ROW(0x14, IBV_WC_FATAL_ERR, 0, "DDP_VERSION", "iWARP: DDP version"),
	ROW(0x15, IBV_WC_FATAL_ERR, 0, "RDMA_VERSION", "iWARP: RDMAP version"),
	ROW(0x16, IBV_WC_FATAL_ERR, 0, "OPCODE", "iWARP: opcode"),
	ROW(0x17, IBV_WC_FATAL_ERR, 0, "DDP_QUEUE_NUM", "iWARP: DDP queue number"),
	ROW(0x18, IBV_WC_FATAL_ERR, 0, "MSN", "iWARP: message sequence number"),
	ROW(0x19, IBV_WC_FATAL_ERR, 0, "TBIT", "iWARP: tagged bit"),
	ROW(0x1a, IBV_WC_FATAL_ERR, 0, "MO", "iWARP: message offset"),
	ROW(0x1b, IBV_WC_FATAL_ERR, 0, "MSN_GAP", "iWARP: gap in the message sequence"),
	ROW(0x1c, IBV_WC_FATAL_ERR, 0, "MSN_RANGE", "iWARP: message sequence out of range"),
	ROW(0x1d, IBV_WC_FATAL_ERR, 0, "IRD_OVERFLOW", "more READs than the peer agreed to"),
	ROW(0x1e, IBV_WC_FATAL_ERR, 0, "RQE_ADDR_BOUND", "receive queue out of bounds"),
	ROW(0x1f, IBV_WC_FATAL_ERR, 0, "INTERNAL_ERR", "internal error of the adapter"),
};
const struct rb_vendor_table rb_vendor_cxgb4 = TABLE(cxgb4);

static const struct rb_vendor_row ionic[] = {
	ROW(1, IBV_WC_LOC_LEN_ERR, 0, "LOCAL_LEN_ERR", "local length error"),
	ROW(2, IBV_WC_LOC_QP_OP_ERR, 0, "LOCAL_QP_OPER_ERR", "the request could not be executed"),
	ROW(3, IBV_WC_LOC_PROT_ERR, 0, "LOCAL_PROT_ERR", "local key, range or rights"),
	ROW(4, IBV_WC_WR_FLUSH_ERR, 0, "WQE_FLUSHED_ERR", "flushed"),
	ROW(5, IBV_WC_MW_BIND_ERR, 0, "MEM_MGMT_OPER_ERR", "bind, invalidate or fast registration refused"),
	ROW(6, IBV_WC_BAD_RESP_ERR, 0, "BAD_RESP_ERR", "unexpected response"),
	ROW(7, IBV_WC_LOC_ACCESS_ERR, 0, "LOCAL_ACC_ERR", "access that came in was refused"),
	ROW(8, IBV_WC_REM_INV_REQ_ERR, 0, "REMOTE_INV_REQ_ERR", "the peer refused the request as invalid"),
	ROW(9, IBV_WC_REM_ACCESS_ERR, 0, "REMOTE_ACC_ERR", "the peer refused access"),
	ROW(10, IBV_WC_REM_OP_ERR, 0, "REMOTE_OPER_ERR", "the peer failed while it served the request"),
	ROW(11, IBV_WC_RETRY_EXC_ERR, 0, "RETRY_EXCEEDED_ERR", "the peer never acknowledged"),
	ROW(12, IBV_WC_RNR_RETRY_EXC_ERR, 0, "RNR_RETRY_EXCEEDED_ERR", "the peer had no receive posted"),
	ROW(13, IBV_WC_GENERAL_ERR, 0, "XRC_VIO_ERR", "XRC violation"),
};
const struct rb_vendor_table rb_vendor_ionic = TABLE(ionic);

/* Not in vendor_err: of the names that libqedr prints. */
static const struct rb_vendor_row qedr[] = {
	ROW(1, IBV_WC_BAD_RESP_ERR, 'S', "BAD_RESPONSE_ERR", "unexpected response"),
	ROW(2, IBV_WC_LOC_LEN_ERR, 'S', "LOCAL_LENGTH_ERR", "local length error"),
	ROW(3, IBV_WC_LOC_QP_OP_ERR, 'S', "LOCAL_QP_OPERATION_ERR", "the request could not be executed"),
	ROW(4, IBV_WC_LOC_PROT_ERR, 'S', "LOCAL_PROTECTION_ERR", "local key, range or rights"),
	ROW(5, IBV_WC_MW_BIND_ERR, 'S', "MEMORY_MGT_OPERATION_ERR", "bind, invalidate or fast registration refused"),
	ROW(6, IBV_WC_REM_INV_REQ_ERR, 'S', "REMOTE_INVALID_REQUEST_ERR", "the peer refused the request as invalid"),
	ROW(7, IBV_WC_REM_ACCESS_ERR, 'S', "REMOTE_ACCESS_ERR", "the peer refused access"),
	ROW(8, IBV_WC_REM_OP_ERR, 'S', "REMOTE_OPERATION_ERR", "the peer failed while it served the request"),
	ROW(9, IBV_WC_RNR_RETRY_EXC_ERR, 'S', "RNR_NAK_RETRY_CNT_ERR", "the peer had no receive posted"),
	ROW(10, IBV_WC_RETRY_EXC_ERR, 'S', "TRANSPORT_RETRY_CNT_ERR", "the peer never acknowledged"),
	ROW(11, IBV_WC_WR_FLUSH_ERR, 'S', "WORK_REQUEST_FLUSHED_ERR", "flushed"),
	ROW(12, IBV_WC_GENERAL_ERR, 'S', "XRC_VOILATION_ERR", "XRC violation"),
	ROW(1, IBV_WC_LOC_ACCESS_ERR, 'R', "RESP_LOCAL_ACCESS_ERR", "access that came in was refused"),
	ROW(6, IBV_WC_REM_INV_RD_REQ_ERR, 'R', "RESP_REMOTE_INVALID_REQUEST_ERR", "the request that came in was invalid (shown as status 15)"),
};
const struct rb_vendor_table rb_vendor_qedr = TABLE(qedr);

static const struct rb_vendor_row ocrdma[] = {
	ROW(0x01, IBV_WC_LOC_LEN_ERR, 0, "LOC_LEN_ERR", "local length error"),
	ROW(0x02, IBV_WC_LOC_QP_OP_ERR, 0, "LOC_QP_OP_ERR", "the request could not be executed"),
	ROW(0x03, IBV_WC_LOC_EEC_OP_ERR, 0, "LOC_EEC_OP_ERR", "EE context"),
	ROW(0x04, IBV_WC_LOC_PROT_ERR, 0, "LOC_PROT_ERR", "local key, range or rights"),
	ROW(0x05, IBV_WC_WR_FLUSH_ERR, 0, "WR_FLUSH_ERR", "flushed"),
	ROW(0x06, IBV_WC_GENERAL_ERR, 0, "MW_BIND_ERR", "window binding refused (shown as general error)"),
	ROW(0x07, IBV_WC_BAD_RESP_ERR, 0, "BAD_RESP_ERR", "unexpected response"),
	ROW(0x08, IBV_WC_LOC_ACCESS_ERR, 0, "LOC_ACCESS_ERR", "access that came in was refused"),
	ROW(0x09, IBV_WC_REM_INV_REQ_ERR, 0, "REM_INV_REQ_ERR", "the peer refused the request as invalid"),
	ROW(0x0a, IBV_WC_REM_ACCESS_ERR, 0, "REM_ACCESS_ERR", "the peer refused access"),
	ROW(0x0b, IBV_WC_REM_OP_ERR, 0, "REM_OP_ERR", "the peer failed while it served the request"),
	ROW(0x0c, IBV_WC_RETRY_EXC_ERR, 0, "RETRY_EXC_ERR", "the peer never acknowledged"),
	ROW(0x0d, IBV_WC_RNR_RETRY_EXC_ERR, 0, "RNR_RETRY_EXC_ERR", "the peer had no receive posted"),
	ROW(0x0e, IBV_WC_LOC_RDD_VIOL_ERR, 0, "LOC_RDD_VIOL_ERR", "RD domain"),
	ROW(0x0f, IBV_WC_REM_INV_RD_REQ_ERR, 0, "REM_INV_RD_REQ_ERR", "RD request"),
	ROW(0x10, IBV_WC_REM_ABORT_ERR, 0, "REM_ABORT_ERR", "the peer aborted"),
	ROW(0x13, IBV_WC_FATAL_ERR, 0, "FATAL_ERR", "fatal error"),
	ROW(0x14, IBV_WC_RESP_TIMEOUT_ERR, 0, "RESP_TIMEOUT_ERR", "no response in time"),
	ROW(0x15, IBV_WC_GENERAL_ERR, 0, "GENERAL_ERR", "general error"),
};
/* clang-format on */
const struct rb_vendor_table rb_vendor_ocrdma = TABLE(ocrdma);
