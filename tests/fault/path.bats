#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# path.bats - options of the path and of completions reach the device, as the
# double notes it (RB_FAKE_NOTES), and do what they are for

load ../helpers

# noted_by END WORD...: each in a line of that end's notes
noted_by() {
	local word notes=$BATS_TEST_TMPDIR/$1.notes
	for word in "${@:2}"; do
		grep -qE "(^| )$word( |\$)" "$notes" && continue
		echo "no '$word' in the notes of the $1:"
		cat "$notes"
		return 1
	done
}

noted() { noted_by client "$@" && noted_by server "$@"; }

@test "what is left alone: 7 retries, for ever when not ready, hop limit 64" {
	measure write_bw -n 5
	noted retry_cnt=7 rnr_retry=7 hop_limit=64 flow_label=0x0 pkey_index=0
	noted_by client batch=16
	is '.options | .retry_count.value == 7 and .hop_limit == { "value": 64, "source": "default" } and .pkey_index.value == 0'
}

# bats test_tags=effect:retry-count,effect:rnr-retry,effect:flow-label,effect:hop-limit
@test "retries, flow label and hop limit hold on both ends" {
	measure write_bw -n 5 --retry-count 3 --rnr-retry 2 --flow-label 703710 --hop-limit 9
	noted retry_cnt=3 rnr_retry=2 flow_label=0xabcde hop_limit=9
}

# bats test_tags=effect:connection,effect:mtu,effect:sl,effect:tclass,effect:qp-timeout
@test "transport, path MTU, service level, traffic class and ACK timeout too" {
	measure write_bw -n 5 -m 1024 -S 3 --tclass 104 -u 10
	noted type=2 mtu=1024 sl=3 tclass=104 timeout=10
	measure write_bw -n 5 -c UC
	noted type=3
}

# bats test_tags=effect:outs
@test "as many reads outstanding as asked for: the one end asks, the other lets them in" {
	measure read_bw -n 20 -o 3
	noted_by client rd_atomic=3
	noted_by server dest_rd_atomic=3
}

# bats test_tags=effect:post-send,effect:post-list,effect:tx-depth,effect:inline-size,effect:cq-mod
@test "requests: by which interface, how many in a call, how many under way, inline, with a completion" {
	measure write_bw -n 400 -s 64
	noted_by client requests=400 by_post_send=0 list=1 inlined=0
	measure write_bw -n 400 -s 64 --post-send -l 4 -t 16 -I 64 -Q 8
	noted_by client requests=400 by_wr=0 by_post_send=100 list=4 outstanding=16 inlined=400 signaled=50
}

# bats test_tags=effect:atomic-type,effect:imm,effect:srq,effect:rx-depth
@test "operations, and the receives of their other end" {
	measure atomic_bw -n 20 -A CMP_AND_SWAP
	noted_by client opcodes=0x20
	measure send_bw -n 20 --imm -r 24
	noted_by client opcodes=0x8
	noted_by server recv_wr=24 srq=0
	measure send_bw -n 20 --srq
	noted_by server srq=1
}

# A device that takes its time, so that there is something to wait for.
# bats test_tags=effect:events,effect:spin,effect:vector
@test "an event is asked for, on its vector, but not while polling is to go on" {
	export RB_FAKE='service=1ms'
	measure write_bw -n 20 -t 1 -e
	noted_by client vector=0 'armed=[1-9][0-9]*'
	measure write_bw -n 20 -t 1 -e -X 1
	noted_by client vector=1
	measure write_bw -n 20 -t 1 -e --spin 9s
	noted_by client armed=0
}

@test "and through rdma_cm" {
	measure write_bw -R -n 5 --retry-count 3 --rnr-retry 2 --flow-label 77 --hop-limit 9
	noted retry_cnt=3 rnr_retry=2 flow_label=0x4d hop_limit=9
}

@test "perftest's spellings of them" {
	measure write_bw -n 5 --retry_count=3 --flow_label 5 -L 8 --cqe_poll 4
	noted retry_cnt=3 flow_label=0x5 hop_limit=8
	noted_by client batch=4
}

