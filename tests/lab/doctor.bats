#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# doctor.bats - rbench doctor on soft-RoCE: nothing wrong where nothing is, and
# what was broken on purpose is the first that it names

# bats file_tags=long
DEADLINE=90 # everything is emulated
load ../helpers

setup_file() { export BATS_TEST_RETRIES=1; } # emulated: see verbs.bats

# Each test undoes what it broke by a line of its own here, whatever happened.
teardown() {
	local undo
	for undo in "${undos[@]}"; do
		$undo || true
	done
	helpers_teardown
}

# broken COMMAND -- UNDO: run the first now and the second after the test
broken() {
	local command=()
	while [[ $1 != -- ]]; do
		command+=("$1")
		shift
	done
	shift
	undos+=("$*")
	"${command[@]}"
}

setup() {
	undos=()
	helpers_setup
}

doctor() {
	start_rbench doctor doctor --json --interval 50ms "$@"
	await doctor
}

# first RULE: it is the first finding
first() {
	[[ $(field '.doctor.findings[0].rule') == "$1" ]] && return
	field '.doctor.findings[] | [.rule, .severity, .text] | @csv'
	return 1
}

# pair ARGS...: rxe0 and the device named, by one snapshot read as both ends
pair() {
	start_rbench snapshot snapshot --interval 50ms --json -o "$BATS_TEST_TMPDIR/host.any"
	await snapshot
	[ "$status" -eq 0 ]
	start_rbench doctor doctor --json -d rxe0 "$@" "$BATS_TEST_TMPDIR/host.any" \
		"$BATS_TEST_TMPDIR/host.any"
	await doctor
}

@test "a healthy host and a healthy pair: no error, no warning" {
	doctor
	ended 0 ok || { field '.doctor.findings[] | [.rule, .severity, .text] | @csv'; return 1; }
	is '.doctor.sums | .errors == 0 and .warnings == 0 and .passed > 30'
	pair --peer-device rxe1
	ended 0 ok || { field '.doctor.findings[] | [.rule, .severity, .text] | @csv'; return 1; }
	is '.doctor.outcomes | any(.rule == "GID-SUBNET" and .outcome == "pass")'
	is '.doctor.outcomes | any(.rule == "MTU-PEER" and .outcome == "pass")'
}

@test "a GID that leads nowhere" {
	local index
	start_rbench gids gids --json -d rxe0
	await gids
	index=$(field '[.gids[] | select(.scope == "link-local")][0].index')
	doctor -d rxe0 -x "$index"
	first GID-CHOICE
}

@test "the address removed" {
	broken ip addr del 10.0.0.1/24 dev v0 -- ip addr add 10.0.0.1/24 dev v0
	broken ip addr del fd00::1/64 dev v0 -- ip addr add fd00::1/64 dev v0 nodad
	undos+=("ip route add 10.0.0.2 dev v0 src 10.0.0.1 table 101" "ip route add fd00::2 dev v0 src fd00::1 table 101"
		"ip -6 neigh replace fd00::2 lladdr $(cat /sys/class/net/v1/address) dev v0 nud permanent")
	until_true "$DEADLINE" gids_are_local
	doctor -d rxe0
	first GID-NOV4
}

gids_are_local() { ! grep -hqE '^(0000:0000:0000:0000:0000:ffff|fd00)' /sys/class/infiniband/rxe0/ports/1/gids/[0-7]; }

@test "too little memory may be locked" {
	local WRAP=(setpriv --bounding-set -ipc_lock prlimit --memlock=65536)
	doctor
	first LIM-MEMLOCK
	is '.doctor.findings[0] | .severity == "error" and (.text | test("64 KiB"))'
}

@test "two NICs in one subnet" {
	broken sysctl -qw net.ipv4.conf.v0.arp_ignore=0 -- sysctl -qw net.ipv4.conf.v0.arp_ignore=1
	doctor
	first NET-SAMESUBNET
	is '.doctor.findings[0].severity == "error"'
}

@test "rp_filter" {
	broken sysctl -qw net.ipv4.conf.v1.rp_filter=1 -- sysctl -qw net.ipv4.conf.v1.rp_filter=0
	doctor
	first NET-RPFILTER
}

