/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * local - the frame of a command with options of its own and one document
 */
#include "local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "command.h"

struct frame {
	const struct rb_local *local;
	struct rb_optset set;
	struct rb_report_opts report_opts;
	struct rb_report report;
	struct rb_local_call call;
	void *opts;
};

/* The options with their defaults, on the heap as the words are. */
static int open_frame(struct frame *f, const struct rb_local *local)
{
	*f = (struct frame){ .local = local };
	f->opts = calloc(1, local->opts_size);
	f->call.words = calloc(local->words_most + 1, sizeof(*f->call.words));
	if (!f->opts || !f->call.words)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the options");
	rb_optset_bind(&f->set, local->group, f->opts);
	if (local->more)
		rb_optset_bind(&f->set, local->more,
			       (char *)f->opts + local->more_offset);
	rb_optset_bind(&f->set, &rb_report_optgroup, &f->report_opts);
	f->call.opts = f->opts;
	f->call.set = &f->set;
	f->call.report = &f->report;
	f->call.status = RB_STATUS_OK;
	return 0;
}

static void close_frame(struct frame *f)
{
	free(f->call.words);
	free(f->opts);
}

/* The command line; a usage failure is reported. */
static int parse(struct frame *f, int argc, char **argv)
{
	int err = rb_optset_parse(&f->set, argc, argv, f->call.words,
				  f->local->words_most, &f->call.nwords);

	if (err)
		rb_report_wanted(&f->report_opts, argc, argv);
	else if (f->report_opts.csv)
		err = rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				   f->local->no_csv,
				   "--csv is for the rows of a measurement");
	return err;
}

static int run_frame(struct frame *f, const char *name, int argc, char **argv)
{
	struct rb_log *log = rb_log_bound();
	enum rb_status status;
	int err = parse(f, argc, argv);
	int opened = rb_report_open(&f->report, &f->report_opts, name, argc,
				    argv);
	int written;

	err = err ? err : opened;
	rb_report_set(&f->report, "options", rb_optset_json(&f->set));
	if (!err)
		err = f->local->run(&f->call);
	status = err ? RB_STATUS_FAILED : f->call.status;
	written = rb_report_finish(&f->report, status, log);
	rb_report_close(&f->report);
	if (err && log->first.fault == RB_FAULT_USAGE)
		return RB_EXIT_USAGE;
	return rb_exit_code(status, err ? err : written);
}

int rb_local_run(const struct rb_command *command, int argc, char **argv)
{
	struct frame f;
	int err = open_frame(&f, command->local);
	int code = err ? rb_exit_code(RB_STATUS_FAILED, err) :
			 run_frame(&f, command->name, argc, argv);

	close_frame(&f);
	return code;
}

void rb_local_help(const struct rb_command *command)
{
	const struct rb_local *local = command->local;
	struct frame f;

	if (!open_frame(&f, local)) {
		printf("usage: rbench %s %s\n\n%s.\n", command->name,
		       local->usage, command->summary);
		if (local->remark)
			puts(local->remark);
		rb_optset_help(&f.set, stdout);
		if (local->help)
			local->help();
	}
	close_frame(&f);
}

void rb_local_list_options(const struct rb_command *command)
{
	struct frame f;

	if (!open_frame(&f, command->local))
		rb_optset_list(&f.set, stdout);
	close_frame(&f);
}
