/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verdict - what the facts of a text say about a rule: it holds, it does not
 *
 * The ids of rules are those that causes name (diag/cause.h) and that checks of
 * a host have: a cause whose rule passes is not blamed, one whose rule fails
 * comes first.
 */
#ifndef RB_DIAG_VERDICT_H
#define RB_DIAG_VERDICT_H

#include "base/base.h"
#include "diag/taker.h"

#define RB_VERDICTS_MAX 32

enum rb_outcome {
	RB_OUTCOME_FAIL,
	RB_OUTCOME_WARN,
	RB_OUTCOME_INFO,
	RB_OUTCOME_PASS,
};

struct rb_verdict {
	const char *rule;
	enum rb_outcome outcome;
	char text[320];
	const char *fix; /* or NULL */
	int gid_index;	 /* that is recommended; -1 */
};

struct rb_verdicts {
	unsigned int n;
	struct rb_verdict v[RB_VERDICTS_MAX];
};

/* Look at all rules. */
void rb_verdicts_make(const struct rb_explain *x, struct rb_verdicts *list);

/* The outcome of @rule, or NULL when the text does not decide it. */
const struct rb_verdict *rb_verdict_of(const struct rb_verdicts *list,
				       const char *rule);

/* Add one; returns it, or NULL when the list is full. */
struct rb_verdict *rb_verdict_add(struct rb_verdicts *list, const char *rule,
				  enum rb_outcome outcome, const char *fix,
				  const char *fmt, ...) RB_PRINTF(5, 6);

/* Whether there is a completion with @status (-1: any) or a call with @err. */
bool rb_explain_has_status(const struct rb_explain *x, int status);
bool rb_explain_has_call(const struct rb_explain *x, const char *call, int err);

/* Those about GIDs, about counters and queue pairs. */
void rb_verdicts_gid(const struct rb_explain *x, struct rb_verdicts *list);
void rb_verdicts_counters(const struct rb_explain *x, struct rb_verdicts *list);

#endif
