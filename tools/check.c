/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check - does RDMA work between two ends, and does protection hold?
 */
#include "run/check.h"

#include "command.h"

static int run(const struct rb_command *command, int argc, char **argv)
{
	(void)command;
	return rb_check_run(argc, argv);
}

static void help(const struct rb_command *command)
{
	rb_check_help(command->summary);
}

static void list_options(const struct rb_command *command)
{
	(void)command;
	rb_check_list_options();
}

const struct rb_command rb_command_check = {
	.name = "check",
	.summary = "does RDMA work between these two, and does protection hold",
	.kind = RB_COMMAND_LOCAL,
	.run = run,
	.serve = rb_check_serve,
	.help = help,
	.list_options = list_options,
};
