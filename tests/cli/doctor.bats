#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# doctor.bats - 'rbench doctor' on recorded facts

load ../helpers

rows() { RBENCH=$RBENCH "$RBENCH_SRC/tests/doctorrows" "$1"; }

@test "every rule has a row" {
	local missing
	missing=$(comm -23 <("$RBENCH" doctor --list-rules | awk '{ print $1 }' | sort) \
		<(awk '!/^#/ { print $1 }' "$RBENCH_SRC/tests/cli/doctor.rows" | sort -u))
	[[ -z $missing ]] || { echo "no row: $missing"; return 1; }
}

@test "every rule finds what it is for" {
	rows fires
}

@test "no rule finds what is not there" {
	rows quiet
}

@test "a fact that could not be read is never a pass" {
	rows honest
}

@test "reports of others: the finding that explains them is the first, and no error is false" {
	rows cases
}

# doctor ARGS...: with a document
doctor() { rbench doctor --json "$@"; }

snapshot() { echo "$RBENCH_SRC/tests/fixtures/snapshots/$1.json"; }

# finds RULE [SEVERITY]
finds() { is ".doctor.findings | any(.rule == \"$1\" and (\"${2:-}\" == \"\" or .severity == \"${2:-}\"))"; }

# bats test_tags=effect:doctor:severity
@test "the exit code follows --severity" {
	doctor "$(snapshot irdma)"
	ended 3 below_expectation
	is '.expectations == [{"expr": "no finding of severity warning or worse", "value": 2, "met": false}]'
	doctor --severity error "$(snapshot irdma)"
	ended 0 ok
	is '.doctor.sums.warnings == 2 and .doctor.sums.errors == 0'
	doctor --severity info "$(snapshot efa)"
	ended 0 ok
}

@test "the first lines have the verdict, the finding and the fix" {
	run -3 "$RBENCH" doctor "$(snapshot rxe)"
	[[ ${lines[0]} =~ ^node-d:\ [0-9]+\ errors,\ [0-9]+\ warnings ]]
	[[ ${lines[1]} == 'ERROR LIM-MEMLOCK' ]]
	[[ ${lines[2]} == *'8 MiB'* && ${lines[3]} == *'fix: '*limits.d* ]]
}

@test "-v shows all outcomes, a rule's reason too" {
	run -0 "$RBENCH" doctor -v "$(snapshot efa)"
	[[ $output == *'unknown PCI-MPS'*'only its beginning can be read'* ]]
	[[ $output == *'pass    DEV-NONE'* && $output == *'skip    MTU-ACTIVE'* ]]
}

# bats test_tags=effect:doctor:rule
@test "--rule: one rule, explained" {
	run -3 "$RBENCH" doctor --rule net-fw "$(snapshot rxe)"
	[[ ${lines[0]} == 'NET-FW: the firewall drops what is needed (host, error at worst)' ]]
	[[ $output == *'reads: /firewall'* && $output != *LIM-MEMLOCK* ]]
	doctor --rule NET-FW "$(snapshot rxe)"
	is '.doctor.rules[0].id == "NET-FW" and (.doctor.findings + .doctor.outcomes | all(.rule == "NET-FW"))'
	doctor --rule NO-SUCH "$(snapshot rxe)"
	ended 2 failed
}

# bats test_tags=effect:doctor:list-rules
@test "--list-rules: unique, complete, in order" {
	doctor --list-rules
	ended 0 ok
	is '.doctor.rules | length > 100 and ([.[].id] | length == (unique | length))'
	is '.doctor.rules | all(.id | test("^[A-Z0-9]+(-[A-Z0-9]+)*$"))'
	run -0 "$RBENCH" doctor --list-rules
	[[ ${lines[0]} =~ ^DEV-NONE\ +host\ +error\ +no\ RDMA\ device$ ]]
}

@test "rbench-doctor(1) is in step with the rules" {
	run -0 env RBENCH="$RBENCH" "$RBENCH_SRC/scripts/doctor-man" --check
}

# bats test_tags=effect:doctor:tclass
@test "a finding has what it rests on and names in its fix" {
	doctor --rule NET-QDISC "$(snapshot rxe)"
	is '.doctor.findings[0] | .subject == {"host": "node-d", "device": "rxe0", "port": "1", "netdev": "v0"} and
		.fix == "tc qdisc del dev v0 root"'
	doctor --rule QOS-MAP --tclass 32 "$(snapshot bnxt_re)"
	is '.doctor.findings[0] | .facts["/netdevs/ens3f0np0/dcb/pfc/enabled"][3] and (.text | test("option --tclass"))'
}

