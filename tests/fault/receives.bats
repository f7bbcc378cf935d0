#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# receives.bats - what takes receives: immediate data, solicited events, shared
# receive queues; over the double of tests/fake

load ../helpers

setup_file() { export BATS_TEST_RETRIES=1; } # deadlines of real time

# measure COMMAND ARGS...: a run to the end; both documents are good
measure() {
	serve "$1"
	client "${@:2}"
	ended 0 ok
	await_server
	ended 0 ok
	doc=${bases[client]}.json
}

with_imm() {
	local options
	for options in '-R -e' '-c UC --post-send --srq' '-I 64 -s 64'; do
		echo "$1 $options"
		# shellcheck disable=SC2086
		measure "$1" --imm -n 200 $options || return
		is '.options.imm == { "value": true, "source": "user" }' || return
		[[ $1 == *_lat ]] || is '.results[0].loss | .sent == 200 and .lost == 0' || return
	done
}

@test "immediate data with writes and sends" {
	each with_imm write_bw write_lat send_bw send_lat
}

@test "immediate data in lists, of many queue pairs, both ways, for a time" {
	measure write_bw --imm -q 5 -l 8 -n 203 -s 64 --post-send
	measure send_bw --imm -q 3 -b -n 500 -s 64,128
	measure write_bw --imm -b -D 100ms --srq -q 3
	is '.results[0].loss.lost == 0'
}

# More messages than the sequence in immediate data has numbers.
@test "immediate data goes round" {
	measure write_bw --imm -n 70000 -s 8 -t 512
}

wrong() {
	serve "$1"
	RB_FAKE='imm#30' client --imm -n 200 -s 64 || return
	[[ $status -eq 1 ]] || return
	await_server
	[[ $(field .error.code) == verify ]] || return
	grep -q 'immediate data' "$err"
}

@test "wrong immediate data is told where it arrives" {
	each wrong write_bw send_bw write_lat send_lat
}

@test "a lost message is a gap in the immediate data, not an error, where it may be" {
	serve send_bw
	RB_FAKE='drop#30' client -c UC --imm -n 100 -s 64
	measured
	is '.results[0].loss | .sent == 100 and .received == 99 and .lost == 1 and .percent == 1.0'
	await_server
	measured
}

# Who waits for solicited events sleeps through the others until it looks anyway.
# bats test_tags=effect:solicited
@test "solicited events" {
	measure send_lat -e --solicited -n 20
	is '.results[0].latency_ns.min < 20e6'
	RB_FAKE='unsolicited' serve send_lat
	RB_FAKE='unsolicited' client -e --solicited -n 5
	ended 0 ok
	is '.results[0].latency_ns.min > 20e6'
	await_server
	RB_FAKE='unsolicited' serve send_lat
	RB_FAKE='unsolicited' client -e -n 20
	ended 0 ok
	is '.results[0].latency_ns.min < 20e6'
	await_server
	measure write_bw --imm -e --solicited -n 500
	measure send_bw -e --solicited -D 100ms
}

# Between its last message and the row, the responder waits 20 ms for what is late.
@test "who waits for events does not spin at the end of a size" {
	measure send_bw -e -n 5 -s 2:4K:*2
	is '[.results[].cpu.peer | .user_s + .system_s] | length == 12 and add < 0.08'
}

@test "one shared receive queue for many queue pairs" {
	measure send_bw --srq -q 32 -n 100 -s 64
	is '.results[0].messages == 3200'
	measure send_bw --srq -q 8 -b -n 100 -r 64
	measure send_lat --srq -n 100
	measure write_bw --srq --imm -q 8 -n 100 -r 8
}

@test "a shared receive queue that cannot be made" {
	RB_FAKE='ibv_create_srq=ENOMEM' serve send_bw
	client --srq -n 5
	failed_with srq_create 'shared receive queue'
	await_server
	failed_with srq_create
	serve send_bw
	client --srq -n 5 -r 20000
	failed_with depth_limit '16384' '20000'
	await_server
	failed_with depth_limit
}

refused_by_iwarp() {
	RB_FAKE='transport=iwarp' serve "$1"
	RB_FAKE='transport=iwarp' client -n 5 "${@:3}"
	gave_up 77 unsupported transport_unsupported iWARP "$2"
	await_server
	[ "$status" -ne 0 ]
}

# Its GID is a MAC address: the addresses of the side channel lead to the peer.
@test "an iWARP device: what it has works, through rdma_cm" {
	local bench
	for bench in write_bw read_bw send_bw write_lat read_lat send_lat; do
		RB_FAKE='transport=iwarp' serve "$bench"
		RB_FAKE='transport=iwarp' client -R -n 20
		measured
		is '.local.gid.address == "200:0:2::"' || is '.local.gid.address == "200:0:1::"'
		await_server
		measured
	done
}

@test "an iWARP device: what it does not have is refused, with what to do" {
	refused_by_iwarp write_bw 'give -R'
	refused_by_iwarp write_bw 'use -c RC' -R -c UC
	refused_by_iwarp write_bw 'leave --verify out' -R --verify
	refused_by_iwarp send_bw 'leave --verify out' -R --verify
	refused_by_iwarp send_bw 'use -c RC' -R -c UD
	refused_by_iwarp send_lat 'leave --imm out' -R --imm
	refused_by_iwarp read_bw 'leave -b out' -R -b
}
