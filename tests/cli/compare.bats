#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# compare.bats - comparing documents: forms, exit codes, what is refused

load ../helpers

setup() {
	helpers_setup
	docs=$BATS_TEST_TMPDIR/in
	mkdir "$docs"
	make_doc base 100
	make_doc same 101
	make_doc slow 80
}

# make_doc NAME GBITS [JQ-FILTER]: of a run with 1 % of deviation
make_doc() {
	jq -n --argjson rate "$2" '{ schema: "rbench/1", command: "write_bw", status: "ok", options: {},
		results: [ 64, 65536 | { size_bytes: ., qps: 1, threads: 1, duration_ns: 3e9,
			bandwidth: { bits_per_s: ($rate * 1e9) },
			intervals: { period_ns: 1e8, bits_per_s: { stddev: ($rate * 1e7) } } } ] }' |
		jq "${3:-.}" >"$docs/$1"
}

# compared STATUS ARGS...: document of the comparison in $docs
compared() {
	local code=$1
	shift
	(cd "$docs" && "$RBENCH" compare --json="$BATS_TEST_TMPDIR/1-compare.json" "$@") >"$BATS_TEST_TMPDIR/text" 2>"$BATS_TEST_TMPDIR/1-compare.err" &&
		status=0 || status=$?
	doc=$BATS_TEST_TMPDIR/1-compare.json
	err=$BATS_TEST_TMPDIR/1-compare.err
	[[ $status -eq $code ]] || { echo "exit $status"; cat "$err"; return 1; }
}

@test "a table, a sentence, exit code 0 whatever the verdicts" {
	compared 0 base slow
	grep -qE '^64\.1qp +bandwidth.bits_per_s +100 Gb/s +80 Gb/s +-20.00 % +0\.[0-9]+ % +worse$' "$BATS_TEST_TMPDIR/text"
	grep -qE '^verdict: 2 worse, 0 better, 0 the same, [0-9]+ inconclusive; the worst by 20 %$' "$BATS_TEST_TMPDIR/text"
	is '.status == "ok" and .comparison.command == "write_bw" and (.comparison.rows | length == 2)'
	is '.comparison.rows[0].keys[0] | .key == "bandwidth.bits_per_s" and .verdict == "worse" and .change_percent < -19.9'
}

# bats test_tags=effect:compare:fail-worse
@test "--fail-worse: exit code 3, named" {
	compared 3 --fail-worse 5 base slow
	is '.status == "below_expectation" and (.expectations | length == 1) and (.expectations[0].met | not)'
	said "a key is worse by 20 %"
	compared 0 --fail-worse 25% base slow
	is '.status == "ok" and .expectations[0].met'
	compared 0 --fail-worse 0 base same
}

@test "several new documents: the median" {
	compared 0 --fail-worse 5 base same slow same
	is '.comparison.new | length == 3'
}

# bats test_tags=effect:compare:tolerance
@test "--tolerance: so much is the same" {
	compared 0 --tolerance 30 base slow
	is '.comparison.rows | all(.keys[0].verdict == "same")'
}

# bats test_tags=effect:compare:junit,effect:compare:format,effect:compare:markdown
@test "JUnit and Markdown" {
	compared 3 --junit --fail-worse 5 base slow
	/usr/bin/python3 - "$BATS_TEST_TMPDIR/text" <<-'END'
		import sys, xml.etree.ElementTree as tree
		suite = tree.parse(sys.argv[1]).getroot()
		cases = suite.findall("testcase")
		failed = [c for c in cases if c.find("failure") is not None]
		skipped = [c for c in cases if c.find("skipped") is not None]
		assert int(suite.get("tests")) == len(cases) >= 2, suite.attrib
		assert int(suite.get("failures")) == len(failed) == 2, suite.attrib
		assert int(suite.get("skipped")) == len(skipped), suite.attrib
	END
	local how
	for how in '--format=markdown' --markdown; do
		compared 0 "$how" base slow
		grep -qF '| 64.1qp | `bandwidth.bits_per_s` | 100 Gb/s | 80 Gb/s | -20.00 % |' "$BATS_TEST_TMPDIR/text"
	done
}

@test "options that differ are named" {
	make_doc deep 100 '.options.tx_depth = { value: 7, source: "user" } | .options.port = { value: 1, source: "user" }'
	make_doc flat 100 '.options.tx_depth = { value: 9, source: "user" } | .options.port = { value: 2, source: "user" }'
	compared 0 deep flat
	is '.warnings | length == 1 and .[0].id == "options_differ" and (.[0].text | endswith(": tx_depth"))'
}

@test "what does not compare is refused with the reason" {
	make_doc failed 100 '.status = "failed"'
	make_doc read 100 '.command = "read_bw"'
	make_doc big 100 '.results[].size_bytes *= 3'
	echo '{' >"$docs/broken"
	printf '{"a":1,"a":2}' >"$docs/twice"
	head -c 17M /dev/zero >"$docs/huge"
	printf '[%.0s' {1..100000} >"$docs/deep"
	local file why
	while read -r file why; do
		compared 1 base "$file"
		is '.error.code == "document" and .status == "failed"'
		said "'$file': $why"
	done <<-'END'
		failed its run was not measured to its end (status 'failed')
		read it is of 'read_bw', the base of 'write_bw'
		big none of its rows
		broken line 2: it is not JSON
		twice line 1: it is not JSON
		huge it has more than 16 MiB
		deep line 1: it is not JSON
		nosuch No such file
		. Is a directory
	END
}

@test "usage" {
	compared 2 base
	said 'at least one document'
	compared 2 --junit --markdown base slow
	compared 2 --fail-worse x base slow
	said "is not a percentage"
	compared 2 --csv base slow
}
