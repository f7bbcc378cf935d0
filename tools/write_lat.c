/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * write_lat - RDMA write latency, by ping-pong
 */
#include "command.h"
#include "run/bench.h"

static const struct rb_bench bench = {
	.name = "write_lat",
	.summary = "RDMA write latency, by ping-pong",
	.verb = RB_VERB_WRITE,
	.pattern = RB_PATTERN_PINGPONG,
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_UC) |
		      RB_TRANSPORT(IBV_QPT_XRC_SEND),
	.transport_reason = "only connected transports have RDMA write (IB specification 9.4.1)",
};

const struct rb_command rb_command_write_lat = {
	.name = "write_lat",
	.summary = "RDMA write latency, by ping-pong",
	.kind = RB_COMMAND_BENCHMARK,
	.bench = &bench,
};
