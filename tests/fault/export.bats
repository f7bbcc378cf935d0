#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# export.bats - a run for monitoring systems: Nagios line, Prometheus file

load ../helpers

# plugin CODE LINE-PATTERN ARGS...: one line of that form, and that exit code
plugin() {
	local code=$1 pattern=$2
	shift 2
	serve write_bw
	start_rbench client write_bw -p "$port" --nagios "$@" "$SERVER"
	: >"${bases[client]}.any"
	await client
	if [[ $status -ne $code || $(wc -l <"$doc") -ne 1 ]] || ! grep -qE "$pattern" "$doc"; then
		echo "exit $status:"
		cat "$doc"
		return 1
	fi
}

# bats test_tags=effect:nagios
@test "--nagios: OK, with performance data of every row" {
	plugin 0 '^RBENCH OK - write_bw: [^|]+ \| bandwidth_bits_per_s_64=[0-9.e+]+ messages_per_s_64=[0-9.e+]+ bandwidth_bits_per_s_128=[0-9.e+]+ messages_per_s_128=[0-9.e+]+$' \
		-s 64,128 -D 50ms --expect 'messages > 0'
	await_server
}

@test "--nagios: CRITICAL when an expectation is not met or the run failed" {
	plugin 2 '^RBENCH CRITICAL - write_bw: 1 of 1 expectations not met, .* \| ' -D 50ms --expect 'messages == 0'
	await_server
	RB_FAKE='ibv_reg_mr=EIO' plugin 2 '^RBENCH CRITICAL - write_bw: [^|]+$' -D 50ms
	await_server
}

@test "--nagios: WARNING when something moved that means trouble" {
	plugin 1 '^RBENCH WARNING - ' -n 5
	await_server
}

@test "--nagios: UNKNOWN for a usage error" {
	rbench write_bw --expect nonsense --nagios
	mv "$doc" "$doc.text"
	[ "$status" -eq 3 ]
	grep -qE '^RBENCH UNKNOWN - write_bw: ' "$doc.text"
	rbench write_bw --nagios --csv
	[ "$status" -eq 3 ]
	mv "$doc" "$doc.text"
}

# bats test_tags=effect:prometheus
@test "--prometheus: a file in the text format, also when the run failed" {
	local file=$BATS_TEST_TMPDIR/rbench.prom
	serve write_lat
	client -n 200 -s 8,64 --prometheus "$file"
	measured
	grep -qE '^rbench_success\{command="write_lat",device="fake0",peer="[^"]+"\} 1$' "$file"
	[ "$(grep -cE '^rbench_latency_p50_seconds\{[^}]+,size_bytes="(8|64)"\} [0-9.e-]+$' "$file")" -eq 2 ]
	# a TYPE line before the samples of a name, once; nothing else
	awk '/^# TYPE / { if (seen[$3]++) exit 1; name = $3; next }
		{ split($1, part, "{"); if (part[1] != name || NF != 2) exit 1 }' "$file"
	[ "$(find "$BATS_TEST_TMPDIR" -name 'rbench.prom*' | wc -l)" -eq 1 ]
	await_server
	serve write_lat
	RB_FAKE='ibv_reg_mr=EIO' client -n 20 --prometheus "$file"
	failed_somehow
	grep -qE '^rbench_success\{[^}]+\} 0$' "$file"
	run ! grep -q p50 "$file"
	await_server
}

@test "--prometheus: a file that cannot be written is a failure" {
	serve write_bw
	client -n 5 --prometheus /nonexistent/rbench.prom
	failed_with output "cannot write '/nonexistent/rbench.prom'"
	await_server
}
