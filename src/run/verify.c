/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verify - a run in which every payload is checked
 */
#include "run/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "peer/oob.h"
#include "run/verifyverb.h"
#include "run/wcfail.h"
#include "verbs/mem.h"

#define SLOT_ALIGN 64u
#define RECEIVE_WAIT_NS RB_NS_PER_S /* for what may have been lost */
#define SEND_WAIT_NS (10 * RB_NS_PER_S)

uint32_t rb_verify_pitch(uint64_t size)
{
	return (uint32_t)((size + SLOT_ALIGN - 1) & ~(uint64_t)(SLOT_ALIGN - 1));
}

uint32_t rb_verify_slots(uint64_t size, uint64_t qps, uint64_t depth)
{
	uint64_t n = RB_VERIFY_BYTES / (rb_verify_pitch(size) * qps);

	return (uint32_t)RB_MAX(RB_MIN(n, depth), 1);
}

uint64_t rb_verify_region(uint64_t size, uint64_t qps, uint64_t depth)
{
	return rb_verify_pitch(size) * rb_verify_slots(size, qps, depth);
}

/* splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014): each word depends on QP, sequence and place. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void rb_verify_fill(uint8_t *to, uint32_t n, uint32_t qp, uint64_t seq)
{
	uint64_t state = mix(seq + 1) ^ mix((uint64_t)qp << 32);

	for (uint32_t at = 0; at < n; at += sizeof(uint64_t)) {
		uint64_t word = mix(state++);

		memcpy(to + at, &word, RB_MIN(sizeof(word), n - at));
	}
}

/* Messages of the round after the first @done, as far as both ends know. */
static uint32_t round_length(const struct rb_verify *v, uint64_t done)
{
	return v->messages == RB_AUTO ?
		       v->slots :
		       (uint32_t)RB_MIN(v->slots, v->messages - done);
}

int rb_verify_prepare(struct rb_verify *v)
{
	const struct rb_session *s = v->session;

	v->scratch = malloc(v->size);
	v->next = calloc(s->plan.qps, sizeof(*v->next));
	v->seen = calloc((uint64_t)v->slots * s->plan.qps / 8 + 1, 1);
	if (!v->scratch || !v->next || !v->seen)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold what payloads are compared with");
	if (!v->receives)
		return 0;
	for (uint32_t i = 0; i < s->plan.qps; i++)
		memset(s->recv_base + i * s->stride, 0, s->part);
	return rb_verify_kind(v->verb)->offer(v, 0, round_length(v, 0));
}

void rb_verify_free(struct rb_verify *v)
{
	free(v->scratch);
	free(v->next);
	free(v->seen);
}

/* Post message @seq in slot @k of @qp; the round's last one is signalled. */
static int send_slot(struct rb_verify *v, uint32_t qp, uint32_t k, uint64_t seq,
		     bool last)
{
	const struct rb_verify_kind *kind = rb_verify_kind(v->verb);
	struct rb_session *s = v->session;
	uint8_t *at = rb_verify_slot(v, s->send_base, qp, k);
	struct ibv_sge sge = { (uint64_t)(uintptr_t)at, v->size,
			       rb_session_lkey(s, qp) };
	struct ibv_send_wr wr = {
		.wr_id = qp,
		.sg_list = &sge,
		.num_sge = 1,
		.send_flags = last ? IBV_SEND_SIGNALED : 0,
	}, *bad;
	int err;

	if (kind->fills) {
		rb_verify_fill(at, v->size, qp, seq);
		if (v->size <= s->plan.max_inline)
			wr.send_flags |= IBV_SEND_INLINE;
	}
	kind->request(v, qp, k, seq, &wr);
	err = ibv_post_send(s->qps[qp].qp, &wr, &bad);
	if (err)
		return rb_fail(RB_FAULT_POST, -err,
			       "cannot post a message on QP 0x%06x",
			       s->qps[qp].qp->qp_num);
	return 0;
}

static int send_round(struct rb_verify *v, uint64_t first, uint32_t n)
{
	int err = 0;

	for (uint32_t k = 0; k < n && !err; k++)
		for (uint32_t qp = 0; qp < v->session->plan.qps && !err; qp++)
			err = send_slot(v, qp, k, first + k, k + 1 == n);
	return err;
}

/* Wait for @sends send completions and, with them, @receives arrivals. */
static int await(struct rb_verify *v, uint32_t sends, uint64_t receives)
{
	uint64_t send_end = rb_deadline(SEND_WAIT_NS);
	uint64_t receive_end = rb_deadline(RECEIVE_WAIT_NS);

	while (sends || v->arrived < receives) {
		struct ibv_wc wc;
		int n = ibv_poll_cq(v->session->lanes[0].cq.cq, 1, &wc);

		if (n > 0 && wc.status != IBV_WC_SUCCESS)
			return rb_wc_fail(v->session, v->monitor, &wc, v->sent);
		if (n > 0 && wc.wr_id & RB_VERIFY_RECEIVE_FLAG) {
			rb_verify_kind(v->verb)->arrive(
				v, (uint32_t)(wc.wr_id & ~RB_VERIFY_RECEIVE_FLAG),
				&wc);
			v->arrived++;
		} else if (n > 0) {
			sends--;
		}
		if (n > 0)
			continue;
		if (!sends && rb_verify_lossy(v) && rb_now_ns() >= receive_end)
			return 0;
		if (n < 0 || rb_now_ns() >= send_end)
			return rb_stall_fail(v->session, v->monitor, v->sent);
	}
	return 0;
}

static void add_counts(struct rb_verify_counts *to,
		       const struct rb_verify_counts *more)
{
	to->checked += more->checked;
	to->corrupt += more->corrupt;
	to->lost += more->lost;
}

