/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_explain - any bytes as a log, in pieces of any size
 *
 * The first byte chooses the size of the pieces: what is found must not depend
 * on where a piece ends.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/explain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything that is found, as text; the caller frees it. */
static char *explain(const uint8_t *data, size_t size, size_t piece)
{
	struct rb_explain *x = rb_explain_create();
	json_t *section;
	char *text;

	if (!x)
		abort();
	rb_explain_begin(x, "fuzz");
	for (size_t at = 0; at < size; at += piece)
		rb_explain_feed(x, (const char *)data + at,
				RB_MIN(piece, size - at));
	rb_explain_end(x);
	rb_explain_judge(x);
	section = rb_explain_json(x);
	text = json_dumps(section, JSON_COMPACT);
	if (!text)
		abort();
	json_decref(section);
	rb_explain_destroy(x);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *whole, *pieces;

	if (size < 2)
		return 0;
	whole = explain(data + 1, size - 1, size - 1);
	pieces = explain(data + 1, size - 1, data[0] + 1u);
	if (strcmp(whole, pieces))
		abort();
	free(whole);
	free(pieces);
	return 0;
}
