#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# doctor.bats - rbench doctor PEER: both ends, and what is tried between them, on
# the double and on the recorded facts of a host that has its devices

load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

setup() {
	host=$BATS_TEST_TMPDIR/host
	helpers_setup
	mkdir "$host"
	jq '(.devices |= with_entries(.key |= sub("rxe"; "fake"))) | .memlock = "unlimited" | .nofile = 65536 |
		.firewall = [] | .netdevs.v0.qdiscs = ["noqueue"] | .governor = "performance" | .idle = [["POLL", 0]]' \
		"$RBENCH_SRC/tests/fixtures/hosts/rxe.json" >"$host/fake.json"
	"$RBENCH_SRC/tests/hosttree" "$host/fake" "$host/root"
	export RBENCH_ROOT=$host/root
}

# serve_all ARGS...: a server
serve_all() {
	serve server -d fake1 "$@"
	: >"${bases[server]}.any" # not one document, but many lines
}

# ask ARGS...: the doctor's client
ask() {
	bench=doctor
	client -d fake0 --interval 20ms "$@"
}

first() { is ".doctor.findings[0].rule == \"$1\"" || { field '.doctor.findings[] | [.rule, .severity, .text] | @csv'; return 1; }; }
outcome_of() { field "[.doctor.findings[], .doctor.outcomes[]] | map(select(.rule == \"$1\").outcome) | unique | join(\" \")"; }

@test "a healthy pair: both ends are judged, and everything passes between them" {
	serve_all
	ask
	ended 0 ok || { field '.doctor.findings[] | [.rule, .severity, .text] | @csv'; return 1; }
	is '[.doctor.hosts[] | [.name, .end, .devices]] == [["node-d", "local", 1], ["node-d", "peer", 1]]'
	is '.doctor.probes | length == 1 and .[0].device == "fake0" and .[0].peer_device == "fake1" and .[0].path_mtu == 4096'
	is '[.doctor.probes[0].tests[] | [.test, .size_bytes, .direction, .outcome]] == [
		["connect-manual", null, null, "PASS"], ["write", 64, "out", "PASS"], ["write", 64, "in", "PASS"],
		["write", 16384, "out", "PASS"], ["write", 16384, "in", "PASS"], ["connect-cm", null, null, "PASS"]]'
	[[ $(outcome_of PROBE-RC) == pass && $(outcome_of PROBE-MTU) == pass && $(outcome_of PROBE-CM) == pass ]]
	is '[.doctor.findings[], .doctor.outcomes[] | .subject | [.end, .device] | select(.[1])] | unique == [["local", "fake0"], ["peer", "fake1"]]'
	is '.doctor | has("symptom") | not'
}

@test "nothing passes: it is a symptom, and what explains it comes first" {
	serve_all
	RB_FAKE='wc#1=RETRY_EXC_ERR:129' ask
	ended 3 below_expectation
	first PROBE-RC
	is '.doctor.findings[0] | .severity == "error" and .subject.peer.device == "fake1" and
		(.text | test("write of 64 bytes to the peer failed.*status 12, vendor_err 0x81"))'
	is '.doctor.symptom.words == ["RDMA does not pass between the ends"]'
	# no further one waits for all retries
	is '[.doctor.probes[0].tests[].outcome] == ["PASS", "FAIL", "SKIP", "SKIP", "SKIP", "PASS"]'
	[[ $(outcome_of PROBE-MTU) == skip ]]
	jq '.firewall = [{"table": "filter", "chain": "input", "policy": "accept", "drops": [["udp", 4791]]}]' \
		"$host/fake.json" >"$host/blocked.json"
	"$RBENCH_SRC/tests/hosttree" "$host/blocked" "$host/blocked-root"
	RBENCH_ROOT=$host/blocked-root RB_FAKE='wc#1=RETRY_EXC_ERR:129' ask
	first NET-FW
	is '.doctor.findings[0] | .likelihood >= 80 and .subject.end == "local"'
}

@test "small packets pass and full ones do not" {
	serve_all
	RB_FAKE='wc#2=RETRY_EXC_ERR:129' ask
	ended 3 below_expectation
	first PROBE-MTU
	is '.doctor.symptom.words == ["small packets pass, full ones do not"]'
	[[ $(outcome_of PROBE-RC) == pass ]]
}

@test "what the peer sends does not come" {
	RB_FAKE='wc#1=RETRY_EXC_ERR:129' serve_all
	ask
	first PROBE-RC
	is '.doctor.findings[0].text | test("write of 64 bytes from the peer failed")'
}

@test "rdma_cm does not connect" {
	serve_all
	RB_FAKE='cm=UNREACHABLE:110' ask
	ended 3 below_expectation
	first PROBE-CM
	[[ $(outcome_of PROBE-RC) == pass ]]
}

@test "no port to try it with: unknown, and the rest is judged" {
	serve_all
	RB_FAKE='port=down' ask
	is '.doctor.probes[0].error | test("fake0")'
	[[ $(outcome_of PROBE-RC) == unknown && $(outcome_of PROBE-CM) == unknown ]]
	is '.doctor.sums.passed > 30'
	[ "$(error_lines)" -eq 0 ]
}

