/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devlist - the verbs devices of this host, and which one a name means
 */
#ifndef RB_DEVLIST_H
#define RB_DEVLIST_H

#include <infiniband/verbs.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct rb_devlist {
	struct ibv_device **v;
	int n;
};

/* What the argument of -d means. */
struct rb_devmatch {
	struct ibv_device *device;
	unsigned int port; /* that the name implies; 0: none in particular */
};

/* 0 or -errno (reported: RB_FAULT_NO_DEVICES). */
int rb_devlist_open(struct rb_devlist *list);
void rb_devlist_close(struct rb_devlist *list);

/*
 * Find what @name names: a device ("mlx5_0"), a device and port ("mlx5_0:1"),
 * or the netdev of a port ("ens1f0"). 0 or -ENODEV (reported:
 * RB_FAULT_NO_DEVICE, with the names of those present).
 */
int rb_devlist_find(const struct rb_devlist *list, const char *name,
		    struct rb_devmatch *match);

/*
 * ibv_open_device() with the true reason of a failure: 0 and sets *@ctxp (owned
 * by the caller), or -errno (not reported). With -EACCES and -ENOENT the device
 * node is not accessible or not there.
 */
int rb_device_open(struct ibv_device *device, struct ibv_context **ctxp);

/* The cause that such an error of rb_device_open stands for, or NULL. */
const char *rb_device_open_cause(int err);

/*
 * Everything that is known of a device: the element of "devices" in the
 * document of 'rbench devices'. A device that cannot be opened still has what
 * sysfs tells, and "error". A new reference.
 */
json_t *rb_devlist_json(struct ibv_device *device);

/* The same of a device that the kernel has and libibverbs does not show. */
json_t *rb_devlist_hidden_json(const char *name);

/* Whether libibverbs shows a device of that very name. */
bool rb_devlist_has(const struct rb_devlist *list, const char *name);

/* Words of the verbs API's numbers; "unknown" where they have none. */
const char *rb_port_state_name(enum ibv_port_state state);
const char *rb_phys_state_name(unsigned int phys_state);
const char *rb_link_layer_name(unsigned int link_layer);
const char *rb_transport_name(enum ibv_transport_type transport);

#endif
