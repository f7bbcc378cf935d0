/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_ecn - rules: congestion control by ECN
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"
#include "diag/traffic.h"

#define CNP_MANY 1000.0 /* a second */

/* --- ECN -------------------------------------------------------------------- */

static void qos_ecn_off(struct rb_subject *s)
{
	struct rb_traffic t;

	if (!rb_need(s, RB_NETDEV, "ecn"))
		return;
	rb_traffic_of(s, &t);
	if (t.ecn < 0)
		rb_subject_unknown(s, "ECN is not told for all priorities");
	else if (t.ecn)
		rb_subject_pass(s, "ECN is on for priority %d", t.priority);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"ECN (DCQCN) is off for priority %d of %s, where traffic class %d lands",
				t.priority, s->netdev, t.tos);
}

static void qos_cnp(struct rb_subject *s)
{
	int64_t priority, tc;
	const char *algorithm;
	char path[64];

	if (!rb_need_int(s, RB_DEVICE, "congestion/np_cnp_prio", &priority) ||
	    !rb_need(s, RB_NETDEV, "dcb/ets/algorithm"))
		return;
	snprintf(path, sizeof(path), "dcb/ets/priority_tc/%" PRId64, priority);
	tc = rb_get_int(s, RB_NETDEV, path, priority);
	snprintf(path, sizeof(path), "dcb/ets/algorithm/%" PRId64, tc);
	algorithm = rb_get_text(s, RB_NETDEV, path);
	if (!strcmp(algorithm, "strict"))
		rb_subject_pass(s, "CNPs go first (priority %" PRId64 ")", priority);
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"CNPs are of priority %" PRId64 ", whose class of %s is not strict: feedback about congestion comes late",
				priority, s->netdev);
}

/* Marks that arrive, and losses that should have been preceded by marks. */
static const struct {
	const char *marks, *loss;
} ecn_rows[] = {
	{ "hw.np_ecn_marked_roce_packets", "hw.out_of_sequence" },
	{ "hw.rx_ecn_marked_pkts", "hw.oos_drop_count" },
	{ "hw.RxECNMrkd", "hw.ip4InDiscards" },
};

static void qos_ecn_never(struct rb_subject *s)
{
	bool there = false;

	if (!rb_need(s, RB_PORT, "counters"))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(ecn_rows); i++) {
		struct rb_moved marks = rb_counter_of(s, RB_PORT, ecn_rows[i].marks);
		struct rb_moved loss = rb_counter_of(s, RB_PORT, ecn_rows[i].loss);

		there |= marks.there && loss.there;
		if (!marks.there || marks.delta || !loss.delta)
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"packets are lost on the way to %s/%s (%s grew by %" PRId64 ") and none was marked before: the switches do not mark",
				s->device, s->port, ecn_rows[i].loss, loss.delta);
		return;
	}
	if (there)
		rb_subject_pass(s, "no loss without marks");
	else
		rb_subject_skip(s, "the driver does not count marks");
}

/* A counter, and by how much it grows in a second. */
struct growth {
	const char *name;
	double rate;
};

/*
 * Of the counters @names (NULL after the last) the one that grows most. False:
 * there is none, and the rule has said so; @none is what that means.
 */
static bool grows_most(struct rb_subject *s, const char *const *names,
		       const char *none, struct growth *most)
{
	*most = (struct growth){ NULL, -1 };
	if (!rb_need(s, RB_PORT, "counters"))
		return false;
	for (; *names; names++) {
		struct rb_moved moved = rb_counter_of(s, RB_PORT, *names);
		double rate = moved.seconds > 0 ?
				      (double)moved.delta / moved.seconds :
				      0;

		if (moved.there && rate > most->rate)
			*most = (struct growth){ *names, rate };
	}
	if (!most->name)
		rb_subject_skip(s, "%s", none);
	return most->name;
}

static void qos_ecn_heavy(struct rb_subject *s)
{
	static const char *const names[] = {
		"hw.np_cnp_sent", "hw.rp_cnp_handled", "hw.cnpSent",
		"hw.cnpHandled",  "hw.tx_cnp_pkts",    "hw.rx_cnp_pkts",
		NULL,
	};
	struct growth cnps;

	if (!grows_most(s, names, "the driver does not count CNPs", &cnps))
		return;
	if (cnps.rate > 0)
		rb_subject_fail(s, cnps.rate > CNP_MANY ? RB_SEVERITY_WARNING : RB_SEVERITY_INFO,
				"congestion control is at work on %s/%s: %s grows by %.3g a second",
				s->device, s->port, cnps.name, cnps.rate);
	else
		rb_subject_pass(s, "no congestion while it was watched");
}

