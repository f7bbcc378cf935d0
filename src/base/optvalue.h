/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * optvalue - one option's value: from text, from JSON, to JSON
 */
#ifndef RB_OPTVALUE_H
#define RB_OPTVALUE_H

#include <jansson.h>

struct rb_opt;

/* Store @row's default in the struct at @base. */
void rb_optvalue_default(const struct rb_opt *row, void *base);

/* Store the value that the same row has in the struct at @from. */
void rb_optvalue_copy(const struct rb_opt *row, void *base, const void *from);

/* Store what the user wrote; 0 or -EINVAL (reported). */
int rb_optvalue_parse(const struct rb_opt *row, void *base, const char *text);

/* Store what the peer sent; 0 or -EPROTO (not reported). */
int rb_optvalue_take(const struct rb_opt *row, void *base, const json_t *value);

/* The value as JSON (a new reference); NULL for a string that is not set. */
json_t *rb_optvalue_json(const struct rb_opt *row, const void *base);

#endif
