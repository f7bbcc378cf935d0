/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * facts - put what is known into a JSON object, and leave out what is not
 */
#include "host/facts.h"

#include <inttypes.h>
#include <stdio.h>

void rb_fact_value(json_t *to, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(to, key, value);
}

void rb_fact_text(json_t *to, const char *key, const char *text)
{
	if (text[0])
		rb_fact_value(to, key, json_string(text));
}

void rb_fact_number(json_t *to, const char *key, uint64_t value)
{
	rb_fact_value(to, key,
		      json_integer(value > INT64_MAX ? INT64_MAX :
						       (json_int_t)value));
}

void rb_fact_uint(json_t *to, const char *key, uint64_t value)
{
	if (value)
		rb_fact_number(to, key, value);
}

void rb_fact_hex(json_t *to, const char *key, uint64_t value,
		 unsigned int digits)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%0*" PRIx64, (int)digits, value);
	if (value)
		rb_fact_text(to, key, text);
}

void rb_fact_flag(json_t *to, const char *key, int is_set)
{
	if (is_set)
		rb_fact_value(to, key, json_true());
}
