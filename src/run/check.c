/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * check - does RDMA work between these two ends, and does protection hold?
 */
#include "run/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "run/checkend.h"
#include "run/checkrow.h"
#include "run/server.h"
#include "run/verb.h"

#define OVER_MTU 4097 /* a byte more than the largest that there is (enum ibv_mtu) */
#define DATAGRAMS 3 /* a path that loses so many in a row does not carry them */

/* Ask for the test; what is left of the one before is dropped. */
static int ask(struct rb_check *c, const struct rb_trial *t, json_t **answered)
{
	uint64_t seq = ++c->seq;
	int err = rb_oob_send(&c->oob,
			      json_pack("{s:s, s:I, s:s, s:I, s:b}", "type",
					"test", "seq", (json_int_t)seq, "name",
					t->row->name, "size",
					(json_int_t)t->size, "out",
					(int)t->acts));

	while (!err) {
		err = rb_oob_next(&c->oob, answered);
		if (err)
			break;
		if (!strcmp(rb_frame_type(*answered), "test") &&
		    (uint64_t)json_integer_value(
			    json_object_get(*answered, "seq")) == seq)
			return 0;
		json_decref(*answered);
	}
	return err;
}

static void count(struct rb_check *c, const struct rb_check_row *row)
{
	if (row->outcome == rb_check_pass)
		c->passed++;
	else if (row->outcome == rb_check_fail)
		c->failed++;
	else
		c->skipped++;
	rb_report_row(&c->report, &rb_check_fields, row);
}

/* Without a connection nothing else can work: do not wait for each to fail. */
static void note_dead(struct rb_check *c, const struct rb_trial_row *row,
		      const struct rb_check_row *result)
{
	unsigned int way = c->end.cm ? RB_TRIAL_CM : RB_TRIAL_MANUAL;

	if ((row->flags & RB_TRIAL_CONNECT) && (row->flags & way) &&
	    result->outcome == rb_check_fail)
		c->dead = "no connection can be made";
}

int rb_check_try(struct rb_check *c, struct rb_trial *t,
		 struct rb_outcome outcomes[static 2], struct rb_check_row *row)
{
	const char *skip = c->dead ? c->dead : rb_check_lacks(c, t->row);
	uint64_t since = rb_now_ns();
	struct rb_failure why;
	json_t *answered = NULL;
	bool fatal = false;
	int err = 0;

	*row = rb_check_row_of(t);
	if (!skip) {
		err = ask(c, t, &answered);
		skip = json_string_value(json_object_get(answered, "skip"));
	}
	if (err)
		return err;
	if (skip) {
		rb_check_skip(row, skip);
	} else {
		err = rb_check_trial(t, outcomes, &why, &fatal);
		row->duration_ns = rb_now_ns() - since;
		if (err && !fatal && why.fault == RB_FAULT_TRANSPORT)
			rb_check_skip(row, why.message);
		else if (err && !fatal)
			rb_check_broken(row, &why);
		else if (!err)
			rb_check_judge(row, t, &outcomes[0], &outcomes[1]);
	}
	json_decref(answered);
	if (fatal)
		return rb_fail_raw(&why);
	note_dead(c, t->row, row);
	return 0;
}

/* Try it; again where a datagram got lost, which may happen to any. */
static int try_patiently(struct rb_check *c, struct rb_trial *t,
			 struct rb_outcome outcomes[static 2],
			 struct rb_check_row *row)
{
	unsigned int tried = 0, lost = 0;
	int err;

	do {
		memset(outcomes, 0, 2 * sizeof(*outcomes));
		err = rb_check_try(c, t, outcomes, row);
		lost += outcomes[0].lost || outcomes[1].lost;
	} while (!err && lost == ++tried && tried < DATAGRAMS);
	if (!err && lost)
		rb_check_lost(row, lost, tried);
	return err;
}

/* One test, told as a row. 0 or -errno (reported): the check is over. */
static int try_one(struct rb_check *c, struct rb_trial *t)
{
	struct rb_outcome outcomes[2];
	struct rb_check_row row;
	int err = try_patiently(c, t, outcomes, &row);

	if (err)
		return err;
	count(c, &row);
	if (c->opts.inject)
		rb_check_explain(&c->report, &row, t,
				 t->acts ? &outcomes[0] : &outcomes[1]);
	return 0;
}

