/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snap - the topics of a snapshot: each puts its section into the document
 *
 * @doc is the top of a document of schema rbench-snapshot/1 (rbench-snapshot(5)
 * has the keys). All are read only, need no privilege, and put what they read
 * and note what they could not. Those of devices take the names of the RDMA
 * devices to look at.
 */
#ifndef RB_SNAP_H
#define RB_SNAP_H

#include "host/place.h"

struct rb_names;

/* The machine. */
void rb_snap_host(const struct rb_place *doc);
void rb_snap_process(const struct rb_place *doc);
void rb_snap_environment(const struct rb_place *doc);
void rb_snap_cgroup(const struct rb_place *doc);
void rb_snap_services(const struct rb_place *doc);
void rb_snap_sysctl(const struct rb_place *doc);
void rb_snap_cpu(const struct rb_place *doc);
void rb_snap_memory(const struct rb_place *doc);
void rb_snap_modules(const struct rb_place *doc);
void rb_snap_providers(const struct rb_place *doc);
void rb_snap_kernel_log(const struct rb_place *doc);

/* RDMA devices by sysfs and by NLDEV; their interrupts; their device nodes. */
void rb_snap_devices(const struct rb_place *doc, const struct rb_names *names);
void rb_snap_rdma(const struct rb_place *doc, const struct rb_names *names);
void rb_snap_irqs(const struct rb_place *doc, const struct rb_names *names);
void rb_snap_device_nodes(const struct rb_place *doc);

/* The network; netdevs first: the others add to them. */
void rb_snap_netdevs(const struct rb_place *doc, const struct rb_names *names);
void rb_snap_addresses(const struct rb_place *doc);
void rb_snap_neighbours(const struct rb_place *doc);
void rb_snap_routes(const struct rb_place *doc);
void rb_snap_qdiscs(const struct rb_place *doc);
void rb_snap_ethtool(const struct rb_place *doc);
void rb_snap_dcb(const struct rb_place *doc);
void rb_snap_firewall(const struct rb_place *doc);

/* PCI functions, and what they say of IOMMU and GPUs. */
void rb_snap_pci(const struct rb_place *doc);
void rb_snap_gpu(const struct rb_place *doc);

/* Name of interface @index of the document's netdevs, or NULL. */
const char *rb_snap_netdev_name(const json_t *netdevs, unsigned int index);

/* Whether @name is the netdev of an RDMA port, or below one (a bond's slave). */
bool rb_snap_carries_rdma(const json_t *netdevs, const char *name);

#endif
