#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# errors.bats - devices, ports, GIDs and limits that are in the way: each is
# one line that names cause and cure, and the other end hears of it

load ../helpers

# Both ends failed for the same reason, found at the end named first.
both_failed_with() {
	failed_with "$@"
	await_server
	failed_with "$@"
}

# --- devices and ports -------------------------------------------------------

@test "no such device" {
	serve write_bw
	client -d nosuch0
	both_failed_with no_device "'nosuch0'" 'fake0' "'rbench devices' lists what is there"
}

@test "no such device on the responder: it does not even wait for a client" {
	serve write_bw -d nosuch0
	await_server
	failed_with no_device "'nosuch0'" 'fake0'
}

@test "no device at all" {
	serve write_bw
	RB_FAKE='devices=0' client -n 5
	both_failed_with no_devices 'modprobe'
}

@test "no device at all on the responder: it does not even wait for a client" {
	RB_FAKE='devices=0' serve write_bw
	await_server
	failed_with no_devices 'modprobe'
}

# bats test_tags=effect:port-num
@test "no such port" {
	serve write_bw
	client -d fake0 -i 7
	both_failed_with no_port "'fake0' has no port 7"
}

@test "-d and -i that contradict each other" {
	serve write_bw
	client -d fake0:1 -i 2
	[ "$status" -eq 2 ]
	is '.error.code == "usage"'
}

@test "the port is down" {
	serve write_bw
	RB_FAKE='port=down' client -d fake0
	both_failed_with port_down "'fake0'" 'DOWN'
}

@test "every port is down" {
	RB_FAKE='port=down' serve write_bw
	client -n 5
	both_failed_with no_active_port
}

@test "a device that cannot be opened" {
	serve write_bw
	RB_FAKE='ibv_open_device=EACCES' client -d fake0
	both_failed_with device_open "cannot open 'fake0': Permission denied" '/dev/infiniband'
}

@test "a sick device is passed over" {
	serve write_bw
	RB_FAKE='ibv_open_device#1=EIO' client -n 5
	measured
	is '.local.device == "fake1"'
	await_server
	measured
}

# --- GIDs --------------------------------------------------------------------

@test "a GID index that is empty" {
	serve write_bw
	client -x 9
	both_failed_with gid_index 'GID index 9' 'filled: 0 1 2 3'
}

@test "a GID index that is empty on the responder" {
	serve write_bw -x 9
	client -n 5
	both_failed_with gid_index 'GID index 9' 'filled: 0 1 2 3'
}

@test "no GID at all" {
	serve write_bw
	RB_FAKE='gid=none' client -n 5
	both_failed_with no_gid 'ip addr add'
}

@test "GID types that do not match" {
	RB_FAKE='gid=v1only' serve write_bw
	RB_FAKE='gid=v2only' client -n 5
	both_failed_with gid_mismatch 'RoCE v1' 'RoCE v2'
}

@test "GID indexes whose types do not match" {
	serve write_bw -x 2
	client -x 3
	both_failed_with gid_mismatch 'index 3 is RoCE v2' 'index 2 is RoCE v1'
}

# --- limits ------------------------------------------------------------------

@test "more queue pairs than the device has" {
	serve write_bw
	RB_FAKE='max_qp=16' client -q 17
	both_failed_with qp_limit '16' 'lower -q'
}

@test "more queue pairs than the responder's device has" {
	RB_FAKE='max_qp=16' serve write_bw
	client -q 17
	both_failed_with qp_limit '16' 'lower -q'
}

@test "a send queue that is not that deep" {
	serve write_bw
	RB_FAKE='max_qp_wr=64' client -t 65
	both_failed_with depth_limit '64' 'lower -t'
}

@test "a default depth is adapted to the device, and the document says so" {
	serve write_bw
	RB_FAKE='max_qp_wr=64' client -n 5
	measured
	is '.options.tx_depth.source == "clamped" or .options.tx_depth.value == "auto"'
	await_server
	measured
}

# too_large CURE ARGUMENT...: of the client's port, then of the responder's; nothing
# has been made for it, least of all a request
too_large() {
	local cure=$1 end
	shift
	for end in client server; do
		export RB_FAKE_NOTES=$BATS_TEST_TMPDIR/$end.notes
		RB_FAKE=$([[ $end == client ]] || echo max_msg_sz=1M) serve "${bench_of:-write_bw}"
		RB_FAKE=$([[ $end == server ]] || echo max_msg_sz=1M) client "$@"
		both_failed_with message_limit '2 MiB' "port 1 of 'fake0' takes: 1 MiB" "$cure" || return
		! grep -qE '^(mr|qp) ' "$RB_FAKE_NOTES" || return
	done
}

