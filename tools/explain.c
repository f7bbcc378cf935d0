/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explain - what errors mean: of codes, or of any log
 *
 * The text is a view of the document's "explain" (tools/explain_text.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/base.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "command.h"
#include "diag/explain.h"
#include "explain.h"
#include "local.h"

#define PIECE (1u << 20)
#define WORDS_MAX 64

struct explain_opts {
	const char *status, *vendor_err, *driver, *queue;
	const char *call, *transition, *err;
	const char *event, *event_status;
	bool list;
};

#define ROW(n, f, a, h) \
	{ .name = (n), .type = RB_OPT_STRING, .arg = (a), \
	  .offset = offsetof(struct explain_opts, f), .help = (h) }

static const struct rb_opt explain_rows[] = {
	ROW("status", status, "STATUS", "of a completion: number, name or text"),
	ROW("vendor-err", vendor_err, "CODE", "the vendor's code beside it"),
	ROW("driver", driver, "NAME", "provider, kernel driver or device: mlx5, bnxt_re, irdma, ..."),
	ROW("queue", queue, "SQ|RQ", "the queue of the completion"),
	ROW("call", call, "NAME", "a call that failed: ibv_reg_mr, ibv_modify_qp, ..."),
	ROW("transition", transition, "A->B", "of ibv_modify_qp: INIT->RTR, RTR->RTS, ..."),
	ROW("errno", err, "ERRNO", "of the call: number or name"),
	ROW("event", event, "NAME", "an event of a device or of rdma_cm"),
	ROW("event-status", event_status, "STATUS", "the status of an event of rdma_cm"),
	{ .name = "list",
	  .type = RB_OPT_FLAG,
	  .offset = offsetof(struct explain_opts, list),
	  .help = "show all tables" },
};

static const struct rb_optgroup explain_optgroup = {
	"Codes", explain_rows, RB_ARRAY_SIZE(explain_rows)
};

/* --- codes ---------------------------------------------------------------- */

static int refuse(const char *what, const char *value)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "'rbench explain --list' shows what is known",
			    "%s '%.80s' is not known", what, value);
}

/* What the options and words say; each is refused if nobody knows it. */
static int apply_options(const struct explain_opts *o, struct rb_given *given)
{
	const struct {
		const char *value;
		int (*set)(struct rb_given *given, const char *value);
		const char *what;
	} rows[] = {
		{ o->status, rb_given_status, "the status" },
		{ o->vendor_err, rb_given_vendor, "the vendor's code" },
		{ o->driver, rb_given_driver, "the driver" },
		{ o->queue, rb_given_queue, "the queue" },
		{ o->call, rb_given_call, "the call" },
		{ o->transition, rb_given_transition, "the transition" },
		{ o->err, rb_given_errno, "the errno" },
		{ o->event, rb_given_event, "the event" },
		{ o->event_status, rb_given_event_status, "the event's status" },
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].value && rows[i].set(given, rows[i].value))
			return refuse(rows[i].what, rows[i].value);
	return 0;
}

/* --- input ---------------------------------------------------------------- */

static int cannot_read(const char *name, int err)
{
	return rb_fail(RB_FAULT_INPUT, err, "cannot read '%s'", name);
}

static int read_all(struct rb_explain *x, int fd, const char *name)
{
	char *piece = malloc(PIECE);
	ssize_t n = -1;

	if (!piece)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot read '%s'", name);
	rb_explain_begin(x, name);
	do {
		n = read(fd, piece, PIECE);
		if (n > 0)
			rb_explain_feed(x, piece, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	rb_explain_end(x);
	free(piece);
	return n < 0 ? cannot_read(name, -errno) : 0;
}

static int read_file(struct rb_explain *x, const char *name)
{
	bool is_stdin = !strcmp(name, "-");
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return cannot_read(name, -errno);
	err = read_all(x, fd, is_stdin ? "standard input" : name);
	if (!is_stdin)
		close(fd);
	return err;
}

static bool is_file(const char *name)
{
	return !strcmp(name, "-") || strchr(name, '/') || !access(name, F_OK);
}

/* The words of the command line: files, or codes. */
static int apply_words(struct rb_explain *x, struct rb_given *given,
		       const char **words, unsigned int n, bool *read)
{
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		if (is_file(words[i])) {
			*read = true;
			err = read_file(x, words[i]);
		} else if (rb_given_word(given, words[i])) {
			err = rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
					   "'rbench explain --list' shows the codes",
					   "'%.80s' is neither a file nor a code that rbench knows",
					   words[i]);
		}
	}
	return err;
}

/* Everything that there is to explain, whatever it comes from. */
static int gather(struct rb_explain *x, const struct explain_opts *opts,
		  const char **words, unsigned int n)
{
	struct rb_given given = { 0 };
	bool read = false;
	int err;

	rb_given_init(&given);
	err = apply_options(opts, &given);
	if (!err)
		err = apply_words(x, &given, words, n, &read);
	if (err)
		return err;
	rb_explain_provider(x, given.finding.codes.provider);
	if (given.any)
		rb_explain_add(x, &given.finding);
	else if (!read && isatty(STDIN_FILENO))
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "rbench explain 12 129; rbench explain FILE; dmesg | rbench explain",
				    "nothing to explain: give codes, a file, or a log on standard input");
	else if (!read)
		err = read_file(x, "-");
	rb_explain_judge(x);
	return err;
}

static int explain(const struct explain_opts *opts, const char **words,
		   unsigned int n, struct rb_report *report)
{
	struct rb_explain *x = rb_explain_create();
	json_t *section;
	int err;

	if (!x)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot make the tables");
	err = gather(x, opts, words, n);
	if (err != -EINVAL) {
		section = rb_explain_json(x);
		rb_explain_show(report, section);
		rb_report_set(report, "explain", section);
	}
	rb_explain_destroy(x);
	return err;
}

static int list_tables(struct rb_report *report)
{
	json_t *tables = rb_explain_tables();

	rb_explain_show_tables(report, tables);
	rb_report_set(report, "explain",
		      json_pack("{s:o}", "tables", tables));
	return 0;
}

static int run_explain(struct rb_local_call *call)
{
	const struct explain_opts *opts = call->opts;

	return opts->list ? list_tables(call->report) :
			    explain(opts, call->words, call->nwords,
				    call->report);
}

static const struct rb_local explain_local = {
	.group = &explain_optgroup,
	.opts_size = sizeof(struct explain_opts),
	.words_most = WORDS_MAX,
	.usage = "[options] [CODE... | FILE...]",
	.remark = "Without codes and files it reads standard input.",
	.no_csv = "give --json",
	.run = run_explain,
};

const struct rb_command rb_command_explain = {
	.name = "explain",
	.summary = "errors, from codes or any log: what they mean and what to do",
	.kind = RB_COMMAND_LOCAL,
	.local = &explain_local,
};
