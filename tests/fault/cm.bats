#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# cm.bats - queue pairs connected through rdma_cm, over the double of tests/fake

load ../helpers

measure() {
	serve write_bw
	client -R "$@"
	measured
	is '.options.rdma_cm.value'
	await_server
	measured
	is '.options.rdma_cm == { "value": true, "source": "peer" }'
}

@test "one queue pair" { measure -D 100ms; }
@test "100 queue pairs, more than are in the making at once" { measure -q 100 -n 5; }
@test "both directions" { measure -b -q 4 -D 100ms; }
@test "UC" { measure -c UC -q 2 -D 100ms; }
@test "events, lists, inline, ibv_post_send" { measure -e -l 4 -I 64 -s 64 --post-send -D 100ms; }
@test "payloads are verified" { measure --verify -q 2 -n 50; }
@test "path MTU, service level, traffic class, ACK timeout" { measure -m 1024 -S 3 --tclass 104 -u 10 -n 5; }
@test "perftest's spelling" { measure --rdma_cm -n 5; }

# fails_with PLAN CODE TEXT...: the client's connection manager follows the plan
fails_with() {
	serve write_bw
	RB_FAKE=$1 client -R -n 5
	failed_with "${@:2}"
	await_server
	failed_with "${@:2}"
}

# bats test_tags=effect:rdma-cm
@test "the address cannot be resolved" { fails_with 'cm=ADDR_ERROR:113' cm_address 'ip route get'; }
@test "the route cannot be resolved" { fails_with 'cm=ROUTE_ERROR:110' cm_address 'the route to the peer'; }
@test "no reply" { fails_with 'cm=UNREACHABLE:110' cm_unreachable '4791'; }
@test "the connection is rejected" { fails_with 'cm=REJECTED:28' cm_rejected 'rejected the connection'; }
@test "the connection cannot be made" { fails_with 'cm=CONNECT_ERROR:22' cm 'could not be made'; }
@test "the device goes meanwhile" { fails_with 'cm=DEVICE_REMOVAL' device_died; }
@test "the connection manager cannot be opened" { fails_with 'rdma_create_event_channel=ENODEV' cm 'rdma_ucm'; }

@test "the responder cannot listen, and the client says why" {
	RB_FAKE='rdma_listen=EADDRINUSE' serve write_bw
	client -R -n 5
	failed_with cm 'cannot listen' 'Address already in use'
	await_server
	failed_with cm 'cannot listen'
}

# The reason comes by the side channel while rdma_cm only says 'rejected'.
@test "the responder's own reason is shown where it rejects" {
	RB_FAKE='ibv_modify_qp#1=EINVAL' serve write_bw
	client -R -n 5
	failed_with qp_modify 'cannot move QP'
	await_server
	failed_with qp_modify 'cannot move QP'
}

@test "the responder's own reason is shown where it cannot accept" {
	RB_FAKE='rdma_accept=ENOMEM' serve write_bw
	client -R -n 5
	failed_with cm 'cannot accept connection 0'
	await_server
	failed_with cm 'cannot accept connection 0'
}

@test "either end dies meanwhile: the other is told by the side channel" {
	serve write_bw
	RB_FAKE='rdma_resolve_route=EINVAL' client -R -n 5
	failed_with cm_address
	await_server
	failed_with cm_address
}

@test "another device than the chosen one" {
	serve write_bw
	client -R -d fake1 -n 5
	[ "$status" -le 1 ]
	is '.status == "ok" or .error.code == "cm_address"'
	await_server
	[ "$status" -le 1 ]
}

