#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# usage.bats - every command line of usage.rows ends as its row says

load ../helpers

rows() { grep -vE '^[[:space:]]*(#|$)' "$BATS_TEST_DIRNAME/usage.rows"; }

# each_row FUNCTION: calls it with the row's exit code, text and arguments
each_row() {
	local row code args text bad=0
	while IFS= read -r row; do
		IFS='|' read -r code args text <<<"$row"
		# 'read' takes the blanks around a word away
		read -r code <<<"$code"
		read -r text <<<"$text"
		set -f
		eval "set -- $1 $args"
		set +f
		if ! "$1" "$code" "$text" "${@:2}"; then
			echo "^ $row"
			bad=1
		fi
		# the next row's function
		set -- "$1"
	done < <(rows)
	return "$bad"
}

# ended_as CODE TEXT: one line that has the text, or no line at all
ended_as() {
	local lines=1
	[[ $2 != - ]] || lines=0
	if [[ $status -ne $1 || $(error_lines) -ne $lines ]]; then
		echo "exit $status with $(error_lines) error lines:"
		cat "$err"
		return 1
	fi
	[[ $2 == - ]] || said "$2"
}

in_text() {
	rbench "${@:3}"
	ended_as "$1" "$2" || return
	[[ " $* " != *' --json '* ]] || return 0
	: >"${bases[rbench]}.any" # not a document
	[[ $1 -ne 2 || ! -s $doc ]] || { echo 'results on a usage error'; return 1; }
}

in_json() {
	# what prints help has no document
	[[ $1 -ne 0 ]] || return 0
	rbench "${@:3:1}" --json "${@:4}"
	ended_as "$1" "$2" || return
	[[ -s $doc ]] || { echo 'no document'; return 1; }
	if (($1 == 2)); then usage_errors+=("$doc"); else failures+=("$doc"); fi
}

# Rows of a command that exists: without one there is nobody to read --json.
of_a_command() {
	[[ $commands != *$'\n'"${3:-}"$'\t'* ]] || in_json "$@"
}

# all_are JQ-CONDITION FILE...: one look at all documents (see 'measured')
all_are() {
	run -0 jq -r "select($1 | not) | input_filename" "${@:2}"
	[[ -z $output ]] || { echo "not so: $1"; cat "${lines[@]}"; return 1; }
}

setup() {
	helpers_setup
	DEADLINE=3
}

@test "every row ends with its code and one line that has its text" {
	each_row in_text
}

@test "every row that fails gives a document with --json" {
	local usage_errors=() failures=() commands
	commands=$'\n'$("$RBENCH" --list-commands)
	each_row of_a_command
	all_are '.status == "failed" and .error.code == "usage"' "${usage_errors[@]}"
	all_are '.status == "failed"' "${failures[@]}"
}

@test "--json=FILE holds the document of a usage error as well" {
	rbench write_bw -s 0 --json="$BATS_TEST_TMPDIR/out.json"
	[ "$status" -eq 2 ]
	[ ! -s "$doc" ]
	doc=$BATS_TEST_TMPDIR/out.json
	is '.status == "failed" and .error.code == "usage" and .results == []'
}

@test "--json=FILE that cannot be written is said once" {
	rbench write_bw -s 0 --json=/nonexistent/out.json
	[ "$status" -eq 2 ]
	[ "$(error_lines)" -eq 1 ]
}

@test "an argument that is not UTF-8 spoils neither the line nor the document" {
	rbench write_bw --json -s $'\xff\xfe'
	[ "$status" -eq 2 ]
	is '.argv | length == 4'
	[ "$(error_lines)" -eq 1 ]
}

@test "very long arguments are cut, not a problem" {
	local long
	printf -v long '%05000d' 0
	long=${long//0/x}
	rbench write_bw --json -s "$long"
	[ "$status" -eq 2 ]
	[ "$(error_lines)" -eq 1 ]
	rbench write_bw --json "--$long"
	[ "$status" -eq 2 ]
	rbench write_bw --json -s 1,"${long//x/1,}"1
	[ "$status" -eq 2 ]
	rbench write_bw --json --wait 0 -p 1 "$long"
	[ "$status" -eq 1 ]
	is '.error.code == "peer_name"'
}

@test "without a device, devices says so and what to do" {
	rbench devices --json
	failed_with no_devices 'modprobe'
}
