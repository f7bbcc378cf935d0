/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * words - the explanation of one finding, looked up in the tables
 */
#ifndef RB_DIAG_WORDS_H
#define RB_DIAG_WORDS_H

#include <jansson.h>

#include "diag/taker.h"

#define RB_WORDS_CAUSES 12

struct rb_words {
	const char *title;   /* "RETRY_EXC_ERR": the name of what happened */
	const char *side;    /* or NULL */
	const char *meaning; /* in general */
	const char *vendor;  /* what the vendor's code adds, or NULL */
	const char *vendor_name;
	enum rb_sure sure;   /* of the decoding's own meaning */
	const char *ref;
	const struct rb_cause *causes[RB_WORDS_CAUSES];
	unsigned int ncauses;
	const char *check, *next, *pair;
};

void rb_words_find(const struct rb_finding *f, struct rb_words *w);

/* Remarks that the line itself asks for: an array of strings. */
json_t *rb_words_notes(const struct rb_explain *x, const struct rb_finding *f);

#endif
