/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * oob - the side channel: JSON frames over TCP, a deadline on every wait
 *
 * A frame is its length (4 bytes, big endian, without itself) and a JSON object
 * with at least "type". The object's text ends in white space, so that a server
 * of another kind that waits for a line end answers and can be recognised.
 * Unknown keys are ignored by every reader. The peer is not trusted: lengths,
 * types and ranges are checked here and by those who read the frames.
 *
 * Client and server exist only in peer/: who dialled. Not thread safe; during a
 * run one thread (the monitor) owns the channel.
 */
#ifndef RB_OOB_H
#define RB_OOB_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"

struct rb_intr;

#define RB_OOB_PORT 18515 /* perftest's, so that firewalls are open for it */
#define RB_FRAME_FIRST_MAX (64u << 10) /* a frame before the agreement */
#define RB_FRAME_MAX (4u << 20)
#define RB_OOB_NAME 80
#define RB_OOB_QUEUE 4

struct rb_oob_opts {
	uint64_t port;
	uint64_t wait_ns;    /* how long a client tries to reach its server */
	uint64_t timeout_ns; /* how long the peer may be silent */
	const char *source;  /* address of this end; NULL: by route, all */
};
extern const struct rb_optgroup rb_oob_optgroup;

struct rb_oob {
	int fd;
	struct rb_intr *intr; /* ends every wait; NULL while closing */
	uint64_t timeout_ns;
	uint64_t alive_ns; /* how often the peer wants a sign of life in a run */
	uint32_t limit; /* on a frame's length */
	bool greeted;	/* a first frame has come: it is an rbench */
	struct sockaddr_storage local, peer;
	char peer_name[RB_OOB_NAME]; /* "host-a port 18515", for messages */
	uint8_t *buf;
	size_t have, size;
	json_t *queue[RB_OOB_QUEUE]; /* frames received and not yet taken */
	unsigned int queued;
};

/*
 * Reach the server at @host: name resolution, then attempts until one succeeds
 * or opts->wait_ns is over. 0 or a negative errno (reported: PEER_NAME,
 * PEER_REFUSED, PEER_UNREACHABLE, INTERRUPTED).
 */
int rb_oob_dial(const struct rb_oob_opts *opts, const char *host,
		struct rb_intr *intr, struct rb_oob *oob);

/* Listen on opts->port of all addresses; sets *@fd. 0 or -errno (reported). */
int rb_oob_listen(const struct rb_oob_opts *opts, int *fd);

/* Both ends of a channel within this process. 0 or -errno (reported). */
int rb_oob_pair(const struct rb_oob_opts *opts, struct rb_intr *intr,
		struct rb_oob ends[static 2]);

/* Wait without deadline for one client; 0, or -errno (reported). */
int rb_oob_accept(const struct rb_oob_opts *opts, int listen_fd,
		  struct rb_intr *intr, struct rb_oob *oob);

/* Close; frames still unsent are given up. Safe on a zeroed struct. */
void rb_oob_close(struct rb_oob *oob);

/* Send one frame; takes over the reference. 0 or -errno (reported). */
int rb_oob_send(struct rb_oob *oob, json_t *frame);

/*
 * Wait for a frame of @type, up to the timeout after the last sign of life
 * ("alive" frames are signs of life and skipped, and so is a late "stop"). Sets *@frame to a new
 * reference. Negative errno (reported): the peer's own error (-EREMOTEIO, with
 * its words), PEER_GONE, PEER_SILENT, PEER_PROTOCOL, PEER_NOT_RBENCH,
 * INTERRUPTED.
 */
int rb_oob_expect(struct rb_oob *oob, const char *type, json_t **frame);

/* The same for a frame of either type. */
int rb_oob_await_either(struct rb_oob *oob, const char *type, const char *other,
			json_t **frame);

/* The same for a frame of any type, an "error" among them. */
int rb_oob_next(struct rb_oob *oob, json_t **frame);

/*
 * Read what is there without waiting; for the monitor, when fd is readable.
 * Sets *@frame to a complete frame (borrowed: it stays queued unless it is
 * "alive", which is dropped) or NULL. Negative errno, not reported:
 * -ECONNRESET when the peer is gone, -EPROTO for garbage.
 */
int rb_oob_pump(struct rb_oob *oob, const json_t **frame);

/* Report the failure that an "error" frame carries; returns its errno. */
int rb_oob_peer_failed(const struct rb_oob *oob, const json_t *frame);

/*
 * After a failure @err of ours: send the first one that this thread's log holds
 * to the peer, unless it knows already (its own failure) or cannot hear.
 */
void rb_oob_tell_failure(struct rb_oob *oob, int err);

/* The type of a frame; "" when it has none. */
const char *rb_frame_type(const json_t *frame);

/* An integer of a frame within [@min, @max]; 0 or -EPROTO (reported). */
int rb_frame_uint(const json_t *frame, const char *key, uint64_t min,
		  uint64_t max, uint64_t *value);

/* The same for a key that may be absent: @value is left as it is then. */
int rb_frame_uint_maybe(const json_t *frame, const char *key, uint64_t min,
			uint64_t max, uint64_t *value);

/* "10.0.0.1", without the port; @buf of RB_OOB_NAME. */
const char *rb_oob_address(const struct sockaddr_storage *addr,
			   char buf[static RB_OOB_NAME]);

#endif
