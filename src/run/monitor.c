/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor - what may end a run from outside: the device, the peer, the user
 */
#include "run/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "base/units.h"
#include "diag/event.h"
#include "peer/oob.h"
#include "verbs/dev.h"

#define EXPLAIN_NS (100 * RB_NS_PER_MS)

int rb_monitor_init(struct rb_monitor *m, const struct rb_dev *dev,
		    struct rb_oob *oob, struct rb_intr *intr)
{
	int fd = dev->ctx->async_fd;
	int flags = fcntl(fd, F_GETFL);

	memset(m, 0, sizeof(*m));
	m->dev = dev;
	m->oob = oob;
	m->intr = intr;
	m->made_ns = rb_now_ns();
	atomic_init(&m->stop, RB_STOP_NONE);
	atomic_init(&m->halt, 0);
	atomic_init(&m->halt_on_result, false);
	atomic_init(&m->leave, false);
	m->wake_fd = m->leave_fd = -1;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return rb_fail(RB_FAULT_ASYNC, -errno,
			       "cannot watch the events of '%s'", dev->name);
	m->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->wake_fd >= 0)
		m->leave_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->leave_fd < 0)
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot create an event descriptor");
	return 0;
}

void rb_monitor_fini(struct rb_monitor *m)
{
	if (!m->dev)
		return;
	rb_monitor_join(m);
	rb_monitor_events(m);
	if (m->wake_fd >= 0)
		close(m->wake_fd);
	if (m->leave_fd >= 0)
		close(m->leave_fd);
	m->wake_fd = m->leave_fd = -1;
	m->dev = NULL;
}

/* Whoever waits for one of our descriptors returns, until it is drained. */
static void wake(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		rb_debug("cannot wake the run: %s", strerror(errno));
}

static void drain(int fd)
{
	uint64_t drained;

	if (read(fd, &drained, sizeof(drained)) < 0 && errno != EAGAIN)
		rb_debug("cannot read the event descriptor: %s",
			 strerror(errno));
}

void rb_monitor_halt(struct rb_monitor *m)
{
	atomic_store(&m->halt, 1);
	wake(m->wake_fd);
}

void rb_monitor_halt_on_result(struct rb_monitor *m, bool on)
{
	bool there = m->oob->queued &&
		     !strcmp(rb_frame_type(m->oob->queue[0]), "result");

	atomic_store(&m->halt_on_result, on);
	if (atomic_load(&m->stop) != RB_STOP_NONE)
		return;
	/* asleep again after what halted the run before */
	atomic_store(&m->halt, 0);
	drain(m->wake_fd);
	if (on && there)
		rb_monitor_halt(m);
}

static void stop(struct rb_monitor *m, enum rb_stop why)
{
	int none = RB_STOP_NONE;

	atomic_store(&m->halt, 1);
	if (atomic_compare_exchange_strong(&m->stop, &none, (int)why))
		wake(m->wake_fd);
}

/* What an event means for the run, and what its object is. */
static const struct {
	enum ibv_event_type type;
	enum rb_stop stop;
	bool is_qp, is_port;
} event_rows[] = {
	{ IBV_EVENT_QP_FATAL, RB_STOP_QP_DIED, true, false },
	{ IBV_EVENT_QP_REQ_ERR, RB_STOP_QP_DIED, true, false },
	{ IBV_EVENT_QP_ACCESS_ERR, RB_STOP_QP_DIED, true, false },
	{ IBV_EVENT_PATH_MIG_ERR, RB_STOP_QP_DIED, true, false },
	{ IBV_EVENT_CQ_ERR, RB_STOP_QP_DIED, false, false },
	{ IBV_EVENT_DEVICE_FATAL, RB_STOP_DEVICE_DIED, false, false },
	{ IBV_EVENT_COMM_EST, RB_STOP_NONE, true, false },
	{ IBV_EVENT_SQ_DRAINED, RB_STOP_NONE, true, false },
	{ IBV_EVENT_PATH_MIG, RB_STOP_NONE, true, false },
	{ IBV_EVENT_QP_LAST_WQE_REACHED, RB_STOP_NONE, true, false },
	{ IBV_EVENT_PORT_ACTIVE, RB_STOP_NONE, false, true },
	{ IBV_EVENT_PORT_ERR, RB_STOP_NONE, false, true },
	{ IBV_EVENT_LID_CHANGE, RB_STOP_NONE, false, true },
	{ IBV_EVENT_PKEY_CHANGE, RB_STOP_NONE, false, true },
	{ IBV_EVENT_SM_CHANGE, RB_STOP_NONE, false, true },
	{ IBV_EVENT_CLIENT_REREGISTER, RB_STOP_NONE, false, true },
	{ IBV_EVENT_GID_CHANGE, RB_STOP_NONE, false, true },
};

