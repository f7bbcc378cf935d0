/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * device - a device that is watched: its context, ports, GIDs, queue pairs
 */
#ifndef RB_WATCH_DEVICE_H
#define RB_WATCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/ibsys.h"
#include "host/uevent.h"
#include "verbs/dev.h"
#include "verbs/gid.h"

struct rb_watch;
struct rb_counters;

struct rb_watch_port {
	unsigned int number;
	char netdev[IFNAMSIZ];
	char state[RB_IBSYS_TEXT];  /* by sysfs, "4: ACTIVE"; "" when unknown */
	struct rb_gid_table *table; /* NULL: not read */
	struct rb_counters *counters;
};

struct rb_watch_qp {
	uint32_t qpn;
	uint8_t state;
};

struct rb_watch_device {
	struct rb_dev dev; /* ctx is NULL while it is not open */
	bool present;
	bool in_sysfs;		    /* it was seen there */
	char uverbs[RB_UEVENT_NAME]; /* of the context; "" when none */
	bool has_node;		    /* that one was seen in sysfs */
	struct rb_watch_port *ports;
	unsigned int nports;
	bool qps_known; /* the first reading is no news */
	struct rb_watch_qp *qps; /* by number */
	size_t nqps;
};

/* Find the devices, open them: 0 or -errno (reported). */
int rb_watch_devices_open(struct rb_watch *w);
void rb_watch_devices_close(struct rb_watch *w);

/* Take and tell the async events that are there. */
void rb_watch_device_events(struct rb_watch *w, struct rb_watch_device *d);

/* Which devices are there, in which state, with which GIDs: tell what changed. */
void rb_watch_scan(struct rb_watch *w);

/* Act on what the kernel announced. */
void rb_watch_uevents(struct rb_watch *w);

/* Its ports: what they are, what changed of them (told), and no more. */
void rb_watch_ports_make(struct rb_watch_device *d);
void rb_watch_ports_refresh(struct rb_watch *w, struct rb_watch_device *d);
void rb_watch_ports_forget(struct rb_watch_device *d);

/* Is it the interface of a port, or does it give a port GIDs? */
bool rb_watch_has_netdev(const struct rb_watch *w, const char *netdev);

/* Read queue pairs, or counters, and tell what changed. */
void rb_watch_qps(struct rb_watch *w);
void rb_watch_counters(struct rb_watch *w);

#endif
