/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * admit - what of a peer's words gets into our document: known keys of the
 * right type, and texts without anything that moves a terminal's cursor
 */
#ifndef RB_ADMIT_H
#define RB_ADMIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What an end says of itself (rb_dev_json); NULL when a key that every end
 * has is missing or malformed. A new reference. */
json_t *rb_admit_end(const json_t *end);

/* { NAME: COUNT } with names of counters and counts above 0. */
json_t *rb_admit_counters(const json_t *counters);

/* A list of events; those that are malformed are left out. */
json_t *rb_admit_events(const json_t *events);

/*
 * A text of the peer's, cut to what is reasonable and to printable ASCII: that is
 * all that these texts ever hold. A new reference; NULL: it is none, or empty.
 */
json_t *rb_admit_text(const json_t *value);

#endif