static void take_event(struct rb_monitor *m, const struct ibv_async_event *e)
{
	unsigned int n = atomic_load(&m->nevents);
	struct rb_event *row = n < RB_EVENTS_MAX ? &m->events[n] : NULL;

	if (row)
		*row = (struct rb_event){ .at_ns = rb_now_ns() - m->made_ns,
					  .type = e->event_type };
	for (size_t i = 0; i < RB_ARRAY_SIZE(event_rows); i++) {
		if (event_rows[i].type != e->event_type)
			continue;
		if (row && event_rows[i].is_qp) {
			row->is_qp = true;
			row->number = e->element.qp->qp_num;
		}
		if (row && event_rows[i].is_port) {
			row->is_port = true;
			row->number = (uint32_t)e->element.port_num;
		}
		if (event_rows[i].stop) {
			if (!atomic_load(&m->stop))
				m->last = *e;
			stop(m, event_rows[i].stop);
		}
	}
	if (row)
		atomic_store(&m->nevents, n + 1);
}

void rb_monitor_events(struct rb_monitor *m)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(m->dev->ctx, &event)) {
		take_event(m, &event);
		/* unacknowledged events block the destruction of their object */
		ibv_ack_async_event(&event);
	}
}

/* Events that explain why nothing gets through any more, the best first. */
static const enum ibv_event_type explaining[] = {
	IBV_EVENT_DEVICE_FATAL, IBV_EVENT_PORT_ERR, IBV_EVENT_CQ_ERR,
	IBV_EVENT_GID_CHANGE,	IBV_EVENT_LID_CHANGE,
};

static int find_explaining(const struct rb_monitor *m)
{
	for (size_t k = 0; k < RB_ARRAY_SIZE(explaining); k++)
		for (unsigned int i = 0; i < m->nevents; i++)
			if (m->events[i].type == explaining[k])
				return (int)explaining[k];
	return -1;
}

int rb_monitor_explains(struct rb_monitor *m)
{
	uint64_t deadline = rb_deadline(EXPLAIN_NS);
	int found;

	do {
		rb_monitor_events(m);
		found = find_explaining(m);
	} while (found < 0 && !rb_wait_fd(m->dev->ctx->async_fd, POLLIN, NULL,
					  deadline));
	return found;
}

/* Frames that arrive in the middle of a run, and what they mean for it. */
static const struct {
	const char *type;
	enum rb_stop stop;
} frame_rows[] = {
	{ "error", RB_STOP_PEER_FAILED },
	{ "stop", RB_STOP_PEER_INTERRUPTED },
};

static void take_frames(struct rb_monitor *m)
{
	const json_t *frame;
	int err = rb_oob_pump(m->oob, &frame);

	m->heard_ns = rb_now_ns();
	if (err) {
		stop(m, err == -ECONNRESET ? RB_STOP_PEER_GONE :
					     RB_STOP_PEER_GARBAGE);
		return;
	}
	if (frame && !strcmp(rb_frame_type(frame), "result") &&
	    atomic_load(&m->halt_on_result))
		rb_monitor_halt(m);
	for (size_t i = 0; frame && i < RB_ARRAY_SIZE(frame_rows); i++)
		if (!strcmp(rb_frame_type(frame), frame_rows[i].type))
			stop(m, frame_rows[i].stop);
}

