/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pci - where a device sits on the PCI bus and how wide its road there is
 */
#ifndef RB_PCI_H
#define RB_PCI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define RB_PCI_ADDRESS 16
#define RB_PCI_NAME 128

struct rb_pci_link {
	double gt_per_s;    /* 0: unknown */
	unsigned int width; /* lanes; 0: unknown */
};

struct rb_pci {
	char address[RB_PCI_ADDRESS]; /* "0000:3b:00.0"; "": not on PCI */
	uint16_t vendor_id, device_id;
	char vendor[RB_PCI_NAME]; /* "" when the list of names has none */
	char device[RB_PCI_NAME];
	bool is_vf; /* the link is then the one of its PF */
	struct rb_pci_link link, max;
	int numa_node; /* -1: unknown */
};

/*
 * The facts of the PCI device behind the verbs device @device. False, and all
 * of @pci absent, where there is none (soft-RoCE).
 */
bool rb_pci_read(const char *device, struct rb_pci *pci);

/*
 * { address, vendor_id, device_id, vendor, device, virtual_function,
 *   gt_per_s, width, max_gt_per_s, max_width }; NULL when not on PCI.
 */
json_t *rb_pci_json(const struct rb_pci *pci);

#endif
