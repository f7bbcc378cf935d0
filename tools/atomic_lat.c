/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * atomic_lat - latency of 8-byte atomic operations
 */
#include "command.h"
#include "run/bench.h"

static const struct rb_bench bench = {
	.name = "atomic_lat",
	.summary = "latency of 8-byte atomic operations",
	.verb = RB_VERB_FETCH_ADD,
	.pattern = RB_PATTERN_REQUEST,
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_XRC_SEND),
	.transport_reason = "only RC and XRC have atomics (IB specification 9.4.1)",
};

const struct rb_command rb_command_atomic_lat = {
	.name = "atomic_lat",
	.summary = "latency of 8-byte atomic operations",
	.kind = RB_COMMAND_BENCHMARK,
	.bench = &bench,
};
