/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uevent - what the kernel announces of devices that come and go
 *
 * (NETLINK_KOBJECT_UEVENT; Documentation/ABI/testing/sysfs-uevent.) Nothing
 * here reports.
 */
#ifndef RB_UEVENT_H
#define RB_UEVENT_H

#include <stdbool.h>

#define RB_UEVENT_NAME 64

struct rb_uevent {
	bool added, removed; /* neither: something else happened to it */
	char subsystem[RB_UEVENT_NAME]; /* "infiniband" */
	char name[RB_UEVENT_NAME];	/* "mlx5_0" */
};

/* A descriptor to poll for reading, non-blocking; or -errno. */
int rb_uevent_open(void);

/* The next announcement; false when there is none. */
bool rb_uevent_read(int fd, struct rb_uevent *event);

#endif
