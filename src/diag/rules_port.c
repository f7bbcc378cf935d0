/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_port - rules: ports and links
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/units.h"
#include "diag/subject.h"

#define STATE_DOWN 1
#define STATE_INIT 2
#define STATE_ARMED 3
#define STATE_ACTIVE 4
#define PHYS_LINK_UP 5
#define FLAPS_MANY 10 /* since the driver was loaded */

/* What the physical state says (IBTA 14.2.5.6, PortPhysicalState). */
static const struct {
	int64_t id;
	const char *meaning;
} physical[] = {
	{ 1, "asleep" },
	{ 2, "polling: no cable, no partner, or speeds and FEC that do not match" },
	{ 3, "disabled: switched off" },
	{ 4, "training: the link does not come up" },
	{ 5, "the physical link is up: the interface is down" },
	{ 6, "recovering from errors: suspect the cable" },
};

static void count_active(struct rb_subject *one, void *arg)
{
	*(unsigned int *)arg += one->active;
}

static void port_down(struct rb_subject *s)
{
	int64_t state, phys;
	unsigned int others = 0;
	const char *meaning = "";

	if (!rb_need_int(s, RB_PORT, "state_id", &state))
		return;
	if (state == STATE_ACTIVE) {
		rb_subject_pass(s, "the port is active");
		return;
	}
	if (s->kind & RB_ON_IB && (state == STATE_INIT || state == STATE_ARMED)) {
		rb_subject_skip(s, "the link is up: PORT-INIT");
		return;
	}
	phys = rb_get_int(s, RB_PORT, "phys_state_id", 0);
	for (size_t i = 0; i < RB_ARRAY_SIZE(physical); i++)
		if (physical[i].id == phys)
			meaning = physical[i].meaning;
	rb_subject_each(s, RB_SCOPE_PORT, count_active, &others);
	rb_subject_fail(s, others ? RB_SEVERITY_WARNING : RB_SEVERITY_ERROR,
			"%s/%s is not active%s%s%s", s->device, s->port,
			*meaning ? "; " : "", meaning,
			others ? " (another port is active)" : "");
}

static void port_init(struct rb_subject *s)
{
	int64_t state;

	if (!rb_need_int(s, RB_PORT, "state_id", &state))
		return;
	if (state == STATE_INIT || state == STATE_ARMED)
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s/%s: the link is up and no subnet manager has configured the port (state %s, LID %" PRId64 ")",
				s->device, s->port, rb_get_text(s, RB_PORT, "state"),
				rb_get_int(s, RB_PORT, "lid", 0));
	else if (state == STATE_ACTIVE)
		rb_subject_pass(s, "a subnet manager has configured the port");
	else
		rb_subject_skip(s, "the port is down");
}

static const struct {
	enum rb_base base;
	const char *name;
} flaps[] = {
	{ RB_PORT, "port.link_downed" },
	{ RB_PORT, "hw.link_downed" },
	{ RB_NETDEV, "ethtool.link_down_events_phy" },
};

static void port_flap(struct rb_subject *s)
{
	int64_t most = 0;
	bool there = false;

	for (size_t i = 0; i < RB_ARRAY_SIZE(flaps); i++) {
		struct rb_moved moved =
			rb_counter_of(s, flaps[i].base, flaps[i].name);

		there |= moved.there;
		most = moved.value > most ? moved.value : most;
		if (moved.delta) {
			rb_subject_fail(s, RB_SEVERITY_ERROR,
					"%s/%s lost its link %" PRId64 " times in %.3g s (%s)",
					s->device, s->port, moved.delta,
					moved.seconds, flaps[i].name);
			return;
		}
	}
	if (!there) {
		if (!rb_unreadable(s, RB_PORT, "counters"))
			rb_subject_skip(s, "there is no such counter");
	} else if (most >= FLAPS_MANY) {
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s/%s lost its link %" PRId64 " times since the counters began, not while they were watched",
				s->device, s->port, most);
	} else if (!rb_unreadable(s, RB_PORT, "counters")) {
		rb_subject_pass(s, "the link stayed up while it was watched");
	}
}

/* --- rate ------------------------------------------------------------------- */

