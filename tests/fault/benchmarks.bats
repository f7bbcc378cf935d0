#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# benchmarks.bats - whatever benchmark there is, it runs in every way: a new row
# of the registry is tested before anybody writes a test for it

# bats file_tags=long
load ../helpers

# tried OPTIONS: each benchmark with these measures on both ends, or refuses
# them as such before it does anything
tried() {
	local name kind bad=0
	while IFS=$'\t' read -r name kind _; do
		[[ $kind == benchmark ]] || continue
		try "$name" "$1" && continue
		echo "^ $name $1"
		bad=1
	done < <("$RBENCH" --list-commands)
	return "$bad"
}

try() {
	local options
	read -r -a options <<<"$2"
	serve "$1" || return
	client "${options[@]}" || return
	if ((status == 2)); then
		echo "# $1 refuses $2: $(field .error.message)"
		[[ $(error_lines) -eq 1 ]] || return
		kill -KILL "${pids[server]}"
		await_server
		return 0
	fi
	ends_measured
}

@test "a count" { tried '-n 5'; }
@test "one message" { tried '-n 1 -t 1'; }
# two ends that spin on cores that others use too exchange little in a while
@test "a time" { tried '-D 300ms'; }
@test "16 queue pairs" { tried '-q 16 -n 20'; }
@test "a small size" { tried '-s 1 -n 20'; }
@test "a range of sizes" { tried '-s 2:64K:*8 -n 20'; }
@test "a large size" { tried '-s 2M -n 3'; }
@test "messages of 16 MiB" { tried '-s 16M -n 1'; }
@test "both directions" { tried '-b -q 2 -n 50'; }
@test "both directions for a time" { tried '-b -D 50ms'; }
@test "UC" { tried '-c UC -n 20'; }
@test "UD" { tried '-c UD -s 1K -n 20'; }
@test "events" { tried '-e -n 200'; }
@test "events, for a time, in both directions" { tried '-e -b -D 50ms'; }
@test "lists" { tried '-l 8 -Q 16 -t 64 -n 100'; }
@test "ibv_post_send" { tried '--post-send -n 20'; }
@test "ibv_post_send with lists and events" { tried '--post-send -e -l 4 -n 21'; }
@test "inline data" { tried '-I 64 -s 64 -n 20'; }
@test "rdma_cm" { tried '-R -q 3 -n 20'; }
@test "RoCE v1" { tried '-x 2 -n 5'; }
@test "a small path MTU" { tried '-m 256 -s 10000 -n 5'; }

@test "completions in error end both ends" {
	local name kind
	while IFS=$'\t' read -r name kind _; do
		[[ $kind == benchmark ]] || continue
		echo "$name"
		serve "$name"
		RB_FAKE='wc#20=REM_OP_ERR' client -D 20s -Q 1
		failed_with completion_error 'remote operation error'
		await_server
		failed_somehow
	done < <("$RBENCH" --list-commands)
}

@test "Ctrl-C ends both ends, which print what was measured" {
	local name kind
	while IFS=$'\t' read -r name kind _; do
		[[ $kind == benchmark ]] || continue
		echo "$name"
		serve "$name" -vv
		start_client -D 1h --warmup 0
		until_true "$DEADLINE" grep -q 'send start' "${bases[server]}.err"
		until_true "$DEADLINE" has_worked
		kill -INT "${pids[client]}"
		await client
		gave_up 1 interrupted interrupted
		is '.results[0].messages > 0'
		await_server
		gave_up 1 interrupted interrupted
	done < <("$RBENCH" --list-commands)
}

