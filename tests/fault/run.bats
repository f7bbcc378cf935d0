#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run.bats - what happens to a run under way: peers that die, devices that
# fail, payloads that arrive wrong, users who have seen enough

# bats file_tags=long
load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# begin ARGS...: client and responder, in the middle of a long measurement
begin() {
	serve write_bw
	# a verified run has no warm-up
	[[ $* == *--verify* ]] || set -- --warmup 0 "$@"
	start_client -D 1h "$@"
	until_true "$DEADLINE" has_worked client
}

# signal SIGNAL END
signal() { kill -"$1" "${pids[$2]}"; }

# --- processes that die ------------------------------------------------------

@test "the responder is killed: the client says so" {
	begin
	signal KILL server
	await client
	failed_somehow
	said 'other side'
	# whichever is noticed first
	is '.error.code | . == "peer_gone" or . == "completion_error"'
}

@test "the client is killed: the responder says so" {
	begin
	signal KILL client
	await_server
	failed_with peer_gone 'lost the connection'
}

@test "either is killed in a bidirectional run" {
	begin -b
	signal KILL server
	await client
	[ "$(field .status)" = failed ]
	is '.error.code | . == "peer_gone" or . == "completion_error"'
	[ "$(error_lines)" -eq 1 ]
	begin -b
	signal KILL client
	await_server
	[ "$(field .status)" = failed ]
	is '.error.code | . == "peer_gone" or . == "completion_error"'
	[ "$(error_lines)" -eq 1 ]
}

@test "either is killed while payloads are verified" {
	begin --verify
	signal KILL server
	await client
	failed_somehow
	is '.error.code | . == "peer_gone" or . == "completion_error"'
	begin --verify
	signal KILL client
	await_server
	failed_somehow
	is '.error.code | . == "peer_gone" or . == "completion_error"'
}

@test "either is killed while events are waited for" {
	begin -e
	signal KILL server
	await client
	failed_somehow
	begin -e
	signal KILL client
	await_server
	failed_with peer_gone
}

@test "a responder that falls silent" {
	begin --timeout 2s
	signal STOP server
	await client
	failed_with peer_silent 'no sign of life' '--timeout'
}

@test "it is told how long the silence lasted" {
	begin --timeout 2500ms
	signal STOP server
	await client
	failed_with peer_silent '2.5 s'
}

@test "a short patience is no shorter than the time between signs of life" {
	serve write_bw --timeout 200ms
	client --timeout 200ms -D 1500ms
	measured
	await_server
	measured
}

# --- the user ----------------------------------------------------------------

# interrupted_here: the end that got the signal; partial results are there
interrupted_here() {
	gave_up 1 interrupted interrupted
	is '.results | length == 1 and .[0].messages > 0'
	is '.results[0].duration_ns | . > 0 and . < 60e9'
}

@test "Ctrl-C on the client: both ends print what was measured" {
	begin
	signal INT client
	await client
	interrupted_here
	await_server
	interrupted_here
}

@test "Ctrl-C on the responder: both ends print what was measured" {
	begin
	signal INT server
	await_server
	interrupted_here
	await client
	interrupted_here
}

@test "Ctrl-C on both at once" {
	begin
	kill -INT "${pids[client]}" "${pids[server]}"
	await client
	gave_up 1 interrupted interrupted
	await_server
	gave_up 1 interrupted interrupted
}

@test "SIGTERM is no different" {
	begin
	signal TERM client
	await client
	interrupted_here
	await_server
	interrupted_here
}

@test "Ctrl-C in a bidirectional run, on either" {
	local end
	for end in client server; do
		begin -b
		signal INT "$end"
		await client
		interrupted_here
		is '.results[0].directions | .in.messages > 0 and .out.messages > 0'
		await_server
		interrupted_here
	done
}

@test "Ctrl-C while payloads are verified, on either" {
	local end
	for end in client server; do
		begin --verify -t 16
		signal INT "$end"
		await client
		interrupted_here
		await_server
		interrupted_here
	done
}

@test "Ctrl-C while events are waited for, on either" {
	local end
	for end in client server; do
		begin -e
		signal INT "$end"
		await client
		interrupted_here
		await_server
		interrupted_here
	done
}

@test "Ctrl-C in a sweep keeps the sizes that were measured" {
	serve write_bw -vv
	start_client -vv -s 64,128 -D 500ms
	# the second size has begun
	until_true "$DEADLINE" test_count 2 'got start' client
	signal INT client
	await client
	gave_up 1 interrupted interrupted
	is '.results[0] | .size_bytes == 64 and .duration_ns > 400e6'
	await_server
	gave_up 1 interrupted interrupted
	is '.results[0] | .size_bytes == 64 and .duration_ns > 400e6'
}

test_count() { [[ $(grep -c "$2" "${bases[$3]}.err") -ge $1 ]]; }

@test "Ctrl-C while the responder waits for a client" {
	serve write_bw
	signal INT server
	await_server
	gave_up 1 interrupted interrupted 'while waiting for a client'
}

