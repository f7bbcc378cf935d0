/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trial - one test of 'rbench check': two ends, one request, what came of it
 */
#include "run/trial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "base/trace.h"
#include "peer/oob.h"
#include "run/agree.h"
#include "run/trialmem.h"
#include "verbs/dev.h"
#include "verbs/mem.h"

#define CQ_ENTRIES 16
#define DEPTH 4
#define IMMEDIATE 0x72626368u
#define SPIN_NS RB_NS_PER_MS
#define RECEIVE_NS RB_NS_PER_S
/* to be sure that nothing arrives: many times what a datagram takes */
#define QUIET_NS (200 * RB_NS_PER_MS)
#define ACK_TIMEOUT_NS 4096ull /* times 2^timeout: ibv_modify_qp(3) */
#define ERRNO_MOST 4095 /* MAX_ERRNO, include/linux/err.h */
#define ACK_SLACK 4	/* a device may take so much longer (IB 9.7.6.1.3) */

const struct rb_trial_row *rb_trial_find(const char *name)
{
	for (size_t i = 0; i < rb_ntrials; i++)
		if (!strcmp(rb_trial_rows[i].name, name))
			return &rb_trial_rows[i];
	return NULL;
}

bool rb_trial_provokes(const struct rb_trial_row *row)
{
	return !(row->expect & RB_WC(IBV_WC_SUCCESS)) ||
	       (row->flags & RB_TRIAL_DROPPED);
}

static enum ibv_qp_type type_of(const struct rb_trial *t)
{
	return rb_trial_has(t, RB_TRIAL_DATAGRAM) ? IBV_QPT_UD : IBV_QPT_RC;
}

static int alloc_pd(const struct rb_dev *dev, struct ibv_pd **pd)
{
	*pd = rb_traced_ptr(ibv_alloc_pd(dev->ctx), "%s", dev->name);
	return *pd ? 0 :
		     rb_fail(RB_FAULT_PD, -errno,
			     "cannot allocate a protection domain on '%s'",
			     dev->name);
}

static int open_memory(struct rb_trial *t)
{
	const struct rb_dev *dev = t->end->dev;
	const struct rb_pool_plan local = { .size = t->size,
					    .access = IBV_ACCESS_LOCAL_WRITE };
	const struct rb_pool_plan target = {
		.size = t->size + rb_trial_head(t),
		.access = IBV_ACCESS_LOCAL_WRITE | (int)t->row->mr_access,
	};
	int err = alloc_pd(dev, &t->pd);

	if (!err && rb_trial_has(t, RB_TRIAL_OTHER_PD))
		err = alloc_pd(dev, &t->other_pd);
	if (!err)
		err = rb_pool_create(dev, t->pd, &local, &t->local);
	if (!err)
		err = rb_pool_create(dev, t->other_pd ? t->other_pd : t->pd,
				     &target, &t->target);
	return err;
}

static int open_queues(struct rb_trial *t)
{
	const struct rb_cq_opts polled = { 0 };
	struct rb_qp_plan plan = {
		.type = type_of(t),
		.send_depth = DEPTH,
		.recv_depth = DEPTH,
		.access = t->row->qp_access,
	};
	int err = rb_cq_create(t->end->dev, CQ_ENTRIES, &polled, &t->cq);

	plan.send_cq = plan.recv_cq = t->cq.cq;
	return err ? err :
		     rb_qp_create(t->end->dev, t->pd, &plan, &t->qp);
}

