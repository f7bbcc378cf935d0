#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# latency.bats - write_lat, send_lat, read_lat, atomic_lat over tests/fake

# bats file_tags=long
load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# timed: a latency that was measured, with its parts in order
timed() {
	ended 0 ok || return
	[ "$(error_lines)" -eq 0 ] || return
	is '.results | length > 0 and all(.messages > 0 and .latency_ns.count == .messages)' || return
	is 'all(.results[].latency_ns; .min > 0 and .min <= .p50 and .p50 <= .max and .min <= .mean and .mean <= .max)'
}

# measure COMMAND ARGS...: a run to the end, of which both ends tell the same
measure() {
	local told
	serve "$1"
	client "${@:2}"
	timed
	told=$(rows)
	await_server
	timed
	[ "$(rows)" = "$told" ]
	doc=${bases[client]}.json
}

rows() { field '[.results[] | del(.cpu)] | tojson'; }

all=(write_lat send_lat read_lat atomic_lat)

by_duration() { measure "$1" -D 100ms && is '.results[0].duration_ns | . >= 100e6 and . < 400e6'; }
by_count() { measure "$1" -n 300 && is '.results[0].messages == 300'; }
one() { measure "$1" -n 1 && is '.results[0].latency_ns | .count == 1 and .p50 == .max and .p99 == null'; }
by_post_send() { measure "$1" --post-send -n 300; }
by_cm() { measure "$1" -R -n 50; }

@test "by duration" { each by_duration "${all[@]}"; }

@test "by count" { each by_count "${all[@]}"; }

@test "one message; percentiles that so few cannot have are absent" { each one "${all[@]}"; }

@test "ibv_post_send" { each by_post_send "${all[@]}"; }

@test "through the connection manager" { each by_cm "${all[@]}"; }

@test "write and send are half a round trip, read and atomics a completion" {
	kind() {
		measure "$1" -n 5
		is ".results[0].latency.kind == \"$2\""
	}
	kind write_lat half_round_trip
	kind send_lat half_round_trip
	kind read_lat completion
	kind atomic_lat completion
}

@test "UC" {
	measure write_lat -c UC -n 300
	measure send_lat -c UC -n 300
}

@test "2 bytes unless told otherwise, inline where the device can" {
	measure write_lat -n 5
	is '.results[0].size_bytes == 2 and .options.inline_size == { "value": 2, "source": "default" }'
	measure send_lat -n 5 -s 512
	is '.options.inline_size.value == 220'
	measure send_lat -n 5 -I 0
	is '.options.inline_size == { "value": 0, "source": "user" }'
}

@test "a list of sizes, the same again, all sizes" {
	measure write_lat -s 64,128,64,1,64K,1 -n 50
	is '[.results[].size_bytes] == [64, 128, 64, 1, 65536, 1]'
	measure send_lat -s 64,128,64,1 -n 50
	measure write_lat -a -n 3
	is '[.results[].size_bytes] == [range(1; 24) | pow(2; .)]'
	measure read_lat -a -n 3
}

@test "sizes by duration end on both ends" {
	measure write_lat -s 2,4,8 -D 20ms
	measure send_lat -s 2,4,8 -D 20ms
}

@test "events, alone and after spinning" {
	measure send_lat -e -n 200
	measure send_lat -e --spin 10us -D 100ms
	measure read_lat -e -n 200
	measure atomic_lat -e -D 100ms
}

@test "as few receives as two" {
	measure send_lat -r 2 -n 500
}

@test "compare and swap" {
	measure atomic_lat -A CMP_AND_SWAP -n 200
	measure atomic_lat -A CMP_AND_SWAP --post-send -n 200
}

@test "a queue that is hardly deep enough" {
	RB_FAKE='max_qp_wr=8' serve write_lat
	RB_FAKE='max_qp_wr=8' client -n 200
	timed
	await_server
	timed
	RB_FAKE='max_qp_wr=16' serve send_lat
	RB_FAKE='max_qp_wr=16' client -n 200
	timed
	await_server
	timed
}

# at_least COMMAND NS: the fastest message took that long
at_least() {
	local end
	RB_FAKE='service=100us' serve "$1"
	RB_FAKE='service=100us' client -n 100
	for end in client server; do
		doc=${bases[$end]}.json
		[[ $end == client ]] || await_server
		timed
		is ".results[0].latency_ns.min >= $2"
	done
}

@test "a device of 100 us a message is measured as such" {
	at_least read_lat 100000
	at_least atomic_lat 100000
	at_least write_lat 99000
	at_least send_lat 99000
}

# killed SIDE COMMAND: the other end ends by itself, and says why
killed() {
	local other=client
	[[ $1 == server ]] || other=server
	serve "$2"
	start_client -D 30
	until_true "$DEADLINE" spins
	kill -KILL "${pids[$1]}"
	await "$1" || true
	: >"${bases[$1]}.json"
	rm -f "${bases[$1]}.leaks"
	await "$other" 10
	failed_somehow
}

# both ends have used 100 ms of CPU since the start: they are in the loop
spins() {
	local end stat ticks
	for end in client server; do
		read -r stat <"/proc/${pids[$end]}/stat"
		read -ra ticks <<<"${stat##*) }"
		((ticks[11] + ticks[12] >= 10)) || return
	done
}

@test "SIGKILL of the responder ends the client" {
	killed server write_lat
	killed server send_lat
}

@test "SIGKILL of the client ends the responder" {
	killed client write_lat
	killed client send_lat
}

# interrupted SIDE COMMAND: both report what there is
interrupted() {
	local end
	serve "$2"
	start_client -D 30 --warmup 0
	until_true "$DEADLINE" spins
	kill -INT "${pids[$1]}"
	for end in client server; do
		await "$end"
		gave_up 1 interrupted interrupted
		is '.results[0].messages > 0 and .results[0].latency_ns.count > 0'
	done
}

@test "SIGINT: partial results on both ends" {
	interrupted client write_lat
	interrupted server write_lat
	interrupted client send_lat
	interrupted server send_lat
}

@test "a message that UC loses ends the run" {
	serve write_lat
	RB_FAKE='drop#20' client -c UC -u 1 --timeout 2 -n 1000
	failed_with message_lost
	await_server
	failed_somehow
}

@test "a completion with an error ends a ping-pong that looks at memory" {
	serve write_lat
	RB_FAKE='drop#20' client -u 1 -n 1000
	failed_with completion_error
	await_server
	failed_somehow
}
