/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pciconf - what the configuration space of a PCI function says (libpci)
 */
#include "host/pciconf.h"

#include <pci/pci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/sysfs.h"

#define NAME_TEXT 128
#define PLAIN_BYTES 256	    /* without the extended capabilities */
#define EXTENDED_BYTES 4096 /* with them */
#define USER_BYTES 64	    /* what an ordinary user may read */
#define PAYLOAD_UNIT 128    /* of MPS and MRRS: 128 << code */

struct rb_pciconf {
	struct pci_access *access;
};

static RB_PRINTF(1, 2) void say_nothing(char *fmt, ...)
{
}

struct rb_pciconf *rb_pciconf_open(void)
{
	struct rb_pciconf *conf = calloc(1, sizeof(*conf));
	char path[RB_SYSFS_PATH];

	if (!conf)
		return NULL;
	conf->access = pci_alloc();
	conf->access->method = PCI_ACCESS_SYS_BUS_PCI;
	conf->access->warning = say_nothing;
	if (!rb_sysfs_path(path, "bus/pci"))
		pci_set_param(conf->access, (char *)(uintptr_t) "sysfs.path",
			      path);
	pci_init(conf->access);
	return conf;
}

void rb_pciconf_close(struct rb_pciconf *conf)
{
	if (!conf)
		return;
	pci_cleanup(conf->access);
	free(conf);
}

/* GT/s of the codes of a link's speed (PCIe base specification 6.0, 7.5.3.6).
 */
static double speed_of(unsigned int code)
{
	static const double speeds[] = { 0, 2.5, 5, 8, 16, 32, 64 };

	return code < RB_ARRAY_SIZE(speeds) ? speeds[code] : 0;
}

static const char *type_of(unsigned int type)
{
	static const char *const types[] = {
		[PCI_EXP_TYPE_ENDPOINT] = "endpoint",
		[PCI_EXP_TYPE_LEG_END] = "legacy_endpoint",
		[PCI_EXP_TYPE_ROOT_PORT] = "root_port",
		[PCI_EXP_TYPE_UPSTREAM] = "upstream_port",
		[PCI_EXP_TYPE_DOWNSTREAM] = "downstream_port",
		[PCI_EXP_TYPE_PCI_BRIDGE] = "bridge",
		[PCI_EXP_TYPE_PCIE_BRIDGE] = "bridge",
		[PCI_EXP_TYPE_ROOT_INT_EP] = "integrated",
		[PCI_EXP_TYPE_ROOT_EC] = "integrated",
	};

	return type < RB_ARRAY_SIZE(types) && types[type] ? types[type]
							  : "unknown";
}

static void put_bit(json_t *to, const char *key, unsigned int bit)
{
	rb_fact_value(to, key, json_boolean(bit));
}

static void put_speed(json_t *to, const char *key, unsigned int code)
{
	if (speed_of(code) > 0)
		rb_fact_value(to, key, json_real(speed_of(code)));
}

static void put_control(json_t *to, struct pci_dev *dev, int at)
{
	unsigned int caps = pci_read_long(dev, at + PCI_EXP_DEVCAP);
	unsigned int control = pci_read_word(dev, at + PCI_EXP_DEVCTL);

	rb_fact_number(to, "mps_supported_bytes",
		       PAYLOAD_UNIT << (caps & PCI_EXP_DEVCAP_PAYLOAD));
	rb_fact_number(to, "mps_bytes",
		       PAYLOAD_UNIT
			       << ((control & PCI_EXP_DEVCTL_PAYLOAD) >> 5));
	rb_fact_number(to, "mrrs_bytes",
		       PAYLOAD_UNIT
			       << ((control & PCI_EXP_DEVCTL_READRQ) >> 12));
	put_bit(to, "relaxed_ordering", control & PCI_EXP_DEVCTL_RELAXED);
	put_bit(to, "extended_tag", control & PCI_EXP_DEVCTL_EXT_TAG);
	put_bit(to, "no_snoop", control & PCI_EXP_DEVCTL_NOSNOOP);
}

static void put_control2(json_t *to, struct pci_dev *dev, int at)
{
	const unsigned int atomic_requester = 1 << 6, ten_bit_tag = 1 << 12;
	unsigned int control = pci_read_word(dev, at + PCI_EXP_DEVCTL2);

	put_bit(to, "atomic_requester", control & atomic_requester);
	put_bit(to, "ten_bit_tag", control & ten_bit_tag);
}

static void put_link(json_t *to, struct pci_dev *dev, int at)
{
	unsigned int caps = pci_read_long(dev, at + PCI_EXP_LNKCAP);
	unsigned int status = pci_read_word(dev, at + PCI_EXP_LNKSTA);
	unsigned int control = pci_read_word(dev, at + PCI_EXP_LNKCTL);
	json_t *aspm = json_array();

	put_speed(to, "max_gt_per_s", caps & PCI_EXP_LNKCAP_SPEED);
	rb_fact_uint(to, "max_width", (caps & PCI_EXP_LNKCAP_WIDTH) >> 4);
	put_speed(to, "gt_per_s", status & PCI_EXP_LNKSTA_SPEED);
	rb_fact_uint(to, "width", (status & PCI_EXP_LNKSTA_WIDTH) >> 4);
	if (control & 1)
		json_array_append_new(aspm, json_string("L0s"));
	if (control & 2)
		json_array_append_new(aspm, json_string("L1"));
	rb_fact_value(to, "aspm", aspm);
}

