#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# environ.bats - what of a host spoils numbers is a warning, once
#
# The hosts are folders that RBENCH_ROOT names; the device is the double's.

load ../helpers

# put PATH TEXT: a file of the host
put() {
	mkdir -p "$(dirname "$root/$1")"
	echo "$2" >"$root/$1"
}

# A host with nothing to complain about: PCIe 4.0 x16, the device near CPU 0.
good_host() {
	local pci=$root/sys/devices/pci0000:00/0000:3b:00.0
	root=$BATS_TEST_TMPDIR/host
	pci=$root/sys/devices/pci0000:00/0000:3b:00.0
	mkdir -p "$pci" "$root/sys/bus/pci" "$root/sys/class/infiniband/fake1"
	ln -s "$pci" "$root/sys/class/infiniband/fake1/device"
	ln -s "$root/sys/bus/pci" "$pci/subsystem"
	pci=sys/devices/pci0000:00/0000:3b:00.0
	put $pci/vendor 0x02c9
	put $pci/numa_node 0
	put $pci/current_link_speed '16.0 GT/s PCIe'
	put $pci/current_link_width 16
	put $pci/max_link_speed '16.0 GT/s PCIe'
	put $pci/max_link_width 16
	cpu=sys/devices/system/cpu/cpu0
	put $cpu/cpufreq/scaling_governor performance
	put $cpu/cpuidle/state0/latency 0
	put $cpu/cpuidle/state1/latency 2
	put $cpu/cpuidle/state2/latency 133
	put $cpu/cpuidle/state2/disable 1
	local node
	for node in 0 1 2 3; do
		put sys/devices/system/node/node$node/distance '10 10 10 10'
	done
	put proc/cpuinfo $'processor\t: 0\nflags\t\t: fpu vme'
}

# visit [OPTION...]: a run whose client is that host; the other one is a good one
visit() {
	local empty=$BATS_TEST_TMPDIR/empty
	mkdir -p "$empty"
	RBENCH_ROOT=$empty serve write_bw -d fake0
	RBENCH_ROOT=$root client -d fake1 -n 10 "$@"
	measured
}

# warned ID TEXT: that warning and no other, and it says so
warned() {
	is "[.warnings[].id] - [\"short_run\"] == [\"$1\"]" || return
	said "$2"
}

@test "a good host has none of these warnings" {
	good_host
	visit
	is '[.warnings[].id] - ["short_run"] == []'
	is '.local | .numa_distance == 10 and .cpu.idle_us == 2'
}

@test "the governor of the CPU" {
	good_host
	put $cpu/cpufreq/scaling_governor powersave
	visit
	warned cpu_governor "this end: the CPU's governor is 'powersave'"
}

@test "an idle state that takes long to leave" {
	good_host
	put $cpu/cpuidle/state2/disable 0
	visit
	warned cpu_idle_states '133 us to wake'
	is '.local.cpu.idle_us == 133'
}

@test "a device at another NUMA node" {
	good_host
	put sys/devices/pci0000:00/0000:3b:00.0/numa_node 2
	local node
	for node in 0 1 3; do
		put sys/devices/system/node/node$node/distance '10 12 32 21'
	done
	visit
	warned numa_distance 'NUMA node 2, the CPU in use at another one (distance 32'
	is '.local | .numa_node == 2 and .numa_distance == 32'
}

@test "the NUMA node of the cores that measure counts, not where the run was started" {
	local core node
	core=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	good_host
	put sys/devices/pci0000:00/0000:3b:00.0/numa_node 2
	for node in 0 1 3; do
		put sys/devices/system/node/node$node/distance '10 12 32 21'
		put sys/devices/system/node/node$node/cpulist ''
	done
	put sys/devices/system/node/node2/cpulist 0-1023
	visit --cores "$core"
	is '[.warnings[].id] - ["short_run"] == []'
	is '.local.numa_distance == 10'
	# and the other way round
	put sys/devices/system/node/node2/cpulist ''
	put sys/devices/system/node/node3/cpulist 0-1023
	put sys/devices/system/node/node3/distance '10 12 40 10'
	visit --cores "$core"
	warned numa_distance 'distance 40'
}

@test "PCIe narrower than the link" {
	good_host
	put sys/devices/pci0000:00/0000:3b:00.0/current_link_width 4
	visit
	warned pcie_narrow 'PCIe (16 GT/s x4) carries less than the link: 63'
	said 'the device can do 16 GT/s x16'
}

@test "a small MTU on a fast link, at both ends or one, but not on a slow one" {
	good_host
	RB_FAKE=mtu=1024 visit
	warned small_mtu 'both ends: the MTU of the port is 1024 on a link of 100 Gb/s'
	await_server
	RB_FAKE='mtu=1024; speed=10' visit
	is '[.warnings[].id] - ["short_run"] == []'
}

