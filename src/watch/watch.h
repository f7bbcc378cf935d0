/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch - what happens to the RDMA devices of this host, as it happens
 *
 * One thread, one poll(2): the async descriptors of all devices, rtnetlink,
 * the kernel's uevents, signals. What the kernel announces nowhere is read
 * again at times: the list of devices once a second (uevents do not reach every
 * container), port states with it, queue pairs and counters on request.
 *
 * A watcher must not be in the way. An open context keeps a driver that cannot
 * take it away (soft-RoCE: 'rdma link del' waits) from removing its device. The
 * kernel announces the removal of the device's uverbs node before it waits, so
 * the context is closed upon that. It also holds the driver's module; for
 * 'modprobe -r' there is no such sign, hence no_open.
 */
#ifndef RB_WATCH_H
#define RB_WATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "watch/event.h"
#include "watch/flap.h"

struct rb_intr;
struct rb_report;
struct rb_netlink;
struct rb_watch_device;
struct rb_watch_links;

struct rb_watch_opts {
	const char *device;	 /* NULL: all */
	bool no_open;		 /* take no context: no async events, no GIDs */
	bool qps;
	bool counters;
	uint64_t poll_ns;	 /* between readings of queue pairs */
	uint64_t interval_ns;	 /* between readings of counters */
	uint64_t for_ns;	 /* RB_AUTO: until a signal comes */
	uint64_t flap_count, flap_time_ns;
	bool until[RB_WATCH_KINDS]; /* end with such an event ... */
	bool fail_on[RB_WATCH_KINDS]; /* ... or end with it, as a failure */
	bool any_until, any_fail_on;
	bool verbose;
};

enum rb_watch_end { /* why it ended; 0: it has not */
	RB_WATCH_GOES_ON,
	RB_WATCH_SIGNAL,
	RB_WATCH_TIME,
	RB_WATCH_UNTIL,
	RB_WATCH_FAILED_ON,
};

struct rb_watch {
	const struct rb_watch_opts *opts;
	struct rb_report *report;
	struct rb_watch_device *devices;
	unsigned int ndevices;
	struct rb_watch_links *links; /* NULL: rtnetlink cannot be had */
	int uevent_fd;		      /* negative: cannot be had */
	struct rb_netlink *nldev;     /* NULL: not asked for */
	struct rb_flaps flaps;
	uint64_t began_ns, scan_ns, qps_ns, counters_ns; /* next or when */
	uint64_t seen[RB_WATCH_KINDS];
	uint64_t nevents;
	enum rb_watch_end end;
};

/* Open what is watched: 0 or -errno (reported). Close it in any case. */
int rb_watch_open(struct rb_watch *w, const struct rb_watch_opts *opts,
		  struct rb_report *report);
void rb_watch_close(struct rb_watch *w);

/* Watch until it ends; sets w->end. 0 or -errno (reported). */
int rb_watch_run(struct rb_watch *w, struct rb_intr *intr);

/*
 * Tell of an event of kind @name. @fields (taken over; may be NULL) are its
 * own keys in the JSON: device, port, ... They also say of what it is.
 */
void rb_watch_tell(struct rb_watch *w, const char *name, json_t *fields,
		   const char *fmt, ...) RB_PRINTF(4, 5);

/* The same of an async event. */
void rb_watch_tell_kind(struct rb_watch *w, const struct rb_watch_kind *kind,
			json_t *fields, const char *text);

/* What flapped and is quiet now. */
void rb_watch_tell_quiet(struct rb_watch *w);

/* "_": { devices, duration_ns, ended_by, events: { kind: n } }; a new
 * reference. */
json_t *rb_watch_json(const struct rb_watch *w);

#endif
