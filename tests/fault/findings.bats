#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# findings.bats - what the rules of doctor find in a run: counters that moved

load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# This machine's own state is none of what is tested: nothing of it is seen.
setup() {
	helpers_setup
	root=$BATS_TEST_TMPDIR/root
	counters=$root/sys/class/infiniband/fake0/ports/1/hw_counters
	mkdir -p "$counters"
	echo 5 >"$counters/out_of_sequence"
	echo 7 >"$counters/rcvd_rnr_err"
	echo 3 >"$counters/rx_write_requests"
	export RBENCH_ROOT=$root
}

# moving FILE VALUE ARGS...: a run during which the counter of the client moves
moving() {
	local file=$1 value=$2
	shift 2
	serve write_bw -d fake1 -vv
	start_client -d fake0 -D 500ms "$@"
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	echo "$value" >"$counters/$file"
	await client
	measured
}

@test "a clean run has an empty list, at both ends" {
	moving rx_write_requests 1000
	is '.findings == []'
	await_server
	is '.findings == []'
}

@test "a counter that means trouble is a finding, at both ends" {
	moving out_of_sequence 12
	is '[.findings[] | [.id, .severity, .end, .likelihood]] ==
		[["CNT-DIRECTION", "warning", "both", 90], ["CNT-LOSS-IN", "warning", "local", 85]]'
	is '.findings[0].text | test("packets from fake1.* to fake0.* are lost")'
	is '.findings[1].text | test("^fake0/1: hw.out_of_sequence grew by 7 in [0-9.]+ s$")'
	await_server
	is '.findings | any(.id == "CNT-LOSS-IN" and .end == "peer")'
}

@test "a counter that only a rule knows" {
	moving rcvd_rnr_err 8
	is '[.findings[] | [.id, .end]] == [["CNT-RNR", "local"]]'
	is '.warnings | all(.id != "rnr_nak")'
}

@test "a finding is a line of the text, and no verdict says that nothing was seen" {
	serve write_bw -d fake1 -vv
	bench=write_bw
	start_rbench client write_bw -d fake0 -D 500ms -p "$port" "$SERVER"
	: >"${bases[client]}.any"
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	echo 8 >"$counters/rcvd_rnr_err"
	await client
	grep -qE '^CNT-RNR, local: fake0/1: hw.rcvd_rnr_err grew by 1 in .* s; rbench doctor --rule CNT-RNR$' "$doc"
	grep -q '^verdict: .*; 1 finding of doctor' "$doc"
}

@test "the ends differ in their MTU" {
	RB_FAKE=mtu=1024 serve write_bw -d fake1
	client -d fake0 -n 10
	is '[.findings[] | [.id, .end, .severity]] == [["MTU-PEER", "both", "warning"]]'
	await_server
}

# failing: the peer dies while a counter of the client moves
failing() {
	serve write_bw -d fake1 -vv
	start_client -d fake0 -D 20s
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	echo 12 >"$counters/out_of_sequence"
	stop_server
	await client
}

@test "a run that fails tells what moved here, and what the rules make of it" {
	failing
	failed_with peer_gone
	is '.counters | .interval_ns > 0 and del(.interval_ns) == { "local": { "hw.out_of_sequence": 7 } }'
	# in the time for which they were watched; of a run that failed there is no other
	is '.counters.interval_ns as $ns | .findings[0].text | capture("grew by 7 in (?<s>.*) s$").s |
		tonumber * 1e9 / $ns | . > 0.99 and . < 1.01'
	is '[.findings[] | [.id, .end]] == [["CNT-LOSS-IN", "local"]]'
	is '.warnings | any(.id == "out_of_sequence")'
}

@test "what explains the failure comes first, and says how likely" {
	serve write_bw -d fake1 -vv
	RB_FAKE='event@2s=PORT_ERR' start_client -d fake0 -D 20s
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	echo 12 >"$counters/out_of_sequence"
	echo 8 >"$counters/rcvd_rnr_err"
	await client
	failed_somehow
	is '[.findings[].id] | index("CNT-LOSS-IN") != null and index("CNT-RNR") != null'
	is '.findings[0].likelihood >= .findings[1].likelihood'
	await_server
	failed_somehow
	is '.findings == []'
}

@test "a run that fails before anything was measured has none" {
	serve write_bw
	RB_FAKE='ibv_reg_mr#1=ENOMEM' client
	failed_somehow
	is '(has("findings") or has("counters")) | not'
	await_server
	failed_somehow
}
