/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * portjson - everything that is known of a port, as JSON
 *
 * An element of "ports" in the document of 'rbench devices'.
 */
#ifndef RB_PORTJSON_H
#define RB_PORTJSON_H

#include <jansson.h>

struct rb_dev;

/*
 * The facts of @port, of which those of @dev are filled on the way: a new
 * reference, always set. 0, or -errno (not reported) when the port or its GID
 * table could not be queried and the facts are fewer for that.
 */
int rb_port_json(struct rb_dev *dev, unsigned int port, json_t **portp);

/* What sysfs alone tells: for a device that cannot be opened or queried. */
json_t *rb_port_json_closed(const char *device, unsigned int port);

#endif
