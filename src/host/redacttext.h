/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * redacttext - names and addresses within one text, for redact
 */
#ifndef RB_REDACTTEXT_H
#define RB_REDACTTEXT_H

#include <jansson.h>

#include "host/anon.h"

#define RB_REDACT_TOKEN 128
#define RB_REDACT_TEXT 4096
#define RB_REDACT_HOST "host-1"

/* What one redaction goes by. */
struct rb_redaction {
	struct rb_anon anon;
	char name[RB_REDACT_TOKEN];	  /* of the host; "" for none */
	char short_name[RB_REDACT_TOKEN]; /* up to the first dot */
	json_t *words;			  /* word: its replacement */
	const json_t *doc;
};

/* @text with all addresses and the host's name replaced; a new reference. */
json_t *rb_redact_text(const struct rb_redaction *r, const char *text);

/*
 * The same of the value of an environment variable, where words that are not
 * known to be harmless are replaced too.
 */
json_t *rb_redact_value(const struct rb_redaction *r, const char *text);

#endif
