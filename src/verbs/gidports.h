/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gidports - the GID tables of all ports of this host, or of those named
 */
#ifndef RB_GIDPORTS_H
#define RB_GIDPORTS_H

#include <stdbool.h>

#include "verbs/dev.h"
#include "verbs/gid.h"

struct rb_gid_port {
	struct rb_dev dev; /* standing at the port; its context is shared by */
	bool owns_context; /* the ports of a device, of which the first has it */
	struct rb_gid_table *table; /* empty on iWARP */
};

struct rb_gid_ports {
	unsigned int n;
	struct rb_gid_port *v;
	const char *named; /* what the caller asked for; borrowed */
};

/*
 * Read all ports, or those of @device (as -d names it; NULL: all) and @port (0:
 * all). 0, or -errno (reported); a sick device among several is only warned of.
 * Freed by the caller in any case.
 */
int rb_gid_ports_read(struct rb_gid_ports *ports, const char *device,
		      unsigned int port);
void rb_gid_ports_free(struct rb_gid_ports *ports);

#endif
