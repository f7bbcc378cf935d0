/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * admit - what of a peer's words gets into our document
 */
#include "peer/admit.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"

#define TEXT_MAX 300
#define LIST_MAX 256

enum type { TEXT, COUNT, POSITIVE, REAL, FLAG, OBJECT };

struct row {
	const char *key;
	enum type type;
	bool required;
	const struct row *rows; /* of an object; ends with a NULL key */
};

static const struct row cpu_rows[] = {
	{ "model", TEXT, false, NULL },	   { "online", POSITIVE, false, NULL },
	{ "governor", TEXT, false, NULL }, { "numa_nodes", POSITIVE, false, NULL },
	{ "idle_us", POSITIVE, false, NULL },
	{ "allowed", TEXT, false, NULL },
	{ "hypervisor", FLAG, true, NULL }, { NULL, TEXT, false, NULL },
};

static const struct row pci_rows[] = {
	{ "address", TEXT, true, NULL },
	{ "vendor_id", TEXT, false, NULL },
	{ "device_id", TEXT, false, NULL },
	{ "vendor", TEXT, false, NULL },
	{ "device", TEXT, false, NULL },
	{ "virtual_function", FLAG, false, NULL },
	{ "gt_per_s", REAL, false, NULL },
	{ "width", POSITIVE, false, NULL },
	{ "max_gt_per_s", REAL, false, NULL },
	{ "max_width", POSITIVE, false, NULL },
	{ NULL, TEXT, false, NULL },
};

static const struct row end_rows[] = {
	{ "host", TEXT, false, NULL },
	{ "kernel", TEXT, false, NULL },
	{ "memlock_bytes", COUNT, false, NULL },
	{ "cpu", OBJECT, true, cpu_rows },
	{ "device", TEXT, true, NULL },
	{ "port", POSITIVE, true, NULL },
	{ "driver", TEXT, false, NULL },
	{ "firmware", TEXT, false, NULL },
	{ "link_layer", TEXT, true, NULL },
	{ "link_bits_per_s", POSITIVE, false, NULL },
	{ "mtu", POSITIVE, false, NULL },
	{ "netdev", TEXT, false, NULL },
	{ "numa_node", COUNT, false, NULL },
	{ "numa_distance", POSITIVE, false, NULL },
	{ "netdev_mtu", POSITIVE, false, NULL },
	{ "transport", TEXT, false, NULL },
	{ "local_cpus", TEXT, false, NULL },
	{ "pci", OBJECT, false, pci_rows },
	{ NULL, TEXT, false, NULL },
};

static const struct row event_rows[] = {
	{ "at_ns", COUNT, true, NULL },	  { "type", TEXT, true, NULL },
	{ "device", TEXT, false, NULL },  { "qpn", COUNT, false, NULL },
	{ "port", POSITIVE, false, NULL }, { NULL, TEXT, false, NULL },
};

json_t *rb_admit_text(const json_t *value)
{
	const char *text = json_string_value(value);
	char clean[TEXT_MAX];
	size_t n = 0;

	if (!text || !*text)
		return NULL;
	for (; text[n] && n + 1 < sizeof(clean); n++)
		clean[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
	clean[n] = '\0';
	return json_string(clean);
}

static json_t *admit_object(const struct row *rows, const json_t *from);

static json_t *admit_value(const struct row *row, const json_t *value)
{
	json_int_t n = json_integer_value(value);

	switch (row->type) {
	case TEXT:
		return rb_admit_text(value);
	case COUNT:
	case POSITIVE:
		return json_is_integer(value) && n >= (row->type == POSITIVE) ?
			       json_integer(n) :
			       NULL;
	case REAL:
		return json_is_number(value) && json_number_value(value) >= 0 ?
			       json_real(json_number_value(value)) :
			       NULL;
	case FLAG:
		return json_is_boolean(value) ? json_copy((json_t *)value) :
						NULL;
	case OBJECT:
		return admit_object(row->rows, value);
	}
	return NULL;
}

static json_t *admit_object(const struct row *rows, const json_t *from)
{
	json_t *object = json_object();

	for (const struct row *row = rows; row->key; row++) {
		json_t *value =
			admit_value(row, json_object_get(from, row->key));

		if (value) {
			json_object_set_new(object, row->key, value);
		} else if (row->required) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

json_t *rb_admit_end(const json_t *end)
{
	return admit_object(end_rows, end);
}

/* "hw.out_of_sequence": one of our groups, a dot, and a plain word. */
static bool is_counter(const char *name)
{
	static const char *const groups[] = { "port.", "hw.", "device.",
					      "netdev." };

	for (size_t i = 0; i < RB_ARRAY_SIZE(groups); i++) {
		const char *rest = name + strlen(groups[i]);

		if (strncmp(name, groups[i], strlen(groups[i])) || !*rest)
			continue;
		while (isalnum((unsigned char)*rest) ||
		       (*rest && strchr("_.-", *rest)))
			rest++;
		return !*rest;
	}
	return false;
}

json_t *rb_admit_counters(const json_t *counters)
{
	json_t *object = json_object();
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)counters, name, value) {
		if (json_object_size(object) < LIST_MAX && is_counter(name) &&
		    json_is_integer(value) && json_integer_value(value) > 0)
			json_object_set(object, name, value);
	}
	return object;
}

json_t *rb_admit_events(const json_t *events)
{
	json_t *list = json_array();

	for (size_t i = 0; i < RB_MIN(json_array_size(events), LIST_MAX); i++) {
		json_t *event =
			admit_object(event_rows, json_array_get(events, i));

		if (event)
			json_array_append_new(list, event);
	}
	return list;
}
