#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# write_bw.bats - real RDMA between the lab's two devices
#
# The responder is always started with nothing but its command.

# bats file_tags=long
SERVER=10.0.0.2
DEADLINE=40 # everything is emulated
load ../helpers

# Emulated, on CPUs that others use too: a deadline may pass for no fault of the
# program. A second try may do; twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# measure ARGS...: both ends to their end, both documents good
measure() {
	serve write_bw
	client -d rxe0 --timeout 20 "$@"
	ends_measured
}

# Objects of rbench that the kernel still holds.
leftovers() { rdma resource show qp 2>/dev/null | grep -c 'comm rbench' || true; }

nothing_left() { [ "$(leftovers)" -eq 0 ]; }

@test "RC by manual exchange moves what it says, by the port's own counters" {
	local before after
	before=$(cat /sys/class/net/v0/statistics/tx_bytes)
	measure -n 200
	after=$(cat /sys/class/net/v0/statistics/tx_bytes)
	is '.results[0].bytes == 200 * 65536'
	[ $((after - before)) -ge $((200 * 65536)) ]
	is '.local.device == "rxe0" and .peer.device == "rxe1"'
	is '.local.gid.address == "10.0.0.1" and .peer.gid.address == "10.0.0.2"'
}

@test "RC through rdma_cm" {
	measure -R -n 200
}

@test "UC by manual exchange and through rdma_cm" {
	measure -c UC -n 200
	measure -c UC -R -n 200
}

@test "event mode, alone and after spinning" {
	measure -e -D 300ms
	measure -e --spin 100us -D 300ms -R
}

@test "both directions" {
	measure -b -D 300ms
	is '.results[0].directions | .out.messages > 0 and .in.messages > 0'
}

@test "16 queue pairs, by manual exchange and through rdma_cm" {
	measure -q 16 -s 4K -n 50
	is '.results[0].messages == 16 * 50'
	measure -q 16 -s 4K -n 50 -R
}

@test "all sizes on one connection" {
	measure -a -n 3
	is '[.results[].size_bytes] == [range(1; 24) | pow(2; .)]'
}

@test "lists, moderation, inline, both posting interfaces" {
	measure -s 8 -n 2000 -l 16
	measure -s 8 -n 2000 -Q 7 --post-send
	measure -s 8,64,512 -n 500 -I 64
	measure -s 8 -n 500 -I 64 --post-send -l 4
}

@test "every payload is verified, RC and UC, both directions" {
	measure --verify -s 1,100,4K -n 300
	is 'all(.results[]; . as $r | (.verify | [.checked, .corrupt, .lost] == [300, 0, 0] and .bytes == 300 * $r.size_bytes))'
	measure --verify -b -c UC -s 4K -n 200
	is '.results[0].verify.corrupt == 0'
}

@test "service level, traffic class, MTU and timeout are taken" {
	measure -n 20 -m 512 --tclass 104 -u 16
	is '.options.mtu.value == 512 and .options.tclass.value == 104'
}

@test "a path MTU above the port's is refused, not tried" {
	serve write_bw
	client -d rxe0 --timeout 20 -m 4096 -n 5
	failed_with mtu 'above the active MTU'
	await_server
	failed_somehow
}

@test "a GID index that is empty is refused" {
	serve write_bw
	client -d rxe0 --timeout 20 -x 77 -n 5
	failed_with gid_index "index 77"
	await_server
	failed_somehow
}

@test "no such device: those that exist are named" {
	serve write_bw
	client -d mlx5_0 -n 5
	failed_with no_device 'rxe0'
}

@test "a message larger than the device takes" {
	serve write_bw
	client -d rxe0 --timeout 20 -s 1G -n 5
	failed_with message_limit
}

@test "a port that is down is named, with its network interface" {
	ip link add d0 type dummy
	ip link set d0 up
	rdma link add rxe9 type rxe netdev d0
	ip link set d0 down
	serve write_bw
	client -d rxe9 -n 5
	rdma link delete rxe9
	ip link delete d0
	failed_with port_down rxe9
}

