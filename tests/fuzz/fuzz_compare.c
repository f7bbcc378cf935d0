/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_compare - any document compared with itself, and as the new one of two
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "run/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *doc = json_loadb((const char *)data, size,
				 JSON_REJECT_DUPLICATES, NULL);
	char why[RB_COMPARE_WHY] = "";
	unsigned int unmatched;
	json_t *news[2] = { doc, doc };

	if (!doc)
		return 0;
	if (rb_compare_admit(doc, why)) {
		if (!*why)
			abort();
	} else {
		json_t *rows = rb_compare_rows(doc, news, 2, 2, &unmatched);
		json_t *differ = rb_compare_options(doc, doc);
		char *text = json_dumps(rows, JSON_COMPACT);

		/* what is not finite has no JSON; nothing differs from itself */
		if (!text || strstr(text, "\"worse\"") ||
		    json_array_size(differ))
			abort();
		free(text);
		json_decref(rows);
		json_decref(differ);
	}
	json_decref(doc);
	return 0;
}