bool rb_monitor_blames_peer(struct rb_monitor *m)
{
	uint64_t deadline = rb_deadline(EXPLAIN_NS);

	while (atomic_load(&m->stop) == RB_STOP_NONE &&
	       !rb_wait_fd(m->oob->fd, POLLIN, NULL, deadline))
		take_frames(m);
	return atomic_load(&m->stop) != RB_STOP_NONE;
}

/* Tell the peer that this end lives, when it is time to. False: it is gone. */
static bool tell_alive(struct rb_monitor *m)
{
	uint64_t now = rb_now_ns();
	struct rb_log *log;
	int err;

	if (now - m->told_ns < m->oob->alive_ns)
		return true;
	/* a failure to send shows as silence or a reset: said there */
	log = rb_log_bind(NULL);
	err = rb_oob_send(m->oob, json_pack("{s:s}", "type", "alive"));
	rb_log_bind(log);
	m->told_ns = now;
	return !err;
}

int rb_monitor_tell_alive(struct rb_monitor *m)
{
	if (tell_alive(m))
		return 0;
	/* why it went, if it has left word */
	if (!rb_monitor_blames_peer(m))
		stop(m, RB_STOP_PEER_GONE);
	return rb_monitor_fail(m);
}

static void keep_alive(struct rb_monitor *m)
{
	if (!tell_alive(m))
		stop(m, RB_STOP_PEER_GONE);
	if (rb_now_ns() - m->heard_ns >= m->oob->timeout_ns)
		stop(m, RB_STOP_PEER_SILENT);
}

/* Until the next sign of life is due; a run is not to be woken for less. */
static int turn_ms(const struct rb_monitor *m)
{
	uint64_t due = m->told_ns + m->oob->alive_ns;

	return RB_MAX(1, rb_deadline_ms(due));
}

/* One turn: wait a little, take what came. */
static void turn(struct rb_monitor *m)
{
	bool stopped = atomic_load(&m->stop) != RB_STOP_NONE;
	struct pollfd fds[] = {
		{ .fd = m->dev->ctx->async_fd, .events = POLLIN },
		{ .fd = stopped ? -1 : m->oob->fd, .events = POLLIN },
		{ .fd = m->intr && !stopped ? m->intr->fd : -1,
		  .events = POLLIN },
		{ .fd = m->leave_fd, .events = POLLIN },
	};
	if (poll(fds, RB_ARRAY_SIZE(fds), turn_ms(m)) < 0 && errno != EINTR)
		return;
	if (fds[0].revents)
		rb_monitor_events(m);
	if (fds[1].revents)
		take_frames(m);
	if (m->intr && rb_intr_check(m->intr))
		stop(m, RB_STOP_INTERRUPTED);
	if (!stopped)
		keep_alive(m);
}

static void *thread_main(void *arg)
{
	struct rb_monitor *m = arg;

	while (!atomic_load(&m->leave) &&
	       atomic_load(&m->stop) == RB_STOP_NONE)
		turn(m);
	return NULL;
}

int rb_monitor_start(struct rb_monitor *m)
{
	int err;

	m->heard_ns = rb_now_ns();
	atomic_store(&m->leave, false);
	err = pthread_create(&m->thread, NULL, thread_main, m);
	if (err)
		return rb_fail(RB_FAULT_SYSTEM, -err,
			       "cannot start the monitor thread");
	m->running = true;
	return 0;
}

void rb_monitor_join(struct rb_monitor *m)
{
	if (!m->running)
		return;
	atomic_store(&m->leave, true);
	wake(m->leave_fd);
	pthread_join(m->thread, NULL);
	drain(m->leave_fd);
	m->running = false;
}

/* Take a queued frame of @type out of the channel's queue. */
static json_t *take_queued(struct rb_oob *oob, const char *type)
{
	json_t *frame = NULL;

	if (oob->queued && !strcmp(rb_frame_type(oob->queue[0]), type) &&
	    rb_oob_expect(oob, type, &frame))
		return NULL;
	return frame;
}

