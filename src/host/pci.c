/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pci - where a device sits on the PCI bus and how wide its road there is
 */
#include "host/pci.h"

#include <pci/pci.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/sysfs.h"

#define CLASS "class/infiniband"
#define NUMBER_TEXT 32

/* "16.0 GT/s PCIe"; "Unknown" where the kernel does not know. */
static double read_speed(const char *device, const char *path,
			 const char *which)
{
	char text[NUMBER_TEXT];

	if (rb_sysfs_text(text, sizeof(text),
			  CLASS "/%s/device%s/%s_link_speed", device, path,
			  which))
		return 0;
	return strstr(text, "GT/s") ? strtod(text, NULL) : 0;
}

static struct rb_pci_link read_link(const char *device, const char *path,
				    const char *which)
{
	const unsigned int most_lanes = 32; /* PCIe: x1 to x32 */
	struct rb_pci_link link = { .gt_per_s =
					    read_speed(device, path, which) };
	uint64_t width;

	/* 255 stands for unknown in some kernels */
	if (!rb_sysfs_u64(&width, CLASS "/%s/device%s/%s_link_width", device,
			  path, which) &&
	    width <= most_lanes)
		link.width = (unsigned int)width;
	return link;
}

static uint16_t read_id(const char *device, const char *which)
{
	uint64_t id = 0;

	rb_sysfs_u64(&id, CLASS "/%s/device/%s", device, which);
	return (uint16_t)id;
}

/* libpci's remarks, on files of names that are not there or broken. */
static RB_PRINTF(1, 0) void say_nothing(char *msg, ...)
{
	(void)msg;
}

/*
 * pci_alloc() and the look-up touch no hardware; pci_init() is not needed but for
 * those who get libpci's remarks, and it ends the process where there is no PCI.
 */
static void read_names(struct rb_pci *pci)
{
	struct pci_access *access = pci_alloc();

	if (!access)
		return;
	access->warning = say_nothing;
	access->debug = say_nothing;
	if (!pci_lookup_name(access, pci->vendor, sizeof(pci->vendor),
			     PCI_LOOKUP_VENDOR | PCI_LOOKUP_NO_NUMBERS,
			     pci->vendor_id))
		pci->vendor[0] = '\0';
	if (!pci_lookup_name(access, pci->device, sizeof(pci->device),
			     PCI_LOOKUP_DEVICE | PCI_LOOKUP_NO_NUMBERS,
			     pci->vendor_id, pci->device_id))
		pci->device[0] = '\0';
	pci_cleanup(access);
}

bool rb_pci_read(const char *device, struct rb_pci *pci)
{
	char subsystem[NUMBER_TEXT], physfn[RB_PCI_ADDRESS];
	const char *path = "";

	memset(pci, 0, sizeof(*pci));
	pci->numa_node = -1;
	if (rb_sysfs_link(subsystem, sizeof(subsystem),
			  CLASS "/%s/device/subsystem", device) ||
	    strcmp(subsystem, "pci") ||
	    rb_sysfs_link(pci->address, sizeof(pci->address),
			  CLASS "/%s/device", device))
		return false;
	pci->vendor_id = read_id(device, "vendor");
	pci->device_id = read_id(device, "device");
	rb_sysfs_int(&pci->numa_node, CLASS "/%s/device/numa_node", device);
	pci->is_vf = !rb_sysfs_link(physfn, sizeof(physfn),
				    CLASS "/%s/device/physfn", device);
	if (pci->is_vf)
		path = "/physfn";
	pci->link = read_link(device, path, "current");
	pci->max = read_link(device, path, "max");
	read_names(pci);
	return true;
}

static void put_link(json_t *to, const struct rb_pci_link *link,
		     const char *speed_key, const char *width_key)
{
	if (link->gt_per_s > 0)
		json_object_set_new(to, speed_key, json_real(link->gt_per_s));
	rb_fact_uint(to, width_key, link->width);
}

json_t *rb_pci_json(const struct rb_pci *pci)
{
	json_t *object;

	if (!pci->address[0])
		return NULL;
	object = json_object();
	rb_fact_text(object, "address", pci->address);
	rb_fact_hex(object, "vendor_id", pci->vendor_id, 4);
	rb_fact_hex(object, "device_id", pci->device_id, 4);
	rb_fact_text(object, "vendor", pci->vendor);
	rb_fact_text(object, "device", pci->device);
	rb_fact_flag(object, "virtual_function", pci->is_vf);
	put_link(object, &pci->link, "gt_per_s", "width");
	put_link(object, &pci->max, "max_gt_per_s", "max_width");
	return object;
}