@test "Ctrl-C while the client waits for its server" {
	free_port
	bench=write_bw
	start_client -vv --wait 1h
	until_true "$DEADLINE" catches_signals client
	signal INT client
	await client
	gave_up 1 interrupted interrupted
}

# SIGINT is bit 1 of the blocked signals: it will come by a descriptor.
catches_signals() {
	local status=/proc/${pids[$1]}/status
	grep -qE '^Name:\srbench$' "$status" && grep -qE '^SigBlk:.*[2367abef]$' "$status"
}

@test "Ctrl-C while the greeting is waited for" {
	free_port
	bench=write_bw
	start peer "$RBENCH_SRC/tests/peer" listen "$port"
	: >"${bases[peer]}.any"
	until_true "$DEADLINE" is_listening "$port"
	start_client -vv --timeout 1h
	until_true "$DEADLINE" grep -q 'send hello' "${bases[client]}.err"
	signal INT client
	await client
	gave_up 1 interrupted interrupted 'while waiting for the peer'
}

@test "an end that is interrupted between two steps tells the other" {
	serve write_bw
	start peer "$RBENCH_SRC/tests/peer" dial "$port" hello 'recv hello' 'recv error'
	: >"${bases[peer]}.any"
	until_true "$DEADLINE" grep -q hello "${bases[peer]}.json"
	signal INT server
	await_server
	gave_up 1 interrupted interrupted
	await peer
	[ "$status" -eq 0 ]
}

# --- completions in error ----------------------------------------------------

# completes_with STATUS TEXT: the 100th completion; both ends end, and say why
completes_with() {
	serve write_bw
	RB_FAKE="wc#100=$1" client -D 20s -Q 1
	failed_with completion_error "$2" 'failed after' 'on '\''fake0'\'
	is '.error | .cause != null and .where == "run"'
	await_server
	failed_with completion_error "$2"
}

@test "retries exceeded" { completes_with RETRY_EXC_ERR 'transport retry counter exceeded'; }
@test "receiver not ready" { completes_with RNR_RETRY_EXC_ERR 'no receive posted'; }
@test "remote access" { completes_with REM_ACCESS_ERR 'wrong rkey'; }
@test "remote operation" { completes_with REM_OP_ERR 'PCIe'; }
@test "remote invalid request" { completes_with REM_INV_REQ_ERR 'refused the request as invalid'; }
@test "local protection" { completes_with LOC_PROT_ERR 'IOMMU'; }
@test "local length" { completes_with LOC_LEN_ERR 'max_msg_sz'; }
@test "local operation" { completes_with LOC_QP_OP_ERR 'could not execute'; }
@test "memory window" { completes_with MW_BIND_ERR 'memory window'; }
@test "bad response" { completes_with BAD_RESP_ERR 'unexpected packet'; }
@test "abort" { completes_with REM_ABORT_ERR 'aborted'; }
@test "fatal" { completes_with FATAL_ERR 'unrecoverable'; }
@test "response timeout" { completes_with RESP_TIMEOUT_ERR 'did not respond in time'; }
@test "general" { completes_with GENERAL_ERR 'no better name'; }
@test "flush" { completes_with WR_FLUSH_ERR 'in the error state already'; }

@test "the vendor's code is shown" {
	serve write_bw
	RB_FAKE='wc#100=REM_OP_ERR:0x81' client -D 20s -Q 1
	failed_with completion_error 'vendor_err 0x81'
	await_server
	failed_with completion_error 'vendor_err 0x81'
}

@test "the very first completion" {
	serve write_bw
	RB_FAKE='wc#1=RETRY_EXC_ERR' client -D 20s -Q 1
	failed_with completion_error 'failed after 0 messages' 'firewall'
	await_server
	failed_with completion_error
}

@test "one of 16 queue pairs, with lists and events" {
	serve write_bw
	RB_FAKE='wc#100=RETRY_EXC_ERR' client -D 20s -q 16 -l 4 -e
	failed_with completion_error 'transport retry counter exceeded'
	await_server
	failed_with completion_error
}

@test "the responder's, in a bidirectional run" {
	RB_FAKE='wc#100=RETRY_EXC_ERR' serve write_bw
	client -D 20s -Q 1 -b
	failed_with completion_error 'transport retry counter exceeded'
	await_server
	failed_with completion_error 'transport retry counter exceeded'
}

@test "while payloads are verified" {
	serve write_bw
	RB_FAKE='wc#3=RETRY_EXC_ERR' client --verify -D 20s
	failed_with completion_error 'transport retry counter exceeded'
	await_server
	failed_with completion_error
}

@test "a request that the device refuses" {
	serve write_bw
	RB_FAKE='post_send#100=ENOMEM' client -D 20s
	failed_with post 'refused a send request' 'Cannot allocate memory'
	await_server
	failed_with post
}

