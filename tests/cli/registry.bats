#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# registry.bats - every command that rbench lists is helped, documented and
# completed; every option that it takes is in its help and its man page

load ../helpers

commands() { "$RBENCH" --list-commands | cut -f 1; }
benchmarks() { "$RBENCH" --list-commands | awk -F '\t' '$2 == "benchmark" { print $1 }'; }

# for_each_command FUNCTION
for_each_command() {
	local names
	mapfile -t names < <(commands)
	((${#names[@]} > 0))
	each "$1" "${names[@]}"
}

# has FILE TEXT: as a word of its own
has() {
	grep -qE -- "(^|[^-A-Za-z0-9_])$2([^-A-Za-z0-9_]|\$)" "$1" && return
	echo "$1 has no '$2'"
	return 1
}

# lacks FILE WORDS: those of the lines WORDS that are no word of the file
lacks() {
	comm -13 <(tr -cs 'A-Za-z0-9_-' '\n' <"$1" | sort -u) <(sort -u <<<"$2" | grep .)
}

@test "rbench --help lists every command with what it does" {
	rbench --help
	[ "$status" -eq 0 ]
	local name kind summary transports
	while IFS=$'\t' read -r name kind summary transports; do
		[[ $name =~ ^[a-z][a-z0-9_]*$ && $kind =~ ^(benchmark|local)$ ]]
		[[ $transports =~ ^(-|[A-Z]+(,[A-Z]+)*)$ ]]
		grep -qF "  $name " "$doc"
		grep -qF "$summary" "$doc"
	done < <("$RBENCH" --list-commands)
	mv "$doc" "$doc.text"
}

@test "rbench --version is one line" {
	run -0 "$RBENCH" --version
	[[ $output =~ ^rbench\ [0-9]+\.[0-9]+(\.[0-9]+)?[^[:space:]]*$ ]]
}

helped() {
	local missing bad=0
	rbench "$1" --help
	mv "$doc" "$doc.text"
	[[ $status -eq 0 && ! -s $err ]] || { echo "exit $status"; return 1; }
	has "$doc.text" "rbench $1" || bad=1
	missing=$(lacks "$doc.text" "$("$RBENCH" "$1" --list-options | cut -f 1)")
	[[ -z $missing ]] || { echo "not in the help: $missing"; bad=1; }
	# as opt.h promises
	if (($(wc -L <"$doc.text") > 80)); then
		echo 'lines of more than 80 columns:'
		grep -E '^.{81}' "$doc.text"
		bad=1
	fi
	return "$bad"
}

@test "every command's --help exits 0 and has every option" {
	for_each_command helped
}

documented() {
	local page=$RBENCH_SRC/man/rbench-$1.1 text options missing bad=0
	[[ -f $page ]] || { echo "no $page"; return 1; }
	text=$BATS_TEST_TMPDIR/$1.txt
	MANWIDTH=200 man --warnings=w -E ascii -P cat -l "$page" 2>"$text.warnings" | col -b >"$text"
	[[ ! -s $text.warnings ]] || { cat "$text.warnings"; bad=1; }
	options=$("$RBENCH" "$1" --list-options | awk -F '\t' '{ print $1 } $2 { print "-" $2 }')
	missing=$(lacks "$text" "$options")
	[[ -z $missing ]] || { echo "$page lacks $missing"; bad=1; }
	# and nothing that is not there
	missing=$(sed -nE 's/^ {7}(-[A-Za-z], )?(--[a-z-]+).*/\2/p' "$text" | grep -vxFf <(echo "$options") || true)
	[[ -z $missing ]] || { echo "$page tells of $missing"; bad=1; }
	return "$bad"
}

@test "every command has a man page that tells every option" {
	for_each_command documented
}

@test "rbench(1) names every command" {
	local page=$RBENCH_SRC/man/rbench.1
	[ -f "$page" ]
	named() { has "$page" "$1"; }
	for_each_command named
}

in_readme() {
	grep -qE "^\| *\`(rbench )?$1\`? " "$RBENCH_SRC/README.md" && return
	echo "README.md has no row '| \`$1\` | ...'"
	return 1
}

@test "every command has a row in README.md" {
	for_each_command in_readme
}

completed() {
	# shellcheck disable=SC2016
	run -0 env PATH="${RBENCH%/*}:$PATH" bash -c '
		source "$1"
		COMP_WORDS=(rbench "$2" --) COMP_CWORD=2 COMP_LINE="rbench $2 --" COMP_POINT=${#COMP_LINE}
		$(complete -p rbench | sed "s/.*-F \([^ ]*\).*/\1/")
		printf "%s\n" "${COMPREPLY[@]}"' _ "$completion" "$1"
	local missing
	missing=$("$RBENCH" "$1" --list-options | cut -f 1 | grep -vxFf <(tr -d '= ' <<<"$output") || true)
	[[ -z $missing ]] || { echo "not completed: $missing"; return 1; }
}

@test "every command's options are completed" {
	completion=$(find "$RBENCH_SRC/scripts" -name 'rbench*' -path '*complet*' | head -n 1)
	[[ -n $completion ]] || skip 'n/a: no completion yet'
	for_each_command completed
}

waits_or_runs() {
	case $(grep -cxF "$1" < <(benchmarks)) in
	1) rbench "$1" --json --wait 0 -p 1 127.0.0.1 ;;
	*) rbench "$1" --json ;;
	esac
	[[ -s $doc ]] || { echo "no document (exit $status)"; return 1; }
	is ".command == \"$1\""
}

@test "every command gives a document without a device" {
	for_each_command waits_or_runs
}

# What such a test has to be: HACKING.md. scripts/option-effects proves the claims.
@test "every option is claimed by a test that fails if it has no effect" {
	run -0 env RBENCH="$RBENCH" "$RBENCH_SRC/scripts/option-effects" --list
}

@test "no option has two rows, no letter two options" {
	unique() {
		local twice
		twice=$("$RBENCH" "$1" --list-options | cut -f 1 | sort | uniq -d
			"$RBENCH" "$1" --list-options | cut -f 2 | grep . | sort | uniq -d)
		[[ -z $twice ]] || { echo "twice: $twice"; return 1; }
	}
	for_each_command unique
}

@test "every option of the options section of a document is in the schema" {
	local known
	known=$(jq -r '."$defs".options.properties | keys[]' "$RBENCH_SRC/schema/rbench-1.schema.json")
	described() {
		local missing
		missing=$("$RBENCH" "$1" --list-options | cut -f 1 | sed 's/^--//; y/-/_/' |
			grep -vxF "$known" || true)
		[[ -z $missing ]] || { echo "not described: $missing"; return 1; }
	}
	for_each_command described
}
