# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# verify - every verb and transport: what is right is found right, and one
# flipped bit or lost message is found

load ../helpers

# right COMMAND ARGUMENT...: nothing is wrong, and all has been looked at
right() {
	local command=$1
	shift
	serve "$command"
	client --verify -n 300 -t 64 -q 3 "$@"
	((status == 0))
	is '.results | all(.messages == 900 and .verify == { "checked": 900, "corrupt": 0, "lost": 0 })'
	await_server
	[[ $status == 0 ]]
	is '.results | all(.verify == { "checked": 900, "corrupt": 0, "lost": 0 })'
}

# both_ways COMMAND ARGUMENT...
both_ways() {
	local command=$1
	shift
	serve "$command"
	client --verify -n 300 -t 64 -q 3 -b "$@"
	((status == 0))
	is '.results | all(.verify == { "checked": 1800, "corrupt": 0, "lost": 0 })'
	await_server
	[[ $status == 0 ]]
	is '.results | all(.verify == { "checked": 1800, "corrupt": 0, "lost": 0 })'
}

# flipped COMMAND ARGUMENT...: the 70th message has one wrong bit; both ends say so
flipped() {
	local command=$1
	shift
	serve "$command"
	RB_FAKE='corrupt#70' client --verify -n 200 -t 64 "$@"
	failed_with verify '1 of 200 messages arrived corrupted'
	is '.results[0].verify | .checked == 200 and .corrupt == 1 and .lost == 0'
	await_server
	failed_with verify '1 of 200 messages arrived corrupted'
}

# dropped COMMAND ARGUMENT...: the 70th message is lost, and nothing else is
dropped() {
	local command=$1
	shift
	serve "$command"
	RB_FAKE='drop#70' client --verify -n 200 -t 64 "$@"
	((status == 0))
	is '.results[0].verify == { "checked": 200, "corrupt": 0, "lost": 1 }'
	is 'any(.warnings[]; .id == "uc_loss")'
	await_server
	[[ $status == 0 ]]
	is '.results[0].verify == { "checked": 200, "corrupt": 0, "lost": 1 }'
}

@test "send: right, over RC, UC and UD, small and large" {
	right send_bw -s 1,100,4K
	right send_bw -c UC -s 8,100K
	right send_bw -c UD -s 1,2K
}

@test "send: both ways, by time" {
	both_ways send_bw -s 300
	serve send_bw
	client --verify -D 200ms -s 64,1K -q 2
	((status == 0))
	is '.results | all(.verify | .checked > 0 and .corrupt == 0 and .lost == 0)'
	await_server
}

@test "send: one bit" {
	flipped send_bw -s 1K
	flipped send_bw -s 8 -I 0
	flipped send_bw -c UD -s 512
}

@test "send: a loss" {
	dropped send_bw -c UC -s 64
	dropped send_bw -c UD -s 64
}

@test "read: right, both ways, one bit" {
	right read_bw -s 1,100,64K
	both_ways read_bw -s 300
	flipped read_bw -s 1K
}

@test "fetch-and-add: every old value once, the sum at the end; one bit" {
	right atomic_bw
	both_ways atomic_bw
	flipped atomic_bw
}

@test "compare-and-swap: each swap has taken place; one bit" {
	right atomic_bw -A CMP_AND_SWAP
	both_ways atomic_bw -A CMP_AND_SWAP
	flipped atomic_bw -A CMP_AND_SWAP
}
