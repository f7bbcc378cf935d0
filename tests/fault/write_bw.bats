#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# write_bw.bats - runs that succeed, over the libibverbs of tests/fake

load ../helpers

# measure ARGS...: a run to the end, of which both ends tell the same
measure() {
	local told
	serve write_bw
	client "$@"
	measured
	told=$(totals)
	await_server
	measured
	[ "$(totals)" = "$told" ]
	doc=${bases[client]}.json
}

totals() { field '[.results[] | [.size_bytes, .messages, .bytes, .verify]] | tojson'; }

# taken OPTION VALUE: the responder took the client's value over
taken() {
	[ "$(jq -c ".options.$1" "${bases[server]}.json")" = "{\"value\":$2,\"source\":\"peer\"}" ]
}

# bats test_tags=effect:duration
@test "a run of default length reports what it was asked for" {
	measure -D 200ms
	is '.results[0] | .size_bytes == 65536 and .qps == 1 and .threads == 1'
	is '.results[0].duration_ns | . >= 200e6 and . < 400e6'
	is '.results[0] | .bandwidth.bits_per_s / (.bytes * 8e9 / .duration_ns) | . > 0.999 and . < 1.001'
	is '.results[0].intervals.bits_per_s | .min <= .p50 and .p50 <= .max'
}

@test "UC" {
	measure -c UC -D 100ms
	taken connection '"UC"'
}

# bats test_tags=effect:bidirectional
@test "both directions at once, and their sum" {
	measure -b -D 200ms
	is '.results[0].directions | .out.messages > 0 and .in.messages > 0'
	is '.results[0] | .directions.out.messages + .directions.in.messages == .messages'
	is '.results[0] | (.directions.out.bits_per_s + .directions.in.bits_per_s) / .bandwidth.bits_per_s | . > 0.999 and . < 1.001'
	local out in
	out=$(field '.results[0].directions.out.messages')
	in=$(field '.results[0].directions.in.messages')
	doc=${bases[server]}.json
	is ".results[0].directions | .out.messages == $in and .in.messages == $out"
}

@test "16 queue pairs" {
	measure -q 16 -D 100ms
	is '.results[0].qps == 16'
	taken qp 16
}

# bats test_tags=effect:size
@test "a list and a range of sizes, in the order given" {
	measure -s 64,4K,1:8:*2 -D 10ms
	is '[.results[].size_bytes] == [64, 4096, 1, 2, 4, 8]'
}

# bats test_tags=effect:all
@test "--all is 2 to 8M" {
	measure -a -n 1
	is '[.results[].size_bytes] == [range(1; 24) | pow(2; .)]'
}

# bats test_tags=effect:iters,effect:qp
@test "a number of messages, of each queue pair" {
	measure -n 5 -q 3
	is '.results[0].messages == 15'
	is 'any(.warnings[]; .id == "short_run")'
}

@test "a number of messages that no number of lists or completions makes up" {
	measure -n 1000 -l 7 -Q 14 -t 16
	is '.results[0].messages == 1000'
}

@test "one message, one place in the queue" {
	measure -n 1 -t 1 -Q 1 -s 1
	is '.results[0] | .messages == 1 and .bytes == 1'
}

@test "events instead of polling" {
	measure -e -D 200ms
	taken events true
}

@test "events after a while of polling, on a vector of choice" {
	measure -e --spin 10us -X 1 -D 100ms
	taken spin 10000
	# the interrupt is one's own choice
	is '.options.vector.value == 1'
	doc=${bases[server]}.json
	is '.options.vector == { "value": 0, "source": "default" }'
}

@test "lists of requests" {
	measure -l 8 -s 64 -D 100ms
	taken post_list 8
}

@test "lists by ibv_post_send" {
	measure --post-send -l 8 -s 64 -D 100ms
	is '.options.post_send.value'
}

@test "ibv_post_send, with events, inline, both directions, over UC" {
	measure --post-send -e -I 64 -s 64 -b -c UC -q 2 -D 100ms
}

