/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cmchan - what the files of the method "cm" share: the event channel, and how
 * its events fail
 */
#include "peer/cmchan.h"

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
#include "base/trace.h"
#include "diag/cmevent.h"
#include "peer/conn.h"
#include "peer/oob.h"
#include "verbs/dev.h"

#define STEP_NS (8 * RB_NS_PER_S) /* without any CM event: given up */
#define REASON_NS (300 * RB_NS_PER_MS)

static int set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) ? -errno : 0;
}

int rb_cm_create(struct rb_conn *conn)
{
	struct rb_cm *cm = calloc(1, sizeof(*cm));
	int err;

	conn->cm = cm;
	if (cm)
		cm->ids = calloc(conn->nqps, sizeof(*cm->ids));
	if (!cm || !cm->ids)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u connections", conn->nqps);
	cm->nids = conn->nqps;
	cm->channel = rb_traced_ptr(rdma_create_event_channel(), "%s",
				    conn->dev->name);
	if (!cm->channel)
		return rb_fail(RB_FAULT_CM, -errno,
			       "cannot open the connection manager");
	err = set_nonblocking(cm->channel->fd);
	if (err)
		return rb_fail(RB_FAULT_CM, err,
			       "cannot prepare the connection manager");
	return 0;
}

void rb_cm_close(struct rb_conn *conn)
{
	struct rb_cm *cm = conn->cm;

	if (!cm)
		return;
	for (uint32_t i = 0; i < cm->nids; i++)
		if (cm->ids[i])
			rb_traced(rdma_destroy_id(cm->ids[i]), "%u", i);
	if (cm->listener)
		rb_traced(rdma_destroy_id(cm->listener), "listener");
	if (cm->channel)
		rdma_destroy_event_channel(cm->channel);
	free(cm->ids);
	free(cm);
	conn->cm = NULL;
}

/* What a failing event says: one row an event. */
static const struct {
	enum rdma_cm_event_type event;
	enum rb_fault fault;
	const char *what;
} event_faults[] = {
	{ RDMA_CM_EVENT_ADDR_ERROR, RB_FAULT_CM_ADDRESS,
	  "cannot resolve the peer's address" },
	{ RDMA_CM_EVENT_ROUTE_ERROR, RB_FAULT_CM_ADDRESS,
	  "cannot resolve the route to the peer" },
	{ RDMA_CM_EVENT_UNREACHABLE, RB_FAULT_CM_UNREACHABLE,
	  "the connection request got no reply" },
	{ RDMA_CM_EVENT_REJECTED, RB_FAULT_CM_REJECTED,
	  "the peer rejected the connection" },
	{ RDMA_CM_EVENT_CONNECT_ERROR, RB_FAULT_CM,
	  "the connection could not be made" },
	{ RDMA_CM_EVENT_MULTICAST_ERROR, RB_FAULT_MULTICAST,
	  "cannot join the multicast group" },
	{ RDMA_CM_EVENT_DEVICE_REMOVAL, RB_FAULT_DEVICE_DIED,
	  "the device was removed" },
	{ RDMA_CM_EVENT_DISCONNECTED, RB_FAULT_PEER_GONE,
	  "the peer disconnected" },
};

/* Why, by the event's status: what it means and the most frequent cause. */
static const char *cause_of(const struct rb_cm_row *row,
			    char text[static RB_LOG_TEXT])
{
	if (!row)
		return NULL;
	snprintf(text, RB_LOG_TEXT, "%s%s%s", row->meaning,
		 row->causes ? ": " : "", row->causes ? row->causes->text : "");
	return text;
}

int rb_cm_event_failed(const struct rdma_cm_event *event)
{
	int status = event->status;
	const struct rb_cm_row *row = rb_cm_row((int)event->event, status);
	char text[RB_LOG_TEXT];

	for (size_t i = 0; i < RB_ARRAY_SIZE(event_faults); i++) {
		enum rb_fault fault = event_faults[i].fault;

		if (event_faults[i].event != event->event)
			continue;
		return rb_fail_hint(fault, status < 0 ? status : -ECONNREFUSED,
				    row ? cause_of(row, text) :
					  rb_fault_row(fault)->cause,
				    row ? row->next : NULL,
				    "%s (%s, status %d%s%s)",
				    event_faults[i].what,
				    rdma_event_str(event->event), status,
				    row ? " " : "", row ? row->name : "");
	}
	return rb_fail(RB_FAULT_CM, -EPROTO, "unexpected event %s (status %d)",
		       rdma_event_str(event->event), status);
}

/*
 * The peer may give up while we wait for CM, and says so on the side channel.
 * Other messages may be early (a client that is ready): they stay queued.
 */
static int hear_peer(struct rb_oob *oob)
{
	const json_t *frame;
	int err = rb_oob_pump(oob, &frame);

	if (err)
		return rb_fail(RB_FAULT_PEER_GONE, err,
			       "lost the connection to %s while connecting",
			       oob->peer_name);
	if (frame && !strcmp(rb_frame_type(frame), "error"))
		return rb_oob_peer_failed(oob, frame);
	return 0;
}

int rb_cm_hear_reason(struct rb_oob *oob)
{
	uint64_t deadline = rb_deadline(REASON_NS);
	int err = 0;

	while (!err && !oob->queued &&
	       !rb_wait_fd(oob->fd, POLLIN, oob->intr, deadline))
		err = hear_peer(oob);
	return err;
}

/* Wait for an event, a signal, or the peer's word; 0: look again. */
static int await_event(struct rb_conn *conn, uint64_t deadline)
{
	struct rb_oob *oob = conn->oob;
	struct pollfd fds[] = {
		{ .fd = conn->cm->channel->fd, .events = POLLIN },
		{ .fd = oob->queued ? -1 : oob->fd, .events = POLLIN },
		{ .fd = oob->intr ? oob->intr->fd : -1, .events = POLLIN },
	};
	int n = poll(fds, RB_ARRAY_SIZE(fds), rb_deadline_ms(deadline));

	if (oob->intr && rb_intr_check(oob->intr))
		return rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
			       "interrupted while connecting");
	if (n > 0 && fds[0].revents)
		return 0;
	if (n > 0 && fds[1].revents)
		return hear_peer(oob);
	return rb_now_ns() >= deadline ? -ETIMEDOUT : 0;
}

/* Events that come are traced, not the looks for them. */
static int get_event(struct rdma_event_channel *channel,
		     struct rdma_cm_event **event)
{
	int err = rdma_get_cm_event(channel, event);

	if (!err)
		rb_trace_event("rdma_get_cm_event", "-> %s, status %d",
			       rdma_event_str((*event)->event),
			       (*event)->status);
	return err;
}

int rb_cm_next_event(struct rb_conn *conn, struct rdma_cm_event **event)
{
	struct rb_cm *cm = conn->cm;
	uint64_t deadline = rb_deadline(STEP_NS);

	while (get_event(cm->channel, event)) {
		int err = 0;

		if (errno != EAGAIN && errno != EINTR)
			return rb_fail(RB_FAULT_CM, -errno,
				       "cannot read an event of the connection manager");
		err = await_event(conn, deadline);
		if (err == -ETIMEDOUT)
			return rb_fail(RB_FAULT_CM_UNREACHABLE, err,
				       "connected %u of %u queue pairs by rdma_cm, then nothing for %u s",
				       cm->established, cm->nids,
				       (unsigned int)(STEP_NS / RB_NS_PER_S));
		if (err)
			return err;
	}
	return 0;
}