@test "a route missing" {
	broken ip route del 10.0.0.0/24 dev v0 -- ip route prepend 10.0.0.0/24 dev v0 proto kernel scope link src 10.0.0.1
	doctor -d rxe0
	first NET-ROUTE
}

@test "an MTU that is not the peer's" {
	broken ip link set v1 mtu 700 -- ip link set v1 mtu 1500
	pair --peer-device rxe1
	first MTU-PEER
}

@test "a type of service that nothing maps" {
	doctor --tclass 106
	first QOS-MAP
}

@test "UDP port 4791 blocked" {
	modprobe nf_tables
	broken nft add table inet doctortest -- nft delete table inet doctortest
	nft add chain inet doctortest in '{ type filter hook input priority 0; }'
	nft add rule inet doctortest in udp dport 4791 drop
	doctor
	first NET-FW
}

@test "a wire that loses packets; and the run that suffered from it" {
	SERVER=10.0.0.2
	broken tc qdisc replace dev v0 root netem loss 2% -- tc qdisc del dev v0 root
	doctor
	first NET-QDISC
	serve write_bw -d rxe1 --timeout 20
	client -d rxe0 --timeout 20 -s 4K -n 2000
	measured
	cp "$doc" "$BATS_TEST_TMPDIR/run.any"
	await_server
	tc qdisc del dev v0 root
	doctor --with "$BATS_TEST_TMPDIR/run.any"
	is '.doctor.symptom.words == ["packets were lost"]'
	is '.doctor.findings[0] | (.rule | startswith("CNT-")) and .likelihood >= 80'
}

# ask: 'rbench doctor PEER' from rxe0 to a server on rxe1
ask() {
	SERVER=10.0.0.2
	serve server -d rxe1 --timeout 20
	: >"${bases[server]}.any" # not one document, but many lines
	bench=doctor
	client -d rxe0 --interval 50ms --timeout 20
}

probed() { field '[.doctor.probes[0].tests[].outcome] | join(" ")'; }

@test "PEER, healthy: no error, no warning, everything passes" {
	ask
	ended 0 ok || { field '.doctor.findings[] | [.rule, .severity, .text] | @csv'; return 1; }
	is '[.doctor.hosts[] | [.end, .devices]] == [["local", 1], ["peer", 1]]'
	[[ $(probed) == "PASS PASS PASS PASS PASS PASS" ]]
	is '.doctor.outcomes | any(.rule == "PROBE-MTU" and .outcome == "pass" and .subject.peer.device == "rxe1")'
}

@test "PEER with another MTU" {
	broken ip link set v1 mtu 700 -- ip link set v1 mtu 1500
	ask
	first MTU-PEER
	is '.doctor.probes[0].path_mtu == 512'
}

@test "PEER behind a firewall that drops RoCE" {
	modprobe nf_tables
	broken nft add table inet doctortest -- nft delete table inet doctortest
	nft add chain inet doctortest in '{ type filter hook input priority 0; }'
	nft add rule inet doctortest in udp dport 4791 drop
	ask
	first NET-FW
	is '.doctor.findings | any(.rule == "PROBE-RC" and .severity == "error")'
}

@test "PEER: large packets vanish on the way" {
	modprobe nf_tables
	broken nft add table inet doctortest -- nft delete table inet doctortest
	nft add chain inet doctortest in '{ type filter hook input priority 0; }'
	nft add rule inet doctortest in meta l4proto udp meta length 800-65535 drop
	ask
	first PROBE-MTU
	is '.doctor.symptom.words | index("small packets pass, full ones do not")'
}

@test "a port that is down" {
	broken ip link set v1 down -- ip link set v1 up
	undos+=("ip addr add fd00::2/64 dev v1 nodad" "ip -6 route add fd00::1 dev v1 src fd00::2 table 102" "ip route add 10.0.0.1 dev v1 src 10.0.0.2 table 102"
		"ip route add 10.0.0.2 dev v0 src 10.0.0.1 table 101")
	doctor -d rxe1
	first PORT-DOWN
}
