/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cq - completion queues: busy polling, events, or polling and then events
 *
 * A measured loop calls ibv_poll_cq itself; what differs between the modes is
 * only what happens when nothing was there: nothing (poll), or rb_cq_wait.
 */
#ifndef RB_CQ_H
#define RB_CQ_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"

struct rb_dev;

#define RB_POLL_BATCH_MAX 128

struct rb_cq_opts {
	bool events;	  /* sleep until a completion instead of spinning */
	uint64_t spin_ns; /* with events: spin this long before sleeping */
	uint64_t vector;  /* completion vector (interrupt) */
	uint64_t batch;	  /* completions taken in one call */
};
extern const struct rb_optgroup rb_cq_optgroup;

struct rb_cq {
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel; /* NULL: busy polling */
	unsigned int unacked; /* events got and not yet acknowledged */
	uint64_t spin_ns;
	bool solicited; /* events of messages that ask for one only */
	int batch; /* completions to take in one call */
};

/* A CQ of at least @cqe entries. 0, or a negative errno (reported). */
int rb_cq_create(const struct rb_dev *dev, unsigned int cqe,
		 const struct rb_cq_opts *opts, struct rb_cq *cq);

/* Acknowledge all events and destroy; safe on a zeroed struct and twice. */
void rb_cq_destroy(struct rb_cq *cq);

/*
 * Ask for an event at the next completion. After it the CQ must be polled once
 * more before waiting: a completion may have come in between.
 */
int rb_cq_arm(struct rb_cq *cq);

/*
 * Sleep until the event, until @wake_fd (-1: none) is readable, or for
 * @timeout_ms. Returns 0 in all of these cases, or a negative errno (reported).
 */
int rb_cq_sleep(struct rb_cq *cq, int wake_fd, int timeout_ms);

#endif