@test "a message that is larger than a port takes: given, in a list, in a sweep" {
	too_large 'lower -s' -s 2M
	too_large 'lower -s' -s 64,2M,4K
	bench_of=read_bw too_large 'lower -s' -s 1K:2M:*2
	bench_of=send_lat too_large 'lower -s' -s 2M
}

@test "every size, of which some are larger than a port takes" {
	serve write_bw
	RB_FAKE='max_msg_sz=4M' client -a
	both_failed_with message_limit '8 MiB' "port 1 of 'fake0' takes: 4 MiB" 'lower -s (or -a)'
}

@test "a background's message that is larger than a port takes" {
	bench_of=write_lat too_large 'lower --background-size' --background 1 --background-size 2M
	serve write_lat # nobody asked for it
	RB_FAKE='max_msg_sz=4K' client -n 10
	((status == 0))
	await_server
}

@test "a message of exactly what the port takes" {
	RB_FAKE='max_msg_sz=8K' serve write_bw
	RB_FAKE='max_msg_sz=8K' client -s 8K -n 5
	measured
	await_server
}

@test "a path MTU above this port's" {
	serve write_bw
	RB_FAKE='mtu=1024' client -m 2048
	both_failed_with mtu '2048' 'this port' '1024'
}

@test "a path MTU above the peer's port's" {
	RB_FAKE='mtu=1024' serve write_bw
	client -m 2048
	both_failed_with mtu '2048' "peer's port" '1024'
}

@test "more inline data than the device takes" {
	serve write_bw
	RB_FAKE='max_inline=64' client -I 128 -s 128
	both_failed_with inline_limit '128' 'lower -I'
}

@test "a completion queue that is too small" {
	serve write_bw
	RB_FAKE='max_cqe=64' client -q 64 -Q 1
	both_failed_with cq_create '64'
}

@test "a completion vector that does not exist" {
	serve write_bw
	client -e -X 999
	both_failed_with cq_create 'completion vectors' 'smaller --vector'
}

@test "more memory than the machine has" {
	serve write_bw
	client -q 16K -s 1G
	both_failed_with no_memory "more than this machine's memory"
}

@test "a limit on locked memory is named as such" {
	serve write_bw
	ulimit -Sl 64
	RB_FAKE='ibv_reg_mr#1=ENOMEM' client -s 1M
	both_failed_with memlock '64 KiB' 'ulimit -l unlimited'
}

@test "ENOMEM without such a limit is not blamed on it" {
	ulimit -Sl unlimited 2>/dev/null || ulimit -Sl "$(ulimit -Hl)"
	serve write_bw
	RB_FAKE='ibv_reg_mr#1=ENOMEM' client -s 64
	both_failed_with memory_register 'Cannot allocate memory'
}

# --- calls that fail ---------------------------------------------------------

# fails_at CALL CODE: on the client, then on the responder
fails_at() {
	serve write_bw
	RB_FAKE="$1" client -n 5
	both_failed_with "$2"
	RB_FAKE="$1" serve write_bw
	client -n 5
	both_failed_with "$2"
}

@test "the protection domain" { fails_at 'ibv_alloc_pd#1=ENOMEM' pd_create; }
@test "the completion queue" { fails_at 'ibv_create_cq#1=ENOMEM' cq_create; }
@test "the queue pair" { fails_at 'ibv_create_qp#1=ENOMEM' qp_create; }
@test "the way to INIT" { fails_at 'ibv_modify_qp#1=EINVAL' qp_modify; }
@test "the way to RTR" { fails_at 'ibv_modify_qp#2=ETIMEDOUT' qp_modify; }
@test "the way to RTS" { fails_at 'ibv_modify_qp#3=EINVAL' qp_modify; }

@test "the 16th of 16 queue pairs: nothing is left of the other 15" {
	serve write_bw
	RB_FAKE='ibv_create_qp#16=ENOMEM' client -q 16
	both_failed_with qp_create
}

@test "the completion channel" {
	serve write_bw
	RB_FAKE='ibv_create_comp_channel#1=EMFILE' client -e -n 5
	both_failed_with cq_create 'Too many open files'
}
