/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_snapshot - any bytes in the place of a snapshot
 *
 * What the loader takes keeps its promises, and can be redacted and written.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "host/redact.h"
#include "host/snapload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What every reader of a snapshot relies on. */
static void check(const json_t *doc)
{
	static const char *const objects[] = { "host", "process", "devices",
					       "netdevs", "pci" };
	json_t *device;
	const char *name;

	for (size_t i = 0; i < RB_ARRAY_SIZE(objects); i++)
		if (!json_is_object(json_object_get(doc, objects[i])))
			abort();
	if (!json_is_array(json_object_get(doc, "missing")))
		abort();
	json_object_foreach(json_object_get(doc, "devices"), name, device)
		if (!json_is_object(json_object_get(device, "ports")))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *doc = NULL;
	struct rb_log log;
	FILE *null = fopen("/dev/null", "w");
	char *text;
	int err;

	rb_log_init(&log, null, "fuzz");
	rb_log_bind(&log);
	err = rb_snapshot_parse((const char *)data, size, "input", &doc);
	if (err != (doc ? 0 : -EINVAL) || log.failed != (err != 0))
		abort();
	if (doc) {
		check(doc);
		rb_redact(doc);
		text = json_dumps(doc, 0);
		if (!text)
			abort();
		free(text);
	}
	json_decref(doc);
	rb_log_bind(NULL);
	rb_log_fini(&log);
	fclose(null);
	return 0;
}