@test "a locked-memory limit that is too small is said to be the reason" {
	serve write_bw
	WRAP=(prlimit --memlock=65536 setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock)
	start_client -d rxe0 --timeout 20 -s 1M -n 5
	await client
	failed_with memlock 'ulimit -l'
}

@test "SIGKILL of the responder ends the client" {
	start_bytes=$(cat /sys/class/net/v0/statistics/tx_bytes)
	serve write_bw
	start_client -d rxe0 --timeout 20 -D 20
	until_true 10 traffic_flows
	kill -KILL "${pids[server]}"
	await client
	failed_somehow
	[[ $(field .error.code) == peer_gone || $(field .error.code) == completion_error ]]
	until_true 10 nothing_left
}

# traffic_flows [BYTES]: more than so many have left since the start
traffic_flows() {
	[ "$(cat /sys/class/net/v0/statistics/tx_bytes)" -gt $((start_bytes + ${1:-1000000})) ]
}

@test "SIGKILL of the client ends the responder" {
	start_bytes=$(cat /sys/class/net/v0/statistics/tx_bytes)
	serve write_bw
	start_client -d rxe0 --timeout 20 -D 20
	until_true 10 traffic_flows
	kill -KILL "${pids[client]}"
	await client || true
	: >"${bases[client]}.json"
	await_server
	failed_with peer_gone
	until_true 10 nothing_left
}

# interrupt SIDE ARGS...: SIGINT in the middle of a run; both report what there is.
# Nothing is warmed up, and more has been sent than a send queue holds (16 x 64
# KiB): so some of it has completed, and inside the window, however slow it is.
interrupt() {
	local side=$1 end
	start_bytes=$(cat /sys/class/net/v0/statistics/tx_bytes)
	serve write_bw
	start_client -d rxe0 --timeout 20 -D 30 --warmup 0 -t 16 "${@:2}"
	until_true 20 traffic_flows 4000000
	kill -INT "${pids[$side]}"
	for end in client server; do
		await "$end"
		gave_up 1 interrupted interrupted
		is '.results[0].messages > 0'
	done
	until_true 10 nothing_left
}

@test "Ctrl-C on the client: partial results on both ends" {
	interrupt client
}

@test "Ctrl-C on the responder: partial results on both ends" {
	interrupt server
	interrupt server -b -e
}

@test "devices shows the lab as it is" {
	start devices "$RBENCH" devices --json
	await devices
	ended 0 ok
	is '[.devices[].name] == ["rxe0", "rxe1"]'
	is 'all(.devices[]; .ports[0].state == "ACTIVE" and (.ports[0].gids | length) >= 3)'
}

# What went with v1's link: the routes of the lab's second table, and its IPv6 address.
restore_wire() {
	ip link set v1 up
	ip route replace 10.0.0.1 dev v1 src 10.0.0.2 table 102
	ip addr replace fd00::2/64 dev v1 nodad
	ip -6 route replace fd00::1 dev v1 src fd00::2 table 102
	until_true 10 wire_works
}

wire_works() {
	grep -q ACTIVE /sys/class/infiniband/rxe1/ports/1/state &&
		ping -c 1 -W 1 -I 10.0.0.1 10.0.0.2 >/dev/null
}

# The last one: it takes the wire apart. Other files may come after it, in any order.
@test "the link is cut in the middle of a run" {
	start_bytes=$(cat /sys/class/net/v0/statistics/tx_bytes)
	serve write_bw
	start_client -d rxe0 -D 30
	until_true 10 traffic_flows
	ip link set v1 down
	await client 10
	await server 10
	restore_wire
	failed_somehow
	said 'the port lost its link'
	doc=${bases[client]}.json err=${bases[client]}.err
	is '.error.code == "completion_error" or .error.code == "stalled"'
	is '[.events[] | select(.type == "port error")] | length > 0'
	said 'the port lost its link'
	until_true 10 nothing_left
}
