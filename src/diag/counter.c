/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counter - which counters mean trouble when they move: a plain look-up table
 */
#include "diag/counter.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"

static const struct rb_counter_row rows[] = {
	/* clang-format off */
	{ "hw.out_of_sequence", "out_of_sequence", "packets were lost or reordered on the way to this port" },
	{ "hw.packet_seq_err", "packet_seq_err", "the other end asked for packets again: they were lost on the way" },
	{ "hw.local_ack_timeout_err", "ack_timeout", "acknowledgements did not come in time: loss, or a path that is down" },
	{ "hw.implied_nak_seq_err", "implied_nak", "an acknowledgement was lost" },
	{ "hw.out_of_buffer", "out_of_buffer", "messages came for which no receive was posted" },
	{ "hw.rnr_nak_retry_err", "rnr_nak", "the other end had no receive posted" },
	{ "hw.rx_icrc_encapsulated", "icrc", "packets were damaged on the way" },
	{ "hw.np_cnp_sent", "ecn", "the network marked packets: congestion (ECN)" },
	{ "hw.rp_cnp_handled", "ecn", "this sender was slowed down by congestion notifications" },
	{ "hw.roce_adp_retrans", "retransmissions", "packets were sent again" },
	{ "hw.req_transport_retries_exceeded", "retries_exceeded", "a QP gave up after all retries" },
	{ "hw.completer_retry_err", "ack_timeout", "packets were sent again: acknowledgements did not come in time" },
	{ "hw.retry_exceeded_err", "retries_exceeded", "a QP gave up after all retries" },
	{ "hw.retry_rnr_exceeded_err", "rnr_nak", "the other end had no receive posted for all retries" },
	{ "hw.out_of_seq_request", "out_of_sequence", "packets were lost or reordered on the way to this port" },
	{ "hw.rcvd_seq_err", "packet_seq_err", "the other end missed packets: they were lost on the way" },
	{ "hw.duplicate_request", "duplicates", "packets came twice: acknowledgements were late or lost" },
	{ "hw.send_err", "send_err", "the driver could not hand packets to the network interface" },
	{ "hw.seq_err_naks_rcvd", "packet_seq_err", "the other end asked for packets again: they were lost on the way" },
	{ "hw.oos_drop_count", "out_of_sequence", "packets were lost or reordered on the way to this port" },
	{ "hw.to_retransmits", "ack_timeout", "acknowledgements did not come in time: loss, or a path that is down" },
	{ "hw.max_retry_exceeded", "retries_exceeded", "a QP gave up after all retries" },
	{ "hw.rnr_naks_rcvd", "rnr_nak", "the other end had no receive posted" },
	{ "hw.rx_out_of_buffer", "out_of_buffer", "messages came for which no receive was posted" },
	{ "hw.missing_resp", "implied_nak", "an answer was lost" },
	{ "hw.dup_req", "duplicates", "packets came twice: acknowledgements were late or lost" },
	{ "hw.rx_roce_discards", "rx_discards", "the adapter dropped received packets: it, PCIe or the host is too slow, or the priority is lossy" },
	{ "hw.rx_roce_errors", "rx_errors", "damaged packets were received" },
	{ "hw.res_tx_pci_err", "pcie_errors", "the adapter saw an error on PCIe" },
	{ "hw.res_rx_pci_err", "pcie_errors", "the adapter saw an error on PCIe" },
	{ "hw.unrecoverable_err", "device_errors", "the device failed in a way that it cannot repair" },
	{ "hw.ip4InDiscards", "rx_discards", "the adapter dropped received packets: it, PCIe or the host is too slow, or the priority is lossy" },
	{ "hw.ip6InDiscards", "rx_discards", "the adapter dropped received packets: it, PCIe or the host is too slow, or the priority is lossy" },
	{ "hw.ip4OutNoRoutes", "no_route", "packets had no route" },
	{ "hw.ip6OutNoRoutes", "no_route", "packets had no route" },
	{ "hw.rxVlanErrors", "vlan_errors", "packets of a VLAN came that this end does not have" },
	{ "hw.tcpRetransSegs", "tcp_retransmissions", "iWARP's TCP sent segments again: loss on the way" },
	{ "hw.cnpHandled", "ecn", "this sender was slowed down by congestion notifications" },
	{ "hw.rx_drops", "rx_discards", "the adapter dropped received packets" },
	{ "hw.retrans_timeout_events", "ack_timeout", "acknowledgements did not come in time: another path was taken" },
	{ "hw.impaired_remote_conn_events", "ack_timeout", "the way to the other end was bad for a time" },
	{ "hw.unresponsive_remote_events", "retries_exceeded", "the other end did not answer" },
	{ "hw.responder_oos", "out_of_sequence", "packets were lost or reordered on the way to this port" },
	{ "hw.requester_oos_nak", "packet_seq_err", "the other end asked for packets again: they were lost on the way" },
	{ "hw.requester_timeout", "ack_timeout", "acknowledgements did not come in time: loss, or a path that is down" },
	{ "hw.requester_rnr_nak", "rnr_nak", "the other end had no receive posted" },
	{ "port.symbol_error", "link_errors", "the link damages symbols: suspect the cable" },
	{ "port.port_rcv_errors", "link_errors", "damaged packets were received: suspect the cable" },
	{ "port.port_xmit_discards", "xmit_discards", "packets were dropped at the port: congestion or a link that is down" },
	{ "port.link_downed", "link_downed", "the link went down" },
	{ "port.local_link_integrity_errors", "link_errors", "the link is unreliable: suspect the cable" },
	{ "port.excessive_buffer_overrun_errors", "buffer_overrun", "the port's buffers overran" },
	{ "netdev.rx_dropped", "netdev_drops", "the network interface dropped received packets" },
	{ "netdev.tx_dropped", "netdev_drops", "the network interface dropped packets to send" },
	{ "netdev.rx_crc_errors", "link_errors", "damaged frames were received: suspect the cable" },
	/* clang-format on */
};

/* By the id of the warning; what is not here has no rule. */
static const struct {
	const char *id, *rule;
} rules[] = {
	/* clang-format off */
	{ "out_of_sequence", "CNT-LOSS-IN" }, { "packet_seq_err", "CNT-LOSS-OUT" },
	{ "implied_nak", "CNT-LOSS-BACK" }, { "duplicates", "CNT-LOSS-BACK" },
	{ "ack_timeout", "CNT-TIMEOUT" }, { "retries_exceeded", "CNT-TIMEOUT" },
	{ "out_of_buffer", "CNT-RNR" }, { "rnr_nak", "CNT-RNR" },
	{ "icrc", "CNT-ICRC" }, { "rx_errors", "CNT-ICRC" },
	{ "ecn", "QOS-ECN-HEAVY" }, { "retransmissions", "CNT-ADAPTIVE" },
	{ "send_err", "CNT-SEND" }, { "no_route", "CNT-SEND" }, { "vlan_errors", "CNT-SEND" },
	{ "link_errors", "CNT-LINK" }, { "link_downed", "PORT-FLAP" },
	{ "xmit_discards", "CNT-DISCARD" }, { "rx_discards", "CNT-DISCARD" },
	{ "pcie_errors", "CNT-PCIE" }, { "device_errors", "CNT-DEVICE" },
	{ "tcp_retransmissions", "CNT-TCP" },
	/* clang-format on */
};

const char *rb_counter_rule(const struct rb_counter_row *row)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].id, row->id))
			return rules[i].rule;
	return NULL;
}

const struct rb_counter_row *rb_counter_row(const char *name)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}
