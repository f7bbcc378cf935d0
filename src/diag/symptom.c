/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * symptom - which rules explain what a user sees, and how likely
 */
#include "diag/symptom.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/counter.h"
#include "diag/diagnosis.h"
#include "diag/explain.h"
#include "diag/probed.h"
#include "diag/subject.h"

#define SLOW_PERCENT 80 /* of the link: what less is called slow */
#define FULL_SIZE 65536 /* bytes: from there a link should be full */

/* clang-format off */
static const struct {
	const char *symptom;
	const char *rules; /* blanks between */
	int likelihood;
} rows[] = {
	/* retries exceeded: nothing arrives, or too much is lost */
	{ "status 12", "GID-SUBNET GID-TYPE-PEER IB-PKEY IB-PKEY-LIMITED CNT-DIRECTION EFA-SG NET-ROUTE NET-ROUTE-PEER", 90 },
	{ "status 12", "NET-FW GID-CHOICE GID-NOV4 PORT-FLAP PORT-DOWN NET-SAMESUBNET", 85 },
	{ "status 12", "NET-QDISC CNT-TIMEOUT CNT-LOSS-IN CNT-LOSS-OUT CNT-LOSS-BACK CNT-DISCARD GID-NDEV NET-ARP-PEER", 80 },
	{ "status 12", "GID-STALE-IP GID-DUP GID-DUP-PEER NET-RPFILTER IB-SM NET-RAIL", 75 },
	{ "status 12", "NET-ARP CNT-SEND MTU-PEER CNT-ICRC PORT-FEC QOS-GLOBALPAUSE CNT-STORM CNT-DEVICE", 60 },
	{ "status 12", "QOS-MAP QOS-TRUST CM-TOS QOS-PFC-PEER QOS-PFC-PAIR QOS-BUFFER CNT-ADAPTIVE GID-VLAN", 45 },
	{ "status 13", "CNT-RNR", 90 },
	{ "status 4", "IOMMU-FAULT ACS-ON IOMMU-MODE GPU-PEERMEM GPU-PEERMEM-SYM", 80 },
	{ "status 4", "GPU-AMD GPU-BAR1 GPU-GEFORCE FORK VM-PASSTHROUGH", 50 },
	{ "status 11", "ACS-ON IOMMU-MODE IOMMU-FAULT", 70 },
	{ "status 10", "HCA-WRONG CNT-ACCESS VER-RDMA-CORE", 60 },
	{ "status 9", "MTU-PEER CNT-ACCESS", 60 },
	{ "status 1", "MTU-PEER", 50 },
	/* words */
	{ "loss", "CNT-DISCARD CNT-DIRECTION NET-QDISC PORT-FEC CNT-LINK CNT-ICRC", 90 },
	{ "loss", "CNT-LOSS-IN CNT-LOSS-OUT CNT-LOSS-BACK CNT-TIMEOUT CNT-SEND", 85 },
	{ "loss", "QOS-ECN-NEVER QOS-MAP QOS-TRUST CM-TOS QOS-PFC-PEER QOS-PFC-PAIR QOS-BUFFER QOS-PFC-NONE PORT-PAIR-SPEED", 60 },
	{ "slow", "PCI-SPEED PORT-RATE PORT-LANES QOS-PAUSE-ACTIVE CNT-DISCARD NET-QDISC CNT-STORM", 90 },
	{ "slow", "CNT-LOSS-IN CNT-LOSS-OUT CNT-LOSS-BACK CNT-TIMEOUT CNT-RNR QOS-CC-CAP PORT-PAIR-SPEED CNT-STALLED CNT-PCIE", 85 },
	{ "slow", "MTU-ACTIVE MTU-IB MTU-PEER NUMA-BIND QOS-ECN-HEAVY CNT-ADAPTIVE PCI-AER PORT-FEC CNT-WAIT", 70 },
	{ "slow", "PCI-RO PCI-MRRS PCI-MPS PCI-EXTTAG IOMMU-MODE NET-SAMESUBNET LAG-ONE-PORT NUMA-GPU ACS-ON", 60 },
	{ "slow", "QOS-MAP QOS-TRUST NUMA-NODE PCI-DUAL CPU-GOV IRQ-NUMA NUMA-BAL", 40 },
	{ "latency", "CPU-CSTATE CPU-GOV PCI-ASPM NET-QDISC QOS-PAUSE-ACTIVE NUMA-BIND", 80 },
	{ "latency", "IRQ-NUMA NUMA-BAL IOMMU-MODE QOS-ECN-HEAVY CNT-TIMEOUT CNT-RNR NUMA-NODE", 60 },
	{ "latency", "THP IRQBALANCE SWAP ISOL CNT-ADAPTIVE", 40 },
	/* probes of doctor */
	{ "full_packets", "PROBE-MTU", 95 },
	{ "full_packets", "MTU-PEER MTU-ACTIVE", 80 },
	/* failures of rbench */
	{ "no_devices", "DEV-NONE DEV-PCI DEV-UVERBS DEV-PROVIDER", 90 },
	{ "device_open", "DEV-PERM DEV-UVERBS LIM-CGROUP", 90 },
	{ "port_down", "PORT-DOWN PORT-INIT", 95 },
	{ "no_active_port", "PORT-DOWN PORT-INIT IB-SM", 95 },
	{ "mtu", "MTU-ACTIVE MTU-PEER", 80 },
	{ "no_gid", "GID-EMPTY NS-MODE NS-GIDS GID-NOV4", 95 },
	{ "gid_index", "GID-CHOICE GID-EMPTY", 90 },
	{ "gid_mismatch", "GID-TYPE-PEER GID-SUBNET GID-NOV4 GID-EMPTY", 90 },
	{ "gid_peer", "GID-NOV4 NET-ROUTE NET-ROUTE-PEER GID-SUBNET", 80 },
	{ "memlock", "LIM-MEMLOCK LIM-MEMLOCK0", 95 },
	{ "memory_register", "LIM-MEMLOCK LIM-MEMLOCK0 GPU-PEERMEM HUGE", 90 },
	{ "cq_create", "LIM-MEMLOCK LIM-MEMLOCK0 LIM-CGROUP", 80 },
	{ "qp_create", "LIM-MEMLOCK LIM-MEMLOCK0 LIM-CGROUP", 80 },
	{ "qp_modify", "NET-ROUTE NET-ROUTE-PEER NET-ARP NET-ARP-PEER GID-NDEV GID-NOV4 GID-CHOICE GID-SUBNET", 80 },
	{ "peer_unreachable", "NET-FW NET-ROUTE NET-ROUTE-PEER NET-ARP", 80 },
	{ "peer_silent", "NET-FW NET-QDISC", 70 },
	{ "cm_address", "NET-ROUTE NET-ROUTE-PEER NET-ARP NET-ARP-PEER IB-IPOIB NS-MODE", 80 },
	{ "cm_unreachable", "CM-ROCEMODE NET-FW IWPM NET-RPFILTER GID-STALE-IP CM-RETRIES", 80 },
	{ "cm_rejected", "IWPM", 60 },
	{ "cm", "DEV-RDMACM CM-ROCEMODE IWPM", 70 },
	{ "device_died", "CNT-DEVICE PCI-AER PCI-POWER MODULE-ERR IOMMU-FAULT", 85 },
	{ "stalled", "QOS-PAUSE-ACTIVE CNT-STORM PORT-FLAP PORT-DOWN NET-FW CNT-RNR MTU-PEER", 80 },
	{ "message_lost", "CNT-DISCARD CNT-LOSS-IN CNT-RNR NET-QDISC", 80 },
	{ "empty_window", "NET-FW CNT-RNR CNT-TIMEOUT NET-QDISC QOS-PAUSE-ACTIVE", 70 },
};

