/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * place - a place in a snapshot where facts are put, or the reason is noted
 *
 * A fact that the host does not have is left out. One that it has and that
 * could not be read is noted in the snapshot's "missing" with its JSON pointer
 * (rbench-snapshot(5)). Whoever reads a fact only has to give the place, the key
 * and where it comes from.
 */
#ifndef RB_PLACE_H
#define RB_PLACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

#define RB_FACT_PATH 256

struct rb_place {
	json_t *object;	 /* facts go here; borrowed */
	json_t *missing; /* the snapshot's list; borrowed */
	char path[RB_FACT_PATH]; /* JSON pointer of @object */
};

/* The place below @place at @key, which is made. */
struct rb_place rb_place_enter(const struct rb_place *place, const char *key);

/* Done with the place below at @key: it is taken away when it is empty. */
void rb_place_leave(const struct rb_place *place, const char *key);

/*
 * Note that the fact at @key ("" for the place itself) could not be read from
 * @source, for the reason @err (negative errno). Nothing is noted for errors
 * that say that there is no such thing (ENOENT and its like).
 */
void rb_place_failed(const struct rb_place *place, const char *key,
		     const char *source, int err);

/* The same with a kind of its own; also for ENOENT. */
void rb_place_missing(const struct rb_place *place, const char *key,
		      const char *source, const char *kind,
		      const char *reason);

/*
 * Read a file below the root (host/files.h) and put what it holds at @key: its
 * first line, or a number. True when it was put.
 */
bool rb_place_text(const struct rb_place *place, const char *key,
		   const char *fmt, ...) RB_PRINTF(3, 4);
bool rb_place_number(const struct rb_place *place, const char *key,
		     const char *fmt, ...) RB_PRINTF(3, 4);

/* An integer where it is one, else the text. */
json_t *rb_value_json(const char *text);

#endif
