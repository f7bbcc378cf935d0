#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# hwclock.bats - --hw-clock: latencies by the device's stamps, of a device whose
# service takes a known time and whose completions are found a known time later

load ../helpers

# Times of a machine that others use too: a second try may do.
setup_file() { export BATS_TEST_RETRIES=1; }

setup() {
	helpers_setup
	unknown_host
}

# stamped PLAN COMMAND ARGS...: a run of it, the plan being that of both ends
stamped() {
	RB_FAKE=$1 serve "$2" || return
	RB_FAKE=$1 client --hw-clock "${@:3}" || return
	measured || return
	await_server || return
	measured || return
	doc=${bases[client]}.json
	is '.results | all(.hw_latency_ns.count == .latency_ns.count and .hw_delay_ns.count == .latency_ns.count)' || return
	is '.results | all(.hw_clock | .outside == 0 and .error_ns > 0 and .ppm_error > 0)'
}

# sees NS: the stamps tell that time to 1 %; none less, but for the clocks' error
sees() {
	is ".results | all(.hw_latency_ns.p50 > $1 and .hw_latency_ns.p50 < 1.01 * $1)" || return
	is ".results | all(.hw_latency_ns.min + .hw_clock.error_ns > $1)"
}

# runs_at MHZ PPM: so the clock was found to run
runs_at() {
	is ".results | all(.hw_clock | (.ppm - $2 | fabs) < .ppm_error + 20)" || return
	is ".results | all(.hw_clock | (.hz / ($1 * (1e6 + $2)) - 1 | fabs) < 1e-9 * (1e3 * .ppm_error + 2e4))"
}

@test "what the device took, to 1 %, where the host sees it half as long again" {
	stamped 'service=100us; poll_late=50us; hw_clock=156250' read_lat -n 1000
	sees 100e3
	is '.results[0] | .latency_ns.min > 150e3 and .hw_delay_ns.min > 49.9e3 and .hw_delay_ns.p50 < 60e3'
	is '.results[0] | (.hw_latency_ns.mean + .hw_delay_ns.mean) / .latency_ns.mean | . > 0.9999 and . < 1.0001'
	runs_at 156.25 0
	stamped 'service=100us; poll_late=50us; hw_clock=156250' atomic_lat --post-send -n 500
	sees 100e3
}

@test "by time, with a warm-up, of several sizes and runs" {
	stamped 'service=100us; poll_late=20us' read_lat -D 100ms --warmup 50ms -s 8,4K --repeat 2
	sees 100e3
	is '.results | length == 2 and all(.messages == .hw_latency_ns.count)'
	is '.results | all(.repeats.metrics | has("hw_latency_ns.p50") and has("hw_delay_ns.p99"))'
}

@test "more messages than a block has" {
	stamped 'hw_clock=156250; hw_clock_ppm=200' read_lat -n 20000
	runs_at 156.25 200
	is '.results[0] | .hw_latency_ns.max <= .latency_ns.max and .hw_latency_ns.p50 < .latency_ns.p50'
}

@test "a clock that drifts" {
	stamped 'service=100us; hw_clock=156250; hw_clock_ppm=700' read_lat -D 400ms
	sees 100e3
	runs_at 156.25 700
	stamped 'service=100us; hw_clock=1000000; hw_clock_ppm=-700' read_lat -D 400ms
	sees 100e3
	runs_at 1000 -700
}

@test "a clock that begins anew every 107 ms" {
	stamped 'service=100us; hw_clock=156250; hw_clock_bits=24; hw_clock_ppm=-300' read_lat -D 400ms
	sees 100e3
	runs_at 156.25 -300
	is '.results[0].hw_latency_ns.p99 < 150e3'
}

@test "a clock of 64 bits at its end" {
	# its zero is that of the machine: it ends in a second from now
	local up start
	read -r up _ </proc/uptime
	printf -v start 0x%x $((-(${up/./} * 1562500 + 156250000)))
	stamped "service=100us; hw_clock=156250; hw_clock_start=$start" read_lat -D 2s
	sees 100e3
	runs_at 156.25 0
}

@test "half a round trip of sends, and of writes with immediate data" {
	# in a round trip the server sees its half 50 us late, the client its own
	both() {
		stamped 'service=1ms; poll_late=400us; hw_clock=156250' "$@" -n 50
		is '.results[0] | .latency.kind == "half_round_trip" and .latency_ns.min > 1400e3'
		is '.results[0] | .hw_latency_ns.min > 1199e3 and .hw_latency_ns.p50 < .latency_ns.p50 - 195e3'
		is '.results[0] | .hw_delay_ns.min > 399e3'
	}
	both send_lat
	both write_lat --imm
	both send_lat -c UD
}

