#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# check.bats - rbench check on soft-RoCE: what works, what is refused, and what
# soft-RoCE does otherwise

DEADLINE=40 # everything is emulated
load ../helpers

# Emulated, on CPUs that others use too: a second try may do, twice in a row is a
# failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# What rxe of Linux 6.1 answers otherwise: an atomic that is not aligned is
# refused when it is posted, a receive that is too short is a remote operation
# error, a wrong lkey a local QP operation error.
@test "check: all protections hold, and what differs is a finding" {
	start_rbench check check -d rxe0 --peer-device rxe1 --json
	await check 120
	ended 3 below_expectation
	is '[.results[] | select(.outcome != "PASS").test] | unique == ["bad-lkey", "misaligned-atomic", "too-long"]'
	is '[.results[] | select(.outcome != "PASS")] | all((.completion.status_code // 1) != 0)'
	is '[.results[] | select(.test | test("rkey|bounds|begin|permission|other-pd"))] |
		length == 22 and all(.outcome == "PASS")'
	# rxe drops what has a wrong Q_Key at the receiver, what is too long at the sender
	is '[.results[] | select(.test | test("ud$|qkey"))] |
		length == 8 and all(.outcome == "PASS" and .completion.status_code == 0)'
	is '[.results[] | select(.detail == "dropped").test] | unique == ["bad-qkey", "too-long-ud"]'
}

@test "check -R: datagrams through rdma_cm" {
	start_rbench check check -R -d rxe0 --peer-device rxe1 --json
	await check 120
	is '[.results[] | select(.test | test("ud$|qkey"))] | length == 8 and all(.outcome == "PASS")'
}

@test "check --inject retry against a server" {
	serve server -d rxe1
	: >"${bases[server]}.any"
	start_rbench inject check -p "$port" -d rxe0 --json --inject retry 10.0.0.2
	await inject 60
	ended 0 ok
	is '.results[0].completion.status_code == 12'
	kill -TERM "${pids[server]}"
	await server
	[ "$status" -eq 0 ]
}
