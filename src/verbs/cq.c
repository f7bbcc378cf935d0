/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cq - completion queues: busy polling, events, or polling and then events
 */
#include "verbs/cq.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "diag/callerr.h"
#include "verbs/dev.h"
#include "verbs/hwclock.h"

/* Acknowledging takes a lock: do it for many events at once (ibv_get_cq_event(3)). */
#define ACK_BATCH 64

static const struct rb_opt cq_rows[] = {
	/* clang-format off */
	{ .name = "events", .letter = 'e', .type = RB_OPT_FLAG, .flags = RB_OPT_AGREE,
	  .offset = offsetof(struct rb_cq_opts, events),
	  .help = "sleep until a completion event instead of polling" },
	{ .name = "spin", .type = RB_OPT_DURATION, .def = "0", .max = 10 * RB_NS_PER_S, .arg = "TIME",
	  .offset = offsetof(struct rb_cq_opts, spin_ns), .flags = RB_OPT_AGREE,
	  .help = "with -e: poll this long before sleeping" },
	{ .name = "vector", .letter = 'X', .type = RB_OPT_COUNT, .def = "0", .max = 65535,
	  .offset = offsetof(struct rb_cq_opts, vector),
	  .help = "with -e: completion vector (interrupt) to use" },
	{ .name = "cqe-poll", .type = RB_OPT_COUNT, .def = "16", .min = 1, .max = RB_POLL_BATCH_MAX,
	  .offset = offsetof(struct rb_cq_opts, batch), .flags = RB_OPT_AGREE,
	  .help = "completions taken in one call; latency: always 1" },
	{ .name = "hw-clock", .type = RB_OPT_FLAG, .offset = offsetof(struct rb_cq_opts, stamped),
	  .help = "latency: also by the device's time stamps of completions; client" },
	/* clang-format on */
};

const struct rb_optgroup rb_cq_optgroup = { "Completion", cq_rows,
					    RB_ARRAY_SIZE(cq_rows) };

static int create_channel(const struct rb_dev *dev, struct rb_cq *cq)
{
	int flags;

	cq->channel = rb_traced_ptr(ibv_create_comp_channel(dev->ctx), "%s",
				    dev->name);
	if (!cq->channel)
		return rb_fail(RB_FAULT_CQ, -errno,
			       "cannot create a completion channel on '%s'",
			       dev->name);
	flags = fcntl(cq->channel->fd, F_GETFL);
	if (flags < 0 || fcntl(cq->channel->fd, F_SETFL, flags | O_NONBLOCK))
		return rb_fail(RB_FAULT_CQ, -errno,
			       "cannot make the completion channel non-blocking");
	return 0;
}

/* errno is set where cq->cq is NULL. */
static void create_stamped(const struct rb_dev *dev, unsigned int cqe,
			   int vector, struct rb_cq *cq)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = cq->channel,
		.comp_vector = (uint32_t)vector,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			    IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_IMM,
	};

	cq->stamped = rb_traced_ptr(ibv_create_cq_ex(dev->ctx, &attr),
				    "%s, %u entries, vector %d, stamped",
				    dev->name, cqe, vector);
	if (cq->stamped)
		cq->cq = ibv_cq_ex_to_cq(cq->stamped);
}

static int report_creation(const struct rb_dev *dev, unsigned int cqe,
			   const struct rb_cq_opts *opts)
{
	if (opts->stamped && (errno == EOPNOTSUPP || errno == ENOSYS))
		return rb_hwclock_none(dev->name,
				       "its provider in this libibverbs has no completion queue with time stamps (ibv_create_cq_ex)");
	return rb_fail_cause(RB_FAULT_CQ, -errno,
			     rb_call_meaning("ibv_create_cq", NULL, errno),
			     "cannot create a completion queue of %u entries on '%s'",
			     cqe, dev->name);
}

int rb_cq_create(const struct rb_dev *dev, unsigned int cqe,
		 const struct rb_cq_opts *opts, struct rb_cq *cq)
{
	int vector = opts->events ? (int)opts->vector : 0;
	int err = 0;

	memset(cq, 0, sizeof(*cq));
	if (opts->events && opts->vector >= (uint64_t)dev->ctx->num_comp_vectors)
		return rb_fail_hint(RB_FAULT_CQ, -EINVAL, NULL, "choose a smaller --vector",
				    "'%s' has %d completion vectors, not %u", dev->name,
				    dev->ctx->num_comp_vectors, (unsigned int)opts->vector + 1);
	if (opts->events)
		err = create_channel(dev, cq);
	if (err)
		goto out;
	cq->spin_ns = opts->spin_ns;
	cq->batch = (int)opts->batch;
	if (opts->stamped)
		create_stamped(dev, cqe, vector, cq);
	else
		cq->cq = rb_traced_ptr(ibv_create_cq(dev->ctx, (int)cqe, NULL,
						     cq->channel, vector),
				       "%s, %u entries, vector %d", dev->name,
				       cqe, vector);
	if (!cq->cq)
		err = report_creation(dev, cqe, opts);
out:
	if (err)
		rb_cq_destroy(cq);
	return err;
}

void rb_cq_destroy(struct rb_cq *cq)
{
	if (cq->cq) {
		if (cq->unacked)
			ibv_ack_cq_events(cq->cq, cq->unacked);
		if (rb_traced(ibv_destroy_cq(cq->cq), "%p", (void *)cq->cq))
			rb_debug("cannot destroy a completion queue");
	}
	if (cq->channel &&
	    rb_traced(ibv_destroy_comp_channel(cq->channel), "%p",
		      (void *)cq->channel))
		rb_debug("cannot destroy a completion channel");
	memset(cq, 0, sizeof(*cq));
}

int rb_cq_arm(struct rb_cq *cq)
{
	int err = ibv_req_notify_cq(cq->cq, cq->solicited);

	if (err)
		return rb_fail(RB_FAULT_CQ_WAIT, -err,
			       "cannot ask for completion events");
	return 0;
}

/*
 * Take the event that woke us. There is one for each time the queue was armed: to
 * ask for more costs a system call that finds nothing, and one that was left by an
 * earlier run only cuts the next sleep short.
 */
static int take_event(struct rb_cq *cq)
{
	struct ibv_cq *which;
	void *context;

	if (ibv_get_cq_event(cq->channel, &which, &context)) {
		if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
			return 0;
		return rb_fail(RB_FAULT_CQ_WAIT, -errno,
			       "cannot read a completion event");
	}
	if (++cq->unacked == ACK_BATCH) {
		ibv_ack_cq_events(cq->cq, cq->unacked);
		cq->unacked = 0;
	}
	return 0;
}

int rb_cq_sleep(struct rb_cq *cq, int wake_fd, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = cq->channel->fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};
	int n = poll(fds, 2, timeout_ms);

	if (n < 0 && errno != EINTR)
		return rb_fail(RB_FAULT_CQ_WAIT, -errno,
			       "cannot wait for a completion event");
	return n > 0 && (fds[0].revents & POLLIN) ? take_event(cq) : 0;
}