static void put_express(const struct rb_place *place, struct pci_dev *dev)
{
	struct pci_cap *cap = pci_find_cap(dev, PCI_CAP_ID_EXP, PCI_CAP_NORMAL);
	struct rb_place to;
	unsigned int flags, type;

	if (!cap)
		return;
	to = rb_place_enter(place, "express");
	flags = pci_read_word(dev, (int)cap->addr + PCI_EXP_FLAGS);
	type = (flags & PCI_EXP_FLAGS_TYPE) >> 4;
	rb_fact_text(to.object, "type", type_of(type));
	put_control(to.object, dev, (int)cap->addr);
	/* what is integrated into the root complex has no link */
	if (type != PCI_EXP_TYPE_ROOT_INT_EP && type != PCI_EXP_TYPE_ROOT_EC)
		put_link(to.object, dev, (int)cap->addr);
	if ((flags & PCI_EXP_FLAGS_VERS) >= 2)
		put_control2(to.object, dev, (int)cap->addr);
}

static const struct {
	const char *key;
	unsigned int bit;
} acs_rows[] = {
	{ "source_validation", PCI_ACS_CTRL_VALID },
	{ "translation_blocking", PCI_ACS_CTRL_BLOCK },
	{ "request_redirect", PCI_ACS_CTRL_REQ_RED },
	{ "completion_redirect", PCI_ACS_CTRL_CMPLT_RED },
	{ "upstream_forwarding", PCI_ACS_CTRL_FORWARD },
	{ "egress_control", PCI_ACS_CTRL_EGRESS },
	{ "direct_translated", PCI_ACS_CTRL_TRANS },
};

static void put_extended(const struct rb_place *place, struct pci_dev *dev)
{
	struct pci_cap *acs =
		pci_find_cap(dev, PCI_EXT_CAP_ID_ACS, PCI_CAP_EXTENDED);
	struct pci_cap *ats =
		pci_find_cap(dev, PCI_EXT_CAP_ID_ATS, PCI_CAP_EXTENDED);
	unsigned int control;
	struct rb_place to;

	if (acs) {
		to = rb_place_enter(place, "acs");
		control = pci_read_word(dev, (int)acs->addr + PCI_ACS_CTRL);
		for (size_t i = 0; i < RB_ARRAY_SIZE(acs_rows); i++)
			put_bit(to.object, acs_rows[i].key,
				control & acs_rows[i].bit);
	}
	if (ats) {
		to = rb_place_enter(place, "ats");
		control = pci_read_word(dev, (int)ats->addr + PCI_ATS_CTRL);
		put_bit(to.object, "enabled", control & PCI_ATS_CTRL_ENABLE);
	}
}

/* How much of the space can be read; the kernel cuts it for ordinary users. */
static unsigned int readable_bytes(struct pci_dev *dev)
{
	static const unsigned int steps[] = { EXTENDED_BYTES, PLAIN_BYTES,
					      USER_BYTES };
	uint8_t byte;

	for (size_t i = 0; i < RB_ARRAY_SIZE(steps); i++)
		if (pci_read_block(dev, (int)steps[i] - 1, &byte, 1))
			return steps[i];
	return 0;
}

/* Facts that are beyond what could be read. */
static void note_cut(const struct rb_place *to, unsigned int bytes)
{
	static const char *const keys[] = { "express", "acs", "ats" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++)
		rb_place_missing(to, keys[i], "PCI configuration space",
				 "denied",
				 bytes ? "only its beginning can be read"
				       : "it cannot be read");
}

static void put_names(struct rb_pciconf *conf, const struct rb_place *to,
		      int vendor, int device)
{
	char name[NAME_TEXT];

	if (pci_lookup_name(conf->access, name, sizeof(name),
			    PCI_LOOKUP_VENDOR | PCI_LOOKUP_NO_NUMBERS, vendor))
		rb_fact_text(to->object, "vendor", name);
	if (pci_lookup_name(conf->access, name, sizeof(name),
			    PCI_LOOKUP_DEVICE | PCI_LOOKUP_NO_NUMBERS, vendor,
			    device))
		rb_fact_text(to->object, "device", name);
}

static long number_at(const struct rb_place *to, const char *key)
{
	const char *text = json_string_value(json_object_get(to->object, key));

	return text ? strtol(text, NULL, 16) : 0;
}

void rb_pciconf_put(struct rb_pciconf *conf, const char *address,
		    const struct rb_place *to)
{
	unsigned int domain, bus, slot, function, bytes;
	struct pci_dev *dev;

	if (!conf || sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot,
			    &function) != 4)
		return;
	put_names(conf, to, (int)number_at(to, "vendor_id"),
		  (int)number_at(to, "device_id"));
	dev = pci_get_dev(conf->access, (int)domain, (int)bus, (int)slot,
			  (int)function);
	bytes = readable_bytes(dev);
	rb_fact_number(to->object, "config_bytes", bytes);
	if (bytes >= PLAIN_BYTES)
		put_express(to, dev);
	if (bytes >= EXTENDED_BYTES)
		put_extended(to, dev);
	/* a function with 256 bytes may simply be no PCI Express */
	if (bytes < PLAIN_BYTES)
		note_cut(to, bytes);
	pci_free_dev(dev);
}
