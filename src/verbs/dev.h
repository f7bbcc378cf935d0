/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dev - find and open the device and port that a run uses
 *
 * Without -d the device is the one that owns the address at which the side
 * channel's connection arrived (the user named a host by an address of the
 * fabric), else the first with an active port. Facts that sysfs or netlink do
 * not have for a device are absent (empty, 0 or RB_DEV_UNKNOWN), never an error.
 */
#ifndef RB_DEV_H
#define RB_DEV_H

#include <infiniband/verbs.h>
#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"

struct sockaddr;
struct rb_cores;

#define RB_DEV_NAME 64

struct rb_dev_opts {
	const char *device; /* NULL: choose */
	uint64_t port;	    /* RB_AUTO: the first active one */
	uint64_t gid_index; /* RB_AUTO: choose with the peer */
};
extern const struct rb_optgroup rb_dev_optgroup;

struct rb_dev {
	struct ibv_context *ctx;
	char name[RB_DEV_NAME];
	struct ibv_device_attr attr;
	/* the port in use */
	uint8_t port;
	struct ibv_port_attr port_attr;
	bool is_roce;	       /* link layer Ethernet and transport IB */
	bool is_iwarp;
	uint64_t bits_per_s;   /* of the link; 0: unknown */
	unsigned int mtu_bytes; /* active path MTU of the port */
	char netdev[IFNAMSIZ]; /* "" when unknown */
};

/*
 * Open the device and port that @opts name, or choose them by @near (the local
 * address of the side channel; NULL: no hint). The port must be ACTIVE.
 * Returns 0 and sets *@devp (owned by the caller), or a negative errno
 * (reported): RB_FAULT_NO_DEVICES, NO_DEVICE (names those present),
 * DEVICE_OPEN, NO_PORT, PORT_DOWN, NO_ACTIVE_PORT, DEVICE_QUERY.
 */
int rb_dev_open(const struct rb_dev_opts *opts, const struct sockaddr *near,
		struct rb_dev **devp);
void rb_dev_close(struct rb_dev *dev);

/*
 * What a server does before it waits: have libibverbs load its providers (which
 * takes long on some machines) and see that there are devices, and the one that
 * @opts names. 0, or a negative errno (reported: NO_DEVICES, NO_DEVICE).
 */
int rb_dev_foresee(const struct rb_dev_opts *opts);

/* ibv_query_device() and ibv_query_port(): 0 or -errno (not reported). */
int rb_dev_query(struct ibv_context *ctx, struct ibv_device_attr *attr);
int rb_dev_query_port(struct ibv_context *ctx, unsigned int port,
		      struct ibv_port_attr *attr);

/*
 * Fill what follows from ctx, name, port and port_attr: is_roce, is_iwarp,
 * bits_per_s, mtu_bytes, netdev.
 */
void rb_dev_derive(struct rb_dev *dev);

/* MTU codes of the verbs API to bytes and back; 0 for an unknown one. */
unsigned int rb_mtu_bytes(enum ibv_mtu mtu);
enum ibv_mtu rb_mtu_code(unsigned int bytes);

/*
 * Speed and width codes of a port to its nominal rate in bit/s, as sysfs names
 * it: 4X EDR is 100 Gb/s (0: unknown).
 */
uint64_t rb_link_rate(uint8_t active_speed, uint8_t active_width);

/*
 * What the document says about one end ("local"): host, device, port, driver,
 * firmware, link_layer, link_bits_per_s, mtu, numa_node, numa_distance, pci{...},
 * cpu{...}, kernel, netdev, memlock_bytes. The distance is from @cores, or from
 * where this thread runs (NULL, or none). Also sent to the peer. A new reference.
 */
json_t *rb_dev_json(const struct rb_dev *dev, const struct rb_cores *cores);

#endif
