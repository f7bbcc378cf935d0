/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rbench - the registry of commands, and main
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/report.h"
#include "command.h"
#include "diag/afterrun.h"
#include "local.h"
#include "run/bench.h"
#include "run/options.h"

static const struct rb_command *const commands[] = {
	&rb_command_atomic_bw,
	&rb_command_atomic_lat,
	&rb_command_check,
	&rb_command_compare,
	&rb_command_devices,
	&rb_command_doctor,
	&rb_command_explain,
	&rb_command_gids,
	&rb_command_read_bw,
	&rb_command_read_lat,
	&rb_command_send_bw,
	&rb_command_send_lat,
	&rb_command_server,
	&rb_command_snapshot,
	&rb_command_watch,
	&rb_command_write_bw,
	&rb_command_write_lat,
};

static const char *const kind_names[] = {
	[RB_COMMAND_BENCHMARK] = "benchmark",
	[RB_COMMAND_LOCAL] = "local",
};

static void usage(void)
{
	puts("usage: rbench COMMAND [options] [HOST]\n"
	     "\n"
	     "Measures RDMA, and says why it is slow or broken.\n"
	     "\n"
	     "commands:");
	for (size_t i = 0; i < RB_ARRAY_SIZE(commands); i++)
		printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "  rbench COMMAND --help    options of a command\n"
	     "  rbench --list-commands   name, kind, summary and transports, for scripts\n"
	     "  rbench --version\n"
	     "\n"
	     "exit codes: 0 measured, 1 could not, 2 usage, 3 below an expectation,\n"
	     "77 not supported here");
}

/* "RC,UC" of a benchmark; "-" where there are none. */
static void list_transports(const struct rb_bench *bench)
{
	const char *before = "";

	for (const struct rb_enum *e = rb_transport_names; bench && e->name; e++) {
		if (!(bench->transports & RB_TRANSPORT(e->value)))
			continue;
		printf("%s%s", before, e->name);
		before = ",";
	}
	puts(*before ? "" : "-");
}

static void list_commands(void)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(commands); i++) {
		printf("%s\t%s\t%s\t", commands[i]->name,
		       kind_names[commands[i]->kind], commands[i]->summary);
		list_transports(commands[i]->bench);
	}
}

static void version(void)
{
	puts("rbench " PACKAGE_VERSION);
}

const struct rb_command *rb_command_find(const char *name)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* --help and --list-options stand alone: whatever else is on the line. */
static bool wants(int argc, char **argv, const char *option)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], option))
			return true;
	return false;
}

static int run_command(const struct rb_command *c, int argc, char **argv)
{
	bool help = wants(argc, argv, "--help") || wants(argc, argv, "-h");
	bool list = wants(argc, argv, "--list-options");

	if (!help && !list)
		return c->bench ? rb_bench_run(c->bench, rb_run_findings, argc, argv) :
		       c->local ? rb_local_run(c, argc, argv) :
				  c->run(c, argc, argv);
	if (c->bench)
		(help ? rb_bench_help : rb_bench_list_options)(c->bench);
	else if (c->local)
		(help ? rb_local_help : rb_local_list_options)(c);
	else
		(help ? c->help : c->list_options)(c);
	return RB_EXIT_OK;
}

/* rbench's own options, which stand in a command's place. */
static const struct {
	const char *spelling;
	void (*show)(void);
} own_options[] = {
	{ "--help", usage },
	{ "-h", usage },
	{ "--version", version },
	{ "-V", version },
	{ "--list-commands", list_commands },
};

static int dispatch(struct rb_log *log, int argc, char **argv)
{
	const struct rb_command *command;
	char prefix[64];

	if (argc < 2) {
		rb_fail_hint(RB_FAULT_USAGE, -1, NULL,
			     "'rbench --help' lists them", "no command given");
		return RB_EXIT_USAGE;
	}
	for (size_t i = 0; i < RB_ARRAY_SIZE(own_options); i++) {
		if (!strcmp(argv[1], own_options[i].spelling)) {
			own_options[i].show();
			return RB_EXIT_OK;
		}
	}
	command = rb_command_find(argv[1]);
	if (!command) {
		rb_fail_hint(RB_FAULT_USAGE, -1, NULL,
			     "'rbench --help' lists the commands",
			     "'%s' is not a command", argv[1]);
		return RB_EXIT_USAGE;
	}
	snprintf(prefix, sizeof(prefix), "rbench %s", command->name);
	log->prefix = prefix;
	return run_command(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	struct rb_log log;
	int code;

	/* a reader that left is a failure to write, reported like any other */
	signal(SIGPIPE, SIG_IGN);
	rb_log_init(&log, stderr, "rbench");
	rb_log_bind(&log);
	code = dispatch(&log, argc, argv);
	rb_log_fini(&log);
	return code;
}
