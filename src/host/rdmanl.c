/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmanl - what the RDMA subsystem says by netlink (NLDEV)
 *
 * Recorded answers: nl/rdma-sys.bin, nl/rdma-dev.bin (all devices),
 * nl/rdma-res.bin.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#include "host/facts.h"
#include "host/nlask.h"
#include "host/snap.h"
#include "host/sysfs.h"

typedef struct nlattr *nldev_attrs[RDMA_NLDEV_ATTR_MAX];

static int parse(const struct nlmsghdr *msg, nldev_attrs attrs)
{
	/* the header of these messages has no body of its own */
	return nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg, 0, attrs,
			   RDMA_NLDEV_ATTR_MAX - 1, NULL);
}

static int ask(const char *name, uint16_t command, uint16_t flags,
	       rb_nl_taker take, const void *arg)
{
	const struct rb_nl_ask question = {
		.name = name,
		.protocol = NETLINK_RDMA,
		.type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
		.flags = flags,
	};

	return rb_nl_ask(&question, take, (void *)(uintptr_t)arg);
}

static void take_sys(const struct nlmsghdr *msg, void *arg)
{
	const struct rb_place *rdma = arg;
	nldev_attrs attrs;

	if (parse(msg, attrs) < 0)
		return;
	if (attrs[RDMA_NLDEV_SYS_ATTR_NETNS_MODE])
		rb_fact_text(rdma->object, "netns_mode",
			     rb_nl_uint(attrs[RDMA_NLDEV_SYS_ATTR_NETNS_MODE])
				     ? "shared"
				     : "exclusive");
	if (attrs[RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK])
		rb_fact_value(
			rdma->object, "copy_on_fork",
			json_boolean(rb_nl_uint(
				attrs[RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK])));
}

/* The device that an answer is about, if it is one of the document's. */
static bool device_of(const struct rb_place *devices, nldev_attrs attrs,
		      struct rb_place *device)
{
	const char *name;

	if (!attrs[RDMA_NLDEV_ATTR_DEV_NAME])
		return false;
	name = rb_nl_text(attrs[RDMA_NLDEV_ATTR_DEV_NAME]);
	if (!json_object_get(devices->object, name))
		return false;
	*device = rb_place_enter(devices, name);
	return true;
}

static void take_device(const struct nlmsghdr *msg, void *arg)
{
	struct rb_place device;
	nldev_attrs attrs;

	if (parse(msg, attrs) < 0 || !device_of(arg, attrs, &device))
		return;
	if (attrs[RDMA_NLDEV_ATTR_DEV_PROTOCOL])
		rb_fact_text(device.object, "protocol",
			     rb_nl_text(attrs[RDMA_NLDEV_ATTR_DEV_PROTOCOL]));
	if (attrs[RDMA_NLDEV_ATTR_DEV_DIM])
		rb_fact_value(device.object, "adaptive_moderation",
			      json_boolean(rb_nl_uint(
				      attrs[RDMA_NLDEV_ATTR_DEV_DIM])));
}

static void take_resources(const struct nlmsghdr *msg, void *arg)
{
	struct rb_place device, to;
	nldev_attrs attrs;
	struct nlattr *entry;
	int left;

	if (parse(msg, attrs) < 0 || !device_of(arg, attrs, &device) ||
	    !attrs[RDMA_NLDEV_ATTR_RES_SUMMARY])
		return;
	to = rb_place_enter(&device, "resources");
	nla_for_each_nested(entry, attrs[RDMA_NLDEV_ATTR_RES_SUMMARY], left) {
		nldev_attrs in;
		const struct nlattr *name, *count;

		if (nla_parse_nested(in, RDMA_NLDEV_ATTR_MAX - 1, entry, NULL))
			continue;
		name = in[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME];
		count = in[RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR];
		if (name && count)
			rb_fact_number(to.object, rb_nl_text(name),
				       rb_nl_uint(count));
	}
	rb_place_leave(&device, "resources");
}

void rb_snap_rdma(const struct rb_place *doc, const struct rb_names *names)
{
	struct rb_place rdma = rb_place_enter(doc, "rdma");
	struct rb_place devices = rb_place_enter(doc, "devices");
	struct rb_names folder;
	int err = ask("rdma-sys", RDMA_NLDEV_CMD_SYS_GET, 0, take_sys, &rdma);

	rb_place_failed(doc, "rdma", "netlink RDMA_NLDEV_CMD_SYS_GET", err);
	rb_fact_value(
		rdma.object, "configfs",
		json_boolean(!rb_sysfs_list(&folder, "kernel/config/rdma_cm")));
	rb_names_free(&folder);
	if (!names->n)
		return;
	err = ask("rdma-dev", RDMA_NLDEV_CMD_GET, NLM_F_DUMP, take_device,
		  &devices);
	rb_place_failed(&devices, "", "netlink RDMA_NLDEV_CMD_GET", err);
	err = ask("rdma-res", RDMA_NLDEV_CMD_RES_GET, NLM_F_DUMP,
		  take_resources, &devices);
	rb_place_failed(&devices, "", "netlink RDMA_NLDEV_CMD_RES_GET", err);
}