/* Of a cause by its certainty, enum rb_sure. */
static const struct {
	const char *name;
	int likelihood;
} certainties[] = {
	{ "source", 85 }, { "confirmed", 80 }, { "likely", 60 }, { "guess", 30 }, { "unknown", 10 },
};
/* clang-format on */

bool rb_symptom_is(const char *word)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].symptom, word))
			return true;
	return false;
}

static void raise_to(json_t *suspects, const char *rule, int likelihood)
{
	if (json_integer_value(json_object_get(suspects, rule)) < likelihood)
		json_object_set_new(suspects, rule, json_integer(likelihood));
}

void rb_symptom_add(json_t *suspects, const char *word)
{
	char rule[64];

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		const char *at = rows[i].rules;

		if (strcmp(rows[i].symptom, word))
			continue;
		while (*at) {
			size_t n = strcspn(at, " ");

			snprintf(rule, sizeof(rule), "%.*s", (int)n, at);
			raise_to(suspects, rule, rows[i].likelihood);
			at += n + strspn(at + n, " ");
		}
	}
}

static void add_causes(json_t *suspects, const json_t *finding)
{
	const json_t *cause;
	size_t i;

	json_array_foreach(json_object_get(finding, "causes"), i, cause) {
		const char *sure = rb_text_at(cause, "certainty");
		const char *rule = rb_text_at(cause, "rule");

		for (size_t k = 0; *rule && k < RB_ARRAY_SIZE(certainties); k++)
			if (!strcmp(certainties[k].name, sure))
				raise_to(suspects, rule,
					 certainties[k].likelihood);
	}
}

