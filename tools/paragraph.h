/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paragraph - a label and its text, wrapped at blanks
 */
#ifndef RB_PARAGRAPH_H
#define RB_PARAGRAPH_H

struct rb_report;

/*
 * Lines begin two columns in; the text of all of them behind the label, or at
 * least @columns further. Words that are longer than a line stay whole. Nothing
 * for an empty text.
 */
void rb_paragraph(struct rb_report *out, int columns, const char *label,
		  const char *text);

#endif
