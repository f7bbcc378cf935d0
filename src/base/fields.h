/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fields - a row of fields as text, CSV and JSON, and read back from JSON
 *
 * The forms in which base/report shows a row; the row itself, and its JSON, are
 * described there. Failures to write stay in @out (ferror).
 */
#ifndef RB_FIELDS_H
#define RB_FIELDS_H

#include <stdio.h>

struct rb_fields;

/* The labels of the text's columns, and a row of them: a line each. */
void rb_fields_text_header(const struct rb_fields *fields, FILE *out);
void rb_fields_text(const struct rb_fields *fields, const void *result,
		    FILE *out);

/* The same as CSV (RFC 4180), with all fields; absent ones are empty. */
void rb_fields_csv_header(const struct rb_fields *fields, FILE *out);
void rb_fields_csv(const struct rb_fields *fields, const void *result,
		   FILE *out);

#endif
