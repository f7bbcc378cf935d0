#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# perftest.bats - each option of perftest does what docs/perftest-options.md says
# of it: taken under its name or ours, without effect, or refused with a reason

load ../helpers

table=$RBENCH_SRC/docs/perftest-options.md

# rows WORD...: "spellings<TAB>ours" of the rows of these kinds
rows() {
	awk -F ' *[|] *' -v kinds="|$(IFS='|' && echo "$*")|" '
		index(kinds, "|" $4 "|") && $2 ~ /^`/ {
			gsub(/[`,]/, "", $2)
			gsub(/[`,]/, "", $3)
			print $2 "\t" $3
		}' "$table"
}

# spellings KIND...: one a line
spellings() { rows "$@" | cut -f 1 | tr ' ' '\n' | grep '^-'; }

refused() {
	local text
	text=$("$RBENCH" write_bw "$1" 1 2>&1 >"$BATS_TEST_TMPDIR/out") && return 1
	[[ $? -eq 2 && $text == *"does not exist in rbench: "* ]] || { echo "$text"; return 1; }
}

ignored() {
	local text
	text=$("$RBENCH" write_bw "$1" 2>&1 >"$BATS_TEST_TMPDIR/out") && return 1
	[[ $? -eq 1 && $text == *"no RDMA device"* ]] || { echo "$text"; return 1; }
}

# ours NAME: sets the command and what has to stand beside the option
ours() {
	command=write_bw beside=() value=1
	case $1 in
	connection) value=UC ;;
	mtu) value=1024 ;;
	outs) command=read_bw ;;
	rx-depth | srq | imm) command=send_bw ;;
	multicast) command=send_bw beside=(-c UD) ;;
	mgid) command=send_bw beside=(-c UD -g 1) value=239.1.2.3 ;;
	atomic-type) command=atomic_bw value=CMP_AND_SWAP ;;
	vector) beside=(-e) ;;
	burst-size) beside=(--rate 1) ;;
	mmap-offset) beside=(--mmap file) ;;
	bind-source-ip) value=127.0.0.1 ;;
	esac
}

# taken SPELLING NAME: our option has the value of a user then
taken() {
	local command value beside
	ours "$2"
	"$RBENCH" "$command" --list-options | awk -F '\t' -v n="--$2" '$1 == n && $3 { found = 1 } END { exit !found }' ||
		value=
	"$RBENCH" "$command" --json "${beside[@]}" "$1" ${value:+"$value"} >"$BATS_TEST_TMPDIR/out" 2>&1
	jq -es ".[0].options.${2//-/_}.source == \"user\"" >/dev/null 2>&1 \
		< <(grep -v '^rbench' "$BATS_TEST_TMPDIR/out") && return
	echo "$command ${beside[*]} $1 $value: $(head -n 1 "$BATS_TEST_TMPDIR/out")"
	return 1
}

@test "every row says what became of an option" {
	(($(grep -c '^| `' "$table") > 90))
	run ! grep '^| `' <(grep -vE '\| (same|renamed|automatic|refused|not yet) \|' "$table")
}

@test "refused and not yet: exit code 2, with the reason" {
	local words
	mapfile -t words < <(spellings refused 'not yet')
	((${#words[@]} > 60))
	each refused "${words[@]}"
}

@test "of other tests: the same" {
	local words
	mapfile -t words < <(sed -n '/^## Of other/,$p' "$table" | grep -o '`[^`]*`' | tr -d '`' | tr ' ' '\n' |
		grep '^-' | grep -vx -- '-v\|--verbose')
	((${#words[@]} > 30))
	each refused "${words[@]}"
}

@test "automatic: accepted, without effect" {
	local words
	mapfile -t words < <(spellings automatic)
	((${#words[@]} > 8))
	each ignored "${words[@]}"
}

@test "same and renamed: our option has the value" {
	local spellings names name words ours bad=0 i k
	while IFS=$'\t' read -r spellings names; do
		read -r -a words <<<"$spellings"
		read -r -a ours <<<"$names"
		for i in "${!words[@]}"; do
			# the long name that stands at that place, or after it
			for ((k = i < ${#ours[@]} ? i : ${#ours[@]} - 1; k < ${#ours[@]}; k++)); do
				name=${ours[k]#--}
				[[ ${ours[k]} != --* ]] || break
			done
			[[ $name == help ]] || taken "${words[i]}" "$name" || bad=1
		done
	done < <(rows same renamed)
	((!bad))
}
