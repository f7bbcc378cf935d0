/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapload - read a snapshot back from a file, whoever wrote it
 */
#include "host/snapload.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/log.h"

#define SCHEMA "rbench-snapshot/1"
#define FAMILY "rbench-snapshot/"
#define STEP (1u << 16)
#define DEPTH_MOST 16
#define SHOWN 80 /* bytes of a hostile text that a message repeats */

static const struct {
	const char *key;
	json_type type;
	bool required;
} sections[] = {
	{ "version", JSON_STRING, true },
	{ "taken_at", JSON_STRING, true },
	{ "host", JSON_OBJECT, true },
	{ "process", JSON_OBJECT, true },
	{ "devices", JSON_OBJECT, true },
	{ "netdevs", JSON_OBJECT, true },
	{ "pci", JSON_OBJECT, true },
	{ "missing", JSON_ARRAY, true },
	{ "environment", JSON_OBJECT, false },
	{ "namespaces", JSON_OBJECT, false },
	{ "cgroup", JSON_OBJECT, false },
	{ "rdma", JSON_OBJECT, false },
	{ "device_nodes", JSON_OBJECT, false },
	{ "modules", JSON_OBJECT, false },
	{ "providers", JSON_OBJECT, false },
	{ "services", JSON_OBJECT, false },
	{ "sysctl", JSON_OBJECT, false },
	{ "cpu", JSON_OBJECT, false },
	{ "memory", JSON_OBJECT, false },
	{ "numa", JSON_OBJECT, false },
	{ "iommu", JSON_OBJECT, false },
	{ "gpu", JSON_OBJECT, false },
	{ "firewall", JSON_OBJECT, false },
	{ "neighbour_count", JSON_OBJECT, false },
	{ "routes", JSON_ARRAY, false },
	{ "rules", JSON_ARRAY, false },
	{ "neighbours", JSON_ARRAY, false },
	{ "kernel_log", JSON_ARRAY, false },
	{ "probes", JSON_ARRAY, false },
};

/* Sections of things by name. */
static const char *const named[] = { "devices", "netdevs",	"pci",
				     "modules", "device_nodes", "numa" };

static int refuse(const char *name, const char *what, const char *which)
{
	return rb_fail(RB_FAULT_SNAPSHOT, -EINVAL, "'%s': %s%s%s%s", name, what,
		       *which ? " '" : "", which, *which ? "'" : "");
}

static bool is_too_deep(const json_t *value, unsigned int left)
{
	const char *key;
	json_t *member;
	size_t i;

	if (!left)
		return true;
	json_object_foreach((json_t *)(uintptr_t)value, key, member)
		if (is_too_deep(member, left - 1))
			return true;
	json_array_foreach(value, i, member)
		if (is_too_deep(member, left - 1))
			return true;
	return false;
}

/* A text that will be shown: nothing that moves a terminal's cursor. */
static void make_plain(const char *text, char plain[static SHOWN])
{
	size_t n = 0;

	for (; text[n] && n + 1 < SHOWN; n++)
		plain[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
	plain[n] = '\0';
}

static int check_ports(const json_t *doc, const char *name)
{
	json_t *device, *ports, *port;
	const char *key, *number;

	json_object_foreach(json_object_get(doc, "devices"), key, device) {
		ports = json_object_get(device, "ports");
		if (!json_is_object(ports))
			return refuse(name, "a device without an object of",
				      "ports");
		json_object_foreach(ports, number, port)
			if (!json_is_object(port))
				return refuse(name, "a port is no object", "");
	}
	return 0;
}

static int check(const json_t *doc, const char *name)
{
	const char *key;
	json_t *value;

	for (size_t i = 0; i < RB_ARRAY_SIZE(sections); i++) {
		value = json_object_get(doc, sections[i].key);
		if (!value && sections[i].required)
			return refuse(name, "it lacks", sections[i].key);
		if (value && json_typeof(value) != sections[i].type)
			return refuse(name, "of another type than expected is",
				      sections[i].key);
	}
	for (size_t i = 0; i < RB_ARRAY_SIZE(named); i++)
		json_object_foreach(json_object_get(doc, named[i]), key, value)
			if (!json_is_object(value))
				return refuse(name, "there is no object in",
					      named[i]);
	return check_ports(doc, name);
}

/* The snapshot itself: the document, or a section of it. */
static json_t *find(json_t *document)
{
	json_t *inner = json_object_get(document, "snapshot");

	return json_is_object(inner) ? inner : document;
}

static int check_schema(const json_t *doc, const char *name)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	char shown[SHOWN];

	if (schema && !strcmp(schema, SCHEMA))
		return 0;
	if (!schema)
		return refuse(name, "it is JSON, but no snapshot", "");
	make_plain(schema, shown);
	if (!strncmp(schema, FAMILY, strlen(FAMILY)))
		return refuse(name, "this rbench does not know the version",
			      shown);
	return refuse(name, "it is not a snapshot but of schema", shown);
}

int rb_snapshot_parse(const char *data, size_t size, const char *name,
		      json_t **docp)
{
	json_error_t error;
	json_t *document =
		json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
	char shown[SHOWN];
	json_t *doc;
	int err;

	if (!document) {
		make_plain(error.text, shown);
		return rb_fail(RB_FAULT_SNAPSHOT, -EINVAL, "'%s': line %d: %s",
			       name, error.line, shown);
	}
	doc = find(document);
	err = is_too_deep(document, DEPTH_MOST)
		      ? refuse(name, "it is nested too deeply", "")
		      : check_schema(doc, name);
	if (!err)
		err = check(doc, name);
	if (!err)
		*docp = json_incref(doc);
	json_decref(document);
	return err;
}

static int read_all(int fd, char **datap, size_t *sizep)
{
	size_t n = 0, room = 0;
	char *data = NULL;
	ssize_t got = 0;

	do {
		n += (size_t)got;
		if (n > RB_SNAPSHOT_BYTES_MOST) {
			free(data);
			return -EFBIG;
		}
		if (room - n < STEP) {
			char *more = realloc(data, room = 2 * room + STEP);

			if (!more) {
				free(data);
				return -ENOMEM;
			}
			data = more;
		}
		got = read(fd, data + n, STEP);
	} while (got > 0 || (got < 0 && errno == EINTR && !(got = 0)));
	if (got < 0) {
		got = -errno;
		free(data);
		return (int)got;
	}
	*datap = data;
	*sizep = n;
	return 0;
}

static int cannot_read(const char *path, int err)
{
	return rb_fail_cause(RB_FAULT_SNAPSHOT, err, NULL,
			     "cannot read '%s': %s", path, strerror(-err));
}

int rb_snapshot_load(const char *path, json_t **docp)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	char *data = NULL;
	int err;

	if (fd < 0)
		return cannot_read(path, -errno);
	err = read_all(fd, &data, &size);
	if (!standard)
		close(fd);
	if (err)
		return cannot_read(path, err);
	err = rb_snapshot_parse(data, size, standard ? "standard input" : path,
				docp);
	free(data);
	return err;
}
