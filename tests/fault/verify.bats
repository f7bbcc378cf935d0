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
	ends_well '.results | length > 0 and all(.verify | [.checked, .corrupt, .lost] == [900, 0, 0])' \
		'.results | all(.messages == 900 and .verify.bytes == .bytes)'
}

# both_ways COMMAND ARGUMENT...
both_ways() {
	local command=$1
	shift
	serve "$command"
	client --verify -n 300 -t 64 -q 3 -b "$@"
	ends_well '.results | length > 0 and all(.verify | [.checked, .corrupt, .lost] == [1800, 0, 0])'
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
	is '.results[0] | (.verify | [.checked, .corrupt, .lost] == [200, 0, 1])'
	is 'any(.warnings[]; .id == "uc_loss")'
	await_server
	[[ $status == 0 ]]
	is '.results[0] | (.verify | [.checked, .corrupt, .lost] == [200, 0, 1])'
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

# --- beside what else a run can be asked for ----------------------------------------

# Each of these is a way of its own for messages to get lost, torn or mixed up.
combinations=(
	'write_bw -s 100,4K --sge 3' 'send_bw -s 100,4K --sge 3' 'read_bw -s 100,4K --sge 5'
	'send_bw -c UD -s 100,2K --sge 4' 'send_bw -c UC -s 100K --sge 16'
	'write_bw -s 1000 --footprint 64K' 'read_bw -s 1000 --footprint 64K --access random'
	'send_bw -s 100,1000 --footprint 256K --access random' 'write_bw -s 100 --footprint 64K --access stride:192'
	'send_bw -c UD -s 1K --footprint 64K --access stride:1088'
	'send_bw -s 100,4K --srq' 'send_bw -c UC -s 100 --srq' 'write_bw -s 100 --imm --srq'
	'write_bw -s 1,4K --imm' 'write_bw -c UC -s 100 --imm' 'send_bw -s 100 --imm'
	'write_bw -s 1K --rate 20K/s' 'send_bw -s 1K --rate 20K/s --burst-size 4' 'atomic_bw --rate 20K/s'
	'write_bw -s 100 --post-send' 'send_bw -s 100 --post-send' 'read_bw -s 100 --post-send'
	'atomic_bw --post-send' 'write_bw -c UC -s 100 -I 128 --post-send'
	'write_bw -c XRC -s 100,4K' 'send_bw -c XRC -s 100,4K' 'read_bw -c XRC -s 100' 'atomic_bw -c XRC'
	'write_bw -c XRC -s 100 --imm' 'send_bw -c XRC -s 1000 --footprint 64K'
	'write_bw -s 100,4K --threads 3' 'send_bw -s 100 --threads 2' 'read_bw -s 100 --threads 3'
	'atomic_bw --threads 3' 'atomic_bw -A CMP_AND_SWAP --threads 2' 'send_bw -s 100 --threads 3 --srq'
	'write_bw -c XRC -s 100 --imm --threads 2' 'send_bw -s 1000 --threads 2 --sge 2 --footprint 64K --rate 20K/s'
	'write_bw -s 1000 --mr-per-qp --threads 2 --imm'
)

right_each() {
	local words
	read -r -a words <<<"$1"
	right "${words[@]}" || return
	# of one direction the sender's requests are all there is; of both, twice
	both_ways "${words[@]}"
}

@test "beside each of them: right, one way and both" {
	each right_each "${combinations[@]}"
}

# fault OF ITEM COMMAND ARGUMENT...: with that in the client's plan both ends fail, and
# name the message; what they found is 'OF'
fault() {
	local of=$1 item=$2 end
	shift 2
	serve "$1"
	RB_FAKE=$item client --verify -n 200 -t 64 "${@:2}"
	for end in client server; do
		[[ $end == client ]] || await_server
		failed_with verify "$of" || return
		is '.results[0].verify | .checked >= 200 and .corrupt + .lost > 0 and has("first")' || return
	done
}

# corrupted COMMAND ARGUMENT...: the 70th message of three queue pairs is the 24th of
# the first one; 1000 bytes, of which the double changes the one in the middle
corrupted() {
	local words
	read -r -a words <<<"$1"
	fault 'message 23 of queue pair 0 (0x' 'corrupt#70' "${words[@]}" -q 3 || return
	said 'byte 500 is 0x' || return
	is '.results[0].verify | .corrupt == 1 and .lost == 0 and .first == { qp: 0, sequence: 23, offset: 500 }'
}

@test "beside each of them: one bit, and it is told where" {
	each corrupted 'write_bw -s 1000 --sge 3' 'send_bw -s 1000 --sge 3' 'write_bw -s 1000 --footprint 64K' \
		'send_bw -s 1000 --footprint 64K --access random' 'write_bw -s 1000 --footprint 64K --access stride:1088' \
		'send_bw -s 1000 --srq' 'write_bw -s 1000 --imm' 'send_bw -s 1000 --imm' 'write_bw -s 1000 --imm --srq' \
		'write_bw -s 1000 --rate 50K/s' 'write_bw -s 1000 --post-send' 'send_bw -s 1000 --post-send' \
		'write_bw -s 1000 -c XRC' 'send_bw -s 1000 -c XRC' 'write_bw -s 1000 -c XRC --imm'
}

# A read's first byte is the one that changes; of pieces too.
@test "reads in pieces, through a footprint, over XRC: one bit" {
	local with
	for with in '--sge 3' '--footprint 64K' '-c XRC' '--post-send' '--rate 50K/s'; do
		# shellcheck disable=SC2086
		fault 'message 23 of queue pair 0 (0x' 'corrupt#70' read_bw -s 1000 -q 3 $with
		is '.results[0].verify | .corrupt == 1 and .first == { qp: 0, sequence: 23, offset: 0 }'
	done
}

# Of three threads any may post the 70th: one message is wrong, and it is one.
@test "threads: one bit" {
	local bench
	for bench in write_bw send_bw read_bw; do
		fault 'of queue pair' 'corrupt#70' "$bench" -s 1000 -q 3 --threads 3
		is '.results[0].verify | .checked == 600 and .corrupt == 1 and .lost == 0'
	done
	fault 'which came twice or is not of its round' 'corrupt#70' atomic_bw -q 3 --threads 3
	fault 'the word was' 'corrupt#70' atomic_bw -A CMP_AND_SWAP -q 3 --threads 3
}

swapped() {
	local words
	read -r -a words <<<"$1"
	fault 'message 23 of queue pair 0 (0x' 'swap#70' "${words[@]}" -s 1000 -q 3 || return
	# what a send carries came late only once
	is ".results[0].verify | .corrupt == $([[ $1 == send* ]] && echo 1 || echo 2) and .lost == 0 and .first.sequence == 23"
}

@test "two messages that exchange their payloads: it is told whose arrived" {
	each swapped 'write_bw' 'write_bw --sge 3' 'write_bw --footprint 64K' 'write_bw --footprint 64K --access random' \
		'write_bw --post-send' 'write_bw -c XRC' 'write_bw --rate 50K/s'
	said 'from byte 0 on it is message 24 of queue pair 0'
	each swapped 'write_bw --imm' 'write_bw --imm --srq'
	each swapped 'send_bw' 'send_bw --sge 3' 'send_bw --srq' 'send_bw --footprint 64K' 'send_bw -c XRC'
	said 'its immediate data says 23 where 25 was due'
}

missing() {
	local words
	read -r -a words <<<"$1"
	fault 'message 23 of queue pair 0 (0x' 'lose#70' "${words[@]}" -s 1000 -q 3 || return
	said 'did not arrive at' || return
	said 'nothing arrived from byte 0 on' || return
	is '.results[0].verify | .corrupt == 0 and .lost == 1 and .checked == 600 and .bytes == 599000'
}

@test "a message that completes and never arrives is a failure over RC and XRC" {
	each missing 'write_bw' 'write_bw --sge 3' 'write_bw --footprint 64K --access random' 'write_bw --imm' \
		'write_bw --imm --srq' 'send_bw' 'send_bw --srq' 'send_bw --sge 3' 'send_bw --footprint 64K' \
		'write_bw --threads 1' 'write_bw -c XRC' 'send_bw -c XRC' 'read_bw' 'read_bw --footprint 64K' \
		'write_bw --post-send' 'write_bw --rate 50K/s'
}

@test "without a bit of it wrong, but in another's place" {
	local with
	# the 70th lies where the 71st will; nothing is where it should be
	for with in '' '--post-send' '--imm' '--sge 2'; do
		# shellcheck disable=SC2086
		fault 'message 69 of queue pair 0 (0x' 'misplace#70' write_bw -s 1K $with
		is '.results[0].verify | .lost == 1 and .first == { qp: 0, sequence: 69, offset: 0 }'
	done
	# by a walk in which the place behind is not the next one's
	fault 'message 69 of queue pair 0 (0x' 'misplace#70' write_bw -s 1K --footprint 1M --access random
	fault 'from byte 0 on it is message 70 of queue pair 0' 'misplace#70' read_bw -s 1K
	is '.results[0].verify | .corrupt == 1 and .first == { qp: 0, sequence: 69, offset: 0 }'
	fault 'from byte 0 on it is message' 'misplace#70' read_bw -s 1K --footprint 64K --access random
}

@test "immediate data that changes on the way" {
	local with
	for with in '' '--srq' '-c XRC'; do
		# shellcheck disable=SC2086
		fault 'its immediate data says' 'imm#70' write_bw --imm -s 1000 $with
		is '.results[0].verify | .corrupt == 1 and .lost == 0 and .first.sequence == 69'
		# shellcheck disable=SC2086
		fault 'its immediate data says' 'imm#70' send_bw -s 1000 $with
		is '.results[0].verify | .corrupt == 1 and .lost == 0 and .first.sequence == 69'
	done
}

@test "losses that are allowed are no failure: --srq, --imm, --sge, --footprint" {
	dropped send_bw -c UC -s 64 --srq
	dropped send_bw -c UD -s 64 --srq
	dropped send_bw -c UD -s 64 --sge 3
	dropped send_bw -c UD -s 64 --footprint 64K --access random
	dropped write_bw -c UC -s 64 --imm
	dropped write_bw -c UC -s 640 --sge 3 --footprint 64K
}

@test "the walk is that of a stream: messages go through all of the footprint" {
	measure write_bw --verify -s 1000 -n 100 --footprint 64K
	grep -qE '^qp .* from_span=65[0-9]{3} from_back=1 to_span=65[0-9]{3} ' "$BATS_TEST_TMPDIR/client.notes"
	measure send_bw --verify -s 1000 -n 100 --footprint 64K --access random
	grep -qE '^qp .* from_span=6[0-9]{4} from_back=[1-9][0-9]' "$BATS_TEST_TMPDIR/client.notes"
	grep -qE '^qp .* into_span=6[0-9]{4} into_back=[1-9][0-9]' "$BATS_TEST_TMPDIR/server.notes"
	measure send_bw --verify -s 1000 -n 100 -t 16
	grep -qE '^qp .* from_span=163[0-9]{2} ' "$BATS_TEST_TMPDIR/client.notes"
}

@test "a rate is kept, and a slow one does not keep the peer waiting" {
	serve write_bw
	client --verify -s 64 -D 500ms --rate 2K/s -q 3
	((status == 0))
	is '.results[0].message_rate.per_s | . > 1900 and . < 2100'
	await_server
	serve write_bw --timeout 2
	client --verify -s 64 -n 3 --rate 1/s --timeout 2
	((status == 0))
	is '.results[0].duration_ns > 2e9'
	await_server
	((status == 0))
}

@test "threads: each has its queue pairs and a completion queue" {
	measure write_bw --verify -s 64 -q 4 --threads 2 -n 500
	is '.results[0] | .threads == 2 and .qps == 4 and .messages == 2000 and .verify.checked == 2000'
	[ "$(grep -c '^cq ' "$BATS_TEST_TMPDIR/client.notes")" -eq 2 ]
}

@test "a request of --verify that cannot be posted ends the run, by either interface" {
	local with
	for with in '' '--post-send'; do
		serve write_bw
		# shellcheck disable=SC2086
		RB_FAKE='post_send#50=ENOMEM' client --verify -n 100 $with
		failed_with post
		await_server
		failed_somehow
	done
}

# by_limits COMMAND ARGUMENT...: right, whichever end's device holds less in a queue
by_limits() {
	local words client server
	read -r -a words <<<"$1"
	for server in 16 16384; do
		client=$((16 + 16384 - server))
		RB_FAKE=max_qp_wr=$server serve "${words[0]}"
		RB_FAKE=max_qp_wr=$client client --verify -n 100 "${words[@]:1}"
		((status == 0)) || return
		is '.results[0].verify | .checked >= 100 and .corrupt == 0 and .lost == 0' || return
		is '.options.tx_depth == { value: 16, source: "clamped" }' || return
		await_server || return
		((status == 0)) || return
	done
}

@test "devices that hold less than a round takes: both ends make it as short" {
	each by_limits 'write_bw -s 64' 'send_bw -s 64' 'read_bw -s 64 -b' 'atomic_bw' 'send_bw -s 64 -b -q 2' \
		'send_bw -s 64 --srq' 'write_bw -s 64 --imm'
}

@test "a peer that goes while a message is not due yet: the run ends then" {
	serve write_bw --timeout 1 -vv
	bench=write_bw
	# the second message is due after minutes
	start_client --verify -s 1M -n 2 --rate 50Kb --timeout 1
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	stop_server
	await client
	failed_with peer_gone 'lost the connection'
}
