/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * watch - what happens to the RDMA devices of this host, as it happens
 */
#include "watch/watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/intr.h"
#include "base/lines.h"
#include "base/log.h"
#include "base/report.h"
#include "host/netlink.h"
#include "host/uevent.h"
#include "watch/device.h"
#include "watch/links.h"

#define SCAN_NS RB_NS_PER_S /* between looks at what is announced nowhere */
#define FIXED_FDS 3

int rb_watch_open(struct rb_watch *w, const struct rb_watch_opts *opts,
		  struct rb_report *report)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->opts = opts;
	w->report = report;
	w->began_ns = rb_now_ns();
	rb_flaps_init(&w->flaps, (unsigned int)opts->flap_count,
		      opts->flap_time_ns);
	/* first the news, then what is there: nothing falls in between */
	w->uevent_fd = rb_uevent_open();
	if (w->uevent_fd < 0)
		rb_info("no uevents (%s): devices are looked for once a second",
			strerror(-w->uevent_fd));
	err = rb_watch_devices_open(w);
	if (err)
		return err;
	err = rb_watch_links_open(w);
	if (err)
		rb_warn("no_rtnetlink",
			"network interfaces and addresses cannot be watched: %s",
			strerror(-err));
	if (!opts->qps)
		return 0;
	err = rb_netlink_open(&w->nldev, NETLINK_RDMA);
	return err ? rb_fail(RB_FAULT_SYSTEM, err,
			     "cannot ask the kernel for queue pairs") :
		     0;
}

void rb_watch_close(struct rb_watch *w)
{
	rb_watch_links_close(w);
	rb_watch_devices_close(w);
	rb_netlink_close(w->nldev);
	if (w->uevent_fd >= 0)
		close(w->uevent_fd);
	w->uevent_fd = -1;
}

static uint64_t end_of(const struct rb_watch *w)
{
	return w->opts->for_ns == RB_AUTO ? UINT64_MAX :
					    w->began_ns + w->opts->for_ns;
}

/* What is due by the clock. */
static void tick(struct rb_watch *w)
{
	uint64_t now = rb_now_ns();

	if (now >= w->scan_ns) {
		rb_watch_scan(w);
		w->scan_ns = now + SCAN_NS;
	}
	if (w->nldev && now >= w->qps_ns) {
		rb_watch_qps(w);
		w->qps_ns = now + w->opts->poll_ns;
	}
	if (w->opts->counters && now >= w->counters_ns) {
		rb_watch_counters(w);
		w->counters_ns = now + w->opts->interval_ns;
	}
	rb_watch_tell_quiet(w);
	if (now >= end_of(w) && w->end == RB_WATCH_GOES_ON)
		w->end = RB_WATCH_TIME;
}

static int time_left_ms(const struct rb_watch *w)
{
	uint64_t due = RB_MIN(w->scan_ns, end_of(w));

	due = RB_MIN(due, rb_flaps_due(&w->flaps));
	if (w->nldev)
		due = RB_MIN(due, w->qps_ns);
	if (w->opts->counters)
		due = RB_MIN(due, w->counters_ns);
	return rb_deadline_ms(due);
}

static void take(struct rb_watch *w, const struct pollfd *fds)
{
	/* first what may want a context back */
	if (fds[1].revents)
		rb_watch_uevents(w);
	if (fds[2].revents)
		rb_watch_links_news(w);
	/* descriptors that come later belong to devices of the next turn */
	for (unsigned int i = 0; i < w->ndevices; i++)
		if (w->devices[i].dev.ctx)
			rb_watch_device_events(w, &w->devices[i]);
}

static int turn(struct rb_watch *w, struct rb_intr *intr)
{
	struct pollfd *fds = calloc(FIXED_FDS + w->ndevices, sizeof(*fds));
	int n;

	if (!fds)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "no memory to wait for %u devices",
			       w->ndevices);
	fds[0].fd = intr->fd;
	fds[1].fd = w->uevent_fd;
	fds[2].fd = rb_watch_links_fd(w);
	for (unsigned int i = 0; i < w->ndevices; i++)
		fds[FIXED_FDS + i].fd = w->devices[i].dev.ctx ?
						w->devices[i].dev.ctx->async_fd :
						-1;
	for (unsigned int i = 0; i < FIXED_FDS + w->ndevices; i++)
		fds[i].events = POLLIN;
	n = poll(fds, FIXED_FDS + w->ndevices, time_left_ms(w));
	if (n > 0)
		take(w, fds);
	free(fds);
	if (n < 0 && errno != EINTR)
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot wait for events");
	if (rb_intr_check(intr) && w->end == RB_WATCH_GOES_ON)
		w->end = RB_WATCH_SIGNAL;
	tick(w);
	return 0;
}

static json_t *names_of(const struct rb_watch *w)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < w->ndevices; i++)
		json_array_append_new(list,
				      json_string(w->devices[i].dev.name));
	return list;
}

int rb_watch_run(struct rb_watch *w, struct rb_intr *intr)
{
	int err = 0;

	w->scan_ns = rb_now_ns() + SCAN_NS;
	/* the first readings, with which the later ones are compared */
	if (w->nldev)
		rb_watch_qps(w);
	if (w->opts->counters)
		rb_watch_counters(w);
	w->qps_ns = rb_now_ns() + w->opts->poll_ns;
	w->counters_ns = rb_now_ns() + w->opts->interval_ns;
	rb_watch_tell(w, "watching", json_pack("{s:o}", "devices", names_of(w)),
		      "%u device%s", w->ndevices, w->ndevices == 1 ? "" : "s");
	w->nevents = 0; /* that was none */
	memset(w->seen, 0, sizeof(w->seen));
	/* who reads no more is not written for */
	while (!err && !w->report->write_err && w->end == RB_WATCH_GOES_ON)
		err = turn(w, intr);
	return err;
}
