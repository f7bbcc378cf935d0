#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# measure.bats - what is reported is what the device did: devices whose speed
# is known

load ../helpers

# The device's times are real ones: other programs' load can spoil a try, and
# sanitizers slow down the device itself.
setup_file() { export BATS_TEST_RETRIES=2; }

setup() {
	helpers_setup
	if is_sanitized; then
		skip 'n/a: sanitizers slow down the device whose times are known'
	fi
}

# measure PLAN ARGS...: the client's device follows the plan
measure() {
	serve write_bw
	RB_FAKE=$1 client "${@:2}"
	measured || return
	await_server
	measured || return
	doc=${bases[client]}.json
}

# near JQ-EXPRESSION VALUE PERCENT: the first result's is as near as that
near() {
	local is
	is=$(field ".results[0] | $1")
	awk -v is="$is" -v want="$2" -v percent="$3" -v what="$1" 'BEGIN {
		off = (is / want - 1) * 100
		printf "%s is %g, expected %g: off by %.1f %%\n", what, is, want, off
		exit !(off <= percent && off >= -percent) }'
}

# accurately PLAN 'ARGS' EXPRESSION VALUE PERCENT...: all are near in one of
# three runs; a machine with other things to do may spoil one
accurately() {
	local try args
	read -r -a args <<<"$2"
	for try in 1 2 3; do
		measure "$1" "${args[@]}" || return
		all_near "${@:3}" && return
		echo "in run $try"
	done
	return 1
}

