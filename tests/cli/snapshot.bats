#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# snapshot.bats - 'rbench snapshot' of this host and of recorded ones

load ../helpers

hosts=(mlx5 bnxt_re irdma efa rxe)

# recorded HOST ARGS...: the snapshot of a host that tests/hosttree makes
recorded() {
	local root=$BATS_TEST_TMPDIR/$1
	[[ -d $root ]] || "$RBENCH_SRC/tests/hosttree" "$1" "$root"
	shift
	RBENCH_ROOT=$root rbench snapshot --interval 10ms "$@"
}

# What differs from one run to the next, and from one machine to another.
steady() {
	jq -S 'del(.taken_at, .version) | del(.. | .interval_ns?, .usable?, .vendor?, .device?)
		| del(.device_nodes[].uid, .device_nodes[].gid, .device_nodes[].mode)' "$1"
}

# The fixtures are what this rbench makes of the hosts:
# after a change, 'scripts/snapshots' writes them anew.
@test "the snapshots of recorded hosts are those that the fixtures hold" {
	local host
	for host in "${hosts[@]}"; do
		recorded "$host"
		[ "$status" -eq 0 ]
		diff <(steady "$RBENCH_SRC/tests/fixtures/snapshots/$host.json") <(steady "$doc")
	done
}

@test "a snapshot of this host follows its schema, as do its documents" {
	rbench snapshot --interval 10ms
	[ "$status" -eq 0 ]
	is '.schema == "rbench-snapshot/1" and .redacted == false and (.host.name | length > 0)'
	is '.netdevs.lo.addresses | any(.address == "127.0.0.1")'
	rbench snapshot --interval 10ms --json
	[ "$status" -eq 0 ]
	is '.schema == "rbench/1" and .status == "ok" and .snapshot.schema == "rbench-snapshot/1"'
}

@test "what could not be read is in the list, with the reason" {
	recorded efa
	is '.missing | any(.fact == "/pci/0000:00:06.0/express" and .kind == "denied")'
	is '.pci["0000:00:06.0"] | .config_bytes == 64 and (has("express") | not)'
	recorded rxe
	is '.missing | any(.fact == "/netdevs/v0/dcb" and .kind == "unsupported")'
	is '.devices.rxe0.ports["1"].mtu == 1024 and .netdevs.v0.qdiscs[0].kind == "netem"'
	[[ $(jq '.netdevs.v0.qdiscs[0].loss_percent | round' "$doc") -eq 1 ]]
}

@test "rules that drop by port are seen" {
	recorded rxe
	is '.firewall.drops == [{"table": "filter", "chain": "input", "hook": "input", "verdict": "drop", "port": 4791,
		"protocol": "udp"}]'
}

# bats test_tags=effect:snapshot:output
@test "-o writes the snapshot and says so" {
	recorded mlx5 -o "$BATS_TEST_TMPDIR/out.json"
	[ "$status" -eq 0 ]
	grep -q "^snapshot of 'node-a.example.net' in " "$doc"
	mv "$doc" "$doc.text"
	doc=$BATS_TEST_TMPDIR/out.json
	is '.devices | keys == ["mlx5_0", "mlx5_1"]'
}

# bats test_tags=effect:snapshot:device
@test "-d: one device, by its name or its netdev" {
	recorded mlx5 -d mlx5_1
	is '.devices | keys == ["mlx5_1"]'
	recorded mlx5 -d ens1f0np0.100
	is '.device_filter == "ens1f0np0.100" and (.devices | keys == ["mlx5_0"])'
	recorded mlx5 -d nosuch0 --json
	[ "$status" -eq 1 ]
	is '.error.code == "no_device" and (.error.message | test("mlx5_0 mlx5_1"))'
}

# bats test_tags=effect:snapshot:interval
@test "--interval: counters are read again after so long" {
	recorded mlx5 --interval 30ms
	# of the device that was read first; the others follow it
	is '[.. | .interval_ns? // empty] | max | . >= 30e6 and . < 450e6'
}

@test "a file that cannot be written is an error" {
	recorded mlx5 --json -o "$BATS_TEST_TMPDIR/no/where"
	[ "$status" -eq 1 ]
	is '.error.code == "output"'
}

@test "--csv is a usage error" {
	recorded mlx5 --csv
	[ "$status" -eq 2 ]
	[ ! -s "$doc" ]
	: >"${doc%.json}.any"
}

# Everything of a tree that --redact must not let through.
originals() {
	jq -r '.name, (.name | split(".")[0]), (.netdevs[] | .mac, (.addresses // [] | .[] | split("/")[0])),
		(.neighbours // [] | .[] | .address, .mac), (.routes[] | .via // empty, .src // empty)' \
		"$RBENCH_SRC/tests/fixtures/hosts/$1.json"
	jq -r '.devices[].guid | split(":") | join("")' "$RBENCH_SRC/tests/fixtures/hosts/$1.json"
}

@test "--redact leaves no name and no address" {
	local host word
	for host in "${hosts[@]}"; do
		recorded "$host" --redact
		[ "$status" -eq 0 ]
		is '.redacted and .host.name == "host-1"'
		while read -r word; do
			[[ $word =~ ^(0+|)$ ]] && continue
			run ! grep -wiF -- "$word" "$doc"
		done < <(originals "$host")
	done
}

# bats test_tags=effect:snapshot:redact
@test "--redact: what is related stays related" {
	recorded mlx5 --redact
	is '.devices.mlx5_0.ports["1"].gids[3].gid == "::ffff:" + (.netdevs.ens1f0np0.addresses[0].address)'
	is '.devices.mlx5_0.ports["1"].gids[0].gid == .netdevs.ens1f0np0.addresses[1].address'
	is '(.netdevs.ens1f0np0.addresses[0].address | split(".")[:3]) == (.neighbours[0].address | split(".")[:3])'
	is '.routes[2] | .netdev == "ens1f0np0" and (.destination | endswith(".0/24"))'
	is '.environment.NCCL_IB_HCA == "mlx5_0" and .devices.mlx5_0.description == "host-1 mlx5_0"'
}

@test "a host without sysfs and procfs has a snapshot of what is missing" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	RBENCH_ROOT=$BATS_TEST_TMPDIR/empty rbench snapshot --interval 10ms
	[ "$status" -eq 0 ]
	is '.devices == {} and .host.name == null'
	is '.missing | any(.fact == "/rdma" and .kind == "unsupported")'
}
