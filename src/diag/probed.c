/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probed - "probes" of a snapshot: what was tried between two ends
 */
#include "diag/probed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "diag/diagnosis.h"
#include "host/facts.h"

static bool is_at(const json_t *end, const char *device, const char *port)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRId64, rb_int_at(end, "port", -1));
	return device && port && !strcmp(rb_text_at(end, "device"), device) &&
	       !strcmp(number, port);
}

const json_t *rb_probe_of(const json_t *probes, const char *device,
			  const char *port)
{
	const json_t *probe;
	size_t i;

	json_array_foreach(probes, i, probe)
		if (is_at(json_object_get(probe, "local"), device, port))
			return probe;
	return NULL;
}

bool rb_probe_is_with(const json_t *probe, const char *device, const char *port)
{
	return is_at(json_object_get(probe, "peer"), device, port);
}

/* By its name, and whether it took more than one packet. */
static bool is_about(const json_t *probe, const json_t *test,
		     enum rb_probed what)
{
	const char *name = rb_text_at(test, "test");
	bool full = rb_int_at(test, "size_bytes", 0) >
		    rb_int_at(probe, "path_mtu", 0);

	if (!strcmp(name, "connect-cm"))
		return what == RB_PROBED_CM;
	if (!strcmp(name, "connect-manual"))
		return what == RB_PROBED_SMALL;
	return !strcmp(name, "write") &&
	       what == (full ? RB_PROBED_FULL : RB_PROBED_SMALL);
}

enum rb_probe_outcome rb_probe_outcome(const json_t *probe, enum rb_probed what,
				       const json_t **test)
{
	enum rb_probe_outcome worst = RB_PROBE_PASS;
	const json_t *one;
	size_t i;

	*test = NULL;
	json_array_foreach(json_object_get(probe, "tests"), i, one) {
		const char *outcome = rb_text_at(one, "outcome");

		if (!is_about(probe, one, what))
			continue;
		if (!strcmp(outcome, "FAIL")) {
			*test = one;
			return RB_PROBE_FAIL;
		}
		if (!*test || strcmp(outcome, "PASS"))
			*test = one;
		if (strcmp(outcome, "PASS"))
			worst = RB_PROBE_NONE;
	}
	return *test ? worst : RB_PROBE_NONE;
}

/* --- the document -------------------------------------------------------------- */

static void put_texts(json_t *to, const json_t *from, const char *const *keys)
{
	for (; *keys; keys++)
		rb_plain_text(to, *keys, rb_text_at(from, *keys));
}

static void put_count(json_t *to, const char *key, const json_t *from,
		      const char *path)
{
	int64_t value = rb_int_at(from, path, -1);

	if (value > 0)
		rb_fact_number(to, key, (uint64_t)value);
}

static json_t *test_json(const json_t *test)
{
	static const char *const keys[] = { "test", "outcome", "direction",
					    "detail", NULL };
	json_t *json = json_object();

	put_texts(json, test, keys);
	put_count(json, "size_bytes", test, "size_bytes");
	return json;
}

static json_t *probe_json(const json_t *probe)
{
	static const char *const keys[] = { "error", NULL };
	json_t *json = json_object(), *tests = json_array();
	const json_t *test;
	size_t i;

	rb_plain_text(json, "device", rb_text_at(probe, "local/device"));
	put_count(json, "port", probe, "local/port");
	rb_plain_text(json, "peer_device", rb_text_at(probe, "peer/device"));
	put_count(json, "peer_port", probe, "peer/port");
	put_count(json, "path_mtu", probe, "path_mtu");
	put_texts(json, probe, keys);
	json_array_foreach(json_object_get(probe, "tests"), i, test)
		json_array_append_new(tests, test_json(test));
	rb_fact_value(json, "tests", tests);
	return json;
}

json_t *rb_probes_json(const json_t *probes)
{
	json_t *list = json_array();
	const json_t *probe;
	size_t i;

	json_array_foreach(probes, i, probe)
		json_array_append_new(list, probe_json(probe));
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}
