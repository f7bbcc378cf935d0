/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verdict_counters - what counters and attributes of queue pairs in a text say
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag/signature.h"
#include "diag/verdict.h"

#define PRIORITIES 8
#define PAUSE_WARN 0.01
#define PAUSE_FAIL 0.10

static uint64_t counter(const struct rb_facts *f, const char *name)
{
	uint64_t value = 0;

	rb_facts_counter(f, name, &value);
	return value;
}

static void rnr_timer(const struct rb_facts *f, struct rb_verdicts *list)
{
	uint64_t hits = counter(f, "out_of_buffer");
	double us;

	if (f->min_rnr_timer < 0)
		return;
	us = rb_rnr_timer_us((unsigned int)f->min_rnr_timer);
	if (f->min_rnr_timer == 0 && hits)
		rb_verdict_add(list, "RNR-TIMER", RB_OUTCOME_FAIL,
			       "set min_rnr_timer 12 (0.64 ms)",
			       "min_rnr_timer 0 means 655.36 ms for each RNR: computed stall %" PRIu64
			       " x 655.36 ms = %.1f s (out_of_buffer %" PRIu64
			       "), without an error",
			       hits, (double)hits * us / 1e6, hits);
	else if (f->min_rnr_timer == 0)
		rb_verdict_add(list, "RNR-TIMER", RB_OUTCOME_WARN,
			       "set min_rnr_timer 12 (0.64 ms)",
			       "min_rnr_timer 0 means 655.36 ms for each RNR (the default of rdma_cm)");
	else
		rb_verdict_add(list, "RNR-TIMER", RB_OUTCOME_PASS, NULL,
			       "min_rnr_timer %d is %.2f ms", f->min_rnr_timer,
			       us / 1e3);
}

static void retries(const struct rb_facts *f, struct rb_verdicts *list)
{
	unsigned int count = f->retry_cnt < 0 ? 7 : (unsigned int)f->retry_cnt;
	double us;

	if (f->retry_cnt == 0)
		rb_verdict_add(list, "QP-RETRY", RB_OUTCOME_WARN,
			       "set retry_cnt 7",
			       "retry_cnt 0: the first lost packet ends the connection");
	if (f->retry_cnt > 7)
		rb_verdict_add(list, "QP-RETRY", RB_OUTCOME_WARN,
			       "retry_cnt at most 7",
			       "retry_cnt %d cannot be: the field has 3 bits, 7 is the most",
			       f->retry_cnt);
	if (f->qp_timeout < 0 || f->qp_timeout > 31)
		return;
	us = rb_retry_us((unsigned int)f->qp_timeout, RB_MIN(count, 7u));
	if (us > 0)
		rb_verdict_add(list, "QP-TIMEOUT", RB_OUTCOME_INFO, NULL,
			       "timeout %d is %.0f ms a try: status 12 comes after %.3g s or more of silence (retry_cnt %u)",
			       f->qp_timeout, us / 1e3 / (RB_MIN(count, 7u) + 1),
			       us / 1e6, RB_MIN(count, 7u));
}

static void pause_time(const struct rb_facts *f, struct rb_verdicts *list)
{
	static const struct {
		const char *name;
		const char *direction;
		const char *who;
	} rows[] = {
		{ "rx_global_pause_duration", "rx", "the peer or the switch throttles this host" },
		{ "tx_global_pause_duration", "tx", "this host's receive side is slow and throttles the others" },
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows) && f->elapsed_us; i++) {
		double part = (double)counter(f, rows[i].name) /
			      (double)f->elapsed_us;

		if (part > PAUSE_WARN)
			rb_verdict_add(list, "QOS-PAUSE-ACTIVE",
				       part > PAUSE_FAIL ? RB_OUTCOME_FAIL :
							   RB_OUTCOME_WARN,
				       "find the slow receiver; use PFC for one priority rather than global pause",
				       "%.1f percent of the time was spent paused (802.3x), direction %s: %s; no packet is dropped by it",
				       part * 100, rows[i].direction,
				       rows[i].who);
	}
}

/* All RoCE traffic in priority 0, and no other used at all. */
static void priorities(const struct rb_facts *f, struct rb_verdicts *list)
{
	uint64_t zero = counter(f, "rx_prio0_bytes") +
			counter(f, "tx_prio0_bytes");
	bool known = false, other = false;
	char name[40];
	uint64_t v;

	for (int p = 1; p < PRIORITIES; p++) {
		for (int d = 0; d < 2; d++) {
			snprintf(name, sizeof(name), "%s_prio%d_bytes",
				 d ? "tx" : "rx", p);
			known |= rb_facts_counter(f, name, &v);
			other |= rb_facts_counter(f, name, &v) && v;
		}
	}
	if (zero && known && !other)
		rb_verdict_add(list, "QOS-TRUST", RB_OUTCOME_WARN,
			       "trust DSCP (mlnx_qos --trust dscp), traffic class 104..107 (DSCP 26, priority 3), PFC for that priority",
			       "all traffic is in priority 0, which usually has no PFC: RoCE is not in a priority of its own (QOS-MAP)");
}

