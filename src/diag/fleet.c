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
#include "diag/subject.h"

#define VALUE_TEXT 200
#define GID_TYPES "GID types"

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

/* --- what there is ------------------------------------------------------------ */

/*
 * One host's attributes, { ATTRIBUTE: VALUE }: the values as texts, null where
 * the fact could not be read. ATTRIBUTE begins with where it is.
 */
struct set {
	json_t *values;
	struct rb_subject s; /* what is looked at */
	const char *where;   /* "", "DEVICE", "DEVICE/PORT" */
};

static void put(struct set *set, const char *name, json_t *value)
{
	char *key;

	if (asprintf(&key, "%s%s%s", set->where, *set->where ? " " : "",
		     name) < 0) {
		json_decref(value);
		return;
	}
	json_object_set_new(set->values, key, value);
	free(key);
}

static void put_value(struct set *set, const char *name, const json_t *value)
{
	char *text = json_is_string(value) ?
			     strdup(json_string_value(value)) :
			     json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
						       JSON_SORT_KEYS);

	if (text && strlen(text) >= VALUE_TEXT)
		memcpy(text + VALUE_TEXT - 4, "...", 4);
	if (text && *text)
		put(set, name, rb_plain_json(text));
	free(text);
}

/* The fact could not be read; where there is none, the attribute is absent. */
static void put_hidden(struct set *set, enum rb_base base, const char *path,
		       const char *name)
{
	if (rb_hidden(&set->s, base, path) &&
	    !rb_unsupported(&set->s, base, path))
		put(set, name, json_null());
}

static void put_rows(struct set *set, enum rb_base base)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		const json_t *value;

		if (rows[i].base != base)
			continue;
		value = rb_get(&set->s, base, rows[i].path);
		if (value)
			put_value(set, rows[i].name, value);
		else
			put_hidden(set, base, rows[i].path, rows[i].name);
	}
}

/* The types of the GIDs, in order: "RoCE v1, RoCE v2". */
static void put_gids(struct set *set)
{
	const json_t *gids = rb_get(&set->s, RB_PORT, "gids"), *gid;
	json_t *types = json_object();
	const char *type;
	json_t *one;
	char text[VALUE_TEXT] = "";
	size_t i;

	json_array_foreach(gids, i, gid)
		json_object_set_new(types, rb_text_at(gid, "type"), json_true());
	json_object_foreach(types, type, one) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", type);
	}
	if (*text)
		put(set, GID_TYPES, rb_plain_json(text));
	else
		put_hidden(set, RB_PORT, "gids", GID_TYPES);
	json_decref(types);
}

static void put_port(struct set *set, const char *number, const json_t *port)
{
	char *where;

	if (asprintf(&where, "%s/%s", set->s.device, number) < 0)
		return;
	set->where = where;
	set->s.port = number;
	set->s.portv = port;
	rb_subject_netdev(&set->s, rb_text_at(port, "netdev"));
	put_rows(set, RB_PORT);
	put_gids(set);
	put_rows(set, RB_NETDEV);
	free(where);
}

static void put_device(struct set *set, const char *name, const json_t *device)
{
	const json_t *port;
	const char *number;

	set->where = set->s.device = name;
	set->s.devicev = device;
	set->s.pci = rb_text_at(device, "pci");
	set->s.pciv = json_object_get(json_object_get(set->s.doc, "pci"),
				      set->s.pci);
	put_rows(set, RB_DEVICE);
	put_rows(set, RB_PCI);
	json_object_foreach(json_object_get(device, "ports"), number, port)
		put_port(set, number, port);
}

static json_t *attributes_of(json_t *doc)
{
	struct set set = { .values = json_object(), .s.doc = doc, .where = "" };
	const json_t *device;
	const char *name;

	put_rows(&set, RB_HOST);
	json_object_foreach(json_object_get(doc, "devices"), name, device)
		put_device(&set, name, device);
	return set.values;
}

/* --- comparison ------------------------------------------------------------- */