static int connect_ends(struct rb_trial *t)
{
	const struct rb_trial_end *end = t->end;
	bool cm = rb_trial_has(t, RB_TRIAL_CM) ||
		  (end->cm && !rb_trial_has(t, RB_TRIAL_MANUAL));
	int err = 0;

	t->conn = (struct rb_conn){
		.method = cm ? &rb_conn_cm : &rb_conn_manual,
		.oob = end->oob,
		.dev = end->dev,
		.type = type_of(t),
		.access = t->row->qp_access,
		.qps = &t->qp,
		.nqps = 1,
		.path = end->path,
		.pkey_given = end->pkey_given && !cm,
		.local_gids = &end->ends->local_gids,
		.peer_gids = &end->ends->peer_gids,
		.region = { (uint64_t)(uintptr_t)t->target->base,
			    t->target->size, rb_pool_mr(t->target, 0)->rkey },
		.pd = t->pd,
		.client = end->client,
	};
	if (end->client && t->conn.type == IBV_QPT_UD)
		err = rb_qkey_choose(&t->conn.path.qkey);
	return err ? err : rb_conn_open(&t->conn);
}

static void close_all(struct rb_trial *t)
{
	rb_qp_error(&t->qp);
	rb_conn_close(&t->conn);
	rb_qp_destroy(&t->qp);
	rb_cq_destroy(&t->cq);
	rb_pool_destroy(t->target);
	rb_pool_destroy(t->local);
	if (t->other_pd)
		rb_traced(ibv_dealloc_pd(t->other_pd), "%s", t->end->dev->name);
	if (t->pd)
		rb_traced(ibv_dealloc_pd(t->pd), "%s", t->end->dev->name);
}

