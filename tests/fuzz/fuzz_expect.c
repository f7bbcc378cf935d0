/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_expect - any text as an expectation, judged on a row and on nothing
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/expect.h"
#include "run/latresult.h"
#include "run/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct rb_expect *e, const json_t *results)
{
	struct rb_expect_facts facts = { .results = results,
					 .link_bits_per_s = 1e11 };
	json_t *verdict = rb_expect_judge(e, &facts);
	char *text = json_dumps(verdict, JSON_COMPACT);

	/* a limit or value that is not finite has no JSON */
	if (!text || !json_is_number(json_object_get(verdict, "limit")))
		abort();
	if (!results && e->of == RB_EXPECT_ROW &&
	    json_is_true(json_object_get(verdict, "met")))
		abort();
	free(text);
	json_decref(verdict);
}

static void try_fields(const char *text, const struct rb_fields *fields,
		       const json_t *results)
{
	char why[RB_EXPECT_WHY] = "";
	struct rb_expect e;

	if (rb_expect_parse(&e, text, fields, why)) {
		if (!*why || strlen(why) >= sizeof(why))
			abort();
		return;
	}
	if (!isfinite(e.limit) || rb_expect_holds(&e, NAN))
		abort();
	judge(&e, results);
	judge(&e, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *results = json_loads("[{\"size_bytes\": 8, \"bandwidth\": {\"bits_per_s\": 1e9},"
				     " \"latency_ns\": {\"p99\": 5.0}, \"hw_latency_ns\": {\"p50\": 4.0}, \"messages\": 3}]",
				     0, NULL);
	char *text = malloc(size + 1);

	if (!text || !results)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	try_fields(text, &rb_bw_fields, results);
	try_fields(text, rb_lat_result_fields((struct rb_lat_parts){ .stamped = true }), results);
	free(text);
	json_decref(results);
	return 0;
}
