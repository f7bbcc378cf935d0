#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# gids.bats - 'rbench gids' over the libibverbs of tests/fake

load ../helpers

# gids ARGS...: with a document
gids() {
	start_rbench gids gids --json "$@"
	await gids
}

gids_text() {
	start_rbench gids gids "$@"
	: >"${bases[gids]}.any"
	await gids
}

# reason DEVICE INDEX ID: is told of that entry
reason() {
	is ".gids[] | select(.device == \"$1\" and .index == $2) | [.reasons[].id] | index(\"$3\")"
}

# A sysfs in which lo, behind all GIDs of the devices, has these flags and this
# name.
sysfs() {
	local root=$BATS_TEST_TMPDIR/sys dev i
	mkdir -p "$root/class/net/lo"
	echo 1 >"$root/class/net/lo/ifindex"
	echo "$1" >"$root/class/net/lo/flags"
	echo "${3:-unknown}" >"$root/class/net/lo/operstate"
	for dev in fake0 fake1; do
		mkdir -p "$root/class/infiniband/$dev/ports/1/gid_attrs/ndevs"
		for i in 0 1 2 3; do
			echo "$2" >"$root/class/infiniband/$dev/ports/1/gid_attrs/ndevs/$i"
		done
	done
	export SYSFS_PATH=$root
}

@test "every entry of every port" {
	gids
	ended 0 ok
	is '[.gids[] | "\(.device) \(.index) \(.type) \(.scope)"] == [
		"fake0 0 RoCE v1 link-local", "fake0 1 RoCE v2 link-local", "fake0 2 RoCE v1 loopback", "fake0 3 RoCE v2 loopback",
		"fake1 0 RoCE v1 link-local", "fake1 1 RoCE v2 link-local", "fake1 2 RoCE v1 loopback", "fake1 3 RoCE v2 loopback"]'
	is '.gids[3] | .address == "127.0.0.1" and .gid == "::ffff:127.0.0.1" and .netdev == "lo" and .port_state == "ACTIVE"'
	is 'has("choice") | not'
	is 'all(.gids[]; has("usable") or has("rank") | not)'
}

# bats test_tags=effect:gids:device,effect:gids:port-num
@test "-d and -i" {
	gids -d fake1
	is '[.gids[].device] | unique == ["fake1"]'
	gids -d fake1:1
	is '[.gids[].device] | unique == ["fake1"]'
	gids -d fake1 -i 2
	failed_with no_port "'fake1' has no port 2"
	gids -d nosuch0
	failed_with no_device
	is '.gids == []'
}

# bats test_tags=effect:gids:peer
@test "a peer: RoCE v2 of its family, and why not the others" {
	gids --peer 127.0.0.2
	ended 0 ok
	is '.choice | .device == "fake0" and .index == 3 and .address == "127.0.0.1"'
	is '.choice.settings == {NCCL_IB_HCA: "=fake0:1", NCCL_IB_GID_INDEX: "3", UCX_NET_DEVICES: "fake0:1",
		UCX_IB_GID_INDEX: "3", FI_VERBS_GID_IDX: "3", options: "-d fake0 -i 1 -x 3"}'
	is '[.gids[] | select(.rank) | .rank] | sort == [1, 2, 3, 4]'
	reason fake0 0 other_family
	reason fake0 0 link_local
	reason fake0 2 roce_v1
	is '.gids[2] | .usable and (.reasons[0].text | test("index 3 is the same address in RoCE v2"))'
}

@test "-d keeps the choice to that device" {
	gids -d fake1 --peer 127.0.0.1
	ended 0 ok
	is '.choice | .device == "fake1" and .index == 3'
}

@test "only RoCE v1 there" {
	RB_FAKE='gid=v1only' gids --peer 127.0.0.2
	ended 0 ok
	is '.choice | .index == 1 and .type == "RoCE v1" and (.reasons | map(.id) == ["roce_v1"])'
}