# bats test_tags=effect:doctor:device
@test "-d: only what is of this device; one that is not there is an error" {
	doctor -d mlx5_1 "$(snapshot mlx5)"
	is '[.doctor.findings[], .doctor.outcomes[] | .subject.device | values] | unique == ["mlx5_1"]'
	doctor -d ens1f0np0 "$(snapshot mlx5)"
	is '[.doctor.outcomes[].subject.device | values] | unique == ["mlx5_0"]'
	doctor -d nosuch "$(snapshot mlx5)"
	failed_with no_device nosuch
}

# what does not depend on when and where it was looked at
steady() { jq -S '[.doctor.findings[] | del(.facts)], [.doctor.outcomes[]]' "$1"; }

@test "a file gives the findings of the live host that wrote it" {
	local host root
	for host in mlx5 bnxt_re irdma efa rxe; do
		root=$BATS_TEST_TMPDIR/$host
		"$RBENCH_SRC/tests/hosttree" "$host" "$root"
		export RBENCH_ROOT=$root
		doctor --interval 10ms
		steady "$doc" >"$root.live"
		rbench snapshot --json --interval 10ms -o "$root.any"
		unset RBENCH_ROOT
		doctor "$root.any"
		diff "$root.live" <(steady "$doc")
	done
}

@test "healthy hosts: no error" {
	local host
	for host in mlx5 bnxt_re irdma efa; do
		doctor "$(snapshot "$host")"
		is '.doctor.sums.errors == 0'
	done
}

@test "what is no snapshot is refused" {
	echo '{"schema": "rbench/1"}' >"$BATS_TEST_TMPDIR/x"
	doctor "$BATS_TEST_TMPDIR/x"
	failed_with snapshot
	doctor "$BATS_TEST_TMPDIR/none"
	failed_with snapshot
}

@test "names from a hostile file do not reach the terminal as they are" {
	jq '.host.name = "a\u001b[2Jb" | .devices["x\u001b[1m"] = .devices.rxe0 | del(.devices.rxe0)' \
		"$(snapshot rxe)" >"$BATS_TEST_TMPDIR/x"
	"$RBENCH" doctor -v "$BATS_TEST_TMPDIR/x" >"$BATS_TEST_TMPDIR/text" || [ $? -eq 3 ]
	run ! grep -q $'\033' "$BATS_TEST_TMPDIR/text"
	grep -q 'a?\[2Jb' "$BATS_TEST_TMPDIR/text"
	mkdir "$BATS_TEST_TMPDIR/hostile"
	cp "$BATS_TEST_TMPDIR/x" "$BATS_TEST_TMPDIR/hostile/a.json"
	cp "$RBENCH_SRC/tests/fixtures/snapshots/rxe.json" "$BATS_TEST_TMPDIR/hostile/b.json"
	run -3 "$RBENCH" doctor --fleet "$BATS_TEST_TMPDIR/hostile"
	[[ $output != *$'\x1b'* && $output == *'x?[1m'* ]]
	echo '{"schema": "rbench/1", "command": "write_bw", "status": "failed", "error": {"code": "x", "message": "a\u001b[2Jb"}}' \
		>"$BATS_TEST_TMPDIR/run.any"
	run "$RBENCH" doctor --with "$BATS_TEST_TMPDIR/run.any" "$RBENCH_SRC/tests/fixtures/snapshots/rxe.json"
	[[ $output != *$'\x1b'* && $output == *'a?[2Jb'* ]]
}

@test "two files: the traffic of both ends" {
	jq '.devices.mlx5_0.ports["1"] |= (.cm.default_roce_tos = 0) | .host.name = "other"
		| .devices.mlx5_0.ports["1"].gids[3].gid = "::ffff:10.10.1.7"' \
		"$(snapshot mlx5)" >"$BATS_TEST_TMPDIR/x"
	doctor "$(snapshot mlx5)" "$BATS_TEST_TMPDIR/x"
	is '.doctor.hosts | length == 2'
	is '[.doctor.traffic[] | [.host, .priority, .pfc]] == [["node-a.example.net", 3, true], ["other", 0, false]]'
	finds QOS-PFC-PAIR warning
	run "$RBENCH" doctor "$(snapshot mlx5)" "$BATS_TEST_TMPDIR/x"
	[[ $output == *'other mlx5_0/1: class 0 (default), DSCP 0, by dscp priority 0: PFC off, ECN unknown'* ]]
}

