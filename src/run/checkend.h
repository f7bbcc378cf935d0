/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * checkend - one end of a check: its options, its device, its part of each test
 */
#ifndef RB_CHECKEND_H
#define RB_CHECKEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/report.h"
#include "base/units.h"
#include "peer/oob.h"
#include "run/agree.h"
#include "run/options.h"
#include "run/trial.h"
#include "verbs/dev.h"

struct rb_check_row;
struct rb_intr;

#define RB_CHECK_NAME "check"

struct rb_check_opts {
	struct rb_sizes sizes;
	const char *inject;
	const char *peer_device;
	bool responder;
};

/* One end of a check, from its options to its device. */
struct rb_check {
	struct rb_optset set;
	struct rb_dev_opts dev_opts;
	struct rb_oob_opts oob_opts;
	struct rb_conn_opts conn_opts;
	struct rb_check_opts opts;
	struct rb_report_opts report_opts;
	struct rb_report report;
	struct rb_intr *intr;
	struct rb_oob oob;
	struct rb_dev *dev;
	struct rb_ends ends;
	struct rb_trial_end end;
	json_t *plan;
	uint64_t seq, passed, failed, skipped;
	const char *dead; /* why nothing more is tried */
	/* the responder's: the last error that was asked for, and how it ended */
	const struct rb_trial_row *provoked;
	struct rb_outcome acted;
};


/* Bind all options, with their defaults. @c is zero otherwise. */
void rb_check_bind(struct rb_check *c);

/* What both ends keep for their trials, once agreed and the device is open. */
void rb_check_set_end(struct rb_check *c, bool client);

/* Put ends and options into the document and release everything but that. */
void rb_check_close(struct rb_check *c);

/* Why this end cannot do the test; NULL when it can. */
const char *rb_check_lacks(const struct rb_check *c,
			   const struct rb_trial_row *row);

/*
 * Run a trial under a log of its own: a test that fails is no failure of the
 * command. Returns 0, or the negative errno of what went wrong (not reported),
 * with *@why; *@fatal when the check is over by that.
 */
int rb_check_trial(struct rb_trial *t, struct rb_outcome outcomes[static 2],
		   struct rb_failure *why, bool *fatal);

/*
 * The client, with the other end greeted: open the device, agree, choose the path.
 * 0 or -errno (reported; the peer has been told).
 */
int rb_check_join(struct rb_check *c);

/*
 * One trial at both ends, to its @row: @t's row, end, size and acts are set. 0,
 * whatever came of it, or -errno (reported): nothing more can be tried.
 */
int rb_check_try(struct rb_check *c, struct rb_trial *t,
		 struct rb_outcome outcomes[static 2], struct rb_check_row *row);

/*
 * The client takes leave; what is left of the last test is dropped. 0 or -errno
 * (reported).
 */
int rb_check_leave(struct rb_check *c);

/*
 * The responder's words when all that its client wanted was to provoke an error;
 * false: there are none.
 */
bool rb_check_provoked(const struct rb_check *c, char text[static RB_LOG_TEXT]);

/* Be the other end: with a greeted client and its plan in @c, or wait for one. */
int rb_check_respond(struct rb_check *c);
int rb_check_await_client(struct rb_check *c);

/* The other end in this process: a thread with a log and options of its own. */
struct rb_check_other;
int rb_check_start_other(struct rb_check *c, struct rb_check_other **op);
void rb_check_join_other(struct rb_check *c, struct rb_check_other *o);

#endif
