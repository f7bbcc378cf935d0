#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# truth.bats - a wire whose disturbance is known: it is seen where it is

SERVER=10.0.0.2
DEADLINE=120 # everything is emulated
load ../helpers

setup_file() { export BATS_TEST_RETRIES=1; } # emulated: see verbs.bats

teardown() {
	tc qdisc del dev v0 root 2>/dev/null || true
	helpers_teardown
}

@test "an outage of 1 s is the slowest interval, named, with the counters that moved" {
	local start began ended_at
	serve write_bw -d rxe1 --timeout 20
	start=$(sent)
	start_client -d rxe0 --timeout 20 -D 5 --warmup 0 --interval 500ms -s 4K -u 12
	until_true "$DEADLINE" sent_more_than $((start + 200))
	began=${EPOCHREALTIME/./}
	read -r -t 2 -u "$never" || true
	tc qdisc replace dev v0 root netem loss 100%
	ended_at=$((${EPOCHREALTIME/./} - began))
	read -r -t 1 -u "$never" || true
	tc qdisc del dev v0 root
	await client
	ended 0 ok
	echo "# cut at about $ended_at us: $(field '.results[0].intervals | tojson')"
	is '.results[0].intervals.bits_per_s | .min < 0.1 * .p50'
	is ".results[0].intervals | .worst_at_ns > ($ended_at - 700000) * 1000 and .worst_at_ns < ($ended_at + 1700000) * 1000"
	is '.counters.local | keys | any(test("retry|timeout"))'
	is '.warnings | any(.text | test("this end: .* rose by"))'
	await_server
	ended 0 ok
}

@test "a load beside a latency: both go over the wire" {
	serve write_lat -d rxe1 --timeout 20
	client -d rxe0 --timeout 20 -n 30 --background 2 --background-size 16K
	ended 0 ok
	is '.results[0].background.bits_per_s > 0 and .results[0].latency_ns.count == 30'
	is '.counters.local["hw.sent_pkts"] > 100'
	await_server
	ended 0 ok
}
