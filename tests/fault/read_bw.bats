#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# read_bw.bats - RDMA read over the libibverbs of tests/fake

load ../helpers

# measure ARGS...: a run to the end, of which both ends tell the same
measure() {
	local told
	serve read_bw
	client "$@"
	measured
	told=$(totals)
	await_server
	measured
	[ "$(totals)" = "$told" ]
	doc=${bases[client]}.json
}

totals() { field '[.results[] | [.size_bytes, .messages, .bytes]] | tojson'; }

@test "a run by duration, and one by count" {
	measure -D 100ms
	measure -n 500 -s 64,4K
	is '[.results[].messages] == [500, 500]'
}

@test "many queue pairs, both directions" {
	measure -q 4 -b -n 200 -s 4K
	is '.results[0].messages == 2 * 4 * 200'
	is '.results[0].directions | .out.messages == 800 and .in.messages == 800'
}

@test "events, lists, ibv_post_send" {
	measure -e -D 100ms
	measure -l 8 -s 64 -n 1000
	measure --post-send -l 8 -s 64 -n 1000
}

@test "outstanding reads of choice" {
	measure -o 2 -n 100
	is '.options.outs == { "value": 2, "source": "user" }'
	doc=${bases[server]}.json
	is '.options.outs == { "value": 2, "source": "peer" }'
}