/* Traffic class of a request: DSCP is its upper six bits, priority DSCP / 8. */
static void traffic_class(const struct rb_explain *x, struct rb_verdicts *list)
{
	for (size_t i = 0; i < x->n; i++) {
		int tc = x->findings[i].request.traffic_class;

		if (tc < 0)
			continue;
		rb_verdict_add(list, "QOS-MAP",
			       tc ? RB_OUTCOME_INFO : RB_OUTCOME_WARN,
			       "the priority must be the lossless one (PFC) on hosts and switches",
			       "tc %d -> dscp %d -> prio %d%s", tc, tc >> 2,
			       tc >> 5,
			       tc ? "" : ": the default class, usually lossy");
		return;
	}
}

static void losses(const struct rb_facts *f, struct rb_verdicts *list)
{
	uint64_t timeouts = counter(f, "local_ack_timeout_err");
	uint64_t marked, sequence = counter(f, "out_of_sequence") +
				    counter(f, "packet_seq_err");

	if (f->ncounters && !f->is_delta)
		rb_verdict_add(list, "COUNTERS-ABSOLUTE", RB_OUTCOME_INFO,
			       "read them twice, before and during the trouble, and compare",
			       "these counters are absolute values since boot: info only, a delta is needed");
	if (timeouts)
		rb_verdict_add(list, "ACK-TIMEOUT",
			       f->is_delta ? RB_OUTCOME_FAIL : RB_OUTCOME_WARN,
			       "find where packets are dropped: rx_discards_phy of hosts and switches",
			       "local_ack_timeout_err %" PRIu64
			       ": acknowledgements did not come, packets were lost",
			       timeouts);
	if (rb_facts_counter(f, "np_ecn_marked_roce_packets", &marked) &&
	    !marked && (timeouts || sequence))
		rb_verdict_add(list, "QOS-ECN-NEVER", RB_OUTCOME_WARN,
			       "configure WRED/ECN on the switches",
			       "packets are lost, and np_ecn_marked_roce_packets is 0: no switch marks congestion");
	if (counter(f, "out_of_buffer") && f->min_rnr_timer < 0)
		rb_verdict_add(list, "OUT-OF-BUFFER",
			       f->is_delta ? RB_OUTCOME_WARN : RB_OUTCOME_INFO,
			       "post more receives",
			       "out_of_buffer %" PRIu64
			       ": messages came for which no receive was posted here",
			       counter(f, "out_of_buffer"));
	if (counter(f, "rx_discards_phy"))
		rb_verdict_add(list, "RX-DISCARDS", RB_OUTCOME_WARN,
			       "PFC; PCIe link and NUMA node of the adapter",
			       "rx_discards_phy %" PRIu64
			       ": this adapter's buffer overflowed",
			       counter(f, "rx_discards_phy"));
}

/* bnxt_re's responder tells exactly why it refused. */
static void responder_reasons(const struct rb_facts *f,
			      struct rb_verdicts *list)
{
	static const struct {
		const char *name;
		const char *why;
	} rows[] = {
		{ "res_rx_invalid_rkey", "invalid rkey" },
		{ "res_rx_domain_err", "the rkey is of another PD" },
		{ "res_rx_no_perm", "a right is missing" },
		{ "res_rx_range_err", "the range leaves the region" },
		{ "res_tx_invalid_rkey", "READ with an invalid rkey" },
		{ "res_tx_domain_err", "READ with an rkey of another PD" },
		{ "res_tx_no_perm", "READ without the right" },
		{ "res_tx_range_err", "READ beyond the region" },
		{ "res_length_mismatch", "length mismatch" },
		{ "res_irrq_oflow", "more READs than agreed" },
		{ "res_unaligned_atomic", "atomic that is not aligned" },
		{ "res_rx_pci_err", "PCIe error" },
		{ "res_tx_pci_err", "PCIe error" },
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (counter(f, rows[i].name))
			rb_verdict_add(list, "RESPONDER-REASON",
				       RB_OUTCOME_FAIL, NULL,
				       "%s %" PRIu64
				       ": the responder refused because of: %s",
				       rows[i].name, counter(f, rows[i].name),
				       rows[i].why);
}

void rb_verdicts_counters(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;

	rnr_timer(f, list);
	retries(f, list);
	pause_time(f, list);
	priorities(f, list);
	traffic_class(x, list);
	losses(f, list);
	responder_reasons(f, list);
	if (f->path_mtus == 2 && f->path_mtu[0] != f->path_mtu[1])
		rb_verdict_add(list, "MTU-PEER", RB_OUTCOME_FAIL,
			       "the same path MTU on both queue pairs",
			       "the two path MTUs differ: %d and %d",
			       f->path_mtu[0], f->path_mtu[1]);
	if (f->rp_filter == 1)
		rb_verdict_add(list, "NET-RPFILTER", RB_OUTCOME_WARN,
			       "sysctl net.ipv4.conf.all.rp_filter=2",
			       "rp_filter 1 drops what comes in on another interface than the route's: with several adapters ARP and CM suffer");
	if (f->arp_ignore == 0)
		rb_verdict_add(list, "NET-SAMESUBNET", RB_OUTCOME_WARN,
			       "arp_ignore=1, arp_announce=2, a subnet for each adapter",
			       "arp_ignore 0: with several adapters in one subnet each answers for the others (ARP flux)");
}
