#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# lab2.bats - the lab's two guests: two machines, and a cable that can be cut

bats_require_minimum_version 1.5.0

# One boot for all tests of this file: they look at what it left behind.
setup_file() {
	# emulated: a second try may do, twice in a row is a failure
	export BATS_TEST_RETRIES=1
	export OUT=$BATS_FILE_TMPDIR
	cat >"$OUT/script" <<-'END'
		cd "$RBENCH_LAB_OUT" || exit 1
		hostname >name.here
		peer hostname >name.there
		peer bash -c 'echo out; echo err >&2; exit 7' >peer.out 2>peer.err
		echo $? >peer.status

		peer timeout 60 ibv_rc_pingpong -d rxe0 -g 1 -n 20 >/dev/null &
		until peer grep -qs ' 0A ' /proc/net/tcp; do :; done
		timeout 60 ibv_rc_pingpong -d rxe0 -g 1 -n 20 10.0.0.2 >pingpong
		echo $? >pingpong.status
		wait

		port=/sys/class/infiniband/rxe0/ports/1/state
		stdbuf -oL ibv_asyncwatch -d rxe0 >events &
		until grep -q 'event FD' events; do sleep 0.1; done
		cable cut
		until grep -q PORT_ERR events; do sleep 0.1; done
		cat $port >cut.here
		until peer grep DOWN $port >cut.there; do :; done
		cable restore
		until grep -q PORT_ACTIVE events; do sleep 0.1; done
		cat $port >restored.here
		ping -c 1 -W 5 -q 10.0.0.2 >/dev/null
		echo $? >ping.status
		kill %%
		exit 5
	END
	status=0
	"$RBENCH_SRC/scripts/lab" --two-guests --out "$OUT" --timeout 120 exec "$OUT/script" \
		>"$OUT/stdout" 2>"$OUT/stderr" 3>&- || status=$?
	echo "$status" >"$OUT/status"
}

is() { [ "$(cat "$OUT/$1")" = "$2" ]; }

@test "the script's exit status comes back, and nothing on standard output" {
	cat "$OUT/stderr"
	is status 5
	is stdout ""
}

@test "there are two machines" {
	is name.here lab-a
	is name.there lab-b
}

@test "peer brings back both streams and the status" {
	is peer.out out
	is peer.err err
	is peer.status 7
}

@test "RDMA goes between the two" {
	is pingpong.status 0
}

@test "a cut cable takes both ports down, with an event" {
	is cut.here "1: DOWN"
	is cut.there "1: DOWN"
	grep -q PORT_ERR "$OUT/events"
}

@test "a restored cable brings them up again" {
	is restored.here "4: ACTIVE"
	is ping.status 0
}
