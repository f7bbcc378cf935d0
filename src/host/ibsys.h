/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibsys - what sysfs tells about RDMA devices, without opening them
 *
 * (Documentation/ABI/stable/sysfs-class-infiniband.) Nothing here reports.
 */
#ifndef RB_IBSYS_H
#define RB_IBSYS_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/sysfs.h"

#define RB_IBSYS_TEXT 64

/* The devices that the kernel has; the caller frees the names. */
int rb_ibsys_devices(struct rb_names *names);

/* Kernel driver: "mlx5_core", "rdma_rxe"; "" when unknown. */
void rb_ibsys_driver(const char *device, char driver[static RB_IBSYS_TEXT]);

/* A one-line attribute of the device or of its port: 0, or -errno and "". */
int rb_ibsys_attr(const char *device, const char *attr,
		  char text[static RB_IBSYS_TEXT]);
int rb_ibsys_port_attr(const char *device, unsigned int port, const char *attr,
		       char text[static RB_IBSYS_TEXT]);

/* Ports 1 to N have a folder each; 0 when unknown. */
unsigned int rb_ibsys_nports(const char *device);

/* The port's rate in bit/s from "100 Gb/sec (4X EDR)"; 0: unknown. */
uint64_t rb_ibsys_rate(const char *device, unsigned int port);

/* The netdev of the port itself (not of a VLAN above it); "" when unknown. */
void rb_ibsys_netdev(const char *device, unsigned int port,
		     char netdev[static IFNAMSIZ]);

/* Whether @netdev is the port's, or one above it that gives the port GIDs. */
bool rb_ibsys_owns(const char *device, unsigned int port, const char *netdev);

/* The netdev of GID @index; "" when unknown. */
void rb_ibsys_gid_netdev(const char *device, unsigned int port,
			 unsigned int index, char netdev[static IFNAMSIZ]);

/* No hardware behind it (soft-RoCE, soft-iWARP). False when sysfs is absent. */
bool rb_ibsys_is_software(const char *device);

#endif
