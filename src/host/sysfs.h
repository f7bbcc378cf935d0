/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sysfs - read small files, links and folders below the sysfs root
 *
 * The root is /sys, or what SYSFS_PATH says (as in libibverbs; not honoured by
 * a process with raised privileges), or the one of a recorded host
 * (host/files.h). Paths are relative to it and made as by
 * printf. Nothing here reports: a fact that is not there is simply absent.
 */
#ifndef RB_SYSFS_H
#define RB_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#define RB_SYSFS_PATH 512

/* The whole path below the root: 0 or -ENAMETOOLONG. */
int rb_sysfs_path(char path[static RB_SYSFS_PATH], const char *fmt, ...)
	RB_PRINTF(2, 3);

/* The names in a folder, sorted. */
struct rb_names {
	unsigned int n;
	char **v;
};

/*
 * The first line of a file without the white space at its end. 0 or -errno;
 * @text is "" on failure.
 */
int rb_sysfs_text(char *text, size_t size, const char *fmt, ...)
	RB_PRINTF(3, 4);

/* A number as C writes it (decimal, 0x...), followed by nothing else. */
int rb_sysfs_u64(uint64_t *value, const char *fmt, ...) RB_PRINTF(2, 3);
int rb_sysfs_int(int *value, const char *fmt, ...) RB_PRINTF(2, 3);

/* The base name of a symbolic link's target: 0 or -errno, @name "" then. */
int rb_sysfs_link(char *name, size_t size, const char *fmt, ...)
	RB_PRINTF(3, 4);

/*
 * The names in a folder but those that begin with a dot. 0 or -errno; @names
 * is empty then. The caller frees it.
 */
int rb_sysfs_list(struct rb_names *names, const char *fmt, ...) RB_PRINTF(2, 3);
int rb_path_list(struct rb_names *names, const char *path);
void rb_names_free(struct rb_names *names);

#endif
