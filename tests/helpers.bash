# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# helpers - what the tests of the program share
#
#   load ../helpers
#
#   serve write_bw         starts a responder on a free port
#   client -s 4K           runs the client of the same command to it
#   await_server           waits for the responder's end
#
# The last two set what that end said:
#
#   $status  its exit code
#   $doc     file: its JSON document (standard output)
#   $err     file: its standard error
#
# What RB_FAKE stands in front of 'serve' or 'client' is that end's fault plan.
# Every wait has a deadline; nothing sleeps. After each test, whatever it did:
# no process is left, every document is valid (schema/), no verbs object leaked
# and no sanitizer complained - or the test has failed.
#
# In the lab set SERVER and, where the responder needs options, give them.

bats_require_minimum_version 1.5.0

RBENCH_SRC=${RBENCH_SRC:-$(realpath "${BASH_SOURCE[0]%/*}/..")}
RBENCH_BUILD=${RBENCH_BUILD:-$RBENCH_SRC/build}
RBENCH=${RBENCH:-$RBENCH_BUILD/rbench}
SERVER=${SERVER:-127.0.0.1}
DEADLINE=${DEADLINE:-10} # seconds, of every wait
fake=$RBENCH_BUILD/tests/fake/libfakeverbs.so

setup() { helpers_setup; }
teardown() { helpers_teardown; }

helpers_setup() {
	# Before each command bats notes where it stands, by some dozen commands of its
	# own. Not so in the functions called by a test from here on: a failure is then
	# told by the line of the test.
	set +T
	declare -gA pids=() bases=()
	runs=0
	bench=
	port=
	server_args=()
	exec {never}<> <(:)
	find_preload
}

# is_sanitized: the program is slow then, and keeps what was freed
is_sanitized() { grep -q libasan "$RBENCH"; }

# unknown_host: of the machine itself nothing is known, so nothing is warned of; the
# one of the test may well be a virtual one, or save power
unknown_host() {
	mkdir -p "$BATS_TEST_TMPDIR/unknown"
	export RBENCH_ROOT=$BATS_TEST_TMPDIR/unknown
}

# AddressSanitizer's runtime has to come before any other preloaded library.
find_preload() {
	local asan=
	# ldd is a dozen processes, and this is run before each test
	! is_sanitized || asan=$(ldd "$RBENCH" | awk '/libasan/ { print $3 }')
	preload=$asan
	if [[ -z ${RBENCH_IN_LAB:-} ]]; then
		preload=${asan:+$asan }$fake
	fi
	sanitized=("ASAN_OPTIONS=detect_leaks=1:exitcode=99"
		"UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99")
}

# --- processes ---------------------------------------------------------------

# How often a condition is looked at, in seconds. In the lab a look takes some
# milliseconds of a CPU that the two ends need.
poll_s=${RBENCH_IN_LAB:+0.04}
poll_s=${poll_s:-0.01}

# until_true SECONDS COMMAND...: run it until it succeeds; fails at the deadline
until_true() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@"; do
		((${EPOCHREALTIME/./} < end)) || return 1
		read -r -t "$poll_s" -u "$never" || true
	done
}

# start NAME COMMAND...: in the background; output goes to files
start() {
	local name=$1 base
	base=$BATS_TEST_TMPDIR/$((++runs))-$1
	shift
	bases[$name]=$base
	# bash would make a background process ignore SIGINT
	env --default-signal=SIGINT,SIGQUIT "$@" >"$base.json" 2>"$base.err" </dev/null 3>&- &
	pids[$name]=$!
}

# start_rbench NAME ARGS...: with the libibverbs of tests/fake (not in the lab)
start_rbench() {
	local name=$1 base=$BATS_TEST_TMPDIR/$((runs + 1))-$1
	shift
	# start's own env takes the variables, unless WRAP stands before them
	start "$name" ${WRAP:+"${WRAP[@]}" env} LD_PRELOAD="$preload" \
		RB_FAKE="${RB_FAKE:-}" RB_FAKE_DIR="$BATS_TEST_TMPDIR" \
		RB_FAKE_LEAKS="$base.leaks" RB_FAKE_COUNT="$base.count" \
		"${sanitized[@]}" "$RBENCH" "$@"
}

has_ended() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	[[ $stat == *') Z '* ]]
}

