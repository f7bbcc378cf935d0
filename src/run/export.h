/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * export - a run for monitoring systems: Nagios plugin line, Prometheus text file
 */
#ifndef RB_EXPORT_H
#define RB_EXPORT_H

#include "base/report.h"

struct rb_context;

/*
 * With --nagios the one line of a plugin on standard output, with --prometheus
 * the file, which is renamed when it is complete. @fields are those of the rows.
 * 0 or -errno (reported).
 */
int rb_export(struct rb_context *ctx, enum rb_status status,
	      const struct rb_fields *fields);

/* The exit code of a plugin: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
int rb_export_code(enum rb_status status, int err);

/* Has standard output one use only? 0 or -EINVAL (reported). */
int rb_export_check(const struct rb_context *ctx);

/* After a command line that could not be read to its end: is the line wanted? */
void rb_export_wanted(struct rb_context *ctx, int argc, char **argv);

#endif
