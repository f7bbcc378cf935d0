#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# server.bats - rbench server: one client after another, whatever they do

load ../helpers

# Deadlines of real time, on a machine that others use too: a second try may do,
# twice in a row is a failure.
setup_file() { export BATS_TEST_RETRIES=1; }

# serve_all ARGS...: a server for every benchmark
serve_all() {
	serve server "$@"
	: >"${bases[server]}.any" # not one document, but many lines
}

# ask COMMAND ARGS...: a client of it
ask() {
	bench=$1
	shift
	client "$@"
}

asked_well() { ask "$1" -n 100 && measured; }

# visits: how many it has spoken of
visits() { wc -l <"${bases[server]}.json"; }
told() { (($(visits) >= $1)); }

# stop_all [SIGNAL]: ends the server; $doc is its own document, $visits[] those
# of its clients
stop_all() {
	local line n=0
	kill -"${1:-TERM}" "${pids[server]}"
	await server
	visits=()
	while IFS= read -r line; do
		doc=$BATS_TEST_TMPDIR/$((++runs))-visit$((++n)).json
		printf '%s\n' "$line" >"$doc"
		visits+=("$doc")
	done <"${bases[server]}.json"
	unset 'visits[-1]'
}

# counted SERVED FAILED STRANGERS: what the server says at its end
counted() {
	ended 0 ok
	is ".command == \"server\" and .sessions == { served: $1, failed: $2, strangers: $3 }"
}

# of N FILTER: from the document of a visit, from 1
of() { jq -r "$2" "${visits[$1 - 1]}"; }