static int post_receive(struct rb_trial *t)
{
	struct ibv_sge sge = {
		(uintptr_t)t->target->base,
		t->size + rb_trial_head(t) -
			(rb_trial_has(t, RB_TRIAL_SHORT) ? 1 : 0),
		rb_pool_mr(t->target, 0)->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_recv(t->qp.qp, &wr, &bad);

	return err ? rb_fail(RB_FAULT_POST, -err, "cannot post a receive on '%s'",
			     t->end->dev->name) :
		     0;
}

static int respond_first(struct rb_trial *t)
{
	if (t->acts)
		return 0;
	if (rb_trial_has(t, RB_TRIAL_DEAD_PEER))
		rb_qp_error(&t->qp);
	return rb_trial_has(t, RB_TRIAL_RECEIVE) ? post_receive(t) : 0;
}

/* Both are connected and prepared. */
static int barrier(struct rb_trial *t)
{
	struct rb_oob *oob = t->end->oob;
	json_t *frame;
	int err = 0;

	if (t->end->client)
		err = rb_oob_send(oob, json_pack("{s:s}", "type", "ready"));
	if (!err)
		err = rb_oob_expect(oob, "ready", &frame);
	if (err)
		return err;
	json_decref(frame);
	return t->end->client ?
		       0 :
		       rb_oob_send(oob, json_pack("{s:s}", "type", "ready"));
}

/* One completion; -ETIMEDOUT (not reported) when there is none in time. */
static int await_completion(struct rb_trial *t, uint64_t within_ns,
			    struct ibv_wc *wc)
{
	struct rb_oob *oob = t->end->oob;
	uint64_t spin = rb_deadline(SPIN_NS), end = rb_deadline(within_ns);
	uint64_t alive = rb_deadline(oob->alive_ns);

	for (;;) {
		int n = ibv_poll_cq(t->cq.cq, 1, wc);
		uint64_t now = rb_now_ns();

		if (n > 0)
			return 0;
		if (n < 0)
			return rb_fail(RB_FAULT_CQ_WAIT, -EIO,
				       "cannot poll the completion queue");
		if (now >= end)
			return -ETIMEDOUT;
		if (now >= alive) {
			int err = rb_oob_send(oob, json_pack("{s:s}", "type",
							     "alive"));

			if (err)
				return err;
			alive = rb_deadline(oob->alive_ns);
		}
		if (now >= spin && rb_wait_fd(-1, 0, oob->intr,
					      now + RB_NS_PER_MS) == -EINTR)
			return rb_fail(RB_FAULT_INTERRUPTED, -EINTR,
				       "interrupted");
	}
}

/* For the worst: all retries, each as late as a device may be. */
static uint64_t patience_ns(const struct rb_trial *t)
{
	const struct rb_path *path = &t->conn.path;

	return 2 * RB_NS_PER_S + (ACK_TIMEOUT_NS << path->timeout) *
					 ACK_SLACK *
					 (path->retry_count + 1u);
}

static void aim(const struct rb_trial *t, struct ibv_send_wr *wr)
{
	const struct rb_region *to = &t->conn.peer.region;

	if (rb_trial_has(t, RB_TRIAL_ATOMIC)) {
		bool add = wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;

		wr->wr.atomic.remote_addr = to->addr;
		wr->wr.atomic.rkey = to->rkey;
		wr->wr.atomic.compare_add =
			add ? RB_ATOMIC_NEW - RB_ATOMIC_OLD : RB_ATOMIC_OLD;
		wr->wr.atomic.swap = RB_ATOMIC_NEW;
	} else if (rb_trial_has(t, RB_TRIAL_DATAGRAM)) {
		wr->wr.ud.ah = t->conn.ah;
		wr->wr.ud.remote_qpn = t->conn.peer.qpn[0];
		wr->wr.ud.remote_qkey = t->conn.path.qkey;
	} else if (wr->opcode != IBV_WR_SEND) {
		wr->wr.rdma.remote_addr = to->addr;
		wr->wr.rdma.rkey = to->rkey;
	}
}

static int act(struct rb_trial *t, struct rb_outcome *out)
{
	struct ibv_sge sge = { (uintptr_t)t->local->base, t->size,
			       rb_pool_mr(t->local, 0)->lkey };
	struct ibv_send_wr wr = { .opcode = t->row->opcode,
				  .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .imm_data = htonl(IMMEDIATE) },
			   *bad;
	struct ibv_wc wc;
	int err;

	aim(t, &wr);
	if (t->row->spoil)
		t->row->spoil(t, &wr);
	err = ibv_post_send(t->qp.qp, &wr, &bad);
	if (err) {
		out->refused = (unsigned int)abs(err);
		return 0;
	}
	err = await_completion(t, patience_ns(t), &wc);
	if (err == -ETIMEDOUT) {
		rb_outcome_note(out, "the request never completed");
		return 0;
	}
	if (err)
		return err;
	out->completed = true;
	out->status = wc.status;
	out->vendor_err = wc.vendor_err;
	rb_trial_look_local(t, out);
	return 0;
}

/* The receive must have completed, and as the sender says. */
static int look_at_receive(struct rb_trial *t, struct rb_outcome *out)
{
	bool imm = t->row->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	struct ibv_wc wc;
	int err = await_completion(t, RECEIVE_NS, &wc);

	if (err == -ETIMEDOUT) {
		out->lost = rb_trial_has(t, RB_TRIAL_DATAGRAM);
		rb_outcome_note(out, out->lost ?
					     "the datagram did not arrive" :
					     "the receive did not complete");
		return 0;
	}
	if (err)
		return err;
	out->completed = true;
	out->status = wc.status;
	out->vendor_err = wc.vendor_err;
	if (wc.status != IBV_WC_SUCCESS)
		snprintf(out->wrong, sizeof(out->wrong),
			 "the receive failed: %s",
			 ibv_wc_status_str(wc.status));
	else if (wc.byte_len != rb_trial_head(t) + t->size)
		rb_outcome_note(out, "the receive completed with another length");
	else if (imm && (!(wc.wc_flags & IBV_WC_WITH_IMM) ||
			 ntohl(wc.imm_data) != IMMEDIATE))
		rb_outcome_note(out, "the immediate data did not arrive");
	return 0;
}

/* The receive must stay where it is. */
static int look_at_silence(struct rb_trial *t, struct rb_outcome *out)
{
	struct ibv_wc wc;
	int err = await_completion(t, QUIET_NS, &wc);

	if (!err)
		rb_outcome_note(out, "it was delivered, and had to be dropped");
	return err == -ETIMEDOUT ? 0 : err;
}

/* The responder, when it knows how the request completed. */
static int settle(struct rb_trial *t, const struct rb_outcome *theirs,
		  struct rb_outcome *out)
{
	bool dropped = rb_trial_has(t, RB_TRIAL_DROPPED);
	bool good = !dropped && theirs->completed &&
		    theirs->status == IBV_WC_SUCCESS;
	bool receives = rb_trial_has(t, RB_TRIAL_RECEIVE);
	int err = 0;

	if (rb_trial_has(t, RB_TRIAL_SHORT))
		return 0; /* a device may fill what fits */
	if (dropped)
		err = look_at_silence(t, out);
	else if (receives && good)
		err = look_at_receive(t, out);
	if (!err && !*out->wrong)
		rb_trial_look_target(
			t, good && t->row->opcode != IBV_WR_RDMA_READ, out);
	return err;
}

static int tell(struct rb_trial *t, const struct rb_outcome *out)
{
	json_t *frame = json_pack("{s:s}", "type", "outcome");

	if (out->completed) {
		json_object_set_new(frame, "status", json_integer(out->status));
		json_object_set_new(frame, "vendor_err",
				    json_integer(out->vendor_err));
	}
	if (out->refused)
		json_object_set_new(frame, "refused",
				    json_integer(out->refused));
	if (*out->wrong)
		json_object_set_new(frame, "wrong", json_string(out->wrong));
	if (out->lost)
		json_object_set_new(frame, "lost", json_true());
	return rb_oob_send(t->end->oob, frame);
}

static int hear(struct rb_trial *t, struct rb_outcome *out)
{
	uint64_t status = 0, vendor = 0, refused = 0;
	const char *wrong;
	json_t *frame;
	int err = rb_oob_expect(t->end->oob, "outcome", &frame);

	if (err)
		return err;
	out->completed = json_object_get(frame, "status") != NULL;
	err = rb_frame_uint_maybe(frame, "status", 0, 63, &status);
	if (!err)
		err = rb_frame_uint_maybe(frame, "vendor_err", 0, UINT32_MAX,
					  &vendor);
	if (!err)
		err = rb_frame_uint_maybe(frame, "refused", 1, ERRNO_MOST,
					  &refused);
	wrong = json_string_value(json_object_get(frame, "wrong"));
	out->status = (unsigned int)status;
	out->vendor_err = (unsigned int)vendor;
	out->refused = (unsigned int)refused;
	out->lost = json_is_true(json_object_get(frame, "lost"));
	snprintf(out->wrong, sizeof(out->wrong), "%s", wrong ? wrong : "");
	/* the peer's words, on our terminal */
	for (char *p = out->wrong; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	json_decref(frame);
	return err;
}

static int exchange(struct rb_trial *t, struct rb_outcome *mine,
		    struct rb_outcome *theirs)
{
	int err;

	if (rb_trial_has(t, RB_TRIAL_CONNECT))
		return 0;
	if (!t->acts) {
		err = hear(t, theirs);
		if (!err)
			err = settle(t, theirs, mine);
		return err ? err : tell(t, mine);
	}
	err = act(t, mine);
	if (!err)
		err = tell(t, mine);
	return err ? err : hear(t, theirs);
}

int rb_trial_run(struct rb_trial *t, struct rb_outcome *mine,
		 struct rb_outcome *theirs)
{
	int err = open_memory(t);

	if (!err)
		err = open_queues(t);
	if (!err) {
		rb_trial_fill(t);
		err = connect_ends(t);
	}
	if (!err)
		err = respond_first(t);
	if (!err)
		err = barrier(t);
	if (!err)
		err = exchange(t, mine, theirs);
	if (err)
		rb_oob_tell_failure(t->end->oob, err);
	close_all(t);
	return err;
}
