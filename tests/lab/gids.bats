#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# gids.bats - 'rbench gids --peer' on a port with many addresses
#
# rxe0 on v0 gets, beside 10.0.0.1/24, fd00::1 and a link-local address: a second
# subnet with a router, a VLAN whose name does not tell its id, and an entry whose address is not the interface's
# (the kernel makes the GID of a point-to-point address from the other end's).

SERVER=10.0.0.2
DEADLINE=40 # everything is emulated
load ../helpers

setup_file() {
	# Emulated, on CPUs that others use too: a deadline may pass for no
	# fault of the program. Twice in a row is a failure.
	export BATS_TEST_RETRIES=1
	ip -batch - <<-'END'
		link add link v0 name storage type vlan id 77
		link set storage up
		addr add 10.7.0.1/24 dev storage
		addr add 10.1.0.1/24 dev v0
		addr add 10.9.0.1 peer 10.9.0.2/32 dev v0
		route add 10.2.0.0/16 via 10.1.0.254 dev v0
	END
}

teardown_file() {
	ip link del storage
	ip addr del 10.1.0.1/24 dev v0
	ip addr del 10.9.0.1 peer 10.9.0.2/32 dev v0
}

# gids ARGS...: with a document
gids() {
	start_rbench gids gids --json "$@"
	await gids
}

has_entry() { gids && is "any(.gids[]; .device == \"rxe0\" and .address == \"$1\")"; }

# entry ADDRESS: what the document says of rxe0's entry
entry() { echo ".gids[] | select(.device == \"rxe0\" and .address == \"$1\")"; }

# reason ADDRESS ID: why that entry is not right
reason() {
	is "[$(entry "$1") | .reasons[].id] | index(\"$2\")" && return
	field "$(entry "$1")"
	return 1
}

# right ADDRESS: it is the first of all
right() {
	ended 0 ok || return
	is ".choice | .device == \"rxe0\" and .address == \"$1\"" || {
		field .choice
		return 1
	}
	is "$(entry "$1") | .rank == 1 and .usable"
}

@test "the table: addresses, VLAN, scope, and what is stale" {
	until_true "$DEADLINE" has_entry 10.7.0.1
	until_true "$DEADLINE" has_entry 10.9.0.2
	ended 0 ok
	is "$(entry 10.0.0.1) | .type == \"RoCE v2\" and .netdev == \"v0\" and .prefix == 24 and .scope == \"global\" and .netdev_state == \"up\" and (.vlan or .stale or .usable | not)"
	is "$(entry fd00::1) | .scope == \"unique-local\" and .prefix == 64"
	is "$(entry 10.7.0.1) | .vlan == 77 and .netdev == \"storage\""
	is "$(entry 10.9.0.2) | .stale"
	is 'any(.gids[]; .scope == "link-local" and .netdev == "v0")'
}

@test "a peer in the first subnet; the index that is named works" {
	gids --peer 10.0.0.2
	right 10.0.0.1
	reason 10.9.0.2 stale
	reason fd00::1 other_family
	reason 10.7.0.1 vlan
	is 'all(.gids[] | select(.scope == "link-local"); .usable | not)'
	serve write_bw
	# the settings are words of a command line
	# shellcheck disable=SC2046
	client $(field .choice.settings.options) --timeout 20 -n 5
	measured
	is '.local.gid.address == "10.0.0.1"'
	await_server
}

@test "a peer behind the router of the second subnet" {
	gids --peer 10.2.3.4
	right 10.1.0.1
	is "$(entry 10.0.0.1) | .usable and .rank == 2"
	reason 10.7.0.1 vlan
	reason 10.9.0.2 stale
	reason fd00::1 other_family
	is '.gids[] | select(.device == "rxe1" and .address == "10.0.0.2") | .reasons[0].id == "other_netdev"'
}

@test "a peer in the VLAN" {
	gids --peer 10.7.0.9
	right 10.7.0.1
	reason 10.0.0.1 vlan
	is "$(entry 10.0.0.1).reasons[] | select(.id == \"vlan\").text | test(\"VLAN 77\")"
}

@test "a peer with a global IPv6 address" {
	gids --peer fd00::9
	right fd00::1
	reason 10.0.0.1 other_family
	is 'all(.gids[] | select(.device == "rxe0" and .scope == "link-local" and .netdev == "v0"); .reasons[0].id == "link_local")'
}

@test "a peer with a link-local address, on the link that was named" {
	local own
	own=$(ip -6 -o addr show dev v1 scope link | awk '{ sub("/.*", "", $4); print $4 }')
	gids --peer "$own%v0"
	ended 0 ok
	is '.choice | .device == "rxe0" and .netdev == "v0" and .scope == "link-local"'
	gids --peer "$own"
	[ "$status" -eq 2 ]
	said 'a link-local address exists on every link'
}

@test "a peer that nothing leads to" {
	gids --peer 192.0.2.1
	failed_with gid_peer "no GID reaches '192.0.2.1'"
	is 'has("choice") | not'
	reason 10.0.0.1 no_route
	is "$(entry 10.0.0.1).reasons[0].text | test(\"another subnet .10.0.0.1/24., and no route\")"
}

# On a device of its own: what goes down loses routes that other tests need.
@test "an interface that is down" {
	local found
	ip -batch - <<-'END'
		link add v8 type veth peer name v9
		addr add 10.8.0.1/24 dev v8
		link set v8 up
		link set v9 up
	END
	rdma link add rxe8 type rxe netdev v8
	reaches() { gids --peer 10.8.0.2 -d rxe8 && [ "$status" -eq 0 ]; }
	until_true "$DEADLINE" reaches
	is '.choice.address == "10.8.0.1"'
	ip link set v8 down
	gids --peer 10.8.0.2 -d rxe8
	rdma link del rxe8
	ip link del v8
	failed_with gid_peer
	found='.gids[] | select(.address == "10.8.0.1").reasons | map(.id)'
	is "$found | index(\"netdev_down\") and index(\"port_down\")"
}
