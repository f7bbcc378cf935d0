/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * agree - hello and the plan that both ends follow
 */
#include "run/agree.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/units.h"
#include "peer/admit.h"
#include "peer/oob.h"
#include "verbs/dev.h"
#include "verbs/qp.h"

#define BUSY_PAUSE_NS (200 * RB_NS_PER_MS)
#define SIGNS_OF_LIFE 4 /* within the peer's patience */

static json_t *hello_json(const struct rb_oob *oob)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:I}", "type", "hello",
			 "program", "rbench", "protocol", RB_PROTOCOL,
			 "version", PACKAGE_VERSION, "timeout_ns",
			 (json_int_t)oob->timeout_ns);
}

/* How often the peer has to hear from us, by how long it waits. */
static int take_patience(struct rb_oob *oob, const json_t *hello)
{
	uint64_t timeout = SIGNS_OF_LIFE * RB_NS_PER_S;
	int err = rb_frame_uint_maybe(hello, "timeout_ns", RB_NS_PER_MS,
				      INT64_MAX, &timeout);

	oob->alive_ns = RB_MIN(oob->alive_ns, timeout / SIGNS_OF_LIFE);
	return err;
}

static int check_hello(const struct rb_oob *oob, const json_t *frame)
{
	const char *version =
		json_string_value(json_object_get(frame, "version"));
	json_int_t protocol =
		json_integer_value(json_object_get(frame, "protocol"));

	if (protocol == RB_PROTOCOL)
		return 0;
	return rb_fail(RB_FAULT_PEER_VERSION, -EPROTONOSUPPORT,
		       "%s speaks protocol %d (rbench %.20s), this is %d (rbench %s)",
		       oob->peer_name, (int)protocol, version ? version : "?",
		       RB_PROTOCOL, PACKAGE_VERSION);
}

/* The other end's greeting is there. */
static int take_hello(struct rb_oob *oob, json_t *frame)
{
	int err = check_hello(oob, frame);

	if (!err)
		err = take_patience(oob, frame);
	json_decref(frame);
	if (!err)
		oob->limit = RB_FRAME_MAX;
	return err;
}

int rb_hello(struct rb_oob *oob, bool client)
{
	json_t *frame;
	int err = 0;

	if (client)
		err = rb_oob_send(oob, hello_json(oob));
	if (!err)
		err = rb_oob_expect(oob, "hello", &frame);
	if (err)
		return err;
	if (!client)
		err = rb_oob_send(oob, hello_json(oob));
	if (!err)
		return take_hello(oob, frame);
	json_decref(frame);
	return err;
}

/* As rb_hello(); the server may say that it is busy: -EBUSY, and how in *@busy. */
static int greet(struct rb_oob *oob, json_t **busy)
{
	json_t *frame;
	int err = rb_oob_send(oob, hello_json(oob));

	if (!err)
		err = rb_oob_await_either(oob, "hello", "busy", &frame);
	if (err)
		return err;
	if (!strcmp(rb_frame_type(frame), "hello"))
		return take_hello(oob, frame);
	*busy = frame;
	return -EBUSY;
}

static int is_busy(const struct rb_oob *oob, const json_t *busy)
{
	json_t *with = rb_admit_text(json_object_get(busy, "with"));
	uint64_t ns = 0;
	char text[RB_TEXT_SIZE];
	int err;

	err = rb_frame_uint_maybe(busy, "for_ns", 0, INT64_MAX, &ns);
	if (err)
		goto out;
	rb_format_duration(RB_MAX(ns / RB_NS_PER_S, 1) * RB_NS_PER_S, text);
	err = rb_fail(RB_FAULT_SERVER_BUSY, -EBUSY,
		      "%s has been busy for %s with %s", oob->peer_name, text,
		      with ? json_string_value(with) : "another client");
out:
	json_decref(with);
	return err;
}

int rb_meet(const struct rb_oob_opts *opts, const char *host,
	    struct rb_intr *intr, struct rb_oob *oob)
{
	uint64_t deadline = rb_deadline(opts->wait_ns), now;
	struct rb_oob_opts left = *opts; /* its patience is for all turns together */
	bool told = false;

	for (;;) {
		json_t *busy = NULL;
		int err = rb_oob_dial(&left, host, intr, oob);

		if (!err)
			err = greet(oob, &busy);
		if (err != -EBUSY)
			return err;
		now = rb_now_ns();
		if (now >= deadline) {
			err = is_busy(oob, busy);
			json_decref(busy);
			return err;
		}
		json_decref(busy);
		if (!told)
			rb_info("%s is busy with another client; waiting",
				oob->peer_name);
		told = true;
		left.wait_ns = deadline - now;
		rb_oob_close(oob);
		if (rb_wait_fd(-1, 0, intr, rb_deadline(BUSY_PAUSE_NS)) ==
		    -EINTR)
			return rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
				       "interrupted while waiting for the server");
	}
}

