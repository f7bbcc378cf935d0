#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# delay.bats - a wire that is longer by a known time: so is the latency
#
# netem in an emulated guest is late itself, by some tenths of a millisecond. How
# late differs from run to run (10 to 30 % were seen), so perftest says what it is
# at nearly the same time.

export SERVER=10.0.0.2
export DEADLINE=120 # everything is emulated
load ../helpers

setup_file() { export BATS_TEST_RETRIES=2; } # emulated: see verbs.bats

teardown() {
	tc qdisc del dev v0 root 2>/dev/null || true
	tc qdisc del dev v1 root 2>/dev/null || true
	helpers_teardown
}

longer() {
	tc qdisc replace dev v0 root netem delay "$1"
	tc qdisc replace dev v1 root netem delay "$1"
}

# median: of write_lat, ns; the least of three: what else runs here only adds
median() {
	local try least=
	for try in 1 2 3; do
		serve write_lat -d rxe1 --timeout 20 --cores 1
		client -d rxe0 --timeout 20 --cores 0 -n 25
		measured || return
		await_server
		doc=${bases[client]}.json
		least=$(field ".results[0].latency_ns.p50 | [., ${least:-infinite}] | min")
	done
	echo "$least"
}

# typical: perftest's median of the same, ns
typical() {
	local try least=
	for try in 1 2 3; do
		taskset -c 1 ib_write_lat -d rxe1 -x 1 -n 25 >/dev/null 3>&- &
		until ss -Hltn 'sport = :18515' | grep -q .; do :; done
		taskset -c 0 ib_write_lat -d rxe0 -x 1 -n 25 10.0.0.2 >"$BATS_TEST_TMPDIR/perftest" 3>&- || return
		wait $!
		least=$(awk -v least="$least" '$1 == 2 && $2 == 25 { v = $5 * 1000; print !least || v < least ? v : least }' "$BATS_TEST_TMPDIR/perftest")
	done
	echo "$least"
}

# within PERCENT VALUE TRUTH
within() { awk -v v="$2" -v t="$3" -v p="$1" 'BEGIN { exit !(v > t * (1 - p / 100) && v < t * (1 + p / 100)) }'; }

@test "2 ms each way: write_lat's median by as much, and as perftest's" {
	local alone longer theirs
	alone=$(median)
	longer 2ms
	longer=$(median)
	theirs=$(typical)
	echo "# write_lat $alone -> $longer ns, ib_write_lat $theirs ns"
	((longer - alone > 2000000))
	within 40 $((longer - alone)) 2000000
	within 15 "$longer" "$theirs"
}
