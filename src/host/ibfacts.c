/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibfacts - RDMA devices and their ports for a snapshot, without opening them
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/files.h"
#include "host/ibsys.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define CLASS "class/infiniband"
#define NUMBER_TEXT 16
#define LIST_TEXT 1024
#define GID_TYPE_TEXT 16

/* What follows the number in "4: ACTIVE". */
static const char *word_after_number(const char *text)
{
	const char *at = strstr(text, ": ");

	return at ? at + 2 : text;
}

/* "0002:c903:0001:0203" */
static void put_guid(const struct rb_place *to, const char *device,
		     const char *attr)
{
	char text[RB_IBSYS_TEXT], guid[RB_IBSYS_TEXT] = "0x";
	size_t n = strlen(guid);

	if (rb_ibsys_attr(device, attr, text))
		return;
	for (const char *p = text; *p && n + 1 < sizeof(guid); p++)
		if (*p != ':')
			guid[n++] = *p;
	guid[n] = '\0';
	if (n == strlen("0x") + 16)
		rb_fact_text(to->object, attr, guid);
}

static void put_pkeys(const struct rb_place *port, const char *dir)
{
	json_t *list = json_array();
	struct rb_names names;

	rb_sysfs_list(&names, "%s/pkeys", dir);
	for (unsigned int i = 0; i < names.n; i++) {
		char text[NUMBER_TEXT];
		uint64_t pkey;

		if (rb_sysfs_u64(&pkey, "%s/pkeys/%s", dir, names.v[i]) ||
		    !pkey)
			continue;
		snprintf(text, sizeof(text), "0x%04x", (unsigned int)pkey);
		json_array_append_new(
			list, json_pack("{s:i, s:s}", "index",
					(int)strtoul(names.v[i], NULL, 10),
					"pkey", text));
	}
	if (names.n) {
		rb_fact_number(port->object, "pkey_table_length", names.n);
		rb_fact_value(port->object, "pkeys", list);
	} else {
		json_decref(list);
	}
	rb_names_free(&names);
}

/* The kernel's word for a type, or "IB" where it has no GID types. */
static const char *gid_type(const char *kernel, const char *link_layer)
{
	if (!strcmp(kernel, "RoCE v2"))
		return kernel;
	if (!strcmp(kernel, "IB/RoCE v1") || !*kernel)
		return strcmp(link_layer, "Ethernet") ? "IB"
		       : *kernel		      ? "RoCE v1"
						      : NULL;
	return NULL;
}

/* One entry of the table; NULL when it is zero. */
static json_t *gid_json(const char *dir, const char *slot,
			const char *link_layer)
{
	char text[INET6_ADDRSTRLEN], type[GID_TYPE_TEXT], netdev[IFNAMSIZ];
	struct in6_addr gid;
	const char *word;
	json_t *entry;

	if (rb_sysfs_text(text, sizeof(text), "%s/gids/%s", dir, slot) ||
	    inet_pton(AF_INET6, text, &gid) != 1 ||
	    IN6_IS_ADDR_UNSPECIFIED(&gid))
		return NULL;
	inet_ntop(AF_INET6, &gid, text, sizeof(text));
	entry = json_pack("{s:i, s:s}", "index", (int)strtoul(slot, NULL, 10),
			  "gid", text);
	rb_sysfs_text(type, sizeof(type), "%s/gid_attrs/types/%s", dir, slot);
	rb_sysfs_text(netdev, sizeof(netdev), "%s/gid_attrs/ndevs/%s", dir,
		      slot);
	word = gid_type(type, link_layer);
	if (word)
		rb_fact_text(entry, "type", word);
	rb_fact_text(entry, "netdev", netdev);
	return entry;
}

static void put_gids(const struct rb_place *port, const char *dir,
		     const char *link_layer)
{
	json_t *list = json_array(), *entry;
	struct rb_names names;
	int err = rb_sysfs_list(&names, "%s/gids", dir);

	rb_place_failed(port, "gids", "sysfs gids", err);
	for (unsigned int i = 0; i < names.n; i++) {
		entry = gid_json(dir, names.v[i], link_layer);
		if (entry)
			json_array_append_new(list, entry);
	}
	if (err) {
		json_decref(list);
	} else {
		rb_fact_number(port->object, "gid_table_length", names.n);
		rb_fact_value(port->object, "gids", list);
	}
	rb_names_free(&names);
}

/* rdma_cm's defaults are only there for a device that someone made a folder of.
 */