static void port_rate(struct rb_subject *s)
{
	char now[RB_TEXT_SIZE], best[RB_TEXT_SIZE];
	int64_t rate, able, peer;

	if (!rb_need_int(s, RB_NETDEV, "bits_per_s", &rate) ||
	    !rb_need_int(s, RB_NETDEV, "ethtool/supported_max_bits_per_s", &able))
		return;
	peer = rb_get_int(s, RB_NETDEV, "ethtool/peer_max_bits_per_s", 0);
	if (peer > 0 && peer < able)
		able = peer;
	rb_format_rate((double)rate, now);
	rb_format_rate((double)able, best);
	if (rate >= able)
		rb_subject_pass(s, "%s runs at %s", s->netdev, now);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s runs at %s, and %s at %s", s->netdev, now,
				peer ? "both ends can do" : "could run", best);
}

static void port_rate_caveat(struct rb_subject *s)
{
	char shown[RB_TEXT_SIZE], real[RB_TEXT_SIZE];
	int64_t rate, port;

	if (!rb_need_int(s, RB_PORT, "bits_per_s", &port) ||
	    !rb_need_int(s, RB_NETDEV, "bits_per_s", &rate))
		return;
	rb_format_rate((double)port, shown);
	rb_format_rate((double)rate, real);
	if (port == rate)
		rb_subject_pass(s, "both say %s", shown);
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"sysfs shows %s for the port, the interface runs at %s: trust the interface",
				shown, real);
}

/* A link of one lane; or of two, where the generation has no mode for that. */
static void port_lanes(struct rb_subject *s)
{
	const char *rate = rb_need_text(s, RB_PORT, "rate");
	bool halves;
	int64_t lanes;

	if (!rate || !rb_need_int(s, RB_PORT, "lanes", &lanes))
		return;
	halves = strstr(rate, "HDR") || strstr(rate, "NDR") ||
		 strstr(rate, "XDR");
	if (lanes >= 4 || (lanes == 2 && halves))
		rb_subject_pass(s, "%s", rate);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s/%s has a link of %" PRId64 " lane%s: %s",
				s->device, s->port, lanes, lanes == 1 ? "" : "s",
				rate);
}

/* --- physical errors -------------------------------------------------------- */

static const char *const damage[] = {
	"ethtool.rx_crc_errors_phy",	"ethtool.rx_symbol_err_phy",
	"ethtool.rx_pcs_symbol_err_phy", "netdev.rx_crc_errors",
	"ethtool.crc_errors.nic",	"ethtool.rx_fcs_err_frames",
};

static void port_fec(struct rb_subject *s)
{
	const char *fec = rb_get_text(s, RB_NETDEV, "ethtool/fec/active");
	bool there = false;

	if (!rb_need(s, RB_NETDEV, "counters"))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(damage); i++) {
		struct rb_moved moved = rb_counter_of(s, RB_NETDEV, damage[i]);

		there |= moved.there;
		if (moved.delta) {
			rb_subject_fail(s, RB_SEVERITY_ERROR,
					"%s receives damaged frames: %s grew by %" PRId64 " in %.3g s%s%s",
					s->netdev, damage[i], moved.delta, moved.seconds,
					*fec ? "; FEC: " : "", fec);
			return;
		}
	}
	if (there)
		rb_subject_pass(s, "no damaged frame while it was watched");
	else
		rb_subject_skip(s, "the driver counts no damaged frames");
}

static void collect_layers(struct rb_subject *one, void *arg)
{
	if (one->active && one->kind & RB_ON_HARDWARE)
		*(unsigned int *)arg |= one->kind;
}

