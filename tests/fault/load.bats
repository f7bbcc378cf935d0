#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# load.bats - messages at a rate, through more memory than a page, in pieces:
# what the device was asked for (RB_FAKE_NOTES), and what came out

load ../helpers

# Rates are of real time, on a machine that others use too.
setup_file() { export BATS_TEST_RETRIES=2; }

# noted END NAME: its value in the notes of the first queue pair
noted() { sed -n "/^qp /s/.* $2=\([0-9a-fx]*\).*/\1/p" "$BATS_TEST_TMPDIR/$1.notes" | head -n 1; }

# used END NAME: the same of the first one that was used
used() { sed -n "/^qp .* requests=[1-9]/s/.* $2=\([0-9a-fx]*\).*/\1/p" "$BATS_TEST_TMPDIR/$1.notes" | head -n 1; }

# kept RATE: messages a second as asked for to 1 %, never more; on a machine that
# others use they may be fewer, which the document then says
kept() {
	is ".results[0].message_rate.per_s <= 1.01 * $1" || return
	is ".results[0].message_rate.per_s >= 0.99 * $1 or any(.warnings[]; .id == \"rate_missed\")" || return
	is ".results[0].message_rate.per_s >= 0.5 * $1"
}

# asks COMMAND N [-Q N]: of 300 messages one in N asks for a completion, at both ends
asks() {
	local end
	measure "$1" -n 300 "${@:3}" || return
	is ".options.cq_mod.value == $2" || return
	for end in server client; do
		[ "$(used "$end" requests)" -ge 300 ] || return
		# the first has none before it to look for
		[ "$(used "$end" signaled)" -eq $((($(used "$end" requests) - 1) / $2)) ] || return
	done
}

bandwidths() { "$RBENCH" --list-commands | awk -F '\t' '$1 ~ /_bw$/ && $1 !~ /tcp/ { print $1 }'; }

paced_by_count() {
	measure "$1" ${2:+-s "$2"} -n 400 --rate 1000/s || return
	is '.results[0].messages == 400' || return
	kept 1000
}