all_near() {
	while (($#)); do
		near "$1" "$2" "$3" || return
		shift 3
	done
}

@test "a link of 1 Gb/s is measured as such" {
	accurately 'rate=1' '-D 500ms -s 64K' \
		.bandwidth.bits_per_s 1e9 5 .bandwidth.percent_of_link 1 5 \
		.message_rate.per_s 1907 5 .intervals.bits_per_s.p50 1e9 10
}

@test "the link is shared by queue pairs, and the sum is reported" {
	accurately 'rate=1' '-D 500ms -s 16K -q 4' .bandwidth.bits_per_s 1e9 5
}

@test "the responder reports the same" {
	measure 'rate=1' -D 200ms
	local told
	told=$(field .results[0].bandwidth.bits_per_s)
	doc=${bases[server]}.json
	near .bandwidth.bits_per_s "$told" 0.0001
}

# A run with 2 Gb/s to the responder and 1 Gb/s back.
lopsided() {
	RB_FAKE='rate=1' serve write_bw
	RB_FAKE='rate=2' client -b -D 500ms
	measured || return
	await_server
	measured || return
	all_near .directions.out.bits_per_s 1e9 5 .directions.in.bits_per_s 2e9 5 || return
	doc=${bases[client]}.json
	all_near .directions.out.bits_per_s 2e9 5 .directions.in.bits_per_s 1e9 5 .bandwidth.bits_per_s 3e9 5
}

@test "each direction has its rate, and the sum is reported" {
	lopsided || lopsided || lopsided
}

@test "a message of 1 ms is a rate of 1000" {
	accurately 'service=1ms' '-D 500ms -s 64' .message_rate.per_s 1000 5
}

@test "the same with events, and little CPU time" {
	accurately 'service=1ms' '-D 500ms -s 64 -e' .message_rate.per_s 1000 5
	is '.results[0].cpu.local.utilisation < 0.5'
}

@test "polling takes as much of a CPU as there is to have" {
	measure 'service=1ms' -D 500ms -s 64
	is '.results[0].cpu | .local.utilisation > 0.3 and .local.utilisation > 3 * .peer.utilisation'
}

@test "a change of the rate is seen in the intervals" {
	accurately 'rate=1@0s,3@600ms' '-D 1s --warmup 0' \
		.bandwidth.bits_per_s 1.8e9 10 .intervals.bits_per_s.p5 1e9 15 \
		.intervals.bits_per_s.max 3e9 15 .intervals.period_ns 100e6 1
}

@test "the warm-up is not part of it" {
	accurately 'rate=1@0s,3@300ms' '-D 500ms --warmup 400ms' \
		.bandwidth.bits_per_s 3e9 10 .intervals.bits_per_s.min 3e9 20
}

@test "pauses of the device are seen in the intervals" {
	accurately 'rate=1; stall=200ms/400ms' '-D 800ms --warmup 0 --interval 50ms' .bandwidth.bits_per_s 0.5e9 25
	is '.results[0].intervals.bits_per_s.min < 0.2e9'
	# the device rests from 200 to 400 ms after its first message, and so on
	is '.results[0].intervals | .worst_at_ns % 400e6 >= 150e6'
}

@test "the window is as long as it was asked for" {
	accurately 'rate=1' '-D 300ms' .duration_ns 300e6 5
}

@test "more intervals than there is room for are joined" {
	# a machine with other work ends fewer of them, so they are joined once or twice
	measure '' -D 4s --interval 1ms
	is '.results[0].intervals.period_ns | . / 1e6 | fabs | . > 1.9 and . < 4.1'
	is '.results[0].intervals.bits_per_s | .min <= .p5 and .p5 <= .p50 and .p50 <= .max'
}

@test "a count of messages is timed from the first to the last" {
	accurately 'service=1ms' '-n 300 -s 64' .duration_ns 300e6 10
	is '.results[0].messages == 300'
}

@test "a window in which nothing completes is a failure, not a zero" {
	serve write_bw
	RB_FAKE='service=500ms' client -D 50ms --warmup 0 -t 1
	failed_with empty_window
	await_server
	failed_with empty_window
}

@test "a device on which nothing completes any more is given up" {
	serve write_bw
	RB_FAKE='rate=1; stall=60s/60100ms' client -D 1h --timeout 2500ms -u 10
	failed_with stalled 'nothing completes any more'
	await_server
	failed_with stalled
}

@test "Ctrl-C in the warm-up: nothing was measured, and nothing is invented" {
	serve write_bw -vv
	start_client -vv -D 1h --warmup 1h
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	kill -INT "${pids[client]}"
	await client
	gave_up 1 interrupted interrupted
	is '.results | all(.messages == 0 or .duration_ns > 0)'
	await_server
	gave_up 1 interrupted interrupted
}

@test "Ctrl-C in a run by count" {
	serve write_bw -vv
	RB_FAKE='rate=1' start_client -vv -n 1G
	until_true "$DEADLINE" grep -q 'got alive' "${bases[server]}.err"
	kill -INT "${pids[client]}"
	await client
	gave_up 1 interrupted interrupted
	is '.results[0].messages < 1000000'
	await_server
	gave_up 1 interrupted interrupted
}

@test "two servers and two clients at once do not disturb one another" {
	serve write_bw
	local first=${pids[server]} first_base=${bases[server]} first_port=$port
	serve write_bw
	start_rbench client1 write_bw -p "$first_port" --json -D 300ms "$SERVER"
	start_client -D 300ms
	await client
	measured
	await client1
	measured
	await_server
	measured
	pids[server]=$first bases[server]=$first_base
	await_server
	measured
}

# Each reading of the double's counter is a million cycles more: the two edges of
# the window make one million.
@test "cycles per message: of both ends, by the processor's counter" {
	export RB_FAKE=cycles=all
	serve send_bw
	client -D 200ms
	measured
	is '.local.cpu.cycles == "user and kernel"'
	is '.results[0] | (.cpu.local.cycles_per_message * .messages | round) == 1000000'
	await_server
	measured
	is '.results[0] | (.cpu.local.cycles_per_message * .receiver.messages | round) == 1000000'
}

@test "cycles per message: latency, and user space alone" {
	export RB_FAKE=cycles=user
	serve write_lat
	client -n 1000
	measured
	is '.local.cpu.cycles == "user"'
	is '.results[0] | (.cpu.local.cycles_per_message * .messages | round) == 1000000'
	is '.results[0].cpu.peer.cycles_per_message > 0'
}

@test "cycles per message: threads are added up" {
	export RB_FAKE=cycles=all
	serve write_bw
	client -D 200ms --threads 2
	measured
	is '.results[0] | (.cpu.local.cycles_per_message * .messages | round) == 2000000'
	is '.results[0].cpu.peer | has("cycles_per_message") | not' # it only responds
}

@test "cycles that may not be counted are not there" {
	export RB_FAKE=cycles=none
	serve write_bw
	client -n 1000
	measured
	is '.local.cpu | has("cycles") | not'
	is '.results[0].cpu.local | has("user_s") and (has("cycles_per_message") | not)'
}
