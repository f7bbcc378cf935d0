/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paragraph - a label and its text, wrapped at blanks
 */
#include "paragraph.h"

#include <string.h>

#include "base/base.h"
#include "base/report.h"

#define WIDTH 100 /* of a line */
#define INDENT 2

void rb_paragraph(struct rb_report *out, int columns, const char *label,
		  const char *text)
{
	int margin = RB_MAX(columns, (int)strlen(label));
	size_t room = (size_t)(WIDTH - INDENT - margin);

	for (; *text; label = "") {
		size_t cut = strlen(text);

		if (cut > room) {
			cut = room;
			while (cut && text[cut] != ' ')
				cut--;
			if (!cut)
				cut = strcspn(text, " ");
		}
		rb_report_text(out, "%*s%-*s%.*s\n", INDENT, "", margin, label,
			       (int)cut, text);
		text += cut + strspn(text + cut, " ");
	}
}