static uint32_t size_of(const struct rb_check *c, const struct rb_trial_row *row,
			unsigned int i)
{
	uint32_t size = (uint32_t)c->opts.sizes.v[i];

	if (row->flags & RB_TRIAL_ATOMIC)
		return RB_ATOMIC_BYTES;
	if (row->flags & RB_TRIAL_OVER_MTU)
		return OVER_MTU;
	return row->flags & RB_TRIAL_DATAGRAM ?
		       RB_MIN(size, c->end.path.mtu) :
		       size;
}

static int try_row(struct rb_check *c, const struct rb_trial_row *row)
{
	bool sized = row->flags & RB_TRIAL_SIZED;
	bool twice = !(row->flags & RB_TRIAL_CONNECT) && !c->opts.inject;
	int err = 0;

	for (unsigned int i = 0; i < (sized ? c->opts.sizes.n : 1) && !err; i++) {
		for (int back = 0; back < (twice ? 2 : 1) && !err; back++) {
			struct rb_trial t = {
				.row = row,
				.end = &c->end,
				.size = size_of(c, row, i),
				.acts = !back,
			};

			err = try_one(c, &t);
		}
	}
	return err;
}

int rb_check_leave(struct rb_check *c)
{
	int err = rb_oob_send(&c->oob, json_pack("{s:s}", "type", "bye"));
	bool left = false;

	while (!err && !left) {
		json_t *frame;

		err = rb_oob_next(&c->oob, &frame);
		if (err)
			break;
		left = !strcmp(rb_frame_type(frame), "bye");
		json_decref(frame);
	}
	return err;
}

static int try_all(struct rb_check *c)
{
	const struct rb_trial_row *only =
		c->opts.inject ? rb_trial_find(c->opts.inject) : NULL;
	int err = 0;

	if (only)
		err = try_row(c, only);
	for (size_t i = 0; !only && i < rb_ntrials && !err; i++)
		if (!(rb_trial_rows[i].flags & RB_TRIAL_ASKED))
			err = try_row(c, &rb_trial_rows[i]);
	return err ? err : rb_check_leave(c);
}

static void verdict(struct rb_check *c)
{
	rb_report_text(&c->report,
		       "\nverdict: %" PRIu64 " passed, %" PRIu64
		       " failed, %" PRIu64 " skipped\n",
		       c->passed, c->failed, c->skipped);
	rb_report_set(&c->report, "expectations",
		      json_pack("[{s:s, s:I, s:b}]", "expr", "failed == 0",
				"value", (json_int_t)c->failed, "met",
				!c->failed));
}

int rb_check_join(struct rb_check *c)
{
	struct rb_path_wish wish = { c->conn_opts.mtu, c->conn_opts.rd_atomic };
	int err = rb_dev_open(&c->dev_opts,
			      (const struct sockaddr *)&c->oob.local, &c->dev);

	if (!err)
		err = rb_agree_client(&c->oob, RB_CHECK_NAME, &c->set, c->dev,
				      c->dev_opts.gid_index, &c->ends);
	if (!err)
		err = rb_agree_path(&c->oob, c->dev, &c->ends, &wish,
				    &c->end.path);
	if (err) {
		rb_oob_tell_failure(&c->oob, err);
		return err;
	}
	rb_check_set_end(c, true);
	rb_ends_describe(&c->ends, &c->end.path);
	return 0;
}

/* With the other end greeted. */
static int run_client(struct rb_check *c)
{
	int err = rb_check_join(c);

	if (err)
		return err;
	rb_check_header(&c->report, c->ends.local, c->ends.peer,
			c->end.path.mtu);
	err = try_all(c);
	if (!err)
		verdict(c);
	return err;
}

static int run_loopback(struct rb_check *c)
{
	struct rb_check_other *other;
	int err = rb_check_start_other(c, &other);

	if (err)
		return err;
	err = rb_hello(&c->oob, true);
	if (!err)
		err = run_client(c);
	rb_check_join_other(c, other);
	return err;
}

static int run(struct rb_check *c, const char *host)
{
	int err;

	if (c->opts.responder)
		return rb_check_await_client(c);
	if (!host)
		return run_loopback(c);
	err = rb_meet(&c->oob_opts, host, c->intr, &c->oob);
	return err ? err : run_client(c);
}

/* --- the command -------------------------------------------------------------- */

static int usage(const char *why, const char *cure)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL, cure, "%s", why);
}