int rb_hello_client(struct rb_oob *oob)
{
	struct rb_log *log = rb_log_bind(NULL);
	int err = rb_hello(oob, false);

	/* a stranger's failure to greet is not this server's */
	rb_log_bind(log);
	if (!err)
		return 0;
	if (oob->intr && atomic_load(&oob->intr->hit))
		return rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
			       "interrupted while waiting for a client");
	rb_warn("stranger",
		"a client at %s did not greet as this version of rbench does; still waiting",
		oob->peer_name);
	rb_oob_close(oob);
	return -EAGAIN;
}

/* Outstanding reads and atomics that a QP can have in both roles. */
static unsigned int rd_atomic_of(const struct rb_dev *dev)
{
	int most = RB_MIN(dev->attr.max_qp_rd_atom,
			  dev->attr.max_qp_init_rd_atom);

	return (unsigned int)RB_MAX(0, RB_MIN(most, UINT8_MAX));
}

/* Requests that a queue of the device holds; 0: it does not say. */
static unsigned int queue_entries_of(const struct rb_dev *dev)
{
	return (unsigned int)RB_MAX(0, dev->attr.max_qp_wr);
}

/* The lower of two limits; 0: there is none. */
static uint64_t lower_limit(uint64_t a, uint64_t b)
{
	return a && b ? RB_MIN(a, b) : RB_MAX(a, b);
}

/* What each end says of itself in "agree". */
static void describe(json_t *frame, const struct rb_dev *dev,
		     const struct rb_ends *ends)
{
	json_object_set_new(frame, "end", rb_dev_json(dev, ends->cores));
	json_object_set_new(frame, "gids",
			    rb_gid_table_json(&ends->local_gids));
	json_object_set_new(frame, "mtu", json_integer(dev->mtu_bytes));
	json_object_set_new(frame, "rd_atomic",
			    json_integer(rd_atomic_of(dev)));
	json_object_set_new(frame, "queue_entries",
			    json_integer(queue_entries_of(dev)));
	json_object_set_new(frame, "link_bits_per_s",
			    json_integer((json_int_t)dev->bits_per_s));
	json_object_set_new(frame, "link_layer",
			    json_integer(dev->port_attr.link_layer));
}

static int take_description(const json_t *frame, const struct rb_dev *dev,
			    struct rb_ends *ends)
{
	const json_t *end = json_object_get(frame, "end");
	uint64_t mtu, rate, layer, rd_atomic = 1, entries = 0;
	int err = rb_frame_uint(frame, "mtu", 256, 65536, &mtu);

	if (!err)
		err = rb_frame_uint(frame, "link_bits_per_s", 0, INT64_MAX,
				    &rate);
	if (!err)
		err = rb_frame_uint(frame, "link_layer", 0, 255, &layer);
	if (!err)
		err = rb_frame_uint_maybe(frame, "rd_atomic", 0, UINT8_MAX,
					  &rd_atomic);
	if (!err)
		err = rb_frame_uint_maybe(frame, "queue_entries", 0, INT_MAX,
					  &entries);
	if (err)
		return err;
	ends->peer = rb_admit_end(end);
	if (!ends->peer || rb_gid_table_load(&ends->peer_gids,
					     json_object_get(frame, "gids")))
		err = rb_fail(RB_FAULT_PEER_PROTOCOL, -EPROTO,
			      "the peer's description of itself is malformed");
	if (err)
		return err;
	if (layer != dev->port_attr.link_layer)
		return rb_fail_cause(RB_FAULT_GID_MISMATCH, -EADDRNOTAVAIL,
				     "InfiniBand and Ethernet ports cannot reach each other",
				     "the ports of the two ends have different link layers");
	ends->peer_mtu = (unsigned int)mtu;
	ends->rd_atomic = RB_MIN((unsigned int)rd_atomic, rd_atomic_of(dev));
	ends->queue_entries = lower_limit(entries, queue_entries_of(dev));
	ends->link_bits_per_s = lower_limit(rate, dev->bits_per_s);
	ends->global_wanted = ends->local_gids.wanted != UINT_MAX ||
			      ends->peer_gids.wanted != UINT_MAX;
	return 0;
}

