/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dev - find and open the device and port that a run uses
 */
#include "verbs/dev.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "host/ibsys.h"
#include "host/netdev.h"
#include "verbs/devlist.h"
#include "verbs/gid.h"

#define STATES_TEXT 256
#define MAX_GID_INDEX 65535

static const struct rb_opt dev_rows[] = {
	/* clang-format off */
	{ .name = "device", .letter = 'd', .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct rb_dev_opts, device),
	  .help = "device, DEVICE:PORT, or its network interface [the fabric's]" },
	{ .name = "port-num", .letter = 'i', .type = RB_OPT_COUNT, .min = 1, .max = UINT8_MAX,
	  .offset = offsetof(struct rb_dev_opts, port), .flags = RB_OPT_AUTO,
	  .help = "port of the device [the first active one]" },
	{ .name = "gid-index", .letter = 'x', .type = RB_OPT_COUNT, .max = MAX_GID_INDEX,
	  .offset = offsetof(struct rb_dev_opts, gid_index), .flags = RB_OPT_AUTO,
	  .help = "entry of the port's GID table [chosen with the peer]" },
	/* clang-format on */
};

const struct rb_optgroup rb_dev_optgroup = { "Device", dev_rows,
					     RB_ARRAY_SIZE(dev_rows) };

/* How well a port fits; a higher rank wins, the first of equals stays. */
enum rank { RANK_NONE, RANK_ACTIVE, RANK_NEAR };

/* The search for a device and port, and what it met. */
struct search {
	unsigned int port; /* 0: any */
	bool named;	   /* the user named the device */
	bool has_near;
	struct in6_addr near;
	char near_netdev[IFNAMSIZ];
	/* findings */
	struct rb_dev *best;
	enum rank rank;
	unsigned int nports; /* ports looked at */
	enum rb_fault fault; /* the first device or port that failed: how, */
	int err;
	char failed[RB_DEV_NAME]; /* and which */
	struct rb_dev
		*inactive; /* the first port not active; holds no device */
	char states[STATES_TEXT];
};

static int open_device(struct ibv_device *device, struct rb_dev **devp)
{
	struct rb_dev *dev = calloc(1, sizeof(*dev));
	int err;

	if (!dev)
		return -ENOMEM;
	snprintf(dev->name, sizeof(dev->name), "%s",
		 ibv_get_device_name(device));
	err = rb_device_open(device, &dev->ctx);
	if (err) {
		free(dev);
		return err;
	}
	*devp = dev;
	return 0;
}

void rb_dev_close(struct rb_dev *dev)
{
	if (!dev)
		return;
	if (dev->ctx &&
	    rb_traced(ibv_close_device(dev->ctx), "%s", dev->name))
		rb_debug("cannot close '%s'", dev->name);
	free(dev);
}

/* Whether the port owns the address at which the side channel arrived. */
static bool is_near(const struct search *s, const struct rb_dev *dev)
{
	struct ibv_gid_entry *entries;
	unsigned int n;
	bool found = false;

	if (!s->has_near)
		return false;
	if (s->near_netdev[0] &&
	    rb_ibsys_owns(dev->name, dev->port, s->near_netdev))
		return true;
	if (rb_gid_entries(dev, &entries, &n))
		return false;
	for (unsigned int i = 0; i < n && !found; i++)
		found = !memcmp(&entries[i].gid, &s->near, sizeof(s->near));
	free(entries);
	return found;
}

static void note_state(struct search *s, const struct rb_dev *dev)
{
	size_t n = strlen(s->states);

	snprintf(s->states + n, sizeof(s->states) - n, "%s'%s' port %u is %s",
		 n ? ", " : "", dev->name, dev->port,
		 rb_port_state_name(dev->port_attr.state));
}

static struct rb_dev *copy_of(const struct rb_dev *dev)
{
	struct rb_dev *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *dev;
	return copy;
}

