/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * place - a place in a snapshot where facts are put, or the reason is noted
 */
#include "host/place.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/files.h"

#define LINE_TEXT 512

struct rb_place rb_place_enter(const struct rb_place *place, const char *key)
{
	struct rb_place below = *place;
	size_t n = strlen(below.path);

	snprintf(below.path + n, sizeof(below.path) - n, "/%s", key);
	below.object = json_object_get(place->object, key);
	if (below.object)
		return below;
	below.object = json_object();
	json_object_set_new(place->object, key, below.object);
	return below;
}

void rb_place_leave(const struct rb_place *place, const char *key)
{
	if (!json_object_size(json_object_get(place->object, key)))
		json_object_del(place->object, key);
}

void rb_place_missing(const struct rb_place *place, const char *key,
		      const char *source, const char *kind, const char *reason)
{
	char fact[2 * RB_FACT_PATH];

	snprintf(fact, sizeof(fact), "%s%s%s", place->path, *key ? "/" : "",
		 key);
	json_array_append_new(place->missing,
			      json_pack("{s:o, s:o, s:s, s:s}", "fact",
					rb_report_string(fact), "source",
					rb_report_string(source), "kind", kind,
					"reason", reason));
}

/* Errors that say that there is no such thing, or that it has no value now. */
static bool is_absence(int err)
{
	static const int absent[] = { ENOENT, ENODEV,  ENXIO,  ENOTDIR,
				      EINVAL, ENODATA, EISDIR, ENOTTY };

	for (size_t i = 0; i < RB_ARRAY_SIZE(absent); i++)
		if (err == -absent[i])
			return true;
	return false;
}

static const char *kind_of(int err)
{
	if (err == -EACCES || err == -EPERM)
		return "denied";
	if (err == -EOPNOTSUPP || err == -ENOSYS || err == -EPROTONOSUPPORT)
		return "unsupported";
	return "failed";
}

void rb_place_failed(const struct rb_place *place, const char *key,
		     const char *source, int err)
{
	if (err && !is_absence(err))
		rb_place_missing(place, key, source, kind_of(err),
				 strerror(-err));
}

json_t *rb_value_json(const char *text)
{
	long long v;
	char *end;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (!errno && end != text && !*end)
		return json_integer(v);
	return rb_report_string(text);
}

/* Read the line that @fmt names; a failure is noted at @key. */
static RB_PRINTF(4, 0) bool read_line(const struct rb_place *place,
				      const char *key, char *text,
				      const char *fmt, va_list args)
{
	char name[RB_FILE_PATH], path[RB_FILE_PATH];
	int err;

	if (vsnprintf(name, sizeof(name), fmt, args) >= (int)sizeof(name))
		return false;
	err = rb_root_path(path, "%s", name);
	if (!err)
		err = rb_path_line(path, text, LINE_TEXT);
	snprintf(path, sizeof(path), "/%.*s", (int)sizeof(path) - 2, name);
	rb_place_failed(place, key, path, err);
	return !err;
}

bool rb_place_text(const struct rb_place *place, const char *key,
		   const char *fmt, ...)
{
	char text[LINE_TEXT];
	va_list args;
	bool read;

	va_start(args, fmt);
	read = read_line(place, key, text, fmt, args);
	va_end(args);
	if (!read || !text[0])
		return false;
	rb_fact_value(place->object, key, rb_report_string(text));
	return true;
}

bool rb_place_number(const struct rb_place *place, const char *key,
		     const char *fmt, ...)
{
	char text[LINE_TEXT], *end;
	long long v;
	va_list args;
	bool read;

	va_start(args, fmt);
	read = read_line(place, key, text, fmt, args);
	va_end(args);
	if (!read)
		return false;
	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno || *end || end == text)
		return false;
	rb_fact_value(place->object, key, json_integer(v));
	return true;
}
