#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# watch.bats - 'rbench watch' over the libibverbs of tests/fake

load ../helpers

# begin ARGS...: until it watches; feed is the file of its JSON Lines
begin() {
	start_rbench watch watch --json "$@"
	feed=${bases[watch]}.json
	until_true "$DEADLINE" watches
}

watches() { grep -q '"type":"watching"' "$feed" || has_ended "${pids[watch]}"; }

# finish: waits for its end; doc is then the last line, the document
finish() {
	await watch
	feed=$doc
	doc=$BATS_TEST_TMPDIR/last
	tail -n 1 "$feed" >"$doc"
}

watch() {
	begin "$@"
	finish
}

stop() {
	kill "-${1:-TERM}" "${pids[watch]}"
	finish
}

# seen JQ-CONDITION: holds for the array of events
seen() {
	jq -se "map(select(.schema == \"rbench-event/1\")) | $1" "$feed" >/dev/null && return
	echo "not so: $1"
	return 1
}

has_seen() { grep -q "\"type\":\"$1\"" "$feed"; }

# A sysfs with the two devices, for what is not announced.
sysfs() {
	local dev
	root=$BATS_TEST_TMPDIR/sys
	for dev in fake0 fake1; do
		plug "$dev"
	done
	export SYSFS_PATH=$root
}

plug() {
	local port=$root/class/infiniband/$1/ports/1
	mkdir -p "$port/hw_counters"
	echo '4: ACTIVE' >"$port/state"
	echo 7 >"$port/hw_counters/out_of_sequence"
	echo 7 >"$port/hw_counters/rx_read_requests"
}

@test "events of all devices, with time, port and meaning" {
	RB_FAKE='event@100ms=PORT_ERR;event@200ms=PORT_ACTIVE;event@300ms=GID_CHANGE' begin -v
	until_true "$DEADLINE" has_seen gid_change
	until_true "$DEADLINE" grep -q '"gid_change".*"fake1"' "$feed"
	stop
	ended 0 ok
	seen '.[0] | .type == "watching" and .devices == ["fake0", "fake1"]'
	seen '[.[] | select(.device == "fake0") | .type] == ["port_err", "port_active", "gid_change"]'
	seen '[.[] | select(.device == "fake1") | .type] == ["port_err", "port_active", "gid_change"]'
	seen 'all(.[] | select(.source == "async"); (.port == 1) and (.device as $d | .text | startswith("\($d) port 1: ")))'
	seen 'map(.monotonic_ns) == (map(.monotonic_ns) | sort)'
	seen '.[1].meaning | test("cable")'
	is '.watch | .ended_by == "signal" and .events == {port_err: 2, port_active: 2, gid_change: 2}'
}

@test "SIGINT ends it in order" {
	begin
	stop INT
	ended 0 ok
	is '.watch | .ended_by == "signal" and .events == {}'
	[ ! -s "$err" ]
}

# bats test_tags=effect:watch:for
@test "--for ends it" {
	watch --for 50ms
	ended 0 ok
	is '.watch | .ended_by == "time" and .duration_ns >= 50e6'
}

# bats test_tags=effect:watch:until
@test "--until ends it with the event" {
	RB_FAKE='event@50ms=GID_CHANGE;event@100ms=PORT_ERR' watch --until port_err,device_fatal --for 8s
	ended 0 ok
	is '.watch.ended_by == "until"'
	seen '.[-1].type == "port_err"'
}

# bats test_tags=effect:watch:fail-on
@test "--fail-on ends it with exit code 3" {
	RB_FAKE='event@50ms=PORT_ERR' watch -d fake1 --fail-on port_err,device_fatal --for 8s
	ended 3 below_expectation
	is '.watch.ended_by == "fail_on"'
	is '.expectations | length == 2 and any(.expr == "no port_err" and .value == 1 and (.met | not))'
	is '.expectations | any(.expr == "no device_fatal" and .met)'
}

@test "--fail-on that did not come" {
	watch --fail-on device_fatal --for 50ms
	ended 0 ok
	is '.expectations | map(.met) == [true]'
}

@test "a device that failed: told, and the others go on" {
	# late enough that both are open: a failed one cannot be opened
	RB_FAKE='event@1s=DEVICE_FATAL' begin
	until_true "$DEADLINE" grep -qz 'device_fatal.*device_fatal' "$feed"
	stop
	ended 0 ok
	is '.watch.events.device_fatal == 2'
	seen '.[-1] | .type == "device_fatal" and (has("port") | not)'
}

# bats test_tags=effect:watch:device
@test "-d watches one device" {
	RB_FAKE='event@50ms=PORT_ERR' watch -d fake1 --until port_err
	ended 0 ok
	seen 'map(.device // empty) == ["fake1"]'
	watch -d nosuch0
	failed_with no_device "'nosuch0'"
}

@test "without a device it fails, unless it waits for one" {
	RB_FAKE='devices=0' watch --for 50ms
	failed_with no_devices
	RB_FAKE='devices=0' watch --for 50ms --until device_added
	ended 0 ok
	is '.watch.ended_by == "time"'
}