/* What cannot be asked for together; reported. */
static int refuse(const struct rb_check *c, const char *host)
{
	const char *kind = c->opts.inject;

	if (c->opts.responder && (host || kind))
		return usage("--responder waits for a client, which decides",
			     "leave out the host and --inject");
	if (c->opts.peer_device && (host || c->opts.responder))
		return usage("--peer-device is about a check without a host",
			     "choose the other host's device there, with -d");
	if (c->conn_opts.transport != IBV_QPT_RC)
		return usage("check tries RC and UD itself",
			     "leave out --connection");
	if (c->conn_opts.multicast || c->conn_opts.group)
		return usage("check sends its datagrams to one peer, not to a group",
			     "leave out --multicast and --mgid");
	if (c->conn_opts.cm && c->conn_opts.pkey_index != RB_AUTO)
		return usage("--pkey-index does not go with -R: rdma_cm takes the P_Key of the network interface",
			     "leave out one of the two");
	if (kind && !rb_trial_find(kind))
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "'rbench check --inject list' lists them",
				    "there is no kind '%s' to inject", kind);
	return 0;
}

static enum rb_status status_of(const struct rb_check *c, int err)
{
	if (err)
		return err == -EINTR	   ? RB_STATUS_INTERRUPTED :
		       err == -EOPNOTSUPP ? RB_STATUS_UNSUPPORTED :
					    RB_STATUS_FAILED;
	return c->failed ? RB_STATUS_BELOW_EXPECTATION : RB_STATUS_OK;
}

static void list_kinds(void)
{
	for (size_t i = 0; i < rb_ntrials; i++)
		if (rb_trial_provokes(&rb_trial_rows[i]))
			printf("  %-22s %s\n", rb_trial_rows[i].name,
			       rb_trial_rows[i].what);
}

int rb_check_run(int argc, char **argv)
{
	struct rb_intr intr = { .fd = -1 };
	struct rb_check c = { .intr = &intr };
	const char *host = NULL;
	enum rb_status status;
	unsigned int nargs;
	int err, usage;

	rb_check_bind(&c);
	usage = rb_optset_parse(&c.set, argc, argv, &host, 1, &nargs);
	if (usage)
		rb_report_wanted(&c.report_opts, argc, argv);
	if (!usage && c.opts.inject && !strcmp(c.opts.inject, "list")) {
		list_kinds();
		return RB_EXIT_OK;
	}
	err = rb_report_open(&c.report, &c.report_opts, RB_CHECK_NAME, argc, argv);
	usage = usage ? usage : err;
	if (!usage)
		usage = refuse(&c, host);
	err = usage ? usage : rb_intr_init(&intr);
	if (!err)
		err = run(&c, host);
	rb_check_close(&c);
	rb_intr_fini(&intr);
	status = status_of(&c, err);
	if (rb_report_finish(&c.report, status, rb_log_bound()) && !err)
		err = -EIO;
	rb_report_close(&c.report);
	if (err == -EINVAL && rb_log_bound()->first.fault == RB_FAULT_USAGE)
		usage = err; /* noticed when the device was opened */
	return usage ? RB_EXIT_USAGE : rb_exit_code(status, err);
}

int rb_check_serve(struct rb_visit *visit)
{
	struct rb_check c = { .intr = visit->intr };
	int err;

	rb_check_bind(&c);
	rb_optset_inherit(&c.set, visit->set);
	c.oob = rb_visit_take(visit, &c.plan);
	err = rb_visit_report(visit, RB_CHECK_NAME, &c.report_opts, &c.report);
	if (!err)
		err = rb_check_respond(&c);
	rb_check_close(&c);
	visit->status = status_of(&c, err);
	if (!rb_check_provoked(&c, visit->result))
		snprintf(visit->result, sizeof(visit->result),
			 "%" PRIu64 " tests", c.seq);
	if (rb_report_finish(&c.report, visit->status, rb_log_bound()) && !err)
		err = -EIO;
	rb_report_close(&c.report);
	return err;
}

void rb_check_help(const char *summary)
{
	struct rb_check c = { .seq = 0 };

	rb_check_bind(&c);
	printf("usage: rbench check [options]        both ends on this machine\n"
	       "       rbench check [options] HOST   with 'rbench server' there\n\n"
	       "%s.\n", summary);
	rb_optset_help(&c.set, stdout);
	puts("\nKinds to inject:");
	list_kinds();
}

void rb_check_list_options(void)
{
	struct rb_check c = { .seq = 0 };

	rb_check_bind(&c);
	rb_optset_list(&c.set, stdout);
}
