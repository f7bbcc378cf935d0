/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fleet - where hosts that should be alike differ
 */
#include "diag/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/diagnosis.h"

#define NAME_TEXT 192
#define VALUE_TEXT 200

/* What is compared, by its place in a snapshot. */
static const struct {
	enum rb_base base;
	const char *path, *name;
} rows[] = {
	/* clang-format off */
	{ RB_HOST, "host/kernel", "kernel" },
	{ RB_HOST, "host/os", "system" },
	{ RB_HOST, "host/product", "product" },
	{ RB_HOST, "host/bios_version", "BIOS" },
	{ RB_HOST, "cpu/model", "processor" },
	{ RB_HOST, "cpu/count", "processors" },
	{ RB_HOST, "cpu/governors", "governors" },
	{ RB_HOST, "iommu/boot_options", "IOMMU options" },
	{ RB_HOST, "providers/libibverbs", "libibverbs" },
	{ RB_HOST, "providers/ofed", "OFED" },
	{ RB_HOST, "process/limits/memlock_bytes/soft", "memlock" },
	{ RB_HOST, "process/limits/open_files/soft", "open files" },
	{ RB_HOST, "rdma/netns_mode", "netns mode" },
	{ RB_HOST, "sysctl/net.ipv4.conf.all.arp_ignore", "arp_ignore" },
	{ RB_HOST, "sysctl/net.ipv4.conf.all.arp_announce", "arp_announce" },
	{ RB_HOST, "sysctl/net.ipv4.conf.all.rp_filter", "rp_filter" },
	{ RB_HOST, "sysctl/net.ipv4.neigh.default.gc_thresh3", "gc_thresh3" },
	{ RB_HOST, "sysctl/kernel.numa_balancing", "numa_balancing" },
	{ RB_HOST, "memory/transparent_hugepages", "transparent huge pages" },
	{ RB_HOST, "gpu/nvidia_version", "GPU driver" },
	{ RB_HOST, "gpu/peer_memory", "peer-memory modules" },
	{ RB_DEVICE, "driver", "driver" },
	{ RB_DEVICE, "firmware", "firmware" },
	{ RB_DEVICE, "board_id", "board" },
	{ RB_DEVICE, "numa_node", "NUMA node" },
	{ RB_DEVICE, "congestion", "congestion control" },
	{ RB_PORT, "state", "state" },
	{ RB_PORT, "link_layer", "link layer" },
	{ RB_PORT, "rate", "rate" },
	{ RB_PORT, "mtu", "active MTU" },
	{ RB_PORT, "cm", "rdma_cm defaults" },
	{ RB_PORT, "traffic_class", "forced traffic class" },
	{ RB_PORT, "pkeys", "partition keys" },
	{ RB_NETDEV, "mtu", "interface MTU" },
	{ RB_NETDEV, "bits_per_s", "interface speed" },
	{ RB_NETDEV, "ethtool/pause", "pause" },
	{ RB_NETDEV, "ethtool/fec/active", "FEC" },
	{ RB_NETDEV, "dcb/pfc/enabled", "PFC" },
	{ RB_NETDEV, "dcb/app", "DSCP map" },
	{ RB_NETDEV, "dcb/trust", "trust" },
	{ RB_NETDEV, "dcb/ets", "ETS" },
	{ RB_NETDEV, "dcb/buffer", "buffers" },
	{ RB_NETDEV, "ecn", "ECN" },
	{ RB_PCI, "gt_per_s", "PCIe speed" },
	{ RB_PCI, "width", "PCIe width" },
	{ RB_PCI, "express/mps_bytes", "PCIe payload" },
	{ RB_PCI, "express/mrrs_bytes", "PCIe read size" },
	{ RB_PCI, "express/relaxed_ordering", "relaxed ordering" },
	{ RB_PCI, "iommu_type", "IOMMU type" },
	/* clang-format on */
};

/* { ATTRIBUTE: VALUE } of one host; the values as texts. */
static void put(json_t *to, const char *where, const char *name,
		const json_t *value)
{
	char key[NAME_TEXT];
	char *text;

	if (!value)
		return;
	snprintf(key, sizeof(key), "%s%s%s", where, *where ? " " : "", name);
	text = json_is_string(value) ?
		       strdup(json_string_value(value)) :
		       json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	if (text && strlen(text) >= VALUE_TEXT)
		memcpy(text + VALUE_TEXT - 4, "...", 4);
	rb_plain_text(to, key, text);
	free(text);
}

