/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expect - an expectation of a result, METRIC OP VALUE[UNIT], read and judged
 *
 *   bandwidth >= 90%link       latency.p99 <= 5us       message_rate >= 1M
 *   counters.out_of_sequence == 0                       warnings == 0
 *
 * METRIC is a key of a result row as in rbench-json(7) or its short name
 * (base/metric.h); it must hold in every row. Besides the rows' keys there are
 *
 *   counters.NAME         rise of the counters of that name, or of those whose
 *                         movement warns under that id (diag/counter.h), at
 *                         both ends together; counters.local.NAME and
 *                         counters.peer.NAME of one; NAME with its group
 *                         ("hw.out_of_sequence") is that counter alone
 *   warnings, events      their number
 *
 * VALUE without a unit is in the key's own unit; a short name that stands for a
 * bit rate or a time wants a unit, as nobody knows which one was meant. "%link"
 * is of the nominal rate of the slower link. What was not measured is not met.
 * Nothing here reports.
 */
#ifndef RB_EXPECT_H
#define RB_EXPECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/metric.h"
#include "base/report.h"

#define RB_EXPECT_WHY 160

enum rb_expect_of {
	RB_EXPECT_ROW,
	RB_EXPECT_COUNTERS,
	RB_EXPECT_WARNINGS,
	RB_EXPECT_EVENTS,
};

enum rb_expect_op {
	RB_EXPECT_GE,
	RB_EXPECT_LE,
	RB_EXPECT_EQ,
	RB_EXPECT_NE,
	RB_EXPECT_GT,
	RB_EXPECT_LT,
};

enum { RB_EXPECT_LOCAL, RB_EXPECT_PEER, RB_EXPECT_ENDS };

struct rb_expect {
	const char *text; /* borrowed */
	enum rb_expect_of of;
	char key[RB_METRIC_KEY]; /* of a row; of counters: the name */
	bool ends[RB_EXPECT_ENDS]; /* of counters: whose */
	enum rb_quantity quantity;
	enum rb_expect_op op;
	double limit;	/* in the quantity's unit; percent with of_link */
	bool of_link;
};

/* What a run can be judged by; each of it may be NULL or 0: not known. */
struct rb_expect_facts {
	const json_t *results;
	double link_bits_per_s;
	unsigned int directions; /* that "bandwidth" is the sum of */
	const json_t *moved[RB_EXPECT_ENDS]; /* counters: { NAME: delta } */
	const json_t *still[RB_EXPECT_ENDS]; /* [ NAME ]: there, unmoved */
	uint64_t warnings, events;
};

/*
 * Read @text, for rows of @fields. Returns 0, or -EINVAL with the reason (no
 * full stop) in @why.
 */
int rb_expect_parse(struct rb_expect *e, const char *text,
		    const struct rb_fields *fields,
		    char why[static RB_EXPECT_WHY]);

/* Does @value fulfil it? Never true for one that is not finite. */
bool rb_expect_holds(const struct rb_expect *e, double value);

/*
 * { expr, met, limit, value, size_bytes, failed: [{ size_bytes, value }] }: value and
 * size are those of the worst row. A new reference.
 */
json_t *rb_expect_judge(const struct rb_expect *e,
			const struct rb_expect_facts *facts);

#endif
