/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * consult - the facts of two hosts, taken at the same time, and what passes
 * between them
 *
 *   client                                  server
 *     agree { command: "doctor",          ->
 *             interval_ns }
 *     takes its own snapshot                  takes its own
 *                                         <-  snapshot { part, parts, text }...
 *     agree { command: "check", ... }     ->  (run/check.c) probes: run/probe.h
 *                                         <-  agree ...
 *     bye                                 ->
 *                                         <-  bye
 *
 * The texts of all parts, one after the other, are the server's snapshot
 * (rbench-snapshot(5)) in ASCII: it may be larger than a frame. A client that makes
 * no probes says "bye" in place of the second "agree".
 */
#ifndef RB_CONSULT_H
#define RB_CONSULT_H

#include <jansson.h>
#include <stdint.h>

#include "peer/oob.h"
#include "verbs/dev.h"

struct rb_intr;
struct rb_visit;

#define RB_CONSULT_NAME "doctor" /* what the client asks for */

struct rb_consult {
	struct rb_oob_opts oob_opts;
	struct rb_dev_opts dev_opts; /* of this end: its snapshot, its probes */
	uint64_t interval_ns;	     /* between two readings of counters, on both ends */
	uint64_t tclass;	     /* of the probes; RB_AUTO */
	struct rb_intr *intr;
};

/*
 * Ask the server at @host. 0 and sets @docs to the snapshots of this host, with
 * "probes" in it, and of the other one (owned by the caller; as safe as one that
 * rb_snapshot_parse() took), or -errno (reported). Blocks for the interval and for
 * what the probes take, which is seconds where nothing passes.
 */
int rb_consult(const struct rb_consult *c, const char *host,
	       json_t *docs[static 2]);

/* Be the other end for one client of a server. 0 or -errno (reported). */
int rb_consult_serve(struct rb_visit *visit);

#endif
