#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# peers.bats - the other end is not there, is somebody else, or says nonsense

# bats file_tags=long
load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# script STEP...: a scripted peer in the place of the server (tests/peer)
script() {
	bench=write_bw
	free_port
	start peer "$RBENCH_SRC/tests/peer" listen "$port" "$@"
	: >"${bases[peer]}.any" # not a document
	until_true "$DEADLINE" is_listening "$port"
}

# strange STEP...: a scripted peer in the place of the client of 'serve'
strange() {
	start peer "$RBENCH_SRC/tests/peer" dial "$port" "$@"
	: >"${bases[peer]}.any"
}

# --- nobody ------------------------------------------------------------------

# bats test_tags=effect:port
@test "nothing listens there" {
	bench=write_bw
	free_port
	client --wait 200ms
	failed_with peer_refused "port $port" 'Connection refused' 'nothing listens' 'without a host name'
}

# bats test_tags=effect:wait
@test "who does not wait gives up at once" {
	local since=${EPOCHREALTIME/./}
	bench=write_bw
	free_port
	client --wait 0
	failed_with peer_refused
	((${EPOCHREALTIME/./} - since < 3000000))
}

# heeds COMMAND: what is said of the peer, in a command that is no benchmark
heeds() {
	local since=${EPOCHREALTIME/./}
	bench=$1
	free_port
	client --wait 0
	failed_with peer_refused "port $port" || return
	((${EPOCHREALTIME/./} - since < 3000000)) || return
	script
	bench=$1
	client --timeout 300ms
	failed_with peer_not_rbench 'within 300 ms' || return
	client --bind-source-ip 192.0.2.1
	failed_with source_address 192.0.2.1
}

# bats test_tags=effect:check:port,effect:check:wait,effect:check:timeout,effect:check:bind-source-ip
@test "check heeds port, patience and source address" { heeds check; }
# bats test_tags=effect:doctor:port,effect:doctor:wait,effect:doctor:timeout,effect:doctor:bind-source-ip
@test "doctor heeds port, patience and source address" { heeds doctor; }

@test "a name that does not exist" {
	bench=write_bw
	port=18515
	SERVER=no-such-host.invalid
	client --wait 200ms
	failed_with peer_name "'no-such-host.invalid'" 'spelling'
}

# in_namespace SETUP: the client runs in a network namespace of its own
in_namespace() {
	local check="ip link set lo up && $1"
	unshare -rn sh -c "$check" || skip "n/a: no network namespace with '$1' here"
	WRAP=(unshare -rn sh -c "$check; exec \"\$@\"" sh)
	bench=write_bw
	port=18515
	SERVER=192.0.2.1
}

@test "no route" {
	in_namespace true
	client --wait 200ms
	failed_with peer_unreachable "'192.0.2.1' port 18515" 'Network is unreachable' 'firewall'
}

@test "packets that vanish" {
	in_namespace 'ip link add d0 type veth peer name d1 && ip addr add 192.0.2.2/24 dev d0 &&
		ip link set d1 up && ip link set d0 up &&
		ip neigh add 192.0.2.1 lladdr 02:00:00:00:00:01 dev d0'
	client --wait 200ms
	failed_with peer_unreachable "'192.0.2.1' port 18515" 'firewall'
}

@test "a port that is taken" {
	serve write_bw
	start_rbench second write_bw -p "$port" --json
	await second
	failed_with listen "port $port" 'Address already in use' 'ss -tlnp'
}

# --- somebody else -----------------------------------------------------------

@test "an HTTP server" {
	free_port
	bench=write_bw
	start http /usr/bin/python3 -m http.server --bind 127.0.0.1 "$port"
	: >"${bases[http]}.any"
	until_true "$DEADLINE" is_listening "$port"
	client -n 5
	failed_with peer_not_rbench 'an HTTP server' '-p'
}

@test "an SSH server" {
	script 'raw SSH-2.0-OpenSSH_9.2p1\r\n'
	client -n 5
	failed_with peer_not_rbench 'an SSH server'
}

@test "something that closes at once" {
	script 'recv hello' close
	client -n 5
	failed_with peer_not_rbench 'closed the connection without a greeting'
}

@test "something that resets at once" {
	script reset
	client -n 5
	failed_with peer_not_rbench
}

# bats test_tags=effect:timeout
@test "something that says nothing" {
	script
	client -n 5 --timeout 300ms
	failed_with peer_not_rbench 'did not greet within 300 ms' 'perftest waits like that'
}

