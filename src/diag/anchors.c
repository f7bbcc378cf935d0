/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anchors - the words that make a line of a log worth a look, and whose
 */
#include "base/base.h"
#include "diag/taker.h"

#define WC RB_TOPIC_WC
#define KERNEL RB_TOPIC_KERNEL
#define DUMP RB_TOPIC_DUMP
#define EVENT RB_TOPIC_EVENT
#define CM RB_TOPIC_CM
#define CALL RB_TOPIC_CALL
#define MESSAGE RB_TOPIC_MESSAGE
#define GID RB_TOPIC_GID
#define PORT RB_TOPIC_PORT
#define FACT RB_TOPIC_FACT

/* clang-format off */
const struct rb_anchor rb_explain_anchors[] = {
	/* completions */
	{ "vendor err", WC }, { "vendor_err", WC }, { "vendor-err", WC }, { "vendorerr", WC },
	{ "vendor code", WC }, { "vendor syndrome", WC | KERNEL }, { "vendor_syndrome", WC },
	{ "syndrom 0x", WC | KERNEL }, { "(synd 0x", RB_TOPIC_UCX }, { "wqe[", RB_TOPIC_UCX },
	{ "_WC_", WC }, { "_ERR", WC }, { "completion with", WC }, { "completion error", WC },
	{ "completion from peer", WC }, { "Failed status", WC }, { "CQ error", WC | KERNEL | EVENT },
	{ "CQE error", WC }, { "WC error", WC }, { "wc status", WC }, { "wc.status", WC },
	{ "error polling", WC }, { "on CQ 0x", WC }, { "status: (", WC }, { "prov_err", WC | CM },
	{ "fi_cq_readerr", WC }, { "RDMA_CQE_", WC }, { "retry counter", WC }, { "retry count", WC },
	{ "retry exceeded", WC }, { "protection error", WC | KERNEL }, { "access error", WC }, { "Flushed Error", WC },
	{ "invalid request", WC | EVENT }, { "operation error", WC | KERNEL }, { "length error", WC }, { "status 1", WC },
	{ "status=", WC }, { "status = ", WC },
	/* dumps */
	{ "completion with error:", DUMP }, { "Error CQE: at", DUMP }, { "dump error cqe", DUMP },
	{ "WQE DUMP", DUMP }, { "00000000 00000000", DUMP }, { "00000030:", DUMP },
	{ "operation err (", DUMP },
	{ "8813 ", DUMP }, { "8115 ", DUMP }, { "8716 ", DUMP }, { "8914 ", DUMP }, { "8a12 ", DUMP },
	{ "f905 ", DUMP }, { "f505 ", DUMP }, { "5104 ", DUMP }, { "5204 ", DUMP }, { "5304 ", DUMP },
	{ "3204 ", DUMP }, { "3304 ", DUMP }, { "6802 ", DUMP }, { "6801 ", DUMP }, { "6102 ", DUMP },
	/* drivers */
	{ "error cqe on", KERNEL }, { " error: ", KERNEL }, { " op_mod", KERNEL }, { "Port module event", KERNEL },
	{ "insufficient power", KERNEL }, { "health compromised", KERNEL }, { "assert_var[0]", KERNEL },
	{ "non-flush error", KERNEL }, { "AE qpid", KERNEL }, { "ae_id", KERNEL }, { "synd 0x", KERNEL },
	/* events */
	{ "_EVENT_", EVENT | CM }, { "async", EVENT }, { "port error", EVENT }, { "port active", EVENT },
	{ "work queue", EVENT }, { "catastrophic", EVENT }, { "GID table change", EVENT },
	{ "last WQE", EVENT }, { "LID change", EVENT }, { "Key change", EVENT }, { "SM change", EVENT },
	{ "client rereg", EVENT }, { "SRQ limit", EVENT },
	{ "rejected: ", CM }, { "invalid service ID", CM }, { "consumer defined", CM }, { "stale connection", CM },
	/* calls and messages */
	{ "ibv_", CALL }, { "rdma_", CALL }, { "ERRNO:", CALL }, { "errno", CALL },
	{ "modify QP", MESSAGE }, { "QP to ", MESSAGE }, { "device-specific driver", MESSAGE | FACT },
	{ "couldn't load driver", MESSAGE }, { "No IB devices", MESSAGE }, { "Infiniband/RoCE device", MESSAGE },
	{ "Failed to open device", MESSAGE }, { "get context for the device", MESSAGE }, { "allocate MR", MESSAGE },
	{ "allocate hugepages", MESSAGE }, { "create CQ", MESSAGE }, { "create QP", MESSAGE },
	{ "Connect the HCA", MESSAGE }, { "fi_av_insert", MESSAGE }, { "read remote address", MESSAGE },
	{ "complete run_iter", MESSAGE }, { "SRQ-attached QP", MESSAGE },
	/* GIDs and ports */
	{ "GID[", GID }, { "fe80:", GID }, { ":ffff:", GID }, { ":0000:0000:", GID },
	{ "hca_id", PORT }, { "CA '", PORT }, { "band device '", PORT }, { "state:", PORT }, { "physical_state", PORT },
	{ "active_mtu", PORT }, { "max_mtu", PORT }, { "link_layer", PORT }, { "link layer", PORT },
	{ "node_guid", PORT }, { "Node GUID", PORT }, { "_lid:", PORT }, { " lid:", PORT }, { "driver=", PORT },
	/* limits, PCIe, counters, perftest */
	{ "gid_index", FACT }, { "gid index", FACT }, { "retry_cnt", FACT }, { "rnr_retry", FACT }, { "min_rnr_timer", FACT },
	{ "_IB_TIMEOUT", FACT }, { "path_mtu", FACT }, { "message_bytes", FACT }, { "max_msg_sz", FACT },
	{ "elapsed_", FACT }, { "arp_ignore", FACT }, { "rp_filter", FACT }, { "ACSCtl:", FACT }, { "LnkSta:", FACT },
	{ "iommu", FACT }, { "cmdline", FACT }, { "BOOT_IMAGE", FACT }, { "locked memory", FACT },
	{ "/dev/infiniband", FACT }, { "class/infiniband", FACT }, { "pkeys/", FACT }, { "pkey[", FACT },
	{ "ib_write_", FACT }, { "ib_read_", FACT }, { "ib_send_", FACT }, { "ib_atomic_", FACT }, { "#bytes", FACT },
	{ "out_of_", FACT }, { "_seq_err", FACT }, { "ack_timeout", FACT }, { "rnr_nak", FACT }, { "duplicate_req", FACT },
	{ "cqe_err", FACT }, { "remote_access_err", FACT }, { "remote_invalid", FACT }, { "roce_", FACT }, { "cnp_", FACT },
	{ "discards_phy", FACT }, { "pause_duration", FACT }, { "_prio", FACT }, { "link_down", FACT },
	{ "retries_exceeded", FACT }, { "_requests", FACT }, { "icrc_", FACT }, { "_gbps", FACT }, { "res_rx_", FACT },
	{ "res_tx_", FACT }, { "res_length", FACT }, { "res_irrq", FACT }, { "res_unal", FACT },
};
/* clang-format on */

const size_t rb_explain_nanchors = RB_ARRAY_SIZE(rb_explain_anchors);
