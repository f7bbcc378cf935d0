/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_doctor - all rules over any snapshot, and over a pair of it with itself
 *
 * Whatever the loader takes can be examined, and what comes out is a document:
 * each rule has ended somehow, and the sums are those of the lists.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "diag/doctor.h"
#include "host/snapload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum_of(const json_t *section, const char *key)
{
	return (size_t)json_integer_value(
		json_object_get(json_object_get(section, "sums"), key));
}

static void check(const json_t *section)
{
	size_t findings = json_array_size(json_object_get(section, "findings"));
	size_t outcomes = json_array_size(json_object_get(section, "outcomes"));
	char *text = json_dumps(section, 0);

	if (!text || findings != rb_doctor_count(section, RB_SEVERITY_INFO) ||
	    outcomes != sum_of(section, "passed") + sum_of(section, "skipped") +
				sum_of(section, "unknown") ||
	    findings + outcomes == 0)
		abort();
	free(text);
}

static void examine(json_t *doc, size_t n, int index, int tos)
{
	json_t *docs[] = { doc, doc };
	const struct rb_asked asked = { .gid_index = index, .tos = tos };
	json_t *section = rb_doctor_examine(&asked, docs, n);

	if (!section)
		abort();
	check(section);
	json_decref(section);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *doc = NULL;
	struct rb_log log;
	FILE *null = fopen("/dev/null", "w");

	rb_log_init(&log, null, "fuzz");
	rb_log_bind(&log);
	rb_snapshot_parse((const char *)data, size, "input", &doc);
	if (doc) {
		examine(doc, 1, -1, -1);
		examine(doc, 2, 0, 106);
	}
	json_decref(doc);
	rb_log_bind(NULL);
	rb_log_fini(&log);
	fclose(null);
	return 0;
}
