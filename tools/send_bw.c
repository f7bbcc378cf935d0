/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * send_bw - send bandwidth and message rate, with the receiver's goodput
 */
#include "command.h"
#include "run/bench.h"

static const struct rb_bench bench = {
	.name = "send_bw",
	.summary = "send bandwidth and message rate, with the receiver's goodput",
	.verb = RB_VERB_SEND,
	.pattern = RB_PATTERN_STREAM,
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_UC) |
		      RB_TRANSPORT(IBV_QPT_UD) | RB_TRANSPORT(IBV_QPT_XRC_SEND),
	.transport_reason = "not yet over that transport",
};

const struct rb_command rb_command_send_bw = {
	.name = "send_bw",
	.summary = "send bandwidth and message rate, with the receiver's goodput",
	.kind = RB_COMMAND_BENCHMARK,
	.bench = &bench,
};
