/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* gid - the addresses of the fake ports, and which port an address is. */

#include "fake.h"
#include "plan.h"

#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>

enum { GID_TABLE = 16 };

uint64_t dev_guid(int dev)
{
	return 0x020000fffe000001ull + (uint64_t)dev;
}

bool dev_port_down(int dev)
{
	return __atomic_load_n(&proc.self.a->port_down[dev], __ATOMIC_RELAXED);
}

void dev_set_port(int dev, bool down)
{
	__atomic_store_n(&proc.self.a->port_down[dev], down, __ATOMIC_RELAXED);
}

static void gid_link_local(int dev, union ibv_gid *gid)
{
	gid->global.subnet_prefix = htobe64(0xfe80000000000000ull);
	gid->global.interface_id = htobe64(dev_guid(dev));
}

static void gid_mapped(int dev, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	gid->raw[12] = 127;
	gid->raw[15] = (uint8_t)(dev + 1);
}

bool dev_is_iwarp(void)
{
	return plan_get()->dev.transport == IBV_TRANSPORT_IWARP;
}

/* The MAC address, and nothing behind it, as siw has it. */
static void gid_mac(int dev, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[0] = 2;
	gid->raw[5] = (uint8_t)(dev + 1);
}

struct gid_row {
	enum ibv_gid_type type;
	bool mapped;
};

static const struct gid_row *gid_rows(int *n)
{
	static const struct gid_row all[] = {
		{ IBV_GID_TYPE_ROCE_V1, false }, { IBV_GID_TYPE_ROCE_V2, false },
		{ IBV_GID_TYPE_ROCE_V1, true }, { IBV_GID_TYPE_ROCE_V2, true },
	};
	static const struct gid_row v1[] = {
		{ IBV_GID_TYPE_ROCE_V1, false }, { IBV_GID_TYPE_ROCE_V1, true },
	};
	static const struct gid_row v2[] = {
		{ IBV_GID_TYPE_ROCE_V2, false }, { IBV_GID_TYPE_ROCE_V2, true },
	};
	/* of iWARP too, whose one is told apart below */
	static const struct gid_row ib[] = { { IBV_GID_TYPE_IB, false } };
	const struct plan_device *d = &plan_get()->dev;

	*n = 2;
	if (d->gid == GID_NONE)
		*n = 0;
	else if (d->infiniband || dev_is_iwarp())
		*n = 1;
	else if (d->gid == GID_ALL)
		*n = 4;
	if (d->infiniband || dev_is_iwarp())
		return ib;
	return d->gid == GID_V1ONLY ? v1 : d->gid == GID_V2ONLY ? v2 : all;
}

/* Asked for once: each queue pair needs it. */
static uint32_t loopback(void)
{
	static uint32_t index;
	uint32_t known = __atomic_load_n(&index, __ATOMIC_RELAXED);

	if (!known) {
		known = if_nametoindex("lo");
		__atomic_store_n(&index, known, __ATOMIC_RELAXED);
	}
	return known;
}

/* Returns 0, ENODATA for an index that is free, EINVAL beyond the table. */
int gid_entry(int dev, uint32_t index, struct ibv_gid_entry *entry)
{
	const struct plan_device *d = &plan_get()->dev;
	const struct gid_row *rows;
	int n;

	if (index >= GID_TABLE)
		return EINVAL;
	rows = gid_rows(&n);
	if (index >= (uint32_t)n)
		return ENODATA;
	memset(entry, 0, sizeof(*entry));
	if (dev_is_iwarp())
		gid_mac(dev, &entry->gid);
	else if (rows[index].mapped)
		gid_mapped(dev, &entry->gid);
	else
		gid_link_local(dev, &entry->gid);
	entry->gid_index = index;
	entry->port_num = 1;
	entry->gid_type = rows[index].type;
	if (!d->infiniband && !d->no_netdev)
		entry->ndev_ifindex = loopback();
	return 0;
}

/* A multicast address: IPv6's, or an IPv4 one mapped into it. */
bool gid_is_group(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return gid->raw[0] == 0xff ||
	       (!memcmp(gid->raw, mapped, sizeof(mapped)) &&
		gid->raw[12] >> 4 == 0xe);
}

static int gid_to_dev(const union ibv_gid *gid)
{
	union ibv_gid own;
	int dev;

	for (dev = 0; dev < WIRE_DEVS; dev++) {
		gid_link_local(dev, &own);
		if (!memcmp(&own, gid, sizeof(own)))
			return dev;
		gid_mapped(dev, &own);
		if (!memcmp(&own, gid, sizeof(own)))
			return dev;
		gid_mac(dev, &own);
		if (!memcmp(&own, gid, sizeof(own)))
			return dev;
	}
	return -1;
}

/* LIDs count from 1 in the order of the devices. */
int ah_to_dev(const struct ibv_ah_attr *attr)
{
	if (attr->is_global)
		return gid_to_dev(&attr->grh.dgid);
	if (!attr->dlid || attr->dlid > WIRE_DEVS)
		return -1;
	return attr->dlid - 1;
}

/* Is this an address that the port could send to? 0 or EINVAL. */
int ah_check(int dev, const struct ibv_ah_attr *attr)
{
	struct ibv_gid_entry entry;

	if (attr->port_num != 1)
		return EINVAL;
	if (!attr->is_global)
		return plan_get()->dev.infiniband ? 0 : EINVAL;
	return gid_entry(dev, attr->grh.sgid_index, &entry) ? EINVAL : 0;
}

/* The index that rdma_cm uses: RoCE v2 over IPv4 where there is one. */
int gid_for_cm(int dev)
{
	struct ibv_gid_entry e;
	int best = 0;
	uint32_t i;

	for (i = 0; i < GID_TABLE; i++)
		if (!gid_entry(dev, i, &e) && e.gid.raw[10] == 0xff)
			best = (int)i;
	return best;
}