/* A sick device or port is passed over: it may not be the one that is used. */
static void note_trouble(struct search *s, enum rb_fault fault, int err,
			 const char *device)
{
	rb_debug("cannot %s '%s': %s",
		 fault == RB_FAULT_DEVICE_OPEN ? "open" : "query", device,
		 strerror(-err));
	if (s->err)
		return;
	s->fault = fault;
	s->err = err;
	snprintf(s->failed, sizeof(s->failed), "%s", device);
}

/* Look at one port; it goes to @best_here when it beats the best so far. */
static void try_port(struct search *s, struct rb_dev *dev, unsigned int port,
		     struct rb_dev *best_here)
{
	enum rank rank;
	int err;

	dev->port = (uint8_t)port;
	err = rb_dev_query_port(dev->ctx, port, &dev->port_attr);
	if (err) {
		note_trouble(s, RB_FAULT_DEVICE_QUERY, err, dev->name);
		return;
	}
	s->nports++;
	note_state(s, dev);
	if (dev->port_attr.state != IBV_PORT_ACTIVE) {
		rb_dev_derive(dev);
		if (!s->inactive)
			s->inactive = copy_of(dev);
		return;
	}
	rank = is_near(s, dev) ? RANK_NEAR : RANK_ACTIVE;
	if (rank <= s->rank)
		return;
	s->rank = rank;
	*best_here = *dev;
}

/* Look at the ports of an open device; it is kept or closed. */
static int try_ports(struct search *s, struct rb_dev *dev)
{
	struct rb_dev best_here = { 0 };
	int err = rb_dev_query(dev->ctx, &dev->attr);
	unsigned int nports = dev->attr.phys_port_cnt;

	if (err) {
		note_trouble(s, RB_FAULT_DEVICE_QUERY, err, dev->name);
		nports = 0;
	} else if (s->named && s->port > nports) {
		err = rb_fail(RB_FAULT_NO_PORT, -EINVAL,
			      "'%s' has no port %u (its last one is %u)",
			      dev->name, s->port, nports);
		rb_dev_close(dev);
		return err;
	}
	for (unsigned int p = 1; p <= nports; p++)
		if (!s->port || p == s->port)
			try_port(s, dev, p, &best_here);
	if (!best_here.ctx) {
		rb_dev_close(dev);
		return 0;
	}
	rb_dev_close(s->best);
	s->best = dev;
	*dev = best_here;
	return 0;
}

static int try_device(struct search *s, struct ibv_device *device)
{
	struct rb_dev *dev = NULL;
	int err = open_device(device, &dev);

	if (!err)
		return try_ports(s, dev);
	note_trouble(s, RB_FAULT_DEVICE_OPEN, err, ibv_get_device_name(device));
	return 0;
}

/* Why a port that exists is not ACTIVE, where its state tells. */
static const char *why_down(const struct rb_dev *dev,
			    enum rb_netdev_state netdev)
{
	enum { DISABLED = 3, POLLING = 2 }; /* PortPhysicalState */

	if (netdev == RB_NETDEV_DOWN)
		return "its network interface is switched off";
	if (netdev == RB_NETDEV_NO_CARRIER)
		return "its network interface has no link: cable, module, switch port or the other end";
	if (dev->port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND &&
	    (dev->port_attr.state == IBV_PORT_INIT ||
	     dev->port_attr.state == IBV_PORT_ARMED))
		return "the link is up, but no subnet manager has made it active";
	if (dev->port_attr.phys_state == DISABLED)
		return "the port is disabled";
	if (dev->port_attr.phys_state == POLLING)
		return "nothing answers at the other end of the cable";
	return rb_fault_row(RB_FAULT_PORT_DOWN)->cause;
}

