/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * oob - send and receive the side channel's frames
 */
#include "peer/oob.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "base/report.h"
#include "base/trace.h"
#include "base/units.h"

#define LENGTH_BYTES 4
#define ENDING "\r\n\r\n"
#define TRACED_BYTES 400u /* of a frame */

void rb_oob_close(struct rb_oob *oob)
{
	if (oob->buf || oob->limit)
		close(oob->fd);
	for (unsigned int i = 0; i < oob->queued; i++)
		json_decref(oob->queue[i]);
	free(oob->buf);
	memset(oob, 0, sizeof(*oob));
	oob->fd = -1;
}

const char *rb_frame_type(const json_t *frame)
{
	const char *type = json_string_value(json_object_get(frame, "type"));

	return type ? type : "";
}

int rb_frame_uint(const json_t *frame, const char *key, uint64_t min,
		  uint64_t max, uint64_t *value)
{
	const json_t *v = json_object_get(frame, key);
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || (uint64_t)n < min ||
	    (uint64_t)n > max)
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "the peer's '%s' message has no valid '%s'",
			       rb_frame_type(frame), key);
	*value = (uint64_t)n;
	return 0;
}

int rb_frame_uint_maybe(const json_t *frame, const char *key, uint64_t min,
			uint64_t max, uint64_t *value)
{
	return json_object_get(frame, key) ?
		       rb_frame_uint(frame, key, min, max, value) :
		       0;
}

static int gone(const struct rb_oob *oob)
{
	if (!oob->greeted)
		return rb_fail_cause(
			RB_FAULT_PEER_NOT_RBENCH, -ECONNRESET,
			"perftest and many other services close like that when they do not understand",
			"%s closed the connection without a greeting: it is not rbench",
			oob->peer_name);
	return rb_fail(RB_FAULT_PEER_GONE, -ECONNRESET,
		       "lost the connection to %s", oob->peer_name);
}

static int silent(const struct rb_oob *oob, const char *awaited)
{
	char text[RB_TEXT_SIZE];

	rb_format_duration(oob->timeout_ns, text);
	if (!oob->greeted)
		return rb_fail_cause(
			RB_FAULT_PEER_NOT_RBENCH, -ETIMEDOUT,
			"something accepts connections there, but it does not greet as rbench does; perftest waits like that",
			"%s did not greet within %s", oob->peer_name, text);
	return rb_fail(RB_FAULT_PEER_SILENT, -ETIMEDOUT,
		       "no '%s' message from %s within %s", awaited,
		       oob->peer_name, text);
}

static int interrupted(void)
{
	return rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
		       "interrupted while waiting for the peer");
}

