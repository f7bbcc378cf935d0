/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_probe - rules: what was tried between the two ends ('rbench doctor PEER')
 *
 * That it does not pass is a symptom: what explains it comes before these
 * (rb_symptom_probes in diag/symptom.h), and these before what does not.
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "diag/probed.h"
#include "diag/subject.h"

/* The probe of this pair; NULL: the rule has said why there is none. */
static const json_t *need_probe(struct rb_subject *s)
{
	const json_t *probes = rb_need(s, RB_HOST, "probes");
	const json_t *probe = rb_probe_of(probes, s->device, s->port);
	const char *error = rb_text_at(json_array_get(probes, 0), "error");

	if (!probes)
		return NULL;
	if (!probe && *error)
		rb_subject_unknown(s, "nothing could be tried: %.400s", error);
	else if (!probe || !rb_probe_is_with(probe, s->peer->device, s->peer->port))
		rb_subject_skip(s, "another pair of ports was tried");
	else
		return probe;
	return NULL;
}

/* "a write of 64 bytes from the peer", and how it ended */
static void fail_by(struct rb_subject *s, const json_t *test)
{
	bool back = !strcmp(rb_text_at(test, "direction"), "in");
	const char *detail = rb_text_at(test, "detail");

	if (rb_at(test, "size_bytes"))
		rb_subject_fail(s, s->rule->severity,
				"a write of %" PRId64 " bytes %s failed: %.300s",
				rb_int_at(test, "size_bytes", 0),
				back ? "from the peer" : "to the peer", detail);
	else
		rb_subject_fail(s, s->rule->severity, "%.40s failed: %.300s",
				rb_text_at(test, "description"), detail);
}

/* The rule is about tests of @what. */
static void judge(struct rb_subject *s, enum rb_probed what, const char *passes)
{
	const json_t *probe = need_probe(s), *test;
	enum rb_probe_outcome outcome;

	if (!probe)
		return;
	outcome = rb_probe_outcome(probe, what, &test);
	if (outcome == RB_PROBE_FAIL)
		fail_by(s, test);
	else if (outcome == RB_PROBE_PASS)
		rb_subject_pass(s, "%s", passes);
	else if (*rb_text_at(probe, "error"))
		rb_subject_unknown(s, "it was not tried to the end: %.400s",
				   rb_text_at(probe, "error"));
	else
		rb_subject_skip(s, "it was not tried: %.200s",
				rb_text_at(test, "detail"));
}

static void probe_rc(struct rb_subject *s)
{
	judge(s, RB_PROBED_SMALL, "a queue pair connects, and a small packet passes each way");
}

static void probe_mtu(struct rb_subject *s)
{
	judge(s, RB_PROBED_FULL, "packets of the path MTU pass each way");
}

static void probe_cm(struct rb_subject *s)
{
	judge(s, RB_PROBED_CM, "rdma_cm connects");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define P RB_SCOPE_PAIR

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "PROBE-MTU", .scope = P, .severity = E, .test = probe_mtu,
	  .title = "small packets pass, full ones do not", .reads = "/probes",
	  .why = "Something between the ends carries less than the path MTU that both ports have: a switch, a tunnel or a VLAN with a smaller MTU. Connections are made and small messages pass; the first large one fails with status 12.",
	  .fix = "ping -M do -s 4128 PEER (path MTU 4096 and headers); raise the MTU of the switches, or lower that of {netdev}: ip link set {netdev} mtu 1500, on both ends", .evidence = "IBTA specification, annex A17" },
	{ .id = "PROBE-RC", .scope = P, .severity = E, .test = probe_rc,
	  .title = "RDMA does not pass between the ends", .reads = "/probes",
	  .why = "A queue pair was connected as any program does it, and one small write each way was tried over the GIDs that rbench chooses. TCP passes, since the snapshot came over it. If no other finding explains it: a firewall or switch on the way that drops RoCE (UDP port 4791).",
	  .fix = "rbench check -d {device} PEER; tcpdump -i {netdev} udp port 4791, on both ends", .evidence = "common operational practice" },
	{ .id = "PROBE-CM", .scope = P, .severity = W, .test = probe_cm,
	  .title = "rdma_cm does not connect", .reads = "/probes",
	  .why = "Programs that connect through rdma_cm (storage, most of UCX and libfabric) cannot: by addresses it looks for the device, the route and the GID type in its own way.",
	  .fix = "rbench check -R -d {device} PEER; cma_roce_mode -d {device} -p {port}; rdma_cm has to be loaded at both ends", .evidence = "rdma_cm(7)" },
};
/* clang-format on */

const struct rb_rules rb_rules_probe = { "Probes", rows, RB_ARRAY_SIZE(rows) };
