/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * checkend - one end of a check: its options, its device, its part of each test
 */
#include "run/checkend.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/intr.h"

#define SIZE_MOST (1u << 20)
/* soft-RoCE takes the largest, 7, for "ever" (rxe_comp.c, COMPST_ERROR_RETRY) */
#define RETRIES 5
/* 7 would be for ever; receives are there before anything is sent */
#define RNR_RETRIES 1

static const struct rb_opt check_rows[] = {
	/* clang-format off */
	{ .name = "size", .letter = 's', .type = RB_OPT_SIZES, .def = "64,16K", .min = 2, .max = SIZE_MOST,
	  .arg = "SIZES", .offset = offsetof(struct rb_check_opts, sizes),
	  .help = "message sizes: one below and one above the path MTU" },
	{ .name = "inject", .type = RB_OPT_STRING, .arg = "KIND",
	  .offset = offsetof(struct rb_check_opts, inject),
	  .help = "only provoke this error and explain what is seen; 'list' lists the kinds" },
	{ .name = "peer-device", .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct rb_check_opts, peer_device),
	  .help = "without a host: the device of the other end [the same]" },
	{ .name = "responder", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_check_opts, responder),
	  .help = "be the other end for one client, as 'rbench server' is for many" },
	/* clang-format on */
};

static const struct rb_optgroup check_optgroup = { "Tests", check_rows,
						   RB_ARRAY_SIZE(check_rows) };

void rb_check_bind(struct rb_check *c)
{
	c->oob.fd = -1;
	rb_optset_bind(&c->set, &rb_dev_optgroup, &c->dev_opts);
	rb_optset_bind(&c->set, &rb_oob_optgroup, &c->oob_opts);
	rb_optset_bind(&c->set, &rb_conn_optgroup, &c->conn_opts);
	rb_optset_bind(&c->set, &check_optgroup, &c->opts);
	rb_optset_bind(&c->set, &rb_report_optgroup, &c->report_opts);
	/* a test that shall fail need not wait long for it */
	rb_optset_put(&c->set, "retry-count", RETRIES, RB_SOURCE_DEFAULT);
	rb_optset_put(&c->set, "rnr-retry", RNR_RETRIES, RB_SOURCE_DEFAULT);
}

/* What both ends keep for their trials, once the device is open. */
void rb_check_set_end(struct rb_check *c, bool client)
{
	c->end.oob = &c->oob;
	c->end.dev = c->dev;
	c->end.ends = &c->ends;
	c->end.client = client;
	c->end.cm = c->conn_opts.cm || c->dev->is_iwarp;
	c->end.pkey_given = c->conn_opts.pkey_index != RB_AUTO;
	rb_conn_set_path(&c->conn_opts, &c->end.path);
}

void rb_check_close(struct rb_check *c)
{
	rb_report_set(&c->report, "options", rb_optset_json(&c->set));
	rb_report_set(&c->report, "local", json_incref(c->ends.local));
	rb_report_set(&c->report, "peer", json_incref(c->ends.peer));
	rb_ends_free(&c->ends);
	rb_dev_close(c->dev);
	json_decref(c->plan);
	rb_oob_close(&c->oob);
}

/* --- the responder ---------------------------------------------------------- */

static int answer(struct rb_check *c, uint64_t seq, const char *skip)
{
	json_t *frame = json_pack("{s:s, s:I}", "type", "test", "seq",
				  (json_int_t)seq);

	if (skip)
		json_object_set_new(frame, "skip", json_string(skip));
	return rb_oob_send(&c->oob, frame);
}

