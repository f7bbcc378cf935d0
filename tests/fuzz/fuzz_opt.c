/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_opt - any command line of a benchmark, an argument a line
 *
 * What one end accepts from its user, the other end has to accept from it.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "run/bench.h"
#include "run/context.h"

#define ARGS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rb_bench bench = {
	.name = "write_bw",
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_UC),
	.transport_reason = "of the specification",
};

static int split(char *text, char **argv)
{
	static char name[] = "write_bw";
	char *rest = text;
	int argc = 0;

	argv[argc++] = name;
	while (rest && argc < ARGS - 1)
		argv[argc++] = strsep(&rest, "\n");
	argv[argc] = NULL;
	return argc;
}

static void bind_all(struct rb_context *end)
{
	memset(end, 0, sizeof(*end));
	rb_context_bind(end);
}

static void agree(const struct rb_context *client)
{
	static struct rb_context server;
	json_t *plan = rb_optset_agreement(&client->set);
	json_t *all = rb_optset_json(&client->set);

	bind_all(&server);
	if (!plan || !all || rb_optset_agree(&server.set, plan))
		abort();
	json_decref(plan);
	json_decref(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rb_context client;
	char *text = malloc(size + 1), *argv[ARGS];
	const char *host = NULL;
	unsigned int nargs;
	int argc;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	argc = split(text, argv);
	rb_log_bind(NULL);
	bind_all(&client);
	if (!rb_optset_parse(&client.set, argc, argv, &host, 1, &nargs) &&
	    !rb_run_complete(&client.set, &bench, &client.run_opts,
			     &client.conn_opts, &client.load_opts))
		agree(&client);
	free(text);
	return 0;
}
