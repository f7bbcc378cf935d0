# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# property - every combination of options that is accepted ends, with a document
#
# Random ones, from a seed that is printed. RBENCH_PROPERTY_SEED takes another
# one, RBENCH_PROPERTY_RUNS more (12).

load ../helpers

# one_of WORD...
one_of() { pick=${!#}; local i=$((RANDOM % $# + 1)); pick=${!i}; }

# maybe OPTION VALUE...: one in four times
maybe() {
	local option=$1
	shift
	((RANDOM % 4 == 0)) || return 0
	one_of "$@"
	arguments+=("$option")
	[[ -z $pick ]] || arguments+=("$pick")
}

# The numbers are those at which counts do not divide one another.
choose() {
	arguments=()
	one_of write_bw write_bw send_bw read_bw atomic_bw write_lat send_lat read_lat
	command=$pick
	one_of 1 2 3 5 16 17 100 128 129 257
	arguments+=(-n "$pick")
	maybe -Q 1 2 3 5 16 100 128
	maybe -l 1 2 3 8 16 17
	maybe -t 1 2 3 16 17 128
	maybe -q 1 2 3 7 16
	maybe -r 1 2 3 4 16 17 512
	maybe -s 1 8 64 4K 64K
	maybe -b ''
	maybe -e ''
	maybe --post-send ''
	maybe -I 0 1 64 220
	maybe --threads 1 2 3
	maybe --sge 1 2 3
	maybe --footprint 4K 64K
	maybe --rate 100K/s 10M/s
	maybe --cqe-poll 1 3 128
	maybe -c RC RC UC UD
	# a datagram has to fit a packet, which only both ends know
	[[ ${arguments[*]} != *UD* ]] || arguments=("${arguments[@]/#[46]*K/1K}")
}

@test "random combinations" {
	local seed=${RBENCH_PROPERTY_SEED:-4711} i command pick accepted=0
	local -a arguments
	RANDOM=$seed
	DEADLINE=30
	echo "# seed $seed" >&3
	for ((i = 0; i < ${RBENCH_PROPERTY_RUNS:-12}; i++)); do
		choose
		echo "$i: $command ${arguments[*]}"
		serve "$command"
		client "${arguments[@]}"
		case $status in
		0)
			accepted=$((accepted + 1))
			is '.status == "ok"'
			await_server
			[[ $status == 0 ]]
			;;
		2)
			is '.status == "failed" and .error.code == "usage"'
			stop_server
			;;
		*) return 1 ;;
		esac
	done
	((accepted > 0))
}