@test "inline data" {
	measure -I 64 -s 1:128:*2 -n 100
	taken inline_size 64
}

@test "fewer completions" {
	measure -Q 16 -t 64 -D 100ms
	taken cq_mod 16
}

@test "a path MTU below the ports'" {
	measure -m 1024 -D 100ms
	taken mtu 1024
}

@test "service level, traffic class, ACK timeout" {
	measure -S 3 --tclass 104 -u 10 -n 5
	taken sl 3
	taken tclass 104
	taken qp_timeout 10
}

@test "--verify looks at every payload" {
	measure --verify -s 1,4096 -n 500
	is '.results | all(.messages == 500 and (.verify | [.checked, .corrupt, .lost] == [500, 0, 0]))'
}

@test "--verify with many queue pairs, both directions" {
	measure --verify -b -q 4 -s 1000 -n 50
	is '.results[0] | (.verify | [.checked, .corrupt, .lost] == [400, 0, 0])'
}

@test "--verify by time, over UC, inline" {
	measure --verify -c UC -I 128 -s 100 -D 100ms
	is '.results[0].verify | .checked > 0 and .corrupt == 0 and .lost == 0'
}

# bats test_tags=effect:device
@test "a device by name, and a port" {
	measure -d fake1 -i 1 -n 5
	is '.local.device == "fake1"'
}

@test "a device with its port" {
	measure -d fake1:1 -n 5
	is '.local | .device == "fake1" and .port == 1'
}

# bats test_tags=effect:gid-index
@test "GID indexes of choice on each end" {
	serve write_bw -x 2
	client -x 2 -n 5
	measured
	is '.local.gid == { "index": 2, "type": "RoCE v1", "address": "127.0.0.1", "netdev": "lo" }'
	is '.peer.gid == .local.gid'
	await_server
	measured
}

@test "the client's choice of a GID index decides the type for both" {
	measure -x 1 -n 5
	is '.local.gid | .index == 1 and .type == "RoCE v2"'
	is '.peer.gid.type == "RoCE v2" and (.peer.gid.address | startswith("fe80:"))'
}

@test "InfiniBand: by LID, without a GRH" {
	serve write_bw
	RB_FAKE='link=infiniband' client -n 5
	failed_with gid_mismatch 'different link layers'
	await_server
	failed_with gid_mismatch
	RB_FAKE='link=infiniband' serve write_bw
	RB_FAKE='link=infiniband' client -D 100ms
	measured
	is '.local.link_layer == "InfiniBand"'
	await_server
	measured
}

@test "a path MTU that is the smaller port's" {
	RB_FAKE='mtu=1024' serve write_bw
	client -n 5
	measured
	is '.local.mtu == 4096 and .peer.mtu == 1024'
	await_server
	measured
}

@test "a port that nobody waits at yet is tried again" {
	free_port
	bench=write_bw
	start_client -n 5
	start_rbench server write_bw -p "$port" --json
	await client
	measured
	await_server
	measured
}

@test "IPv6" {
	serve write_bw
	SERVER=::1
	client -n 5
	measured
	await_server
	measured
}

@test "what the client asks for holds, whatever the responder was told" {
	serve write_bw -s 64 -q 7 -c UC -D 1h -b
	client -s 1K -n 5
	measured
	is '.results[0] | .size_bytes == 1024 and .qps == 1 and .messages == 5 and .directions == null'
	await_server
	measured
	is '.results[0] | .size_bytes == 1024 and .qps == 1 and .messages == 5 and .directions == null'
	is '.options.size == { "value": [1024], "source": "peer" }'
}

@test "a responder outlives a port scan" {
	serve write_bw
	exec {scan}<>"/dev/tcp/$SERVER/$port"
	exec {scan}>&-
	client -n 5
	measured
	await_server
	measured
	is 'any(.warnings[]; .id == "stranger")'
}
