/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * command - a row of rbench's registry
 */
#ifndef RB_COMMAND_H
#define RB_COMMAND_H

struct rb_bench;
struct rb_local;
struct rb_visit;

enum rb_command_kind { RB_COMMAND_BENCHMARK, RB_COMMAND_LOCAL };

struct rb_command {
	const char *name;
	const char *summary;
	enum rb_command_kind kind;
	const struct rb_bench *bench; /* of a benchmark; else NULL */
	const struct rb_local *local; /* of one with the usual frame; else NULL */
	/* of the others: run with argv[0] the command's name; the log is bound.
	 * Returns the exit code. */
	int (*run)(const struct rb_command *command, int argc, char **argv);
	/* of one that 'rbench server' serves and that is no benchmark, or NULL */
	int (*serve)(struct rb_visit *visit);
	void (*help)(const struct rb_command *command);
	void (*list_options)(const struct rb_command *command);
};

/* The command called @name; NULL when there is none. */
const struct rb_command *rb_command_find(const char *name);

extern const struct rb_command rb_command_check;
extern const struct rb_command rb_command_compare;
extern const struct rb_command rb_command_devices;
extern const struct rb_command rb_command_doctor;
extern const struct rb_command rb_command_explain;
extern const struct rb_command rb_command_atomic_bw;
extern const struct rb_command rb_command_atomic_lat;
extern const struct rb_command rb_command_gids;
extern const struct rb_command rb_command_read_bw;
extern const struct rb_command rb_command_read_lat;
extern const struct rb_command rb_command_send_bw;
extern const struct rb_command rb_command_send_lat;
extern const struct rb_command rb_command_server;
extern const struct rb_command rb_command_snapshot;
extern const struct rb_command rb_command_watch;
extern const struct rb_command rb_command_write_bw;
extern const struct rb_command rb_command_write_lat;

#endif
