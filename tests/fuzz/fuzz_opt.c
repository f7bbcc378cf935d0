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
#include "base/opt.h"
#include "base/report.h"
#include "peer/oob.h"
#include "run/bench.h"
#include "run/options.h"
#include "verbs/cq.h"
#include "verbs/dev.h"

#define ARGS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rb_bench bench = {
	.name = "write_bw",
	.transports = RB_TRANSPORT(IBV_QPT_RC) | RB_TRANSPORT(IBV_QPT_UC),
	.transport_reason = "of the specification",
};

struct end {
	struct rb_optset set;
	struct rb_dev_opts dev;
	struct rb_oob_opts oob;
	struct rb_conn_opts conn;
	struct rb_run_opts run;
	struct rb_cq_opts cq;
	struct rb_report_opts report;
};

static void bind_all(struct end *end)
{
	memset(end, 0, sizeof(*end));
	rb_optset_bind(&end->set, &rb_dev_optgroup, &end->dev);
	rb_optset_bind(&end->set, &rb_oob_optgroup, &end->oob);
	rb_optset_bind(&end->set, &rb_conn_optgroup, &end->conn);
	rb_optset_bind(&end->set, &rb_run_optgroup, &end->run);
	rb_optset_bind(&end->set, &rb_cq_optgroup, &end->cq);
	rb_optset_bind(&end->set, &rb_report_optgroup, &end->report);
	rb_optset_aliases(&end->set, rb_perftest_aliases, rb_perftest_naliases);
}

static int split(char *text, char **argv)
{
	char *rest = text;
	int argc = 0;

	argv[argc++] = "write_bw";
	while (rest && argc < ARGS - 1)
		argv[argc++] = strsep(&rest, "\n");
	argv[argc] = NULL;
	return argc;
}

static void agree(const struct end *client)
{
	static struct end server;
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
	static struct end client;
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
	    !rb_run_complete(&client.set, &bench, &client.run, &client.conn))
		agree(&client);
	free(text);
	return 0;
}
