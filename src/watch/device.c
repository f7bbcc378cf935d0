/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * device - a device that is watched: open, close, async events, hot plug
 */
#include "watch/device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "host/sysfs.h"
#include "verbs/devlist.h"
#include "watch/watch.h"

#define LAST_WORDS_NS (20 * RB_NS_PER_MS)

/* --- open and close ------------------------------------------------------ */

static void let_go(struct rb_watch_device *d)
{
	if (d->dev.ctx && ibv_close_device(d->dev.ctx))
		rb_debug("cannot close '%s'", d->dev.name);
	d->dev.ctx = NULL;
	d->uverbs[0] = '\0';
	d->has_node = false;
}

static bool has_node(const char *uverbs)
{
	char text[RB_IBSYS_TEXT];

	return !rb_sysfs_text(text, sizeof(text), "class/infiniband_verbs/%s/dev",
			      uverbs);
}

static int take_context(struct rb_watch_device *d, struct ibv_device *device)
{
	int flags, err = rb_device_open(device, &d->dev.ctx);

	if (err)
		return err;
	flags = fcntl(d->dev.ctx->async_fd, F_GETFL);
	if (flags < 0 ||
	    fcntl(d->dev.ctx->async_fd, F_SETFL, flags | O_NONBLOCK))
		err = -errno;
	if (!err)
		err = rb_dev_query(d->dev.ctx, &d->dev.attr);
	if (err) {
		let_go(d);
		return err;
	}
	d->dev.is_iwarp = device->transport_type == IBV_TRANSPORT_IWARP;
	snprintf(d->uverbs, sizeof(d->uverbs), "%s", device->dev_name);
	d->has_node = has_node(d->uverbs);
	return 0;
}

/* Begin to watch @device (NULL: only what sysfs shows of it). */
static void begin(struct rb_watch *w, struct rb_watch_device *d,
		  struct ibv_device *device)
{
	int err = 0;

	if (device && !w->opts->no_open && !d->dev.ctx)
		err = take_context(d, device);
	if (err)
		rb_warn("device_not_open",
			"cannot open '%s': no async events and GIDs of it: %s",
			d->dev.name, strerror(-err));
	rb_watch_ports_make(d);
	rb_watch_ports_refresh(w, d);
}

static struct rb_watch_device *find(struct rb_watch *w, const char *name)
{
	for (unsigned int i = 0; i < w->ndevices; i++)
		if (!strcmp(w->devices[i].dev.name, name))
			return &w->devices[i];
	return NULL;
}

static struct rb_watch_device *add(struct rb_watch *w, const char *name)
{
	struct rb_watch_device *v =
		realloc(w->devices, (w->ndevices + 1) * sizeof(*v));

	if (!v)
		return NULL;
	w->devices = v;
	v = &v[w->ndevices++];
	memset(v, 0, sizeof(*v));
	snprintf(v->dev.name, sizeof(v->dev.name), "%s", name);
	return v;
}

static bool is_in_sysfs(const char *name)
{
	struct rb_names names;
	bool found = false;

	rb_ibsys_devices(&names);
	for (unsigned int i = 0; i < names.n && !found; i++)
		found = !strcmp(names.v[i], name);
	rb_names_free(&names);
	return found;
}

static bool may_begin_without(const struct rb_watch *w)
{
	return w->opts->until[rb_watch_kind_index(
		rb_watch_kind("device_added"))];
}

int rb_watch_devices_open(struct rb_watch *w)
{
	struct rb_log *log = NULL;
	struct rb_devmatch only = { 0 };
	struct rb_devlist list;
	int err;

	/* who waits for a device is not told that there is none */
	if (may_begin_without(w))
		log = rb_log_bind(NULL);
	err = rb_devlist_open(&list);
	if (!err && w->opts->device)
		err = rb_devlist_find(&list, w->opts->device, &only);
	if (log)
		rb_log_bind(log);
	for (int i = 0; i < list.n && !err; i++) {
		const char *name = ibv_get_device_name(list.v[i]);
		struct rb_watch_device *d;

		if (only.device && only.device != list.v[i])
			continue;
		d = add(w, name);
		if (!d)
			continue;
		d->present = true;
		d->in_sysfs = is_in_sysfs(name);
		begin(w, d, list.v[i]);
	}
	rb_devlist_close(&list);
	return log ? 0 : err;
}

void rb_watch_devices_close(struct rb_watch *w)
{
	for (unsigned int i = 0; i < w->ndevices; i++) {
		rb_watch_ports_forget(&w->devices[i]);
		free(w->devices[i].qps);
		let_go(&w->devices[i]);
	}
	free(w->devices);
	w->devices = NULL;
	w->ndevices = 0;
}

/* --- what happens -------------------------------------------------------- */

static json_t *async_fields(const struct rb_watch_device *d,
			    const struct ibv_async_event *event)
{
	json_t *fields = json_pack("{s:s}", "device", d->dev.name);

	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		json_object_set_new(fields, "cq",
				    json_integer(event->element.cq->handle));
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		json_object_set_new(fields, "qpn",
				    json_integer(event->element.qp->qp_num));
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		json_object_set_new(fields, "srq",
				    json_integer(event->element.srq->handle));
		break;
	case IBV_EVENT_DEVICE_FATAL:
	case IBV_EVENT_WQ_FATAL:
		break;
	default:
		json_object_set_new(fields, "port",
				    json_integer(event->element.port_num));
		break;
	}
	return fields;
}

