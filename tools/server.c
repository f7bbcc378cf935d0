/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * server - serve every benchmark, one client after another, until stopped
 */
#include "run/server.h"

#include <errno.h>

#include "command.h"
#include "diag/afterrun.h"
#include "run/bench.h"

static int serve(struct rb_visit *visit)
{
	const struct rb_command *c = rb_command_find(visit->command);

	if (c && c->bench)
		return rb_bench_serve(c->bench, rb_run_findings, visit);
	return c && c->serve ? c->serve(visit) : -ENOSYS;
}

static int run(const struct rb_command *command, int argc, char **argv)
{
	(void)command;
	return rb_server_run(serve, argc, argv);
}

static void help(const struct rb_command *command)
{
	rb_server_help(command->summary);
}

static void list_options(const struct rb_command *command)
{
	(void)command;
	rb_server_list_options();
}

const struct rb_command rb_command_server = {
	.name = "server",
	.summary = "serve every benchmark, one client after another, until stopped",
	.kind = RB_COMMAND_LOCAL,
	.run = run,
	.help = help,
	.list_options = list_options,
};