void rb_symptom_explained(json_t *suspects, const json_t *explain)
{
	const json_t *finding;
	char word[32];
	size_t i;

	json_array_foreach(json_object_get(explain, "findings"), i, finding) {
		int64_t status = rb_int_at(finding, "codes/status", -1);

		snprintf(word, sizeof(word), "status %d", (int)status);
		rb_symptom_add(suspects, word);
		add_causes(suspects, finding);
	}
}

/* --- the document of a run -------------------------------------------------- */

/* What explain makes of the message of the failure. */
static void add_message(json_t *suspects, const char *message)
{
	struct rb_explain *x = rb_explain_create();
	json_t *section;

	if (!x)
		return;
	rb_explain_begin(x, "message");
	rb_explain_feed(x, message, strlen(message));
	rb_explain_end(x);
	rb_explain_judge(x);
	section = rb_explain_json(x);
	rb_symptom_explained(suspects, section);
	json_decref(section);
	rb_explain_destroy(x);
}

static void say(json_t *words, const char *text)
{
	json_array_append_new(words, rb_plain_json(text));
}

/* A row of large messages that left much of the link empty. */
static bool is_slow(const json_t *run)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(run, "results"), i, row) {
		const json_t *percent = rb_at(row, "bandwidth/percent_of_link");

		if (json_is_number(percent) &&
		    json_number_value(percent) < SLOW_PERCENT &&
		    rb_int_at(row, "size_bytes", 0) >= FULL_SIZE)
			return true;
	}
	return false;
}

/* A counter of that end moved that is of a rule about lost packets. */
static bool lost_at(const json_t *counters, const char *which)
{
	static const char *const rules[] = { "CNT-LOSS-IN", "CNT-LOSS-OUT",
					     "CNT-LOSS-BACK", "CNT-TIMEOUT",
					     "CNT-DISCARD" };
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(counters, which), name, value)
		for (size_t i = 0; i < RB_ARRAY_SIZE(rules); i++)
			if (json_integer_value(value) > 0 &&
			    rb_counter_is_of(name, rules[i]))
				return true;
	return false;
}

static bool has_loss(const json_t *run)
{
	const json_t *counters = json_object_get(run, "counters");

	return lost_at(counters, "local") || lost_at(counters, "peer");
}

void rb_symptom_run(json_t *suspects, const json_t *run, json_t *words)
{
	const char *code = rb_text_at(run, "error/code");

	if (*code) {
		rb_symptom_add(suspects, code);
		add_message(suspects, rb_text_at(run, "error/message"));
		say(words, rb_text_at(run, "error/message"));
	}
	if (has_loss(run)) {
		rb_symptom_add(suspects, "loss");
		say(words, "packets were lost");
	}
	if (is_slow(run)) {
		rb_symptom_add(suspects, "slow");
		say(words, "large messages left more than a fifth of the link empty");
	}
	if (!strcmp(rb_text_at(run, "status"), "below_expectation") &&
	    !json_array_size(words)) {
		rb_symptom_add(suspects, strstr(rb_text_at(run, "command"), "_lat") ?
						 "latency" : "slow");
		say(words, "an expectation was not met");
	}
}

