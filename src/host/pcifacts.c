/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pcifacts - network functions and GPUs on the PCI bus, and the bridges above
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/pciconf.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define DEVICES "bus/pci/devices"
#define WORD_TEXT 64
#define FUNCTIONS_MOST 1024
#define BARS 6
#define RESOURCE_MEM 0x200 /* linux/ioport.h, IORESOURCE_MEM */
#define CLASS_SHIFT 16	   /* the base class is the highest of three bytes */
#define BASE_NETWORK 0x02
#define BASE_DISPLAY 0x03
#define BASE_ACCELERATOR 0x12

/* Makers of GPUs that NICs exchange data with. */
static const unsigned int gpu_vendors[] = { 0x10de, 0x1002, 0x8086 };

static const char *role_of(unsigned int class, unsigned int vendor)
{
	unsigned int base = class >> CLASS_SHIFT;

	if (base == BASE_NETWORK)
		return "network";
	if (base != BASE_DISPLAY && base != BASE_ACCELERATOR)
		return NULL;
	for (size_t i = 0; i < RB_ARRAY_SIZE(gpu_vendors); i++)
		if (gpu_vendors[i] == vendor)
			return "gpu";
	return NULL;
}

static void put_hex(const struct rb_place *to, const char *key,
		    const char *address, const char *file)
{
	char text[WORD_TEXT];

	if (!rb_sysfs_text(text, sizeof(text), DEVICES "/%s/%s", address,
			   file) &&
	    !strncmp(text, "0x", 2))
		rb_fact_text(to->object, key, text);
}

/* "16.0 GT/s PCIe" */
static void put_speed(const struct rb_place *to, const char *key,
		      const char *address, const char *file)
{
	char text[WORD_TEXT];

	if (!rb_sysfs_text(text, sizeof(text), DEVICES "/%s/%s", address,
			   file) &&
	    strstr(text, "GT/s"))
		rb_fact_value(to->object, key, json_real(strtod(text, NULL)));
}

static void put_width(const struct rb_place *to, const char *key,
		      const char *address, const char *file)
{
	const uint64_t most_lanes = 32; /* 255 stands for unknown */
	uint64_t width;

	if (!rb_sysfs_u64(&width, DEVICES "/%s/%s", address, file) && width &&
	    width <= most_lanes)
		rb_fact_number(to->object, key, width);
}

/* The names in a folder of the function: its netdevs, its RDMA devices. */
static void put_names(const struct rb_place *to, const char *key,
		      const char *address, const char *folder)
{
	json_t *list = json_array();
	struct rb_names names;

	rb_sysfs_list(&names, DEVICES "/%s/%s", address, folder);
	for (unsigned int i = 0; i < names.n; i++)
		json_array_append_new(list, rb_report_string(names.v[i]));
	if (names.n)
		rb_fact_value(to->object, key, list);
	else
		json_decref(list);
	rb_names_free(&names);
}

static void put_iommu(const struct rb_place *to, const char *address)
{
	char group[WORD_TEXT], type[WORD_TEXT];

	if (rb_sysfs_link(group, sizeof(group), DEVICES "/%s/iommu_group",
			  address))
		return;
	rb_fact_number(to->object, "iommu_group", strtoull(group, NULL, 10));
	if (!rb_sysfs_text(type, sizeof(type), DEVICES "/%s/iommu_group/type",
			   address))
		rb_fact_text(to->object, "iommu_type", type);
}

/* A line a BAR: first address, last address, flags. */
static void put_bars(const struct rb_place *to, const char *address)
{
	json_t *list = json_array();
	char *text, *rest, *line, *p;

	if (rb_file_read(&text, NULL, "sys/" DEVICES "/%s/resource", address)) {
		json_decref(list);
		return;
	}
	rest = text;
	while (json_array_size(list) < BARS && (line = rb_next_line(&rest))) {
		uint64_t first = strtoull(line, &p, 16);
		uint64_t last = strtoull(p, &p, 16);
		uint64_t flags = strtoull(p, &p, 16);
		uint64_t size = flags & RESOURCE_MEM && last > first
					? last - first + 1
					: 0;

		json_array_append_new(list, json_integer((json_int_t)size));
	}
	free(text);
	rb_fact_value(to->object, "bars", list);
}

static const struct {
	const char *key, *file;
} hex_rows[] = {
	{ "class", "class" },
	{ "vendor_id", "vendor" },
	{ "device_id", "device" },
	{ "subsystem_vendor_id", "subsystem_vendor" },
	{ "subsystem_device_id", "subsystem_device" },
};

static void put_link(const struct rb_place *to, const char *address)
{
	put_speed(to, "gt_per_s", address, "current_link_speed");
	put_width(to, "width", address, "current_link_width");
	put_speed(to, "max_gt_per_s", address, "max_link_speed");
	put_width(to, "max_width", address, "max_link_width");
}

