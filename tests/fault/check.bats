#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# check.bats - rbench check: what it finds and what it does not, on the double

load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# check ARGS...: both ends in one process
check() {
	start_rbench check check --json "$@"
	await check 60
}

all_passed() {
	ended 0 ok || return
	is '.results | length >= 50 and all(.outcome == "PASS")' || return
	is '.expectations == [{ expr: "failed == 0", value: 0, met: true }]'
}

# failing: the names of the tests that failed
failing() { field '[.results[] | select(.outcome == "FAIL").test] | unique | join(" ")'; }

kinds() { "$RBENCH" check --inject list | awk '{ print $1 }'; }

@test "both ends in this process: everything works and is refused as it must be" {
	check
	all_passed
	[ "$(error_lines)" -eq 0 ]
	# each verb, both sizes, both ways
	is '[.results[] | select(.test == "write") | "\(.size_bytes) \(.direction)"] | sort ==
		["16384 in", "16384 out", "64 in", "64 out"]'
	is '[.results[] | select(.test == "bad-rkey") | .completion.status_code] == [10, 10]'
	is '[.results[] | select(.test == "no-permission-qp") | .completion.status_code] == [9, 9]'
	is '.results[0].test == "connect-manual" and .results[1].test == "connect-cm"'
	# a datagram is one packet: what is larger is tried with the path MTU
	is '[.results[] | select(.test == "send-ud") | "\(.size_bytes) \(.direction)"] | sort ==
		["4096 in", "4096 out", "64 in", "64 out"]'
	is '[.results[] | select(.test == "bad-qkey") | .completion.status_code, .detail] ==
		[0, "dropped", 0, "dropped"]'
	is '[.results[] | select(.test == "too-long-ud") | .size_bytes, .completion.status_code] ==
		[4097, 1, 4097, 1]'
}

# bats test_tags=effect:check:size,effect:check:peer-device
@test "two devices, rdma_cm for all tests, sizes of one's own" {
	check -d fake0 --peer-device fake1 -R -s 2,8K
	all_passed
	is '.local.device == "fake0" and .peer.device == "fake1"'
	is '[.results[].size_bytes] | index(8192) != null'
}

# bats test_tags=effect:check:pkey-index,effect:check:flow-label,effect:check:hop-limit,effect:check:retry-count,effect:check:rnr-retry
@test "options of the path hold in each test" {
	local notes=$BATS_TEST_TMPDIR/notes
	RB_FAKE='pkeys=4' RB_FAKE_NOTES=$notes check --pkey-index 2 --flow-label 5 --hop-limit 9 --retry-count 3 --rnr-retry 2
	all_passed
	grep -q '^qp' "$notes"
	# of datagrams (timeout=0) the path is the address handle's; rdma_cm chooses the
	# partition itself
	run ! grep -vE '^(mr|cq) | timeout=0 |flow_label=0x5 .*hop_limit=9|hop_limit=9 .*flow_label=0x5' "$notes"
	[ "$(grep -c pkey_index=2 "$notes")" -gt "$(grep -c pkey_index=0 "$notes")" ]
	grep '^qp' "$notes" | grep -c 'retry_cnt=3 rnr_retry=2'
	check --inject retry
	is '.options.retry_count == { value: 5, source: "default" } and .options.rnr_retry.value == 1'
}

# bats test_tags=effect:check:mtu,effect:check:sl,effect:check:tclass,effect:check:qp-timeout,effect:check:outs
@test "path MTU, service level, traffic class, ACK timeout, reads under way" {
	RB_FAKE_NOTES=$BATS_TEST_TMPDIR/notes check -s 64 -m 1024 -S 3 --tclass 104 -u 10 -o 3
	ended 0 ok
	# of each connection both ends, and there are dozens
	[ "$(grep -cE ' timeout=10 .* sl=3 mtu=1024 rd_atomic=3 .* tclass=104 ' "$BATS_TEST_TMPDIR/notes")" -gt 40 ]
}

# bats test_tags=effect:check:device,effect:check:port-num,effect:check:gid-index,effect:check:rdma-cm
@test "device, port, GID and rdma_cm of choice" {
	check --inject bad-rkey -d fake1 -x 1
	ended 0 ok
	is '.local | .device == "fake1" and .gid.index == 1'
	check -d fake0 -i 7
	failed_with no_port "'fake0' has no port 7"
	RB_FAKE='cm=REJECTED:28' check --inject bad-rkey -R
	is '.results[0].outcome == "FAIL" and (.results[0].detail | test("rejected"))'
}

@test "against a server, and against a responder" {
	serve server
	: >"${bases[server]}.any"
	bench=check
	client
	all_passed
	client
	all_passed
	kill -TERM "${pids[server]}"
	await server
	jq -es 'length == 3 and all(.status == "ok") and .[0].command == "check" and .[1].session.number == 2 and
		.[2].sessions == { served: 2, failed: 0, strangers: 0 }' "$doc"
	serve check --responder
	client
	all_passed
	await_server
	ended 0 ok
}

@test "every kind can be provoked, and is explained" {
	local kind
	for kind in $(kinds); do
		start_rbench inject check -u 4 --inject "$kind"
		: >"${bases[inject]}.any"
		await inject 30
		[ "$status" -eq 0 ] || { echo "$kind: exit $status"; cat "$doc"; return 1; }
		grep -qE "^ PASS $kind " "$doc"
		grep -qE '^completion: .* \(status [0-9]+\), vendor_err 0x' "$doc"
		grep -qE '^meaning:    .' "$doc"
		grep -q '1 passed, 0 failed' "$doc"
	done
}

