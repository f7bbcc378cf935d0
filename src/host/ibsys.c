/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibsys - what sysfs tells about RDMA devices, without opening them
 */
#include "host/ibsys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS "class/infiniband"
#define BITS_PER_GBIT 1e9

int rb_ibsys_devices(struct rb_names *names)
{
	return rb_sysfs_list(names, CLASS);
}

int rb_ibsys_attr(const char *device, const char *attr,
		  char text[static RB_IBSYS_TEXT])
{
	return rb_sysfs_text(text, RB_IBSYS_TEXT, CLASS "/%s/%s", device, attr);
}

int rb_ibsys_port_attr(const char *device, unsigned int port, const char *attr,
		       char text[static RB_IBSYS_TEXT])
{
	return rb_sysfs_text(text, RB_IBSYS_TEXT, CLASS "/%s/ports/%u/%s",
			     device, port, attr);
}

bool rb_ibsys_is_software(const char *device)
{
	char text[RB_IBSYS_TEXT];

	return !rb_ibsys_attr(device, "node_type", text) &&
	       rb_sysfs_link(text, sizeof(text), CLASS "/%s/device", device);
}

void rb_ibsys_driver(const char *device, char driver[static RB_IBSYS_TEXT])
{
	char text[RB_IBSYS_TEXT];

	if (!rb_sysfs_link(driver, RB_IBSYS_TEXT, CLASS "/%s/device/driver",
			   device) ||
	    !rb_ibsys_is_software(device))
		return;
	/* the two software drivers have no device; only rxe names its parent */
	if (!rb_ibsys_attr(device, "parent", text))
		memcpy(driver, "rdma_rxe", sizeof("rdma_rxe"));
	else if (!rb_ibsys_attr(device, "node_type", text) &&
		 strstr(text, "RNIC"))
		memcpy(driver, "siw", sizeof("siw"));
}

unsigned int rb_ibsys_nports(const char *device)
{
	struct rb_names names;
	unsigned int n;

	rb_sysfs_list(&names, CLASS "/%s/ports", device);
	n = names.n;
	rb_names_free(&names);
	return n;
}

uint64_t rb_ibsys_rate(const char *device, unsigned int port)
{
	char text[RB_IBSYS_TEXT], *end;
	double gbits;

	if (rb_ibsys_port_attr(device, port, "rate", text))
		return 0;
	gbits = strtod(text, &end);
	if (gbits <= 0 || strncmp(end, " Gb/sec", 7))
		return 0;
	return (uint64_t)(gbits * BITS_PER_GBIT);
}

void rb_ibsys_gid_netdev(const char *device, unsigned int port,
			 unsigned int index, char netdev[static IFNAMSIZ])
{
	rb_sysfs_text(netdev, IFNAMSIZ, CLASS "/%s/ports/%u/gid_attrs/ndevs/%u",
		      device, port, index);
}

/* Which of the device's netdevs is the one of @port: dev_port counts from 0. */
static void netdev_by_dev_port(const char *device, unsigned int port,
			       char netdev[static IFNAMSIZ])
{
	struct rb_names names;
	uint64_t dev_port;

	rb_sysfs_list(&names, CLASS "/%s/device/net", device);
	for (unsigned int i = 0; i < names.n && !netdev[0]; i++) {
		if (rb_sysfs_u64(&dev_port, CLASS "/%s/device/net/%s/dev_port",
				 device, names.v[i]))
			continue;
		if (dev_port + 1 == port)
			snprintf(netdev, IFNAMSIZ, "%s", names.v[i]);
	}
	if (!netdev[0] && port == 1 && names.n == 1 &&
	    rb_ibsys_nports(device) == 1)
		snprintf(netdev, IFNAMSIZ, "%s", names.v[0]);
	rb_names_free(&names);
}

void rb_ibsys_netdev(const char *device, unsigned int port,
		     char netdev[static IFNAMSIZ])
{
	/* the first entry is the default GID of the port's own netdev */
	rb_ibsys_gid_netdev(device, port, 0, netdev);
	if (!netdev[0])
		rb_sysfs_text(netdev, IFNAMSIZ, CLASS "/%s/parent", device);
	if (!netdev[0])
		netdev_by_dev_port(device, port, netdev);
}

bool rb_ibsys_owns(const char *device, unsigned int port, const char *netdev)
{
	char text[IFNAMSIZ];
	struct rb_names slots;
	bool found;

	rb_ibsys_netdev(device, port, text);
	found = !strcmp(text, netdev);
	rb_sysfs_list(&slots, CLASS "/%s/ports/%u/gid_attrs/ndevs", device,
		      port);
	for (unsigned int i = 0; i < slots.n && !found; i++) {
		rb_sysfs_text(text, sizeof(text),
			      CLASS "/%s/ports/%u/gid_attrs/ndevs/%s", device,
			      port, slots.v[i]);
		found = !strcmp(text, netdev);
	}
	rb_names_free(&slots);
	return found;
}
