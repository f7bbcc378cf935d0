/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * local - the frame of a command with options of its own and one document
 *
 * It reads the command line, opens and finishes the document, and makes the
 * exit code; help and the list of options come from the same rows. What is left
 * to a command is a row of facts and one function.
 */
#ifndef RB_LOCAL_H
#define RB_LOCAL_H

#include <stddef.h>

#include "base/report.h"

struct rb_command;
struct rb_optgroup;
struct rb_optset;

struct rb_local_call {
	const void *opts; /* what the command's options filled */
	const struct rb_optset *set; /* whose values have sources */
	const char **words; /* what stands on the command line beside them */
	unsigned int nwords;
	struct rb_report *report;
	enum rb_status status; /* of a success; RB_STATUS_OK before the call */
};

struct rb_local {
	const struct rb_optgroup *group;
	const struct rb_optgroup *more; /* another module's, or NULL */
	size_t more_offset;	 /* in the struct, of what those fill */
	size_t opts_size;	 /* of the struct that the group fills */
	unsigned int words_most; /* 0: options only */
	const char *usage;	 /* behind 'rbench NAME' */
	const char *remark;	 /* a line below the summary, or NULL */
	const char *no_csv;	 /* what to do in place of --csv */
	/*
	 * 0 or -errno (reported). A failure that is RB_FAULT_USAGE ends with the
	 * exit code of one.
	 */
	int (*run)(struct rb_local_call *call);
	void (*help)(void); /* what follows the options, or NULL */
};

/* Run the command; returns the exit code. */
int rb_local_run(const struct rb_command *command, int argc, char **argv);

/* Write the help, or the list of options, to standard output. */
void rb_local_help(const struct rb_command *command);
void rb_local_list_options(const struct rb_command *command);

#endif
