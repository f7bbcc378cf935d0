#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# explain.bats - rbench explain: logs, dumps and codes, and what they come to
#
# tests/fixtures/cases has public reports (anonymised) as a folder each: inputs,
# and 'expect' with a line for each thing that the answer must hold:
#
#   says TEXT    in the text (blanks and line ends count as one)
#   never TEXT   not in the text
#   CONDITION    of jq, in the document; the functions of $jq help

load ../helpers

# f(N): codes of finding N; rule(ID): its outcome; gid: the index recommended;
# cited(ID): a cause names the rule; sure(WORD): certainty of the first finding
jq='def f(n): .explain.findings[n].codes;
	def rule(id): [.explain.rules[] | select(.id == id).outcome] |
		if index("fail") then "fail" else .[0] end;
	def gid: [.explain.rules[].gid_index | values] | .[0];
	def cited(id): [.explain.findings[].causes[].rule] | index(id) != null;
	def sure(w): .explain.findings[0].certainty == w;'

# holds CONDITION
holds() {
	jq -e "$jq $1" "$doc" >/dev/null && return
	echo "not so: $1"
	jq -c '.explain | {codes: [.findings[].codes], rules}' "$doc"
	return 1
}

# explain ARGS...: text and document of the same answer (one process)
explain() {
	doc=$BATS_TEST_TMPDIR/$((++runs))-explain.json
	text=$("$RBENCH" explain --json="$doc" "$@") || { echo "exit $?"; return 1; }
	text=${text//$'\n'/ }
	while [[ $text == *'  '* ]]; do
		text=${text//  / }
	done
}

case_holds() {
	local line text bad=0 conditions=true folder=$RBENCH_SRC/tests/fixtures/cases/$1
	explain "$folder"/input.* || return
	while IFS= read -r line; do
		case $line in
		'says '*) [[ $text == *"${line#says }"* ]] || { echo "not said: ${line#says }"; bad=1; } ;;
		'never '*) [[ $text != *"${line#never }"* ]] || { echo "said: ${line#never }"; bad=1; } ;;
		*) conditions+=" and ($line)" ;;
		esac
	done <"$folder/expect"
	holds "$conditions" || bad=1
	return "$bad"
}