/* --- probes --------------------------------------------------------------------- */

/* What a test that failed is a symptom of. */
static void add_test(json_t *suspects, enum rb_probed what, const json_t *test)
{
	static const char *const own[] = { [RB_PROBED_FULL] = "full_packets",
					   [RB_PROBED_CM] = "cm_unreachable" };
	int64_t status = rb_int_at(test, "completion/status_code", -1);
	char word[32];

	if (what != RB_PROBED_SMALL) {
		rb_symptom_add(suspects, own[what]);
		return;
	}
	snprintf(word, sizeof(word), "status %d", (int)status);
	rb_symptom_add(suspects, status < 0 ? "qp_modify" : word);
}

void rb_symptom_probes(json_t *suspects, const json_t *doc, json_t *words)
{
	static const char *const seen[] = {
		[RB_PROBED_SMALL] = "RDMA does not pass between the ends",
		[RB_PROBED_FULL] = "small packets pass, full ones do not",
		[RB_PROBED_CM] = "rdma_cm does not connect",
	};
	const json_t *probe, *test;
	size_t i;

	json_array_foreach(json_object_get(doc, "probes"), i, probe)
		for (int what = 0; what < (int)RB_ARRAY_SIZE(seen); what++) {
			if (rb_probe_outcome(probe, (enum rb_probed)what,
					     &test) != RB_PROBE_FAIL)
				continue;
			add_test(suspects, (enum rb_probed)what, test);
			say(words, seen[what]);
		}
}

/* How long counters were watched; of a document without it, what was measured. */
static int64_t duration_of(const json_t *run)
{
	int64_t sum = rb_int_at(run, "counters/interval_ns", 0);
	const json_t *row;
	size_t i;

	if (sum > 0)
		return sum;
	sum = 0;
	json_array_foreach(json_object_get(run, "results"), i, row)
		sum += rb_int_at(row, "duration_ns", 0);
	return sum > 0 ? sum : 1000000000;
}

/* Counters of @groups ("port.", "hw.") that moved, for one place. */
static void put_counters(json_t *at, const json_t *moved, const char *groups,
			 int64_t interval_ns)
{
	json_t *set = json_pack("{s:I, s:{}, s:{}}", "interval_ns",
				(json_int_t)interval_ns, "values", "deltas");
	json_t *old = json_object_get(json_object_get(at, "counters"), "values");
	const char *name;
	json_t *value;

	if (json_is_object(old))
		json_object_update(json_object_get(set, "values"), old);
	json_object_foreach((json_t *)(uintptr_t)moved, name, value) {
		char group[32];

		snprintf(group, sizeof(group), "%.*s.",
			 (int)strcspn(name, "."), name);
		if (!json_is_integer(value) || !strstr(groups, group))
			continue;
		json_object_set(json_object_get(set, "values"), name, value);
		json_object_set(json_object_get(set, "deltas"), name, value);
	}
	json_object_set_new(at, "counters", set);
}

bool rb_symptom_counters(json_t *doc, const json_t *run, const char *which)
{
	const json_t *end = json_object_get(run, which);
	const json_t *moved = rb_at(json_object_get(run, "counters"), which);
	json_t *device = json_object_get(json_object_get(doc, "devices"),
					 rb_text_at(end, "device"));
	int64_t ns = duration_of(run);
	json_t *port, *netdev;
	char number[24];

	snprintf(number, sizeof(number), "%d", (int)rb_int_at(end, "port", 1));
	port = json_object_get(json_object_get(device, "ports"), number);
	if (!json_is_object(port) || !json_is_object(moved))
		return false;
	put_counters(port, moved, "port. hw. ", ns);
	put_counters(device, moved, "device. ", ns);
	netdev = json_object_get(json_object_get(doc, "netdevs"),
				 rb_text_at(port, "netdev"));
	if (json_is_object(netdev))
		put_counters(netdev, moved, "netdev. ethtool. ", ns);
	return true;
}
