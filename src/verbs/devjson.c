/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devjson - everything that is known of a device, as JSON
 */
#include "verbs/devlist.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/report.h"
#include "host/facts.h"
#include "host/ibsys.h"
#include "host/pci.h"
#include "verbs/dev.h"
#include "verbs/portjson.h"

#define GUID_DIGITS 16

/* The attributes that bound what a program may ask for; all are unsigned. */
#define LIMIT(field)                                                           \
	{                                                                      \
#field, offsetof(struct ibv_device_attr, field),               \
			sizeof(((struct ibv_device_attr *)NULL)->field)        \
	}

static const struct {
	const char *key;
	size_t offset, size;
} limits[] = {
	LIMIT(max_qp),
	LIMIT(max_qp_wr),
	LIMIT(max_sge),
	LIMIT(max_sge_rd),
	LIMIT(max_cq),
	LIMIT(max_cqe),
	LIMIT(max_mr),
	LIMIT(max_mr_size),
	LIMIT(max_pd),
	LIMIT(max_mw),
	LIMIT(max_ah),
	LIMIT(max_qp_rd_atom),
	LIMIT(max_qp_init_rd_atom),
	LIMIT(max_res_rd_atom),
	LIMIT(max_srq),
	LIMIT(max_srq_wr),
	LIMIT(max_srq_sge),
	LIMIT(max_mcast_grp),
	LIMIT(max_mcast_qp_attach),
	LIMIT(max_pkeys),
	LIMIT(page_size_cap),
};

static json_t *limits_json(const struct ibv_device_attr *attr)
{
	json_t *to = json_object();

	for (size_t i = 0; i < RB_ARRAY_SIZE(limits); i++) {
		const char *field = (const char *)attr + limits[i].offset;
		uint64_t value =
			limits[i].size == sizeof(uint64_t) ?
				*(const uint64_t *)(const void *)field :
			limits[i].size == sizeof(uint32_t) ?
				*(const uint32_t *)(const void *)field :
				*(const uint16_t *)(const void *)field;

		rb_fact_number(to, limits[i].key, value);
	}
	return to;
}

static const char *atomic_name(enum ibv_atomic_cap cap)
{
	static const char *const names[] = { "none", "HCA", "global" };

	return cap < RB_ARRAY_SIZE(names) ? names[cap] : "unknown";
}

/* Which operations may use memory that is paged in on demand. */
static json_t *odp_ops(uint32_t caps)
{
	static const char *const names[] = { "send", "recv",   "write",
					     "read", "atomic", "srq_recv" };
	json_t *list = json_array();

	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++)
		if (caps & 1u << i)
			json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *odp_json(const struct ibv_odp_caps *odp)
{
	json_t *to;

	if (!(odp->general_caps & IBV_ODP_SUPPORT))
		return NULL;
	to = json_object();
	rb_fact_value(to, "implicit",
		      json_boolean(odp->general_caps &
				   IBV_ODP_SUPPORT_IMPLICIT));
	rb_fact_value(to, "rc", odp_ops(odp->per_transport_caps.rc_odp_caps));
	rb_fact_value(to, "uc", odp_ops(odp->per_transport_caps.uc_odp_caps));
	rb_fact_value(to, "ud", odp_ops(odp->per_transport_caps.ud_odp_caps));
	return to;
}

static json_t *features_json(struct ibv_context *ctx,
			     const struct ibv_device_attr *attr)
{
	struct ibv_device_attr_ex ex = { .comp_mask = 0 };
	json_t *to = json_object();

	rb_fact_text(to, "atomics", atomic_name(attr->atomic_cap));
	rb_fact_hex(to, "device_cap_flags", attr->device_cap_flags, 8);
	if (ibv_query_device_ex(ctx, NULL, &ex))
		return to;
	rb_fact_value(to, "on_demand_paging", odp_json(&ex.odp_caps));
	rb_fact_flag(to, "completion_timestamps",
		     ex.completion_timestamp_mask != 0);
	rb_fact_uint(to, "clock_khz", ex.hca_core_clock);
	rb_fact_uint(to, "device_memory_bytes", ex.max_dm_size);
	rb_fact_uint(to, "max_cq_moderation_count",
		     ex.cq_mod_caps.max_cq_count);
	rb_fact_uint(to, "max_tso_bytes", ex.tso_caps.max_tso);
	return to;
}

/* A failure that is shown with its device and fails nothing else. */
static void put_failure(json_t *to, enum rb_fault fault, int err,
			const char *what)
{
	const struct rb_fault_row *row = rb_fault_row(fault);
	const char *cause = row->cause;
	struct rb_failure f = { .fault = fault, .err = err };

	if (fault == RB_FAULT_DEVICE_OPEN)
		cause = rb_device_open_cause(err);
	snprintf(f.code, sizeof(f.code), "%s", row->code);
	snprintf(f.where, sizeof(f.where), "%s", row->where);
	snprintf(f.message, sizeof(f.message), "cannot %s '%s': %s",
		 fault == RB_FAULT_DEVICE_OPEN ? "open" : "query", what,
		 strerror(-err));
	snprintf(f.cause, sizeof(f.cause), "%s", cause ? cause : "");
	for (int i = 0; i < RB_FAULT_HINTS && row->hints[i]; i++)
		snprintf(f.hints[i], sizeof(f.hints[i]), "%s", row->hints[i]);
	rb_fact_value(to, "error", rb_failure_json(&f));
}

