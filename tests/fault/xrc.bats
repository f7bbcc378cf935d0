#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# xrc.bats - extended connections: every verb over them, and a device without any

load ../helpers

# over_xrc COMMAND ARGS...: to the end on both ends
over_xrc() {
	local words
	read -r -a words <<<"$1"
	measure "${words[@]}" -c XRC -n 100 || return
	is '.options.connection == { value: "XRC", source: "user" }'
}

@test "every benchmark, one way and both" {
	each over_xrc write_bw read_bw send_bw atomic_bw write_lat read_lat send_lat atomic_lat \
		'write_bw -b' 'read_bw -b' 'send_bw -b' 'atomic_bw -b' 'atomic_bw -A CMP_AND_SWAP'
}

@test "with immediate data, events, lists, threads, many queue pairs, a walk, many sizes" {
	each over_xrc 'write_bw --imm' 'send_bw --imm -q 4' 'write_lat --imm' 'send_lat -e' 'send_bw -e -b' \
		'write_bw -l 8 -q 4' 'send_bw --threads 2 -q 4' 'send_bw -q 64 -r 256 -s 64' 'send_lat --threads 2' \
		'read_bw --footprint 64K --access random' 'send_bw -s 2:64K:*8' 'write_bw --mr-per-qp -q 4' \
		'write_bw --rate 1M/s -s 64'
}

@test "the bytes that arrive are those that were sent" {
	local from=$BATS_TEST_TMPDIR/from to=$BATS_TEST_TMPDIR/to command
	for command in write_bw send_bw; do
		head -c 1M /dev/urandom >"$from"
		head -c 1M /dev/zero >"$to"
		serve "$command" --mmap "$to"
		client -c XRC -s 8K -n 20 --mmap "$from"
		measured
		await_server
		measured
		cmp -n 8192 "$from" "$to"
	done
}

@test "a queue pair each way, and nothing that an end does not need" {
	serve write_bw -vv
	client -c XRC -n 5 --trace
	measured
	[ "$(grep -c 'ibv_create_qp_ex.*XRC_SEND' "$err")" -eq 1 ]
	[ "$(grep -c 'ibv_create_qp_ex.*XRC_RECV' "$err")" -eq 0 ]
	run ! grep -q 'ibv_create_srq' "$err"
	await_server
	measured
	serve write_bw
	client -c XRC -n 5 -b --trace
	[ "$(grep -c 'ibv_create_qp_ex.*XRC_SEND' "$err")" -eq 1 ]
	[ "$(grep -c 'ibv_create_qp_ex.*XRC_RECV' "$err")" -eq 1 ]
	[ "$(grep -c 'ibv_create_srq_ex' "$err")" -eq 1 ]
	await_server
	measured
}

@test "a device without XRC, at either end: exit code 77 and the cause" {
	serve send_bw
	RB_FAKE='xrc=0' client -c XRC -n 5
	gave_up 77 unsupported transport_unsupported "'fake0' cannot do XRC: its driver does not report it"
	await_server
	RB_FAKE='xrc=0' serve send_bw
	client -c XRC -n 5
	said "'fake0' cannot do XRC: its driver does not report it"
	is '.error.code == "transport_unsupported"'
	await_server
	gave_up 77 unsupported transport_unsupported "cannot do XRC"
}

@test "a domain or its receive queue that cannot be had" {
	serve send_bw
	RB_FAKE='ibv_open_xrcd=ENOMEM' client -c XRC -n 5
	failed_with xrc_domain "cannot open an XRC domain on 'fake0'"
	await_server
	failed_somehow
	RB_FAKE='ibv_create_srq=ENOMEM' serve send_bw
	client -c XRC -n 5
	failed_with srq_create 'XRC shared receive queue'
	await_server
	failed_with srq_create
}

@test "a request that fails is explained as over RC" {
	serve write_bw
	RB_FAKE='wc#3=RETRY_EXC_ERR:129' client -c XRC -n 500 -Q 1
	failed_with completion_error 'transport retry counter exceeded'
	await_server
	failed_somehow
}
