#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# setup.bats - what comes before and after the measurement is short, and does
# not grow with what it sets up where it need not

load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# took_ms COMMAND...: how long it ran
took_ms() {
	local start=${EPOCHREALTIME/./}
	"$@"
	ms=$(((${EPOCHREALTIME/./} - start) / 1000))
}

# within MS ARGS...: one of several runs takes less. The limits are far from what
# it takes, which scripts/bench-loop measures: here a busy machine must not fail,
# only a program that sleeps.
within() {
	local i limit=$1
	# a sanitizer is slow, and so is its look for leaks at the end
	! is_sanitized || limit=$(($1 * 20))
	for ((i = 0; i < 20; i++)); do
		serve write_bw
		took_ms client "${@:2}"
		measured
		await_server
		measured
		echo "run $i: $ms ms"
		((ms >= limit)) || return 0
	done
	return 1
}

@test "nothing sleeps on the way to five messages and back" {
	within 400 -n 5
}

@test "nor through rdma_cm" {
	within 600 -n 5 -R
}

# frames END: those that it sent and got, but for signs of life
frames() { grep -E ': (send|got) [a-z]' "${bases[$1]}.err" | grep -cv ' alive '; }

# exchange ARGS...: the frames of both ends of a run
exchange() {
	serve write_bw -vv
	client -vv -n 1 "$@"
	measured
	await_server
	measured
	echo "$*: client $(frames client), server $(frames server)"
	told="$(frames client) $(frames server)"
}

@test "the number of frames does not depend on the number of queue pairs" {
	exchange -q 1
	local few=$told
	[[ $few != 0* ]]
	exchange -q 4096 -s 64 -t 2
	[ "$told" = "$few" ]
}

@test "nor does it through rdma_cm" {
	exchange -R -q 1
	local few=$told
	exchange -R -q 256 -s 64 -t 2
	[ "$told" = "$few" ]
}

@test "4096 queue pairs are set up and used in less than 5 s" {
	within 5000 -n 1 -q 4096 -s 64 -t 2
	is '.results[0].messages == 4096'
}

@test "the size of an end's frames is bounded where the number of queue pairs is" {
	serve write_bw -vv
	client -vv -n 1 -q 4096 -s 64 -t 2
	measured
	local most
	most=$(sed -nE 's/.*: (send|got) [a-z]+ \(([0-9]+) bytes\)/\2/p' "$err" | sort -n | tail -n 1)
	echo "largest frame: $most bytes"
	((most < 4 << 20))
	await_server
	measured
}
