/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * files - small files of /proc, /sys, /dev and /etc, here or as recorded
 *
 * The root is /, or the folder that RBENCH_ROOT names: what was recorded of
 * another host (not honoured by a process with raised privileges). Paths are
 * relative to it and made as by printf: "proc/self/status". Nothing here
 * reports.
 */
#ifndef RB_FILES_H
#define RB_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct rb_names; /* host/sysfs.h */

#define RB_FILE_PATH 512

/* The folder of the recorded host, or NULL: this host is read. */
const char *rb_root_recorded(void);

/* Set @path to the root followed by what @fmt makes: 0 or -ENAMETOOLONG. */
int rb_root_path(char path[static RB_FILE_PATH], const char *fmt, ...)
	RB_PRINTF(2, 3);

/*
 * The first line of a file without the white space at its end: 0 or -errno,
 * @text is "" then. rb_path_line takes the path as it is.
 */
int rb_path_line(const char *path, char *text, size_t size);
int rb_file_line(char *text, size_t size, const char *fmt, ...)
	RB_PRINTF(3, 4);

/*
 * The whole of a file up to a mebibyte, NUL at its end (@sizep, if given, is
 * without it): 0 or -errno. The caller frees *@textp.
 */
int rb_file_read(char **textp, size_t *sizep, const char *fmt, ...)
	RB_PRINTF(3, 4);

/* The base name of a link's target, and its whole: 0 or -errno. */
int rb_file_link(char *target, size_t size, const char *fmt, ...)
	RB_PRINTF(3, 4);

/* The names in a folder but those with a dot in front; see rb_sysfs_list. */
int rb_file_list(struct rb_names *names, const char *fmt, ...)
	RB_PRINTF(2, 3);

/*
 * The next line of @text, which is cut there; NULL at the end. *@textp moves.
 */
char *rb_next_line(char **textp);

/* The value after "KEY:" or "KEY=" at the beginning of @line, or NULL. */
const char *rb_line_value(const char *line, const char *key);

#endif
