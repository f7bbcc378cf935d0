/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cq - completion queues: busy polling, events, or polling and then events
 *
 * A measured loop calls ibv_poll_cq itself; what differs between the modes is
 * only what happens when nothing was there: nothing (poll), or rb_cq_wait.
 */
#ifndef RB_CQ_H
#define RB_CQ_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/opt.h"

struct rb_dev;

#define RB_POLL_BATCH_MAX 128

struct rb_cq_opts {
	bool events;	  /* sleep until a completion instead of spinning */
	uint64_t spin_ns; /* with events: spin this long before sleeping */
	uint64_t vector;  /* completion vector (interrupt) */
	uint64_t batch;	  /* completions taken in one call */
	bool stamped;	  /* completions have the device's time (hwclock.h) */
};
extern const struct rb_optgroup rb_cq_optgroup;

struct rb_cq {
	struct ibv_cq *cq;
	struct ibv_cq_ex *stamped; /* the same; NULL: completions have no time */
	struct ibv_comp_channel *channel; /* NULL: busy polling */
	unsigned int unacked; /* events got and not yet acknowledged */
	uint64_t spin_ns;
	bool solicited; /* events of messages that ask for one only */
	int batch; /* completions to take in one call */
};

/*
 * A CQ of at least @cqe entries. 0, or a negative errno (reported); -EOPNOTSUPP where
 * completions were to be stamped and the device has no such CQ.
 */
int rb_cq_create(const struct rb_dev *dev, unsigned int cqe,
		 const struct rb_cq_opts *opts, struct rb_cq *cq);

/*
 * Take one completion with the device's time. As ibv_poll_cq: 1, 0, or below 0;
 * *@wc gets status, wr_id, qp_num, and of a success the immediate data, else the
 * vendor's code; *@stamp is set on success only. A stamped CQ may be polled by
 * ibv_poll_cq too.
 */
RB_INLINE int rb_cq_poll_stamped(struct ibv_cq_ex *cq, struct ibv_wc *wc,
				 uint64_t *stamp)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 0 };
	int err = ibv_start_poll(cq, &attr);

	if (err)
		return err == ENOENT ? 0 : -err;
	wc->wr_id = cq->wr_id;
	wc->status = cq->status;
	wc->qp_num = ibv_wc_read_qp_num(cq);
	wc->vendor_err = 0;
	if (rb_likely(cq->status == IBV_WC_SUCCESS)) {
		wc->wc_flags = ibv_wc_read_wc_flags(cq);
		wc->imm_data = ibv_wc_read_imm_data(cq);
		*stamp = ibv_wc_read_completion_ts(cq);
	} else {
		wc->wc_flags = 0;
		wc->vendor_err = ibv_wc_read_vendor_err(cq);
	}
	ibv_end_poll(cq);
	return 1;
}

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
