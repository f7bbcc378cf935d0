/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devfacts - queries of a device, its codes in plain units, and its document
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/trace.h"
#include "host/cores.h"
#include "host/cpu.h"
#include "host/facts.h"
#include "host/host.h"
#include "host/ibsys.h"
#include "host/netdev.h"
#include "host/pci.h"
#include "host/sysfs.h"
#include "verbs/dev.h"
#include "verbs/devlist.h"
#include "verbs/gid.h"

#define LOCAL_CPUS "class/infiniband/%s/device/local_cpulist"

/* Calls of this kind return a positive errno, older providers -1 and errno. */
static int verbs_error(int ret)
{
	return ret > 0 ? -ret : ret < 0 ? (errno ? -errno : -EIO) : 0;
}

int rb_dev_query(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	errno = 0;
	return verbs_error(rb_traced(ibv_query_device(ctx, attr), "%s",
				     ibv_get_device_name(ctx->device)));
}

int rb_dev_query_port(struct ibv_context *ctx, unsigned int port,
		      struct ibv_port_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	errno = 0;
	return verbs_error(rb_traced(ibv_query_port(ctx, (uint8_t)port, attr),
				     "%s, port %u",
				     ibv_get_device_name(ctx->device), port));
}

static const struct {
	enum ibv_mtu code;
	unsigned int bytes;
} mtus[] = {
	{ IBV_MTU_256, 256 },	{ IBV_MTU_512, 512 },	{ IBV_MTU_1024, 1024 },
	{ IBV_MTU_2048, 2048 }, { IBV_MTU_4096, 4096 },
};

unsigned int rb_mtu_bytes(enum ibv_mtu mtu)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(mtus); i++)
		if (mtus[i].code == mtu)
			return mtus[i].bytes;
	return 0;
}

enum ibv_mtu rb_mtu_code(unsigned int bytes)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(mtus); i++)
		if (mtus[i].bytes == bytes)
			return mtus[i].code;
	return (enum ibv_mtu)0;
}

/* IB specification, PortInfo:LinkSpeedActive and LinkSpeedExtActive */
static const struct {
	uint8_t code;
	uint32_t mbits; /* of one lane */
} speeds[] = {
	{ 1, 2500 },	 /* SDR */
	{ 2, 5000 },	 /* DDR */
	{ 4, 10000 },	 /* QDR */
	{ 8, 10000 },	 /* FDR10 */
	{ 16, 14000 },	 /* FDR */
	{ 32, 25000 },	 /* EDR */
	{ 64, 50000 },	 /* HDR */
	{ 128, 100000 }, /* NDR */
};

/* PortInfo:LinkWidthActive */
static const struct {
	uint8_t code;
	uint8_t lanes;
} widths[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } };

uint64_t rb_link_rate(uint8_t active_speed, uint8_t active_width)
{
	const uint64_t bits_per_mbit = 1000000;
	uint64_t mbits = 0, lanes = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(speeds); i++)
		if (speeds[i].code == active_speed)
			mbits = speeds[i].mbits;
	for (size_t i = 0; i < RB_ARRAY_SIZE(widths); i++)
		if (widths[i].code == active_width)
			lanes = widths[i].lanes;
	return mbits * lanes * bits_per_mbit;
}

static uint64_t rate_of(const struct rb_dev *dev)
{
	bool ethernet = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	struct rb_netdev netdev;
	uint64_t rate;

	/* the codes know no 1 or 40 Gb/s Ethernet: the interface knows better
	 */
	if (ethernet && !rb_netdev_read(dev->netdev, &netdev) &&
	    netdev.bits_per_s)
		return netdev.bits_per_s;
	/* a software device makes its codes up */
	if (rb_ibsys_is_software(dev->name))
		return 0;
	rate = rb_link_rate(dev->port_attr.active_speed,
			    dev->port_attr.active_width);
	return rate ? rate : rb_ibsys_rate(dev->name, dev->port);
}

/* Where sysfs has no name: that of the first GID which has an interface. */
static void netdev_by_gid(struct rb_dev *dev)
{
	struct ibv_gid_entry *entries;
	unsigned int n;

	if (rb_gid_entries(dev, &entries, &n))
		return;
	for (unsigned int i = 0; i < n && !dev->netdev[0]; i++)
		if (entries[i].ndev_ifindex)
			if_indextoname(entries[i].ndev_ifindex, dev->netdev);
	free(entries);
}

void rb_dev_derive(struct rb_dev *dev)
{
	enum ibv_transport_type transport = dev->ctx->device->transport_type;
	bool ethernet = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET;

	dev->is_roce = ethernet && transport == IBV_TRANSPORT_IB;
	dev->is_iwarp = transport == IBV_TRANSPORT_IWARP;
	dev->mtu_bytes = rb_mtu_bytes(dev->port_attr.active_mtu);
	rb_ibsys_netdev(dev->name, dev->port, dev->netdev);
	if (!dev->netdev[0] && dev->is_roce)
		netdev_by_gid(dev);
	dev->bits_per_s = rate_of(dev);
}

static void put_host(json_t *to)
{
	struct rb_host host;
	struct rb_cpu cpu;

	rb_host_read(&host);
	rb_cpu_read(&cpu);
	rb_fact_text(to, "host", host.name);
	rb_fact_text(to, "kernel", host.kernel);
	if (host.memlock_bytes != RB_MEMLOCK_UNLIMITED)
		rb_fact_number(to, "memlock_bytes", host.memlock_bytes);
	rb_fact_value(to, "cpu", rb_cpu_json(&cpu));
}

static unsigned int distance_of(const struct rb_cores *cores, int node)
{
	return cores && cores->n ? rb_cores_distance(cores, node) :
				   rb_cpu_distance(node);
}

json_t *rb_dev_json(const struct rb_dev *dev, const struct rb_cores *cores)
{
	char driver[RB_IBSYS_TEXT], cpus[RB_CPULIST_TEXT];
	json_t *to = json_object();
	struct rb_netdev netdev;
	struct rb_pci pci;

	put_host(to);
	rb_fact_text(to, "device", dev->name);
	rb_fact_number(to, "port", dev->port);
	rb_ibsys_driver(dev->name, driver);
	rb_fact_text(to, "driver", driver);
	rb_fact_text(to, "firmware", dev->attr.fw_ver);
	rb_fact_text(to, "link_layer",
		     rb_link_layer_name(dev->port_attr.link_layer));
	rb_fact_uint(to, "link_bits_per_s", dev->bits_per_s);
	rb_fact_uint(to, "mtu", dev->mtu_bytes);
	rb_fact_text(to, "netdev", dev->netdev);
	if (!rb_netdev_read(dev->netdev, &netdev))
		rb_fact_uint(to, "netdev_mtu", netdev.mtu);
	if (dev->is_iwarp)
		rb_fact_text(to, "transport", "iWARP");
	if (!rb_pci_read(dev->name, &pci))
		return to;
	rb_fact_value(to, "pci", rb_pci_json(&pci));
	if (pci.numa_node >= 0)
		rb_fact_number(to, "numa_node", (uint64_t)pci.numa_node);
	rb_fact_uint(to, "numa_distance", distance_of(cores, pci.numa_node));
	if (!rb_sysfs_text(cpus, sizeof(cpus), LOCAL_CPUS, dev->name) &&
	    strlen(cpus) + 1 < sizeof(cpus)) /* a part of it would mislead */
		rb_fact_text(to, "local_cpus", cpus);
	return to;
}