/* "" where the host does not have it; NULL where it could not be read. */
static const char *value_at(json_t *const *sets, size_t i, const char *key)
{
	const json_t *value = json_object_get(sets[i], key);

	return !value	    ? "" :
	       json_is_null(value) ? NULL :
				     json_string_value(value);
}

/*
 * The value that more than half of the hosts have that could read it, or NULL:
 * the only one that outlives a vote in which different ones cancel out.
 */
static const char *usual_of(json_t *const *sets, size_t n, const char *key)
{
	const char *usual = NULL, *value;
	size_t votes = 0, same = 0, readable = 0;

	for (size_t i = 0; i < n; i++) {
		value = value_at(sets, i, key);
		if (!value)
			continue;
		readable++;
		if (!votes)
			usual = value;
		votes += votes && strcmp(value, usual) ? (size_t)-1 : 1;
	}
	for (size_t i = 0; i < n; i++) {
		value = value_at(sets, i, key);
		same += value && !strcmp(value, usual);
	}
	return 2 * same > readable ? usual : NULL;
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
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		const char *value = value_at(sets, i, key);

		if (value && usual && !strcmp(usual, value))
			same++;
		else if (value)
			json_array_append_new(list, outlier(docs[i], value));
	}
	if (!json_array_size(list)) {
		json_decref(list);
		return;
	}
	json = json_pack("{s:I}", "hosts", (json_int_t)same);
	rb_plain_text(json, "attribute", key);
	rb_plain_text(json, "usual", usual);
	json_object_set_new(json, "outliers", list);
	json_array_append_new(differences, json);
}

/* A host's name, and what of it could not be compared with that of @others. */
static json_t *host_of(const json_t *doc, json_t *set, const json_t *others)
{
	json_t *host = json_object(), *unreadable = json_array(), *value;
	const char *key;

	rb_plain_text(host, "name", rb_text_at(doc, "host/name"));
	json_object_foreach(set, key, value)
		if (json_is_null(value) &&
		    !json_is_null(json_object_get(others, key)))
			json_array_append_new(unreadable, rb_plain_json(key));
	if (json_array_size(unreadable))
		json_object_set(host, "unreadable", unreadable);
	json_decref(unreadable);
	return host;
}

static void add_keys(json_t *keys, json_t *set)
{
	json_t *value;
	const char *key;

	json_object_foreach(set, key, value)
		if (!json_object_get(keys, key) || !json_is_null(value))
			json_object_set(keys, key, value);
}

/*
 * All keys that any host has, each once, in the order of the first that has it;
 * null where none could read it.
 */
static json_t *keys_of(json_t *const *sets, size_t n, json_t *golden)
{
	json_t *keys = json_object();

	if (golden)
		add_keys(keys, golden);
	for (size_t i = 0; i < n; i++)
		add_keys(keys, sets[i]);
	return keys;
}

json_t *rb_fleet_compare(json_t *const *docs, size_t n, json_t *golden)
{
	json_t **sets = calloc(n + 1, sizeof(*sets));
	json_t *best = golden ? attributes_of(golden) : NULL, *keys, *value;
	json_t *hosts = json_array(), *differences = json_array();
	const char *key;

	for (size_t i = 0; i < n && sets; i++)
		sets[i] = attributes_of(docs[i]);
	keys = sets ? keys_of(sets, n, best) : json_object();
	for (size_t i = 0; i < n && sets; i++)
		json_array_append_new(hosts, host_of(docs[i], sets[i], keys));
	json_object_foreach(keys, key, value) {
		/* what the golden one could not read is no measure */
		if (best && !value_at(&best, 0, key))
			continue;
		compare(differences, docs, sets, n, key,
			best ? value_at(&best, 0, key) : usual_of(sets, n, key));
	}
	for (size_t i = 0; i < n && sets; i++)
		json_decref(sets[i]);
	free(sets);
	json_decref(keys);
	json_decref(best);
	return json_pack("{s:o, s:o}", "hosts", hosts, "differences", differences);
}