# Every value of a snapshot something else, as far as the loader lets it be.
hostile() {
	local host file=$BATS_TEST_TMPDIR/hostile.any code
	for host in mlx5 rxe efa; do
		jq -c "walk(if type != \"object\" and type != \"array\" then $1 else . end)
			| .schema = \"rbench-snapshot/1\" | .version = \"0\" | .taken_at = \"\" | .missing = []" \
			"$(snapshot "$host")" >"$file"
		code=0
		"$RBENCH" doctor --json "$file" "$file" >"$BATS_TEST_TMPDIR/hostile-$host.json" || code=$?
		[[ $code -eq 0 || $code -eq 3 ]] || { echo "$host: exit $code"; return 1; }
	done
}

@test "a snapshot in which nothing is what it should be" {
	each hostile '"x"' '""' -1 0 4611686018427387904 1e300 true null '[]' '{}' '[[]]' '"ffff:ffff::/999"'
}

# first: the rule of the first finding
first() { [[ $(field '.doctor.findings[0].rule') == "$1" ]] || { field '.doctor.findings[] | [.rule, .severity, .likelihood] | @csv'; return 1; }; }

# bats test_tags=effect:doctor:symptom
@test "--symptom: what explains it comes first" {
	doctor "$(snapshot rxe)"
	first LIM-MEMLOCK
	doctor --symptom status=12,vendor_err=0x81 "$(snapshot rxe)"
	first NET-SAMESUBNET
	is '.doctor.findings | (map(.likelihood // 0)) == (map(.likelihood // 0) | sort | reverse)'
	is '.doctor.findings | map(select(.likelihood)) | [.[].rule] | contains(["NET-FW", "NET-QDISC", "NET-RPFILTER"])'
	doctor --symptom latency "$(snapshot rxe)"
	is '[.doctor.findings[:2][].rule] | sort == ["CPU-GOV", "NET-QDISC"]'
	doctor --symptom call=ibv_reg_mr,errno=ENOMEM "$(snapshot rxe)"
	first LIM-MEMLOCK
	is '.doctor.findings[1].likelihood == null'
	run -3 "$RBENCH" doctor --symptom slow "$(snapshot irdma)"
	[[ ${lines[1]} == 'symptom: slow' && ${lines[2]} =~ 'found 1, ruled out '[0-9]+ ]]
}

@test "--symptom that nobody knows is a usage error" {
	local word
	for word in no status=4711 colour=red ''; do
		doctor --symptom "$word" "$(snapshot rxe)"
		ended 2 failed
	done
}

# A run: as rbench writes it of one that lost packets.
lossy_run() {
	jq -n '{schema: "rbench/1", command: "write_bw", status: "ok", results: [{size_bytes: 65536, duration_ns: 3000000000,
		bandwidth: {bits_per_s: 1, percent_of_link: 96}}], local: {device: "mlx5_0", port: 1},
		peer: {device: "mlx5_9", port: 1}, counters: {local: {"hw.packet_seq_err": 40}, peer: {"hw.out_of_sequence": 40}},
		warnings: [{id: "packet_seq_err", text: "x"}]}'
}

# bats test_tags=effect:doctor:with
@test "--with: the counters of a run are judged, and loss is named" {
	lossy_run >"$BATS_TEST_TMPDIR/run"
	doctor --with "$BATS_TEST_TMPDIR/run" "$(snapshot mlx5)"
	first CNT-LOSS-OUT
	is '.doctor.symptom.words == ["packets were lost"]'
	is '.doctor.findings[0] | .likelihood == 85 and .facts["/devices/mlx5_0/ports/1/counters/deltas/hw.packet_seq_err"] == 40 and
		(.text | test("40 in 3 s"))'
	# the same file from the other end's view
	jq '.local.device = "mlx5_9" | .peer.device = "mlx5_0"' "$BATS_TEST_TMPDIR/run" >"$BATS_TEST_TMPDIR/run2"
	doctor --with "$BATS_TEST_TMPDIR/run2" "$(snapshot mlx5)"
	first CNT-LOSS-IN
	jq '.peer.device = "mlx5_8" | .local.device = "x"' "$BATS_TEST_TMPDIR/run" >"$BATS_TEST_TMPDIR/run3"
	doctor --with "$BATS_TEST_TMPDIR/run3" "$(snapshot mlx5)"
	is '[.warnings[].id] == ["other_device"]'
}

