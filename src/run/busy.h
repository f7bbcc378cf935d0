/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * busy - tell those who come while a client is served that, and with whom
 *
 * A server takes one client after another, since two runs at once would measure
 * each other. Who connects meanwhile is greeted by a thread with the truth: the
 * frame "busy" { with, for_ns }. Clients come again until --wait is over.
 */
#ifndef RB_BUSY_H
#define RB_BUSY_H

#include <pthread.h>
#include <stdint.h>

#include "base/log.h"
#include "peer/oob.h"

struct rb_busy {
	const struct rb_oob_opts *opts;
	int listen_fd, stop[2];
	bool runs;
	pthread_t thread;
	struct rb_log log;
	uint64_t since_ns;
	pthread_mutex_t lock;
	/* under the lock: */
	char with[RB_LOG_TEXT];
	int stranger; /* the socket of who is being told, or -1 */
	bool ends;
};

/*
 * From now on newcomers at @listen_fd are told of @client. Where no thread can
 * be had they wait in the listening queue, as if they were not seen.
 */
void rb_busy_begin(struct rb_busy *b, const struct rb_oob_opts *opts,
		   int listen_fd, const char *client);

/* What the client is here for is known. */
void rb_busy_tell(struct rb_busy *b, const char *command, const char *client);

void rb_busy_end(struct rb_busy *b);

#endif