int rb_monitor_await(struct rb_monitor *m, const char *type, json_t **frame)
{
	*frame = NULL;
	m->heard_ns = rb_now_ns();
	for (;;) {
		*frame = take_queued(m->oob, type);
		if (*frame || atomic_load(&m->stop) != RB_STOP_NONE)
			return 0;
		if (m->oob->queued)
			return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				       "%s sent '%.32s' in place of '%s'",
				       m->oob->peer_name,
				       rb_frame_type(m->oob->queue[0]), type);
		turn(m);
	}
}

static int peer_failed(struct rb_monitor *m)
{
	json_t *frame = NULL;

	/* reports the frame's own words */
	return rb_oob_expect(m->oob, "none", &frame);
}

/* The peer is lost: unless an event here explains it, for the usual reason. */
static int peer_lost(struct rb_monitor *m, enum rb_fault fault, int err,
		     const char *what, const char *how_long)
{
	const struct rb_event_row *event = rb_event_row(find_explaining(m));

	return rb_fail_hint(fault, err,
			    event ? event->cause : rb_fault_row(fault)->cause,
			    event ? event->hint : NULL, "%s %s%s during the run",
			    what, m->oob->peer_name, how_long);
}

/* The device itself said that it is over: why, by the event's own row. */
static int device_spoke(struct rb_monitor *m, enum rb_fault fault)
{
	const struct rb_event_row *event = rb_event_row(m->last.event_type);

	return rb_fail_hint(fault, -EIO,
			    event ? event->cause : rb_fault_row(fault)->cause,
			    event ? event->hint : NULL,
			    "'%s' reported '%s' during the run", m->dev->name,
			    ibv_event_type_str(m->last.event_type));
}

int rb_monitor_fail(struct rb_monitor *m)
{
	char text[RB_TEXT_SIZE], silence[RB_TEXT_SIZE + 8];

	switch ((enum rb_stop)atomic_load(&m->stop)) {
	case RB_STOP_INTERRUPTED:
		return rb_fail(RB_FAULT_INTERRUPTED, -EINTR, "interrupted");
	case RB_STOP_PEER_INTERRUPTED:
		return rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
			       "interrupted on the other side");
	case RB_STOP_PEER_FAILED:
		return peer_failed(m);
	case RB_STOP_PEER_GONE:
		return peer_lost(m, RB_FAULT_PEER_GONE, -ECONNRESET,
				 "lost the connection to", "");
	case RB_STOP_PEER_SILENT:
		snprintf(silence, sizeof(silence), " for %s",
			 rb_format_duration(m->oob->timeout_ns, text));
		return peer_lost(m, RB_FAULT_PEER_SILENT, -ETIMEDOUT,
				 "no sign of life from", silence);
	case RB_STOP_PEER_GARBAGE:
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "%s sent a malformed message",
			       m->oob->peer_name);
	case RB_STOP_QP_DIED:
		return device_spoke(m, RB_FAULT_QP_DIED);
	case RB_STOP_DEVICE_DIED:
		return device_spoke(m, RB_FAULT_DEVICE_DIED);
	case RB_STOP_NONE:
		break;
	}
	return 0;
}

json_t *rb_monitor_event_json(const struct rb_monitor *m, unsigned int i)
{
	const struct rb_event *e = &m->events[i];
	json_t *o = json_pack("{s:I, s:s, s:s}", "at_ns",
			      (json_int_t)e->at_ns, "type",
			      ibv_event_type_str(e->type), "device",
			      m->dev->name);

	if (e->is_qp)
		json_object_set_new(o, "qpn", json_integer(e->number));
	if (e->is_port)
		json_object_set_new(o, "port", json_integer(e->number));
	return o;
}

json_t *rb_monitor_json(const struct rb_monitor *m)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < atomic_load(&m->nevents); i++)
		json_array_append_new(list, rb_monitor_event_json(m, i));
	return list;
}
