#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# memory.bats - what memory a run is given, as the double notes it
# (RB_FAKE_NOTES); and a run that only Ctrl-C ends

load ../helpers

RELAXED=0x100000 ON_DEMAND=0x40 # enum ibv_access_flags

# access END: with which flags memory was registered there
access() {
	local flags
	flags=$(sed -n 's/^mr .*access=//p' "$BATS_TEST_TMPDIR/$1.notes" | head -n 1)
	[[ $flags ]] || { echo "no region in the notes of the $1"; return 1; }
	echo "$flags"
}

# without END FLAGS: memory was registered there, with none of them
without() {
	local flags
	flags=$(access "$1") && ((!(flags & $2)))
}

refused() {
	serve write_bw
	client -n 5 "$@"
}

@test "what is left alone is strictly ordered and locked" {
	measure write_bw -n 5
	without client "$((RELAXED | ON_DEMAND))"
	is '.options | .relaxed_ordering.value == false and .odp.value == false'
}

# bats test_tags=effect:relaxed-ordering
@test "relaxed ordering, of this end only" {
	measure write_bw -n 5 --relaxed-ordering
	(($(access client) & RELAXED))
	without server "$RELAXED"
	measure write_bw -n 5 --disable_pcie_relaxed
	without client "$RELAXED"
}

# bats test_tags=effect:odp
@test "paged on demand, where device, verb and transport can" {
	export RB_FAKE=odp=1
	measure write_bw -n 5 --odp
	(($(access client) & ON_DEMAND))
	measure send_lat -n 5 --odp
	(($(access client) & ON_DEMAND))
	serve atomic_bw
	client -n 5 --odp
	gave_up 77 unsupported transport_unsupported 'cannot page memory on demand'
	await_server
	gave_up 77 unsupported transport_unsupported
	export RB_FAKE=
	refused --odp
	gave_up 77 unsupported transport_unsupported 'cannot page memory on demand'
	await_server
	gave_up 77 unsupported transport_unsupported
}

# written FILE: how many of its bytes are not 0
written() { tr -d '\0' <"$1" | wc -c; }

# bats test_tags=effect:mmap
@test "the memory of a file, from its beginning on" {
	local file=$BATS_TEST_TMPDIR/memory
	truncate -s 64K "$file"
	serve write_lat --mmap "$file"
	client -s 64 -n 9
	measured
	await_server
	measured
	[ "$(written "$file")" -gt 0 ]
}

# bats test_tags=effect:mmap-offset
@test "the memory of a file: what arrives is in it" {
	local file=$BATS_TEST_TMPDIR/memory
	truncate -s 1M "$file"
	measure read_lat -s 64 -n 5 --mmap "$file" --mmap-offset 8K
	is ".options | .mmap.value == \"$file\" and .mmap_offset.value == 8192"
	# of a write ping-pong the last byte of a message counts
	serve write_lat --mmap "$file" --mmap-offset 64K
	client -s 64 -n 9
	measured
	await_server
	measured
	[ "$(written <(head -c 64K "$file"))" -eq 0 ]
	[ "$(written <(tail -c +65537 "$file"))" -gt 0 ]
}

@test "a file that cannot be used" {
	local file=$BATS_TEST_TMPDIR/memory
	truncate -s 16K "$file"
	refused --mmap "$file" -s 64K
	failed_with memory_file 'does not have'
	await_server
	failed_somehow
	refused --mmap "$file" --mmap-offset 100
	failed_with memory_file 'no multiple of the page size'
	await_server
	failed_somehow
	refused --mmap "$file.not"
	failed_with memory_file 'No such file'
	await_server
	failed_somehow
}

