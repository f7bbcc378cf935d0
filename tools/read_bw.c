/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * read_bw - RDMA read bandwidth and message rate
 */
#include "command.h"
#include "run/bench.h"

static const struct rb_bench bench = {
	.name = "read_bw",
	.summary = "RDMA read bandwidth and message rate",
	.verb = RB_VERB_READ,
	.pattern = RB_PATTERN_STREAM,
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_XRC_SEND),
	.transport_reason = "only RC and XRC have RDMA read (IB specification 9.4.1)",
};

const struct rb_command rb_command_read_bw = {
	.name = "read_bw",
	.summary = "RDMA read bandwidth and message rate",
	.kind = RB_COMMAND_BENCHMARK,
	.bench = &bench,
};
