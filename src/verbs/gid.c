/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gid - read a port's GID table and what the host knows about its entries
 */
#include "verbs/gid.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "host/ibsys.h"
#include "host/netdev.h"
#include "host/route.h"
#include "verbs/dev.h"

#define REACH_MAX 64 /* bits of an entry of reach[] */
#define FILLED_TEXT 128

const char *rb_gid_type_name(enum rb_gid_type type)
{
	static const char *const names[] = { "IB", "RoCE v1", "RoCE v2" };

	return names[type];
}

static const struct in6_addr *addr_of(const union ibv_gid *raw)
{
	return (const struct in6_addr *)(const void *)raw->raw;
}

const char *rb_gid_text(const union ibv_gid *raw, char buf[static RB_GID_TEXT])
{
	if (IN6_IS_ADDR_V4MAPPED(addr_of(raw)))
		inet_ntop(AF_INET, &raw->raw[12], buf, RB_GID_TEXT);
	else
		inet_ntop(AF_INET6, raw->raw, buf, RB_GID_TEXT);
	return buf;
}

socklen_t rb_gid_sockaddr(const struct rb_gid *gid,
			  struct sockaddr_storage *addr)
{
	struct sockaddr_in *in = (void *)addr;
	struct sockaddr_in6 *in6 = (void *)addr;

	memset(addr, 0, sizeof(*addr));
	if (IN6_IS_ADDR_V4MAPPED(addr_of(&gid->raw))) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, &gid->raw.raw[12], sizeof(in->sin_addr));
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	memcpy(&in6->sin6_addr, gid->raw.raw, sizeof(in6->sin6_addr));
	if (IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
		in6->sin6_scope_id = rb_netdev_index(gid->netdev);
	return sizeof(*in6);
}

/* The call is for the whole device: room for the tables of all ports. */
static int table_room(const struct rb_dev *dev, size_t *room)
{
	struct ibv_port_attr attr;

	*room = 1;
	for (unsigned int p = 1; p <= dev->attr.phys_port_cnt; p++) {
		int err = rb_dev_query_port(dev->ctx, p, &attr);

		if (err)
			return err;
		*room += (size_t)RB_MAX(attr.gid_tbl_len, 0);
	}
	return 0;
}

static int by_index(const void *a, const void *b)
{
	const struct ibv_gid_entry *x = a, *y = b;

	return x->gid_index < y->gid_index ? -1 : x->gid_index > y->gid_index;
}

/*
 * Empty slots that some paths to the table do not leave out themselves. Only an
 * iWARP device's one GID, its MAC address and zeros, is none without the half
 * that is the interface's.
 */
static bool is_empty(const struct rb_dev *dev,
		     const struct ibv_gid_entry *entry)
{
	static const union ibv_gid zero;

	return !memcmp(&entry->gid, &zero, sizeof(zero)) ||
	       (entry->gid_type == IBV_GID_TYPE_IB &&
		!entry->gid.global.interface_id &&
		dev->ctx->device->transport_type != IBV_TRANSPORT_IWARP);
}

int rb_gid_entries(const struct rb_dev *dev, struct ibv_gid_entry **entries,
		   unsigned int *n)
{
	struct ibv_gid_entry *all;
	unsigned int kept = 0;
	size_t room;
	uint64_t since;
	ssize_t got;
	int err = table_room(dev, &room);

	if (err)
		return err;
	all = calloc(room, sizeof(*all));
	if (!all)
		return -ENOMEM;
	since = rb_trace_begin();
	got = ibv_query_gid_table(dev->ctx, all, room, 0);
	rb_trace_end(since, got < 0 ? (int)got : 0, "ibv_query_gid_table",
		     "%s -> %zd entries", dev->name, got);
	if (got < 0) {
		free(all);
		return (int)got;
	}
	for (ssize_t i = 0; i < got; i++)
		if (all[i].port_num == dev->port && !is_empty(dev, &all[i]))
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_index);
	*entries = all;
	*n = kept;
	return 0;
}

