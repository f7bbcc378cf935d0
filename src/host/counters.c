/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counters - what a port, its hardware counters and its netdev counted
 */
#include "host/counters.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "host/facts.h"
#include "host/sysfs.h"

#define COUNTER_NAME 80
#define GROW 64

struct counter {
	char name[COUNTER_NAME];
	uint64_t value;
};

struct rb_counters {
	size_t n, room;
	struct counter *v;
};

/* Files among the counters that hold a setting. */
static const char *const settings[] = { "lifespan" };

static bool is_setting(const char *name)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i], name))
			return true;
	return false;
}

static int add(struct rb_counters *c, const char *group, const char *name,
	       uint64_t value)
{
	if (c->n == c->room) {
		struct counter *v =
			realloc(c->v, (c->room + GROW) * sizeof(*v));

		if (!v)
			return -1;
		c->v = v;
		c->room += GROW;
	}
	snprintf(c->v[c->n].name, COUNTER_NAME, "%s.%s", group, name);
	c->v[c->n++].value = value;
	return 0;
}

/* Add every number below the folder @dir as GROUP.NAME. */
static int read_folder(struct rb_counters *c, const char *group,
		       const char *dir)
{
	struct rb_names names;
	uint64_t value;
	int err = 0;

	rb_sysfs_list(&names, "%s", dir);
	for (unsigned int i = 0; i < names.n && !err; i++)
		if (!is_setting(names.v[i]) &&
		    !rb_sysfs_u64(&value, "%s/%s", dir, names.v[i]))
			err = add(c, group, names.v[i], value);
	rb_names_free(&names);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct counter *)a)->name,
		      ((const struct counter *)b)->name);
}

static int read_all(struct rb_counters *c, const char *device,
		    unsigned int port, const char *netdev)
{
	char dir[RB_SYSFS_PATH / 2];
	int err;

	snprintf(dir, sizeof(dir), "class/infiniband/%s/ports/%u/counters",
		 device, port);
	err = read_folder(c, "port", dir);
	snprintf(dir, sizeof(dir), "class/infiniband/%s/ports/%u/hw_counters",
		 device, port);
	if (!err)
		err = read_folder(c, "hw", dir);
	snprintf(dir, sizeof(dir), "class/infiniband/%s/hw_counters", device);
	if (!err)
		err = read_folder(c, "device", dir);
	snprintf(dir, sizeof(dir), "class/net/%s/statistics", netdev);
	if (!err && netdev[0])
		err = read_folder(c, "netdev", dir);
	return err;
}

struct rb_counters *rb_counters_read(const char *device, unsigned int port,
				     const char *netdev)
{
	struct rb_counters *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (read_all(c, device, port, netdev)) {
		rb_counters_free(c);
		return NULL;
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_name);
	return c;
}

struct rb_counters *rb_counters_create(void)
{
	return calloc(1, sizeof(struct rb_counters));
}

void rb_counters_add(struct rb_counters *counters, const char *group,
		     const char *name, uint64_t value)
{
	if (counters)
		add(counters, group, name, value);
}

void rb_counters_add_folder(struct rb_counters *counters, const char *group,
			    const char *fmt, ...)
{
	char dir[RB_SYSFS_PATH / 2];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(dir, sizeof(dir), fmt, args);
	va_end(args);
	if (counters && n < (int)sizeof(dir))
		read_folder(counters, group, dir);
}

void rb_counters_free(struct rb_counters *counters)
{
	if (!counters)
		return;
	free(counters->v);
	free(counters);
}

static const struct counter *find(const struct rb_counters *c,
				  const struct counter *like)
{
	return c->n ? bsearch(like, c->v, c->n, sizeof(*like), by_name) : NULL;
}

json_t *rb_counters_still(const struct rb_counters *before,
			  const struct rb_counters *after)
{
	json_t *still = json_array();

	for (size_t i = 0; before && after && i < after->n; i++) {
		const struct counter *then = find(before, &after->v[i]);

		if (then && then->value == after->v[i].value)
			json_array_append_new(still, json_string(then->name));
	}
	return still;
}

bool rb_counters_have(const struct rb_counters *counters, const char *name)
{
	struct counter key;

	if (!counters || !counters->n)
		return false;
	snprintf(key.name, sizeof(key.name), "%s", name);
	return bsearch(&key, counters->v, counters->n, sizeof(key), by_name);
}

json_t *rb_counters_delta(const struct rb_counters *before,
			  const struct rb_counters *after)
{
	json_t *moved = json_object();

	if (!before || !after)
		return moved;
	for (size_t i = 0; i < after->n; i++) {
		const struct counter *now = &after->v[i];
		const struct counter *then = find(before, now);

		/* one that went back was reset: nobody knows what it counted */
		if (then && now->value > then->value)
			json_object_set_new(
				moved, now->name,
				json_integer((json_int_t)(now->value -
							  then->value)));
	}
	return moved;
}

static void sort(struct rb_counters *c)
{
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_name);
}

json_t *rb_counters_json(struct rb_counters *before, struct rb_counters *after,
			 uint64_t interval_ns)
{
	json_t *values, *reset;

	if (!before || !after || !after->n)
		return NULL;
	sort(before);
	sort(after);
	values = json_object();
	reset = json_array();
	for (size_t i = 0; i < after->n; i++) {
		const struct counter *now = &after->v[i];
		const struct counter *then =
			before->n ? bsearch(now, before->v, before->n,
					    sizeof(*now), by_name) :
				    NULL;

		rb_fact_number(values, now->name, now->value);
		if (then && now->value < then->value)
			json_array_append_new(reset, json_string(now->name));
	}
	return json_pack("{s:I, s:o, s:o, s:o*}", "interval_ns",
			 (json_int_t)interval_ns, "values", values, "deltas",
			 rb_counters_delta(before, after), "reset",
			 json_array_size(reset) ? reset :
						  (json_decref(reset), NULL));
}
