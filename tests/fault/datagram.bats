#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# datagram.bats - sends over UD, to one peer and to multicast groups, and what is
# lost, over the double of tests/fake

load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# measure COMMAND ARGS...: a run to the end; both documents are good
measure() {
	serve "$1"
	client -c UD "${@:2}"
	good "$1"
	await_server
	good "$1"
	doc=${bases[client]}.json
}

good() {
	case $1 in
	*_lat) ended 0 ok && is 'all(.results[]; .latency_ns.count == .messages)' ;;
	*) measured ;;
	esac
}

# No more messages than receives: nothing can be lost on the way to them.
whole='.results[0].loss | .sent == .received and .lost == 0 and .percent == 0'

@test "a count, through either method and interface" {
	local options
	for options in '' '-R --post-send' '-x 1 -e' '-x 2 -l 4 --post-send' '--srq -I 64 -s 64'; do
		echo "with '$options'"
		# shellcheck disable=SC2086
		measure send_bw -n 200 $options
		is "$whole"
	done
}

@test "many queue pairs, both directions" {
	measure send_bw -q 4 -n 100 -R
	is "$whole and .received == 400"
	measure send_bw -b -q 2 -n 100
	is "$whole and .received == 200"
}

@test "ping-pong, by all ways" {
	local options
	for options in '--post-send' '-e' '--imm --srq -R -I 0'; do
		echo "with '$options'"
		# shellcheck disable=SC2086
		measure send_lat -n 50 $options
	done
}

@test "by duration the receiver's goodput stands beside the sender's rate" {
	measure send_bw -D 200ms
	is '.results[0] | .receiver.messages > 0 and .receiver.bits_per_s > 0'
	is '.results[0].loss | .lost == .sent - .received'
}

@test "lost messages are counted; the last ones too" {
	serve send_bw
	RB_FAKE='drop#10;drop#11;drop#199;drop#200' client -c UD -n 200
	measured
	is '.results[0].loss == { "sent": 200, "received": 196, "lost": 4, "percent": 2.0 }'
	is '.warnings | any(.id == "messages_lost")'
	await_server
	measured
	is '.results[0].loss.lost == 4'
}

@test "one lost of many is a figure and a warning; whether it may be is for --expect" {
	serve send_bw
	RB_FAKE='drop#500' client -c UC -n 1000 -r 1000 -s 64
	measured
	is '.results[0].loss == { "sent": 1000, "received": 999, "lost": 1, "percent": 0.1 }'
	await_server
	measured
	serve send_bw
	RB_FAKE='drop#500' client -c UC -n 1000 -r 1000 -s 64 --expect 'loss.lost == 0'
	ended 3 below_expectation
	is '.expectations[0] | .value == 1 and (.met | not)'
	await_server
}

# all_lost ARGS...: nothing arrives at all; both ends say so, and what was sent
all_lost() {
	serve send_bw
	RB_FAKE='drop#1;drop#2;drop#3;drop#4' client -n 4 -s 64 "$@"
	failed_with message_lost 'none of 4 messages arrived'
	await_server
	failed_with message_lost 'none of 4 messages arrived'
}

@test "where nothing arrives at all the run has failed" {
	all_lost -c UD
	is '.results[0].loss == { "sent": 4, "received": 0, "lost": 4, "percent": 100.0 }'
	all_lost -c UC
	all_lost -c UD --verify
	is '.results[0].verify | .checked == 4 and .lost == 4'
}

@test "a receiver without enough receives loses, and the run ends" {
	measure send_bw -r 1 -n 2000 -s 64
	is '.results[0].loss | .sent == 2000 and .received < 2000 and .lost == .sent - .received'
}

@test "a lost message ends a ping-pong, which says so" {
	local transport
	for transport in UD UC; do
		serve send_lat
		RB_FAKE='drop#20' client -c "$transport" --timeout 1 -n 1000
		failed_with message_lost 'unreliable transport: a message was lost' "$transport"
		await_server
		failed_with message_lost 'unreliable transport: a message was lost'
	done
}

@test "a datagram is one packet: a default is cut to it, what was asked for refused" {
	measure send_bw -n 5
	is '.results[0].size_bytes == 4096 and .options.size == { "value": [4096], "source": "default" }'
	measure send_bw -n 5 -m 1024
	is '.results[0].size_bytes == 1024'
	RB_FAKE='mtu=2048' serve send_bw
	client -c UD -n 5
	measured
	is '.results[0].size_bytes == 2048'
	await_server
	measured
	measure send_bw -n 5 -a -m 256
	is '[.results[].size_bytes] == [2, 4, 8, 16, 32, 64, 128, 256]'
	serve send_bw
	client -c UD -s 64,4K -m 1024
	failed_with message_limit '4 KiB' '1024'
	await_server
	failed_with message_limit
}

# bats test_tags=effect:multicast
@test "a multicast group, by hand and through rdma_cm" {
	local options
	for options in '--post-send' '-M 239.1.2.3 -R' '-M ff15::1 -x 1'; do
		echo "with '$options'"
		# shellcheck disable=SC2086
		measure send_bw -g 3 -n 50 -s 64 $options
		is '.results[0] | .messages == 50 and .loss.sent == 50 and .loss.received == 150 and .loss.lost == 0'
	done
	measure send_lat -g 1 -n 10 -R
}

# bats test_tags=effect:mgid
@test "a group that is none, or of the other IP version" {
	serve send_bw
	client -c UD -g 1 -M ff15::1 -n 5
	failed_with multicast 'one IP version'
	await_server
	failed_with multicast
}

@test "a group that cannot be joined" {
	serve send_bw
	RB_FAKE='rdma_join_multicast=EADDRNOTAVAIL' client -c UD -g 1 -R -n 5
	failed_with multicast 'rdma_cm cannot join the group'
	await_server
	failed_with multicast
	RB_FAKE='cm=MULTICAST_ERROR:110' serve send_bw
	client -c UD -g 1 -R -n 5
	failed_with multicast 'cannot join the multicast group'
	await_server
	failed_with multicast
	RB_FAKE='ibv_attach_mcast#2=ENOMEM' serve send_bw
	client -c UD -g 3 -n 5
	failed_with multicast 'cannot attach QP'
	await_server
	failed_with multicast
}

@test "a group of InfiniBand without rdma_cm is not supported" {
	RB_FAKE='link=infiniband' serve send_bw
	RB_FAKE='link=infiniband' client -c UD -g 1 -n 5
	gave_up 77 unsupported multicast 'give -R'
	await_server
	[ "$status" -ne 0 ]
	RB_FAKE='link=infiniband' serve send_bw
	RB_FAKE='link=infiniband' client -c UD -n 50
	measured
	await_server
	measured
}

@test "an address handle that cannot be made" {
	serve send_bw
	RB_FAKE='ibv_create_ah=EHOSTUNREACH' client -c UD -n 5
	failed_with ah_create 'address handle'
	await_server
	failed_with ah_create
}