static void put_cm(const struct rb_place *port, const char *device,
		   unsigned int number)
{
	static const char folder[] = "kernel/config/rdma_cm";
	struct rb_place cm = rb_place_enter(port, "cm");
	char dir[RB_SYSFS_PATH / 2];
	struct rb_names names;
	int err;

	snprintf(dir, sizeof(dir), "%s/%s/ports/%u", folder, device, number);
	rb_place_text(&cm, "default_roce_mode", "sys/%s/default_roce_mode",
		      dir);
	rb_place_number(&cm, "default_roce_tos", "sys/%s/default_roce_tos",
			dir);
	err = rb_sysfs_list(&names, "%s", dir);
	rb_names_free(&names);
	if (err == -ENOENT)
		rb_place_missing(port, "cm", "/sys/kernel/config/rdma_cm",
				 "absent",
				 "configfs has no folder of the device");
	rb_place_leave(port, "cm");
}

static void put_state(const struct rb_place *to, const char *device,
		      unsigned int port, const char *attr)
{
	char text[RB_IBSYS_TEXT], key[RB_IBSYS_TEXT];

	if (rb_ibsys_port_attr(device, port, attr, text))
		return;
	snprintf(key, sizeof(key), "%s_id", attr);
	rb_fact_text(to->object, attr, word_after_number(text));
	rb_fact_number(to->object, key, strtoull(text, NULL, 10));
}

/* "100 Gb/sec (4X EDR)" */
static void put_rate(const struct rb_place *to, const char *device,
		     unsigned int port)
{
	char text[RB_IBSYS_TEXT];
	const char *lanes;

	if (rb_ibsys_port_attr(device, port, "rate", text))
		return;
	rb_fact_text(to->object, "rate", text);
	rb_fact_uint(to->object, "bits_per_s", rb_ibsys_rate(device, port));
	lanes = strchr(text, '(');
	if (lanes)
		rb_fact_uint(to->object, "lanes",
			     strtoull(lanes + 1, NULL, 10));
}

static const struct {
	const char *key, *file;
} port_numbers[] = {
	{ "lid", "lid" },
	{ "lid_mask_count", "lid_mask_count" },
	{ "sm_lid", "sm_lid" },
	{ "sm_sl", "sm_sl" },
	{ "counter_lifespan_ms", "hw_counters/lifespan" },
};

static void put_port(const struct rb_place *ports, const char *device,
		     const char *number)
{
	struct rb_place to = rb_place_enter(ports, number);
	unsigned int port = (unsigned int)strtoul(number, NULL, 10);
	char dir[RB_SYSFS_PATH / 2], link_layer[RB_IBSYS_TEXT];
	char text[RB_IBSYS_TEXT], netdev[IFNAMSIZ];

	snprintf(dir, sizeof(dir), CLASS "/%s/ports/%u", device, port);
	put_state(&to, device, port, "state");
	put_state(&to, device, port, "phys_state");
	rb_ibsys_port_attr(device, port, "link_layer", link_layer);
	rb_fact_text(to.object, "link_layer", link_layer);
	put_rate(&to, device, port);
	for (size_t i = 0; i < RB_ARRAY_SIZE(port_numbers); i++)
		rb_place_number(&to, port_numbers[i].key, "sys/%s/%s", dir,
				port_numbers[i].file);
	if (!rb_ibsys_port_attr(device, port, "cap_mask", text) &&
	    !strncmp(text, "0x", 2))
		rb_fact_text(to.object, "cap_mask", text);
	rb_ibsys_netdev(device, port, netdev);
	rb_fact_text(to.object, "netdev", netdev);
	put_gids(&to, dir, link_layer);
	put_pkeys(&to, dir);
	put_cm(&to, device, port);
	rb_place_number(&to, "traffic_class",
			"sys/" CLASS "/%s/tc/%u/traffic_class", device, port);
}

/* "1: CA": the transports that node types stand for (enum rdma_node_type). */
static void put_node_type(const struct rb_place *to, const char *device)
{
	static const struct {
		const char *node, *transport;
	} rows[] = {
		{ "CA", "IB" },
		{ "RNIC", "iWARP" },
		{ "unspecified", "unspecified" },
	};
	char text[RB_IBSYS_TEXT];
	const char *node, *transport = "unknown";

	if (rb_ibsys_attr(device, "node_type", text))
		return;
	node = word_after_number(text);
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].node, node))
			transport = rows[i].transport;
	rb_fact_text(to->object, "node_type", node);
	rb_fact_text(to->object, "transport", transport);
}

