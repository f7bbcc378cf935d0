/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devlist - the verbs devices of this host, and which one a name means
 */
#include "verbs/devlist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "host/ibsys.h"
#include "host/netdev.h"

#define NAMES_TEXT 256

static void add_name(char text[static NAMES_TEXT], const char *name)
{
	size_t n = strlen(text);

	snprintf(text + n, NAMES_TEXT - n, "%s%s", n ? " " : "", name);
}

/* Without devices: say whether the kernel has some that verbs do not show. */
static int report_none(void)
{
	char text[NAMES_TEXT] = "";
	struct rb_names names;

	rb_ibsys_devices(&names);
	for (unsigned int i = 0; i < names.n; i++)
		add_name(text, names.v[i]);
	rb_names_free(&names);
	if (!text[0])
		return rb_fail(RB_FAULT_NO_DEVICES, -ENODEV,
			       "there is no RDMA device");
	return rb_fail_hint(
		RB_FAULT_NO_DEVICES, -ENODEV,
		"the module ib_uverbs, its nodes in /dev/infiniband or the provider library is missing",
		"modprobe ib_uverbs, pass /dev/infiniband to the container, install ibverbs-providers",
		"the kernel has RDMA devices (%s), but libibverbs shows none",
		text);
}

int rb_devlist_open(struct rb_devlist *list)
{
	memset(list, 0, sizeof(*list));
	errno = 0;
	list->v = rb_traced_ptr(ibv_get_device_list(&list->n), "-> %d",
				list->n);
	if (!list->v && errno && errno != ENOSYS)
		return rb_fail(RB_FAULT_DEVICE_QUERY, -errno,
			       "cannot list the RDMA devices");
	if (list->v && list->n > 0)
		return 0;
	rb_devlist_close(list);
	return report_none();
}

void rb_devlist_close(struct rb_devlist *list)
{
	if (list->v)
		ibv_free_device_list(list->v);
	memset(list, 0, sizeof(*list));
}

static struct ibv_device *find_exact(const struct rb_devlist *list,
				     const char *name, size_t len)
{
	for (int i = 0; i < list->n; i++) {
		const char *have = ibv_get_device_name(list->v[i]);

		if (strlen(have) == len && !strncmp(have, name, len))
			return list->v[i];
	}
	return NULL;
}

bool rb_devlist_has(const struct rb_devlist *list, const char *name)
{
	return find_exact(list, name, strlen(name));
}

/* "DEVICE:PORT" */
static bool find_with_port(const struct rb_devlist *list, const char *name,
			   struct rb_devmatch *match)
{
	const char *colon = strrchr(name, ':');
	unsigned long port;
	char *end;

	if (!colon || !colon[1])
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || !port || port > UINT8_MAX)
		return false;
	match->port = (unsigned int)port;
	match->device = find_exact(list, name, (size_t)(colon - name));
	return match->device;
}

static bool find_by_netdev(const struct rb_devlist *list, const char *name,
			   struct rb_devmatch *match)
{
	for (int i = 0; i < list->n; i++) {
		const char *device = ibv_get_device_name(list->v[i]);
		unsigned int nports = rb_ibsys_nports(device);

		for (unsigned int port = 1; port <= nports; port++) {
			if (!rb_ibsys_owns(device, port, name))
				continue;
			match->device = list->v[i];
			match->port = port;
			return true;
		}
	}
	return false;
}

static int report_missing(const struct rb_devlist *list, const char *name)
{
	char text[NAMES_TEXT] = "";
	struct rb_netdev netdev;

	for (int i = 0; i < list->n; i++)
		add_name(text, ibv_get_device_name(list->v[i]));
	if (rb_ibsys_nports(name))
		return rb_fail_cause(
			RB_FAULT_NO_DEVICE, -ENODEV,
			rb_device_open_cause(-ENOENT),
			"the kernel has '%s', but libibverbs does not show it (present: %s)",
			name, text);
	if (!rb_netdev_read(name, &netdev))
		return rb_fail(
			RB_FAULT_NO_DEVICE, -ENODEV,
			"the network interface '%s' belongs to no RDMA device (present: %s)",
			name, text);
	return rb_fail(RB_FAULT_NO_DEVICE, -ENODEV,
		       "there is no RDMA device '%s' (present: %s)", name,
		       text);
}

int rb_devlist_find(const struct rb_devlist *list, const char *name,
		    struct rb_devmatch *match)
{
	struct rb_devmatch found = { 0 };

	found.device = find_exact(list, name, strlen(name));
	if (!found.device && !find_with_port(list, name, &found)) {
		found.port = 0;
		if (!find_by_netdev(list, name, &found))
			return report_missing(list, name);
	}
	*match = found;
	return 0;
}

int rb_device_open(struct ibv_device *device, struct ibv_context **ctxp)
{
	char node[sizeof("/dev/infiniband/") + sizeof(device->dev_name)];
	struct ibv_context *ctx;
	int err;

	errno = 0;
	ctx = rb_traced_ptr(ibv_open_device(device), "%s",
			    ibv_get_device_name(device));
	if (ctx) {
		*ctxp = ctx;
		return 0;
	}
	err = errno ? -errno : -ENODEV;
	/* libibverbs tries other ways too, and tells of the last one only */
	snprintf(node, sizeof(node), "/dev/infiniband/%s", device->dev_name);
	return access(node, R_OK | W_OK) && errno == EACCES ? -EACCES : err;
}

const char *rb_device_open_cause(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return "this user may not use the device node in /dev/infiniband";
	case -ENOENT:
		return "the device node in /dev/infiniband is missing, as in a container that was not given it";
	default:
		return NULL;
	}
}

const char *rb_port_state_name(enum ibv_port_state state)
{
	static const char *const names[] = {
		[IBV_PORT_NOP] = "NOP",
		[IBV_PORT_DOWN] = "DOWN",
		[IBV_PORT_INIT] = "INIT",
		[IBV_PORT_ARMED] = "ARMED",
		[IBV_PORT_ACTIVE] = "ACTIVE",
		[IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	return state < RB_ARRAY_SIZE(names) ? names[state] : "unknown";
}

const char *rb_phys_state_name(unsigned int phys_state)
{
	/* IB specification, PortInfo:PortPhysicalState */
	static const char *const names[] = {
		"unknown",
		"Sleep",
		"Polling",
		"Disabled",
		"PortConfigurationTraining",
		"LinkUp",
		"LinkErrorRecovery",
		"PhyTest",
	};

	return phys_state < RB_ARRAY_SIZE(names) ? names[phys_state] :
						   "unknown";
}

const char *rb_link_layer_name(unsigned int link_layer)
{
	switch (link_layer) {
	case IBV_LINK_LAYER_INFINIBAND:
		return "InfiniBand";
	case IBV_LINK_LAYER_ETHERNET:
		return "Ethernet";
	default:
		return "unspecified";
	}
}

const char *rb_transport_name(enum ibv_transport_type transport)
{
	switch (transport) {
	case IBV_TRANSPORT_IB:
		return "IB";
	case IBV_TRANSPORT_IWARP:
		return "iWARP";
	case IBV_TRANSPORT_USNIC:
	case IBV_TRANSPORT_USNIC_UDP:
		return "usNIC";
	default:
		return "unspecified";
	}
}
