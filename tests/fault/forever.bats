#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# forever.bats - intervals while a run goes on: each is told as it happens, none of
# them misses a message, and what comes last is whole

load ../helpers

lines_of() { jq -c "select(.type == \"$1\")" "$told"; }
has_lines() { [[ -e $told ]] && (($(grep -c '"type":"interval"' "$told") >= $1)); }
has_rows() { (($(grep -cE '^ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{3} +[0-9]+' "$1") >= $2)); }

# stop_client: by Ctrl-C, which is no failure of a run for ever
stop_client() {
	kill -INT "${pids[client]}"
	await client && ended 0 ok || return
	await server && ended 0 ok || return
	doc=${bases[client]}.json
}

# run_for_ever COMMAND ARGS...: five intervals, then Ctrl-C; the lines are $told
run_for_ever() {
	told=$BATS_TEST_TMPDIR/$1.jsonl
	rm -f "$told"
	serve "$1" || return
	start_client --forever --warmup 10ms --interval 20ms --stream="$told" "${@:2}"
	until_true "$DEADLINE" has_lines 5 && stop_client || return
	validate "$told" || return
	[[ $(jq -r 'select(.schema == "rbench/1") | .status' "$told") == ok ]] || return
	# the last line is the document itself
	cmp <(tail -n 1 "$told" | jq -S .) <(jq -S . "$doc")
}

# add_up KEY: the intervals' messages are those of the result
add_up() {
	local sum
	sum=$(jq -n '[inputs | select(.type == "interval").messages] | add' "$told")
	is ".results[0].$1 == $sum" && return
	lines_of interval | head -n 20
	return 1
}

# Of one thread: each begins where the one before ended, and they end with the run.
follow_each_other() {
	jq -ne '[inputs | select(.type == "interval")] as $i
		| $i[0].from_ns == 0 and all(range(1; $i | length); $i[.].from_ns == $i[. - 1].to_ns)' "$told" >/dev/null
	is "(.results[0].duration_ns - $(jq -n 'last(inputs | select(.type == "interval").to_ns)' "$told")) | fabs <= 1"
}

told_to_the_last_message() {
	run_for_ever "$@" && add_up messages && follow_each_other
}

with_latencies() {
	told_to_the_last_message "$@" || return
	lines_of interval | jq -se 'all((.latency_ns.count // 0) == .messages)' >/dev/null || return
	# the result has every interval's samples, its maximum among them
	is ".results[0].latency_ns | .count == $(jq -n '[inputs | select(.type == "interval").messages] | add' "$told")" || return
	is ".results[0].latency_ns.max == $(jq -n '[inputs | select(.type == "interval").latency_ns.max] | max' "$told")"
}

@test "each bandwidth: no message falls between two intervals" {
	each told_to_the_last_message write_bw read_bw send_bw atomic_bw
}

@test "each latency: no exchange falls between two intervals, nor its time" {
	each with_latencies write_lat read_lat send_lat atomic_lat
}

@test "both directions: the intervals are those of the direction out" {
	run_for_ever write_bw -b
	add_up directions.out.messages
}

@test "several threads: one row for all of them" {
	run_for_ever write_bw -q 4 --threads 2
	add_up messages
	run_for_ever send_lat --threads 2
	add_up messages
	is ".results[0].latency_ns.count == .results[0].messages"
}

@test "-D 0 is --forever; text: a line an interval, while it runs" {
	serve write_bw
	start_rbench client write_bw -p "$port" -D 0 --interval 20ms "$SERVER"
	: >"${bases[client]}.any"
	until_true "$DEADLINE" has_rows "${bases[client]}.json" 3
	kill -INT "${pids[client]}"
	await client
	[ "$status" -eq 0 ]
	grep -qE '^rbench write_bw: .*, until Ctrl-C$' "$doc"
	[ "$(grep -cE '^ +from s +to s +messages +Gb/s +Mmsg/s$' "$doc")" -eq 1 ]
	local sum shown
	sum=$(awk '$1 ~ /^[0-9]+\.[0-9][0-9][0-9]$/ { s += $3 } END { print s }' "$doc")
	shown=$(awk '$1 == 65536 { print $3 }' "$doc")
	[ "$sum" -eq "$shown" ]
	await_server
	ended 0 ok
	is '.options.forever == { value: true, source: "peer" }'
}

