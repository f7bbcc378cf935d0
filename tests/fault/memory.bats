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

@test "relaxed ordering, of this end only" {
	measure write_bw -n 5 --relaxed-ordering
	(($(access client) & RELAXED))
	without server "$RELAXED"
	measure write_bw -n 5 --disable_pcie_relaxed
	without client "$RELAXED"
}

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
	[ "$(head -c 64K "$file" | tr -d '\0' | wc -c)" -eq 0 ]
	[ "$(tail -c +65537 "$file" | tr -d '\0' | wc -c)" -gt 0 ]
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

@test "huge pages: there, or the reason why not" {
	serve write_bw
	client -n 5 --hugepages
	if [[ $status -eq 0 ]]; then
		measured
		await_server
		measured
	else
		failed_with hugepages 'in pages of'
		await_server
		failed_somehow
	fi
}

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
