/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cause - what the tables of explanations are made of: a cause, and how sure
 *
 * A cause is never told with more certainty than its evidence has:
 *
 *   source     a driver's source, a specification or a manual page says so
 *   confirmed  public reports whose cause was proven: by the maintainer, by the
 *              fix that worked, or by a measurement that repeats
 *   likely     several reports agree, or the decoded fields imply it
 *   guess      one report, or an inference
 *   unknown    nobody has published an explanation
 */
#ifndef RB_DIAG_CAUSE_H
#define RB_DIAG_CAUSE_H

enum rb_sure {
	RB_SURE_UNKNOWN,
	RB_SURE_GUESS,
	RB_SURE_LIKELY,
	RB_SURE_CONFIRMED,
	RB_SURE_SOURCE,
};

struct rb_cause {
	const char *text; /* NULL ends a list */
	enum rb_sure sure;
	const char *rule; /* the check that decides it ("ACS-ON"), or NULL */
	const char *ref;  /* where it is known from, or NULL */
};

/* A list of causes in a row of a table, the most frequent first. */
#define RB_CAUSES(...) ((const struct rb_cause[]){ __VA_ARGS__, { 0 } })

/* "source", "confirmed", ... */
const char *rb_sure_name(enum rb_sure sure);

#endif
