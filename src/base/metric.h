/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * metric - what a key of a result row says by its name: quantity, unit, goodness
 *
 * Keys hold their unit (rbench-json(7)), so that what is known of a quantity
 * need not be written down for each of them. The short name of a key is the key
 * without the words of its unit: "bandwidth" of "bandwidth.bits_per_s",
 * "latency.p99" of "latency_ns.p99".
 */
#ifndef RB_METRIC_H
#define RB_METRIC_H

#include <jansson.h>
#include <stdbool.h>

#include "base/units.h"

#define RB_METRIC_KEY 64

enum rb_quantity {
	RB_QUANTITY_COUNT,
	RB_QUANTITY_BITS,     /* bit/s */
	RB_QUANTITY_NS,	      /* nanoseconds */
	RB_QUANTITY_SECONDS,
	RB_QUANTITY_RATE,     /* events a second */
	RB_QUANTITY_BYTES,
	RB_QUANTITY_FRACTION, /* of 1 */
	RB_QUANTITY_PERCENT,
};

enum rb_quantity rb_metric_quantity(const char *key);

/* The short name of @key. */
const char *rb_metric_short(const char *key, char to[static RB_METRIC_KEY]);

/*
 * How many of the key's unit one @unit is ("Gb/s", "us", "%", ""): 0 where the
 * quantity has no such unit.
 */
double rb_metric_unit(enum rb_quantity quantity, const char *unit);

/* For people: "11.7 Gb/s", "1.82 us", "0.4 %", "12". */
const char *rb_metric_format(enum rb_quantity quantity, double value,
			     char buf[static RB_TEXT_SIZE]);

/* 1: more of it is better; -1: less; 0: neither, or it was asked for. */
int rb_metric_goodness(const char *key);

/* The value at a dotted @path of keys; NULL where there is none. */
const json_t *rb_metric_at(const json_t *object, const char *path);

#endif
