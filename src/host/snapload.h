/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapload - read a snapshot back from a file, whoever wrote it
 */
#ifndef RB_SNAPLOAD_H
#define RB_SNAPLOAD_H

#include <jansson.h>
#include <stddef.h>

#define RB_SNAPSHOT_BYTES_MOST (64u << 20) /* hosts with many devices have some megabytes */

/*
 * The snapshot in the file @path ("-": standard input), which may also be a
 * document of 'rbench snapshot --json'. 0 and sets *@docp (owned by the
 * caller), or a negative errno (reported: RB_FAULT_SNAPSHOT, RB_FAULT_NO_MEMORY).
 *
 * What every reader may rely on: an object of schema rbench-snapshot/1 with the
 * objects host, process, devices, netdevs and pci and the array missing; sections
 * and things by name are objects, lists are arrays of what the schema says, and
 * nothing is deeper than 16 levels. What a value is must still be asked.
 */
int rb_snapshot_load(const char *path, json_t **docp);

/* The same of @size bytes at @data; @name is what messages call it. */
int rb_snapshot_parse(const char *data, size_t size, const char *name,
		      json_t **docp);

#endif
