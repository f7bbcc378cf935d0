#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# siw.bats - iWARP, by the kernel's soft-iWARP: every benchmark that it has

bats_require_minimum_version 1.5.0

# One boot for all tests of this file: they look at the documents it left.
setup_file() {
	# emulated: a second try may do, twice in a row is a failure
	export BATS_TEST_RETRIES=1
	export OUT=$BATS_FILE_TMPDIR
	cat >"$OUT/script" <<-'END'
		cd "$RBENCH_LAB_OUT" || exit 1
		# run NAME COMMAND ARGS...: the document of a client, whatever it says
		run() {
			local name=$1
			shift
			rbench "$@" -p 18600 -d siw0 --timeout 20 --json 10.0.0.2 >"$name.json" 2>"$name.err"
			echo $? >"$name.status"
		}
		rbench server -p 18600 -d siw1 --timeout 20 >server.out 2>&1 &
		until grep -q :48A8 /proc/net/tcp /proc/net/tcp6; do :; done
		for command in write_bw read_bw send_bw write_lat read_lat send_lat; do
			run $command $command -R -n 50
		done
		run events send_lat -R -e -n 20
		run srq send_bw -R --srq -q 4 -n 20
		run manual write_bw -n 5
		run uc write_bw -R -c UC -n 5
		run ud send_bw -R -c UD -n 5
		run imm send_bw -R --imm -n 5
		run atomic atomic_bw -R -n 5
		run both write_bw -R -b -n 5
		run check check
		kill %1
	END
	status=0
	"$RBENCH_SRC/scripts/lab" --siw --out "$OUT" --timeout 200 exec "$OUT/script" \
		>"$OUT/stdout" 2>"$OUT/stderr" 3>&- || status=$?
	echo "$status" >"$OUT/status"
}

setup() {
	[ "$(<"$OUT/status")" -ne 77 ] || skip "n/a: $(tail -n 1 "$OUT/stderr")"
}

# measured NAME MESSAGES
measured() {
	cat "$OUT/$1.err"
	[ "$(<"$OUT/$1.status")" -eq 0 ]
	jq -e ".status == \"ok\" and .results[0].messages == $2" "$OUT/$1.json"
}

# refused NAME TEXT: as not supported by the device
refused() {
	cat "$OUT/$1.err"
	[ "$(<"$OUT/$1.status")" -eq 77 ]
	jq -e '.status == "unsupported" and .error.code == "transport_unsupported"' "$OUT/$1.json"
	grep -qF -- "$2" "$OUT/$1.err"
}

@test "the lab comes up with two iWARP devices" {
	cat "$OUT/stderr"
	[ "$(<"$OUT/status")" -eq 0 ]
}

@test "bandwidth" {
	for name in write_bw read_bw send_bw; do
		measured $name 50
	done
	measured srq 80
}

@test "latency" {
	for name in write_lat read_lat send_lat; do
		measured $name 50
	done
	measured events 20
}

@test "what iWARP does not have is refused with the reason" {
	refused manual 'give -R'
	refused uc 'use -c RC'
	refused ud 'use -c RC'
	refused imm 'leave --imm out'
	refused atomic 'no atomic'
	refused both 'may not send before'
}

@test "check: what iWARP has works, what it has not is skipped with the reason" {
	cat "$OUT/check.err"
	[ "$(<"$OUT/check.status")" -eq 0 ]
	jq -e '[.results[] | select(.outcome == "PASS").test] | unique == ["connect-cm", "read", "send", "write"]' "$OUT/check.json"
	jq -e '[.results[] | select(.outcome == "SKIP")] | length > 20 and all(.detail | contains("iWARP") or contains("no atomic"))' "$OUT/check.json"
}

@test "the documents are valid" {
	/usr/bin/python3 "$RBENCH_SRC/tests/validate" "$OUT"/*.json
}