@test "it goes with events, a rate, threads, a load, XRC, UC, lists, a shared queue" {
	with() {
		# shellcheck disable=SC2086 # words
		stamped 'service=20us; hw_clock=156250' $1
	}
	each with 'read_lat -n 200 -e' 'send_lat -n 200 -e --spin 10us' \
		'read_lat -n 200 --rate 2K/s' 'send_lat -n 100 --threads 2' \
		'read_lat -n 200 --threads 2' 'read_lat -D 50ms --background 1' \
		'send_lat -n 200 -c XRC' 'send_lat -n 200 -c UC --imm' \
		'send_lat -n 200 --post-send --srq' 'read_lat -n 200 -R'
}

@test "at a rate: the response time too" {
	# who waits for each message finds its caches cold: 1 % has to be more than that
	stamped 'service=1ms; poll_late=50us' read_lat -n 200 --rate 500/s
	sees 1e6
	is '.results[0] | .response_ns.count == 200 and .response_ns.min > 1050e3'
}

@test "text has its columns, and the server needs none" {
	RB_FAKE='service=50us' serve read_lat
	RB_FAKE='service=50us' start client env LD_PRELOAD="$preload" RB_FAKE_DIR="$BATS_TEST_TMPDIR" \
		"${sanitized[@]}" "$RBENCH" read_lat -p "$port" --hw-clock -n 20 "$SERVER"
	: >"${bases[client]}.any"
	await client
	[ "$status" -eq 0 ]
	grep -qE 'hw p50 .*hw p99 .*late p50 .*hw \+-us' "$doc"
	await_server
	is '.results[0] | has("hw_clock") or has("hw_latency_ns") | not'
}

@test "without the option there is nothing of it" {
	serve read_lat
	client -n 20
	is '.results[0] | has("hw_clock") or has("hw_latency_ns") | not'
	await_server
}

# bats test_tags=effect:hw-clock
@test "an expectation of it" {
	RB_FAKE='service=100us; poll_late=100us' serve read_lat
	RB_FAKE='service=100us; poll_late=100us' client --hw-clock -n 200 --expect 'hw_latency.p50 < 150us' --expect 'latency.p50 < 150us'
	ended 3 below_expectation
	is '.expectations | map(.met) == [true, false]'
	await_server
}

# has_none PLAN WHY: a device that cannot do it
has_none() {
	serve read_lat
	RB_FAKE=$1 client --hw-clock -n 20
	gave_up 77 unsupported transport_unsupported 'does not stamp completions' "$2" || return
	await_server
}

@test "devices without stamps: 77, with the cause" {
	has_none 'hw_clock=0' completion_timestamp_mask
	has_none 'hw_clock_bits=0' completion_timestamp_mask
	has_none 'ibv_create_cq=EOPNOTSUPP' ibv_create_cq_ex
	has_none 'ibv_query_rt_values=EOPNOTSUPP' ibv_query_rt_values_ex
}

@test "stamps that begin anew every 0.4 ms: 77" {
	serve read_lat
	RB_FAKE='hw_clock=156250; hw_clock_bits=16' client --hw-clock -n 20
	gave_up 77 unsupported transport_unsupported 'begin anew every 0.419 ms'
	await_server
}

@test "a clock that cannot be read any more" {
	serve read_lat
	RB_FAKE='ibv_query_rt_values#20=EIO' client --hw-clock -n 20
	failed_with hw_clock "cannot read the clock of 'fake0'"
	await_server
	failed_somehow
}

# warned ID: and of nothing else
warned() {
	is "[.warnings[].id] == [\"$1\"]"
}

@test "a clock that is far from its rate: warned of, once, and corrected" {
	RB_FAKE='service=100us; hw_clock=156250; hw_clock_ppm=2000' serve read_lat
	RB_FAKE='service=100us; hw_clock=156250; hw_clock_ppm=2000' client --hw-clock -D 100ms -s 8,16
	measured
	sees 100e3
	warned hw_clock_rate
	await_server
}

@test "stamps of another clock: warned of, and left out" {
	other_clock() {
		RB_FAKE="service=100us; hw_stamp=$1" serve read_lat
		RB_FAKE="service=100us; hw_stamp=$1" client --hw-clock -n 50
		measured || return
		warned hw_clock_stamps || return
		is '.results[0] | .hw_clock.outside == 50 and (has("hw_latency_ns") | not) and .latency_ns.count == 50' || return
		await_server
	}
	each other_clock -5ms 1s
}