/* Parameters of congestion control: a file each in @folder. */
static void put_folder(const struct rb_place *device, const char *key,
		       const char *folder)
{
	struct rb_place to = rb_place_enter(device, key);
	char text[RB_IBSYS_TEXT], path[RB_SYSFS_PATH];
	struct rb_names names;
	int err = rb_sysfs_list(&names, "%s", folder);

	snprintf(path, sizeof(path), "/sys/%.*s", (int)sizeof(path) - 8,
		 folder);
	rb_place_failed(device, key, path, err);
	for (unsigned int i = 0; i < names.n; i++)
		if (!rb_sysfs_text(text, sizeof(text), "%s/%s", folder,
				   names.v[i]))
			rb_fact_value(to.object, names.v[i],
				      rb_value_json(text));
	rb_names_free(&names);
	rb_place_leave(device, key);
}

static void put_vendor(const struct rb_place *to, const char *device,
		       const char *driver, const char *pci)
{
	char folder[RB_SYSFS_PATH / 2];

	if (!strcmp(driver, "mlx5_core")) {
		snprintf(folder, sizeof(folder),
			 "kernel/debug/mlx5/%s/cc_params", pci);
		put_folder(to, "congestion", folder);
		snprintf(folder, sizeof(folder), "kernel/debug/mlx5/%s/lag",
			 pci);
		put_folder(to, "lag", folder);
	} else if (!strcmp(driver, "bnxt_en")) {
		snprintf(folder, sizeof(folder),
			 "kernel/config/bnxt_re/%s/ports/1/cc", device);
		put_folder(to, "congestion", folder);
	}
}

/* libibverbs finds its node by this class. */
static void put_uverbs(const struct rb_place *to, const char *device)
{
	struct rb_names names;

	rb_sysfs_list(&names, "class/infiniband_verbs");
	for (unsigned int i = 0; i < names.n; i++) {
		char text[RB_IBSYS_TEXT];

		if (!rb_sysfs_text(text, sizeof(text),
				   "class/infiniband_verbs/%s/ibdev",
				   names.v[i]) &&
		    !strcmp(text, device))
			rb_fact_text(to->object, "uverbs", names.v[i]);
	}
	rb_names_free(&names);
}

static void put_place(const struct rb_place *to, const char *device)
{
	char driver[RB_IBSYS_TEXT], text[RB_IBSYS_TEXT], cpus[LIST_TEXT];
	int node;

	rb_ibsys_driver(device, driver);
	rb_fact_text(to->object, "driver", driver);
	rb_fact_value(to->object, "software",
		      json_boolean(rb_ibsys_is_software(device)));
	if (rb_sysfs_link(text, sizeof(text), CLASS "/%s/device/subsystem",
			  device) ||
	    strcmp(text, "pci") ||
	    rb_sysfs_link(text, sizeof(text), CLASS "/%s/device", device))
		return;
	rb_fact_text(to->object, "pci", text);
	if (!rb_sysfs_int(&node, CLASS "/%s/device/numa_node", device))
		rb_fact_value(to->object, "numa_node", json_integer(node));
	if (!rb_sysfs_text(cpus, sizeof(cpus), CLASS "/%s/device/local_cpulist",
			   device))
		rb_fact_text(to->object, "local_cpus", cpus);
	put_vendor(to, device, driver, text);
}

static const struct {
	const char *key, *file;
} device_lines[] = {
	{ "firmware", "fw_ver" },   { "board_id", "board_id" },
	{ "hca_type", "hca_type" }, { "description", "node_desc" },
	{ "parent", "parent" },
};

static void put_device(const struct rb_place *devices, const char *name)
{
	struct rb_place to = rb_place_enter(devices, name);
	struct rb_place ports;
	struct rb_names names;

	for (size_t i = 0; i < RB_ARRAY_SIZE(device_lines); i++)
		rb_place_text(&to, device_lines[i].key, "sys/" CLASS "/%s/%s",
			      name, device_lines[i].file);
	put_place(&to, name);
	put_node_type(&to, name);
	put_guid(&to, name, "node_guid");
	put_guid(&to, name, "sys_image_guid");
	put_uverbs(&to, name);
	ports = rb_place_enter(&to, "ports");
	rb_place_failed(&to, "ports", "sysfs ports",
			rb_sysfs_list(&names, CLASS "/%s/ports", name));
	for (unsigned int i = 0; i < names.n; i++)
		put_port(&ports, name, names.v[i]);
	rb_names_free(&names);
}

void rb_snap_devices(const struct rb_place *doc, const struct rb_names *names)
{
	struct rb_place devices = rb_place_enter(doc, "devices");

	for (unsigned int i = 0; i < names->n; i++)
		put_device(&devices, names->v[i]);
}
