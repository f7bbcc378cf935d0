/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optvalue - one option's value: from text, from JSON, to JSON
 */
#include "base/optvalue.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/units.h"

static void *field_of(const struct rb_opt *row, void *base)
{
	return (char *)base + row->offset;
}

static const struct rb_enum *name_lookup(const struct rb_enum *names,
					 const char *text)
{
	for (; names->name; names++)
		if (!strcasecmp(names->name, text))
			return names;
	return NULL;
}

static const char *name_of(const struct rb_enum *names, int value)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return "?";
}

static bool in_range(const struct rb_opt *row, uint64_t v)
{
	if (!v && row->flags & RB_OPT_OR_ZERO)
		return true;
	return v >= row->min && (!row->max || v <= row->max);
}

/* The rows of one type: how its text is read into the field. */
static int read_number(const struct rb_opt *row, const char *text, uint64_t *v)
{
	if ((row->flags & RB_OPT_AUTO) && !strcmp(text, "auto")) {
		*v = RB_AUTO;
		return 0;
	}
	switch (row->type) {
	case RB_OPT_SIZE:
		return rb_parse_size(text, v);
	case RB_OPT_DURATION:
		return rb_parse_duration(text, v);
	default:
		return rb_parse_count(text, v);
	}
}

static int refuse(const struct rb_opt *row, const char *text, const char *why)
{
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "--help shows the options",
			    "value '%s' of option '--%s' %s", text, row->name,
			    why);
}

static int refuse_range(const struct rb_opt *row, const char *text)
{
	char lo[RB_TEXT_SIZE], hi[RB_TEXT_SIZE], why[96];

	if (row->type == RB_OPT_DURATION) {
		rb_format_duration(row->min, lo);
		rb_format_duration(row->max, hi);
	} else {
		snprintf(lo, sizeof(lo), "%" PRIu64, row->min);
		snprintf(hi, sizeof(hi), "%" PRIu64, row->max);
	}
	if (row->max)
		snprintf(why, sizeof(why), "is not in the range %s to %s", lo,
			 hi);
	else
		snprintf(why, sizeof(why), "is less than %s", lo);
	return refuse(row, text, why);
}

static int parse_number(const struct rb_opt *row, void *base, const char *text)
{
	uint64_t v;
	int err = read_number(row, text, &v);

	/* the largest number stands for "auto" inside: nobody can mean it */
	if (!err && v == RB_AUTO && strcmp(text, "auto"))
		err = -ERANGE;
	if (err == -ERANGE)
		return refuse(row, text, "is beyond what 64 bits hold");
	if (err)
		return refuse(row, text,
			      row->type == RB_OPT_SIZE ?
				      "is not a size (like 4096, 64K, 8M)" :
			      row->type == RB_OPT_DURATION ?
				      "is not a duration (like 10, 500ms, 2m)" :
				      "is not a number");
	if (v != RB_AUTO && !in_range(row, v))
		return refuse_range(row, text);
	*(uint64_t *)field_of(row, base) = v;
	return 0;
}

static int parse_code(const struct rb_opt *row, void *base, const char *text)
{
	uint64_t v;
	int err = row->code->read(text, &v);

	if (err)
		return refuse(row, text,
			      err == -ERANGE ? "is out of range" :
					       row->code->what);
	*(uint64_t *)field_of(row, base) = v;
	return 0;
}

static int parse_enum(const struct rb_opt *row, void *base, const char *text)
{
	const struct rb_enum *found = name_lookup(row->names, text);
	char why[160] = "is not one of";

	if (found) {
		*(int *)field_of(row, base) = found->value;
		return 0;
	}
	for (const struct rb_enum *e = row->names; e->name; e++) {
		size_t n = strlen(why);

		snprintf(why + n, sizeof(why) - n, "%s %s",
			 e == row->names ? "" : ",", e->name);
	}
	return refuse(row, text, why);
}

static int parse_sizes(const struct rb_opt *row, void *base, const char *text)
{
	struct rb_sizes *sizes = field_of(row, base);
	struct rb_sizes list;
	int err = rb_parse_sizes(text, &list);

	if (err)
		return refuse(row, text,
			      err == -ERANGE ?
				      "has too many sizes, or one too large" :
				      "is not a list of sizes (like 64,4K,1M or 2:8M:*2)");
	for (unsigned int i = 0; i < list.n; i++)
		if (!in_range(row, list.v[i]))
			return refuse_range(row, text);
	*sizes = list;
	return 0;
}

static int add_string(const struct rb_opt *row, void *base, const char *text)
{
	struct rb_strings *list = field_of(row, base);

	if (list->n == RB_STRINGS_MAX)
		return refuse(row, text, "is one too many of them");
	list->v[list->n++] = text;
	return 0;
}

