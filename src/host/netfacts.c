/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * netfacts - network interfaces for a snapshot: sysfs, and what links tell
 *
 * Recorded answer: nl/link.bin (RTM_GETLINK).
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/files.h"
#include "host/ibsys.h"
#include "host/netdev.h"
#include "host/nlask.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define LINE_TEXT 256
#define NETDEVS_MOST 1024

const char *rb_snap_netdev_name(const json_t *netdevs, unsigned int index)
{
	const char *name;
	json_t *netdev;

	json_object_foreach((json_t *)(uintptr_t)netdevs, name, netdev)
		if (json_integer_value(json_object_get(netdev, "index")) ==
		    (json_int_t)index)
			return name;
	return NULL;
}

bool rb_snap_carries_rdma(const json_t *netdevs, const char *name)
{
	const json_t *netdev = json_object_get(netdevs, name);
	const json_t *master = json_object_get(netdev, "master");

	if (json_object_get(netdev, "rdma"))
		return true;
	return master &&
	       json_object_get(
		       json_object_get(netdevs, json_string_value(master)),
		       "rdma");
}

static const char *const netdev_sysctls[] = {
	"ipv4/rp_filter",      "ipv4/arp_ignore",   "ipv4/arp_announce",
	"ipv4/arp_filter",     "ipv4/accept_local", "ipv4/forwarding",
	"ipv4/src_valid_mark", "ipv6/disable_ipv6", "ipv6/addr_gen_mode",
	"ipv6/accept_dad",
};

/* "ipv4/rp_filter" is proc/sys/net/ipv4/conf/N/rp_filter. */
static void put_sysctls(const struct rb_place *netdev, const char *name)
{
	struct rb_place to = rb_place_enter(netdev, "sysctl");

	for (size_t i = 0; i < RB_ARRAY_SIZE(netdev_sysctls); i++) {
		const char *key = netdev_sysctls[i];
		char text[LINE_TEXT], dotted[LINE_TEXT];

		if (rb_file_line(text, sizeof(text),
				 "proc/sys/net/%.4s/conf/%s/%s", key, name,
				 key + 5))
			continue;
		snprintf(dotted, sizeof(dotted), "%.4s.%s", key, key + 5);
		rb_fact_value(to.object, dotted, rb_value_json(text));
	}
	rb_place_leave(netdev, "sysctl");
}

static void put_bond(const struct rb_place *netdev, const char *name)
{
	struct rb_place to = rb_place_enter(netdev, "bond");
	char text[LINE_TEXT], *save, *word;
	json_t *slaves;

	/* "802.3ad 4" */
	if (!rb_sysfs_text(text, sizeof(text), "class/net/%s/bonding/mode",
			   name) &&
	    (word = strchr(text, ' '))) {
		*word++ = '\0';
		rb_fact_text(to.object, "mode_name", text);
		rb_fact_number(to.object, "mode", strtoull(word, NULL, 10));
	}
	if (!rb_sysfs_text(text, sizeof(text), "class/net/%s/bonding/slaves",
			   name)) {
		slaves = json_array();
		word = strtok_r(text, " ", &save);
		for (; word; word = strtok_r(NULL, " ", &save))
			json_array_append_new(slaves, json_string(word));
		rb_fact_value(to.object, "slaves", slaves);
	}
	if (!rb_sysfs_text(text, sizeof(text),
			   "class/net/%s/bonding/active_slave", name))
		rb_fact_text(to.object, "active_slave", text);
	rb_place_leave(netdev, "bond");
}

/* The vendor's driver: a file a priority, and how it trusts packets' marks. */
static json_t *eight_of(const char *name, const char *which)
{
	json_t *list = json_array();
	uint64_t on;

	for (unsigned int p = 0; p < 8; p++)
		if (!rb_sysfs_u64(&on, "class/net/%s/ecn/%s/enable/%u", name,
				  which, p))
			json_array_append_new(list, json_integer(on != 0));
	if (json_array_size(list) == 8)
		return list;
	json_decref(list);
	return NULL;
}

static void put_vendor(const struct rb_place *netdev, const char *name)
{
	struct rb_place ecn = rb_place_enter(netdev, "ecn");
	char text[LINE_TEXT];

	rb_fact_value(ecn.object, "roce_np", eight_of(name, "roce_np"));
	rb_fact_value(ecn.object, "roce_rp", eight_of(name, "roce_rp"));
	rb_place_leave(netdev, "ecn");
	if (!rb_sysfs_text(text, sizeof(text), "class/net/%s/qos/trust", name))
		rb_fact_text(netdev->object, "vendor_trust", text);
}

static const char *state_word(enum rb_netdev_state state)
{
	static const char *const words[] = { "unknown", "down", "no_carrier",
					     "up" };

	return words[state];
}