@test "a payload that arrives wrong is found" {
	RB_FAKE='corrupt#1' check
	ended 3 below_expectation
	[ "$(field '[.results[] | select(.outcome == "FAIL")] | length')" -eq 1 ]
	is '[.results[] | select(.outcome == "FAIL")][0] | .test == "write" and
		(.detail | contains("does not hold what was sent"))'
	is '.expectations[0] == { expr: "failed == 0", value: 1, met: false }'
	[ "$(error_lines)" -eq 0 ]
}

@test "a status that is not the right one is found" {
	# the first completion is of a write that has to work
	RB_FAKE='wc#1=REM_OP_ERR:137' check
	ended 3 below_expectation
	is '[.results[] | select(.outcome == "FAIL")] | length == 1 and
		(.[0] | .completion.status_code == 11 and .completion.vendor_err == 137 and
		(.detail | contains("remote operation error (status 11, vendor_err 0x89)")))'
}

# found TEST WORDS: it is the only one that failed, on both ways or one
found() {
	ended 3 below_expectation
	[ "$(failing)" = "$1" ]
	WORDS=$2 is '[.results[] | select(.outcome == "FAIL")] | all(.detail | contains(env.WORDS))'
}

@test "datagrams: lost, damaged, or let in with a wrong Q_Key" {
	local first
	# messages of the tests before it: by size and direction, but connections
	check
	first=$(field '[.results[] | select(.test | startswith("connect") | not).test] | index("send-ud") + 1')
	# one may get lost on a good path; that is told
	RB_FAKE="drop#$first" check
	all_passed
	is '[.results[] | select(.test == "send-ud") | .detail // ""] == ["1 of 2 datagrams got lost", "", "", ""]'
	RB_FAKE="drop#$first;drop#$((first + 1));drop#$((first + 2))" check
	found send-ud 'the datagram did not arrive (peer); 3 of 3 datagrams got lost'
	RB_FAKE="drop#$first;corrupt#$((first + 1))" check
	found send-ud '; 1 of 2 datagrams got lost'
	RB_FAKE="corrupt#$first" check
	found send-ud 'does not hold what was sent'
	RB_FAKE=anykey check
	found bad-qkey 'it was delivered, and had to be dropped'
	is '[.results[] | select(.outcome == "FAIL")] | length == 2'
}

# bats test_tags=effect:check:inject
@test "a datagram over the MTU that the device does not even take is refused as well" {
	RB_FAKE='post_send#1=EMSGSIZE' check --inject too-long-ud
	ended 0 ok
	is '.results[0] | .outcome == "PASS" and (has("completion") | not) and
		(.detail | contains("refused to take the request: Message too long"))'
	# what must work is not excused by that
	RB_FAKE='post_send#1=EMSGSIZE' check
	found write 'refused to take the request: Message too long'
}

@test "no datagrams: skipped, with the reason" {
	local n
	RB_FAKE='transport=iwarp' serve check --responder
	RB_FAKE='transport=iwarp' client
	ended 0 ok
	is '[.results[] | select(.test | test("ud$|qkey"))] | length == 8 and
		all(.outcome == "SKIP" and (.detail | contains("iWARP, which has no datagrams")))'
	# nor does it have these; what it has works, through rdma_cm without -R
	is '[.results[] | select(.test | test("manual|imm|bad|no-perm|bounds|rnr"))] | length > 10 and
		all(.outcome == "SKIP" and (.detail | contains("its device is of iWARP")))'
	is '[.results[] | select(.test | test("connect-cm|^write$|^read$|^send$"))] | length > 6 and
		all(.outcome == "PASS")'
	await_server
	# two ends in one process have no address, which iWARP needs
	RB_FAKE='transport=iwarp' check
	found connect-cm 'has no address to connect to'
	# a driver that makes none says so when it is asked for one, here or there
	for n in 1 2; do
		RB_FAKE="ibv_create_qp#$n=EOPNOTSUPP" check --inject bad-qkey
		ended 0 ok
		is '.results[0] | .outcome == "SKIP" and (.detail | contains("has no UD queue pairs"))'
	done
	# of reliable ones it is a failure
	RB_FAKE='ibv_create_qp#1=EOPNOTSUPP' check
	found connect-manual 'cannot create a queue pair'
}

@test "a device without atomics: skipped, with the reason" {
	RB_FAKE='atomic=none' check
	ended 0 ok
	is '[.results[] | select(.outcome == "SKIP")] | length > 0 and
		all((.test | test("atomic|add|swap")) and (.detail | contains("no atomic operations")))'
}

@test "no connection: said once, the rest is not tried" {
	RB_FAKE='ibv_modify_qp#2=EINVAL' check
	ended 3 below_expectation
	[ "$(failing)" = connect-manual ]
	is '.results[0].detail | contains("cannot move QP") and contains("Invalid argument")'
	is '.results[1:] | all(.outcome == "SKIP" and (.detail == "no connection can be made"))'
	# rdma_cm alone is no reason to give the others up
	RB_FAKE='cm=REJECTED:28' check
	ended 3 below_expectation
	[ "$(failing)" = connect-cm ]
	is '[.results[] | select(.outcome == "PASS")] | length >= 50'
}

@test "it cannot be run: exit 1 and why" {
	RB_FAKE='devices=0' check
	failed_with no_devices
	check -d fake9
	failed_with no_device
	check --peer-device fake9
	failed_with no_device 'fake9'
	bench=check
	free_port
	client --wait 0
	failed_with peer_refused
}

# bats test_tags=effect:check:responder
@test "a responder that dies in the middle" {
	serve check --responder
	start "peer" "$RBENCH_SRC/tests/peer" dial "$port" hello 'recv hello' \
		'agree command="check" options={}' 'recv agree' \
		'send {"type":"test","seq":1,"name":"write","size":64,"out":true}' 'recv test' close
	: >"${bases[peer]}.any"
	await peer
	await_server
	failed_with peer_gone
}
