#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# lab.bats - the lab is what the other tests take it for

bats_require_minimum_version 1.5.0

# Emulated, on CPUs that others use too: a deadline may pass for no fault of the
# program. A second try may do; twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# The two ends of ibv_rc_pingpong, one device each, between the GIDs that
# begin with $1, with a path MTU of $2: 50 messages of 4096 bytes each way.
# What stays in the background must not hold descriptor 3, which bats waits for.
pingpong() {
	timeout 30 ibv_rc_pingpong -d rxe1 -g "$(gid_index rxe1 "$1")" -m "$2" -n 50 >/dev/null 3>&- &
	until grep -q ' 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.05; done
	timeout 30 ibv_rc_pingpong -d rxe0 -g "$(gid_index rxe0 "$1")" -m "$2" -n 50 10.0.0.2
	wait
}

ipv4='0000:0000:0000:0000:0000:ffff:'
ipv6='fd00:'

# The index of device $1's GID that begins with $2. (The table has 1024
# entries, and reading them all takes a second here.)
gid_index() {
	local file
	file=$(grep -l "^$2" "/sys/class/infiniband/$1/ports/1/gids/"? | head -n 1)
	basename "$file"
}

sent() { cat "/sys/class/net/$1/statistics/tx_packets"; }

@test "there are two devices with an active port" {
	[ "$(cat /sys/class/infiniband/rxe0/ports/1/state)" = "4: ACTIVE" ]
	[ "$(cat /sys/class/infiniband/rxe1/ports/1/state)" = "4: ACTIVE" ]
	run -0 ibv_devices
	[[ $output == *rxe0* ]]
	[[ $output == *rxe1* ]]
}

@test "each device has GIDs for its IPv4 and IPv6 addresses, RoCE v2" {
	local n prefix index dir
	for n in 0 1; do
		dir=/sys/class/infiniband/rxe$n/ports/1
		for prefix in "$ipv4" "$ipv6"; do
			index=$(gid_index rxe$n "$prefix")
			[[ $(<"$dir/gids/$index") == *000$((n + 1)) ]]
			[ "$(<"$dir/gid_attrs/types/$index")" = "RoCE v2" ]
		done
	done
}

@test "RDMA packets go over the wire, in both directions" {
	local v0 v1
	v0=$(sent v0)
	v1=$(sent v1)
	run -0 pingpong "$ipv4" 1024
	# 50 messages of 4096 bytes at an MTU of 1024: four packets each.
	[ $(($(sent v0) - v0)) -ge 200 ]
	[ $(($(sent v1) - v1)) -ge 200 ]
}

@test "what is seen on the wire is RoCE v2: UDP port 4791" {
	local capture=$BATS_TEST_TMPDIR/capture pid
	tcpdump -i v0 -n -c 20 -w "$capture" 'udp dst port 4791' 2>"$capture.log" 3>&- &
	pid=$!
	until grep -q 'listening on v0' "$capture.log"; do sleep 0.05; done
	run -0 pingpong "$ipv4" 1024
	wait "$pid"
	[ "$(tcpdump -n -r "$capture" 2>/dev/null | wc -l)" -eq 20 ]
}

@test "TCP between the two ends goes over the same wire" {
	run -0 ip route get 10.0.0.2
	[[ $output == *"dev v0 "* ]]
	run -0 ip route get fd00::2
	[[ $output == *"dev v0 "* ]]
	run -0 ping -c 1 -W 5 -q 10.0.0.2
	run -0 ping -6 -c 1 -W 5 -q fd00::2
}

@test "the wire has the MTU that was asked for" {
	[ "$(cat /sys/class/net/v0/mtu)" -eq "${RBENCH_LAB_MTU:-1500}" ]
	[ "$(cat /sys/class/net/v1/mtu)" -eq "${RBENCH_LAB_MTU:-1500}" ]
	local active=1024
	[ "${RBENCH_LAB_MTU:-1500}" -lt 2200 ] || active=2048
	[ "${RBENCH_LAB_MTU:-1500}" -lt 4200 ] || active=4096
	run -0 ibv_devinfo -d rxe0
	[[ $output == *"active_mtu:"*"$active ("* ]]
}

@test "RDMA goes over IPv6 too" {
	local v0
	v0=$(sent v0)
	run -0 pingpong "$ipv6" 1024
	[ $(($(sent v0) - v0)) -ge 200 ]
}

@test "rdma_cm chooses the end that has a route, without being told" {
	local v0 server
	v0=$(sent v0)
	timeout 60 rping -s -a 10.0.0.2 -C 5 >/dev/null 2>&1 3>&- &
	server=$!
	run -0 timeout 20 rping -c -a 10.0.0.2 -C 5 -v
	# rping's server waits on after the client's disconnect.
	kill "$server" || true
	[[ $output == *"rdma-ping-4"* ]]
	[ "$(sent v0)" -gt "$v0" ]
}

@test "the writable folder is there, and memory may be locked without limit" {
	echo hello >"$RBENCH_LAB_OUT/lab-test"
	[ "$(cat "$RBENCH_LAB_OUT/lab-test")" = hello ]
	[ "$(ulimit -l)" = unlimited ]
}

@test "the clock is read without a trap" {
	[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" = tsc ]
}