static enum rb_gid_type type_of(const struct ibv_gid_entry *entry)
{
	switch (entry->gid_type) {
	case IBV_GID_TYPE_ROCE_V2:
		return RB_GID_ROCE_V2;
	case IBV_GID_TYPE_ROCE_V1:
		return RB_GID_ROCE_V1;
	default:
		return RB_GID_IB;
	}
}

/*
 * Set the netdev's name; false when the kernel's name for it and the index that
 * it has do not agree here: it lives in another network namespace.
 */
static bool find_netdev(struct rb_gid *gid, const struct rb_dev *dev,
			unsigned int ifindex)
{
	char by_ifindex[IFNAMSIZ] = "";

	rb_ibsys_gid_netdev(dev->name, dev->port, gid->index, gid->netdev);
	if (ifindex && !if_indextoname(ifindex, by_ifindex))
		by_ifindex[0] = '\0';
	if (!gid->netdev[0])
		memcpy(gid->netdev, by_ifindex, sizeof(gid->netdev));
	if (!ifindex || !strcmp(gid->netdev, by_ifindex))
		return true;
	gid->netdev[0] = '\0';
	return false;
}

/*
 * Default GIDs are made from the MAC address, whether or not IPv6 is in use,
 * and all of 127/8 is an address of the loopback interface.
 */
static bool needs_address(const struct in6_addr *addr)
{
	return !IN6_IS_ADDR_LINKLOCAL(addr) &&
	       !(IN6_IS_ADDR_V4MAPPED(addr) &&
		 addr->s6_addr[12] == IN_LOOPBACKNET);
}

static void describe(struct rb_gid *gid, const struct rb_dev *dev,
		     const struct ibv_gid_entry *entry,
		     const struct rb_netaddrs *addrs)
{
	const struct rb_netaddr *addr;
	struct rb_netdev netdev;
	bool here;

	memset(gid, 0, sizeof(*gid));
	gid->raw = entry->gid;
	gid->index = entry->gid_index;
	gid->type = type_of(entry);
	if (gid->type == RB_GID_IB)
		return;
	here = find_netdev(gid, dev, entry->ndev_ifindex);
	gid->elsewhere = !here;
	if (!rb_netdev_read(gid->netdev, &netdev))
		gid->netdev_down = rb_netdev_is_down(&netdev);
	addr = gid->netdev[0] ? rb_netaddrs_find(addrs, addr_of(&gid->raw),
						 gid->netdev) :
				NULL;
	if (addr)
		gid->prefix = addr->prefix;
	else if (addrs->n && needs_address(addr_of(&gid->raw)))
		gid->stale = gid->netdev[0] || !here;
}

/* "0 1 2 3"; cut with "..." where there are too many. */
static void list_filled(const struct rb_gid_table *table,
			char text[static FILLED_TEXT])
{
	const size_t tail = sizeof(" 65535 ...");
	size_t n = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < table->n; i++) {
		if (n + tail >= FILLED_TEXT) {
			snprintf(text + n, FILLED_TEXT - n, " ...");
			return;
		}
		n += (size_t)snprintf(text + n, FILLED_TEXT - n, "%s%u",
				      n ? " " : "", table->v[i].index);
	}
}

static int check_wanted(const struct rb_gid_table *table, int length)
{
	char filled[FILLED_TEXT];

	if (table->wanted == UINT_MAX)
		return 0;
	for (unsigned int i = 0; i < table->n; i++)
		if (table->v[i].index == table->wanted)
			return 0;
	if (table->wanted >= (unsigned int)RB_MAX(length, 0))
		return rb_fail(
			RB_FAULT_GID_INDEX, -EADDRNOTAVAIL,
			"'%s' port %u has no GID index %u (its table ends at %d)",
			table->device, table->port, table->wanted, length - 1);
	list_filled(table, filled);
	return rb_fail(RB_FAULT_GID_INDEX, -EADDRNOTAVAIL,
		       "GID index %u of '%s' port %u is empty (filled: %s)",
		       table->wanted, table->device, table->port,
		       filled[0] ? filled : "none");
}

