/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * server - one client after another, each with whatever it asks for
 */
#include "run/server.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "run/agree.h"
#include "run/busy.h"
#include "run/options.h"
#include "verbs/dev.h"

#define PREFIX_TEXT 128

struct server_opts {
	bool no_snapshot;
};

static const struct rb_opt server_rows[] = {
	/* clang-format off */
	{ .name = "no-snapshot", .type = RB_OPT_FLAG, .offset = offsetof(struct server_opts, no_snapshot),
	  .help = "do not tell the facts of this host to 'rbench doctor' of clients" },
	/* clang-format on */
};

static const struct rb_optgroup server_optgroup = { "Server", server_rows,
						    RB_ARRAY_SIZE(server_rows) };

struct server {
	struct rb_optset set;
	struct server_opts opts;
	struct rb_dev_opts dev_opts;
	struct rb_oob_opts oob_opts;
	struct rb_report_opts report_opts;
	int argc;
	char **argv;
	rb_serve_fn serve;
	struct rb_report report;
	struct rb_intr intr;
	struct rb_busy busy; /* for those who come during a visit */
	uint64_t visits, failed, strangers;
};

static void bind_options(struct server *s)
{
	rb_optset_bind(&s->set, &rb_dev_optgroup, &s->dev_opts);
	rb_optset_bind(&s->set, &rb_oob_optgroup, &s->oob_opts);
	rb_optset_bind(&s->set, &server_optgroup, &s->opts);
	rb_optset_bind(&s->set, &rb_report_optgroup, &s->report_opts);
	rb_optset_aliases(&s->set, rb_perftest_aliases, rb_perftest_naliases);
}

struct rb_oob rb_visit_take(struct rb_visit *visit, json_t **plan)
{
	struct rb_oob oob = visit->oob;

	memset(&visit->oob, 0, sizeof(visit->oob));
	*plan = visit->plan;
	visit->plan = NULL;
	return oob;
}

int rb_visit_report(const struct rb_visit *visit, const char *command,
		    const struct rb_report_opts *opts, struct rb_report *report)
{
	int err = rb_report_open(report, opts, command, visit->argc,
				 visit->argv);

	report->text = false;
	report->lines = true;
	rb_report_set(report, "session",
		      json_pack("{s:I, s:s}", "number",
				(json_int_t)visit->number, "client",
				visit->client));
	return err;
}

/* 2026-11-30T02:49:00Z  3  10.0.0.2  write_bw  ok  3.4 s  129 Mb/s with ... */
static void tell(struct server *s, const struct rb_visit *visit, uint64_t ns)
{
	bool good = visit->status == RB_STATUS_OK;
	char now[RB_TIME_TEXT];

	rb_report_text(&s->report,
		       "%s  %" PRIu64 "  %s  %s  %s  %.1f s  %s\n",
		       rb_time_text(now), visit->number, visit->client,
		       *visit->command ? visit->command : "-",
		       rb_status_name(visit->status), (double)ns / RB_NS_PER_S,
		       good ? visit->result : rb_log_bound()->first.code);
}

/* The document of a visit that no command has served. */
static void write_unserved(struct server *s, const struct rb_visit *visit)
{
	struct rb_report report;

	rb_visit_report(visit, "server", &s->report_opts, &report);
	rb_report_set(&report, "options", rb_optset_json(&s->set));
	rb_report_finish(&report, visit->status, rb_log_bound());
	rb_report_close(&report);
}

/* A greeted client says what it wants, and gets it. */
static int receive(struct server *s, struct rb_visit *visit)
{
	int err = rb_agree_await(&visit->oob, &visit->plan);

	if (!err) {
		snprintf(visit->command, sizeof(visit->command), "%s",
			 rb_agree_command(visit->plan));
		rb_busy_tell(&s->busy, visit->command, visit->client);
		err = s->serve(visit);
		if (err != -ENOSYS)
			return err;
		err = rb_fail_hint(RB_FAULT_PEER_PROTOCOL, -EPROTO, NULL,
				   "install the same release of rbench on both ends",
				   "the client asked for '%s', which this server does not have",
				   visit->command);
		/* a stranger's words are not for the terminal */
		visit->command[0] = '\0';
	}
	rb_oob_tell_failure(&visit->oob, err);
	visit->status = err == -EINTR ? RB_STATUS_INTERRUPTED :
					RB_STATUS_FAILED;
	write_unserved(s, visit);
	return err;
}