# perftest NAME ARGS...: ib_write_bw over the fake
perftest() {
	command -v ib_write_bw >/dev/null || skip 'perftest is not installed'
	start "$1" LD_PRELOAD="$fake" RB_FAKE_DIR="$BATS_TEST_TMPDIR" \
		ib_write_bw -d fake0 -p "$port" -n 5 -x 3 "${@:2}"
	: >"${bases[$1]}.any"
}

@test "perftest as the server" {
	free_port
	bench=write_bw
	perftest perftest
	until_true "$DEADLINE" is_listening "$port"
	client -n 5 --timeout 500ms
	failed_with peer_not_rbench 'perftest'
}

@test "perftest as the client: told, and waited on" {
	serve write_bw --timeout 500ms
	perftest perftest "$SERVER"
	until_true "$DEADLINE" grep -q 'warning: a client at' "${bases[server]}.err"
	client -n 5
	measured
	await_server
	measured
	is '[.warnings[] | select(.id == "stranger")] | length == 1'
}

@test "another version of the protocol" {
	script 'recv hello' 'hello protocol=2 version="9.0"'
	client -n 5
	failed_with peer_version 'protocol 2 (rbench 9.0)' 'this is 1' 'same release'
}

@test "a client of another version hears which one this is" {
	serve write_bw
	strange 'hello protocol=2 version="9.0"' 'recv hello'
	await peer
	[ "$status" -eq 0 ]
	client -n 5
	measured
	await_server
	measured
	is 'any(.warnings[]; .id == "stranger")'
}

@test "another command" {
	serve write_bw
	strange hello 'recv hello' 'agree command="read_bw"' 'recv error'
	await peer
	[ "$status" -eq 0 ]
	await_server
	failed_with peer_protocol "the client asked for 'read_bw', but this is 'write_bw'" 'same command'
}

# --- one that goes or falls silent before the run ----------------------------

# Steps of a server up to and with each of its frames.
up_to() {
	steps=('recv hello' hello 'recv agree' agree 'recv endpoints' endpoints 'recv ready')
	steps=("${steps[@]:0:$1}")
}

@test "it goes while it is waited for, at every step" {
	local n steps
	for n in 3 5 7; do
		up_to "$n"
		script "${steps[@]}" close
		client -n 5
		failed_with peer_gone 'lost the connection'
	done
}

@test "it falls silent, at every step" {
	local n steps
	for n in 3 5 7; do
		up_to "$n"
		script "${steps[@]}"
		client -n 5 --timeout 300ms
		failed_with peer_silent 'within 300 ms' '--timeout'
	done
}

@test "a client that goes, at every step" {
	local n steps=(hello 'recv hello' agree 'recv agree' endpoints 'recv endpoints' ready 'recv start')
	for n in 2 4 6 8; do
		serve write_bw
		strange "${steps[@]:0:$n}" close
		await_server
		failed_with peer_gone 'lost the connection'
	done
}

@test "a client that falls silent, at every step" {
	local n steps=(hello 'recv hello' agree 'recv agree' endpoints 'recv endpoints' ready 'recv start')
	for n in 2 4 6 8; do
		serve write_bw --timeout 300ms
		strange "${steps[@]:0:$n}"
		await_server
		failed_with peer_silent
	done
}

# --- nonsense ----------------------------------------------------------------

# greeted STEPS: these, split at ' | ', in place of the greeting
greeted() {
	script 'recv hello' "$@"
	client -n 5 --timeout 300ms
	failed_with peer_not_rbench
}

@test "a greeting that is none" {
	each greeted \
		'raw \x00\x00\x00\x00' \
		'raw \xff\xff\xff\xff' \
		'raw \x00\x01\x00\x01' \
		'raw \x00\x00\x00\x04nope' \
		'raw \x00\x00\x00\x02[]' \
		'raw \x00\x00\x00\x09{"\xff\xfe":1}' \
		'raw \x00\x00\x00\x10{"ty' \
		'raw \x00\x00' \
		'bulk 200000'
}

@test "a greeting cut short by the end of the connection" {
	script 'recv hello' 'raw \x00\x00\x00\x10{"ty' close
	client -n 5
	failed_with peer_not_rbench
}

# answered STEP: after the greetings, in place of the agreement
answered() {
	script 'recv hello' hello 'recv agree' "$1"
	client -n 5 --timeout 500ms
	failed_with peer_protocol
}

