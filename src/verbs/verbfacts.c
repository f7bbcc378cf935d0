/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verbfacts - what only an opened device tells: MTUs, limits, features
 */
#include "verbs/verbfacts.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/files.h"
#include "verbs/devlist.h"

#define SOURCE "libibverbs"
#define NUMBER_TEXT 16

static void copy(json_t *to, const char *key, const json_t *from,
		 const char *from_key)
{
	json_t *value = json_object_get(from, from_key);

	if (value)
		json_object_set(to, key, value);
}

/* What of a port is only here: the rest the document has from sysfs. */
static void put_port(const struct rb_place *ports, const json_t *told)
{
	static const char *const keys[] = { "mtu", "max_mtu",
					    "max_message_bytes" };
	char number[NUMBER_TEXT];
	json_t *port;

	snprintf(number, sizeof(number), "%lld",
		 json_integer_value(json_object_get(told, "port")));
	port = json_object_get(ports->object, number);
	for (size_t i = 0; i < RB_ARRAY_SIZE(keys) && port; i++)
		copy(port, keys[i], told, keys[i]);
}

/* An element of "devices" in the document of 'rbench devices'. */
static void put_device(const struct rb_place *devices, const json_t *told)
{
	const char *name = json_string_value(json_object_get(told, "name"));
	const json_t *error = json_object_get(told, "error"), *port;
	struct rb_place to, ports;
	const char *message;
	size_t i;

	if (!name || !json_object_get(devices->object, name))
		return;
	to = rb_place_enter(devices, name);
	ports = rb_place_enter(&to, "ports");
	rb_fact_value(to.object, "usable", json_boolean(!error));
	message = json_string_value(json_object_get(error, "message"));
	if (error)
		rb_place_missing(&to, "limits", SOURCE,
				 message && strstr(message, "ermi") ? "denied"
								    : "failed",
				 message ? message : "it cannot be opened");
	copy(to.object, "limits", told, "limits");
	copy(to.object, "features", told, "features");
	json_array_foreach(json_object_get(told, "ports"), i, port)
		put_port(&ports, port);
}

static void ask_library(const struct rb_place *devices)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	for (int i = 0; i < n; i++) {
		json_t *told;

		if (!json_object_get(devices->object,
				     ibv_get_device_name(list[i])))
			continue;
		told = rb_devlist_json(list[i]);
		put_device(devices, told);
		json_decref(told);
	}
	if (list)
		ibv_free_device_list(list);
}

static void ask_recorded(const struct rb_place *devices)
{
	const json_t *told;
	json_t *document;
	char *text;
	size_t i;

	if (rb_file_read(&text, NULL, "devices.json"))
		return;
	document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_array_foreach(json_object_get(document, "devices"), i, told)
		put_device(devices, told);
	json_decref(document);
	free(text);
}

/* Ports whose MTU nobody told. */
static void note_ports(const struct rb_place *device)
{
	struct rb_place ports = rb_place_enter(device, "ports");
	const char *number;
	json_t *port;

	json_object_foreach(ports.object, number, port) {
		struct rb_place to = rb_place_enter(&ports, number);

		if (!json_object_get(port, "mtu"))
			rb_place_missing(&to, "mtu", SOURCE, "failed",
					 "the device could not be asked");
	}
}

void rb_snap_verbs(const struct rb_place *doc)
{
	struct rb_place devices = rb_place_enter(doc, "devices");
	const char *name;
	json_t *device;

	if (json_object_size(devices.object)) {
		if (rb_root_recorded())
			ask_recorded(&devices);
		else
			ask_library(&devices);
	}
	json_object_foreach(devices.object, name, device) {
		struct rb_place to = rb_place_enter(&devices, name);

		if (!json_object_get(device, "usable")) {
			rb_fact_value(device, "usable", json_false());
			rb_place_missing(&to, "limits", SOURCE, "failed",
					 "libibverbs does not show the device");
		}
		note_ports(&to);
	}
}