int rb_optvalue_parse(const struct rb_opt *row, void *base, const char *text)
{
	switch (row->type) {
	case RB_OPT_FLAG:
		*(bool *)field_of(row, base) = true;
		return 0;
	case RB_OPT_LEVEL:
		(*(uint64_t *)field_of(row, base))++;
		return 0;
	case RB_OPT_ENUM:
		return parse_enum(row, base, text);
	case RB_OPT_CODE:
		return parse_code(row, base, text);
	case RB_OPT_STRING:
		*(const char **)field_of(row, base) = text;
		return 0;
	case RB_OPT_STRINGS:
		return add_string(row, base, text);
	case RB_OPT_SIZES:
		return parse_sizes(row, base, text);
	default:
		return parse_number(row, base, text);
	}
}

static size_t field_size(const struct rb_opt *row)
{
	switch (row->type) {
	case RB_OPT_FLAG:
		return sizeof(bool);
	case RB_OPT_ENUM:
		return sizeof(int);
	case RB_OPT_STRING:
		return sizeof(const char *);
	case RB_OPT_STRINGS:
		return sizeof(struct rb_strings);
	case RB_OPT_SIZES:
		return sizeof(struct rb_sizes);
	default:
		return sizeof(uint64_t);
	}
}

void rb_optvalue_default(const struct rb_opt *row, void *base)
{
	memset(field_of(row, base), 0, field_size(row));
	if (row->def) {
		int err = rb_optvalue_parse(row, base, row->def);

		assert(!err);
		(void)err;
	} else if (row->flags & RB_OPT_AUTO) {
		*(uint64_t *)field_of(row, base) = RB_AUTO;
	}
}

void rb_optvalue_copy(const struct rb_opt *row, void *base, const void *from)
{
	memcpy(field_of(row, base), (const char *)from + row->offset,
	       field_size(row));
}

static json_t *sizes_json(const struct rb_sizes *sizes)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < sizes->n; i++)
		json_array_append_new(list,
				      json_integer((json_int_t)sizes->v[i]));
	return list;
}

static json_t *strings_json(const struct rb_strings *strings)
{
	json_t *list = strings->n ? json_array() : NULL;

	for (unsigned int i = 0; i < strings->n; i++)
		json_array_append_new(list, json_string(strings->v[i]));
	return list;
}

json_t *rb_optvalue_json(const struct rb_opt *row, const void *base)
{
	const void *field = (const char *)base + row->offset;
	char buf[RB_TEXT_SIZE];
	const char *text;
	uint64_t v;

	switch (row->type) {
	case RB_OPT_FLAG:
		return json_boolean(*(const bool *)field);
	case RB_OPT_ENUM:
		return json_string(name_of(row->names, *(const int *)field));
	case RB_OPT_STRING:
		text = *(const char *const *)field;
		return text ? json_string(text) : NULL;
	case RB_OPT_STRINGS:
		return strings_json(field);
	case RB_OPT_SIZES:
		return sizes_json(field);
	case RB_OPT_CODE:
		return json_string(row->code->write(*(const uint64_t *)field,
						    buf));
	default:
		v = *(const uint64_t *)field;
		return v == RB_AUTO ? json_string("auto") :
				      json_integer((json_int_t)v);
	}
}

static int take_sizes(const struct rb_opt *row, struct rb_sizes *sizes,
		      const json_t *value)
{
	struct rb_sizes list = { 0 };

	if (!json_array_size(value) || json_array_size(value) > RB_SIZES_MAX)
		return -EPROTO;
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *item = json_array_get(value, i);
		json_int_t v = json_integer_value(item);

		if (!json_is_integer(item) || v < 0 ||
		    !in_range(row, (uint64_t)v))
			return -EPROTO;
		list.v[list.n++] = (uint64_t)v;
	}
	*sizes = list;
	return 0;
}

static int take_number(const struct rb_opt *row, uint64_t *field,
		       const json_t *value)
{
	json_int_t v = json_integer_value(value);

	if ((row->flags & RB_OPT_AUTO) && json_is_string(value) &&
	    !strcmp(json_string_value(value), "auto")) {
		*field = RB_AUTO;
		return 0;
	}
	if (!json_is_integer(value) || v < 0 || !in_range(row, (uint64_t)v))
		return -EPROTO;
	*field = (uint64_t)v;
	return 0;
}

int rb_optvalue_take(const struct rb_opt *row, void *base, const json_t *value)
{
	void *field = field_of(row, base);
	const struct rb_enum *found;

	switch (row->type) {
	case RB_OPT_FLAG:
		if (!json_is_boolean(value))
			return -EPROTO;
		*(bool *)field = json_is_true(value);
		return 0;
	case RB_OPT_ENUM:
		found = json_is_string(value) ?
				name_lookup(row->names,
					    json_string_value(value)) :
				NULL;
		if (!found)
			return -EPROTO;
		*(int *)field = found->value;
		return 0;
	case RB_OPT_STRING:
	case RB_OPT_STRINGS:
		return -EPROTO; /* strings belong to one end */
	case RB_OPT_CODE:
		return json_is_string(value) &&
				       !row->code->read(
					       json_string_value(value), field) ?
			       0 :
			       -EPROTO;
	case RB_OPT_SIZES:
		return take_sizes(row, field, value);
	default:
		return take_number(row, field, value);
	}
}