@test "a completion queue that cannot be polled" {
	serve write_bw
	RB_FAKE='poll_cq#100=EIO' client -D 20s
	failed_with cq_wait 'cannot poll the completion queue'
	run ! grep -q 'not permitted' "$err"
	await_server
	failed_with cq_wait
}

@test "a completion queue that gives no more events" {
	serve write_bw
	RB_FAKE='service=1ms; ibv_req_notify_cq#1=EIO' client -D 20s -e
	failed_with cq_wait
	await_server
	failed_with cq_wait
}

# --- events of the device ----------------------------------------------------

# dies_of EVENT NAME [TEXT]: whichever comes first, its completion or the event:
# the line has TEXT (NAME) on both ends, and the documents have the event
dies_of() {
	serve write_bw
	RB_FAKE="event@600ms=$1" client -D 20s ${patience:+--timeout "$patience"}
	failed_somehow
	said "${3:-$2}"
	is "any(.events[]; .type == \"$2\" and .side == \"local\")"
	await_server
	failed_somehow
	said "${3:-$2}"
}

@test "the queue pair dies" { dies_of QP_FATAL 'local work queue catastrophic error'; }
@test "the queue pair is accused of a bad request" { dies_of QP_REQ_ERR 'invalid request local work queue error'; }
@test "the queue pair is accused of bad access" { dies_of QP_ACCESS_ERR 'local access violation work queue error'; }
@test "the port goes down" { dies_of PORT_ERR 'port error'; }

@test "the completion queue dies, and nobody blames the queue pair" {
	dies_of CQ_ERR 'CQ error'
	is '.error.cause // "" | test("QP") | not'
}

@test "the device dies, which is seen at once" {
	# sooner than the window ends, or than anybody's patience
	local start=$SECONDS patience=60s
	dies_of DEVICE_FATAL 'local catastrophic error' 'the device reported a fatal error'
	is '.error.code == "device_died"'
	((SECONDS - start < 15))
}

@test "the responder's device dies, which only the responder can know" {
	RB_FAKE='event@600ms=DEVICE_FATAL' serve write_bw
	client -D 20s
	[ "$status" -eq 1 ]
	is '.error.code | . == "device_died" or . == "completion_error"'
	await_server
	failed_with device_died
}

@test "events that end nothing are in both documents" {
	serve write_bw
	RB_FAKE='event@600ms=PORT_ERR; event@700ms=PORT_ACTIVE; event@800ms=GID_CHANGE' client -D 2s
	measured
	is '[.events[] | select(.side == "local") | .type] == ["port error", "port active", "GID table change"]'
	is '.events | all(.port == 1 and .device == "fake0")'
	is '.events[0].at_ns | . > 0 and . < 5e9'
	await_server
	measured
	is '[.events[] | select(.side == "peer") | .type] == ["port error", "port active", "GID table change"]'
}

# --- payloads ----------------------------------------------------------------

# bats test_tags=effect:verify
@test "--verify finds a corrupted payload" {
	serve write_bw
	RB_FAKE='corrupt#7' client --verify -n 100
	failed_with verify '1 of 100 messages arrived corrupted'
	is '.results[0].verify | .checked == 100 and .corrupt == 1 and .lost == 0'
	await_server
	failed_with verify '1 of 100 messages arrived corrupted at this end'
	is '.results[0].verify | .checked == 100 and .corrupt == 1'
}

@test "--verify finds a corrupted payload of one byte" {
	serve write_bw
	RB_FAKE='corrupt#2' client --verify -n 3 -s 1
	failed_with verify '1 of 3'
	await_server
	failed_with verify '1 of 3'
}

@test "without --verify nobody looks" {
	serve write_bw
	RB_FAKE='corrupt#7' client -n 100
	measured
	await_server
	measured
}

@test "what UC loses is counted as lost, not as corrupt" {
	serve write_bw
	RB_FAKE='drop#200' client --verify -c UC -n 300 -t 128 -s 64
	measured
	is '.results[0].verify | .checked == 300 and .corrupt == 0 and .lost == 1'
	is 'any(.warnings[]; .id == "uc_loss" and (.text | test("1 of 300")))'
	await_server
	measured
	is '.results[0].verify | .lost == 1 and .corrupt == 0'
}

@test "what UC loses of the first round is lost too" {
	serve write_bw
	RB_FAKE='drop#5' client --verify -c UC -n 100 -t 128 -s 64
	measured
	is '.results[0].verify | .checked == 100 and .corrupt == 0 and .lost == 1'
	await_server
	measured
}

@test "a round's last message that UC loses" {
	serve write_bw
	RB_FAKE='drop#100' client --verify -c UC -n 100 -t 128 -s 64
	measured
	is '.results[0].verify | .checked == 100 and .corrupt == 0 and .lost == 1'
	await_server
	measured
}

@test "what RC drops is sent again or the queue pair fails" {
	serve write_bw
	RB_FAKE='drop#5' client --verify -n 100 -s 64
	[ "$status" -le 1 ]
	is '.status == "ok" or .error.code == "completion_error"'
	await_server
	[ "$status" -le 1 ]
}
