#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# truth.bats - the measuring measured: devices that follow a plan of times, and
# results that agree with what they recorded, whatever else the machine does
#
# The double writes down when each message was posted and when its completion was
# polled; tests/truth computes from that what rbench should have said.

load ../helpers

setup() {
	helpers_setup
	if is_sanitized; then
		skip 'n/a: sanitizers slow down what happens between the two clocks'
	fi
}

# true_of KIND COMMAND PLAN ARGS...: a run of it, and its record, agree
true_of() {
	local kind=$1 command=$2 plan=$3
	export RB_FAKE_RECORD=$BATS_TEST_TMPDIR/record-%p
	RB_FAKE=$plan serve "$command" || return
	[[ $kind != latency ]] || set -- "$@" --samples "$BATS_TEST_TMPDIR/samples.csv"
	RB_FAKE=$plan start_client "${@:4}"
	record=$BATS_TEST_TMPDIR/record-${pids[client]}
	await client 60 || return
	measured || return
	"$RBENCH_SRC/tests/truth" "$kind" "$record" "$doc" "$BATS_TEST_TMPDIR/samples.csv"
}

@test "a constant service time: percentiles, mean and deviation" {
	true_of latency read_lat 'service=500us' -n 2000
	# no message is done before the plan allows it
	is '.results[0].latency_ns.min > 499e3'
}

@test "two service times: the percentiles fall where they should" {
	true_of latency read_lat 'service=bimodal:200us,2ms,0.2' -n 2000
	is '.results[0].latency_ns | .p50 < 1.9e6 and .p99 > 1.9e6'
}

@test "half of a round trip of sends" {
	true_of latency send_lat 'service=300us' -n 2000
	is '.results[0].latency_ns.min > 299e3'
}

@test "a stall that one message in hundreds meets" {
	true_of latency read_lat 'service=200us; stall=50ms/500ms' -n 8000
	is '.results[0].latency_ns | .p99 < 40e6 and .max > 40e6'
}

@test "a stall is in the response time of all that were due in it" {
	serve read_lat
	RB_FAKE='service=100us; stall=50ms/1s' client -n 1500 --rate 500
	measured
	# 5 % are due in a stall, one in 500 has it in its latency
	is '.results[0] | .response_ns.p99 > 35e6 and .response_ns.p99_9 > 45e6'
	is '.results[0] | .response_ns.p99_9 < 500e6 and .latency_ns.p50 < 35e6'
}

@test "without a counter that can be relied on" {
	export RBENCH_CLOCK=system
	true_of latency read_lat 'service=500us' -n 1000
	is '.clock.source == "monotonic_raw"'
}

@test "on a machine whose /proc/cpuinfo lies" {
	printf 'processor\t: 0\ncpu MHz\t\t: 1.000\nflags\t\t:\n\n' >"$BATS_TEST_TMPDIR/cpuinfo"
	unshare -m true 2>/dev/null || skip 'n/a: no mount namespace may be made here'
	# shellcheck disable=SC2016 # for the inner shell
	WRAP=(unshare -m sh -c 'mount --bind "$0" /proc/cpuinfo && exec "$@"' "$BATS_TEST_TMPDIR/cpuinfo")
	true_of latency read_lat 'service=500us' -n 1000
}

@test "a constant rate: bandwidth and intervals" {
	true_of bandwidth write_bw 'rate=1' -n 3000 -s 64K
	# a link cannot be faster than it is
	is '.results[0].bandwidth.bits_per_s < 1.01e9'
}

@test "a service time under the bandwidth loop" {
	true_of bandwidth read_bw 'service=200us' -n 8000 -s 4K -Q 1
}

@test "a stall is seen in the slowest interval, and when it was" {
	true_of bandwidth write_bw 'rate=1; stall=50ms/1s' -n 6000 -s 64K
	is '.results[0].intervals.bits_per_s | .min < 0.8 * .p50'
}

@test "a rate step: both rates among the intervals" {
	true_of bandwidth write_bw 'rate=2@0s,1@500ms' -n 5000 -s 64K
	is '.results[0].intervals.bits_per_s | .max > 1.5 * .p50'
}

@test "what UC loses is counted to the message" {
	serve send_bw
	# as many receives as messages: nothing else is lost
	RB_FAKE='drop#100; drop#200; drop#300; drop#2000' client -c UC -n 3000 -r 4096 -s 1K
	measured
	is '.results[0] | .messages == 3000 and .loss.lost == 4 and (.loss.percent * 3000 - 400 | fabs) < 1e-6'
}
