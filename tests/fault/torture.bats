#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# torture.bats - each control call fails once: the first of a run, then the
# second, ... to the last. Both ends end at once: either the call did not
# matter and the run is as good as any, or both give up with one line, a valid
# document and exit code 1. Nothing is left behind.

# bats file_tags=long
load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# The other end hears of it, rather than waiting for its own patience to end.
setup() {
	helpers_setup
	DEADLINE=4
}

# torture END ERRNO ARGS...: the calls of END fail
torture() {
	local end=$1 errno=$2 n bad=0
	shift 2
	for ((n = 1; n <= 500; n++)); do
		run_with "$end" "control#$n=$errno" "$@" || bad=1
		was_reached "$end" "$n" || break
	done
	# far fewer would mean that the plan was not followed
	((n > 20)) || { echo "only $((n - 1)) calls could fail"; return 1; }
	return "$bad"
}

# run_with END PLAN ARGS...
run_with() {
	local server_plan='' client_plan='' codes=()
	declare "$1_plan=$2"
	RB_FAKE=$server_plan serve "${benchmark:-write_bw}" || return
	# a server that fails before it listens is not waited for
	RB_FAKE=$client_plan start_client -n 5 --wait 1 "${@:3}"
	await client && codes+=("$status")
	await_server && codes+=("$status")
	ended_well "${codes[@]}" && return
	echo "^ $1 with $2 ${*:3}"
	return 1
}

# ended_well CODE CODE: both ends have measured, or both have failed as by
# failed_somehow. One look at both, since this is done a thousand times.
ended_well() {
	local words lines
	mapfile -t words < <(jq -r "if $has_measured then \"measured\"
		elif .status == \"failed\" and .error.code and (.error.hints | length > 0) then \"failed\"
		else \"\(.status), code \(.error.code), hints \(.error.hints)\" end" \
		"${bases[client]}.json" "${bases[server]}.json")
	mapfile -t lines < <(error_lines_of "${bases[client]}.err" "${bases[server]}.err")
	case "$* ${lines[*]} ${words[*]}" in
	'0 0 0 0 measured measured' | '1 1 1 1 failed failed') return 0 ;;
	esac
	echo "exit codes $*, error lines ${lines[*]}, documents: ${words[*]}"
	return 1
}

# was_reached END N: it made as many control calls (or was killed: unknown)
was_reached() {
	local made=$2
	[[ ! -s ${bases[$1]}.count ]] || read -r made <"${bases[$1]}.count"
	((made >= $2))
}

@test "client, ENOMEM" { torture client ENOMEM; }
@test "server, ENOMEM" { torture server ENOMEM; }
@test "client, EIO" { torture client EIO; }
@test "server, EIO" { torture server EIO; }
@test "client, both directions with events" { torture client EAGAIN -b -e --post-send -q 2; }
@test "server, both directions with events" { torture server EAGAIN -b -e --post-send -q 2; }
@test "client, over XRC" { torture client ENOMEM -c XRC -b; }
@test "server, over XRC" { torture server EIO -c XRC; }
@test "client, verifying" { torture client EINVAL --verify; }
@test "server, verifying" { torture server EINVAL --verify; }
@test "client, by the device's clock" { benchmark=read_lat torture client EIO --hw-clock; }
@test "client, through rdma_cm" { torture client ENOMEM -R -q 2; }
@test "server, through rdma_cm" { torture server ENOMEM -R -q 2; }