/* Take over the entries; the wanted one even when there are too many. */
static void fill(struct rb_gid_table *table, const struct rb_dev *dev,
		 const struct ibv_gid_entry *entries, unsigned int n)
{
	struct rb_netaddrs addrs;

	rb_netaddrs_read(&addrs);
	for (unsigned int i = 0; i < n; i++) {
		if (table->n == RB_GID_MAX &&
		    entries[i].gid_index != table->wanted)
			continue;
		if (table->n == RB_GID_MAX)
			table->n--;
		describe(&table->v[table->n++], dev, &entries[i], &addrs);
	}
	rb_netaddrs_free(&addrs);
}

int rb_gid_table_scan(const struct rb_dev *dev, struct rb_gid_table *table)
{
	struct ibv_gid_entry *entries;
	unsigned int n, wanted = table->wanted;
	int err = rb_gid_entries(dev, &entries, &n);

	if (err)
		return err;
	memset(table, 0, sizeof(*table));
	table->wanted = wanted;
	table->port = dev->port;
	memcpy(table->device, dev->name, sizeof(table->device));
	fill(table, dev, entries, n);
	free(entries);
	return 0;
}

int rb_gid_table_read(const struct rb_dev *dev, uint64_t wanted,
		      struct rb_gid_table *table)
{
	int err;

	table->wanted = wanted == RB_AUTO ? UINT_MAX : (unsigned int)wanted;
	err = rb_gid_table_scan(dev, table);
	if (err)
		return rb_fail(RB_FAULT_DEVICE_QUERY, err,
			       "cannot read the GID table of '%s' port %u",
			       dev->name, dev->port);
	return check_wanted(table, dev->port_attr.gid_tbl_len);
}

/* What the kernel is asked about, once for an entry. */
struct way {
	struct rb_route *route;
	const struct rb_gid *from;
	int ifindex; /* of the entry's netdev; 0: unknown */
	int master;  /* of the VRF (or bond, bridge) that it belongs to; or 0 */
};

static struct way way_from(struct rb_route *route, const struct rb_gid *from)
{
	struct way way = { .route = route, .from = from };
	struct rb_netdev netdev;

	if (rb_netdev_read(from->netdev, &netdev))
		return way;
	way.ifindex = netdev.ifindex;
	way.master = (int)rb_netdev_index(netdev.master);
	return way;
}

static bool way_leads_to(const struct way *way, const struct rb_gid *to)
{
	const struct in6_addr *src = addr_of(&way->from->raw);
	const struct in6_addr *dst = addr_of(&to->raw);
	struct rb_route_hop hop;
	int scope;

	if (way->from->type != to->type ||
	    !IN6_IS_ADDR_V4MAPPED(src) != !IN6_IS_ADDR_V4MAPPED(dst))
		return false;
	if (to->type == RB_GID_IB || !way->ifindex)
		return true; /* nothing to ask the routes about */
	scope = IN6_IS_ADDR_LINKLOCAL(dst) ? way->ifindex : way->master;
	/* a kernel that does not answer is no reason to distrust a pair */
	if (rb_route_lookup(way->route, src, dst, scope, &hop))
		return true;
	/* RoCE v1 has no IP header: no router takes it on */
	return rb_route_hop_over(&hop, way->ifindex) &&
	       !(to->type == RB_GID_ROCE_V1 && hop.gateway);
}

void rb_gid_table_reach(struct rb_gid_table *mine,
			const struct rb_gid_table *peer)
{
	struct rb_route *route;

	mine->has_reach = false;
	if (mine->n > REACH_MAX || peer->n > REACH_MAX || rb_route_open(&route))
		return;
	memset(mine->reach, 0, sizeof(mine->reach));
	for (unsigned int i = 0; i < mine->n; i++) {
		struct way way = way_from(route, &mine->v[i]);

		for (unsigned int j = 0; j < peer->n; j++)
			if (way_leads_to(&way, &peer->v[j]))
				mine->reach[i] |= 1ull << j;
	}
	mine->has_reach = true;
	rb_route_close(route);
}