static void put_kind(const struct rb_place *to, const char *name)
{
	char text[LINE_TEXT];
	const char *kind;

	/* "DEVTYPE=vlan", else the first line is INTERFACE= */
	if (!rb_sysfs_text(text, sizeof(text), "class/net/%s/uevent", name) &&
	    (kind = rb_line_value(text, "DEVTYPE")))
		rb_fact_text(to->object, "kind", kind);
}

static void put_netdev(const struct rb_place *netdevs, const char *name)
{
	struct rb_netdev netdev;
	struct rb_place to;
	char text[LINE_TEXT];
	uint64_t v;

	if (rb_netdev_read(name, &netdev))
		return;
	to = rb_place_enter(netdevs, name);
	rb_fact_number(to.object, "index", (uint64_t)netdev.ifindex);
	rb_fact_text(to.object, "state", state_word(netdev.state));
	rb_fact_text(to.object, "operstate", netdev.operstate);
	rb_fact_uint(to.object, "mtu", netdev.mtu);
	rb_fact_uint(to.object, "bits_per_s", netdev.bits_per_s);
	rb_fact_text(to.object, "driver", netdev.driver);
	rb_fact_text(to.object, "master", netdev.master);
	rb_fact_text(to.object, "lower", netdev.base);
	rb_fact_uint(to.object, "vlan_id", netdev.vlan);
	put_kind(&to, name);
	if (!rb_sysfs_text(text, sizeof(text), "class/net/%s/address", name) &&
	    strchr(text, ':'))
		rb_fact_text(to.object, "mac", text);
	if (!rb_sysfs_u64(&v, "class/net/%s/dev_port", name))
		rb_fact_number(to.object, "dev_port", v);
	if (!rb_sysfs_link(text, sizeof(text), "class/net/%s/device/subsystem",
			   name) &&
	    !strcmp(text, "pci") &&
	    !rb_sysfs_link(text, sizeof(text), "class/net/%s/device", name))
		rb_fact_text(to.object, "pci", text);
	put_bond(&to, name);
	put_vendor(&to, name);
	put_sysctls(&to, name);
}

/* Which netdevs belong to ports: their own, and those that give them GIDs. */
static void add_rdma(const struct rb_place *netdevs, const char *netdev,
		     const char *port)
{
	json_t *object = json_object_get(netdevs->object, netdev);
	json_t *list = json_object_get(object, "rdma");
	const json_t *old;
	size_t i;

	if (!object)
		return;
	if (!list)
		json_object_set_new(object, "rdma", list = json_array());
	json_array_foreach(list, i, old)
		if (!strcmp(json_string_value(old), port))
			return;
	json_array_append_new(list, json_string(port));
}

static void relate_port(const struct rb_place *netdevs, const char *device,
			const char *number, const json_t *port)
{
	const json_t *netdev = json_object_get(port, "netdev"), *gid;
	char name[LINE_TEXT];
	size_t i;

	snprintf(name, sizeof(name), "%s/%s", device, number);
	if (netdev)
		add_rdma(netdevs, json_string_value(netdev), name);
	json_array_foreach(json_object_get(port, "gids"), i, gid) {
		netdev = json_object_get(gid, "netdev");
		if (netdev)
			add_rdma(netdevs, json_string_value(netdev), name);
	}
}

static void relate(const struct rb_place *doc, const struct rb_place *netdevs)
{
	json_t *devices = json_object_get(doc->object, "devices");
	json_t *device, *port;
	const char *name, *number;

	json_object_foreach(devices, name, device)
		json_object_foreach(json_object_get(device, "ports"), number,
				    port)
			relate_port(netdevs, name, number, port);
}

static void put_egress_map(json_t *netdev, struct nlattr *map)
{
	json_t *to = json_object();
	struct nlattr *entry;
	int left;

	nla_for_each_nested(entry, map, left) {
		const struct ifla_vlan_qos_mapping *row =
			rb_nl_data(entry, sizeof(*row));
		char key[16];

		if (!row)
			continue;
		snprintf(key, sizeof(key), "%u", row->from);
		json_object_set_new(to, key, json_integer(row->to));
	}
	json_object_set_new(netdev, "vlan_egress_map", to);
}

static void put_link_info(json_t *netdev, struct nlattr *info)
{
	struct nlattr *attrs[IFLA_INFO_MAX + 1], *vlan[IFLA_VLAN_MAX + 1];
	const char *kind;

	if (nla_parse_nested(attrs, IFLA_INFO_MAX, info, NULL))
		return;
	kind = rb_nl_text(attrs[IFLA_INFO_KIND]);
	rb_fact_text(netdev, "kind", kind);
	if (strcmp(kind, "vlan") || !attrs[IFLA_INFO_DATA] ||
	    nla_parse_nested(vlan, IFLA_VLAN_MAX, attrs[IFLA_INFO_DATA], NULL))
		return;
	rb_fact_uint(netdev, "vlan_id", rb_nl_uint(vlan[IFLA_VLAN_ID]));
	if (vlan[IFLA_VLAN_EGRESS_QOS])
		put_egress_map(netdev, vlan[IFLA_VLAN_EGRESS_QOS]);
}

