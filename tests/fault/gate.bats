#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# gate.bats - expectations: exit codes, what is named, what can never pass

load ../helpers

# judged EXIT STATUS EXPR...: a short run at 1 Gb/s of a link of 100
judged() {
	local code=$1 word=$2 expr args=()
	shift 2
	for expr; do
		args+=(--expect "$expr")
	done
	unknown_host
	serve write_bw
	RB_FAKE=${plan:-rate=1} client -s "${sizes:-64K}" -D 100ms "${args[@]}"
	ended "$code" "$word" || return
	is ".expectations | length == $#" || return
	await_server
	measured || return
	doc=${bases[client]}.json
}

# Expectations that such a run meets, and those that it does not.
@test "a table of expectations: met" {
	judged 0 ok 'bandwidth >= 0.5Gb/s' 'bandwidth <= 5%link' 'bandwidth.bits_per_s < 5e9' \
		'messages > 0' 'message_rate < 1M' 'duration >= 90ms' 'cpu.local > 1%' \
		'warnings == 0' 'events == 0' 'size_bytes == 64K'
	is '.expectations | all(.met and (.value | type) == "number" and (has("failed") | not))'
}

@test "a table of expectations: none is met" {
	judged 3 below_expectation 'bandwidth >= 5Gb/s' 'bandwidth >= 90%link' 'messages == 0' \
		'message_rate > 1M' 'duration < 1ms' 'warnings != 0' 'events > 0'
	is '.expectations | all(.met | not)'
	[ "$(grep -c '^rbench write_bw: not met: ' "${bases[client]}.err")" -eq 7 ]
}

# bats test_tags=effect:expect
@test "one of several suffices for exit code 3, and it is named" {
	judged 3 below_expectation 'messages > 0' 'bandwidth >= 5Gb/s'
	err=${bases[client]}.err
	said "not met: 'bandwidth >= 5Gb/s': "
	said 'with messages of 64 KiB'
	is '[.expectations[].met] == [true, false]'
}

@test "one bad row of a sweep" {
	# a message takes 1 ms, whatever its size
	plan='service=1ms' sizes=64,64K judged 3 below_expectation 'bandwidth >= 50Mb/s' 'messages > 0'
	err=${bases[client]}.err
	said 'with messages of 64 B'
	is '.expectations[0] | .size_bytes == 64 and (.failed | length == 1) and .failed[0].size_bytes == 64'
}

@test "what was not measured is never met" {
	serve write_lat
	client -n 50 --expect 'latency.p99.9 >= 0ns' --expect 'counters.nosuch == 0' --expect 'latency.p50 >= 0ns'
	ended 3 below_expectation
	is '[.expectations[].met] == [false, false, true]'
	is '.expectations[:2] | all(has("value") | not)'
	said "'latency.p99.9 >= 0ns': not measured with messages of 2 B"
	said "'counters.nosuch == 0': not measured"
	await_server
	measured
}

# bats test_tags=effect:limit-bw,effect:limit-msgrate
@test "perftest's -w and -y" {
	serve write_bw
	RB_FAKE='rate=1' client -D 100ms -w 0.5 -y 0.0001
	ended 0 ok
	await_server
	serve write_bw
	RB_FAKE='rate=1' client -D 100ms --limit_bw 5 --limit_msgrate 0.0001
	ended 3 below_expectation
	is '.expectations[0].expr == "bandwidth >= 5Gb/s" and .expectations[0].limit == 5e9 and .expectations[1].met'
	await_server
	measured
}

@test "both directions: the share is of twice the link, each has its own" {
	RB_FAKE='rate=1; speed=10' serve write_bw
	RB_FAKE='rate=1; speed=10' client -b -D 200ms --expect 'bandwidth <= 15%link' \
		--expect 'bandwidth >= 5%link' --expect 'directions.in <= 15%link' --expect 'directions.out <= 1.5Gb/s'
	ended 0 ok
	await_server
	measured
}

@test "the responder has expectations of its own" {
	serve write_bw --expect 'bandwidth >= 5Gb/s'
	RB_FAKE='rate=1' client -D 100ms
	measured
	await_server
	ended 3 below_expectation
}

@test "quiet says what is not met; text has the sum" {
	serve write_bw
	start_rbench client write_bw -p "$port" --quiet -D 100ms --expect 'messages == 0' --expect 'messages > 0' "$SERVER"
	: >"${bases[client]}.any"
	await client
	[ "$status" -eq 3 ]
	said "not met: 'messages == 0'"
	grep -qx 'expectations: 1 of 2 met' "$doc"
	await_server
}

# never_judged CODE PLAN: a run that fails exits neither with 0 nor with 3
never_judged() {
	serve write_bw
	RB_FAKE=$2 client -n 500 --expect 'messages >= 0' --expect 'messages == 1'
	failed_with "$1" || return
	is 'has("expectations") | not' || return
	stop_server || true
}

@test "a run that fails is not judged" {
	never_judged completion_error 'wc#3=RETRY_EXC_ERR:129'
	never_judged memory_register 'ibv_reg_mr=EIO'
}

@test "an interrupted run is not judged" {
	serve write_bw -vv
	start_client -D 1h --expect 'messages == 0'
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	kill -INT "${pids[client]}"
	await client
	gave_up 1 interrupted interrupted
	is 'has("expectations") | not'
	await_server
}

@test "counters: one that moved, one that did not, one that is not there" {
	local sys=$BATS_TEST_TMPDIR/sys dir
	dir=$sys/class/infiniband/fake0/ports/1/hw_counters
	mkdir -p "$dir"
	echo 5 >"$dir/out_of_sequence"
	echo 7 >"$dir/implied_nak_seq_err"
	serve write_bw -vv
	SYSFS_PATH=$sys start_client -D 1s --expect 'counters.out_of_sequence == 0' \
		--expect 'counters.local.implied_nak == 0' --expect 'counters.peer.implied_nak == 0'
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	echo 9 >"$dir/out_of_sequence"
	await client
	ended 3 below_expectation
	is '[.expectations[] | [.met, .value]] == [[false, 4], [true, 0], [false, null]]'
	await_server
}
