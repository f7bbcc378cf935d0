#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# matrix.bats - every verb over every transport, by manual exchange and through
# rdma_cm, polled and with events; what there is comes from the registry, so that
# nothing is forgotten. What was moved is compared with the ports' own counters.

# bats file_tags=long
SERVER=10.0.0.2
DEADLINE=60 # everything is emulated
load ../helpers

# Emulated, on CPUs that others use too: a deadline may pass for no fault of the
# program. A second try may do; twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

MESSAGES=40
MTU=1024 # of a wire with an MTU of 1500

# What the counters of rxe have to show: packets with requests go out, answers
# come back. $per is what one message takes. Over RC there are acknowledgements
# too, and packets that were sent again; UC and UD have nothing but the messages.
# shellcheck disable=SC2016
agrees='
	def count($side; $name): .counters[$side][$name] // 0;
	(if $rc then 3 * ($out + $in) + 100 else 2 end) as $more
	| (.results[0] | .messages == $n and (.bytes // (.messages * .size_bytes)) == $n * .size_bytes)
	and count("local"; "hw.sent_pkts") >= $out and count("local"; "hw.sent_pkts") <= $out + $more
	and count("peer"; "hw.sent_pkts") >= $in and count("peer"; "hw.sent_pkts") <= $in + $more
	and count("peer"; "hw.rcvd_pkts") >= $out and count("local"; "hw.rcvd_pkts") >= $in
	and count("local"; "netdev.tx_bytes") >= $out * 40 + $payload_out
	and count("peer"; "netdev.tx_bytes") >= $in * 40 + $payload_in
	and count("local"; "netdev.tx_bytes") <= 3 * (100 * ($out + $in) + $payload_out) + 50000
	and count("peer"; "netdev.tx_bytes") <= 3 * (100 * ($out + $in) + $payload_in) + 50000'

# counted COMMAND TRANSPORT SIZE: what such a run has to move
counted() {
	local n=$MESSAGES per=$((($3 + MTU - 1) / MTU)) out in=0 payload_out=0 payload_in=0
	out=$((n * per))
	case $1 in
	read_*) out=$n in=$((n * per)) payload_in=$((n * $3)) ;;
	atomic_*) in=$n ;;
	*) payload_out=$((n * $3)) ;;
	esac
	[[ $1 != @(write|send)_lat ]] || in=$out payload_in=$payload_out
	jq -e --argjson n "$n" --argjson out "$out" --argjson in "$in" \
		--argjson payload_out "$payload_out" --argjson payload_in "$payload_in" \
		--argjson rc "$([[ $2 == RC ]] && echo true || echo false)" "$agrees" "$doc" >/dev/null && return
	echo "expected $out packets out and $in in:"
	jq -c '.results[0], .counters' "$doc"
	return 1
}

# way COMMAND TRANSPORT OPTIONS...: measures, or refuses a wait for events as such
way() {
	local size=4000 sized=()
	[[ $2 != UD ]] || size=1000
	[[ $1 != *_lat ]] || size=64
	[[ $1 != atomic_* ]] || size=8
	[[ $1 == atomic_* ]] || sized=(-s "$size")
	bench=$1
	client -d rxe0 --timeout 20 -c "$2" -n "$MESSAGES" "${sized[@]}" "${@:3}" || return
	if ((status == 2)) && [[ " $* " == *' -e '* ]]; then
		said '--events:' || return
		return 0
	fi
	((status == 0)) || { echo "exit $status: $(tail -n 1 "$err")"; return 1; }
	counted "$1" "$2" "$size" || return
	measured_ways=$((measured_ways + 1))
}

# ways OPTIONS...: of every benchmark over every transport that it has
ways() {
	local name kind transports transport bad=0
	measured_ways=0
	serve server -d rxe1 --timeout 20
	: >"${bases[server]}.any" # many documents
	while IFS=$'\t' read -r name kind _ transports; do
		[[ $kind == benchmark ]] || continue
		[[ $* != *--imm* || $name == @(write|send)_* ]] || continue
		for transport in ${transports//,/ }; do
			[[ $transport != XRC ]] || continue # soft-RoCE has none
			way "$name" "$transport" "$@" && continue
			echo "^ $name -c $transport $*"
			bad=1
		done
	done < <("$RBENCH" --list-commands)
	echo "# $measured_ways ways measured"
	((measured_ways > 0)) || return
	return "$bad"
}

@test "polled, by manual exchange" { ways; }
@test "polled, through rdma_cm" { ways -R; }
@test "with events, by manual exchange" { ways -e; }
@test "with events, through rdma_cm" { ways -e -R; }
@test "immediate data, polled, by manual exchange" { ways --imm; }
@test "immediate data, solicited events, through rdma_cm" { ways --imm -e --solicited -R; }
