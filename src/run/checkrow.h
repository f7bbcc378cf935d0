/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * checkrow - the line that a test of 'rbench check' yields, and its judgement
 */
#ifndef RB_CHECKROW_H
#define RB_CHECKROW_H

#include <jansson.h>
#include <stdint.h>

#include "base/log.h"
#include "base/report.h"
#include "run/trial.h"

extern const char rb_check_pass[], rb_check_fail[], rb_check_none[];

struct rb_check_row {
	const char *outcome; /* one of the three */
	const char *test, *direction, *status, *what;
	uint64_t size_bytes, duration_ns, status_code, vendor_err;
	char detail[2 * RB_LOG_TEXT];
	const char *detail_text; /* detail, or NULL */
};

extern const struct rb_fields rb_check_fields;

/* The row of a trial that has not begun. */
struct rb_check_row rb_check_row_of(const struct rb_trial *t);

/* It was not tried: why. */
void rb_check_skip(struct rb_check_row *row, const char *why);

/* It could not be carried out. */
void rb_check_broken(struct rb_check_row *row, const struct rb_failure *why);

/* It was carried out: is what came of it, here and there, as it must be? */
void rb_check_judge(struct rb_check_row *row, const struct rb_trial *t,
		    const struct rb_outcome *mine,
		    const struct rb_outcome *theirs);

/* Of the datagrams that were @tried for it, the last one judged, @lost did not come. */
void rb_check_lost(struct rb_check_row *row, unsigned int lost,
		   unsigned int tried);

/* What was seen, and what it means elsewhere: for --inject. */
void rb_check_explain(struct rb_report *report, const struct rb_check_row *row,
		      const struct rb_trial *t,
		      const struct rb_outcome *acted);

/* The lines before the table. */
void rb_check_header(struct rb_report *report, const json_t *local,
		     const json_t *peer, unsigned int mtu);

#endif