# bats test_tags=effect:hugepages
@test "huge pages: there, or the reason why not" {
	local at huge
	serve write_bw
	RB_FAKE_NOTES=$BATS_TEST_TMPDIR/client.notes client -n 5 --hugepages
	if [[ $status -eq 0 ]]; then
		measured
		# it begins where such a page does
		at=$(sed -n 's/^mr addr=\([^ ]*\) .*/\1/p' "$BATS_TEST_TMPDIR/client.notes" | head -n 1)
		huge=$(awk '$1 == "Hugepagesize:" { print 1024 * $2 }' /proc/meminfo)
		((at % huge == 0))
		await_server
		measured
	else
		failed_with hugepages 'in pages of'
		await_server
		failed_somehow
	fi
}

# bats test_tags=effect:forever
@test "for ever: Ctrl-C is its end, not a failure" {
	serve write_bw -vv
	start_client --forever -s 64 --warmup 0
	until_true "$DEADLINE" grep -q 'send start' "${bases[server]}.err"
	until_true "$DEADLINE" has_worked
	kill -INT "${pids[client]}"
	await client
	ended 0 ok
	is '.results[0].messages > 0 and .options.forever == { value: true, source: "user" }'
	await_server
	ended 0 ok
}

# registered END: how many regions; lengths END: how many different lengths of them
lengths() { sed -n 's/^mr .*length=\([0-9]*\) .*/\1/p' "$BATS_TEST_TMPDIR/$1.notes" | sort -u | wc -l; }
registered() { grep -c '^mr ' "$BATS_TEST_TMPDIR/$1.notes"; }

# The double refuses a key that is not of the memory: each has to find its own.
a_region_each() {
	local end
	local words
	read -r -a words <<<"$1"
	measure "${words[@]}" -n 40 -q 4 --mr-per-qp || return
	for end in server client; do
		[[ $(registered "$end") -eq 4 && $(lengths "$end") -eq 1 ]] || return
		doc=${bases[$end]}.json
		is '.local.memory | .regions == 4 and .bytes >= 16384 and .register_ns >= 0' || return
	done
}

@test "--mr-per-qp: each queue pair's memory is a region, at both ends" {
	each a_region_each write_bw read_bw send_bw atomic_bw 'write_bw -b' 'send_bw -b --srq' \
		'write_bw --post-send -l 4' 'write_bw --threads 2' 'write_bw --sge 2' \
		'read_bw --footprint 64K --access random' 'send_bw --sge 3' 'send_bw -c UD' 'write_bw -R' \
		'write_bw --verify' 'read_bw --verify' 'send_bw --verify' 'atomic_bw --verify' \
		'write_bw -b --verify' 'write_lat --threads 4' 'send_lat --threads 4'
}

# bats test_tags=effect:mr-per-qp
@test "--mr-per-qp: each queue pair of --background has its region too" {
	local end
	measure write_lat --mr-per-qp --background 3 -D 100ms
	for end in server client; do
		[ "$(registered "$end")" -eq 4 ]
	done
	measure write_lat --background 3 -D 100ms
	for end in server client; do
		[ "$(registered "$end")" -eq 2 ]
	done
	serve write_lat
	RB_FAKE='max_mr=3' client --mr-per-qp --background 3 -n 5
	failed_with memory_register "at most 3 memory regions, not one for each of 4 queue pairs"
	await_server
	failed_somehow
}

@test "without --mr-per-qp one region holds all" {
	measure send_bw -n 40 -q 4 -b
	[ "$(registered server)" -eq 1 ]
	[ "$(registered client)" -eq 1 ]
	is '.local.memory.regions == 1'
}

@test "--mr-per-qp: a registration fails half-way; the device has too few" {
	serve write_bw
	RB_FAKE='ibv_reg_mr#3=ENOMEM' client -q 4 --mr-per-qp
	failed_with memory_register "on 'fake0', after 2 regions"
	await_server
	failed_somehow
	serve write_bw
	RB_FAKE='max_mr=3' client -q 4 --mr-per-qp
	failed_with memory_register "'fake0' has at most 3 memory regions, not one for each of 4 queue pairs"
	await_server
	failed_somehow
}