static void port_dummy(struct rb_subject *s)
{
	unsigned int kinds = 0;

	rb_subject_each(s, RB_SCOPE_PORT, collect_layers, &kinds);
	if (kinds & RB_ON_IB && kinds & RB_ON_ROCE)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"there are active InfiniBand and Ethernet ports: a program that takes the first device may take the wrong one");
	else if (kinds)
		rb_subject_pass(s, "all active ports are of one kind");
	else
		rb_subject_skip(s, "there is no active port");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "PORT-DOWN", .scope = RB_SCOPE_PORT, .severity = E, .test = port_down,
	  .title = "a port is down", .reads = "/devices/*/ports/*/state_id",
	  .why = "Nothing can be sent. The physical state tells why: polling means no partner (cable, switch port, speed, FEC), disabled means switched off. A warning where another port is active: this one may be unused on purpose.",
	  .fix = "ip link set {netdev} up; look at cable and switch port: ethtool {netdev}",
	  .evidence = "spdk/spdk#414, ROCm/rccl#1423" },
	{ .id = "PORT-INIT", .scope = RB_SCOPE_PORT, .severity = E, .test = port_init, .on = RB_ON_IB,
	  .title = "no subnet manager has configured the port", .reads = "/devices/*/ports/*/state_id",
	  .why = "An InfiniBand port stays in INIT or ARMED until a subnet manager gives it a LID.",
	  .fix = "sminfo; systemctl start opensm (on one node, or the switch's own)",
	  .evidence = "IBTA specification, 14.4" },
	{ .id = "PORT-FLAP", .scope = RB_SCOPE_PORT, .severity = E, .test = port_flap,
	  .title = "the link goes up and down", .reads = "/devices/*/ports/*/counters",
	  .why = "Each loss of the link ends transfers with status 12 (retries exceeded) and may reorder the GID table.",
	  .fix = "reseat or replace cable or transceiver; ethtool -m {netdev}; compare FEC with the switch",
	  .evidence = "spdk/spdk#414" },
	{ .id = "PORT-RATE", .scope = RB_SCOPE_PORT, .severity = W, .test = port_rate, .on = RB_ON_ETHERNET | RB_ON_HARDWARE | RB_ON_ACTIVE,
	  .title = "the link is slower than it could be", .reads = "/netdevs/*/bits_per_s /netdevs/*/ethtool/supported_max_bits_per_s",
	  .why = "Negotiation ended at less than both ends can do: cable, breakout, or a switch port that is set to a fixed speed.",
	  .fix = "ethtool {netdev}; set the speed of the switch port; another cable",
	  .evidence = "common operational practice" },
	{ .id = "PORT-RATE-CAVEAT", .scope = RB_SCOPE_PORT, .severity = I, .test = port_rate_caveat, .on = RB_ON_ETHERNET | RB_ON_ACTIVE,
	  .title = "sysfs shows another rate than the interface has", .reads = "/devices/*/ports/*/bits_per_s /netdevs/*/bits_per_s",
	  .why = "Older kernels round the rate of many drivers to what InfiniBand had (2.5, 10, 20, 25, 40, 100 Gb/s) and show no more than 100 Gb/s. Nothing is wrong with the link.",
	  .fix = "ethtool {netdev} shows the true speed",
	  .evidence = "kernel: ib_get_eth_speed, drivers/infiniband/core/verbs.c" },
	{ .id = "PORT-LANES", .scope = RB_SCOPE_PORT, .severity = W, .test = port_lanes, .on = RB_ON_IB | RB_ON_ACTIVE,
	  .title = "the link has lost lanes", .reads = "/devices/*/ports/*/rate /devices/*/ports/*/lanes",
	  .why = "An InfiniBand link usually has four lanes (two with HDR and NDR splitter cables). Fewer mean a damaged cable or connector, and a fraction of the bandwidth.",
	  .fix = "iblinkinfo; reseat or replace the cable",
	  .evidence = "common operational practice" },
	{ .id = "PORT-FEC", .scope = RB_SCOPE_PORT, .severity = E, .test = port_fec, .on = RB_ON_ETHERNET | RB_ON_ACTIVE,
	  .title = "frames are damaged on the link", .reads = "/netdevs/*/counters",
	  .why = "FEC could not repair them, so they are dropped, and RoCE resends whole windows.",
	  .fix = "clean, reseat or replace the cable; ethtool --show-fec {netdev} and the same at the switch",
	  .evidence = "kernel: mlx5 counters.rst" },
	{ .id = "PORT-DUMMY", .scope = RB_SCOPE_HOST, .severity = W, .test = port_dummy,
	  .title = "InfiniBand and Ethernet ports side by side", .reads = "/devices",
	  .why = "Programs that choose by themselves often take the first device, which may have no path to the peer.",
	  .fix = "name it: rbench -d DEVICE, NCCL_IB_HCA=DEVICE:PORT, UCX_NET_DEVICES=DEVICE:PORT",
	  .evidence = "NVIDIA/nccl and openucx/ucx reports of mixed hosts" },
};
/* clang-format on */

const struct rb_rules rb_rules_port = { "Ports and links", rows,
					RB_ARRAY_SIZE(rows) };
