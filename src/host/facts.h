/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * facts - put what is known into a JSON object, and leave out what is not
 */
#ifndef RB_FACTS_H
#define RB_FACTS_H

#include <jansson.h>
#include <stdint.h>

/* A text that is not empty. */
void rb_fact_text(json_t *to, const char *key, const char *text);

/* A number that is not 0, or any number. JSON's integers end at 2^63 - 1. */
void rb_fact_uint(json_t *to, const char *key, uint64_t value);
void rb_fact_number(json_t *to, const char *key, uint64_t value);

/* A number in hexadecimal, as text; nothing when it is 0. */
void rb_fact_hex(json_t *to, const char *key, uint64_t value,
		 unsigned int digits);

/* true; nothing when it is false. */
void rb_fact_flag(json_t *to, const char *key, int is_set);

/* A value that may be NULL; takes over the reference. */
void rb_fact_value(json_t *to, const char *key, json_t *value);

#endif
