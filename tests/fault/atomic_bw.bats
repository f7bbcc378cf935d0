#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# atomic_bw.bats - atomics over the libibverbs of tests/fake

load ../helpers

# measure ARGS...: a run to the end; both documents are good
measure() {
	serve atomic_bw
	client "$@"
	measured
	await_server
	measured
	doc=${bases[client]}.json
	is 'all(.results[]; .size_bytes == 8)'
}

@test "fetch and add, compare and swap" {
	measure -D 100ms
	measure -A CMP_AND_SWAP -n 500
	is '.results[0].messages == 500'
}

@test "many queue pairs, both directions" {
	measure -q 4 -b -n 200
	is '.results[0].messages == 2 * 4 * 200'
}

@test "events, lists, ibv_post_send" {
	measure -e -D 100ms
	measure -l 8 -n 1000
	measure --post-send -l 8 -n 1000
}

# unsupported COMMAND: the client's device has no atomics
unsupported() {
	serve "$1"
	RB_FAKE='atomic=none' client -n 5
	gave_up 77 unsupported transport_unsupported "'fake0' has no atomic operations"
	await_server
	gave_up 77 unsupported transport_unsupported
}

@test "a device without atomics: not supported here" {
	each unsupported atomic_bw atomic_lat
}

@test "a responder's device without atomics" {
	RB_FAKE='atomic=none' serve atomic_bw
	client -n 5
	gave_up 77 unsupported transport_unsupported "'fake0' has no atomic operations"
	await_server
	gave_up 77 unsupported transport_unsupported
}