/* RFC 5040 and 5044, as the kernel's iWARP devices have it. */
static const char *iwarp_lacks(const struct rb_trial_row *row)
{
	if (row->flags & RB_TRIAL_DATAGRAM)
		return "its device is of iWARP, which has no datagrams";
	if (row->flags & RB_TRIAL_MANUAL)
		return "its device is of iWARP, which connects through rdma_cm only";
	if (row->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		return "its device is of iWARP, which has no immediate data";
	if (rb_trial_provokes(row))
		return "its device is of iWARP, which ends the connection in place of refusing a request";
	return NULL;
}

const char *rb_check_lacks(const struct rb_check *c, const struct rb_trial_row *row)
{
	if ((row->flags & RB_TRIAL_ATOMIC) &&
	    c->dev->attr.atomic_cap == IBV_ATOMIC_NONE)
		return "its device has no atomic operations";
	return c->dev->is_iwarp ? iwarp_lacks(row) : NULL;
}

/* Failures that end the whole check, and not a test of it. */
static bool is_fatal(const struct rb_failure *f)
{
	return f->fault == RB_FAULT_PEER_GONE ||
	       f->fault == RB_FAULT_PEER_SILENT ||
	       f->fault == RB_FAULT_PEER_NOT_RBENCH ||
	       f->fault == RB_FAULT_INTERRUPTED;
}

int rb_check_trial(struct rb_trial *t, struct rb_outcome outcomes[static 2],
		   struct rb_failure *why, bool *fatal)
{
	struct rb_log *own, log;
	int err;

	rb_log_init_aside(&log);
	own = rb_log_bind(&log);
	err = rb_trial_run(t, &outcomes[0], &outcomes[1]);
	rb_log_bind(own);
	*why = log.first;
	*fatal = err && is_fatal(why);
	rb_log_fini(&log);
	return err;
}

static int respond(struct rb_check *c, const json_t *frame)
{
	const char *name = json_string_value(json_object_get(frame, "name"));
	struct rb_outcome outcomes[2] = { { .status = 0 } };
	struct rb_trial t = { .end = &c->end };
	struct rb_failure why;
	uint64_t seq, size;
	bool fatal;
	int err = rb_frame_uint(frame, "seq", 0, INT64_MAX, &seq);

	if (!err)
		err = rb_frame_uint(frame, "size", 1, SIZE_MOST, &size);
	if (err)
		return err;
	t.row = name ? rb_trial_find(name) : NULL;
	if (!t.row)
		return answer(c, seq, "it does not know this test");
	err = answer(c, seq, rb_check_lacks(c, t.row));
	if (err || rb_check_lacks(c, t.row))
		return err;
	t.size = (uint32_t)size;
	t.acts = !json_is_true(json_object_get(frame, "out"));
	if (!rb_check_trial(&t, outcomes, &why, &fatal) &&
	    rb_trial_provokes(t.row)) {
		c->provoked = t.row;
		c->acted = outcomes[t.acts ? 0 : 1];
	}
	return fatal ? rb_fail_raw(&why) : 0;
}

bool rb_check_provoked(const struct rb_check *c, char text[static RB_LOG_TEXT])
{
	if (c->seq != 1 || !c->provoked || !c->acted.completed)
		return false;
	snprintf(text, RB_LOG_TEXT, "provoked by the client: %s: %s there",
		 c->provoked->what, ibv_wc_status_str(c->acted.status));
	return true;
}

/* Trials as they are asked for, until the client takes leave. */
static int respond_all(struct rb_check *c)
{
	bool leave = false;
	int err = 0;

	while (!err && !leave) {
		json_t *frame;

		err = rb_oob_next(&c->oob, &frame);
		if (err)
			break;
		leave = !strcmp(rb_frame_type(frame), "bye");
		/* anything else is of a trial that was given up */
		if (!strcmp(rb_frame_type(frame), "test")) {
			c->seq++;
			err = respond(c, frame);
		}
		json_decref(frame);
	}
	return err ? err : rb_oob_send(&c->oob, json_pack("{s:s}", "type", "bye"));
}

/* With a greeted client and its plan. */
int rb_check_respond(struct rb_check *c)
{
	int err = rb_agree_take(c->plan, RB_CHECK_NAME, &c->set);

	if (!err)
		err = rb_dev_open(&c->dev_opts,
				  (const struct sockaddr *)&c->oob.local,
				  &c->dev);
	if (!err)
		err = rb_agree_answer(&c->oob, c->plan, c->dev,
				      c->dev_opts.gid_index, &c->ends);
	if (err) {
		rb_oob_tell_failure(&c->oob, err);
		return err;
	}
	rb_check_set_end(c, false);
	return respond_all(c);
}

int rb_check_await_client(struct rb_check *c)
{
	char text[RB_LOG_TEXT];
	int fd, err = rb_dev_foresee(&c->dev_opts);

	if (!err)
		err = rb_oob_listen(&c->oob_opts, &fd);
	if (err)
		return err;
	do {
		err = rb_oob_accept(&c->oob_opts, fd, c->intr, &c->oob);
		if (!err)
			err = rb_hello_client(&c->oob);
	} while (err == -EAGAIN);
	close(fd);
	if (!err)
		err = rb_agree_await(&c->oob, &c->plan);
	if (!err)
		err = rb_check_respond(c);
	if (rb_check_provoked(c, text))
		rb_report_text(&c->report, "%s\n", text);
	return err;
}

/* The other end in this process: a thread with a log and options of its own. */
struct rb_check_other {
	struct rb_check check;
	struct rb_log log;
	pthread_t thread;
};

static void *other_main(void *arg)
{
	struct rb_check_other *o = arg;
	int err;

	rb_log_bind(&o->log);
	err = rb_hello(&o->check.oob, false);
	if (!err)
		err = rb_agree_await(&o->check.oob, &o->check.plan);
	if (!err)
		rb_check_respond(&o->check);
	rb_oob_close(&o->check.oob);
	return NULL;
}

int rb_check_start_other(struct rb_check *c, struct rb_check_other **op)
{
	struct rb_check_other *o = calloc(1, sizeof(*o));
	struct rb_oob ends[2];
	int err;

	if (!o)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the other end");
	err = rb_oob_pair(&c->oob_opts, c->intr, ends);
	if (err)
		goto free_other;
	rb_check_bind(&o->check);
	rb_optset_inherit(&o->check.set, &c->set);
	if (c->opts.peer_device)
		o->check.dev_opts.device = c->opts.peer_device;
	o->check.intr = c->intr;
	c->oob = ends[0];
	o->check.oob = ends[1];
	rb_log_init_aside(&o->log); /* it tells us what fails */
	err = pthread_create(&o->thread, NULL, other_main, o);
	if (!err) {
		*op = o;
		return 0;
	}
	err = rb_fail(RB_FAULT_SYSTEM, -err, "cannot start a thread");
	rb_oob_close(&o->check.oob);
	rb_log_fini(&o->log);
free_other:
	free(o);
	return err;
}

void rb_check_join_other(struct rb_check *c, struct rb_check_other *o)
{
	rb_oob_close(&c->oob); /* should it still wait for us */
	pthread_join(o->thread, NULL);
	rb_ends_free(&o->check.ends);
	rb_dev_close(o->check.dev);
	json_decref(o->check.plan);
	rb_log_fini(&o->log);
	free(o);
}

