/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compareform - a comparison for people and for CI: text, JUnit, Markdown
 */
#ifndef RB_COMPAREFORM_H
#define RB_COMPAREFORM_H

#include "base/report.h"
#include "run/compare.h"

enum rb_compare_format {
	RB_COMPARE_TEXT,
	RB_COMPARE_JSON,
	RB_COMPARE_JUNIT,
	RB_COMPARE_MARKDOWN,
};

#define RB_COMPARE_VERDICTS (RB_CHANGE_WORSE + 1)

struct rb_compare_view {
	struct rb_report *report;
	const char *command;
	const json_t *rows; /* of rb_compare_rows() */
	const unsigned int *counts; /* by enum rb_change */
	double worst;		    /* percent */
	double fail_worse;	    /* percent; negative: not asked for */
};

/* The verdict of an element of "keys". */
enum rb_change rb_compare_verdict(const json_t *key);

/* Write it (nothing for RB_COMPARE_JSON: that is the document). */
void rb_compare_show(const struct rb_compare_view *view,
		     enum rb_compare_format format);

#endif
