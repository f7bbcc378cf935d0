#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# explained.bats - why: errno by call and transition, events of rdma_cm by their
# status, async events, both ends of a failure

load ../helpers

# why PLAN CODE TEXT ARGS...: the client follows the plan and says why
why() {
	local plan=$1 code=$2 text=$3
	shift 3
	serve write_bw
	RB_FAKE="$plan" client -D 20s "$@"
	failed_with "$code" "$text" || return
	await_server
	# the other end has the same words
	failed_with "$code" "$text"
}

@test "a neighbour that does not answer, on the way to RTR" {
	why 'ibv_modify_qp#2=ETIMEDOUT' qp_modify 'waits 1000 ms for the neighbour'
	is '.error.hints[0] | contains("ip neigh")'
}

@test "a source GID that is empty" { why 'ibv_modify_qp#2=ENODATA' qp_modify 'nothing at the source GID index'; }
@test "limits of the other device, on the way to RTS" { why 'ibv_modify_qp#3=EINVAL' qp_modify 'attributes of RTS'; }
@test "memory that cannot be pinned" { why 'ibv_reg_mr#1=EFAULT' memory_register 'cannot be pinned'; }
@test "nobody listens" { why 'cm=REJECTED:8' cm_rejected 'INVALID_SERVICE_ID' -R; }
@test "the program said no" { why 'cm=REJECTED:28' cm_rejected 'its private data says why' -R; }

@test "the responder's event and what it means, at both ends" {
	RB_FAKE='event@1s=QP_ACCESS_ERR' serve write_bw
	client -D 20s
	failed_with qp_died 'used an rkey, address or right'
	await_server
	failed_with qp_died 'used an rkey, address or right'
	is '.error.hints[0] | contains("remote access error")'
}