# await NAME [SECONDS]: wait for its end; sets status, doc, err
await() {
	local pid=${pids[$1]}
	doc=${bases[$1]}.json
	err=${bases[$1]}.err
	if ! until_true "${2:-$DEADLINE}" has_ended "$pid"; then
		echo "$1 still runs after ${2:-$DEADLINE} s"
		kill -KILL "$pid"
		return 1
	fi
	status=0
	wait "$pid" || status=$?
	unset "pids[$1]"
}

# is_listening PORT: whether anything listens there
is_listening() {
	local hex tcp=() tcp6=()
	printf -v hex %04X "$1"
	# no process for it: it is asked again and again
	mapfile -t tcp </proc/net/tcp
	[[ ! -r /proc/net/tcp6 ]] || mapfile -t tcp6 </proc/net/tcp6
	[[ "${tcp[*]} ${tcp6[*]}" =~ :$hex\ [0:]+\ 0A ]]
}

# A port that nobody listens on, below those that the kernel hands out.
free_port() {
	port=$((20000 + (BASHPID + RANDOM) % 10000))
	while is_listening "$port"; do
		port=$((port + 1))
	done
}

listens_or_ended() { is_listening "$port" || has_ended "${pids[$1]}"; }

# --- the two ends ------------------------------------------------------------

# serve COMMAND ARGS...: a responder that waits for its client on $port
serve() {
	local try
	bench=$1
	shift
	for try in 1 2 3; do
		free_port
		start_rbench server "$bench" -p "$port" --json "$@"
		until_true "$DEADLINE" listens_or_ended server || return
		# somebody else may have taken the port in between
		grep -q 'cannot listen' "${bases[server]}.err" || return 0
		echo "port $port was taken, try $try"
	done
	return 1
}

start_client() { start_rbench client "$bench" -p "$port" --json "$@" "$SERVER"; }

client() {
	start_client "$@"
	await client
}

await_server() { await server "$@"; }

stop_server() {
	kill -KILL "${pids[server]}"
	await server
}

# measure COMMAND ARGS...: to the end on both ends, with what the double notes of
# each (tests/fake/README.md); the document is the client's. The responder's own
# options are those of the array server_args.
measure() {
	RB_FAKE_NOTES=$BATS_TEST_TMPDIR/server.notes serve "$1" "${server_args[@]}" || return
	RB_FAKE_NOTES=$BATS_TEST_TMPDIR/client.notes client "${@:2}" || return
	ends_measured
}

# has_worked [END]: it has used 0.2 s of CPU time, far more than the set-up takes
# (the client), or has ended
has_worked() {
	local stat pid=${pids[${1:-client}]}
	has_ended "$pid" && return
	read -r -a stat <"/proc/$pid/stat"
	((stat[13] + stat[14] >= 20))
}

# The packets that have left the lab's first end.
sent() { cat /sys/class/net/v0/statistics/tx_packets; }
sent_more_than() { (($(sent) > $1)); }

# rbench ARGS...: any command line, to its end, without a device
rbench() {
	start rbench "${sanitized[@]}" "$RBENCH" "$@"
	await rbench
}

# each FUNCTION ARG...: the function with each of the arguments; says which failed
each() {
	local function=$1 arg bad=0
	shift
	for arg; do
		"$function" "$arg" && continue
		echo "^ $function $arg"
		bad=1
	done
	return "$bad"
}

# --- what they said ----------------------------------------------------------

field() { jq -r "$1" "$doc"; }

# is JQ-CONDITION: holds in the document (of an empty one, to jq, everything does)
is() {
	[[ -s $doc ]] && jq -e "$1" "$doc" >/dev/null && return
	echo "not so: $1"
	return 1
}

# error_lines_of FILE...: how many there are in each
error_lines_of() { grep -hcE '^rbench[a-z_ ]*: error: ' "$@" || true; }

error_lines() { error_lines_of "$err"; }

# said TEXT: on standard error
said() {
	grep -qF -- "$1" "$err" && return
	echo "not said: '$1'"
	return 1
}

# validate [FILE...]: the documents given, or $doc
validate() { /usr/bin/python3 "$RBENCH_SRC/tests/validate" "${@:-$doc}"; }

# ended STATUS WORD: exit code and the document's status
ended() {
	if [[ $status -ne $1 || $(field .status) != "$2" ]]; then
		echo "exit $status, document '$(field .status)'; expected $1, '$2'"
		return 1
	fi
}

