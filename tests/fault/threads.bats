#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# threads.bats - several measuring threads, their cores, and how evenly threads
# and queue pairs get their turns

load ../helpers

# A loaded machine may let one thread wait: a second try may do.
setup_file() { export BATS_TEST_RETRIES=1; }

cqs() { grep -c '^cq ' "$BATS_TEST_TMPDIR/$1.notes"; }

core() { sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status; }

each_benchmark() {
	local name kind bad=0
	while IFS=$'\t' read -r name kind _; do
		[[ $kind == benchmark ]] || continue
		measure "$name" "$@" && [[ $(cqs client) -eq 2 ]] && continue
		echo "^ $name"
		bad=1
	done < <("$RBENCH" --list-commands)
	return "$bad"
}

@test "every benchmark has a completion queue for each of two threads, by count" {
	each_benchmark --threads 2 -n 50
}

@test "by duration, with the shares of threads and queue pairs" {
	measure write_bw --threads 2 -q 6 -D 100ms
	is '.results[0] | .threads == 2 and .qps == 6'
	is '.results[0].shares | (.threads | length == 2 and all(.qps == 3)) and (.qps | length == 6)'
	is '.results[0] | (.shares.qps | add) == .messages and (.shares.threads | map(.messages) | add) == .messages'
	is '.results[0].fairness | .qps > 0 and .qps <= 1 and .threads > 0 and .threads <= 1'
	# Jain's index, from the shares
	is '.results[0] | (.shares.qps | (add * add) / (length * (map(. * .) | add))) - .fairness.qps | fabs < 1e-9'
	doc=${bases[server]}.json
	is '.results[0] | .shares == null and .fairness.qps > 0 and .threads == 2'
}

@test "queue pairs that do not divide evenly" {
	measure send_bw --threads 3 -q 7 -D 100ms --cores any
	is '[.results[0].shares.threads[].qps] == [2, 2, 3]'
	is '.local.cpu.cores == null'
}

@test "one queue pair has no shares, a run by count neither" {
	measure write_bw -D 50ms
	is '.results[0] | .shares == null and .fairness == null'
	measure write_bw -q 4 -n 50
	is '.results[0] | .shares == null and .fairness == null'
}

@test "both directions, lists, events, a shared receive queue for each thread" {
	measure send_bw --threads 2 -q 4 -b -D 100ms
	is '.results[0].shares | (.threads | map(.messages) | add) == (.qps | add)'
	measure send_bw --threads 2 -q 4 -e -l 4 -Q 8 -D 100ms
	measure send_bw --threads 2 -q 4 --srq -D 100ms
	measure write_bw --threads 2 -q 4 -b --post-send -n 100
}

@test "latencies of two threads are taken together" {
	measure send_lat --threads 2 -n 40
	is '.results[0] | .messages == 80 and .latency_ns.count == 80'
	measure read_lat --threads 2 -D 100ms
	is '.results[0] | .latency_ns.count == .messages'
}

# bats test_tags=effect:threads,effect:cores
@test "threads are placed on the cores given" {
	local core
	core=$(core)
	measure write_bw --threads 2 --cores "$core,$core" -D 50ms
	is ".local.cpu.cores == [$core, $core]"
	is "[.results[0].shares.threads[].core] == [$core, $core]"
	measure write_bw --cores "$core" -n 10
	is ".local.cpu.cores == [$core] and .options.cores.value == \"$core\""
}

@test "more threads than cores say so" {
	measure write_bw --threads 2 --cores "$(core)" -D 50ms
	is 'any(.warnings[]; .id == "cores_shared")'
}

@test "a core that there is not" {
	serve write_bw
	client --cores 1023 -n 10
	failed_with system_call 'core 1023'
	await_server
	failed_somehow
}

@test "without --cores: near the device, the two ends' from opposite ends of the list" {
	(($(nproc) >= 2)) || skip 'n/a: one core only'
	measure write_bw --threads 2 -D 50ms
	is '.local.cpu.cores | length == 2'
	local there
	there=$(jq -c '.local.cpu.cores' "${bases[server]}.json")
	(($(nproc) < 4)) || is "(.local.cpu.cores - $there) == .local.cpu.cores"
}

@test "an error in one thread ends them all" {
	serve write_bw
	RB_FAKE='wc#200=REM_ACCESS_ERR' client --threads 2 -q 4 -Q 1 -D 30s
	failed_with completion_error
	await_server
	failed_somehow
}

@test "Ctrl-C stops every thread, and what was measured is told" {
	serve write_bw -vv
	start_client --threads 2 -q 4 -D 1h --warmup 0
	until_true "$DEADLINE" grep -q 'send start' "${bases[server]}.err"
	until_true "$DEADLINE" has_worked
	kill -INT "${pids[client]}"
	await client
	gave_up 1 interrupted interrupted
	is '.results[0].messages > 0'
	await_server
	gave_up 1 interrupted interrupted
}

# per_cpu_second: messages of each thread for its CPU time, all together
per_cpu_second() { field '[.results[0].shares.threads[] | .messages / (.user_s + .system_s)] | add'; }

@test "two threads do twice the work of one: nothing is written by both" {
	local one two
	export RB_FAKE=instant
	measure write_bw --threads 1 -q 2 -s 8 -D 300ms
	one=$(per_cpu_second)
	measure write_bw --threads 2 -q 2 -s 8 -D 300ms
	two=$(per_cpu_second)
	echo "messages per CPU second: one thread $one, two $two"
	# a loaded machine's caches and clocks vary; scripts/bench-loop asks for more
	jq -en "$two / $one > 1.5"
}
