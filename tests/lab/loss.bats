#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# loss.bats - a wire that loses one packet in a hundred: what rbench says of it

SERVER=10.0.0.2
DEADLINE=120 # everything is emulated
load ../helpers

setup_file() { export BATS_TEST_RETRIES=1; } # emulated: see verbs.bats

teardown() {
	tc qdisc del dev v0 root 2>/dev/null || true
	helpers_teardown
}

# Packets that netem dropped on their way out of v0.
dropped() { tc -s -j qdisc show dev v0 | jq '[.[] | select(.kind == "netem")][0].drops'; }

@test "UD: the loss that is reported is the loss that was injected" {
	local injected
	serve send_bw -d rxe1 --timeout 20
	tc qdisc replace dev v0 root netem loss 1%
	# as many receives as messages: none is lost at the far end
	client -d rxe0 --timeout 20 -c UD -n 6000 -r 6000 -s 64
	ended 0 ok
	injected=$(dropped)
	echo "# injected $injected, reported $(field '.results[0].loss | tojson')"
	((injected > 20))
	# some of the dropped packets were TCP's
	is ".results[0].loss | .sent == 6000 and ((.lost - $injected) / .sent * 100 | fabs) < 0.2"
	is '.results[0].loss | .lost == .sent - .received and (.percent - 100 * .lost / .sent | fabs) < 1e-9'
	is '.warnings | any(.id == "messages_lost")'
	await_server
	ended 0 ok
}

@test "RC: nothing is lost, and what was sent again is among the counters" {
	serve write_bw -d rxe1 --timeout 20
	tc qdisc replace dev v0 root netem loss 1%
	client -d rxe0 --timeout 20 -c RC -n 300 -s 4K -u 10
	ended 0 ok
	(($(dropped) > 0))
	is '.results[0].messages == 300'
	is '[.counters.local, .counters.peer] | add | (."hw.completer_retry_err" // 0) + (."hw.duplicate_request" // 0) + (."hw.out_of_seq_request" // 0) > 0'
	is '.warnings | length > 0'
	is '.findings | length > 0 and .[0].likelihood >= 85 and all(.[]; .id | startswith("CNT-"))' || {
		field '.findings[] | tojson'
		return 1
	}
	await_server
	ended 0 ok
}
