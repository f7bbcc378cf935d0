#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# exact.bats - figures in a guest whose time is what it has executed
#
# There they are the same again whatever else this machine does, so that a few
# percent can be told: against a known delay, and against perftest. It has one
# CPU, where two ends that spin would take turns of milliseconds. So where both
# have something to do they either sleep (--events), or tests/lab2/turns makes
# their turns short. With that, what an exchange takes is still that which the two
# execute for it, since a system call is not cut short: medians were the same with
# turns of 7 us and of 20. A rate has in it what the other end spins in its turn,
# for both programs alike, which makes their difference smaller.

bats_require_minimum_version 1.5.0

# One boot for all tests of this file: they look at what it left, for each run
# NAME.json of rbench's client and NAME.perftest.
setup_file() {
	[[ -z ${RBENCH_LAB_ASAN:-} ]] || skip 'n/a: sanitizers add instructions'
	export OUT=$BATS_FILE_TMPDIR
	cat >"$OUT/script" <<-'END'
		cd "$RBENCH_LAB_OUT" || exit 1
		# Time jumps ahead while the disk is awaited: no deadline means much.
		listening() { until grep -qs ' 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.01; done; }
		failed() {
			echo "$1 failed" >>failed
			kill $responder
		}
		# ours NAME COMMAND ARGS...
		ours() {
			local name=$1 command=$2
			shift 2
			rbench "$command" -d rxe1 --timeout 1000 >"$name.responder" 2>&1 &
			responder=$!
			listening
			rbench "$command" -d rxe0 --timeout 1000 --json "$@" 10.0.0.2 >"$name.json" 2>"$name.err" || failed "$name"
			wait $responder
		}
		# theirs NAME COMMAND ARGS...
		theirs() {
			local name=$1 command=ib_$2
			shift 2
			"$command" -d rxe1 -x 1 -F "$@" >"$name.responder" 2>&1 &
			responder=$!
			listening
			"$command" -d rxe0 -x 1 -F "$@" 10.0.0.2 >"$name.perftest" 2>"$name.err" || failed "ib $name"
			wait $responder
		}
		# rate NAME COMMAND ARGS...: rbench after what the responder still does
		# at the start, which here is on the same CPU
		rate() {
			ours "$@" -t 128 -Q 1 -D 200ms --warmup 150ms
			theirs "$@" -t 128 -Q 1 -n 4000
		}
		median() {
			ours "$@" -n 1000
			theirs "$@" -n 1000
		}
		for size in 8 4096; do
			rate write_bw-$size write_bw -I 0 -s $size
			rate read_bw-$size read_bw -s $size
		done
		rate atomic_bw-8 atomic_bw
		median send_lat-8 send_lat -I 0 -s 8 -e
		median read_lat-8 read_lat -s 8
		median atomic_lat-8 atomic_lat
		# ib_send_bw -e has been seen to sleep for ever at both ends
		"$RBENCH_BUILD/tests/lab2/turns" 20000 &
		turns=$!
		median write_lat-8 write_lat -I 0 -s 8
		median send_spun_lat-8 send_lat -I 0 -s 8
		ours write_lat_each-8 write_lat -I 0 -s 8 -n 1000 -Q 1
		for size in 8 4096; do
			rate send_bw-$size send_bw -I 0 -s $size
		done
		kill $turns
		ours write_lat write_lat --imm -e -n 500
		for dev in v0 v1; do tc qdisc replace dev $dev root netem delay 2ms; done
		ours write_lat-2ms write_lat --imm -e -n 100
		ours send_lat-2ms send_lat -I 0 -e -n 100 -s 8
		ours read_lat-2ms read_lat -n 100 -s 8
	END
	status=0
	"$RBENCH_SRC/scripts/lab" --accel icount --out "$OUT" --timeout 300 exec "$OUT/script" \
		>"$OUT/stdout" 2>"$OUT/stderr" 3>&- || status=$?
	if [[ $status -ne 0 || -e $OUT/failed ]]; then
		echo "# the guest: $status" >&3
		tail -n 20 "$OUT/stderr" "$OUT/failed" "$OUT"/*.err >&3
		return 1
	fi
}

# ours NAME KEY: of its result
ours() { jq ".results[0].$2" "$OUT/$1.json"; }

# theirs NAME: messages per second, or the median in ns
theirs() {
	awk -v size="${1##*-}" '$1 == size && NF == 5 { printf "%.0f\n", $5 * 1e6; found = 1 }
		$1 == size && NF == 9 { printf "%.0f\n", $5 * 1e3; found = 1 }
		END { exit !found }' "$OUT/$1.perftest"
}

# What is left of chance is the kernel's: where in its tables and caches a run's
# objects came to lie moves a message by as much as one percent, so two are allowed.
# ratio NAME KEY: of rbench's figure to perftest's
ratio() {
	local own other
	own=$(ours "$1" "$2")
	other=$(theirs "$1")
	awk -v own="$own" -v other="$other" 'BEGIN { printf "%.4f\n", own / other }'
	echo "# $1: $own, perftest $other" >&3
}

# between LOW VALUE HIGH
between() { awk -v low="$1" -v v="$2" -v high="$3" 'BEGIN { exit !(low <= v && v <= high) }'; }

rises() {
	local before after
	before=$(ours "$1" latency_ns.p50)
	after=$(ours "$2" latency_ns.p50)
	echo "# $1: $before -> $after ns"
	between $(($3 * 95 / 100)) "$(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')" $(($3 * 105 / 100))
}

@test "2 ms more each way: write_lat's and send_lat's median rises by 2 ms, read_lat's by 4, to 5 %" {
	rises write_lat write_lat-2ms 2000000
	rises send_lat-8 send_lat-2ms 2000000
	rises read_lat-8 read_lat-2ms 4000000
}

@test "message rates: within 5 % of perftest's, none more than 2 % below" {
	local name
	for name in {write,read,send}_bw-{8,4096} atomic_bw-8; do
		between 0.98 "$(ratio "$name" message_rate.per_s)" 1.05
	done
}

@test "median latencies: from 10 % below perftest's to 2 % above" {
	local name
	for name in {send,send_spun,write,read,atomic}_lat-8; do
		between 0.9 "$(ratio "$name" latency_ns.p50)" 1.02
	done
}

# perftest asks for a completion of each write and awaits it before it looks for
# the answer. So does rbench with -Q 1; by default it asks for one in 64.
@test "write_lat with a completion for each message, too: within 2 % of perftest's" {
	cp "$OUT/write_lat-8.perftest" "$OUT/write_lat_each-8.perftest"
	between 0.98 "$(ratio write_lat_each-8 latency_ns.p50)" 1.02
}