static void put_relations(const struct rb_place *to, const char *address)
{
	char text[WORD_TEXT];
	uint64_t vfs;

	if (!rb_sysfs_link(text, sizeof(text), DEVICES "/%s/driver", address))
		rb_fact_text(to->object, "driver", text);
	if (!rb_sysfs_link(text, sizeof(text), DEVICES "/%s/physfn", address))
		rb_fact_text(to->object, "physical_function", text);
	if (!rb_sysfs_u64(&vfs, DEVICES "/%s/sriov_numvfs", address))
		rb_fact_uint(to->object, "virtual_functions", vfs);
	put_names(to, "netdevs", address, "net");
	put_names(to, "rdma", address, "infiniband");
	put_iommu(to, address);
}

static void put_function(const struct rb_place *pci, struct rb_pciconf *conf,
			 const char *address, const char *role)
{
	struct rb_place to;
	char text[WORD_TEXT];
	int node;

	if (json_object_get(pci->object, address))
		return;
	to = rb_place_enter(pci, address);
	rb_fact_text(to.object, "role", role);
	for (size_t i = 0; i < RB_ARRAY_SIZE(hex_rows); i++)
		put_hex(&to, hex_rows[i].key, address, hex_rows[i].file);
	put_link(&to, address);
	put_relations(&to, address);
	if (!rb_sysfs_int(&node, DEVICES "/%s/numa_node", address))
		rb_fact_value(to.object, "numa_node", json_integer(node));
	if (!rb_sysfs_text(text, sizeof(text), DEVICES "/%s/power/control",
			   address))
		rb_fact_text(to.object, "power_control", text);
	if (strcmp(role, "bridge"))
		put_bars(&to, address);
	rb_pciconf_put(conf, address, &to);
}

/* "0000:3b:00.0" */
static bool is_address(const char *name)
{
	return strlen(name) >= strlen("0000:00:00.0") &&
	       isxdigit((unsigned char)name[0]) && strchr(name, '.') &&
	       strchr(name, ':');
}

/* .../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0: all the way from the root.
 */
static void put_path(const struct rb_place *pci, struct rb_pciconf *conf,
		     const char *address)
{
	char link[RB_SYSFS_PATH], real[PATH_MAX], *save, *part;
	json_t *list = json_array();
	struct rb_place to;

	if (rb_sysfs_path(link, DEVICES "/%s", address) ||
	    !realpath(link, real)) {
		json_decref(list);
		return;
	}
	to = rb_place_enter(pci, address);
	part = strtok_r(real, "/", &save);
	for (; part; part = strtok_r(NULL, "/", &save)) {
		if (!strncmp(part, "pci", 3) && strchr(part, ':'))
			rb_fact_text(to.object, "root_bus", part);
		if (!is_address(part) || !strcmp(part, address))
			continue;
		json_array_append_new(list, json_string(part));
		put_function(pci, conf, part, "bridge");
	}
	rb_fact_value(to.object, "path", list);
}

static void put_iommu_units(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "iommu");
	json_t *units = json_array(), *words = json_array(), *word;
	struct rb_names names;
	size_t i;

	rb_sysfs_list(&names, "class/iommu");
	for (unsigned int n = 0; n < names.n; n++)
		json_array_append_new(units, rb_report_string(names.v[n]));
	rb_names_free(&names);
	json_array_foreach(json_object_get(json_object_get(doc->object, "host"),
					   "boot_options"),
			   i, word)
		if (strstr(json_string_value(word), "iommu") ||
		    !strncmp(json_string_value(word), "pci=", 4))
			json_array_append(words, word);
	rb_fact_value(to.object, "units", units);
	rb_fact_value(to.object, "boot_options", words);
}

void rb_snap_pci(const struct rb_place *doc)
{
	struct rb_place pci = rb_place_enter(doc, "pci");
	struct rb_pciconf *conf = rb_pciconf_open();
	struct rb_names names;
	int err = rb_sysfs_list(&names, DEVICES);

	rb_place_failed(&pci, "", "/sys/" DEVICES, err);
	for (unsigned int i = 0; i < names.n; i++) {
		uint64_t class = 0, vendor = 0;
		const char *role;

		rb_sysfs_u64(&class, DEVICES "/%s/class", names.v[i]);
		rb_sysfs_u64(&vendor, DEVICES "/%s/vendor", names.v[i]);
		role = role_of((unsigned int)class, (unsigned int)vendor);
		if (!role || json_object_size(pci.object) >= FUNCTIONS_MOST)
			continue;
		put_function(&pci, conf, names.v[i], role);
		put_path(&pci, conf, names.v[i]);
	}
	rb_names_free(&names);
	rb_pciconf_close(conf);
	put_iommu_units(doc);
}
