#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# snapshot.bats - a snapshot of the lab's guest: real netlink, real devices

DEADLINE=60 # everything is emulated
load ../helpers

# Emulated, on CPUs that others use too: a deadline may pass for no fault of the
# program. A second try may do; twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# snapshot ARGS...: to its end
snapshot() {
	start_rbench snapshot snapshot "$@"
	await snapshot
	[ "$status" -eq 0 ]
}

@test "devices, addresses, routes and sysctls of the guest" {
	snapshot
	is '.devices | keys == ["rxe0", "rxe1"]'
	is '.devices[] | .driver == "rdma_rxe" and .software and .usable and .protocol == "roce"'
	is '.devices.rxe0.ports["1"] | .state == "ACTIVE" and .mtu == 1024 and .netdev == "v0"'
	is '.devices.rxe0.ports["1"].gids | any(.gid == "::ffff:10.0.0.1" and .type == "RoCE v2" and .netdev == "v0")'
	is '.devices.rxe1.ports["1"].counters.values | has("hw.rcvd_pkts")'
	is '.netdevs.v0 | .kind == "veth" and .rdma == ["rxe0/1"] and .sysctl["ipv4.rp_filter"] != null'
	is '.netdevs.v1.addresses | any(.address == "10.0.0.2" and .prefix_length == 24)'
	is '.routes | any(.netdev == "v0")'
	is '.rdma.netns_mode == "shared"'
	is '.sysctl["net.ipv4.conf.all.rp_filter"] != null'
	is '.device_nodes["/dev/infiniband/uverbs0"] | .exists and .usable and .announced'
	is '.modules | has("rdma_rxe")'
	is '.process.limits.memlock_bytes | has("soft")'
	is '.providers.libraries | any(startswith("librxe-rdmav"))'
}

@test "what the host can be seen to lose" {
	tc qdisc add dev v0 root netem loss 3%
	snapshot
	tc qdisc del dev v0 root
	is '.netdevs.v0.qdiscs | any(.kind == "netem" and (.loss_percent | round) == 3)'
}

@test "an ordinary user has less, and is told why" {
	local tool=$BATS_TEST_TMPDIR/rbench
	cp "$RBENCH" "$tool"
	chmod 755 "$BATS_TEST_TMPDIR" "$tool"
	start snapshot setpriv --reuid 65534 --regid 65534 --clear-groups "$tool" snapshot
	await snapshot
	[ "$status" -eq 0 ]
	is '.devices | keys == ["rxe0", "rxe1"]'
	is '.process | .uid == 65534 and .ipc_lock == false'
	is '.missing | any(.kind == "denied")'
	is '[.missing[] | select(.fact == "/firewall" or .fact == "/kernel_log" or .fact == "/namespaces/net_init") | .kind] | all(. == "denied")'
}

@test "redacted, nothing of the guest's addresses is left" {
	snapshot --redact
	run ! grep -qE '\b10\.0\.0\.[12]\b|fd00::[12]\b' "$doc"
	run ! grep -qF "$(cat /sys/class/net/v0/address)" "$doc"
	is '.devices.rxe0.ports["1"].gids as $g | .netdevs.v0.addresses | any(("::ffff:" + .address) as $a | $g | any(.gid == $a))'
}
