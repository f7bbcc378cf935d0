/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jsonat - what is at a path of a document, whatever the document is
 */
#include "base/jsonat.h"

#include <stdlib.h>
#include <string.h>

#define KEY_TEXT 256

static const json_t *child_of(const json_t *value, const char *key)
{
	if (json_is_array(value))
		return json_array_get(value, strtoul(key, NULL, 10));
	return json_object_get(value, key);
}

const json_t *rb_at(const json_t *value, const char *path)
{
	char key[KEY_TEXT];

	while (value && *path) {
		size_t n = strcspn(path, "/");

		if (n >= sizeof(key))
			return NULL;
		memcpy(key, path, n);
		key[n] = '\0';
		value = child_of(value, key);
		path += n + (path[n] == '/');
	}
	return value;
}

const char *rb_text_at(const json_t *value, const char *path)
{
	const char *text = json_string_value(rb_at(value, path));

	return text ? text : "";
}

int64_t rb_int_at(const json_t *value, const char *path, int64_t otherwise)
{
	const json_t *found = rb_at(value, path);

	return json_is_integer(found) ? json_integer_value(found) : otherwise;
}