@test "frames that are none" {
	each answered \
		'raw \x00\x00\x00\x00' \
		'raw \xff\xff\xff\xff' \
		'raw \x00\x40\x00\x01' \
		'raw \x00\x00\x00\x04nope' \
		'raw \x00\x00\x00\x02[]' \
		'raw \x00\x00\x00\x13{"type":1,"type":2}' \
		'send {"type":"start"}' \
		'send {"type":7}' \
		'send {}' \
		'bulk 200000'
}

@test "a type that would move the cursor or forge a line does neither" {
	answered 'send {"type":"\u001b[31m\r\nrbench: error: forged"}'
	run ! grep -q $'\e' "$err"
}

@test "a version or command that would move the cursor or forge a line does neither" {
	script 'recv hello' 'hello protocol=2 version="\n\u001b[31mrbench:\u0020error:\u0020forged"'
	client -n 5
	failed_with peer_version
	run ! grep -q $'\e' "$err"
	serve write_bw
	strange hello 'recv hello' 'agree command="\n\u001b[31mrbench:\u0020error:\u0020forged"'
	await_server
	failed_with peer_protocol
	run ! grep -q $'\e' "$err"
}

@test "a host name that would move the cursor or forge a line does neither" {
	serve write_bw
	stop_server
	start_rbench server write_bw -p "$port"
	: >"${bases[server]}.any"
	until_true "$DEADLINE" is_listening "$port"
	strange hello 'recv hello' 'agree end.host="\u001b[2J\nforged"' 'recv agree' "${measured_steps[@]:4}" \
		result 'recv result' bye
	await_server
	[ "$status" -eq 0 ]
	run ! grep -qE $'\e|^forged' "$doc"
}

@test "deep nesting is refused, not recursed into" {
	local deep
	printf -v deep '%03000d' 0
	answered "raw \\x00\\x00\\x0b\\xb8${deep//0/[}"
}