void rb_watch_device_events(struct rb_watch *w, struct rb_watch_device *d)
{
	const struct rb_watch_kind *kind;
	struct ibv_async_event event;
	bool any = false;

	while (d->dev.ctx) {
		errno = 0;
		if (ibv_get_async_event(d->dev.ctx, &event))
			break;
		any = true;
		kind = rb_watch_kind_async(event.event_type);
		if (kind)
			rb_watch_tell_kind(w, kind, async_fields(d, &event),
					   kind->text);
		/* unacknowledged events block the destruction of their object */
		ibv_ack_async_event(&event);
	}
	/* the driver took the device away from under the context */
	if (d->dev.ctx && errno && errno != EAGAIN && errno != EINTR) {
		rb_debug("no more events of '%s': %s", d->dev.name,
			 strerror(errno));
		let_go(d);
	}
	if (any)
		rb_watch_ports_refresh(w, d);
}

/*
 * The node of the context is being removed. A driver that can take the device
 * away says 'device fatal' right after that; one that cannot waits for us.
 */
static void release(struct rb_watch *w, struct rb_watch_device *d)
{
	if (!d->dev.ctx)
		return;
	rb_wait_fd(d->dev.ctx->async_fd, POLLIN, NULL,
		   rb_deadline(LAST_WORDS_NS));
	rb_watch_device_events(w, d);
	let_go(d);
}

/* Its ports stay known, for what is still to come of their interfaces. */
static void note_removed(struct rb_watch *w, struct rb_watch_device *d)
{
	rb_watch_device_events(w, d);
	let_go(d);
	free(d->qps);
	d->qps = NULL;
	d->nqps = 0;
	d->qps_known = false;
	d->present = false;
	d->in_sysfs = false;
	rb_watch_tell(w, "device_removed",
		      json_pack("{s:s}", "device", d->dev.name),
		      "the device went");
}

/* It is there: open it if it is not, and tell if that is news. */
static void note_present(struct rb_watch *w, const char *name,
			 const struct rb_devlist *list)
{
	struct rb_watch_device *d = find(w, name);
	bool news = !d || !d->present;
	struct rb_devmatch match = { 0 };

	if (!d && w->opts->device && strcmp(w->opts->device, name))
		return;
	if (!d)
		d = add(w, name);
	if (!d)
		return;
	d->in_sysfs = true;
	d->present = true;
	for (int i = 0; i < list->n; i++)
		if (!strcmp(ibv_get_device_name(list->v[i]), name))
			match.device = list->v[i];
	if (news)
		rb_watch_tell(w, "device_added",
			      json_pack("{s:s}", "device", name),
			      "the device came");
	if (news || (match.device && !d->dev.ctx && !w->opts->no_open))
		begin(w, d, match.device);
}

/* Whether there is something that only a look at libibverbs' list can tell. */
static bool needs_list(struct rb_watch *w, const struct rb_names *names)
{
	for (unsigned int i = 0; i < names->n; i++) {
		const struct rb_watch_device *d = find(w, names->v[i]);

		if (!d ? !w->opts->device :
			 !d->present || (!d->dev.ctx && !w->opts->no_open))
			return true;
		if (!d && !strcmp(w->opts->device, names->v[i]))
			return true;
	}
	return false;
}

static void find_gone(struct rb_watch *w, const struct rb_names *names)
{
	for (unsigned int i = 0; i < w->ndevices; i++) {
		struct rb_watch_device *d = &w->devices[i];
		bool found = false;

		for (unsigned int n = 0; n < names->n && !found; n++)
			found = !strcmp(names->v[n], d->dev.name);
		/* where no uevent comes: the node goes first (watch.h) */
		if (d->has_node && !has_node(d->uverbs))
			release(w, d);
		if (d->in_sysfs && !found)
			note_removed(w, d);
	}
}

static void find_new(struct rb_watch *w, const struct rb_names *names)
{
	struct rb_devlist list = { 0 };
	struct rb_log *log;

	if (!needs_list(w, names))
		return;
	/* that there is none (yet) is no failure here */
	log = rb_log_bind(NULL);
	rb_devlist_open(&list);
	rb_log_bind(log);
	for (unsigned int i = 0; i < names->n; i++)
		note_present(w, names->v[i], &list);
	rb_devlist_close(&list);
}

void rb_watch_scan(struct rb_watch *w)
{
	struct rb_names names;

	rb_ibsys_devices(&names);
	find_gone(w, &names);
	find_new(w, &names);
	rb_names_free(&names);
	for (unsigned int i = 0; i < w->ndevices; i++)
		if (w->devices[i].present)
			rb_watch_ports_refresh(w, &w->devices[i]);
}

static void take_uevent(struct rb_watch *w, const struct rb_uevent *event)
{
	struct rb_watch_device *d;

	if (!strcmp(event->subsystem, "infiniband_verbs")) {
		for (unsigned int i = 0; i < w->ndevices; i++)
			if (event->removed &&
			    !strcmp(w->devices[i].uverbs, event->name))
				release(w, &w->devices[i]);
		if (event->added)
			rb_watch_scan(w);
	} else if (!strcmp(event->subsystem, "infiniband")) {
		d = find(w, event->name);
		if (event->removed && d && d->present)
			note_removed(w, d);
		else if (event->added)
			rb_watch_scan(w);
	}
}

void rb_watch_uevents(struct rb_watch *w)
{
	struct rb_uevent event;

	while (rb_uevent_read(w->uevent_fd, &event))
		take_uevent(w, &event);
}
