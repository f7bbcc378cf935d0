#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# send_bw.bats - sends over the libibverbs of tests/fake

load ../helpers

# measure ARGS...: a run to the end; both documents are good
measure() {
	serve send_bw
	client "$@"
	measured
	await_server
	measured
	doc=${bases[client]}.json
}

@test "a run by duration tells what the receiver got" {
	measure -D 200ms
	is '.results[0].receiver | .messages > 0 and .bits_per_s > 0'
	is '.results[0].loss | .sent == .received'
}

@test "a run by count, of several sizes" {
	measure -n 500 -s 64,4K,64K
	is 'all(.results[]; .messages == 500)'
}

@test "UC" {
	measure -c UC -n 300 -r 512
	measure -c UC -D 100ms
}

@test "many queue pairs, both directions" {
	measure -q 4 -b -n 200 -s 4K
	is '.results[0].messages == 2 * 4 * 200'
	measure -b -D 100ms
}

@test "events, lists, inline, ibv_post_send" {
	measure -e -D 100ms
	measure -l 8 -s 64 -n 1000
	measure --post-send -l 8 -I 64 -s 64 -n 1000
}

@test "as few receives as one" {
	measure -r 1 -n 100 -s 64
	is '.options.rx_depth == { "value": 1, "source": "user" }'
}