int rb_agree_client(struct rb_oob *oob, const char *command,
		    const struct rb_optset *set, const struct rb_dev *dev,
		    uint64_t gid_index, struct rb_ends *ends)
{
	json_t *frame;
	int err = rb_gid_table_read(dev, gid_index, &ends->local_gids);

	if (err)
		return err;
	frame = json_pack("{s:s, s:s, s:o}", "type", "agree", "command",
			  command, "options", rb_optset_agreement(set));
	describe(frame, dev, ends);
	err = rb_oob_send(oob, frame);
	if (!err)
		err = rb_oob_expect(oob, "agree", &frame);
	if (err)
		return err;
	err = take_description(frame, dev, ends);
	json_decref(frame);
	if (err)
		return err;
	rb_gid_table_reach(&ends->local_gids, &ends->peer_gids);
	ends->local = rb_dev_json(dev, ends->cores);
	return 0;
}

int rb_agree_await(struct rb_oob *oob, json_t **plan)
{
	return rb_oob_expect(oob, "agree", plan);
}

const char *rb_agree_command(const json_t *plan)
{
	const char *asked = json_string_value(json_object_get(plan, "command"));

	return asked ? asked : "";
}

int rb_agree_take(const json_t *plan, const char *command,
		  struct rb_optset *set)
{
	const char *asked = rb_agree_command(plan);

	if (strcmp(asked, command))
		return rb_fail_hint(RB_FAULT_PEER_PROTOCOL, -EPROTO, NULL,
				    "run the same command on both sides, or 'rbench server' there",
				    "the client asked for '%.32s', but this is '%s'",
				    *asked ? asked : "nothing", command);
	return rb_optset_agree(set, json_object_get(plan, "options"));
}

int rb_agree_answer(struct rb_oob *oob, const json_t *plan,
		    const struct rb_dev *dev, uint64_t gid_index,
		    struct rb_ends *ends)
{
	json_t *frame;
	int err = rb_gid_table_read(dev, gid_index, &ends->local_gids);

	if (!err)
		err = take_description(plan, dev, ends);
	if (err)
		return err;
	rb_gid_table_reach(&ends->local_gids, &ends->peer_gids);
	ends->local = rb_dev_json(dev, ends->cores);
	frame = json_pack("{s:s}", "type", "agree");
	describe(frame, dev, ends);
	return rb_oob_send(oob, frame);
}

static int choose_mtu(const struct rb_dev *dev, const struct rb_ends *ends,
		      uint64_t wanted, struct rb_path *path)
{
	unsigned int most = RB_MIN(dev->mtu_bytes, ends->peer_mtu);

	if (wanted != RB_AUTO && wanted > most)
		return rb_fail(RB_FAULT_MTU, -EINVAL,
			       "path MTU %u is above the active MTU of %s port (%u)",
			       (unsigned int)wanted,
			       wanted > dev->mtu_bytes ? "this" : "the peer's",
			       most);
	path->mtu = wanted == RB_AUTO ? most : (unsigned int)wanted;
	return 0;
}

static int choose_rd_atomic(const struct rb_ends *ends, uint64_t wanted,
			    struct rb_path *path)
{
	if (wanted != RB_AUTO && wanted > ends->rd_atomic)
		return rb_fail(RB_FAULT_RD_ATOMIC, -EINVAL,
			       "the two devices can have %u reads or atomics outstanding, not %u",
			       ends->rd_atomic, (unsigned int)wanted);
	path->rd_atomic = (uint8_t)(wanted == RB_AUTO ? ends->rd_atomic :
							wanted);
	return 0;
}

int rb_agree_path(const struct rb_oob *oob, const struct rb_dev *dev,
		  const struct rb_ends *ends, const struct rb_path_wish *wish,
		  struct rb_path *path)
{
	int err = choose_mtu(dev, ends, wish->mtu, path);

	if (!err)
		err = choose_rd_atomic(ends, wish->rd_atomic, path);
	if (err)
		return err;
	path->global = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET ||
		       ends->global_wanted;
	return rb_gid_choose(&ends->local_gids, &ends->peer_gids,
			     (const struct sockaddr *)&oob->local,
			     (const struct sockaddr *)&oob->peer, &path->gids);
}

void rb_ends_describe(struct rb_ends *ends, const struct rb_path *path)
{
	if (ends->local)
		json_object_set_new(ends->local, "gid",
				    rb_gid_json(&path->gids.local));
	if (ends->peer)
		json_object_set_new(ends->peer, "gid",
				    rb_gid_json(&path->gids.peer));
}

void rb_ends_free(struct rb_ends *ends)
{
	json_decref(ends->local);
	json_decref(ends->peer);
	ends->local = ends->peer = NULL;
}