static int report_down(const struct rb_dev *dev)
{
	struct rb_netdev netdev;
	const char *state = rb_port_state_name(dev->port_attr.state);

	if (rb_netdev_read(dev->netdev, &netdev))
		return rb_fail_cause(RB_FAULT_PORT_DOWN, -ENETDOWN,
				     why_down(dev, RB_NETDEV_UNKNOWN),
				     "port %u of '%s' is %s", dev->port,
				     dev->name, state);
	return rb_fail_cause(RB_FAULT_PORT_DOWN, -ENETDOWN,
			     why_down(dev, netdev.state),
			     "port %u of '%s' is %s ('%s' is %s)", dev->port,
			     dev->name, state, netdev.name,
			     rb_netdev_state_name(netdev.state));
}

/* The one device in question, or the first of them, fails. */
static int report_trouble(const struct search *s)
{
	if (s->fault == RB_FAULT_DEVICE_OPEN)
		return rb_fail_cause(s->fault, s->err,
				     rb_device_open_cause(s->err),
				     "cannot open '%s'", s->failed);
	return rb_fail(s->fault, s->err, "cannot query '%s'", s->failed);
}

static int report_nothing(const struct search *s)
{
	if (s->err && (s->named || !s->nports))
		return report_trouble(s);
	if (s->inactive && s->named && s->nports == 1)
		return report_down(s->inactive);
	if (s->inactive && s->named)
		return rb_fail(RB_FAULT_PORT_DOWN, -ENETDOWN,
			       "no port is active (%s)", s->states);
	if (!s->nports && s->port)
		return rb_fail(RB_FAULT_NO_PORT, -EINVAL,
			       "no device has a port %u", s->port);
	return rb_fail(RB_FAULT_NO_ACTIVE_PORT, -ENETDOWN,
		       "no port is active (%s)", s->states);
}

static void set_near(struct search *s, const struct sockaddr *near)
{
	s->has_near = rb_netaddr_normal(near, &s->near);
	if (s->has_near)
		rb_netdev_by_addr(near, s->near_netdev);
}

/* What the options leave to choose from. */
static int narrow(struct search *s, const struct rb_dev_opts *opts,
		  const struct rb_devlist *list, struct ibv_device **only)
{
	struct rb_devmatch match = { 0 };
	int err;

	s->port = opts->port == RB_AUTO ? 0 : (unsigned int)opts->port;
	s->named = opts->device;
	if (!opts->device)
		return 0;
	err = rb_devlist_find(list, opts->device, &match);
	if (err)
		return err;
	if (match.port && s->port && match.port != s->port)
		return rb_fail(RB_FAULT_USAGE, -EINVAL,
			       "'-d %s' means port %u, but -i says %u",
			       opts->device, match.port, s->port);
	if (match.port)
		s->port = match.port;
	*only = match.device;
	return 0;
}

int rb_dev_open(const struct rb_dev_opts *opts, const struct sockaddr *near,
		struct rb_dev **devp)
{
	struct search s = { 0 };
	struct ibv_device *only = NULL;
	struct rb_devlist list;
	int err = rb_devlist_open(&list);

	if (err)
		return err;
	set_near(&s, near);
	err = narrow(&s, opts, &list, &only);
	for (int i = 0; i < list.n && !err; i++)
		if (!only || only == list.v[i])
			err = try_device(&s, list.v[i]);
	if (!err && !s.best)
		err = report_nothing(&s);
	free(s.inactive);
	rb_devlist_close(&list);
	if (err) {
		rb_dev_close(s.best);
		return err;
	}
	if (s.err && s.fault == RB_FAULT_DEVICE_QUERY)
		rb_warn("device_skipped", "cannot query '%s': %s", s.failed,
			strerror(-s.err));
	rb_dev_derive(s.best);
	*devp = s.best;
	return 0;
}

int rb_dev_foresee(const struct rb_dev_opts *opts)
{
	struct search s = { 0 };
	struct ibv_device *only = NULL;
	struct rb_devlist list;
	int err = rb_devlist_open(&list);

	if (err)
		return err;
	err = narrow(&s, opts, &list, &only);
	rb_devlist_close(&list);
	return err;
}