@test "for ever: an interval is a second, if nobody says another" {
	serve write_bw
	start_client -D 0
	until_true "$DEADLINE" has_worked
	stop_client
	is '.options | .interval == { value: 1000000000, source: "default" } and .forever == { value: true, source: "user" }'
	is '.options.duration.source == "default"'
}

# bats test_tags=effect:stream
@test "--stream without --forever: intervals, the row of each size, the document" {
	serve write_bw
	start_rbench client write_bw -p "$port" -s 64,4K -D 100ms --interval 20ms --stream "$SERVER"
	await client
	[ "$status" -eq 0 ]
	told=$doc
	validate
	[ "$(jq -r 'select(.type == "result") | .result.size_bytes' "$told" | xargs)" = "64 4096" ]
	[ "$(lines_of interval | jq -s 'map(.size_bytes) | unique == [64, 4096]')" = true ]
	[ "$(jq -r 'select(.schema == "rbench/1") | .results | length' "$told")" -eq 2 ]
	await_server
	measured
}

@test "--stream of a run that fails: the document is the last line all the same" {
	serve write_bw
	start_rbench client write_bw -p "$port" -d nosuch0 --stream "$SERVER"
	await client
	[ "$status" -eq 1 ]
	validate
	[ "$(jq -r .error.code "$doc")" = no_device ]
	rbench write_bw --stream="$BATS_TEST_TMPDIR/x" -n nonsense
	[ "$status" -eq 2 ]
	[ "$(jq -r .error.code "$BATS_TEST_TMPDIR/x")" = usage ]
}

@test "--stream: an event of the device is a line, not later than the next interval" {
	told=$BATS_TEST_TMPDIR/lines.jsonl
	serve write_bw
	RB_FAKE='event@150ms=GID_CHANGE' start_client --forever --interval 20ms --stream="$told"
	until_true "$DEADLINE" grep -q '"type":"event"' "$told"
	stop_client
	validate "$told"
	[ "$(lines_of event | jq -sr 'map(.event.type) | join(" ")')" = "$(field '[.events[].type] | join(" ")')" ]
}

# one_place ARGS... TEXT: two documents into one place are refused
one_place() {
	rbench write_bw -d none "${@:1:$#-1}"
	[ "$status" -eq 2 ] && said "${@: -1}"
}

@test "--stream, --json and --csv do not write into one place" {
	one_place --stream --csv '--stream and --csv both want standard output'
	one_place --json="$BATS_TEST_TMPDIR/both" --stream="$BATS_TEST_TMPDIR/both" '--json and --stream both want'
	doc=$BATS_TEST_TMPDIR/both
	validate
}

# The pipe takes 64 KiB, some hundred lines; then the writer has to wait.
@test "a reader that does not read: the run goes on, and no message is missed" {
	told=$BATS_TEST_TMPDIR/lines.jsonl
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	exec {pipe}<>"$BATS_TEST_TMPDIR/pipe"
	serve write_bw
	start_client --forever --interval 1ms --warmup 0 --stream="$BATS_TEST_TMPDIR/pipe"
	until_true "$DEADLINE" pipe_is_full
	local before
	before=$(ticks)
	until_true "$DEADLINE" worked_since "$before"
	cat "$BATS_TEST_TMPDIR/pipe" >"$told" {pipe}>&- 3>&- &
	local reader=$!
	exec {pipe}>&-
	stop_client
	wait "$reader"
	# once nobody read, intervals became one
	[ "$(jq -n '[inputs | select(.type == "interval") | .to_ns - .from_ns] | max > 50000000' "$told")" = true ]
	add_up messages
	follow_each_other
}

ticks() {
	local stat
	read -r -a stat <"/proc/${pids[client]}/stat"
	echo $((stat[13] + stat[14]))
}
worked_since() { (($(ticks) >= $1 + 20)); }

# Its writer sleeps in write(2) to a pipe.
pipe_is_full() { grep -qsE 'pipe_w' "/proc/${pids[client]}"/task/*/wchan; }

@test "for ever: memory does not grow with the intervals" {
	if is_sanitized; then
		skip "n/a: the sanitizer keeps what was freed"
	fi
	told=$BATS_TEST_TMPDIR/lines.jsonl
	serve read_lat
	start_client --forever --interval 1ms --warmup 0 --stream="$told"
	until_true 60 has_lines 50
	local before after
	before=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/${pids[client]}/status")
	until_true 60 has_lines 1500
	after=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/${pids[client]}/status")
	stop_client
	# 1450 lines of 400 bytes would be 580
	((after - before <= 256)) || { echo "from $before KiB to $after KiB"; false; }
}