# bats test_tags=effect:doctor:gid-index
@test "--gid-index: what would be wrong with that entry" {
	doctor --rule GID-CHOICE "$(snapshot mlx5)"
	is '.doctor.findings == []'
	doctor --rule GID-CHOICE --gid-index 0 "$(snapshot mlx5)"
	is '.doctor.findings[0].text | test("option --gid-index")'
}

# bats test_tags=effect:doctor:peer-device
@test "--peer-device: of the second host only what is of this device" {
	jq '.host.name = "other"' "$(snapshot mlx5)" >"$BATS_TEST_TMPDIR/x"
	doctor -d mlx5_0 --peer-device mlx5_1 "$(snapshot mlx5)" "$BATS_TEST_TMPDIR/x"
	is '[.doctor.findings[], .doctor.outcomes[] | .subject | select(.host == "other").device | values] | unique == ["mlx5_1"]'
}

@test "--with: a failure is decoded from its message" {
	lossy_run | jq '.status = "failed" | .error = {code: "completion_error", message:
		"QP 0x12 on x failed after 0 messages: transport retry counter exceeded (status 12, vendor_err 0x81 of mlx5)"}' \
		>"$BATS_TEST_TMPDIR/run"
	doctor --with "$BATS_TEST_TMPDIR/run" "$(snapshot mlx5)"
	is '.doctor.symptom.suspects | .["GID-SUBNET"] == 90 and .["GID-CHOICE"] >= 80'
	lossy_run | jq '.status = "failed" | .error = {code: "memlock", message: "cannot"}' >"$BATS_TEST_TMPDIR/run"
	doctor --with "$BATS_TEST_TMPDIR/run" "$(snapshot rxe)"
	first LIM-MEMLOCK
	echo '{}' >"$BATS_TEST_TMPDIR/x"
	doctor --with "$BATS_TEST_TMPDIR/x" "$(snapshot rxe)"
	failed_with document
	doctor --with "$BATS_TEST_TMPDIR/none" "$(snapshot rxe)"
	failed_with document
}

# are_rules LIST: a word a line; there are some, and each is a rule of doctor
are_rules() {
	[[ -n $1 ]] || { echo 'no rule is named there'; return 1; }
	run ! grep -vxFf <("$RBENCH" doctor --list-rules | awk '{ print $1 }') <<<"$1"
}

@test "every rule of the table of symptoms is one of doctor's" {
	are_rules "$(grep -oE '"(status|[a-z_]+)[ 0-9]*", "[A-Z0-9 -]+"' "$RBENCH_SRC/src/diag/symptom.c" |
		sed 's/.*", "//; s/"//; s/ /\n/g')"
}

# node NAME JQ: a snapshot of a fleet
node() { jq "def port: .devices.mlx5_0.ports[\"1\"]; .host.name = \"$1\" | $2" "$(snapshot mlx5)" >"$fleet/$1.json"; }

@test "--fleet: a rule that does not exist, and what is about a pair" {
	mkdir "$BATS_TEST_TMPDIR/fleet"
	doctor --fleet "$BATS_TEST_TMPDIR/fleet" --rule NO-SUCH
	[ "$status" -eq 2 ]
	said NO-SUCH
	doctor --fleet "$BATS_TEST_TMPDIR/fleet" --symptom slow
	[ "$status" -eq 2 ]
	said 'about a host or a pair'
}

