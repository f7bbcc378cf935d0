#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# output.bats - text, CSV and JSON: what goes where, and that they agree

load ../helpers

# run_text ARGS...: a client without --json; what it printed is $out
run_text() {
	serve write_bw
	start_rbench client write_bw -p "$port" "$@" "$SERVER"
	: >"${bases[client]}.any"
	await client
	out=$doc
}

# row FILE KEY: a cell of the only row of a CSV file
row() {
	awk -F , -v key="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
	NR == 2 { print $column[key] }' "$1"
}

@test "text: both ends, a table, and nothing on standard error" {
	unknown_host
	run_text -D 200ms
	[ "$status" -eq 0 ]
	[ ! -s "$err" ]
	grep -qE '^rbench write_bw: RC, 1 QP, .*path MTU 4096' "$out"
	grep -qE '^local +[^ ]+ +fake0 port 1 +Ethernet 100 Gb/s +GID 3 RoCE v2 127\.0\.0\.1 \(lo\)' "$out"
	grep -qE '^peer +[^ ]+ +fake0 port 1 +Ethernet 100 Gb/s +GID 3' "$out"
	grep -qE '^ +bytes +qps +messages +seconds +Gb/s' "$out"
	[ "$(grep -cE '^ +65536 +1 +[0-9]+ +0\.[0-9]+ +[0-9.]+ ' "$out")" -eq 1 ]
	run ! grep -q $'[\e\r]' "$out"
	await_server
	measured
}

@test "text: a line a size under one head" {
	run_text -s 64,128,256 -n 5
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^ +bytes ' "$out")" -eq 1 ]
	[ "$(grep -cE '^ +(64|128|256) +1 +5 ' "$out")" -eq 3 ]
	await_server
	measured
}

# bats test_tags=effect:json
@test "--json=FILE: the document beside the text" {
	run_text -D 100ms --json="$BATS_TEST_TMPDIR/doc.json"
	[ "$status" -eq 0 ]
	grep -qE '^ +65536 +1 ' "$out"
	doc=$BATS_TEST_TMPDIR/doc.json
	measured
	local shown
	shown=$(awk '$1 == 65536 { print $3 }' "$out")
	is ".results[0].messages == $shown"
	await_server
	measured
}

@test "--json=FILE of a failing run" {
	run_text -D 100ms -d nosuch0 --json="$BATS_TEST_TMPDIR/doc.json"
	doc=$BATS_TEST_TMPDIR/doc.json
	failed_with no_device
	await_server
	failed_with no_device
}

# bats test_tags=effect:csv
@test "--csv: a head, and a record a size; --json=FILE agrees" {
	run_text -s 64 -n 1000 --csv --json="$BATS_TEST_TMPDIR/doc.json"
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$out")" -eq 2 ]
	[ "$(row "$out" size_bytes)" = 64 ]
	[ "$(row "$out" messages)" = 1000 ]
	# absent: an empty cell
	[ "$(row "$out" verify.checked)" = '' ]
	local told
	told=$(row "$out" bandwidth.bits_per_s)
	doc=$BATS_TEST_TMPDIR/doc.json
	is ".results[0].bandwidth.bits_per_s / $told | . > 0.9999 and . < 1.0001"
	await_server
	measured
}

@test "--csv: every record has as many cells as the head" {
	run_text -s 64,128,256 -n 5 -b --csv
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$out")" -eq 4 ]
	[ "$(awk -F , '{ print NF }' "$out" | sort -u | wc -l)" -eq 1 ]
	[ "$(head -n 1 "$out" | grep -o directions.out.bits_per_s)" = directions.out.bits_per_s ]
	await_server
	measured
}

# bats test_tags=effect:quiet
@test "--quiet: no warning on standard error, but in the document" {
	serve write_bw
	client -n 5 --quiet
	measured
	[ ! -s "$err" ]
	is 'any(.warnings[]; .id == "short_run")'
	await_server
	measured
}

@test "--quiet does not hush an error" {
	serve write_bw
	client -d nosuch0 --quiet
	failed_with no_device
	await_server
	failed_with no_device
}

# bats test_tags=effect:verbose
@test "-v says why, -vv says all, neither on standard output" {
	serve write_bw -v
	client -n 5 -vv
	measured
	said 'GIDs chosen: RoCE v2 3 127.0.0.1 - 3 127.0.0.1'
	said 'send hello'
	await_server
	measured
	said 'waiting for a client on port'
	run ! grep -q 'send hello' "$err"
}

# A failing write of the results is a failure of the run.
@test "a full disk is an error" {
	serve write_bw
	WRAP=(sh -c 'exec "$@" >/dev/full' sh)
	client -n 5
	[ "$status" -eq 1 ]
	[ "$(error_lines)" -eq 1 ]
	said 'No space left on device'
	await_server
	measured
}

@test "a full disk is an error of the text and of the CSV" {
	WRAP=(sh -c 'exec "$@" >/dev/full' sh)
	local how
	for how in --quiet --csv; do
		serve_elsewhere
		start_rbench client write_bw -p "$port" -n 5 "$how" "$SERVER"
		await client
		[ "$status" -eq 1 ]
		[ "$(error_lines)" -eq 1 ]
		said 'No space left on device'
		await_server
		measured
	done
}

# A responder outside of WRAP.
serve_elsewhere() {
	local WRAP=()
	serve write_bw
}

@test "a file that cannot be written is an error" {
	run_text -n 5 --json=/nonexistent/doc.json
	[ "$status" -eq 1 ]
	[ "$(error_lines)" -eq 1 ]
	said "cannot write '/nonexistent/doc.json'"
	await_server
	measured
}

@test "a closed standard output does not send the results to the peer" {
	serve write_bw
	WRAP=(sh -c 'exec "$@" >&-' sh)
	start_rbench client write_bw -p "$port" -n 5 "$SERVER"
	await client
	[ "$status" -eq 1 ]
	[ "$(error_lines)" -eq 1 ]
	await_server
	measured
}