static void qos_cnp_ign(struct rb_subject *s)
{
	static const char *const names[] = { "hw.rp_cnp_ignored",
					     "hw.cnpIgnored", NULL };
	struct growth ignored;

	if (!grows_most(s, names, "the driver does not count that", &ignored))
		return;
	if (ignored.rate > 0)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s/%s gets notifications of congestion and ignores them (%s)",
				s->device, s->port, ignored.name);
	else
		rb_subject_pass(s, "no notification was ignored");
}

static void qos_cc_cap(struct rb_subject *s)
{
	int64_t rate;

	if (!rb_need_int(s, RB_DEVICE, "congestion/rp_max_rate", &rate))
		return;
	if (rate)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"congestion control of %s never sends faster than rp_max_rate: %" PRId64 " Mb/s",
				s->device, rate);
	else
		rb_subject_pass(s, "no limit but the line's");
}

#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO
#define HARD_ROCE (RB_ON_ROCE | RB_ON_HARDWARE | RB_ON_ACTIVE)

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "QOS-ECN-OFF", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_ecn_off, .on = HARD_ROCE,
	  .title = "ECN is off for the traffic's priority", .reads = "/netdevs/*/ecn",
	  .why = "Without DCQCN only PFC limits senders: pauses spread through the fabric.",
	  .fix = "echo 1 > /sys/class/net/{netdev}/ecn/roce_np/enable/PRIORITY; the same for roce_rp",
	  .evidence = "mlx5 documentation" },
	{ .id = "QOS-CNP", .scope = RB_SCOPE_PORT, .severity = I, .test = qos_cnp, .on = HARD_ROCE,
	  .title = "CNPs are not sent first", .reads = "/devices/*/congestion /netdevs/*/dcb/ets",
	  .why = "Notifications of congestion wait in a queue behind the traffic that they are about.",
	  .fix = "dcb ets set dev {netdev} tc-tsa 6:strict; or mlnx_qos -i {netdev} -s ets,ets,ets,ets,ets,ets,strict,strict",
	  .evidence = "kernel: mlx5_ib cong.c" },
	{ .id = "QOS-CC-CAP", .scope = RB_SCOPE_DEVICE, .severity = W, .test = qos_cc_cap, .on = RB_ON_HARDWARE,
	  .title = "congestion control has a rate limit", .reads = "/devices/*/congestion",
	  .why = "A hidden limit: rp_max_rate is 0 (the line's rate) unless somebody set it.",
	  .fix = "echo 0 > /sys/kernel/debug/mlx5/{pci}/cc_params/rp_max_rate",
	  .evidence = "kernel: mlx5_ib cong.c" },
	{ .id = "QOS-ECN-NEVER", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_ecn_never, .on = HARD_ROCE,
	  .title = "loss without marks", .reads = "/devices/*/ports/*/counters",
	  .why = "Switches should mark packets (ECN) before they have to drop them. None was marked.",
	  .fix = "configure ECN (WRED) for this priority on the switches",
	  .evidence = "bytedance/byteps#179" },
	{ .id = "QOS-CNP-IGN", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_cnp_ign, .on = HARD_ROCE,
	  .title = "notifications of congestion are ignored", .reads = "/devices/*/ports/*/counters",
	  .why = "The reaction point is off for their priority: this sender does not slow down, others do.",
	  .fix = "echo 1 > /sys/class/net/{netdev}/ecn/roce_rp/enable/PRIORITY",
	  .evidence = "mlx5 documentation" },
	{ .id = "QOS-ECN-HEAVY", .scope = RB_SCOPE_PORT, .severity = W, .test = qos_ecn_heavy, .on = HARD_ROCE,
	  .title = "congestion control is at work", .reads = "/devices/*/ports/*/counters",
	  .why = "Expected where many send to one. In a test of two hosts something else sends too, or the receiver's link is slower.",
	  .fix = "look for other senders; compare the speeds of both ends",
	  .evidence = "kernel: mlx5 counters.rst" },
};
/* clang-format on */

const struct rb_rules rb_rules_ecn = { "ECN", rows,
				     RB_ARRAY_SIZE(rows) };