# bats test_tags=effect:doctor:save,effect:doctor:interval
@test "--save: the files give the same findings" {
	local base=$host/pair
	serve_all
	RB_FAKE='wc#2=RETRY_EXC_ERR:129' ask --save "$base"
	jq -S '.doctor | .findings, .outcomes, .probes, .symptom' "$doc" >"$base.live"
	rbench doctor --json -d fake0 --peer-device fake1 "$base.json" "$base.peer.json"
	diff "$base.live" <(jq -S '.doctor | .findings, .outcomes, .probes, .symptom' "$doc")
	jq -se 'map([.. | .interval_ns? // empty] | max) | all(. >= 20e6 and . < 450e6)' "$base.json" "$base.peer.json"
	validate "$base.json" "$base.peer.json"
}

# bats test_tags=effect:doctor:port-num
@test "-i: a port that is not there cannot be tried" {
	serve_all
	ask -i 7
	is '.doctor.probes[0].error | test("no port 7")'
}

@test "the text names the end" {
	serve_all
	bench=doctor
	RB_FAKE='wc#1=RETRY_EXC_ERR:129' start_rbench client doctor -p "$port" -d fake0 --interval 20ms "$SERVER"
	await client
	: >"${bases[client]}.any"
	grep -q '^node-d and peer node-d: 1 error' "$doc"
	grep -q '^ERROR PROBE-RC: node-d fake0/1 and peer node-d fake1/1$' "$doc"
	grep -q 'write 64 out FAIL' "$doc"
}

# bats test_tags=effect:server:no-snapshot
@test "a server that keeps its facts to itself" {
	serve_all --no-snapshot
	ask
	failed_with snapshot 'does not tell its facts' 'no-snapshot' 'rbench snapshot -o FILE'
}

@test "a server of a release without it, and a responder of another command" {
	bench=doctor
	free_port
	start peer "$RBENCH_SRC/tests/peer" listen "$port" 'recv hello' hello 'recv agree' \
		'send {"type": "error", "code": "peer_protocol", "where": "agree", "message": "the client asked for '"'doctor'"', which this server does not have", "hints": ["install the same release of rbench on both ends"]}'
	: >"${bases[peer]}.any"
	until_true "$DEADLINE" is_listening "$port"
	ask
	failed_with peer_protocol "asked for 'doctor', which this server does not have" 'same release'
	serve write_bw -d fake1
	ask
	failed_with peer_protocol "this is 'write_bw'" 'rbench server'
	await_server
}

# a snapshot that a peer sends: parts of it, as frames
hostile() {
	bench=doctor
	free_port
	start peer "$RBENCH_SRC/tests/peer" listen "$port" 'recv hello' hello 'recv agree' "$@"
	: >"${bases[peer]}.any"
	until_true "$DEADLINE" is_listening "$port"
	ask
}

@test "snapshots that are none are refused" {
	hostile 'send {"type": "snapshot", "part": 1, "parts": 1, "text": "{\"schema\": \"rbench/1\"}"}'
	failed_with snapshot 'not a snapshot'
	hostile 'send {"type": "snapshot", "part": 2, "parts": 2, "text": "{}"}'
	failed_with peer_protocol "'part'"
	hostile 'send {"type": "snapshot", "part": 1, "parts": 100000, "text": "{}"}'
	failed_with peer_protocol "'parts'"
	hostile 'send {"type": "snapshot", "part": 1, "parts": 2, "text": "{}"}' \
		'send {"type": "snapshot", "part": 2, "parts": 3, "text": "{}"}'
	failed_with peer_protocol 'do not fit together'
	hostile 'send {"type": "snapshot", "part": 1, "parts": 1}'
	failed_with peer_protocol 'do not fit together'
	hostile 'send {"type": "snapshot", "part": 1, "parts": 2, "text": "{}"}' close
	failed_with peer_gone
}

@test "a snapshot that is larger than a part" {
	local i
	for ((i = 0; i < 12; i++)); do
		printf 'UCX_LONG_%d=%0100000d\0' "$i" 0
	done >"$RBENCH_ROOT/proc/self/environ"
	serve_all
	ask -vv --save "$host/pair"
	ended 0 ok
	[ "$(grep -c 'got snapshot' "$err")" -eq 2 ]
	[ "$(jq -r '.environment.UCX_LONG_9 | length' "$host/pair.peer.json")" -eq 100000 ]
}

@test "a client that stays away after the snapshot, or asks for nonsense: the server goes on" {
	serve_all --timeout 2s
	strange() {
		start stranger "$RBENCH_SRC/tests/peer" dial "$port" hello 'recv hello' "$@"
		: >"${bases[stranger]}.any"
		await stranger 20
	}
	strange 'send {"type": "agree", "command": "doctor"}' 'recv error'
	[ "$status" -eq 0 ]
	strange 'send {"type": "agree", "command": "doctor", "interval_ns": 10000000}' 'recv snapshot' bye 'recv bye'
	[ "$status" -eq 0 ]
	strange 'send {"type": "agree", "command": "doctor", "interval_ns": 10000000}' 'recv snapshot' reset
	ask
	ended 0 ok
}