@test "no entry of the peer's family" {
	RB_FAKE='gid=linklocal' gids --peer 127.0.0.2
	failed_with gid_peer "no GID reaches '127.0.0.2'"
	is 'all(.gids[]; (.usable | not) and .reasons[0].id == "other_family")'
	is 'has("choice") | not'
}

@test "no route: the error names the entry that comes closest" {
	gids --peer 192.0.2.1
	failed_with gid_peer "index 3 of 'fake0' port 1 (127.0.0.1) comes closest"
	reason fake0 3 no_route
}

@test "no GID at all" {
	RB_FAKE='gid=none' gids --peer 127.0.0.1
	failed_with no_gid
	RB_FAKE='gid=none' gids
	ended 0 ok
	is '.gids == []'
}

@test "a port that is down" {
	RB_FAKE='port=down' gids --peer 127.0.0.2
	failed_with gid_peer 'port 1 is DOWN'
	is 'all(.gids[]; .reasons[0].id == "port_down" and .port_state == "DOWN")'
}

@test "an interface that is down, or without carrier" {
	sysfs 0x8 lo
	gids --peer 127.0.0.2
	failed_with gid_peer "'lo' is down"
	is 'all(.gids[]; .netdev_down and .reasons[0].id == "netdev_down")'
	sysfs 0x9 lo lowerlayerdown
	gids --peer 127.0.0.2
	failed_with gid_peer "'lo' is without carrier"
}

@test "an interface of another network namespace" {
	sysfs 0x9 eth7
	gids --peer 127.0.0.2
	failed_with gid_peer 'another network namespace'
	is 'all(.gids[]; .elsewhere and .reasons[0].id == "not_visible")'
	RB_FAKE='netdev=none' gids --peer 127.0.0.2
	failed_with gid_peer 'no network interface is seen behind it'
}

@test "InfiniBand: nothing to choose" {
	RB_FAKE='link=infiniband' gids --peer 10.0.0.9
	ended 0 ok
	is '.choice | .device == "fake0" and .settings == {NCCL_IB_HCA: "=fake0:1", UCX_NET_DEVICES: "fake0:1", options: "-d fake0 -i 1"}'
	is 'all(.gids[]; .type == "IB" and .scope == "subnet")'
	RB_FAKE='link=infiniband' gids_text
	[ "$status" -eq 0 ]
	grep -q 'no index needs to be chosen' "$doc"
}

@test "a device that cannot be opened is passed over, one that was named is not" {
	RB_FAKE='ibv_open_device#1=EACCES' gids --peer 127.0.0.2
	ended 0 ok
	is '[.gids[].device] | unique == ["fake1"]'
	is '.warnings[0].id == "device_skipped"'
	RB_FAKE='ibv_open_device#1=EACCES' gids -d fake0
	failed_with device_open "'fake0'"
}

@test "each call may fail: no leak, a valid document" {
	local n made
	for ((n = 1; n < 100; n++)); do
		RB_FAKE="control#$n=EIO" gids --peer 127.0.0.2
		[ "$status" -le 1 ]
		read -r made <"${bases[gids]}.count"
		((made >= n)) || break
	done
	((n > 6))
}

@test "text: table, ranking, settings" {
	gids_text --peer 127.0.0.2
	[ "$status" -eq 0 ]
	[ ! -s "$err" ]
	grep -qE '^ +3  RoCE v2  loopback +present  lo up +127\.0\.0\.1/8$' "$doc"
	grep -qE '^ +1  fake0 port 1 index 3  RoCE v2 127\.0\.0\.1 on lo$' "$doc"
	grep -qE '^ +-  fake0 port 1 index 0  RoCE v1 fe80::.* on lo$' "$doc"
	grep -qE "^ +the peer's address is IPv4, this is IPv6$" "$doc"
	grep -qx '  NCCL_IB_GID_INDEX=3' "$doc"
	grep -qx '  rbench, perftest: -d fake0 -i 1 -x 3' "$doc"
}
