/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jsonat - what is at a path of a document, whatever the document is
 *
 * A path is keys of objects and indices of arrays with '/' between. What is
 * returned belongs to @value and lives as long.
 */
#ifndef RB_JSONAT_H
#define RB_JSONAT_H

#include <jansson.h>
#include <stdint.h>

/* NULL where there is nothing, or @value is NULL. */
const json_t *rb_at(const json_t *value, const char *path);

/* "" where there is no text. */
const char *rb_text_at(const json_t *value, const char *path);

/* @otherwise where there is no integer. */
int64_t rb_int_at(const json_t *value, const char *path, int64_t otherwise);

#endif
