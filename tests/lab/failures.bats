#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# failures.bats - failures made for real: both ends say what the cause is

SERVER=10.0.0.2
DEADLINE=60 # everything is emulated
load ../helpers

setup_file() { export BATS_TEST_RETRIES=1; } # emulated: see verbs.bats

# provoked KIND STATUS MEANING WHAT: the client says MEANING, both ends WHAT
provoked() {
	free_port
	start_rbench server server -d rxe1 -p "$port"
	: >"${bases[server]}.any"
	until_true "$DEADLINE" listens_or_ended server || return
	start_rbench inject check -p "$port" -d rxe0 --json="$BATS_TEST_TMPDIR/inject" --inject "$1" "$SERVER"
	: >"${bases[inject]}.any"
	await inject || return
	if ! grep -F "meaning:    $3" "$doc" || ! grep -F "provoked:   $4" "$doc"; then
		cat "$doc"
		return 1
	fi
	jq -e ".results[0].completion.status_code == $2" "$BATS_TEST_TMPDIR/inject" || return
	kill -TERM "${pids[server]}"
	await server
	grep -F "provoked by the client: $4: " "$doc" || { cat "$doc"; return 1; }
}

refused="the peer's device refused access: wrong rkey, address or permission"

@test "a wrong rkey" { provoked bad-rkey 10 "$refused" 'write with a wrong rkey'; }

@test "an address out of range" {
	provoked out-of-bounds 10 "$refused" 'write a byte beyond the end of the memory'
}

@test "a missing access flag" {
	provoked no-permission 10 "$refused" 'write to memory without REMOTE_WRITE'
}

@test "no receive posted" {
	provoked rnr 13 'the peer had no receive posted' 'send without a posted receive'
}

# run_for_long: both ends are at work
run_for_long() {
	local start
	serve write_bw -d rxe1
	start=$(sent)
	start_client -d rxe0 -D 1h -s 4K
	until_true "$DEADLINE" sent_more_than $((start + 200))
}

@test "a responder that is killed" {
	run_for_long
	stop_server
	await client
	failed_with peer_gone "the peer's process ended"
}

@test "a client that is killed" {
	run_for_long
	kill -KILL "${pids[client]}"
	await client
	await_server
	failed_with peer_gone "the peer's process ended"
}

@test "an MTU that one end does not have" {
	serve write_bw -d rxe1
	client -d rxe0 -m 4096 -n 10
	failed_with mtu 'path MTU 4096 is above the active MTU of this port (1024)'
	await_server
	failed_with mtu 'path MTU 4096 is above the active MTU'
}
