/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counter - which counters mean trouble when they move: a plain look-up table
 *
 * Counters of many drivers that say the same are of one rule. The first row that
 * matches is the one by which is warned.
 */
#include "diag/counter.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "base/base.h"
#include "base/words.h"

static const struct rb_counter_row rows[] = {
	/* clang-format off */
	/* IBTA 16.1.3, PortCounters */
	{ "port.symbol_error", "CNT-LINK", "link_errors", "the link damages symbols: suspect the cable" },
	{ "port.link_error_recovery", "CNT-LINK", NULL, NULL },
	{ "port.port_rcv_errors", "CNT-LINK", "link_errors", "damaged packets were received: suspect the cable" },
	{ "port.port_rcv_remote_physical_errors", "CNT-LINK", NULL, NULL },
	{ "port.port_rcv_switch_relay_errors", "CNT-LINK", NULL, NULL },
	{ "port.local_link_integrity_errors", "CNT-LINK", "link_errors", "the link is unreliable: suspect the cable" },
	{ "port.excessive_buffer_overrun_errors", "CNT-LINK", "buffer_overrun", "the port's buffers overran" },
	{ "port.VL15_dropped", "CNT-LINK", NULL, NULL },
	{ "port.port_xmit_constraint_errors", "CNT-PKEY", NULL, NULL },
	{ "port.port_rcv_constraint_errors", "CNT-PKEY", NULL, NULL },
	{ "port.port_xmit_wait", "CNT-WAIT", NULL, NULL },
	/* packets that did not arrive: toward this host */
	{ "hw.out_of_sequence", "CNT-LOSS-IN", "out_of_sequence", "packets were lost or reordered on the way to this port" }, /* mlx5 */
	{ "hw.oos_drop_count", "CNT-LOSS-IN", "out_of_sequence", "packets were lost or reordered on the way to this port" }, /* bnxt_re */
	{ "hw.res_oos_drop_count", "CNT-LOSS-IN", NULL, NULL },
	{ "hw.out_of_seq_request", "CNT-LOSS-IN", "out_of_sequence", "packets were lost or reordered on the way to this port" }, /* rxe */
	{ "hw.responder_oos", "CNT-LOSS-IN", "out_of_sequence", "packets were lost or reordered on the way to this port" }, /* mana */
	{ "hw.rq_num_oos", "CNT-LOSS-IN", NULL, NULL }, /* mlx4 */
	/* ... from this host: the peer said that it missed some */
	{ "hw.packet_seq_err", "CNT-LOSS-OUT", "packet_seq_err", "the other end asked for packets again: they were lost on the way" },
	{ "hw.seq_err_naks_rcvd", "CNT-LOSS-OUT", "packet_seq_err", "the other end asked for packets again: they were lost on the way" },
	{ "hw.rcvd_seq_err", "CNT-LOSS-OUT", "packet_seq_err", "the other end missed packets: they were lost on the way" },
	{ "hw.requester_oos_nak", "CNT-LOSS-OUT", "packet_seq_err", "the other end asked for packets again: they were lost on the way" },
	{ "hw.sq_num_oos", "CNT-LOSS-OUT", NULL, NULL },
	{ "hw.retrans_pkts", "CNT-LOSS-OUT", NULL, NULL }, /* efa */
	{ "hw.ip[46]RetransSegs", "CNT-LOSS-OUT", NULL, NULL }, /* cxgb4 */
	/* ... of answers and acknowledgements */
	{ "hw.implied_nak_seq_err", "CNT-LOSS-BACK", "implied_nak", "an acknowledgement was lost" },
	{ "hw.duplicate_request", "CNT-LOSS-BACK", "duplicates", "packets came twice: acknowledgements were late or lost" },
	{ "hw.dup_req", "CNT-LOSS-BACK", "duplicates", "packets came twice: acknowledgements were late or lost" },
	{ "hw.missing_resp", "CNT-LOSS-BACK", "implied_nak", "an answer was lost" },
	{ "hw.responder_dup_request", "CNT-LOSS-BACK", NULL, NULL },
	{ "hw.requester_implicit_nak", "CNT-LOSS-BACK", NULL, NULL },
	{ "hw.rq_num_dup", "CNT-LOSS-BACK", NULL, NULL },
	{ "hw.local_ack_timeout_err", "CNT-TIMEOUT", "ack_timeout", "acknowledgements did not come in time: loss, or a path that is down" },
	{ "hw.req_transport_retries_exceeded", "CNT-TIMEOUT", "retries_exceeded", "a QP gave up after all retries" },
	{ "hw.to_retransmits", "CNT-TIMEOUT", "ack_timeout", "acknowledgements did not come in time: loss, or a path that is down" },
	{ "hw.max_retry_exceeded", "CNT-TIMEOUT", "retries_exceeded", "a QP gave up after all retries" },
	{ "hw.completer_retry_err", "CNT-TIMEOUT", "ack_timeout", "packets were sent again: acknowledgements did not come in time" },
	{ "hw.retry_exceeded_err", "CNT-TIMEOUT", "retries_exceeded", "a QP gave up after all retries" },
	{ "hw.retrans_timeout_events", "CNT-TIMEOUT", "ack_timeout", "acknowledgements did not come in time: another path was taken" },
	{ "hw.impaired_remote_conn_events", "CNT-TIMEOUT", "ack_timeout", "the way to the other end was bad for a time" },
	{ "hw.unresponsive_remote_events", "CNT-TIMEOUT", "retries_exceeded", "the other end did not answer" },
	{ "hw.requester_timeout", "CNT-TIMEOUT", "ack_timeout", "acknowledgements did not come in time: loss, or a path that is down" },
	{ "hw.requester_retries_exceeded", "CNT-TIMEOUT", NULL, NULL },
	{ "hw.sq_num_to", "CNT-TIMEOUT", NULL, NULL },
	{ "hw.sq_num_tree", "CNT-TIMEOUT", NULL, NULL },
	{ "hw.connect_timeout_cnt", "CNT-TIMEOUT", NULL, NULL }, /* erdma */
	{ "hw.out_of_buffer", "CNT-RNR", "out_of_buffer", "messages came for which no receive was posted" },
	{ "hw.rnr_nak_retry_err", "CNT-RNR", "rnr_nak", "the other end had no receive posted" },
	{ "hw.rx_out_of_buffer", "CNT-RNR", "out_of_buffer", "messages came for which no receive was posted" },
	{ "hw.rnr_naks_rcvd", "CNT-RNR", "rnr_nak", "the other end had no receive posted" },
	{ "hw.*rcvd_rnr_err", "CNT-RNR", NULL, NULL },
	{ "hw.send_rnr_err", "CNT-RNR", NULL, NULL },
	{ "hw.retry_rnr_exceeded_err", "CNT-RNR", "rnr_nak", "the other end had no receive posted for all retries" },
	{ "hw.requester_rnr_nak", "CNT-RNR", "rnr_nak", "the other end had no receive posted" },
	{ "hw.*_rnr_nak*", "CNT-RNR", NULL, NULL },
	{ "hw.?q_num_rnr", "CNT-RNR", NULL, NULL },
	{ "hw.req_remote_access_errors", "CNT-ACCESS", NULL, NULL },
	{ "hw.resp_remote_access_errors", "CNT-ACCESS", NULL, NULL },
	{ "hw.req_remote_invalid_request", "CNT-ACCESS", NULL, NULL },
	{ "hw.resp_local_length_error", "CNT-ACCESS", NULL, NULL },
	{ "hw.remote_access_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.remote_invalid_req_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.remote_op_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.local_protection_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.local_qp_op_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.bad_resp_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.res_[rt]x_*_[pr]*", "CNT-ACCESS", NULL, NULL },
	{ "hw.res_exceed*", "CNT-ACCESS", NULL, NULL },
	{ "hw.res_length_mismatch", "CNT-ACCESS", NULL, NULL },
	{ "hw.rdma_*_wr_err", "CNT-ACCESS", NULL, NULL },
	{ "hw.nak_*", "CNT-ACCESS", NULL, NULL },
	{ "hw.[rs]q_num_l[leqp]*", "CNT-ACCESS", NULL, NULL },
	{ "hw.[rs]q_num_r[aio]*e", "CNT-ACCESS", NULL, NULL },
	/* packets that an adapter or a port dropped */
	{ "port.port_xmit_discards", "CNT-DISCARD", "xmit_discards", "packets were dropped at the port: congestion or a link that is down" },
	{ "hw.rx_roce_discards", "CNT-DISCARD", "rx_discards", "the adapter dropped received packets: it, PCIe or the host is too slow, or the priority is lossy" },
	{ "hw.tx_roce_discards", "CNT-DISCARD", NULL, NULL },
	{ "hw.ip[46]InDiscards", "CNT-DISCARD", "rx_discards", "the adapter dropped received packets: it, PCIe or the host is too slow, or the priority is lossy" }, /* irdma */
	{ "hw.rx_drops", "CNT-DISCARD", "rx_discards", "the adapter dropped received packets" }, /* efa */
	{ "hw.hw_rx_disable_drop_cnt", "CNT-DISCARD", NULL, NULL },
	{ "hw.*_limit_drop*", "CNT-DISCARD", NULL, NULL }, /* erdma: the instance's quota */
	{ "ethtool.rx_discards_phy", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.tx_discards_phy", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.rx_prio[0-7]_discards", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.rx_prio[0-7]_buf_discard", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.rx_prio[0-7]_cong_discard", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.rx_discard_packets_cos[0-7]", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.[rt]x_stat_discard", "CNT-DISCARD", NULL, NULL },
	{ "ethtool.rx_dropped.nic", "CNT-DISCARD", NULL, NULL },
	{ "hw.send_err", "CNT-SEND", "send_err", "the driver could not hand packets to the network interface" }, /* rxe */
	{ "hw.ip[46]OutNoRoutes", "CNT-SEND", "no_route", "packets had no route" }, /* irdma */
	{ "hw.rxVlanErrors", "CNT-SEND", "vlan_errors", "packets of a VLAN came that this end does not have" },
	{ "hw.ip[46]InTruncatedPkts", "CNT-SEND", NULL, NULL },
	{ "hw.rx_icrc_encapsulated", "CNT-ICRC", "icrc", "packets were damaged on the way" },
	{ "hw.rx_roce_errors", "CNT-ICRC", "rx_errors", "damaged packets were received" },
	{ "hw.roce_adp_retrans", "CNT-ADAPTIVE", "retransmissions", "packets were sent again" },
	{ "hw.roce_adp_retrans*", "CNT-ADAPTIVE", NULL, NULL },
	{ "hw.roce_slow_restart*", "CNT-ADAPTIVE", NULL, NULL },
	{ "ethtool.tx_pause_storm_*_events", "CNT-STORM", NULL, NULL },
	{ "ethtool.[rt]x_pci_signal_integrity", "CNT-PCIE", NULL, NULL },
	{ "ethtool.outbound_pci_buffer_overflow", "CNT-PCIE", NULL, NULL },
	{ "hw.res_[rt]x_pci_err", "CNT-PCIE", "pcie_errors", "the adapter saw an error on PCIe" },
	{ "hw.tcpRetransSegs", "CNT-TCP", "tcp_retransmissions", "iWARP's TCP sent segments again: loss on the way" },
	{ "hw.tcpInOptErrors", "CNT-TCP", NULL, NULL },
	{ "hw.tcpInProtoErrors", "CNT-TCP", NULL, NULL },
	{ "hw.ip[46]OutRsts", "CNT-TCP", NULL, NULL },
	{ "hw.unrecoverable_err", "CNT-DEVICE", "device_errors", "the device failed in a way that it cannot repair" },
	{ "hw.res_mem_err*", "CNT-DEVICE", NULL, NULL },
	{ "hw.general_hw_error", "CNT-DEVICE", NULL, NULL },
	{ "hw.total_fatal_error", "CNT-DEVICE", NULL, NULL },
	{ "device.cmds_err", "CNT-DEVICE", NULL, NULL },
	{ "device.no_completion_cmds", "CNT-DEVICE", NULL, NULL },
	/* those of rules that look at more than counters, and of none */
	{ "hw.np_cnp_sent", "QOS-ECN-HEAVY", "ecn", "the network marked packets: congestion (ECN)" },
	{ "hw.rp_cnp_handled", "QOS-ECN-HEAVY", "ecn", "this sender was slowed down by congestion notifications" },
	{ "hw.cnpHandled", "QOS-ECN-HEAVY", "ecn", "this sender was slowed down by congestion notifications" },
	{ "port.link_downed", "PORT-FLAP", "link_downed", "the link went down" },
	{ "netdev.rx_dropped", NULL, "netdev_drops", "the network interface dropped received packets" },
	{ "netdev.tx_dropped", NULL, "netdev_drops", "the network interface dropped packets to send" },
	{ "netdev.rx_crc_errors", "PORT-FEC", "link_errors", "damaged frames were received: suspect the cable" },
	/* clang-format on */
};

const struct rb_counter_row *rb_counter_row(const char *name)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].id && !fnmatch(rows[i].name, name, 0))
			return &rows[i];
	return NULL;
}

bool rb_counter_is_of(const char *name, const char *rule)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].rule && !strcmp(rows[i].rule, rule) &&
		    !fnmatch(rows[i].name, name, 0))
			return true;
	return false;
}

/* Whether the words in @groups have the one before the dot of @name. */
static bool has_group(const char *groups, const char *name)
{
	return rb_words_have(groups, name, strcspn(name, "."));
}

bool rb_counter_in_groups(const char *rule, const char *groups)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].rule && !strcmp(rows[i].rule, rule) &&
		    has_group(groups, rows[i].name))
			return true;
	return false;
}
