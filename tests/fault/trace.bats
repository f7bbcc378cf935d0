#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# trace.bats - --trace: each call with its arguments, its result and its time

load ../helpers

# traced CALL PATTERN: a line of the call whose arguments and result are like that
traced() {
	grep -qE "^rbench [a-z_]+: trace [0-9]+\.[0-9]{6}: $1\($2, [0-9.]+ us\$" "$err" && return
	echo "not traced: $1($2"
	grep "trace.*$1(" "$err" | cut -c -300
	return 1
}

in_order() { grep -oE 'trace [0-9.]+' "$err" | sort -c -k 2 -n; }

# bats test_tags=effect:trace
@test "each move of a queue pair, with its mask by names" {
	serve write_bw --trace
	client -n 100 --trace
	measured
	in_order
	traced connect '127.0.0.1\) ok'
	traced ibv_open_device 'fake0\) ok'
	traced ibv_reg_mr 'fake0, 0x[0-9a-f]+, 65536 bytes, LOCAL_WRITE -> lkey 0x[0-9a-f]+ rkey 0x[0-9a-f]+\) ok'
	traced 'ibv_create_qp(_ex)?' 'RC, send 128, receive 0, inline 0 -> qpn 0x[0-9a-f]{6}\) ok'
	traced ibv_modify_qp 'qpn 0x[0-9a-f]{6}, STATE=INIT ACCESS_FLAGS=REMOTE_WRITE PKEY_INDEX=0 PORT=1\) ok'
	traced ibv_modify_qp 'qpn 0x[0-9a-f]{6}, STATE=RTR AV=\(dgid ::ffff:127.0.0.1 sgid_index 3 .*\) PATH_MTU=4096 DEST_QPN=0x[0-9a-f]{6} RQ_PSN=0x[0-9a-f]{6} MAX_DEST_RD_ATOMIC=16 MIN_RNR_TIMER=12\) ok'
	traced ibv_modify_qp 'qpn 0x[0-9a-f]{6}, STATE=RTS SQ_PSN=0x[0-9a-f]{6} TIMEOUT=14 RETRY_CNT=7 RNR_RETRY=7 MAX_QP_RD_ATOMIC=16\) ok'
	traced ibv_modify_qp 'qpn 0x[0-9a-f]{6}, STATE=ERR\) ok'
	traced ibv_destroy_qp 'qpn 0x[0-9a-f]{6}\) ok'
	traced ibv_close_device 'fake0\) ok'
	traced send 'fd [0-9]+, [0-9]+ bytes, \{"type":"endpoints",.*\}\) ok'
	grep -qE 'trace [0-9.]+: recv\(fd [0-9]+, [0-9]+ bytes, \{"type":"start"\}\)$' "$err"
	await_server
	measured
	in_order
	traced listen "port $port\\) ok"
	traced ibv_reg_mr '.* LOCAL_WRITE\|REMOTE_WRITE -> .*\) ok'
}

@test "the call that failed, with its errno" {
	serve write_bw
	RB_FAKE='ibv_modify_qp#2=EINVAL' client -n 100 --trace
	failed_with qp_modify 'to RTR'
	traced ibv_modify_qp 'qpn 0x[0-9a-f]{6}, STATE=RTR .*\) EINVAL'
	await_server
	serve write_bw
	RB_FAKE='ibv_reg_mr=ENOMEM' client -n 100 --trace
	traced ibv_reg_mr '.* -> lkey 0x0 rkey 0x0\) ENOMEM'
	bench=write_bw
	free_port
	client --wait 0 --trace
	traced connect '127.0.0.1\) ECONNREFUSED'
}

@test "rdma_cm: calls and events" {
	serve write_bw --trace
	client -R -n 100 --trace
	measured
	traced rdma_resolve_addr '0, 127.0.0.1 to 127.0.0.1 port [0-9]+\) ok'
	traced rdma_connect '0, qpn 0x[0-9a-f]{6}, rd_atomic 16\) ok'
	traced rdma_init_qp_attr '0, RTR\) ok'
	traced rdma_establish '0\) ok'
	grep -qE 'trace [0-9.]+: rdma_get_cm_event\(-> RDMA_CM_EVENT_CONNECT_RESPONSE, status 0\)$' "$err"
	await_server
	measured
	traced rdma_accept '0, qpn 0x[0-9a-f]{6}, rd_atomic 16\) ok'
	traced rdma_listen 'port [0-9]+\) ok'
	in_order
}

@test "other commands trace too; without the option there is nothing" {
	start_rbench devices devices --trace --json
	await devices
	[ "$status" -eq 0 ]
	traced ibv_open_device 'fake1\) ok'
	is '.options.trace.value == true'
	serve server --trace
	: >"${bases[server]}.any"
	bench=write_bw
	client -n 10
	measured
	run ! grep -q trace "$err"
	kill -TERM "${pids[server]}"
	await server
	grep -qE '^rbench server: 127.0.0.1: trace [0-9.]+: ibv_modify_qp\(.*STATE=RTS .*\) ok' "$err"
	in_order
}
