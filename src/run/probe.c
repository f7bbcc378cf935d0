/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe - what a pair of hosts needs that no snapshot tells: does it pass?
 */
#include "run/probe.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "host/facts.h"
#include "run/checkend.h"
#include "run/checkrow.h"
#include "run/consult.h"

#define SMALL_BYTES 64 /* one packet, whatever the path MTU */
#define FULL_PACKETS 4 /* some of them in a row, each as large as the path allows */

static const struct {
	const char *trial; /* of rb_trial_rows */
	bool full;	   /* of packets of the path MTU */
	bool back;	   /* the peer acts */
} rows[] = {
	{ "connect-manual", false, false },
	{ "write", false, false },
	{ "write", false, true },
	{ "write", true, false },
	{ "write", true, true },
	{ "connect-cm", false, false },
};

/* The trials, as far as it makes sense to go on. */
static int try_all(struct rb_check *check, json_t *tests)
{
	uint32_t full = FULL_PACKETS * check->end.path.mtu;
	int err = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows) && !err; i++) {
		struct rb_outcome outcomes[2] = { { .status = 0 } };
		struct rb_trial t = {
			.row = rb_trial_find(rows[i].trial),
			.end = &check->end,
			.size = rows[i].full ? full : SMALL_BYTES,
			.acts = !rows[i].back,
		};
		struct rb_check_row row;

		/* rdma_cm is tried whatever became of the rest */
		if (t.row->flags & RB_TRIAL_CM)
			check->dead = NULL;
		err = rb_check_try(check, &t, outcomes, &row);
		if (err)
			break;
		json_array_append_new(tests,
				      rb_fields_json(&rb_check_fields, &row));
		/* each further one would wait for all retries */
		if (!check->dead && row.outcome == rb_check_fail)
			check->dead = "a smaller one failed already";
	}
	return err;
}

/* Which port it was, at one end. */
static json_t *place_json(const json_t *end)
{
	static const char *const keys[] = { "device", "port", "gid" };
	json_t *place = json_object();

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++)
		rb_fact_value(place, keys[i],
			      json_incref(json_object_get(end, keys[i])));
	return place;
}

static int probe(struct rb_check *check, json_t *entry)
{
	json_t *tests = json_array();
	int err = rb_check_join(check);

	if (!err) {
		rb_fact_value(entry, "local", place_json(check->ends.local));
		rb_fact_value(entry, "peer", place_json(check->ends.peer));
		rb_fact_uint(entry, "path_mtu", check->end.path.mtu);
		rb_fact_number(entry, "traffic_class", check->end.path.tclass);
		err = try_all(check, tests);
		rb_fact_value(entry, "tests", json_incref(tests));
	}
	if (!err)
		err = rb_check_leave(check);
	json_decref(tests);
	return err;
}

static void prepare(struct rb_check *check, const struct rb_consult *c,
		    struct rb_oob *oob)
{
	rb_check_bind(check);
	check->intr = c->intr;
	check->dev_opts = c->dev_opts;
	check->oob = *oob;
	if (c->tclass != RB_AUTO)
		rb_optset_put(&check->set, "tclass", c->tclass, RB_SOURCE_USER);
}

static void release(struct rb_check *check, struct rb_oob *oob)
{
	*oob = check->oob;
	rb_ends_free(&check->ends);
	rb_dev_close(check->dev);
}

/* What fails here is a fact, not a failure of the command: a log of its own. */
int rb_probe(const struct rb_consult *c, struct rb_oob *oob, json_t **probes)
{
	struct rb_log *own, log;
	struct rb_check check = { .seq = 0 };
	json_t *entry = json_object();
	int err;

	rb_log_init_aside(&log);
	own = rb_log_bind(&log);
	prepare(&check, c, oob);
	err = probe(&check, entry);
	release(&check, oob);
	rb_log_bind(own);
	if (err && log.first.fault == RB_FAULT_INTERRUPTED) {
		err = rb_fail_raw(&log.first);
	} else {
		if (err)
			rb_fact_text(entry, "error", log.first.message);
		err = 0;
		*probes = json_pack("[O]", entry);
	}
	rb_log_fini(&log);
	json_decref(entry);
	return err;
}
