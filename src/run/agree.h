/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * agree - hello and the plan that both ends follow
 *
 *   client                                server
 *     hello { protocol, version, timeout }  ->
 *                                        <-  hello
 *     agree { command, options, end,     ->  takes the options over, opens its
 *             gids, ... }                    device, checks its limits
 *                                        <-  agree { end, gids, ... }
 *     chooses the pair of GIDs and the path MTU; endpoints (peer/conn.h) follow
 *
 * "end" is what the document says of one end; unknown keys are ignored.
 */
#ifndef RB_AGREE_H
#define RB_AGREE_H

#include <jansson.h>
#include <stdbool.h>

#include "verbs/gid.h"

struct rb_intr;
struct rb_oob;
struct rb_oob_opts;
struct rb_dev;
struct rb_path;
struct rb_optset;

struct rb_cores;

#define RB_PROTOCOL 1

/* What the ends know of each other. */
struct rb_ends {
	struct rb_gid_table local_gids, peer_gids;
	json_t *local, *peer; /* "local" and "peer" of the document; owned */
	unsigned int peer_mtu;
	unsigned int rd_atomic; /* what both devices can have outstanding */
	uint64_t queue_entries;	/* what a queue holds on both devices; 0: unknown */
	uint64_t link_bits_per_s; /* of the slower link; 0: unknown */
	bool global_wanted;	  /* by -x on either end */
	/* this end's measuring threads; borrowed; NULL or none: anywhere */
	const struct rb_cores *cores;
};

/* Greet; the same on both ends. 0 or -errno (reported). */
int rb_hello(struct rb_oob *oob, bool client);

/*
 * Client: reach the server at @host and greet it. One that is busy with another
 * client is come back to until opts->wait_ns is over. 0 or -errno (reported:
 * those of rb_oob_dial() and rb_hello(), SERVER_BUSY).
 */
int rb_meet(const struct rb_oob_opts *opts, const char *host,
	    struct rb_intr *intr, struct rb_oob *oob);

/*
 * Server: greet whoever connected. One that is no client of this version (a port
 * scanner, a browser) is warned of and closed: -EAGAIN. -EINTR (reported) for a
 * signal.
 */
int rb_hello_client(struct rb_oob *oob);

/* Client: send the plan of @command, take in the server's answer. */
int rb_agree_client(struct rb_oob *oob, const char *command,
		    const struct rb_optset *set, const struct rb_dev *dev,
		    uint64_t gid_index, struct rb_ends *ends);

/* Server: wait for the client's plan, a new reference. 0 or -errno (reported). */
int rb_agree_await(struct rb_oob *oob, json_t **plan);

/* The command that the client asks for; "" when it names none. */
const char *rb_agree_command(const json_t *plan);

/* Server: @plan must be of @command; its options go into @set. */
int rb_agree_take(const json_t *plan, const char *command,
		  struct rb_optset *set);

/* Server: with the device opened, answer the @plan. */
int rb_agree_answer(struct rb_oob *oob, const json_t *plan,
		    const struct rb_dev *dev, uint64_t gid_index,
		    struct rb_ends *ends);

/* What the user wants of the path; RB_AUTO leaves it to us. */
struct rb_path_wish {
	uint64_t mtu;
	uint64_t rd_atomic;
};

/*
 * Client: choose the pair of GIDs, the path MTU and the number of outstanding
 * reads and atomics for @path. 0 or -errno (reported).
 */
int rb_agree_path(const struct rb_oob *oob, const struct rb_dev *dev,
		  const struct rb_ends *ends, const struct rb_path_wish *wish,
		  struct rb_path *path);

/* Put the chosen GIDs into the ends' descriptions. */
void rb_ends_describe(struct rb_ends *ends, const struct rb_path *path);
void rb_ends_free(struct rb_ends *ends);

#endif
