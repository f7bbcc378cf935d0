#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# verbs.bats - every benchmark between the lab's two devices, in ways that
# matrix.bats does not try

# bats file_tags=long
SERVER=10.0.0.2
DEADLINE=40 # everything is emulated
load ../helpers

# Emulated, on CPUs that others use too: a deadline may pass for no fault of the
# program. A second try may do; twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# answered COMMAND ARGS...: both ends to their end, both documents good
answered() {
	local of_latency=true
	[[ $1 != *_lat ]] || of_latency='.results[0].latency_ns | .count == 100 and .min > 0'
	serve "$1"
	client -d rxe0 --timeout 20 -n 100 "${@:2}"
	ends_well '.status == "ok" and (.results | length == 1 and .[0].messages == 100)' "$of_latency"
}

by_post_send() { answered "$1" --post-send; }

# each_benchmark FUNCTION
each_benchmark() {
	local names
	mapfile -t names < <("$RBENCH" --list-commands | awk -F '\t' '$2 == "benchmark" { print $1 }')
	((${#names[@]} > 0))
	each "$1" "${names[@]}"
}

@test "every benchmark, by ibv_post_send" {
	each_benchmark by_post_send
}

@test "latency over UC, with events, of several sizes" {
	serve send_lat
	client -d rxe0 --timeout 20 -c UC -e -n 50 -s 2,4K,64K
	ended 0 ok
	is '[.results[].latency_ns.count] == [50, 50, 50]'
	await_server
	ended 0 ok
	serve write_lat
	client -d rxe0 --timeout 20 -s 64,128,64 -D 300ms
	ended 0 ok
	await_server
	ended 0 ok
}

# measure COMMAND ARGS...: a run to its end, without a complaint
measure() {
	serve "$1" --timeout 20
	client -d rxe0 --timeout 20 "${@:2}"
	ends_measured
}

@test "a multicast group with two listeners, by hand and through rdma_cm, IPv4 and IPv6" {
	local six
	six=$(grep -l '^fd00' /sys/class/infiniband/rxe0/ports/1/gids/? | head -n 1)
	for options in '' '-R' '--post-send -M 239.1.2.3' "-x ${six##*/}"; do
		echo "with '$options'"
		# shellcheck disable=SC2086
		measure send_bw -c UD -g 2 -n 50 -s 64 $options
		is '.results[0].loss == { "sent": 50, "received": 100, "lost": 0, "percent": 0.0 }'
		is '.warnings | all(.id != "datagram_source")'
	done
}

@test "a shared receive queue for 32 queue pairs, over RC and UD" {
	measure send_bw --srq -q 32 -n 20 -s 1K --imm
	is '.results[0].loss | .sent == 640 and .lost == 0'
	measure send_bw --srq -q 32 -n 10 -s 64 --imm -c UD
	is '.results[0].loss | .sent == 320 and .lost == 0'
}

# soft-RoCE takes no more; those of 16 MiB are in tests/fault/benchmarks.bats
@test "messages of 8 MiB" {
	measure write_bw -s 8M -n 2 -u 20
	measure send_bw -s 8M -n 2 -u 20
}

@test "1024 queue pairs" {
	measure write_bw -q 1024 -n 2 -t 2 -s 64
	is '.results[0].messages == 2048'
}

@test "64 queue pairs on two threads, of each benchmark's own kind" {
	measure write_bw -q 64 --threads 2 -n 10 -s 1K
	is '.results[0] | .messages == 640 and .threads == 2'
	measure send_bw -q 64 --threads 2 -D 2s -s 1K
	is '.results[0].shares | (.threads | map(.qps) == [32, 32]) and (.qps | length == 64)'
	measure read_bw -q 64 --threads 2 -n 5 -s 1K -R
	is '.results[0].messages == 320'
	measure send_lat --threads 2 -n 20
	is '.results[0].latency_ns.count == 40'
}

@test "a rate, memory to walk through, messages in pieces" {
	measure write_bw -s 1K -n 200 --rate 100/s -e
	# everything is emulated: slower it may be
	is '.results[0].message_rate.per_s | . <= 101 and . > 30'
	measure read_bw -s 1K -n 100 --footprint 1M --access random
	measure send_bw -s 4K -n 50 --sge 3
	measure send_lat -n 20 --rate 50/s
	is '.results[0].response_ns.count == 20'
}

@test "retries, flow label, hop limit and partition are taken" {
	measure write_bw -n 20 --retry-count 3 --rnr-retry 2 --flow-label 77 --hop-limit 5 --pkey-index 0
	measure write_bw -n 20 -R --retry-count 3 --rnr-retry 2 --flow-label 77 --hop-limit 5
}

@test "--hw-clock, which soft-RoCE has not: refused with the cause" {
	serve send_lat
	client -d rxe0 --timeout 20 --hw-clock -n 5
	gave_up 77 unsupported transport_unsupported "does not stamp completions" completion_timestamp_mask
	await_server
}

@test "XRC, which soft-RoCE has not: refused with the cause" {
	serve write_bw
	client -d rxe0 --timeout 20 -c XRC -n 5
	gave_up 77 unsupported transport_unsupported "cannot do XRC"
	await_server
}

# verified COMMAND ARGS...: all of 60 messages of each of 3 queue pairs, and right
verified() {
	serve "$1"
	client -d rxe0 --timeout 20 --verify -n 60 -t 32 -q 3 "${@:2}"
	ends_well '.status == "ok"' \
		'.results | all((.verify | [.checked, .corrupt, .lost] == [180, 0, 0]) and .verify.bytes == 180 * .size_bytes)'
}

verified_words() {
	local words
	read -r -a words <<<"$1"
	verified "${words[@]}"
}

@test "every payload is verified: pieces, footprints, immediate data, rates, both interfaces" {
	# rdma-core's rxe took all pieces of ibv_wr_set_sge_list to be as long as the first
	# one until mid-2026 (providers/rxe/rxe.c): there they have to be
	each verified_words 'write_bw -s 102,5001 --sge 3' 'send_bw -s 102,5001 --sge 3' 'read_bw -s 5001 --sge 3' \
		'write_bw -s 100,5000 --sge 3 --post-send' 'send_bw -s 100,5000 --sge 3 --post-send' \
		'read_bw -s 5000 --sge 3 --post-send' 'send_bw -c UD -s 900 --sge 3' 'write_bw -s 1000 --footprint 64K --access random' \
		'send_bw -s 1000 --footprint 64K' 'write_bw -s 5000 --imm' 'send_bw -s 5000 --imm' \
		'write_bw -s 100 --rate 2K/s' 'write_bw -s 100 --post-send' 'send_bw -s 5000 --post-send' \
		'atomic_bw --post-send' 'read_bw -s 5000 --post-send'
}

@test "every payload is verified: shared receive queues, threads" {
	each verified_words 'send_bw -s 5000 --srq' 'write_bw -s 100 --imm --srq' 'write_bw -s 5000 --threads 3' \
		'send_bw -s 5000 --threads 2 --srq' 'read_bw -s 5000 --threads 2' 'atomic_bw --threads 3'
}
