/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * subject - what a rule looks at: its facts, and how it says what it found
 */
#include "diag/subject.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diag/diagnosis.h"

#define PATH_MAX_TEXT 512
#define SAID_TEXT 640
#define READ_MOST 24 /* facts kept with a finding */

/* --- values ----------------------------------------------------------------- */

bool rb_lists(const json_t *array, const char *text)
{
	const json_t *value;
	size_t i;

	json_array_foreach(array, i, value)
		if (json_is_string(value) &&
		    !strcmp(json_string_value(value), text))
			return true;
	return false;
}

/* --- places ----------------------------------------------------------------- */

/* A name as a part of a JSON pointer (RFC 6901). */
static void add_escaped(char *path, size_t room, const char *name)
{
	size_t n = strlen(path);

	for (; *name && n + 3 < room; name++) {
		if (*name == '~' || *name == '/') {
			path[n++] = '~';
			path[n++] = *name == '~' ? '0' : '1';
		} else {
			path[n++] = *name;
		}
	}
	path[n] = '\0';
}

static void add_plain(char *path, size_t room, const char *text)
{
	size_t n = strlen(path);

	snprintf(path + n, room - n, "%s", text);
}

static const struct {
	const char *section;
	size_t name, value;
} bases[] = {
	[RB_HOST] = { NULL, 0, offsetof(struct rb_subject, doc) },
	[RB_DEVICE] = { "/devices/", offsetof(struct rb_subject, device),
			offsetof(struct rb_subject, devicev) },
	[RB_PORT] = { "/devices/", offsetof(struct rb_subject, device),
		      offsetof(struct rb_subject, portv) },
	[RB_NETDEV] = { "/netdevs/", offsetof(struct rb_subject, netdev),
			offsetof(struct rb_subject, netdevv) },
	[RB_PCI] = { "/pci/", offsetof(struct rb_subject, pci),
		     offsetof(struct rb_subject, pciv) },
};

static const json_t *value_of(const struct rb_subject *s, enum rb_base base)
{
	return *(const json_t *const *)((const char *)s + bases[base].value);
}

static const char *name_of(const struct rb_subject *s, enum rb_base base)
{
	if (!bases[base].section)
		return "";
	return *(const char *const *)((const char *)s + bases[base].name);
}

/* The JSON pointer of @path below @base. */
static void pointer_of(const struct rb_subject *s, enum rb_base base,
		       const char *path, char out[static PATH_MAX_TEXT])
{
	const char *name = name_of(s, base);

	*out = '\0';
	if (bases[base].section) {
		add_plain(out, PATH_MAX_TEXT, bases[base].section);
		add_escaped(out, PATH_MAX_TEXT, name ? name : "?");
	}
	if (base == RB_PORT) {
		add_plain(out, PATH_MAX_TEXT, "/ports/");
		add_escaped(out, PATH_MAX_TEXT, s->port ? s->port : "?");
	}
	if (*path) {
		add_plain(out, PATH_MAX_TEXT, "/");
		add_plain(out, PATH_MAX_TEXT, path);
	}
}

/* What covers the fact at @pointer in the list of what could not be read. */
static const json_t *missing_of(const struct rb_subject *s, const char *pointer)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(s->doc, "missing"), i, entry) {
		const char *fact = rb_text_at(entry, "fact");
		size_t n = strlen(fact);

		if (n && !strncmp(fact, pointer, n) &&
		    (pointer[n] == '/' || !pointer[n]))
			return entry;
	}
	return NULL;
}

/* Kept with what the rule finds: values, and lists of few of them. */
static void note(struct rb_subject *s, const char *pointer, const json_t *value)
{
	bool small = !json_is_object(value) &&
		     (!json_is_array(value) ||
		      (json_array_size(value) && json_array_size(value) <= 8 &&
		       !json_is_object(json_array_get(value, 0))));

	if (s->read && small && json_object_size(s->read) < READ_MOST)
		json_object_set(s->read, pointer,
				(json_t *)(uintptr_t)value);
}

