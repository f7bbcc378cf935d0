#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# repeat.bats - several runs over one connection, and files of samples

load ../helpers

# bats test_tags=effect:repeat
@test "repeats: the row is that of the median run, at both ends" {
	serve write_bw
	RB_FAKE='rate=1' client -s 4K,64K -D 50ms --repeat 3
	measured
	is '.results | length == 2 and all(.repeats.count == 3 and .bandwidth.bits_per_s == .repeats.metrics["bandwidth.bits_per_s"].median)'
	is '.results | all(.repeats.key == "bandwidth.bits_per_s" and (.repeats.values | sort)[1] == .bandwidth.bits_per_s)'
	local told
	told=$(field '.results[1].repeats.values')
	await_server
	measured
	[ "$(field '.results[1].repeats.values')" = "$told" ]
}

@test "repeats in both directions, of latency, of sends" {
	serve write_bw
	client -b -n 50 --repeat 2
	measured
	is '.results[0].repeats.count == 2'
	await_server
	measured
	serve send_lat
	client -n 50 --repeat 3
	measured
	is '.results[0].repeats | .key == "latency_ns.p50" and .metrics["latency_ns.mean"].stddev >= 0'
	await_server
	measured
}

@test "one run has no repeats" {
	serve write_bw
	client -n 50
	measured
	is '.results[0] | has("repeats") | not'
	await_server
}

@test "--until-stable: the client says when, with a limit" {
	serve write_bw
	RB_FAKE='rate=1@0s,2@100ms,1@200ms,2@300ms,1@400ms' client -D 50ms --warmup 0 --until-stable 1 --repeat 4
	ended 0 ok
	is '.results[0].repeats.count | . >= 3 and . <= 4'
	await_server
	ended 0 ok
	is '.results[0].repeats.count | . >= 3 and . <= 4'
}

# bats test_tags=effect:until-stable
@test "--until-stable: runs that are much alike are soon enough" {
	serve write_bw
	RB_FAKE='rate=1' client -D 30ms --until-stable 100
	ended 0 ok
	is '.results[0].repeats.count | . >= 2 and . < 20'
	await_server
}

@test "runs that differ are called noisy" {
	serve write_bw
	RB_FAKE='rate=1@0s,3@170ms' client -D 100ms --warmup 0 --repeat 3
	ended 0 ok
	is '.warnings | any(.id == "noisy")'
	await_server
}

@test "an interrupted repeat tells what there is" {
	serve write_bw -vv
	start_client -vv -D 1h --repeat 5
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	kill -INT "${pids[client]}"
	await client
	gave_up 1 interrupted interrupted
	await_server
	gave_up 1 interrupted interrupted
}

# bats test_tags=effect:samples,effect:histogram
@test "--samples and --histogram: all samples of all repeats" {
	local samples=$BATS_TEST_TMPDIR/samples.csv text=$BATS_TEST_TMPDIR/hist.txt
	serve read_lat
	client -n 100 --repeat 2 --samples "$samples" --histogram "$text"
	measured
	[ "$(head -n 1 "$samples")" = index,ns ]
	awk -F , 'NR > 1 { if ($1 != NR - 2 || $2 <= 0) exit 1 } END { exit NR != 201 }' "$samples"
	grep -qE '^ +Value +Percentile +TotalCount +1/\(1-Percentile\)$' "$text"
	grep -qE '^ +[0-9.]+ 1\.000000000000 +200$' "$text"
	# counts and percentiles rise
	awk 'BEGIN { p = -1 } /^ +[0-9]/ { if ($2 <= p || $3 < n) bad = 1; p = $2; n = $3 } END { exit bad }' "$text"
	await_server
	measured
}

@test "a samples file that cannot be written is said before anything is measured" {
	serve write_lat
	client -n 100 --samples /nonexistent/samples.csv
	failed_with output "cannot write '/nonexistent/samples.csv'"
	is '.results == []'
	await_server
	failed_with output
}
