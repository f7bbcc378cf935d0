/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * portjson - everything that is known of a port, as JSON
 */
#include "verbs/portjson.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/ibsys.h"
#include "host/netdev.h"
#include "verbs/dev.h"
#include "verbs/devlist.h"
#include "verbs/gid.h"

static json_t *gid_json(const struct rb_gid *gid)
{
	json_t *to = rb_gid_json(gid);

	rb_fact_flag(to, "netdev_down", gid->netdev_down);
	rb_fact_flag(to, "stale", gid->stale);
	return to;
}

static int gids_json(const struct rb_dev *dev, json_t **gids)
{
	struct rb_gid_table *table = calloc(1, sizeof(*table));
	int err;

	if (!table)
		return -ENOMEM;
	table->wanted = UINT_MAX;
	err = rb_gid_table_scan(dev, table);
	if (!err)
		*gids = json_array();
	for (unsigned int i = 0; i < table->n && !err; i++)
		json_array_append_new(*gids, gid_json(&table->v[i]));
	free(table);
	return err;
}

static json_t *addresses_json(const char *netdev)
{
	char text[INET6_ADDRSTRLEN], with_prefix[INET6_ADDRSTRLEN + 4];
	json_t *list = json_array();
	struct rb_netaddrs addrs;

	rb_netaddrs_read(&addrs);
	for (unsigned int i = 0; i < addrs.n; i++) {
		const struct rb_netaddr *a = &addrs.v[i];
		union ibv_gid raw;

		if (strcmp(a->netdev, netdev))
			continue;
		memcpy(&raw, &a->addr, sizeof(raw));
		snprintf(with_prefix, sizeof(with_prefix), "%s/%u",
			 rb_gid_text(&raw, text), a->prefix);
		json_array_append_new(list, json_string(with_prefix));
	}
	rb_netaddrs_free(&addrs);
	return list;
}

static void put_netdev(json_t *to, const char *name)
{
	struct rb_netdev netdev;

	rb_fact_text(to, "netdev", name);
	if (rb_netdev_read(name, &netdev))
		return;
	if (netdev.state != RB_NETDEV_UNKNOWN)
		rb_fact_text(to, "netdev_state",
			     rb_netdev_state_name(netdev.state));
	rb_fact_uint(to, "netdev_mtu", netdev.mtu);
	rb_fact_text(to, "netdev_driver", netdev.driver);
	rb_fact_value(to, "addresses", addresses_json(name));
}

json_t *rb_port_json_closed(const char *device, unsigned int port)
{
	char text[RB_IBSYS_TEXT], netdev[IFNAMSIZ];
	json_t *to = json_object();
	const char *colon;

	rb_fact_number(to, "port", port);
	/* "4: ACTIVE", "5: LinkUp" */
	rb_ibsys_port_attr(device, port, "state", text);
	colon = strchr(text, ' ');
	rb_fact_text(to, "state", colon ? colon + 1 : "");
	rb_ibsys_port_attr(device, port, "phys_state", text);
	colon = strchr(text, ' ');
	rb_fact_text(to, "phys_state", colon ? colon + 1 : "");
	rb_ibsys_port_attr(device, port, "link_layer", text);
	rb_fact_text(to, "link_layer", text);
	rb_fact_uint(to, "link_bits_per_s", rb_ibsys_rate(device, port));
	rb_ibsys_netdev(device, port, netdev);
	put_netdev(to, netdev);
	return to;
}

static void put_port(json_t *to, const struct rb_dev *dev)
{
	const struct ibv_port_attr *attr = &dev->port_attr;
	char rate[RB_IBSYS_TEXT];

	rb_fact_number(to, "port", dev->port);
	rb_fact_text(to, "state", rb_port_state_name(attr->state));
	if (attr->phys_state)
		rb_fact_text(to, "phys_state",
			     rb_phys_state_name(attr->phys_state));
	rb_fact_text(to, "link_layer", rb_link_layer_name(attr->link_layer));
	rb_fact_uint(to, "link_bits_per_s", dev->bits_per_s);
	rb_ibsys_port_attr(dev->name, dev->port, "rate", rate);
	rb_fact_text(to, "rate", rate);
	rb_fact_uint(to, "mtu", dev->mtu_bytes);
	rb_fact_uint(to, "max_mtu", rb_mtu_bytes(attr->max_mtu));
	if (attr->link_layer != IBV_LINK_LAYER_ETHERNET) {
		rb_fact_number(to, "lid", attr->lid);
		rb_fact_number(to, "lmc", attr->lmc);
		rb_fact_number(to, "sm_lid", attr->sm_lid);
		rb_fact_number(to, "sm_sl", attr->sm_sl);
	}
	rb_fact_number(to, "max_message_bytes", attr->max_msg_sz);
	rb_fact_hex(to, "port_cap_flags", attr->port_cap_flags, 8);
	rb_fact_number(to, "pkey_table_length", attr->pkey_tbl_len);
	rb_fact_number(to, "gid_table_length", (uint64_t)attr->gid_tbl_len);
	put_netdev(to, dev->netdev);
}

int rb_port_json(struct rb_dev *dev, unsigned int port, json_t **portp)
{
	json_t *gids = NULL;
	int err;

	dev->port = (uint8_t)port;
	err = rb_dev_query_port(dev->ctx, port, &dev->port_attr);
	if (err) {
		*portp = rb_port_json_closed(dev->name, port);
		return err;
	}
	rb_dev_derive(dev);
	*portp = json_object();
	put_port(*portp, dev);
	/* an iWARP device has a MAC address there, which nobody needs */
	if (!dev->is_iwarp)
		err = gids_json(dev, &gids);
	rb_fact_value(*portp, "gids", gids);
	return err;
}
