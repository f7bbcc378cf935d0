/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * write_bw - RDMA write bandwidth and message rate
 */
#include "command.h"
#include "run/bench.h"

static const struct rb_bench bench = {
	.name = "write_bw",
	.summary = "RDMA write bandwidth and message rate",
	.verb = RB_VERB_WRITE,
	.pattern = RB_PATTERN_STREAM,
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_UC) |
		      RB_TRANSPORT(IBV_QPT_XRC_SEND),
	.transport_reason = "only connected transports have RDMA write (IB specification 9.4.1)",
};

const struct rb_command rb_command_write_bw = {
	.name = "write_bw",
	.summary = "RDMA write bandwidth and message rate",
	.kind = RB_COMMAND_BENCHMARK,
	.bench = &bench,
};