static void put_guid(json_t *to, const char *key, const struct nlattr *attr)
{
	const struct ifla_vf_guid *guid = rb_nl_data(attr, sizeof(*guid));
	char text[24];

	if (!guid)
		return;
	snprintf(text, sizeof(text), "0x%016llx",
		 (unsigned long long)guid->guid);
	rb_fact_text(to, key, text);
}

static json_t *vf_json(struct nlattr *info)
{
	static const char *const link_states[] = { "auto", "enable",
						   "disable" };
	struct nlattr *attrs[IFLA_VF_MAX + 1];
	const struct ifla_vf_mac *mac;
	const struct ifla_vf_vlan *vlan;
	const struct ifla_vf_link_state *link;
	const struct ifla_vf_spoofchk *spoof;
	const struct ifla_vf_trust *trust;
	char text[24];
	json_t *vf;

	if (nla_parse_nested(attrs, IFLA_VF_MAX, info, NULL) ||
	    !(mac = rb_nl_data(attrs[IFLA_VF_MAC], sizeof(*mac))))
		return NULL;
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x",
		 mac->mac[0], mac->mac[1], mac->mac[2], mac->mac[3],
		 mac->mac[4], mac->mac[5]);
	vf = json_pack("{s:i, s:s}", "index", (int)mac->vf, "mac", text);
	vlan = rb_nl_data(attrs[IFLA_VF_VLAN], sizeof(*vlan));
	if (vlan)
		rb_fact_uint(vf, "vlan_id", vlan->vlan);
	link = rb_nl_data(attrs[IFLA_VF_LINK_STATE], sizeof(*link));
	if (link && link->link_state < RB_ARRAY_SIZE(link_states))
		rb_fact_text(vf, "link_state", link_states[link->link_state]);
	spoof = rb_nl_data(attrs[IFLA_VF_SPOOFCHK], sizeof(*spoof));
	if (spoof && spoof->setting <= 1)
		rb_fact_value(vf, "spoof_check", json_boolean(spoof->setting));
	trust = rb_nl_data(attrs[IFLA_VF_TRUST], sizeof(*trust));
	if (trust && trust->setting <= 1)
		rb_fact_value(vf, "trust", json_boolean(trust->setting));
	put_guid(vf, "node_guid", attrs[IFLA_VF_IB_NODE_GUID]);
	put_guid(vf, "port_guid", attrs[IFLA_VF_IB_PORT_GUID]);
	return vf;
}

static void put_vfs(json_t *netdev, struct nlattr *list)
{
	json_t *vfs = json_array(), *vf;
	struct nlattr *entry;
	int left;

	nla_for_each_nested(entry, list, left) {
		vf = vf_json(entry);
		if (vf)
			json_array_append_new(vfs, vf);
	}
	json_object_set_new(netdev, "vfs", vfs);
}

static void take_link(const struct nlmsghdr *msg, void *arg)
{
	const struct rb_place *netdevs = arg;
	struct nlattr *attrs[IFLA_MAX + 1];
	json_t *netdev;

	if (msg->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg,
			sizeof(struct ifinfomsg), attrs, IFLA_MAX, NULL) < 0)
		return;
	netdev = json_object_get(netdevs->object,
				 rb_nl_text(attrs[IFLA_IFNAME]));
	if (!netdev)
		return;
	if (attrs[IFLA_LINKINFO])
		put_link_info(netdev, attrs[IFLA_LINKINFO]);
	if (attrs[IFLA_VFINFO_LIST])
		put_vfs(netdev, attrs[IFLA_VFINFO_LIST]);
}

static void ask_links(const struct rb_place *netdevs)
{
	const struct ifinfomsg head = { .ifi_family = AF_UNSPEC };
	struct rb_nl_ask ask = { .name = "link",
				 .protocol = NETLINK_ROUTE,
				 .type = RTM_GETLINK,
				 .flags = NLM_F_DUMP };

	rb_nl_add(&ask, &head, sizeof(head));
	rb_nl_add_u32(&ask, IFLA_EXT_MASK, RTEXT_FILTER_VF);
	rb_place_failed(netdevs, "", "netlink RTM_GETLINK",
			rb_nl_ask(&ask, take_link, (void *)(uintptr_t)netdevs));
}

void rb_snap_netdevs(const struct rb_place *doc, const struct rb_names *names)
{
	struct rb_place netdevs = rb_place_enter(doc, "netdevs");
	struct rb_names all;
	int err = rb_sysfs_list(&all, "class/net");

	rb_place_failed(&netdevs, "", "/sys/class/net", err);
	for (unsigned int i = 0; i < all.n && i < NETDEVS_MOST; i++)
		put_netdev(&netdevs, all.v[i]);
	if (all.n > NETDEVS_MOST)
		rb_place_missing(&netdevs, "", "/sys/class/net", "failed",
				 "only the first 1024 were read");
	rb_names_free(&all);
	relate(doc, &netdevs);
	ask_links(&netdevs);
}