/* The ports; the device's "error" is that of the last one that failed. */
static void put_ports(json_t *to, struct rb_dev *dev)
{
	json_t *list = json_array();
	char name[RB_DEV_NAME + sizeof(":255")];
	json_t *port;

	for (unsigned int p = 1; p <= dev->attr.phys_port_cnt; p++) {
		int err = rb_port_json(dev, p, &port);

		snprintf(name, sizeof(name), "%s:%u", dev->name, p);
		if (err)
			put_failure(to, RB_FAULT_DEVICE_QUERY, err, name);
		json_array_append_new(list, port);
	}
	rb_fact_value(to, "ports", list);
}

/* What an opened device tells. */
static int put_by_verbs(json_t *to, struct rb_dev *dev)
{
	const struct ibv_device_attr *attr = &dev->attr;
	int err = rb_dev_query(dev->ctx, &dev->attr);

	if (err)
		return err;
	rb_fact_text(to, "firmware", attr->fw_ver);
	rb_fact_hex(to, "node_guid", be64toh(attr->node_guid), GUID_DIGITS);
	rb_fact_hex(to, "sys_image_guid", be64toh(attr->sys_image_guid),
		    GUID_DIGITS);
	rb_fact_hex(to, "vendor_id", attr->vendor_id, 4);
	rb_fact_number(to, "vendor_part_id", attr->vendor_part_id);
	rb_fact_number(to, "hw_version", attr->hw_ver);
	put_ports(to, dev);
	rb_fact_value(to, "limits", limits_json(attr));
	rb_fact_value(to, "features", features_json(dev->ctx, attr));
	return 0;
}

static void put_by_sysfs(json_t *to, const char *device, enum rb_fault fault,
			 int err)
{
	json_t *ports = json_array();
	char text[RB_IBSYS_TEXT];

	rb_ibsys_attr(device, "fw_ver", text);
	rb_fact_text(to, "firmware", text);
	for (unsigned int p = 1; p <= rb_ibsys_nports(device); p++)
		json_array_append_new(ports, rb_port_json_closed(device, p));
	rb_fact_value(to, "ports", ports);
	put_failure(to, fault, err, device);
}

static void put_place(json_t *to, const char *device)
{
	char text[RB_IBSYS_TEXT];
	struct rb_pci pci;

	rb_ibsys_driver(device, text);
	rb_fact_text(to, "driver", text);
	rb_ibsys_attr(device, "board_id", text);
	rb_fact_text(to, "board_id", text);
	if (!rb_pci_read(device, &pci))
		return;
	rb_fact_value(to, "pci", rb_pci_json(&pci));
	if (pci.numa_node >= 0)
		rb_fact_number(to, "numa_node", (uint64_t)pci.numa_node);
}

json_t *rb_devlist_json(struct ibv_device *device)
{
	const char *name = ibv_get_device_name(device);
	json_t *to = json_object();
	struct rb_dev dev = { 0 };
	int err;

	rb_fact_text(to, "name", name);
	rb_fact_text(to, "transport",
		     rb_transport_name(device->transport_type));
	put_place(to, name);
	snprintf(dev.name, sizeof(dev.name), "%s", name);
	err = rb_device_open(device, &dev.ctx);
	if (err) {
		put_by_sysfs(to, name, RB_FAULT_DEVICE_OPEN, err);
		return to;
	}
	err = put_by_verbs(to, &dev);
	if (err)
		put_by_sysfs(to, name, RB_FAULT_DEVICE_QUERY, err);
	ibv_close_device(dev.ctx);
	return to;
}

/* By sysfs's node_type: "1: CA", "4: RNIC". */
static enum ibv_transport_type transport_of(const char *name)
{
	char type[RB_IBSYS_TEXT];

	rb_ibsys_attr(name, "node_type", type);
	if (strstr(type, "RNIC"))
		return IBV_TRANSPORT_IWARP;
	return strstr(type, "CA") ? IBV_TRANSPORT_IB :
				    IBV_TRANSPORT_UNSPECIFIED;
}

json_t *rb_devlist_hidden_json(const char *name)
{
	json_t *to = json_object();

	rb_fact_text(to, "name", name);
	rb_fact_text(to, "transport", rb_transport_name(transport_of(name)));
	put_place(to, name);
	put_by_sysfs(to, name, RB_FAULT_DEVICE_OPEN, -ENOENT);
	return to;
}
