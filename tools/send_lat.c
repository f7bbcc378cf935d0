/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * send_lat - send latency, by ping-pong
 */
#include "command.h"
#include "run/bench.h"

static const struct rb_bench bench = {
	.name = "send_lat",
	.summary = "send latency, by ping-pong",
	.verb = RB_VERB_SEND,
	.pattern = RB_PATTERN_PINGPONG,
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_UC) |
		      RB_TRANSPORT(IBV_QPT_UD) | RB_TRANSPORT(IBV_QPT_XRC_SEND),
	.transport_reason = "not yet over that transport",
};

const struct rb_command rb_command_send_lat = {
	.name = "send_lat",
	.summary = "send latency, by ping-pong",
	.kind = RB_COMMAND_BENCHMARK,
	.bench = &bench,
};
