/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gidjson - GIDs and GID tables as JSON: for the document and for the peer
 *
 * On the wire a table is { device, port, wanted (absent: none), entries: [
 * { index, type, address, netdev, prefix, down, stale, reach } ... ] }. "reach"
 * is a hexadecimal string, as JSON has no unsigned 64-bit number; a table has
 * it in all entries or in none.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "verbs/gid.h"

#define INDEX_MAX 65535
#define PORT_MAX UINT8_MAX
#define PREFIX_MAX 128

json_t *rb_gid_json(const struct rb_gid *gid)
{
	char text[RB_GID_TEXT];
	json_t *object = json_object();

	json_object_set_new(object, "index", json_integer(gid->index));
	json_object_set_new(object, "type",
			    json_string(rb_gid_type_name(gid->type)));
	json_object_set_new(object, "address",
			    json_string(rb_gid_text(&gid->raw, text)));
	if (gid->netdev[0])
		json_object_set_new(object, "netdev", json_string(gid->netdev));
	return object;
}

static json_t *entry_json(const struct rb_gid_table *table, unsigned int i)
{
	const struct rb_gid *gid = &table->v[i];
	json_t *object = rb_gid_json(gid);
	char reach[2 * sizeof(uint64_t) + 1];
	char text[RB_GID_TEXT];

	/* with its mapping: type and family are as they are in the GID */
	json_object_set_new(object, "address",
			    json_string(inet_ntop(AF_INET6, gid->raw.raw, text,
						  sizeof(text))));
	json_object_set_new(object, "prefix", json_integer(gid->prefix));
	json_object_set_new(object, "down", json_boolean(gid->netdev_down));
	json_object_set_new(object, "stale", json_boolean(gid->stale));
	if (!table->has_reach)
		return object;
	snprintf(reach, sizeof(reach), "%" PRIx64, table->reach[i]);
	json_object_set_new(object, "reach", json_string(reach));
	return object;
}

json_t *rb_gid_table_json(const struct rb_gid_table *table)
{
	json_t *object = json_object();
	json_t *entries = json_array();

	json_object_set_new(object, "device", json_string(table->device));
	json_object_set_new(object, "port", json_integer(table->port));
	if (table->wanted != UINT_MAX)
		json_object_set_new(object, "wanted",
				    json_integer(table->wanted));
	for (unsigned int i = 0; i < table->n; i++)
		json_array_append_new(entries, entry_json(table, i));
	json_object_set_new(object, "entries", entries);
	return object;
}

static int load_uint(const json_t *value, unsigned int max, unsigned int *to)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > max)
		return -EPROTO;
	*to = (unsigned int)json_integer_value(value);
	return 0;
}

/* A name that will be shown: nothing that moves a terminal's cursor. */
static int load_name(const json_t *value, char *to, size_t size)
{
	const char *text = json_string_value(value);

	if (!value)
		return 0; /* unknown */
	if (!text || strlen(text) >= size)
		return -EPROTO;
	memcpy(to, text, strlen(text) + 1);
	for (char *p = to; *p; p++)
		if (!isgraph((unsigned char)*p))
			*p = '?';
	return 0;
}

static int load_type(const json_t *value, enum rb_gid_type *to)
{
	const char *text = json_string_value(value);

	for (int t = RB_GID_IB; text && t <= RB_GID_ROCE_V2; t++) {
		if (!strcmp(rb_gid_type_name((enum rb_gid_type)t), text)) {
			*to = (enum rb_gid_type)t;
			return 0;
		}
	}
	return -EPROTO;
}

static int load_reach(const json_t *value, uint64_t *to)
{
	const char *text = json_string_value(value);
	size_t n = text ? strspn(text, "0123456789abcdef") : 0;

	if (!n || n > 2 * sizeof(*to) || text[n])
		return -EPROTO;
	*to = strtoull(text, NULL, 16);
	return 0;
}

static int load_entry(struct rb_gid *gid, const json_t *object)
{
	const char *address =
		json_string_value(json_object_get(object, "address"));
	unsigned int prefix = 0;

	if (!address || inet_pton(AF_INET6, address, gid->raw.raw) != 1 ||
	    load_uint(json_object_get(object, "index"), INDEX_MAX,
		      &gid->index) ||
	    load_type(json_object_get(object, "type"), &gid->type) ||
	    load_uint(json_object_get(object, "prefix"), PREFIX_MAX, &prefix) ||
	    load_name(json_object_get(object, "netdev"), gid->netdev,
		      sizeof(gid->netdev)))
		return -EPROTO;
	gid->prefix = (uint8_t)prefix;
	gid->netdev_down = json_is_true(json_object_get(object, "down"));
	gid->stale = json_is_true(json_object_get(object, "stale"));
	return 0;
}

static int load_entries(struct rb_gid_table *table, const json_t *entries)
{
	size_t n = json_array_size(entries);
	size_t with_reach = 0;

	if (!json_is_array(entries) || n > RB_GID_MAX)
		return -EPROTO;
	for (size_t i = 0; i < n; i++) {
		const json_t *entry = json_array_get(entries, i);
		const json_t *reach = json_object_get(entry, "reach");

		if (load_entry(&table->v[i], entry))
			return -EPROTO;
		if (!reach)
			continue;
		if (i >= RB_ARRAY_SIZE(table->reach) ||
		    load_reach(reach, &table->reach[i]))
			return -EPROTO;
		with_reach++;
	}
	table->n = (unsigned int)n;
	table->has_reach = n > 0 && with_reach == n;
	return with_reach == 0 || with_reach == n ? 0 : -EPROTO;
}

int rb_gid_table_load(struct rb_gid_table *table, const json_t *object)
{
	const json_t *wanted = json_object_get(object, "wanted");
	struct rb_gid_table loaded = { .wanted = UINT_MAX };

	if (!json_is_object(object) ||
	    load_name(json_object_get(object, "device"), loaded.device,
		      sizeof(loaded.device)) ||
	    load_uint(json_object_get(object, "port"), PORT_MAX,
		      &loaded.port) ||
	    (wanted && load_uint(wanted, INDEX_MAX, &loaded.wanted)) ||
	    load_entries(&loaded, json_object_get(object, "entries")))
		return -EPROTO;
	*table = loaded;
	return 0;
}