/* From a connection to the line about it, under a log of the visit's own. */
static void visit_client(struct server *s, struct rb_visit *visit)
{
	struct rb_log *own = rb_log_bound(), log;
	uint64_t since = rb_now_ns();
	char prefix[PREFIX_TEXT];
	int err;

	snprintf(prefix, sizeof(prefix), "%s: %s", own->prefix, visit->client);
	rb_log_init(&log, own->err, prefix);
	log.level = own->level;
	log.trace = own->trace;
	log.since_ns = own->since_ns;
	rb_log_bind(&log);
	err = rb_hello_client(&visit->oob);
	if (!err) {
		visit->number = ++s->visits;
		s->failed += receive(s, visit) != 0;
		tell(s, visit, rb_now_ns() - since);
	} else if (err == -EAGAIN) {
		s->strangers++;
	}
	rb_log_bind(own);
	rb_log_fini(&log);
}

static int serve_next(struct server *s, int listen_fd)
{
	struct rb_visit visit = { .intr = &s->intr, .set = &s->set,
				  .argc = s->argc, .argv = s->argv,
				  .discreet = s->opts.no_snapshot };
	/* a signal while nobody is here is no failure to report */
	int err = rb_wait_fd(listen_fd, POLLIN, &s->intr, UINT64_MAX);

	if (err)
		return err;
	err = rb_oob_accept(&s->oob_opts, listen_fd, &s->intr, &visit.oob);
	if (err)
		return err;
	rb_oob_address(&visit.oob.peer, visit.client);
	rb_busy_begin(&s->busy, &s->oob_opts, listen_fd, visit.client);
	visit_client(s, &visit);
	rb_busy_end(&s->busy);
	json_decref(visit.plan);
	rb_oob_close(&visit.oob);
	return 0;
}

static int serve_all(struct server *s)
{
	int fd, err = rb_dev_foresee(&s->dev_opts);

	if (!err)
		err = rb_intr_init(&s->intr);
	if (!err)
		err = rb_oob_listen(&s->oob_opts, &fd);
	if (err)
		return err;
	rb_report_text(&s->report,
		       "serving on port %" PRIu64 " until stopped (Ctrl-C)\n",
		       s->oob_opts.port);
	while (!err)
		err = atomic_load(&s->intr.hit) ? -EINTR : serve_next(s, fd);
	close(fd);
	return err == -EINTR ? 0 : err;
}

/* The command line; a usage failure is reported. */
static int parse(struct server *s)
{
	const char *json;
	unsigned int nargs;
	int err = rb_optset_parse(&s->set, s->argc, s->argv, NULL, 0, &nargs);

	if (err)
		rb_report_wanted(&s->report_opts, s->argc, s->argv);
	else if (s->report_opts.csv)
		err = rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL, "give --json",
				   "--csv is for the rows of a measurement");
	json = s->report_opts.json;
	/* documents are added to a file: begin with none */
	if (!err && json && strcmp(json, "-") && truncate(json, 0) &&
	    errno != ENOENT && errno != EINVAL)
		err = rb_fail(RB_FAULT_OUTPUT, -errno, "cannot write '%s'",
			      json);
	return err;
}

int rb_server_run(rb_serve_fn serve, int argc, char **argv)
{
	struct server s = { .argc = argc, .argv = argv, .serve = serve,
			    .intr.fd = -1 };
	int usage, err;

	bind_options(&s);
	usage = parse(&s);
	err = rb_report_open(&s.report, &s.report_opts, "server", argc, argv);
	s.report.lines = true;
	usage = usage ? usage : err;
	err = usage ? usage : serve_all(&s);
	rb_intr_fini(&s.intr);
	rb_report_set(&s.report, "options", rb_optset_json(&s.set));
	rb_report_set(&s.report, "sessions",
		      json_pack("{s:I, s:I, s:I}", "served",
				(json_int_t)s.visits, "failed",
				(json_int_t)s.failed, "strangers",
				(json_int_t)s.strangers));
	if (rb_report_finish(&s.report, err ? RB_STATUS_FAILED : RB_STATUS_OK,
			     rb_log_bound()) && !err)
		err = -EIO;
	rb_report_close(&s.report);
	if (usage == -EINVAL)
		return RB_EXIT_USAGE;
	return err ? RB_EXIT_FAILED : RB_EXIT_OK;
}

void rb_server_help(const char *summary)
{
	struct server s = { 0 };

	bind_options(&s);
	printf("usage: rbench server [options]\n\n%s.\n"
	       "Clients decide what is measured and how: the options here are those of this\n"
	       "machine.\n", summary);
	rb_optset_help(&s.set, stdout);
}

void rb_server_list_options(void)
{
	struct server s = { 0 };

	bind_options(&s);
	rb_optset_list(&s.set, stdout);
}