has_measured='.status == "ok" and (.results | length > 0 and
	all(.messages > 0 and (.bytes // (.messages * .size_bytes)) == .messages * .size_bytes))'

# A measurement that succeeded, with nothing to complain about. (jq is dear: it
# compiles a library of its own at each start. So one look has to do.)
measured() {
	[[ $status -eq 0 ]] || { ended 0 ok; return; }
	[ "$(error_lines)" -eq 0 ] || return
	is "$has_measured"
}

# both_are JQ-CONDITION [CLIENTS]: holds in the documents of both ends, and the other one
# in the client's
both_are() {
	jq -se "length == 2 and all($1) and (.[0] | ${2:-true})" \
		"${bases[client]}.json" "${bases[server]}.json" >/dev/null && return
	echo "not so at one of both ends: $1${2:+, or at the client: $2}"
	return 1
}

# ends_well JQ-CONDITION [CLIENTS]: after the client the responder ends, both with 0 and
# without a complaint, and both_are. $doc is the client's.
ends_well() {
	[[ $status -eq 0 ]] || { ended 0 ok; return; }
	await server || return
	[[ $status -eq 0 ]] || { ended 0 ok; return; }
	doc=${bases[client]}.json
	if [[ $(error_lines_of "${bases[client]}.err" "${bases[server]}.err") != $'0\n0' ]]; then
		echo 'an end that exits with 0 has an error line'
		return 1
	fi
	both_are "$@"
}

# ends_measured: as measured, of both ends
ends_measured() { ends_well "$has_measured"; }

# failed_with CODE [TEXT...]: exit 1, one line, which says why and what to do
failed_with() { gave_up 1 failed "$@"; }

# gave_up STATUS WORD CODE [TEXT...]
gave_up() {
	local text word='' code='' hints='' lines
	IFS=$'\t' read -r word code hints < <(field \
		'[.status, .error.code // "none", (.error.hints // [] | length)] | @tsv') || true
	lines=$(error_lines)
	if [[ "$status $word $code $lines" != "$1 $2 $3 1" ]]; then
		echo "exit $status, document '$word', code '$code', $lines error lines; expected $1, '$2', '$3', 1"
		return 1
	fi
	[[ $3 == interrupted || $hints -gt 0 ]] || { echo "there is no hint"; return 1; }
	for text in "${@:4}"; do
		said "$text" || return
	done
}

# failed_somehow: as failed_with, whatever the code
failed_somehow() { failed_with "$(field .error.code)"; }

# --- after each test ---------------------------------------------------------

helpers_teardown() {
	local pid failed=0
	for pid in "${pids[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
	done
	[[ -n ${BATS_TEST_COMPLETED:-} ]] || show_files
	check_files || failed=1
	exec {never}>&-
	return "$failed"
}

# What the last ones to run said.
show_files() {
	local name n
	for ((n = runs > 3 ? runs - 3 : 0; n++ < runs;)); do
		for name in "$BATS_TEST_TMPDIR/$n"-*.err; do
			sed "s|^|${name##*/}: |" "$name" | cut -c -400 | tail -n 8
		done
	done
}

# Starting Python takes a good part of a test's time, in the lab seconds. So where
# there is a folder for them, documents are left for scripts/run-tests, which
# validates them all at once, outside.
check_documents() {
	local folder=${RBENCH_DOCUMENTS:-}
	# of a guest's folders only that one is seen outside
	if [[ ${RBENCH_IN_LAB:-} && ${RBENCH_LAB_OUT:-} && $folder != "$RBENCH_LAB_OUT"/* ]]; then
		folder=$RBENCH_LAB_OUT/documents
	fi
	if [[ -z $folder ]]; then
		validate "$@"
		return
	fi
	folder+=/$BATS_SUITE_TEST_NUMBER
	mkdir -p "$folder"
	cp -t "$folder" "$@"
}

check_files() {
	local file documents=() said=() bad=0
	for file in "$BATS_TEST_TMPDIR"/*; do
		case $file in
		*.json) [[ -s $file && ! -e ${file%.json}.any ]] && documents+=("$file") ;;
		*.leaks) [[ -s $file ]] && bad=1 && sed 's/^/leaked: /' "$file" ;;
		*.err) [[ -s $file ]] && said+=("$file") ;;
		esac
	done
	if ((${#said[@]})) && grep -E 'ERROR: (Address|Leak)Sanitizer|runtime error:' "${said[@]}"; then
		bad=1
	fi
	if ((${#documents[@]})); then
		check_documents "${documents[@]}" || bad=1
	fi
	return "$bad"
}
