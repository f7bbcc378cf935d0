/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gidports - the GID tables of all ports of this host, or of those named
 */
#include "verbs/gidports.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "verbs/devlist.h"

/* Of several devices a sick one is passed over; one that was named fails. */
static int trouble(const struct rb_gid_ports *ports, enum rb_fault fault, int err,
		   const char *name)
{
	const char *what = fault == RB_FAULT_DEVICE_OPEN ? "open" : "query";

	if (ports->named)
		return rb_fail_cause(fault, err,
				     fault == RB_FAULT_DEVICE_OPEN ?
					     rb_device_open_cause(err) :
					     NULL,
				     "cannot %s '%s'", what, name);
	rb_warn("device_skipped", "cannot %s '%s': %s", what, name,
		strerror(-err));
	return 0;
}

static int add_port(struct rb_gid_ports *ports, const struct rb_dev *dev)
{
	struct rb_gid_port *v =
		realloc(ports->v, (ports->n + 1) * sizeof(*v));
	struct rb_gid_port *port;

	if (!v)
		return -ENOMEM;
	ports->v = v;
	port = &v[ports->n];
	memset(port, 0, sizeof(*port));
	port->dev = *dev;
	port->table = calloc(1, sizeof(*port->table));
	if (!port->table)
		return -ENOMEM;
	port->table->wanted = UINT_MAX;
	ports->n++;
	/* an iWARP port has a MAC address there: no choice */
	return dev->is_iwarp ? 0 : rb_gid_table_scan(dev, port->table);
}

static int read_port(struct rb_gid_ports *ports, struct rb_dev *dev, unsigned int number)
{
	int err;

	dev->port = (uint8_t)number;
	err = rb_dev_query_port(dev->ctx, number, &dev->port_attr);
	if (err)
		return trouble(ports, RB_FAULT_DEVICE_QUERY, err, dev->name);
	rb_dev_derive(dev);
	err = add_port(ports, dev);
	return err ? trouble(ports, RB_FAULT_DEVICE_QUERY, err, dev->name) : 0;
}

/* The ports of an open device; @only is 0 for all. */
static int read_ports(struct rb_gid_ports *ports, struct rb_dev *dev, unsigned int only)
{
	int err = rb_dev_query(dev->ctx, &dev->attr);
	unsigned int nports = dev->attr.phys_port_cnt;

	if (err)
		return trouble(ports, RB_FAULT_DEVICE_QUERY, err, dev->name);
	if (only > nports && ports->named)
		return rb_fail(RB_FAULT_NO_PORT, -EINVAL,
			       "'%s' has no port %u (its last one is %u)",
			       dev->name, only, nports);
	for (unsigned int p = 1; p <= nports && !err; p++)
		if (!only || p == only)
			err = read_port(ports, dev, p);
	return err;
}

static int read_device(struct rb_gid_ports *ports, struct ibv_device *device,
		       unsigned int only)
{
	unsigned int first = ports->n;
	struct rb_dev dev = { 0 };
	int err;

	snprintf(dev.name, sizeof(dev.name), "%s", ibv_get_device_name(device));
	err = rb_device_open(device, &dev.ctx);
	if (err)
		return trouble(ports, RB_FAULT_DEVICE_OPEN, err, dev.name);
	err = read_ports(ports, &dev, only);
	if (ports->n > first)
		ports->v[first].owns_context = true;
	else
		ibv_close_device(dev.ctx);
	return err;
}

int rb_gid_ports_read(struct rb_gid_ports *ports, const char *device,
		      unsigned int port)
{
	struct rb_devmatch match = { 0 };
	struct rb_devlist list;
	int err;

	memset(ports, 0, sizeof(*ports));
	ports->named = device;
	err = rb_devlist_open(&list);
	if (err)
		return err;
	if (device)
		err = rb_devlist_find(&list, device, &match);
	for (int i = 0; i < list.n && !err; i++)
		if (!match.device || match.device == list.v[i])
			err = read_device(ports, list.v[i],
					  port ? port : match.port);
	rb_devlist_close(&list);
	return err;
}

void rb_gid_ports_free(struct rb_gid_ports *ports)
{
	for (unsigned int i = 0; i < ports->n; i++) {
		free(ports->v[i].table);
		if (ports->v[i].owns_context)
			ibv_close_device(ports->v[i].dev.ctx);
	}
	free(ports->v);
	memset(ports, 0, sizeof(*ports));
}