static int send_all(struct rb_oob *oob, const uint8_t *data, size_t n)
{
	uint64_t deadline = rb_deadline(oob->timeout_ns);

	while (n) {
		ssize_t sent = send(oob->fd, data, n, MSG_NOSIGNAL);
		int err;

		if (sent > 0) {
			data += sent;
			n -= (size_t)sent;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = rb_wait_fd(oob->fd, POLLOUT, oob->intr, deadline);
		if (err)
			return err;
	}
	return 0;
}

/* The frame's bytes in a new buffer. */
static uint8_t *encode(const json_t *frame, size_t *n)
{
	size_t text = json_dumpb(frame, NULL, 0, JSON_COMPACT);
	size_t length = text + strlen(ENDING);
	uint8_t *buf = text ? malloc(LENGTH_BYTES + length) : NULL;

	if (!buf)
		return NULL;
	buf[0] = (uint8_t)(length >> 24);
	buf[1] = (uint8_t)(length >> 16);
	buf[2] = (uint8_t)(length >> 8);
	buf[3] = (uint8_t)length;
	json_dumpb(frame, (char *)buf + LENGTH_BYTES, text, JSON_COMPACT);
	memcpy(buf + LENGTH_BYTES + text, ENDING, strlen(ENDING));
	*n = LENGTH_BYTES + length;
	return buf;
}

static uint32_t length_of(const uint8_t *buf)
{
	return (uint32_t)buf[0] << 24 | (uint32_t)buf[1] << 16 |
	       (uint32_t)buf[2] << 8 | buf[3];
}

/* How much of a frame's text is traced: not its ending. */
static int traced(const uint8_t *buf)
{
	uint32_t n = length_of(buf);

	while (n && isspace(buf[LENGTH_BYTES + n - 1]))
		n--;
	return (int)RB_MIN(n, TRACED_BYTES);
}

int rb_oob_send(struct rb_oob *oob, json_t *frame)
{
	size_t n;
	uint8_t *buf = encode(frame, &n);
	uint64_t since;
	int err;

	if (!buf) {
		json_decref(frame);
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot encode a message for the peer");
	}
	rb_debug("send %s (%zu bytes)", rb_frame_type(frame), n);
	json_decref(frame);
	since = rb_trace_begin();
	err = send_all(oob, buf, n);
	rb_trace_end(since, err, "send", "fd %d, %zu bytes, %.*s", oob->fd, n,
		     traced(buf), buf + LENGTH_BYTES);
	free(buf);
	if (err == -EINTR)
		return interrupted();
	if (err == -ETIMEDOUT)
		return silent(oob, "any");
	return err ? gone(oob) : 0;
}

/* Room for @need bytes. */
static int make_room(struct rb_oob *oob, size_t need)
{
	uint8_t *buf;

	if (need <= oob->size)
		return 0;
	buf = realloc(oob->buf, need);
	if (!buf)
		return -ENOMEM;
	oob->buf = buf;
	oob->size = need;
	return 0;
}

static int queue_frame(struct rb_oob *oob, size_t length)
{
	json_t *frame;

	if (oob->queued == RB_OOB_QUEUE)
		return -EPROTO;
	frame = json_loadb((const char *)oob->buf + LENGTH_BYTES, length,
			   JSON_REJECT_DUPLICATES, NULL);
	oob->have = 0;
	if (!json_is_object(frame)) {
		json_decref(frame);
		return -EPROTO;
	}
	oob->greeted = true;
	rb_debug("got %s (%zu bytes)", rb_frame_type(frame), length);
	rb_trace_event("recv", "fd %d, %zu bytes, %.*s", oob->fd, length,
		       traced(oob->buf), oob->buf + LENGTH_BYTES);
	oob->queue[oob->queued++] = frame;
	return 0;
}

/* How many bytes of the present frame are still missing (1 or more). */
static int missing(struct rb_oob *oob, size_t *n)
{
	if (oob->have < LENGTH_BYTES) {
		*n = LENGTH_BYTES - oob->have;
		return 0;
	}
	if (!length_of(oob->buf) || length_of(oob->buf) > oob->limit)
		return -EPROTO;
	*n = LENGTH_BYTES + length_of(oob->buf) - oob->have;
	return 0;
}

/* Read without waiting until a frame is complete or nothing is left. */
static int read_some(struct rb_oob *oob)
{
	unsigned int before = oob->queued;

	while (oob->queued == before) {
		ssize_t got;
		size_t n;
		int err = missing(oob, &n);

		if (!err)
			err = make_room(oob, oob->have + n);
		if (err)
			return err;
		got = recv(oob->fd, oob->buf + oob->have, n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? -EAGAIN : -ECONNRESET;
		if (!got)
			return -ECONNRESET;
		oob->have += (size_t)got;
		if (oob->have > LENGTH_BYTES &&
		    oob->have == LENGTH_BYTES + (size_t)length_of(oob->buf))
			err = queue_frame(oob, length_of(oob->buf));
		if (err)
			return err;
	}
	return 0;
}

static json_t *dequeue(struct rb_oob *oob)
{
	json_t *frame = oob->queue[0];

	oob->queued--;
	memmove(&oob->queue[0], &oob->queue[1],
		oob->queued * sizeof(oob->queue[0]));
	return frame;
}

int rb_oob_pump(struct rb_oob *oob, const json_t **frame)
{
	int err = read_some(oob);

	*frame = NULL;
	if (err == -EAGAIN)
		return 0;
	if (err)
		return err;
	if (!strcmp(rb_frame_type(oob->queue[oob->queued - 1]), "alive"))
		json_decref(oob->queue[--oob->queued]);
	else
		*frame = oob->queue[oob->queued - 1];
	return 0;
}

/* Services that answer our greeting in their own way, by their first bytes. */
static const struct {
	const char *start, *what;
} services[] = {
	{ "HTTP", "an HTTP server" },
	{ "<htm", "an HTTP server" },
	{ "<!DO", "an HTTP server" },
	{ "SSH-", "an SSH server" },
	{ "220 ", "a mail or FTP server" },
};

static int garbage(const struct rb_oob *oob)
{
	const char *what = "another service";
	const char *b = (const char *)oob->buf;

	if (oob->greeted)
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "%s sent a malformed message", oob->peer_name);
	for (size_t i = 0; i < RB_ARRAY_SIZE(services); i++)
		if (oob->have >= 4 && !strncmp(b, services[i].start, 4))
			what = services[i].what;
	/* perftest greets with its version as text, like "6.29" */
	if (oob->have >= 4 && isdigit((unsigned char)b[0]) && b[1] == '.' &&
	    isdigit((unsigned char)b[2]))
		what = "perftest";
	return rb_fail(RB_FAULT_PEER_NOT_RBENCH, -EPROTO,
		       "%s answers like %s, not like rbench", oob->peer_name,
		       what);
}

int rb_oob_peer_failed(const struct rb_oob *oob, const json_t *frame)
{
	struct rb_failure f, own;

	rb_failure_load(&f, frame);
	own = f;
	snprintf(own.message, sizeof(own.message), "%s failed: %.400s",
		 oob->peer_name, f.message);
	own.err = f.fault == RB_FAULT_TRANSPORT ? -EOPNOTSUPP : -EREMOTEIO;
	return rb_fail_raw(&own);
}

void rb_oob_tell_failure(struct rb_oob *oob, int err)
{
	struct rb_log *log = rb_log_bound();
	json_t *frame;

	if (!oob->limit || err == -EREMOTEIO || err == -ECONNRESET ||
	    !log->failed)
		return;
	frame = rb_failure_json(&log->first);
	json_object_set_new(frame, "type", json_string("error"));
	oob->intr = NULL;
	rb_oob_send(oob, frame);
}

static int next_frame(struct rb_oob *oob, const char *awaited, json_t **frame)
{
	uint64_t deadline = rb_deadline(oob->timeout_ns);

	while (!oob->queued) {
		int err = read_some(oob);

		if (err == -EAGAIN)
			err = rb_wait_fd(oob->fd, POLLIN, oob->intr, deadline);
		if (err == -ETIMEDOUT)
			return silent(oob, awaited);
		if (err == -EINTR)
			return interrupted();
		if (err == -EPROTO)
			return garbage(oob);
		if (err)
			return gone(oob);
	}
	*frame = dequeue(oob);
	return 0;
}

/* Frames that may come at any time and say nothing to one who waits. */
static bool is_aside(const json_t *frame)
{
	const char *type = rb_frame_type(frame);

	return !strcmp(type, "alive") || !strcmp(type, "stop");
}

int rb_oob_next(struct rb_oob *oob, json_t **frame)
{
	for (;;) {
		int err = next_frame(oob, "any", frame);

		if (err || strcmp(rb_frame_type(*frame), "alive"))
			return err;
		json_decref(*frame);
	}
}

int rb_oob_expect(struct rb_oob *oob, const char *type, json_t **frame)
{
	return rb_oob_await_either(oob, type, type, frame);
}

int rb_oob_await_either(struct rb_oob *oob, const char *type, const char *other,
			json_t **frame)
{
	for (;;) {
		json_t *got = NULL;
		int err = next_frame(oob, type, &got);

		if (err)
			return err;
		if (!strcmp(rb_frame_type(got), type) ||
		    !strcmp(rb_frame_type(got), other)) {
			*frame = got;
			return 0;
		}
		if (!strcmp(rb_frame_type(got), "error"))
			err = rb_oob_peer_failed(oob, got);
		else if (!is_aside(got))
			err = rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
				      "%s sent '%.32s' in place of '%s'",
				      oob->peer_name, rb_frame_type(got), type);
		json_decref(got);
		if (err)
			return err;
	}
}
