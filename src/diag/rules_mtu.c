/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_mtu - rules: the MTU of a port
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"

#define FAST 25000000000 /* bit/s from which a small MTU costs */
#define SMALL_MTU 1024

/*
 * What lies around the payload of a RoCE packet: GRH 40, UDP 8, BTH 12, XRC 4,
 * AtomicETH 28, ICRC 4 (kernel: iboe_get_mtu); rxe counts 80, irdma nothing.
 */
static int64_t headers_of(const char *driver)
{
	if (!strcmp(driver, "rdma_rxe"))
		return 80;
	if (!strcmp(driver, "ice") || !strcmp(driver, "i40e") ||
	    !strcmp(driver, "idpf") || !strcmp(driver, "irdma"))
		return 0;
	return 96;
}

static int64_t expected_mtu(struct rb_subject *s, int64_t netdev_mtu,
			    int64_t most)
{
	int64_t room = netdev_mtu -
		       headers_of(rb_text_at(s->devicev, "driver"));
	int64_t mtu = 256;

	while (mtu < 4096 && 2 * mtu <= room)
		mtu *= 2;
	return most > 0 && most < mtu ? most : mtu;
}

static void mtu_active(struct rb_subject *s)
{
	int64_t mtu, netdev_mtu, expected;

	if (!rb_need_int(s, RB_PORT, "mtu", &mtu) ||
	    !rb_need_int(s, RB_NETDEV, "mtu", &netdev_mtu))
		return;
	expected = expected_mtu(s, netdev_mtu,
				rb_get_int(s, RB_PORT, "max_mtu", 0));
	if (mtu < expected)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the active MTU of %s/%s is %" PRId64 ", and %s with its %" PRId64 " bytes would allow %" PRId64,
				s->device, s->port, mtu, s->netdev, netdev_mtu,
				expected);
	else if (mtu <= SMALL_MTU && rb_subject_rate(s) >= FAST)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the active MTU of %s/%s is %" PRId64 " since %s has %" PRId64 ": on a fast link that costs bandwidth and message rate",
				s->device, s->port, mtu, s->netdev, netdev_mtu);
	else if (mtu <= SMALL_MTU && rb_rate_hidden(s))
		rb_subject_unknown(s, "the rate of %s/%s could not be read",
				   s->device, s->port);
	else
		rb_subject_pass(s, "active MTU %" PRId64 ", %s %" PRId64, mtu,
				s->netdev, netdev_mtu);
}

static void mtu_ib(struct rb_subject *s)
{
	int64_t mtu, most;

	if (!rb_need_int(s, RB_PORT, "mtu", &mtu) ||
	    !rb_need_int(s, RB_PORT, "max_mtu", &most))
		return;
	if (mtu < most)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the active MTU of %s/%s is %" PRId64 " of %" PRId64,
				s->device, s->port, mtu, most);
	else
		rb_subject_pass(s, "active MTU %" PRId64, mtu);
}

static void mtu_rxe(struct rb_subject *s)
{
	unsigned int kernel;

	if (strcmp(rb_text_at(s->devicev, "driver"), "rdma_rxe")) {
		rb_subject_skip(s, "it is not rxe");
		return;
	}
	kernel = rb_need_kernel(s);
	if (!kernel)
		return;
	if (kernel < 4000)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"rxe of kernel %s fails with messages of more than one packet",
				rb_get_text(s, RB_HOST, "host/kernel"));
	else
		rb_subject_pass(s, "rxe of kernel %s",
				rb_get_text(s, RB_HOST, "host/kernel"));
}

#define W RB_SEVERITY_WARNING

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "MTU-ACTIVE", .scope = RB_SCOPE_PORT, .severity = W, .test = mtu_active, .on = RB_ON_ROCE | RB_ON_ACTIVE,
	  .title = "the active MTU is small", .reads = "/devices/*/ports/*/mtu /netdevs/*/mtu /netdevs/*/bits_per_s /devices/*/ports/*/bits_per_s",
	  .why = "The RoCE MTU is the largest of 256 to 4096 that fits into the interface's MTU with the headers (1500 gives 1024, 4192 or more gives 4096). Packets of 1024 bytes cost bandwidth and message rate.",
	  .fix = "ip link set {netdev} mtu 9000, on both hosts and on every switch between (9216)",
	  .evidence = "kernel: iboe_get_mtu; openucx/ucx#6000" },
	{ .id = "MTU-IB", .scope = RB_SCOPE_PORT, .severity = W, .test = mtu_ib, .on = RB_ON_IB | RB_ON_ACTIVE,
	  .title = "the active MTU is small", .reads = "/devices/*/ports/*/mtu /devices/*/ports/*/max_mtu",
	  .why = "The subnet manager sets it; its default for a partition is 2048.",
	  .fix = "in opensm's partitions.conf: Default=0x7fff, ipoib, mtu=5 : ALL=full;",
	  .evidence = "common operational practice" },
	{ .id = "MTU-RXE", .scope = RB_SCOPE_PORT, .severity = W, .test = mtu_rxe, .on = RB_ON_SOFTWARE,
	  .title = "rxe is too old for large messages", .reads = "/host/kernel",
	  .why = "The first rxe (kernels of the 3.10 kind) fails with writes of more than one MTU.",
	  .fix = "a newer kernel",
	  .evidence = "SoftRoCE/rxe-dev#76" },
};
/* clang-format on */

const struct rb_rules rb_rules_mtu = { "MTU", rows, RB_ARRAY_SIZE(rows) };