@test "a virtual machine" {
	good_host
	put proc/cpuinfo $'processor\t: 0\nflags\t\t: fpu hypervisor vme'
	visit
	warned virtual_machine 'a virtual machine'
}

@test "the peer's are told here" {
	good_host
	put $cpu/cpufreq/scaling_governor powersave
	RBENCH_ROOT=$root serve write_bw -d fake0
	mkdir "$BATS_TEST_TMPDIR/empty"
	RBENCH_ROOT=$BATS_TEST_TMPDIR/empty client -d fake1 -n 10
	measured
	warned cpu_governor "the peer: the CPU's governor"
}

@test "a line for Nagios goes without" {
	good_host
	put $cpu/cpufreq/scaling_governor powersave
	serve write_bw -d fake0
	RBENCH_ROOT=$root start_rbench client write_bw -d fake1 -p "$port" -n 10 --nagios \
		--json="$BATS_TEST_TMPDIR/nagios" "$SERVER"
	touch "${bases[client]}.any"
	await client
	run ! grep -q governor "$err"
	doc=$BATS_TEST_TMPDIR/nagios
	is '.warnings | all(.id != "cpu_governor")'
}

# finds ID... : what the rules of doctor find in the run, whatever the order
finds() {
	local -x want="$*"
	is '[.findings[].id] | sort | join(" ") == env.want' && return
	field '.findings[] | tojson'
	return 1
}

@test "what doctor's rules find in these facts stands in the document" {
	good_host
	put sys/devices/pci0000:00/0000:3b:00.0/local_cpulist 0-3
	put proc/self/status $'Name:\trbench\nCpus_allowed_list:\t0-1'
	visit
	finds
	is '.findings == [] and .local.local_cpus == "0-3" and .local.cpu.allowed == "0-1"'
	await_server
	put $cpu/cpufreq/scaling_governor powersave
	put $cpu/cpuidle/state2/disable 0
	put sys/devices/pci0000:00/0000:3b:00.0/current_link_width 4
	put proc/self/status $'Name:\trbench\nCpus_allowed_list:\t4-7'
	visit
	finds CPU-CSTATE CPU-GOV NUMA-BIND PCI-SPEED
	is '.findings | all(.end == "local") and (map(select(.id == "PCI-SPEED"))[0] | .severity == "warning" and
		(.text | test("16 GT/s x4 of 16 GT/s x16")))'
	await_server
	ended 0 ok
	is '.findings | length == 4 and all(.end == "peer")'
}

# told: how often standard output and error have the word
told() { cat "$doc" "$err" | grep -o -- "$1" | grep -c .; }

@test "each of them is told once: by the warning, which names the rule, or by the rule" {
	good_host
	put sys/devices/pci0000:00/0000:3b:00.0/local_cpulist 0-3
	put proc/self/status $'Name:\trbench\nCpus_allowed_list:\t0-1'
	put $cpu/cpufreq/scaling_governor powersave
	put sys/devices/pci0000:00/0000:3b:00.0/current_link_width 4
	local word
	bench=write_bw
	RBENCH_ROOT=$BATS_TEST_TMPDIR/empty serve write_bw -d fake0
	RBENCH_ROOT=$root start_rbench client write_bw -d fake1 -n 10 -p "$port" "$SERVER"
	: >"${bases[client]}.any"
	await client
	for word in powersave CPU-GOV 'GT/s x4' PCI-SPEED; do
		[ "$(told "$word")" -eq 1 ] || { echo "$word: $(told "$word") times"; return 1; }
	done
	grep -qE '^verdict: .*; [0-9]+ warnings$' "$doc"
	await_server
	# who reads no warnings has the findings, each of which has the rule twice
	RBENCH_ROOT=$BATS_TEST_TMPDIR/empty serve write_bw -d fake0
	RBENCH_ROOT=$root start_rbench client write_bw -d fake1 -n 10 -p "$port" --quiet "$SERVER"
	: >"${bases[client]}.any"
	await client
	[ "$(told powersave)" -eq 1 ]
	grep -q '^CPU-GOV, local: ' "$doc"
	grep -qE '^verdict: .*; 2 findings of doctor$|; [0-9]+ warnings; 2 findings of doctor$' "$doc"
	await_server
}

@test "a small MTU is one of them, where the interface's is known" {
	good_host
	put sys/class/net/lo/mtu 1500
	RB_FAKE=mtu=1024 visit
	finds MTU-ACTIVE
	is '.local.netdev_mtu == 1500 and (.findings[0] | .end == "local" and (.text | test("1024 since lo has 1500")))'
}
