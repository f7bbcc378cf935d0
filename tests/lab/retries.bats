#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# retries.bats - no acknowledgement comes: the path is cut, or the GID a wrong one

export SERVER=10.0.0.2
export DEADLINE=60 # everything is emulated
load ../helpers

setup_file() { export BATS_TEST_RETRIES=1; } # emulated: see verbs.bats

teardown() {
	tc qdisc del dev v0 root 2>/dev/null || true
	ip address del 192.0.2.1/24 dev v0 2>/dev/null || true
	helpers_teardown
}

# lose MATCH...: packets out of v0 that match, while the two ends still talk
lose() {
	tc qdisc replace dev v0 root handle 1: prio
	tc qdisc add dev v0 parent 1:3 netem loss 100%
	tc filter add dev v0 parent 1: protocol ip u32 match "$@" flowid 1:3
}

@test "a path that is cut while it is used" {
	local start
	serve write_bw -d rxe1
	start=$(sent)
	start_client -d rxe0 -D 30 -s 4K -u 12 --retry-count 3
	until_true "$DEADLINE" sent_more_than $((start + 200))
	lose ip dport 4791 0xffff
	await client
	failed_with completion_error 'no acknowledgement'
	await_server
	failed_with completion_error "'10.0.0.1' failed" 'no acknowledgement'
}

# As by a router that does not forward from there.
@test "a GID whose packets the network does not carry" {
	local index
	ip address add 192.0.2.1/24 dev v0
	lose ip src 192.0.2.1/32
	index=$(grep -l 'c000:0201$' /sys/class/infiniband/rxe0/ports/1/gids/? | head -n 1)
	serve write_bw -d rxe1
	client -d rxe0 -x "${index##*/}" -n 10 -u 12 --retry-count 3
	failed_with completion_error 'no acknowledgement'
	said 'check that the GIDs reach each other'
	await_server
	failed_with completion_error "'10.0.0.1' failed" 'check that the GIDs reach each other'
}