# bats test_tags=effect:doctor:fleet,effect:doctor:golden
@test "--fleet: the hosts that are not like the others are named" {
	fleet=$BATS_TEST_TMPDIR/fleet
	mkdir "$fleet"
	node n1 .
	node n2 '.devices.mlx5_0.firmware = "22.38.1002"'
	node n3 'port.mtu = 1024 | del(.netdevs.ens1f0np0.dcb.pfc)'
	node n4 '.devices.mlx5_0.ports["1"].gids[3].gid = "::ffff:10.10.1.9"'
	doctor --fleet "$fleet"
	ended 3 below_expectation
	is '.doctor.fleet.differences | map(.attribute) | sort == ["mlx5_0 firmware", "mlx5_0/1 PFC", "mlx5_0/1 active MTU"]'
	is '.doctor.fleet.differences[] | select(.attribute == "mlx5_0 firmware") |
		. == {"attribute": "mlx5_0 firmware", "usual": "22.41.1000", "hosts": 3, "outliers": [{"host": "n2", "value": "22.38.1002"}]}'
	is '.doctor.fleet.differences[] | select(.attribute == "mlx5_0/1 PFC") | .outliers == [{"host": "n3"}]'
	is '.doctor.fleet.hosts[2] | .name == "n3" and (.rules | index("MTU-ACTIVE"))'
	run -3 "$RBENCH" doctor --fleet "$fleet"
	[[ $output == *'mlx5_0 firmware: 22.41.1000 (3 hosts)'* && $output == *'n2 '*22.38.1002* ]]
	doctor --fleet "$fleet" --golden "$fleet/n2.json"
	is '.doctor.fleet.differences[] | select(.attribute == "mlx5_0 firmware") | [.outliers[].host] == ["n1", "n3", "n4"]'
	rm "$fleet"/n[23].json
	doctor --fleet "$fleet"
	ended 0 ok
	doctor --fleet "$BATS_TEST_TMPDIR/none"
	failed_with input
	doctor --golden "$fleet/n1.json"
	ended 2 failed
}

@test "--fleet: what one host could not read makes it no outlier" {
	fleet=$BATS_TEST_TMPDIR/fleet
	mkdir "$fleet"
	node n1 '.devices.mlx5_0.firmware = "22.38.1002"'
	node n2 .
	node n3 'del(.devices.mlx5_0.firmware) | .missing += [{"fact": "/devices/mlx5_0/firmware", "source": "x",
		"kind": "denied", "reason": "y"}]'
	node n4 'del(.netdevs.ens1f0np0.dcb) | .missing += [{"fact": "/netdevs/ens1f0np0/dcb", "source": "x",
		"kind": "denied", "reason": "y"}]'
	node n5 'del(.netdevs.ens1f0np0.dcb) | .missing += [{"fact": "/netdevs/ens1f0np0/dcb", "source": "x",
		"kind": "unsupported", "reason": "y"}]'
	doctor --fleet "$fleet"
	ended 3 below_expectation
	is '.doctor.fleet.differences[] | select(.attribute == "mlx5_0 firmware") |
		.hosts == 3 and .usual == "22.41.1000" and [.outliers[].host] == ["n1"]'
	# that there is no such thing is a difference
	is '.doctor.fleet.differences[] | select(.attribute == "mlx5_0/1 PFC") | .hosts == 3 and .outliers == [{"host": "n5"}]'
	is '.doctor.fleet.hosts | map(select(.unreadable).name) == ["n3", "n4"]'
	is '.doctor.fleet.hosts[2].unreadable == ["mlx5_0 firmware"]'
	is '.doctor.fleet.hosts[3].unreadable | index("mlx5_0/1 PFC") and index("mlx5_0/1 DSCP map")'
	run -3 "$RBENCH" doctor --fleet "$fleet"
	[[ $output == *'  not readable: mlx5_0 firmware'* ]]
	# a golden host that could not read it is no measure
	doctor --fleet "$fleet" --golden "$fleet/n3.json"
	is '.doctor.fleet.differences | all(.attribute != "mlx5_0 firmware")'
}

@test "--fleet: the whole name of a device counts" {
	local long
	fleet=$BATS_TEST_TMPDIR/fleet
	long=$(printf 'x%.0s' {1..100})
	mkdir "$fleet"
	node n1 ".devices.${long}a = .devices.mlx5_0 | .devices.${long}b = .devices.mlx5_0"
	node n2 ".devices.${long}a = .devices.mlx5_0 | .devices.${long}b = .devices.mlx5_0 | .devices.${long}a.firmware = \"1\""
	doctor --fleet "$fleet"
	is ".doctor.fleet.differences | map(.attribute) == [\"${long}a firmware\"]"
}

@test "warnings of runs name rules that doctor has" {
	are_rules "$(sed -n '/rows\[\] = {/,/^};/p' "$RBENCH_SRC/src/diag/counter.c" |
		grep -oE '"[A-Z]+(-[A-Z]+)+"' | tr -d '"')"
}