# bats test_tags=effect:pkey-index
@test "the responder finds the client's partition in its own table" {
	export RB_FAKE='pkeys=4'
	measure write_bw -n 5 --pkey-index 3
	noted pkey_index=3
	is '.options.pkey_index == { "value": 3, "source": "user" }'
	server_args=(--pkey-index 2)
	measure write_bw -n 5 --pkey-index 2
	noted pkey_index=2
}

@test "a partition that only one end is in" {
	RB_FAKE='pkeys=2' serve write_bw
	RB_FAKE='pkeys=4' client -n 5 --pkey-index 3
	failed_with pkey 'not in the client'
	await_server
	failed_with pkey 'P_Key 0x8003'
	RB_FAKE='pkeys=4' serve write_bw --pkey-index 1
	RB_FAKE='pkeys=4' client -n 5 --pkey-index 3
	failed_with pkey
	await_server
	failed_with pkey 'that of our index 1 0x8001'
}

@test "a limited member and a full one hear each other, two limited ones do not" {
	RB_FAKE='pkeys=4;limited=1' serve write_bw
	RB_FAKE='pkeys=4' client -n 5 --pkey-index 3
	measured
	await_server
	measured
	RB_FAKE='pkeys=4;limited=1' serve write_bw
	RB_FAKE='pkeys=4;limited=1' client -n 5 --pkey-index 3
	failed_with pkey 'not in the client'
	await_server
	failed_with pkey 'P_Key 0x0003'
}

@test "an entry that the table does not have" {
	serve write_bw
	client -n 5 --pkey-index 7
	failed_with pkey 'has 1 entries, none at index 7'
	await_server
	failed_somehow
}

@test "no retry: a lost message ends the run sooner" {
	local since
	serve write_bw
	since=${EPOCHREALTIME/./}
	RB_FAKE='drop#5' client -u 12 --retry-count 0 -n 100
	failed_with completion_error 'transport retry counter exceeded'
	((${EPOCHREALTIME/./} - since < 5000000))
	await_server
	failed_somehow
}

@test "a receiver that is never ready: explained where tries are counted" {
	serve send_bw
	client -r 1 -t 64 -n 100000 --rnr-retry 0
	failed_with completion_error 'RNR retry counter exceeded'
	is '.error.cause | test("receive")'
	await_server
	failed_somehow
}

# bats test_tags=effect:cqe-poll
@test "completions are taken in the batches asked for" {
	measure write_bw -n 100 -Q 1 --cqe-poll 1
	noted_by client batch=1
	measure write_bw -n 100 -Q 1 --cqe-poll 100
	noted_by client batch=100
}

# bats test_tags=effect:bind-source-ip
@test "a source address decides on device and GID" {
	server_args=(--bind-source-ip 127.0.0.1)
	measure write_bw -n 5 --bind-source-ip 127.0.0.2
	is '.local.device == "fake1" and .local.gid.address == "127.0.0.2"'
	is '.options.bind_source_ip.value == "127.0.0.2"'
	measure write_bw -R -n 5 --bind-source-ip 127.0.0.2
	is '.local.gid.address == "127.0.0.2"'
}

@test "a responder listens at its source address only" {
	serve write_bw --bind-source-ip 127.0.0.2
	client --wait 0 -n 5
	failed_with peer_refused
	SERVER=127.0.0.2 client -n 5
	measured
	await_server
	measured
}

@test "a source address that is none of ours, none at all, or of another family" {
	rbench write_bw --json --wait 0 --bind-source-ip 192.0.2.1 127.0.0.1
	failed_with source_address '192.0.2.1'
	rbench write_bw --json --bind-source-ip 192.0.2.1
	[ "$status" -eq 1 ]
	rbench write_bw --json --wait 0 --bind-source-ip ::1 127.0.0.1
	failed_with source_address 'could reach'
	rbench write_bw --json --wait 0 --bind-source-ip here 127.0.0.1
	[ "$status" -eq 2 ]
	said 'is not an IP address'
}

@test "a completion queue that overruns is explained, not waited for" {
	local end
	serve write_bw
	RB_FAKE='cq_holds=8' client -Q 1 -t 64 -s 64 -D 10s
	failed_with qp_died 'CQ error'
	is '.error.cause | test("completion queue")'
	await_server
	failed_somehow
}
