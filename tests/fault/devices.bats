#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# devices.bats - 'rbench devices' over the libibverbs of tests/fake

load ../helpers

# devices ARGS...: with a document
devices() {
	start_rbench devices devices --json "$@"
	await devices
}

devices_text() {
	start_rbench devices devices "$@"
	: >"${bases[devices]}.any"
	await devices
}

listed() {
	ended 0 ok || return
	[[ $(error_lines) -eq 0 ]]
}

@test "every device, with its port and GIDs" {
	devices
	listed
	is '[.devices[].name] == ["fake0", "fake1"]'
	is '.devices[0] | .transport == "IB" and .firmware == "1.0.0-fake" and .vendor_id == "0x02c9"'
	is '.devices[0].ports[0] | .state == "ACTIVE" and .link_layer == "Ethernet" and .link_bits_per_s == 100e9 and .mtu == 4096'
	is '[.devices[1].ports[0].gids[] | .type] == ["RoCE v1", "RoCE v2", "RoCE v1", "RoCE v2"]'
	is '.devices[1].ports[0].gids[3].address == "127.0.0.2"'
	is '.devices[0].limits | .max_qp == 16384 and .max_qp_wr == 16384'
}

# bats test_tags=effect:devices:device
@test "one device" {
	devices -d fake1
	listed
	is '[.devices[].name] == ["fake1"]'
}

@test "a device that is not there" {
	devices -d nosuch0
	failed_with no_device "'nosuch0'" 'fake0 fake1'
	is '.devices == []'
}

@test "no device" {
	RB_FAKE='devices=0' devices
	failed_with no_devices
}

@test "the list that cannot be had" {
	RB_FAKE='ibv_get_device_list=EPERM' devices
	[ "$status" -eq 1 ]
	failed_somehow
}

@test "a port that is down" {
	RB_FAKE='port=down' devices
	listed
	is '.devices[0].ports[0] | .state == "DOWN"'
}

@test "an InfiniBand port has LIDs" {
	RB_FAKE='link=infiniband' devices
	listed
	is '.devices[0].ports[0] | .link_layer == "InfiniBand" and .lid == 1'
	is '.devices[0].ports[0].gids | all(.type == "IB")'
}

@test "a port without GIDs" {
	RB_FAKE='gid=none' devices
	listed
	is '.devices[0].ports[0].gids == []'
	RB_FAKE='gid=none' devices_text
	grep -q 'no GID: give the network interface an address' "$doc"
}

@test "a device that cannot be opened is shown with the reason, and so are the others" {
	RB_FAKE='ibv_open_device#1=EACCES' devices
	listed
	is '.devices[0] | .name == "fake0" and .error.code == "device_open" and (.error.message | test("Permission denied"))'
	is '.devices[1] | .name == "fake1" and .error == null and (.ports | length == 1)'
}

@test "a device that cannot be queried is shown with the reason" {
	RB_FAKE='ibv_query_device#1=EIO' devices
	listed
	is '.devices[0] | .error.code == "device_query"'
	is '.devices[1].error == null'
}

@test "each call may fail: no leak, a valid document" {
	local n made
	for ((n = 1; n < 100; n++)); do
		RB_FAKE="control#$n=EIO" devices
		[ "$status" -le 1 ]
		validate
		read -r made <"${bases[devices]}.count"
		((made >= n)) || break
	done
	((n > 8))
}

@test "text: what the document says" {
	devices_text
	[ "$status" -eq 0 ]
	[ ! -s "$err" ]
	grep -qE '^fake0 .*firmware 1\.0\.0-fake' "$doc"
	grep -qE '^  port 1 +ACTIVE \(LinkUp\), Ethernet, 100 Gb/s, MTU 4096' "$doc"
	grep -qE '^ +3 +RoCE v2 +lo +127\.0\.0\.1' "$doc"
	run ! grep -q max_qp "$doc"
}

@test "text: -v adds limits and features" {
	devices_text -v
	[ "$status" -eq 0 ]
	grep -qE '^ +max_qp +16384' "$doc"
	grep -qE '^ +atomics +HCA' "$doc"
}

@test "-vv says more on standard error, --quiet nothing" {
	RB_FAKE='ibv_open_device#1=EACCES' devices -vv
	listed
	RB_FAKE='ibv_open_device#1=EACCES' devices --quiet
	listed
	[ ! -s "$err" ]
}

@test "--csv is refused or obeyed, not ignored" {
	devices_text --csv
	[[ $status -eq 2 && $(error_lines) -eq 1 || -s $doc ]]
}

@test "--json and --csv at once are a usage error with a document" {
	devices --csv
	[ "$status" -eq 2 ]
	is '.status == "failed" and .error.code == "usage"'
}

@test "--json=FILE beside the text" {
	devices_text --json="$BATS_TEST_TMPDIR/doc.json"
	[ "$status" -eq 0 ]
	grep -q '^fake0' "$doc"
	doc=$BATS_TEST_TMPDIR/doc.json
	listed
}

@test "a full disk is an error" {
	WRAP=(sh -c 'exec "$@" >/dev/full' sh)
	devices
	[ "$status" -eq 1 ]
	[ "$(error_lines)" -eq 1 ]
	devices_text
	[ "$status" -eq 1 ]
	[ "$(error_lines)" -eq 1 ]
}