@test "a flood of signs of life does not keep a run waiting for ever" {
	local alive=()
	while ((${#alive[@]} < 200)); do alive+=('send {"type":"alive"}'); done
	script 'recv hello' hello 'recv agree' "${alive[@]}"
	client -n 5 --timeout 500ms
	failed_with peer_silent
}

agreed() { answered "agree $1"; }

@test "an agreement that is malformed" {
	each agreed \
		end= end=7 gids= gids=[] gids.entries=7 \
		'gids.entries.0.type="RoCE"' 'gids.entries.0.address="nowhere"' \
		gids.entries.0.index=-1 gids.entries.0.index=4294967296 \
		'gids.entries.0.netdev="0123456789abcdef"' \
		mtu=0 'mtu="big"' link_bits_per_s=-5 link_layer= rd_atomic=256 \
		queue_entries=-1 'queue_entries="many"' queue_entries=2147483648
}

@test "a GID table without end is refused" {
	local many
	printf -v many '{"index":1,"type":"IB","address":"::1","prefix":0},%.0s' {1..2000}
	agreed "gids.entries=[${many%,}]"
}

# asked CHANGES: the client's agreement, with these, to a responder
asked() {
	serve write_bw --timeout 500ms
	strange hello 'recv hello' "agree $1" 'recv error'
	await_server
	failed_with peer_protocol
}

@test "a plan that is impossible" {
	local many
	printf -v many '1,%.0s' {1..300}
	each asked \
		options=7 options= \
		'options.size=[0]' 'options.size=[4294967296]' options.size=64 "options.size=[${many%,}]" \
		options.qp=0 options.qp=-1 'options.qp="auto"' \
		options.iters=0 options.iters=1.5 options.duration=1 \
		'options.connection="XX"' options.connection=2 options.bidirectional=1 \
		options.mtu=100000 options.sl=99
}

@test "a plan that the client's own rules forbid" {
	each asked \
		options.size=[] \
		'options.post_list=64 options.tx_depth=1' \
		'options.cq_mod=64 options.tx_depth=1'
}

@test "a plan over a transport that the command does not have" {
	serve write_bw --timeout 500ms
	strange hello 'recv hello' 'agree options.connection="UD"' 'recv error'
	await peer
	[ "$status" -eq 0 ]
	await_server
	[ "$(error_lines)" -eq 1 ]
	said 'does not exist over UD'
}

# connected CHANGE: endpoints of the server with this
connected() {
	script 'recv hello' hello 'recv agree' agree 'recv endpoints' "endpoints $1"
	client -n 5 --timeout 500ms
	failed_with peer_protocol
}

@test "endpoints that are malformed" {
	each connected \
		qps=[] 'qps=[[1,2],[3,4]]' qps=7 'qps=[[1]]' 'qps=[[-1,2]]' 'qps=[[16777216,2]]' \
		'qps=[["a",2]]' lid=65536 memory= memory.address=-1 memory.rkey=4294967296
}

# The steps of a client up to its result.
measured_steps=(hello 'recv hello' agree 'recv agree' endpoints 'recv endpoints' ready 'recv start')

pathed() {
	serve write_bw --timeout 500ms
	strange "${measured_steps[@]:0:4}" "endpoints $1" 'recv error'
	await_server
	failed_with peer_protocol
}

@test "a path that is malformed" {
	each pathed path= path.mtu=1 path.mtu=1000 path.gid_index=9 path.peer_gid_index=9
}

@test "a message size that was not agreed" {
	serve write_bw --timeout 500ms
	strange "${measured_steps[@]:0:6}" 'ready size=65' 'recv error'
	await_server
	failed_with peer_protocol
}

@test "a scripted client that behaves is served" {
	serve write_bw
	strange "${measured_steps[@]}" result 'recv result' bye 'recv bye'
	await_server
	measured
	await peer
	[ "$status" -eq 0 ]
}

resulted() {
	serve write_bw --timeout 500ms
	strange "${measured_steps[@]}" "result $1" 'recv error'
	await_server
	failed_with peer_protocol
}

@test "a result that is malformed" {
	each resulted \
		row= row=7 row={} row.size_bytes=65 row.messages=-1 row.messages= \
		'row.duration_ns="long"' row.bandwidth.bits_per_s=-1 row.message_rate.per_s=
}

# Refused, or left out of the document: but the document is one.
parted() {
	serve write_bw --timeout 500ms
	strange "${measured_steps[@]}" result 'recv result' "bye $1"
	await_server
	[ "$status" -le 1 ] && validate
}

@test "last words that are malformed do not get into the document" {
	each parted \
		counters= counters=7 'counters={"hw.x":"many"}' 'counters={"":-1}' \
		events= events=7 events=[7] 'events=[{"at_ns":"now"}]'
}

@test "what the peer says of itself gets into the document only as far as it is known" {
	serve write_bw
	strange hello 'recv hello' 'agree end={"device":7,"port":"x","extra":[1,2]}' "${measured_steps[@]:3}" \
		result 'recv result' bye
	await_server
	[ "$status" -le 1 ]
	validate
}

# --- what the peer says of its own failure -----------------------------------

# told JSON: an error frame in place of the agreement
told() {
	script 'recv hello' hello 'recv agree' "send $1"
	client -n 5
	[ "$status" -eq 1 ] && [ "$(error_lines)" -eq 1 ]
}

@test "the peer's own words are shown" {
	told '{"type":"error","code":"port_down","where":"device","message":"port 1 of x is DOWN",
		"cause":"the cable is out","hints":["put it in"]}'
	failed_with port_down "port 1 of x is DOWN" 'the cable is out' 'put it in'
	is '.error | .cause == "the cable is out" and .hints == ["put it in"] and .where == "device"'
}

@test "a peer that lacks support makes it exit 77" {
	script 'recv hello' hello 'recv agree' \
		'send {"type":"error","code":"transport_unsupported","where":"device","message":"no UC here","hints":["use RC"]}'
	client -n 5
	gave_up 77 unsupported transport_unsupported 'no UC here'
}

@test "a failure that this release does not know is passed on" {
	told '{"type":"error","code":"brand_new","where":"moon","message":"it is made of cheese","hints":["eat it"]}'
	failed_with brand_new 'made of cheese' 'eat it'
}

@test "an empty or hostile error frame is one line and a valid document" {
	local long
	printf -v long '\u00e4%.0s' {1..2000}
	each told \
		'{"type":"error"}' \
		'{"type":"error","code":7,"where":[],"message":{},"cause":null,"hints":"none"}' \
		'{"type":"error","code":"Bad Code\n","where":"a b","message":"x\nrbench: error: y\u001b[2J","hints":[1,"",2,"z"]}' \
		"{\"type\":\"error\",\"code\":\"x\",\"where\":\"y\",\"message\":\"$long\"}"
	run ! grep -q $'\e' "$BATS_TEST_TMPDIR"/*.err
}
