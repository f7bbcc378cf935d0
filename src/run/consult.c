/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * consult - the facts of two hosts, taken at the same time, and what passes
 * between them
 */
#include "run/consult.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/log.h"
#include "host/snapload.h"
#include "run/agree.h"
#include "run/checkend.h"
#include "run/probe.h"
#include "run/server.h"
#include "verbs/snapshot.h"

/* As JSON it may be twice as long, and is still a frame. */
#define PART_BYTES (RB_FRAME_MAX / 4)
#define PARTS_MOST (RB_SNAPSHOT_BYTES_MOST / PART_BYTES)
#define INTERVAL_MOST_NS (3600 * RB_NS_PER_S)

/* --- the snapshot on the wire ------------------------------------------------- */

static int send_part(struct rb_oob *oob, const char *text, size_t part,
		     size_t parts)
{
	size_t n = strnlen(text, PART_BYTES);

	return rb_oob_send(oob, json_pack("{s:s, s:I, s:I, s:s%}", "type",
					  "snapshot", "part", (json_int_t)part,
					  "parts", (json_int_t)parts, "text",
					  text, n));
}

static int send_snapshot(struct rb_oob *oob, const json_t *doc)
{
	char *text = json_dumps(doc, JSON_COMPACT | JSON_ENSURE_ASCII);
	size_t parts;
	int err = 0;

	if (!text)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot encode the snapshot for the peer");
	parts = (strlen(text) + PART_BYTES - 1) / PART_BYTES;
	for (size_t i = 0; i < parts && !err; i++)
		err = send_part(oob, text + i * PART_BYTES, i + 1, parts);
	free(text);
	return err;
}

/* What has come of the peer's snapshot. */
struct heard {
	char *text;
	size_t n;
	uint64_t part, parts;
};

static int take_part(struct heard *h, const json_t *frame)
{
	const json_t *text = json_object_get(frame, "text");
	size_t n = json_string_length(text);
	uint64_t part, parts;
	char *more;
	int err = rb_frame_uint(frame, "parts", 1, PARTS_MOST, &parts);

	if (!err)
		err = rb_frame_uint(frame, "part", h->part + 1, h->part + 1,
				    &part);
	if (err)
		return err;
	if ((h->parts && parts != h->parts) || part > parts || !n ||
	    n > PART_BYTES)
		return rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			       "the peer's snapshot comes in parts that do not fit together");
	more = realloc(h->text, h->n + n);
	if (!more)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold the peer's snapshot");
	memcpy(more + h->n, json_string_value(text), n);
	h->text = more;
	h->n += n;
	h->part = part;
	h->parts = parts;
	return 0;
}

static int receive_snapshot(struct rb_oob *oob, json_t **docp)
{
	struct heard h = { .parts = 0 };
	json_t *frame;
	int err;

	do {
		err = rb_oob_expect(oob, "snapshot", &frame);
		if (err)
			break;
		err = take_part(&h, frame);
		json_decref(frame);
	} while (!err && h.part < h.parts);
	if (!err)
		err = rb_snapshot_parse(h.text, h.n, oob->peer_name, docp);
	free(h.text);
	return err;
}

/* --- the client ---------------------------------------------------------------- */

/* Both snapshots, taken at the same time. */
static int take_both(const struct rb_consult *c, struct rb_oob *oob,
		     json_t *docs[static 2])
{
	const struct rb_snapshot_opts own = { .device = c->dev_opts.device,
					      .interval_ns = c->interval_ns,
					      .intr = c->intr };
	uint64_t patience = oob->timeout_ns;
	int err = rb_oob_send(oob, json_pack("{s:s, s:s, s:I}", "type", "agree",
					     "command", RB_CONSULT_NAME,
					     "interval_ns",
					     (json_int_t)c->interval_ns));

	if (!err)
		err = rb_snapshot_take(&own, &docs[0]);
	if (err)
		return err;
	/* the peer may have begun a little later */
	oob->timeout_ns += c->interval_ns;
	err = receive_snapshot(oob, &docs[1]);
	oob->timeout_ns = patience;
	return err;
}

int rb_consult(const struct rb_consult *c, const char *host,
	       json_t *docs[static 2])
{
	struct rb_oob oob = { .fd = -1 };
	json_t *probes = NULL;
	int err = rb_meet(&c->oob_opts, host, c->intr, &oob);

	docs[0] = docs[1] = NULL;
	if (!err)
		err = take_both(c, &oob, docs);
	if (err)
		rb_oob_tell_failure(&oob, err);
	else
		err = rb_probe(c, &oob, &probes);
	rb_oob_close(&oob);
	if (!err) {
		json_object_set_new(docs[0], "probes", probes);
		return 0;
	}
	json_decref(docs[0]);
	json_decref(docs[1]);
	docs[0] = docs[1] = NULL;
	return err;
}

/* --- the server ------------------------------------------------------------------ */

static int refuse(void)
{
	return rb_fail_hint(RB_FAULT_SNAPSHOT, -EPERM,
			    "its server was started with --no-snapshot",
			    "take it there: rbench snapshot -o FILE; then rbench doctor FILE FILE2",
			    "this host does not tell its facts to clients");
}

static int answer(struct rb_check *c, size_t *bytes)
{
	/* of all devices: which one is looked at is for the client to say */
	struct rb_snapshot_opts own = { .intr = c->intr };
	json_t *doc = NULL;
	int err = rb_frame_uint(c->plan, "interval_ns", RB_NS_PER_MS,
				INTERVAL_MOST_NS, &own.interval_ns);

	if (!err)
		err = rb_snapshot_take(&own, &doc);
	if (!err)
		err = send_snapshot(&c->oob, doc);
	*bytes = doc ? json_dumpb(doc, NULL, 0, JSON_COMPACT) : 0;
	json_decref(doc);
	return err;
}

/* Probes, or the client's leave. */
static int follow(struct rb_check *c)
{
	json_t *frame;
	int err = rb_oob_await_either(&c->oob, "agree", "bye", &frame);

	if (err)
		return err;
	if (!strcmp(rb_frame_type(frame), "bye")) {
		json_decref(frame);
		return rb_oob_send(&c->oob, json_pack("{s:s}", "type", "bye"));
	}
	json_decref(c->plan);
	c->plan = frame;
	return rb_check_respond(c);
}

static enum rb_status status_of(int err)
{
	return !err	      ? RB_STATUS_OK :
	       err == -EINTR ? RB_STATUS_INTERRUPTED :
			       RB_STATUS_FAILED;
}

int rb_consult_serve(struct rb_visit *visit)
{
	struct rb_check c = { .intr = visit->intr };
	size_t bytes = 0;
	int err;

	rb_check_bind(&c);
	rb_optset_inherit(&c.set, visit->set);
	c.oob = rb_visit_take(visit, &c.plan);
	err = rb_visit_report(visit, RB_CONSULT_NAME, &c.report_opts, &c.report);
	if (!err) {
		err = visit->discreet ? refuse() : answer(&c, &bytes);
		if (err)
			rb_oob_tell_failure(&c.oob, err);
	}
	if (!err)
		err = follow(&c);
	rb_check_close(&c);
	visit->status = status_of(err);
	snprintf(visit->result, sizeof(visit->result),
		 "a snapshot of %zu bytes, %" PRIu64 " probes", bytes, c.seq);
	if (rb_report_finish(&c.report, visit->status, rb_log_bound()) && !err)
		err = -EIO;
	rb_report_close(&c.report);
	return err;
}