@test "every benchmark, one after another, and each one's document" {
	local names
	mapfile -t names < <("$RBENCH" --list-commands | awk -F '\t' '$2 == "benchmark" { print $1 }')
	serve_all
	each asked_well "${names[@]}"
	stop_all
	counted "${#names[@]}" 0 0
	[ "$(jq -r .command "${visits[@]}" | xargs)" = "${names[*]}" ]
	[ "$(jq -r '.session.number' "${visits[@]}" | xargs)" = "$(seq "${#names[@]}" | xargs)" ]
	[ "$(jq -r '.status + .session.client' "${visits[@]}" | sort -u)" = ok127.0.0.1 ]
	# what the client wanted, and nothing of the one before
	[ "$(of 1 '.options.iters | "\(.value) \(.source)"')" = '100 peer' ]
}

@test "its own options hold in every session" {
	serve_all -d fake1 --timeout 3s
	asked_well write_bw
	asked_well read_lat
	stop_all
	[ "$(jq -r '.local.device + .options.device.source + (.options.timeout.value | tostring)' \
		"${visits[@]}" | sort -u)" = fake1user3000000000 ]
}

# bats test_tags=effect:server:device,effect:server:gid-index
@test "its device and its GID are those given" {
	serve_all -d fake1 -x 1
	asked_well write_bw
	stop_all
	[ "$(of 1 '.local.device + (.local.gid.index | tostring)')" = fake11 ]
}

# bats test_tags=effect:server:port-num
@test "a port that its device does not have is told to the client" {
	serve_all -d fake0 -i 7
	ask write_bw -n 5
	failed_with no_port "'fake0' has no port 7"
	stop_all
	counted 1 1 0
}

# bats test_tags=effect:server:port,effect:server:bind-source-ip,effect:server:timeout
@test "it listens where it was told to, and waits for a greeting as long as that" {
	serve_all --bind-source-ip 127.0.0.2 --timeout 300ms
	ask write_bw --wait 0
	failed_with peer_refused
	exec {stranger}<>"/dev/tcp/127.0.0.2/$port"
	until_true 3 grep -q 'did not greet' "${bases[server]}.err"
	exec {stranger}>&-
	stop_all
}

@test "in text: a line a session" {
	free_port
	start_rbench server server -p "$port"
	: >"${bases[server]}.any"
	until_true "$DEADLINE" is_listening "$port"
	asked_well write_bw
	ask read_bw -d fake9
	kill -TERM "${pids[server]}"
	await server
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$doc")" -eq 3 ]
	grep -q "^serving on port $port" "$doc"
	grep -qE '^[0-9T:Z-]+  1  127.0.0.1  write_bw  ok  [0-9.]+ s  .*messages of 64 KiB' "$doc"
	grep -qE '^[0-9T:Z-]+  2  127.0.0.1  -  failed  [0-9.]+ s  no_device$' "$doc"
	said "127.0.0.1: error: '127.0.0.1' failed: there is no RDMA device 'fake9'"
}

# strange STEP...: somebody else at the port (tests/peer)
strange() {
	start peer "$RBENCH_SRC/tests/peer" dial "$port" "$@"
	: >"${bases[peer]}.any"
	await peer
}

@test "strangers: a line each, and it goes on" {
	serve_all --timeout 300ms
	strange 'raw GET / HTTP/1.0\r\n\r\n'
	strange 'raw \xff\xff\xff\xff\x00'
	strange close
	asked_well write_bw
	strange
	strange reset
	asked_well read_bw
	stop_all
	counted 2 0 5
	err=${bases[server]}.err
	[ "$(grep -c 'did not greet' "$err")" -eq 5 ]
	[ "$(grep -c 'error: ' "$err")" -eq 0 ]
}

@test "clients that stop half way, or ask for what is not there" {
	serve_all --timeout 1s
	strange hello 'recv hello' close
	strange hello 'recv hello' 'agree command="no\\u001bsuch"' 'recv error'
	grep -q 'which this server does not have' "$doc"
	strange hello 'recv hello' 'agree options.size=[0]' 'recv error'
	strange hello 'recv hello' agree 'recv agree' close
	strange hello 'recv hello' 'raw \x00\x00\x00\x04{]\r\n'
	asked_well write_bw
	stop_all
	counted 6 5 0
	[ "$(of 1 '.command + .status')" = serverfailed ]
	[ "$(of 2 '.command + .error.code')" = serverpeer_protocol ]
	[ "$(of 4 '.command + .error.code')" = write_bwpeer_gone ]
	[ "$(of 6 .status)" = ok ]
	[ "$(grep -c 'error: ' "${bases[server]}.err")" -eq 5 ]
}

@test "a client that is killed, one that fails: the next one is served" {
	serve_all
	bench=write_bw
	start_client -D 1h --warmup 0
	until_true "$DEADLINE" has_worked client
	kill -KILL "${pids[client]}"
	await client
	asked_well write_bw
	RB_FAKE='wc#50=RETRY_EXC_ERR:129' ask write_bw -n 1000
	failed_with completion_error
	asked_well send_lat
	stop_all
	counted 4 2 0
	[ "$(of 1 .error.code)" = peer_gone ]
	[ "$(of 2 .status)" = ok ]
	[ "$(of 3 .error.code)" = completion_error ]
	[ "$(of 4 .status)" = ok ]
	[ "$(grep -c 'error: ' "${bases[server]}.err")" -eq 2 ]
}

@test "a fault here is told to the client, and it goes on" {
	RB_FAKE='ibv_alloc_pd#2=ENOMEM' serve_all
	asked_well write_bw
	ask write_bw -n 100
	failed_with pd_create "'127.0.0.1' port $port failed: cannot allocate a protection domain"
	asked_well write_bw
	stop_all
	counted 3 1 0
}

@test "a signal ends it: idle, and with a client, which gets what was measured" {
	serve_all
	stop_all INT
	counted 0 0 0
	[ ! -s "${bases[server]}.err" ]
	serve_all
	bench=write_bw
	start_client -D 1h --warmup 0
	until_true "$DEADLINE" has_worked client
	stop_all TERM
	counted 1 1 0
	[ "$(of 1 .status)" = interrupted ]
	await client
	gave_up 1 interrupted interrupted
	is '.results | length == 1'
}

descriptors() { find "/proc/${pids[server]}/fd" -mindepth 1 | wc -l; }

# another NAME WAIT: a second client, which waits for so long
another() { start_rbench "$1" write_bw -v -p "$port" --json -n 100 --wait "$2" "$SERVER"; }

@test "who comes while a client is served is told so, or waits for its turn" {
	serve_all
	bench=read_bw
	start_client -D 1h --warmup 0
	until_true "$DEADLINE" has_worked client
	another hasty 0
	another patient 60
	await hasty
	failed_with server_busy 'has been busy for' 'with read_bw of 127.0.0.1' '--wait TIME'
	until_true "$DEADLINE" grep -q 'is busy with another client; waiting' "${bases[patient]}.err"
	kill -INT "${pids[client]}"
	await client
	ended 1 interrupted
	await patient 30
	measured
	stop_all
	counted 2 1 0
}

@test "a stranger at a busy server does not keep the others away" {
	serve_all
	bench=write_bw
	start_client -D 1h --warmup 0
	until_true "$DEADLINE" has_worked client
	exec {stranger}<>"/dev/tcp/127.0.0.1/$port"
	another hasty 0
	await hasty
	failed_with server_busy
	exec {stranger}>&-
	kill -INT "${pids[client]}"
	await client
	stop_all
	counted 1 1 0
}

@test "thirty sessions leave nothing behind" {
	local before
	serve_all
	asked_well write_bw
	until_true "$DEADLINE" told 1
	before=$(descriptors)
	for _ in {1..29}; do
		ask read_lat -n 10
		[ "$status" -eq 0 ]
	done
	until_true "$DEADLINE" told 30
	[ "$(descriptors)" -eq "$before" ]
	stop_all
	counted 30 0 0
}

@test "a port that is taken, no device: it ends" {
	serve write_bw
	start_rbench second server -p "$port" --json
	await second
	failed_with listen "port $port"
	RB_FAKE='devices=0' start_rbench third server -p "$port" --json
	await third
	failed_with no_devices
}