/* Put what was found in this round into @frame, and begin anew. */
static json_t *with_counts(struct rb_verify *v, struct rb_verify_counts *c,
			   json_t *frame)
{
	json_object_set_new(frame, "checked",
			    json_integer((json_int_t)c->checked));
	json_object_set_new(frame, "corrupt",
			    json_integer((json_int_t)c->corrupt));
	json_object_set_new(frame, "lost", json_integer((json_int_t)c->lost));
	add_counts(&v->here, c);
	memset(c, 0, sizeof(*c));
	return frame;
}

static int hear_counts(struct rb_verify *v, const json_t *frame)
{
	struct rb_verify_counts c;
	int err = rb_frame_uint(frame, "checked", 0, INT64_MAX, &c.checked);

	if (!err)
		err = rb_frame_uint(frame, "corrupt", 0, INT64_MAX, &c.corrupt);
	if (!err)
		err = rb_frame_uint(frame, "lost", 0, INT64_MAX, &c.lost);
	if (!err)
		add_counts(&v->peer, &c);
	return err;
}

/* The initiator's half of a round's end: say it is there, hear what arrived. */
static int tell_round(struct rb_verify *v, uint64_t first, uint32_t n, bool last)
{
	rb_verify_kind(v->verb)->check_brought(v, first, n);
	return rb_oob_send(v->oob,
			   with_counts(v, &v->brought,
				       json_pack("{s:s, s:I, s:I, s:b}", "type",
						 "round", "first",
						 (json_int_t)first, "count",
						 (json_int_t)n, "last",
						 (int)last)));
}

static int hear_verified(struct rb_verify *v)
{
	json_t *frame;
	int err = rb_oob_expect(v->oob, "verified", &frame);

	if (err)
		return err;
	err = hear_counts(v, frame);
	if (json_is_true(json_object_get(frame, "stop")))
		v->interrupted = true;
	json_decref(frame);
	return err;
}

static int hear_round(struct rb_verify *v, uint64_t *first, uint64_t *n,
		      bool *last)
{
	json_t *frame;
	int err = rb_oob_expect(v->oob, "round", &frame);

	if (err)
		return err;
	err = rb_frame_uint(frame, "first", 0, INT64_MAX, first);
	if (!err)
		err = rb_frame_uint(frame, "count", 1, v->slots, n);
	if (!err)
		err = hear_counts(v, frame);
	*last = json_is_true(json_object_get(frame, "last"));
	json_decref(frame);
	return err;
}

static int tell_verified(struct rb_verify *v)
{
	/* whoever sends ends the run: it is asked to */
	v->interrupted = v->interrupted || rb_intr_check(v->intr);
	return rb_oob_send(v->oob,
			   with_counts(v, &v->taken,
				       json_pack("{s:s, s:b}", "type",
						 "verified", "stop",
						 (int)v->interrupted)));
}

/* The responder's half: wait for the data, compare, make ready for the next. */
static int take_round(struct rb_verify *v, bool *last)
{
	const struct rb_verify_kind *kind = rb_verify_kind(v->verb);
	uint64_t first, n, next;
	int err = hear_round(v, &first, &n, last);

	if (!err)
		err = await(v, 0,
			    (uint64_t)kind->arrivals((uint32_t)n) *
				    v->session->plan.qps);
	if (err)
		return err;
	v->arrived = 0;
	kind->check_taken(v, first, (uint32_t)n);
	next = first + n;
	if (!*last && (v->messages == RB_AUTO || next < v->messages))
		err = kind->offer(v, next, round_length(v, next));
	return err ? err : tell_verified(v);
}

static bool is_last(struct rb_verify *v, uint64_t done, uint64_t start)
{
	v->interrupted = v->interrupted || rb_intr_check(v->intr);
	if (v->interrupted)
		return true;
	if (v->messages != RB_AUTO)
		return done >= v->messages;
	return rb_now_ns() - start >= v->duration_ns;
}

static int turn(struct rb_verify *v, uint64_t start, uint64_t *done, bool *last)
{
	uint32_t n = v->sends ? round_length(v, *done) : 0;
	uint64_t first = *done;
	bool peer_last = false;
	int err = 0;

	if (v->sends) {
		err = send_round(v, first, n);
		if (!err)
			err = await(v, v->session->plan.qps, 0);
		*done += n;
		v->sent += (uint64_t)n * v->session->plan.qps;
		*last = is_last(v, *done, start);
		if (!err)
			err = tell_round(v, first, n, *last);
	}
	if (!err && v->receives)
		err = take_round(v, &peer_last);
	if (!err && v->sends)
		err = hear_verified(v);
	*last = *last || peer_last;
	return err;
}

int rb_verify_run(struct rb_verify *v, struct rb_bw_result *r)
{
	uint64_t start = rb_now_ns(), done = 0;
	bool last = false;
	int err = 0;

	while (!err && !last)
		err = turn(v, start, &done, &last);
	if (err)
		return err;
	r->duration_ns = rb_now_ns() - start;
	r->messages = v->sends ? v->sent : v->here.checked + v->peer.checked;
	r->bytes = r->messages * r->size_bytes;
	r->messages_per_s = (double)r->messages * 1e9 / (double)r->duration_ns;
	r->bits_per_s = r->messages_per_s * (double)r->size_bytes *
			RB_BITS_PER_BYTE;
	r->checked = v->here.checked + v->peer.checked;
	r->corrupt = v->here.corrupt + v->peer.corrupt;
	r->lost = v->here.lost + v->peer.lost;
	return 0;
}
