/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gate - the expectations of a run: options, judgement, what is said of them
 */
#ifndef RB_GATE_H
#define RB_GATE_H

#include <stdbool.h>

#include "base/opt.h"
#include "run/expect.h"

#define RB_GATE_LIMITS 2 /* -w and -y */
#define RB_GATE_MAX (RB_STRINGS_MAX + RB_GATE_LIMITS)

struct rb_gate_opts {
	struct rb_strings expect;
	const char *limit_bw;	/* Gb/s; NULL: none */
	const char *limit_rate; /* millions of messages a second */
	bool nagios;		/* see run/export.h */
	const char *prometheus; /* file; NULL: none */
};
extern const struct rb_optgroup rb_gate_optgroup;

struct rb_gate {
	unsigned int n, unmet;
	struct rb_expect v[RB_GATE_MAX];
	char limits[RB_GATE_LIMITS][64];
};

/*
 * Read the expectations of @command, whose rows have @fields. 0 or -EINVAL
 * (reported). @opts stays the caller's while @gate is used.
 */
int rb_gate_init(struct rb_gate *gate, const struct rb_gate_opts *opts,
		 const char *command, const struct rb_fields *fields);

/*
 * Judge a run that was measured to its end: "expectations" into the document,
 * a line on standard error for each row that failed. True: all are met.
 */
bool rb_gate_judge(struct rb_gate *gate, struct rb_report *report,
		   const struct rb_expect_facts *facts);

#endif
