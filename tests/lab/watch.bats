#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# watch.bats - 'rbench watch' sees what happens to a real device, and when
#
# On a device of its own, rxe8 on v8: what goes down loses routes and addresses
# that other tests need.

DEADLINE=40 # everything is emulated
LATE_MS=100 # after the command that caused it has ended
load ../helpers

setup_file() {
	# Emulated, on CPUs that others use too: a deadline may pass for no
	# fault of the program. Twice in a row is a failure.
	export BATS_TEST_RETRIES=1
}

make_device() {
	ip -batch - <<-'END'
		link add v8 type veth peer name v9
		addr add 10.8.0.1/24 dev v8
		link set v8 up
		link set v9 up
	END
	rdma link add rxe8 type rxe netdev v8
}

teardown_file() {
	rdma link del rxe8 2>/dev/null || true
	ip link del v8 2>/dev/null || true
}

setup() {
	helpers_setup
	[[ -e /sys/class/net/v8 ]] || make_device
	ended_us=
}

# begin ARGS...: until it watches; feed is the file of its JSON Lines
begin() {
	start_rbench watch watch --json "$@"
	feed=${bases[watch]}.json
	until_true "$DEADLINE" grep -q '"type":"watching"' "$feed"
}

finish() {
	kill -TERM "${pids[watch]}"
	await watch
	feed=$doc
	doc=$BATS_TEST_TMPDIR/last
	tail -n 1 "$feed" >"$doc"
	ended 0 ok
}

# cause COMMAND...: what it does is to be seen soon after it
cause() {
	"$@"
	ended_us=${EPOCHREALTIME/./}
}

# sees TEXT...: an event whose line has all of these, in time
sees() {
	local line stamp seen_ms
	has_line() {
		local text
		line=$(<"$feed")
		line=${line//$'\n'/$'\n\n'}
		for text; do
			line=$(grep -F -- "$text" <<<"$line") || return
		done
	}
	until_true "$DEADLINE" has_line "$@" || {
		echo "not seen: $*"
		cat "$feed"
		return 1
	}
	line=${line%%$'\n'*}
	stamp=${line#*\"time\":\"}
	stamp=${stamp%%\"*}
	seen_ms=$(date -d "$stamp" +%s%3N)
	echo "$((seen_ms - ended_us / 1000)) ms after the command: $stamp $*"
	((seen_ms - ended_us / 1000 <= LATE_MS))
}

@test "a link goes down and comes up" {
	begin -d rxe8
	cause ip link set v8 down
	sees '"port_err"' '"rxe8"' '"port":1'
	sees '"netdev_down"' '"v8"'
	cause ip link set v8 up
	sees '"port_active"' '"rxe8"'
	sees '"netdev_up"' '"v8"'
	finish
	is '.watch.events.link_state >= 2'
}

@test "an address comes and goes, and its GID with it" {
	begin -d rxe8
	cause ip addr add 10.8.1.1/24 dev v8
	sees '"address_added"' '"10.8.1.1"' '"v8"'
	sees '"gid_change"' '"rxe8"'
	sees '"gid_added"' '"10.8.1.1"' '"RoCE v2"'
	cause ip addr del 10.8.1.1/24 dev v8
	sees '"address_removed"' '"10.8.1.1"'
	sees '"gid_removed"' '"10.8.1.1"'
	cause ip link set v8 address 02:00:00:00:08:01
	sees '"netdev_changed"' '"02:00:00:00:08:01"'
	sees '"gid_replaced"' '"rxe8"'
	finish
}

@test "a device is removed while it is watched, and comes back" {
	begin
	cause timeout 20 rdma link del rxe8
	sees '"device_removed"' '"rxe8"'
	cause rdma link add rxe8 type rxe netdev v8
	sees '"device_added"' '"rxe8"'
	# it is open again: asynchronous events come
	cause ip addr add 10.8.2.1/24 dev v8
	sees '"gid_added"' '"10.8.2.1"' '"rxe8"'
	# and is let go again, with its interface
	cause timeout 20 ip link del v8
	sees '"device_removed"' '"rxe8"'
	sees '"netdev_removed"' '"v8"'
	finish
}

# A process of its own, that waits for a word.
@test "a queue pair of another process fails" {
	local qpn said
	begin --qps
	coproc qp { exec "$RBENCH_BUILD/tests/lab/failing_qp" rxe0; }
	# shellcheck disable=SC2154 # of coproc
	pids[qp]=$qp_PID
	read -r -t "$DEADLINE" -u "${qp[0]}" qpn
	# it has to be seen in its state before
	knows() { (($(grep -c . "$feed") >= 1)) && rdma resource show qp link rxe0 | grep -q "lqpn $qpn .*state INIT"; }
	until_true "$DEADLINE" knows
	echo >&"${qp[1]}"
	cause read -r -t "$DEADLINE" -u "${qp[0]}" said
	[ "$said" = ERR ]
	sees '"qp_error"' '"rxe0"' "\"qpn\":$qpn," '"qp_type":"RC"' '"comm":"failing_qp"' "\"pid\":$qp_PID" '"to":"ERR"'
	finish
}