const json_t *rb_get(struct rb_subject *s, enum rb_base base, const char *path)
{
	const json_t *value = rb_at(value_of(s, base), path);
	char pointer[PATH_MAX_TEXT];

	if (value) {
		pointer_of(s, base, path, pointer);
		note(s, pointer, value);
	}
	return value;
}

bool rb_hidden(struct rb_subject *s, enum rb_base base, const char *path)
{
	char pointer[PATH_MAX_TEXT];

	pointer_of(s, base, path, pointer);
	return missing_of(s, pointer);
}

bool rb_unsupported(struct rb_subject *s, enum rb_base base, const char *path)
{
	char pointer[PATH_MAX_TEXT];

	pointer_of(s, base, path, pointer);
	return !strcmp(rb_text_at(missing_of(s, pointer), "kind"),
		       "unsupported");
}

bool rb_unreadable(struct rb_subject *s, enum rb_base base, const char *path)
{
	const json_t *entry;
	char pointer[PATH_MAX_TEXT];

	pointer_of(s, base, path, pointer);
	entry = missing_of(s, pointer);
	if (entry)
		rb_subject_unknown(s, "%s: %s (%s)", pointer,
				   rb_text_at(entry, "reason"),
				   rb_text_at(entry, "source"));
	return entry;
}

const json_t *rb_need(struct rb_subject *s, enum rb_base base, const char *path)
{
	static const char *const nothing[] = {
		[RB_HOST] = "the host", [RB_DEVICE] = "RDMA device",
		[RB_PORT] = "port", [RB_NETDEV] = "network interface",
		[RB_PCI] = "PCI function",
	};
	const json_t *value = rb_get(s, base, path);
	char pointer[PATH_MAX_TEXT];

	if (value)
		return value;
	if (rb_unreadable(s, base, path))
		return NULL;
	pointer_of(s, base, path, pointer);
	if (!value_of(s, base))
		rb_subject_skip(s, "there is no %s", nothing[base]);
	else
		rb_subject_skip(s, "not there: %s", pointer);
	return NULL;
}

static void wrong_type(struct rb_subject *s, const char *path)
{
	rb_subject_unknown(s, "'%s' is not what it should be", path);
}

bool rb_need_int(struct rb_subject *s, enum rb_base base, const char *path,
		 int64_t *value)
{
	const json_t *found = rb_need(s, base, path);

	if (found && !json_is_integer(found))
		wrong_type(s, path);
	if (!json_is_integer(found))
		return false;
	*value = json_integer_value(found);
	return true;
}

bool rb_need_flag(struct rb_subject *s, enum rb_base base, const char *path,
		  bool *value)
{
	const json_t *found = rb_need(s, base, path);

	if (found && !json_is_boolean(found))
		wrong_type(s, path);
	if (!json_is_boolean(found))
		return false;
	*value = json_is_true(found);
	return true;
}

const char *rb_need_text(struct rb_subject *s, enum rb_base base,
			 const char *path)
{
	const json_t *found = rb_need(s, base, path);

	if (found && !json_is_string(found))
		wrong_type(s, path);
	return json_string_value(found);
}

int64_t rb_get_int(struct rb_subject *s, enum rb_base base, const char *path,
		   int64_t otherwise)
{
	const json_t *found = rb_get(s, base, path);

	return json_is_integer(found) ? json_integer_value(found) : otherwise;
}

double rb_get_real(struct rb_subject *s, enum rb_base base, const char *path,
		   double otherwise)
{
	const json_t *found = rb_get(s, base, path);

	return json_is_number(found) ? json_number_value(found) : otherwise;
}

bool rb_get_flag(struct rb_subject *s, enum rb_base base, const char *path)
{
	return json_is_true(rb_get(s, base, path));
}

const char *rb_get_text(struct rb_subject *s, enum rb_base base,
			const char *path)
{
	const char *text = json_string_value(rb_get(s, base, path));

	return text ? text : "";
}