/* The types of the GIDs, in order: "RoCE v1, RoCE v2". */
static void put_gids(json_t *to, const char *where, const json_t *port)
{
	json_t *types = json_object();
	const json_t *gid;
	const char *type;
	json_t *one;
	char text[VALUE_TEXT] = "";
	size_t i;

	json_array_foreach(json_object_get(port, "gids"), i, gid)
		json_object_set_new(types, rb_text_at(gid, "type"), json_true());
	json_object_foreach(types, type, one) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", type);
	}
	one = json_string(text);
	put(to, where, "GID types", one);
	json_decref(one);
	json_decref(types);
}

static void put_rows(json_t *to, enum rb_base base, const char *where,
		     const json_t *value)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].base == base)
			put(to, where, rows[i].name, rb_at(value, rows[i].path));
}

static void put_port(json_t *to, const json_t *doc, const char *where,
		     const json_t *port)
{
	put_rows(to, RB_PORT, where, port);
	put_gids(to, where, port);
	put_rows(to, RB_NETDEV, where,
		 json_object_get(json_object_get(doc, "netdevs"),
				 rb_text_at(port, "netdev")));
}

static json_t *attributes_of(const json_t *doc)
{
	json_t *to = json_object(), *device, *port;
	const char *name, *number;
	char where[NAME_TEXT / 2];

	put_rows(to, RB_HOST, "", doc);
	json_object_foreach(json_object_get(doc, "devices"), name, device) {
		snprintf(where, sizeof(where), "%s", name);
		put_rows(to, RB_DEVICE, where, device);
		put_rows(to, RB_PCI, where,
			 json_object_get(json_object_get(doc, "pci"),
					 rb_text_at(device, "pci")));
		json_object_foreach(json_object_get(device, "ports"), number, port) {
			snprintf(where, sizeof(where), "%s/%s", name, number);
			put_port(to, doc, where, port);
		}
	}
	return to;
}

/* --- comparison ------------------------------------------------------------- */

static const char *value_at(json_t *const *sets, size_t i, const char *key)
{
	const char *text = json_string_value(json_object_get(sets[i], key));

	return text ? text : "";
}

/* The value that more than half of the hosts have, or NULL. */
static const char *usual_of(json_t *const *sets, size_t n, const char *key)
{
	for (size_t i = 0; i < n / 2 + 1; i++) {
		const char *value = value_at(sets, i, key);
		size_t same = 0;

		for (size_t k = 0; k < n; k++)
			same += !strcmp(value, value_at(sets, k, key));
		if (2 * same > n)
			return value;
	}
	return NULL;
}

static json_t *outlier(const json_t *doc, const char *value)
{
	json_t *json = json_object();

	rb_plain_text(json, "host", rb_text_at(doc, "host/name"));
	rb_plain_text(json, "value", value);
	return json;
}

static void compare(json_t *differences, json_t *const *docs,
		    json_t *const *sets, size_t n, const char *key,
		    const char *usual)
{
	json_t *list = json_array(), *json;

	for (size_t i = 0; i < n; i++)
		if (!usual || strcmp(usual, value_at(sets, i, key)))
			json_array_append_new(
				list, outlier(docs[i], value_at(sets, i, key)));
	if (!json_array_size(list)) {
		json_decref(list);
		return;
	}
	json = json_pack("{s:I}", "hosts",
			 (json_int_t)(n - json_array_size(list)));
	rb_plain_text(json, "attribute", key);
	rb_plain_text(json, "usual", usual);
	json_object_set_new(json, "outliers", list);
	json_array_append_new(differences, json);
}

/* All keys that any host has, each once, in the order of the first that has it. */
static json_t *keys_of(json_t *const *sets, size_t n, json_t *golden)
{
	json_t *keys = json_object();

	if (golden)
		json_object_update(keys, golden);
	for (size_t i = 0; i < n; i++)
		json_object_update_missing(keys, sets[i]);
	return keys;
}

json_t *rb_fleet_compare(json_t *const *docs, size_t n, const json_t *golden)
{
	json_t **sets = calloc(n + 1, sizeof(*sets));
	json_t *best = golden ? attributes_of(golden) : NULL, *keys, *value;
	json_t *names = json_array(), *differences = json_array();
	const char *key;

	for (size_t i = 0; i < n && sets; i++) {
		json_t *name = json_object();

		sets[i] = attributes_of(docs[i]);
		rb_plain_text(name, "name", rb_text_at(docs[i], "host/name"));
		json_array_append_new(names, name);
	}
	keys = sets ? keys_of(sets, n, best) : json_object();
	json_object_foreach(keys, key, value)
		compare(differences, docs, sets, n, key,
			best ? value_at(&best, 0, key) : usual_of(sets, n, key));
	for (size_t i = 0; i < n && sets; i++)
		json_decref(sets[i]);
	free(sets);
	json_decref(keys);
	json_decref(best);
	return json_pack("{s:o, s:o}", "hosts", names, "differences", differences);
}