@test "every case of the fixtures is decoded as it must be" {
	local names
	mapfile -t names < <(cd "$RBENCH_SRC/tests/fixtures/cases" && ls)
	((${#names[@]} > 30))
	each case_holds "${names[@]}"
}

# feed TEXT: as a file
feed() {
	printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/input"
	explain "$BATS_TEST_TMPDIR/input"
}

# explain.rows: CONDITION, a line with '---', and the log, '===' between two
@test "lines of every dialect are understood" {
	local row bad=0 n=0
	while IFS= read -r -d $'\x1d' row; do
		[[ $row == *---* ]] || continue
		n=$((n + 1))
		feed "${row#*$'\n---\n'}" || bad=1
		holds "$(sed -n '/./{p;q}' <<<"$row")" || { echo "^ ${row#*$'\n---\n'}"; bad=1; }
	done < <(grep -v '^#' "$RBENCH_SRC/tests/cli/explain.rows" | sed 's/^===$/\x1d/')
	((n > 40 && bad == 0))
}

# bats test_tags=effect:explain:vendor-err,effect:explain:call,effect:explain:errno
@test "codes on the command line: numbers, names, either base" {
	explain 12 129
	holds 'f(0).status == 12 and f(0).vendor_err == 129 and f(0).provider == "mlx5"'
	explain 4 81
	holds 'f(0).vendor_err_hex == "0x51"'
	explain --status 12 --vendor-err 0x81 --driver mlx5
	holds 'f(0).vendor_err == 129 and (.explain.findings[0].causes | length > 4)'
	explain --status 12 --vendor-err 0xa --driver bnxt_re
	holds '.explain.findings[0].detail_name == "TRNSP_XCED"'
	explain rnr_retry_exc_err
	holds 'f(0).status == 13'
	explain 'transport retry counter exceeded'
	holds 'f(0).status == 12'
	explain --call ibv_reg_mr --errno 12
	holds 'f(0).errno_name == "ENOMEM" and cited("LIM-MEMLOCK")'
	explain ibv_modify_qp RTR ETIMEDOUT
	holds 'f(0).transition == "INIT->RTR" and f(0).errno == 110'
	explain RDMA_CM_EVENT_REJECTED 8
	holds 'f(0).event_status_name == "INVALID_SERVICE_ID"'
	explain ADDR_ERROR ENODEV
	holds 'f(0).event_status == -19'
	explain QP_ACCESS_ERR
	holds 'f(0).event == "QP_ACCESS_ERR"'
	explain --driver irdma 12 0x10008
	holds '.explain.findings[0].detail_name == "FLUSH_RETRY_EXC_ERR"'
}

# What nothing else of the line tells.
# bats test_tags=effect:explain:status,effect:explain:driver,effect:explain:queue,effect:explain:transition,effect:explain:event,effect:explain:event-status
@test "codes by options: status, driver, queue, a transition, an event and its status" {
	explain --status 13
	holds 'f(0).status == 13'
	explain --status 12 --vendor-err 129 --driver hns
	holds 'f(0).provider == "hns"'
	explain --status 5 --vendor-err 249 --driver mlx5 --queue RQ
	holds 'f(0).queue == "RQ"'
	explain --call ibv_modify_qp --transition 'RTR->RTS' --errno 110
	holds 'f(0).transition == "RTR->RTS" and f(0).errno == 110'
	explain --event RDMA_CM_EVENT_REJECTED --event-status 8
	holds 'f(0).event_status_name == "INVALID_SERVICE_ID"'
}

@test "what nobody knows is unknown, not guessed" {
	explain --driver mlx5 2 0x54
	holds 'sure("unknown") and .explain.findings[0].causes == []'
	explain --driver mlx5 4 0x54
	holds 'sure("unknown") and .explain.findings[0].causes == []'
	explain --driver hns 12 0x77
	holds 'sure("unknown")'
	feed 'NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 131'
	holds 'sure("guess")'
}

# bats test_tags=effect:explain:list
@test "every row of every table is listed" {
	rbench explain --list --json
	holds '.explain.tables | (.statuses | length == 24) and (.providers | length == 17) and (.calls | length > 60)'
	rbench explain --list
	grep -q 'vendor_err of bnxt_re' "$doc"
	mv "$doc" "$doc.text"
}

@test "of many errors the first is the cause, and flushes are not" {
	feed 'node-a:1:2 [0] NET/IB : Got completion from peer 192.0.2.2<5> with status=5 opcode=0 len=0 vendor err 249 (Recv)
node-a:1:2 [0] NET/IB : Got completion from peer 192.0.2.2<5> with status=12 opcode=0 len=0 vendor err 129 (Send)
node-a:1:2 [0] NET/IB : Got completion from peer 192.0.2.2<5> with status=5 opcode=0 len=0 vendor err 249 (Recv)'
	holds '.explain.findings | .[0].codes.status == 12 and .[0].role == "cause" and .[1].role == "consequence" and .[1].count == 2'
	feed 'status 5 vendor_err 249'
	holds '.explain.findings[0].role == "consequence"'
	holds '.explain.findings[0].notes | join(" ") | contains("first error that is no flush")'
	feed 'CQE error, status=5, vendor_err=0xf5'
	holds '.explain.findings[0].role == "cause"'
}

@test "an event before explains the completions after it" {
	feed 'Async event: port error on mlx5_0
CQE error, status=12, vendor_err=0x81'
	holds '.explain.findings | .[0].codes.event == "PORT_ERR" and .[0].role == "cause" and .[1].role == "consequence"'
}

@test "two hosts in two files: both halves of one failure" {
	echo 'status=11 (remote operation error), vendor_err=0x89' >"$BATS_TEST_TMPDIR/a"
	echo 'status=4 (local protection error), vendor_err=0x51 responder' >"$BATS_TEST_TMPDIR/b"
	explain "$BATS_TEST_TMPDIR"/[ab]
	holds '[.explain.findings[].role] | sort == ["cause", "other_side"]'
}

@test "hostile input is passed over and counted" {
	local input=$BATS_TEST_TMPDIR/hostile
	{
		echo -n 'vendor err '
		head -c 300000 /dev/zero | tr '\0' 'x'
		printf '\nvendor err \0\1\2 status 12\n'
		printf '00000000 00000000 00000000 00000000\n00000000 00000000\n\n\n\n\n'
		echo 'vendor err 99999999999999999999999999 status 12 completion'
		echo 'status=4294967299 vendor_err=0xffffffffffffffffff'
		head -c 200000 "$RBENCH"
		printf '\nCQE error, status=12, vendor_err=0x81'
	} >"$input"
	explain "$input"
	holds '.explain.input.long_lines > 0 and .explain.input.binary_lines > 0 and .explain.input.broken_dumps > 0'
	holds '[.explain.findings[].codes | select(.vendor_err == 129)] | length == 1'
}

@test "memory and findings stay bounded however many there are" {
	local i
	for ((i = 1; i < 3000; i++)); do
		echo "CQE error, status=$((i % 20 + 1)), vendor_err=$((i % 250)), qp_num=$i"
	done >"$BATS_TEST_TMPDIR/many"
	explain "$BATS_TEST_TMPDIR/many"
	holds '.explain.findings | length <= 64'
	holds '.explain.input.lines == 2999'
}

@test "exit codes and words of what cannot be explained" {
	rbench explain nosuchword
	[ "$status" -eq 2 ]
	said "'nosuchword' is neither a file nor a code"
	rbench explain --status 99
	[ "$status" -eq 2 ]
	rbench explain --json /nonexistent/log
	failed_with input 'cannot read'
	feed 'all is well'
	holds '.explain.findings == []'
}