void rb_subject_netdev(struct rb_subject *s, const char *name)
{
	s->netdev = name && *name ? name : NULL;
	s->netdevv = s->netdev ? json_object_get(json_object_get(s->doc, "netdevs"),
						 s->netdev) :
				 NULL;
}

struct rb_moved rb_counter_of(struct rb_subject *s, enum rb_base base,
			      const char *name)
{
	const json_t *set = rb_at(value_of(s, base), "counters");
	const json_t *value = rb_at(rb_at(set, "values"), name);
	const json_t *delta = rb_at(rb_at(set, "deltas"), name);
	char path[PATH_MAX_TEXT], pointer[PATH_MAX_TEXT];
	struct rb_moved moved = { 0 };

	if (!json_is_integer(value))
		return moved;
	moved.there = true;
	moved.value = json_integer_value(value);
	moved.delta = json_is_integer(delta) ? json_integer_value(delta) : 0;
	moved.seconds = (double)rb_int_at(set, "interval_ns", 0) / 1e9;
	if (moved.delta) {
		snprintf(path, sizeof(path), "counters/deltas/%s", name);
		pointer_of(s, base, path, pointer);
		note(s, pointer, delta);
	}
	return moved;
}

unsigned int rb_subject_kernel(struct rb_subject *s)
{
	unsigned int major, minor;

	if (sscanf(rb_get_text(s, RB_HOST, "host/kernel"), "%3u.%3u", &major,
		   &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

unsigned int rb_need_kernel(struct rb_subject *s)
{
	unsigned int kernel = rb_subject_kernel(s);

	if (!kernel && rb_need_text(s, RB_HOST, "host/kernel"))
		rb_subject_unknown(s, "the kernel's release cannot be read");
	return kernel;
}

int64_t rb_subject_rate(struct rb_subject *s)
{
	int64_t rate = rb_get_int(s, RB_NETDEV, "bits_per_s", 0);

	return rate > 0 ? rate : rb_get_int(s, RB_PORT, "bits_per_s", 0);
}

bool rb_rate_hidden(struct rb_subject *s)
{
	if (s->netdev && rb_hidden(s, RB_NETDEV, "bits_per_s"))
		return true;
	return rb_get_int(s, RB_NETDEV, "bits_per_s", 0) <= 0 &&
	       rb_hidden(s, RB_PORT, "bits_per_s");
}

static void add_rate(struct rb_subject *one, void *arg)
{
	struct rb_rates *rates = arg;

	if (!one->active || !one->pci || strcmp(one->pci, rates->pci))
		return;
	rates->sum += (double)rb_subject_rate(one);
	rates->hidden |= rb_rate_hidden(one);
}

struct rb_rates rb_function_rates(struct rb_subject *s)
{
	struct rb_rates rates = { .pci = s->pci };

	rb_subject_each(s, RB_SCOPE_PORT, add_rate, &rates);
	return rates;
}

/* --- the end of a rule ------------------------------------------------------ */

static RB_PRINTF(4, 0) void say(struct rb_subject *s, enum rb_ruling ruling,
				enum rb_severity severity, const char *fmt,
				va_list args)
{
	char text[SAID_TEXT];

	vsnprintf(text, sizeof(text), fmt, args);
	s->said = true;
	rb_diagnosis_add(s, ruling, severity, text);
}

void rb_subject_pass(struct rb_subject *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(s, RB_RULING_PASS, RB_SEVERITY_INFO, fmt, args);
	va_end(args);
}

void rb_subject_fail(struct rb_subject *s, enum rb_severity severity,
		     const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(s, RB_RULING_FAIL, severity, fmt, args);
	va_end(args);
}

void rb_subject_skip(struct rb_subject *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(s, RB_RULING_SKIP, RB_SEVERITY_INFO, fmt, args);
	va_end(args);
}

void rb_subject_unknown(struct rb_subject *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(s, RB_RULING_UNKNOWN, RB_SEVERITY_INFO, fmt, args);
	va_end(args);
}