# bats test_tags=effect:watch:flap-count,effect:watch:flap-time
@test "what goes to and fro is told once, and when it ended" {
	local plan=
	for at in 20 40 60 80 100 120 140 160; do
		plan+="event@${at}ms=PORT_ERR;event@$((at + 10))ms=PORT_ACTIVE;"
	done
	RB_FAKE=$plan watch -d fake0 --flap-count 4 --flap-time 400ms --until flapping_ended --for 8s
	ended 0 ok
	is '.watch | .ended_by == "until" and .events.flapping == 1 and .events.port_err == 8 and .events.port_active == 8'
	seen 'map(select(.type == "flapping")) | length == 1 and .[0].changes == 4 and .[0].device == "fake0"'
	seen 'map(select(.flapping)) | length == 13'
	seen '.[-1] | .type == "flapping_ended" and .changes == 16'
	RB_FAKE=$plan start_rbench watch watch -d fake0 --flap-count 4 --flap-time 400ms --until flapping_ended --for 8s
	: >"${bases[watch]}.any"
	await watch
	[ "$(grep -cE 'Z  port_(err|active) ' "$doc")" -eq 4 ]
	[ "$(grep -cE ' flapping +fake0 port 1: it flaps: 4 changes in ' "$doc")" -eq 1 ]
	[ "$(grep -cE ' flapping_ended +fake0 port 1: it stopped flapping: 16 changes in ' "$doc")" -eq 1 ]
}

@test "a device goes and comes back: nothing of it is held" {
	sysfs
	begin
	rm -r "$root/class/infiniband/fake0"
	until_true "$DEADLINE" has_seen device_removed
	plug fake0
	until_true "$DEADLINE" has_seen device_added
	stop
	ended 0 ok
	seen 'map(select(.source == "device") | [.type, .device]) == [["device_removed", "fake0"], ["device_added", "fake0"]]'
}

# So a driver that waits for all contexts can remove its device.
@test "a context is given back when its node is removed" {
	local node
	sysfs
	node=$root/class/infiniband_verbs/uverbs0
	mkdir -p "$node"
	echo 231:192 >"$node/dev"
	# an event a context: the device is still there, and is opened anew
	RB_FAKE='event@10ms=GID_CHANGE' begin
	rm -r "$node"
	until_true "$DEADLINE" grep -qz 'gid_change.*gid_change.*gid_change' "$feed"
	stop
	ended 0 ok
	seen 'map(select(.type == "gid_change") | .device) | sort == ["fake0", "fake0", "fake1"]'
}

@test "a port's state that no event tells of" {
	sysfs
	begin
	echo '1: DOWN' >"$root/class/infiniband/fake1/ports/1/state"
	until_true "$DEADLINE" has_seen link_state
	stop
	seen '.[-1] | .device == "fake1" and .port == 1 and .from == "ACTIVE" and .to == "DOWN"'
}

# bats test_tags=effect:watch:no-open
@test "--no-open: no event of a device, but what sysfs shows" {
	sysfs
	RB_FAKE='event@10ms=PORT_ERR;ibv_open_device=EACCES' begin --no-open --for 8s --until device_removed
	rm -r "$root/class/infiniband/fake1"
	finish
	ended 0 ok
	is '.watch.events == {device_removed: 1} and .warnings == []'
}

# bats test_tags=effect:watch:counters,effect:watch:interval
@test "counters that moved, how fast, and what it means" {
	sysfs
	begin --counters --interval 20ms -d fake0 --until counters
	echo 107 >"$root/class/infiniband/fake0/ports/1/hw_counters/out_of_sequence"
	finish
	ended 0 ok
	seen '.[-1] | .counters == {"hw.out_of_sequence": 100} and .per_s["hw.out_of_sequence"] == 5000'
	seen '.[-1] | .meanings["hw.out_of_sequence"] | test("lost or reordered")'
}

@test "a device that cannot be opened is warned of, the others are watched" {
	RB_FAKE='ibv_open_device#1=EACCES;event@50ms=PORT_ERR' watch --until port_err
	ended 0 ok
	is '.warnings[0].id == "device_not_open"'
	seen '.[-1].device == "fake1"'
}

@test "each call may fail: no leak, a valid document" {
	local n made
	for ((n = 1; n < 100; n++)); do
		RB_FAKE="control#$n=EIO" watch --for 1ms
		[ "$status" -le 1 ]
		read -r made <"${bases[watch]}.count"
		((made >= n)) || break
	done
	((n > 6))
}

@test "text: a line an event, what it means with -v, a sum" {
	RB_FAKE='event@50ms=PORT_ERR' start_rbench watch watch -d fake0 -v --until port_err
	: >"${bases[watch]}.any"
	await watch
	[ "$status" -eq 0 ]
	grep -qE '^20[0-9-]+T[0-9:]+\.[0-9]{3}Z  port_err +fake0 port 1: the port lost its link$' "$doc"
	grep -qE '^    cable, transceiver' "$doc"
	grep -qE '^watched for .*, 1 event: port_err 1$' "$doc"
}

@test "--json=FILE beside the text" {
	RB_FAKE='event@50ms=PORT_ERR' start_rbench watch watch -d fake0 --until port_err --json="$BATS_TEST_TMPDIR/lines.json"
	: >"${bases[watch]}.any"
	await watch
	[ "$status" -eq 0 ]
	grep -q ' port_err ' "$doc"
	feed=$BATS_TEST_TMPDIR/lines.json
	seen 'map(.type) == ["watching", "port_err"]'
}

@test "who reads no more ends it" {
	WRAP=(sh -c 'exec "$@" >/dev/full' sh)
	watch --for 8s
	[ "$status" -eq 1 ]
	[ "$(error_lines)" -eq 1 ]
}