@test "a rate in messages, by count, with every verb" {
	local names
	mapfile -t names < <(bandwidths)
	((${#names[@]} >= 4))
	each paced_by_count "${names[@]}"
}

# bats test_tags=effect:burst-size
@test "a burst goes together" {
	# more than what a message that is late makes up for
	measure write_bw -s 64 -n 200 --rate 1K/s --burst-size 100
	is '.results[0].duration_ns > 150e6'
	(($(used client outstanding) >= 100))
}

# bats test_tags=effect:warmup,effect:interval
@test "what the warm-up sends does not count; intervals are as long as asked for" {
	export RB_FAKE='service=1ms'
	measure write_bw -s 64 -t 1 -D 100ms --warmup 300ms --interval 20ms
	(($(used client requests) > 2 * $(field '.results[0].messages')))
	is '.results[0].intervals.period_ns | . > 19e6 and . < 21e6'
}

@test "a rate in bits, by duration, queue pairs alike" {
	measure write_bw -s 1000 -q 4 -D 1s --rate 16Mb
	kept 2000
	is '.results[0].fairness.qps > 0.99'
	is '.options.rate.value == "16000000b/s" and .options.cq_mod.value == 1'
	doc=${bases[server]}.json
	is '.options.rate == { "value": "16000000b/s", "source": "peer" }'
}

paced_by_duration() {
	measure "$1" -D 300ms --warmup 50ms --rate 2K/s || return
	kept 2000
}

@test "by duration, with every verb" {
	local names
	mapfile -t names < <(bandwidths)
	each paced_by_duration "${names[@]}"
}

@test "with ibv_post_send, lists, bursts, events, threads, immediate data, UD" {
	measure write_bw -s 64 -n 400 --rate 1K/s --post-send -e
	kept 1000
	measure send_bw -s 64 -q 2 --threads 2 -D 300ms --rate 2K/s
	kept 2000
	measure write_bw --imm -s 64 -q 3 -n 200 --rate 1K/s
	kept 1000
	measure send_bw -c UD -s 64 -n 400 --rate 1K/s
	kept 1000
	# ten at once, then a pause of 10 ms
	measure write_bw -s 64 -n 400 -l 5 --rate 1K/s --burst-size 10
	kept 1000
}

@test "both directions: each has the rate" {
	measure send_bw -s 64 -b -D 300ms --rate 2K/s
	kept 4000
	measure read_bw -s 64 -b -n 300 --rate 1K/s
	kept 2000
}

@test "what was late in the warm-up is not made up in the window" {
	# nothing completes from 200 ms to 400 ms: the window opens in between
	RB_FAKE='stall=200ms/400ms' serve write_bw
	RB_FAKE='stall=200ms/400ms' client -s 64 -D 250ms --warmup 300ms --rate 5K/s
	ended 0 ok
	kept 5000
	await_server
}

@test "a rate that the device does not reach is told" {
	RB_FAKE='service=1ms' serve write_bw
	RB_FAKE='service=1ms' client -s 64 -D 300ms -t 2 --rate 100K/s
	ended 0 ok
	is 'any(.warnings[]; .id == "rate_missed")'
	await_server
}

# bats test_tags=effect:rate
@test "slower than the patience for a device that hangs" {
	measure write_bw --timeout 500ms -s 64 -n 3 --rate 1/s
	is '.results[0].duration_ns > 1900e6'
}

@test "a latency at a rate that is kept: response is latency" {
	RB_FAKE='service=1ms' serve read_lat
	RB_FAKE='service=1ms' client -n 41 --rate 100/s
	ended 0 ok
	kept 100
	is '.results[0] | .response_ns.count == 41 and .latency_ns.min >= 1e6'
	is '.results[0] | .response_ns.p50 >= .latency_ns.min'
	is '.results[0].response_ns.p50 < 5e6 or any(.warnings[]; .id == "rate_missed")'
	await_server
	is '.results[0].response_ns.count == 41'
}

@test "a latency at a rate that cannot be kept says so" {
	RB_FAKE='service=2ms' serve read_lat
	RB_FAKE='service=2ms' client -n 41 --rate 1K/s
	ended 0 ok
	is 'any(.warnings[]; .id == "rate_missed")'
	is '.results[0].message_rate.per_s < 500'
}

@test "a device that takes 2 ms for messages due each millisecond: the queue grows" {
	RB_FAKE='service=2ms' serve read_lat
	RB_FAKE='service=2ms' client -n 100 --rate 1K/s
	ended 0 ok
	# message N is due at N ms and done at 2 N ms and later
	is '.results[0] | .latency_ns.min >= 2e6 and .response_ns.max >= 99e6'
	is '.results[0] | .response_ns.min < 20e6 and .response_ns.p50 >= 49e6'
	await_server
}

@test "a stall delays all that were due in it" {
	RB_FAKE='stall=100ms/200ms' serve write_lat
	RB_FAKE='stall=100ms/200ms' client -n 300 --rate 1K/s
	ended 0 ok
	# half of the time nothing moves: latency sees it once, response each time
	is '.results[0] | .latency_ns.p50 < 10e6 and .response_ns.p50 > .latency_ns.p50'
	is '.results[0] | .response_ns.p90 > 30e6'
	await_server
}

@test "without a rate there is no response time" {
	measure read_lat -n 20
	is '.results[0].response_ns == null and .options.rate.value == "max"'
}

@test "what is left alone stays in a page" {
	measure write_bw -s 64 -n 200
	(($(noted client from_span) <= 4096 && $(noted client to_span) <= 4096))
}

# bats test_tags=effect:footprint
@test "a footprint: source and destination, in sequence" {
	measure write_bw -s 4K -n 256 --footprint 1M
	(($(noted client from_span) == 1048576 && $(noted client to_span) == 1048576))
	(($(noted client from_back) == 0))
	measure read_bw -s 4K -n 300 --footprint 1M --post-send -l 3 -Q 3
	(($(noted client from_span) == 1048576 && $(noted client from_back) == 1))
}

@test "at random: every slot, and back and forth" {
	measure write_bw -s 4K -n 256 --footprint 1M --access random
	(($(noted client to_span) == 1048576))
	(($(noted client to_back) > 64))
	measure atomic_bw -n 100 --footprint 64K --access random
	(($(noted client to_span) > 60000 && $(noted client to_back) > 20))
}

@test "what is not due for a second has not stalled" {
	measure write_bw -s 64 -n 20 --timeout 500ms --rate 10/s --burst-size 10 -u 1
}

# bats test_tags=effect:access
@test "by a stride" {
	measure write_bw -s 64 -n 16 --footprint 64K --access stride:4160
	(($(noted client to_span) == 15 * 4160 + 64 && $(noted client to_back) == 0))
}

@test "receives walk too" {
	measure send_bw -s 4K -n 300 -r 64 --footprint 256K
	(($(noted server into_span) == 262144))
	measure send_bw -s 4K -n 300 -r 64
	(($(noted server into_span) <= 8192))
}

# bats test_tags=effect:sge
@test "messages in pieces, gathered and scattered" {
	measure send_bw -s 4K -n 50 --sge 4
	(($(noted client sges) == 4 && $(noted server rsges) == 4))
	measure write_bw -s 4K -n 50 --sge 3 --post-send -l 2
	(($(noted client sges) == 3))
	measure write_bw -s 7 -n 50 --sge 7
	(($(noted client sges) == 7))
	measure write_bw -n 5
	(($(noted client sges) == 1))
}

@test "more pieces than the device takes" {
	serve write_bw
	RB_FAKE='max_sge=4' client --sge 5 -n 5
	failed_with sge_limit 'at most 4 pieces'
	await_server
	failed_somehow
}

latencies() { "$RBENCH" --list-commands | awk -F '\t' '$1 ~ /_lat$/ && $1 !~ /tcp/ { print $1 }'; }

@test "a load beside each latency" {
	local bench
	for bench in $(latencies); do
		measure "$bench" -D 100ms --background 3 --background-size 4K
		is '.results[0].background.bits_per_s > 1e6'
		is '.options.background.value == 3'
		is '.results[0].latency_ns.count == .results[0].messages'
	done
}

# bats test_tags=effect:background-size
@test "a load has the queue pairs and the messages that were asked for" {
	measure write_lat -D 50ms --background 2 --background-size 4K
	[ "$(grep -c '^qp .* longest=4096 ' "$BATS_TEST_TMPDIR/client.notes")" -eq 2 ]
}

# bats test_tags=effect:background
@test "a load beside a latency: by rdma_cm, with a rate, of datagrams, size after size" {
	measure write_lat -R -D 100ms --background 2
	is '.results[0].background.bits_per_s > 1e6'
	measure read_lat -n 20 --rate 1K/s --background 1
	is '.results[0] | .background.bits_per_s > 1e6 and .response_ns.count == 20'
	measure send_lat -c UD -s 8,16 -n 100 --background 1 --repeat 2
	is '.results | length == 2 and all(.background.bits_per_s > 1e6)'
}

# One link of 2 Gb/s for all: 64 KiB take 262 us, and up to 128 of them wait.
@test "a load takes what the link has, and the latency is what is left" {
	serve read_lat
	RB_FAKE='rate=2' client -D 300ms
	ended 0 ok
	is '.results[0] | has("background") | not'
	await_server
	local alone
	alone=$(field '.results[0].latency_ns.p50')
	serve read_lat
	RB_FAKE='rate=2' client -D 500ms --background 1
	ended 0 ok
	is '.results[0].background.bits_per_s | . > 1.6e9 and . < 2.1e9'
	is ".results[0].latency_ns.p50 > 10 * $alone"
}

@test "a load that fails is the error of the run, and it is told which" {
	serve write_lat
	RB_FAKE='wc#40=RETRY_EXC_ERR' client -D 300ms --background 1
	ended 1 failed
	said 'of --background on'
	[ "$(grep -c 'error:' "$err")" -eq 1 ]
}

@test "queue pairs of a load count against the device's limit" {
	serve write_lat
	RB_FAKE='max_qp=8' client -n 10 --background 8
	ended 1 failed
	said 'has at most 8 queue pairs, not 9'
}

@test "latency: how many of the messages ask for a completion" {
	asks write_lat 64
	asks write_lat 1 -Q 1
	asks write_lat 10 --cq-mod 10
	asks send_lat 15
	asks send_lat 1 -Q 1
}
