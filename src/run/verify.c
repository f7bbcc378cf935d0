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
#include "run/gang.h"
#include "run/verifylane.h"
#include "run/verifyverb.h"
#include "run/wcfail.h"
#include "verbs/dev.h"

#define PLACE_ALIGN 64u

uint32_t rb_verify_pitch(uint64_t size)
{
	return (uint32_t)((size + PLACE_ALIGN - 1) & ~(uint64_t)(PLACE_ALIGN - 1));
}

uint32_t rb_verify_slots(const struct rb_load_opts *load, uint64_t size,
			 uint64_t qps, uint64_t depth)
{
	uint64_t n = RB_VERIFY_BYTES / (rb_verify_pitch(size) * qps);

	if (load->footprint != RB_AUTO)
		n = RB_MIN(n, rb_load_places(load, size));
	return (uint32_t)RB_MAX(RB_MIN(n, depth), 1);
}

uint64_t rb_verify_region(const struct rb_load_opts *load, uint64_t size,
			  uint64_t qps, uint64_t depth)
{
	if (load->footprint != RB_AUTO)
		return rb_load_region(load, size);
	return (uint64_t)rb_verify_pitch(size) *
	       rb_verify_slots(load, size, qps, depth);
}

uint64_t rb_verify_place(const struct rb_verify *v, uint64_t seq, uint32_t k)
{
	return v->walks ? rb_walk_place(&v->walk, seq) : (uint64_t)k * v->pitch;
}

uint64_t rb_verify_receive_place(const struct rb_verify *v, uint64_t number)
{
	return rb_verify_place(v, number, (uint32_t)(number % v->slots));
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

/* --- getting ready ------------------------------------------------------------- */

/* The round after the first @done messages, as far as both ends know. */
static struct rb_verify_round round_after(const struct rb_verify *v,
					  uint64_t done)
{
	return (struct rb_verify_round){
		done, v->messages == RB_AUTO ?
			      v->most :
			      (uint32_t)RB_MIN(v->most, v->messages - done)
	};
}

static int compare_names(const void *a, const void *b)
{
	uint32_t x = ((const struct rb_verify_name *)a)->number;
	uint32_t y = ((const struct rb_verify_name *)b)->number;

	return (x > y) - (x < y);
}

/* With XRC the queue pairs that receive may be others than those that send. */
static void name_qps(struct rb_verify *v)
{
	const struct rb_session *s = v->session;

	for (uint32_t i = 0; i < s->plan.qps; i++) {
		const struct rb_qp *qp = &s->qps[i];

		v->names[i].qp = i;
		v->names[i].number = qp->target ? qp->target->qp_num :
						  qp->qp->qp_num;
	}
	qsort(v->names, s->plan.qps, sizeof(*v->names), compare_names);
}

int rb_verify_qp_of(const struct rb_verify *v, uint32_t qp_num)
{
	struct rb_verify_name key = { .number = qp_num };
	const struct rb_verify_name *name =
		bsearch(&key, v->names, v->session->plan.qps, sizeof(key),
			compare_names);

	return name ? (int)name->qp : -1;
}

static int open_lanes(struct rb_verify *v)
{
	struct rb_session *s = v->session;
	bool there;

	v->lanes = rb_lane_alloc(s->plan.lanes, sizeof(*v->lanes));
	v->names = calloc(s->plan.qps, sizeof(*v->names));
	v->due = calloc(s->plan.qps, sizeof(*v->due));
	v->seen = calloc(v->slots, s->plan.qps);
	there = v->lanes && v->names && v->due && v->seen;
	for (uint32_t i = 0; i < s->plan.lanes && there; i++) {
		v->lanes[i].v = v;
		v->lanes[i].lane = &s->lanes[i];
		v->lanes[i].scratch = malloc(v->size);
		there = v->lanes[i].scratch;
	}
	if (there)
		return 0;
	return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
		       "cannot hold what payloads are compared with");
}

/* How a lane's thread ended its part of a round, if it failed. */
static int lane_failed(const struct rb_verify *v, const struct rb_lane *lane)
{
	switch (lane->end) {
	case RB_STREAM_COMPLETION:
		return rb_wc_fail(v->session, v->monitor, &lane->stream.wc,
				  v->sent);
	case RB_STREAM_POST:
		return rb_fail(RB_FAULT_POST, -lane->stream.err,
			       "cannot post a message or a receive on '%s'",
			       v->session->dev->name);
	case RB_STREAM_POLL:
	case RB_STREAM_STALLED:
		return rb_stall_fail(v->session, v->monitor, v->sent);
	case RB_STREAM_DONE:
		break;
	}
	return 0;
}

static int lanes_failed(const struct rb_verify *v)
{
	int err = v->gone; /* what a lane did not post is no failure of its own */

	for (uint32_t i = 0; i < v->session->plan.lanes && !err; i++)
		err = lane_failed(v, v->lanes[i].lane);
	return err;
}

int rb_verify_prepare(struct rb_verify *v)
{
	const struct rb_session *s = v->session;
	int err = open_lanes(v);

	if (err)
		return err;
	name_qps(v);
	for (uint32_t i = 0; i < s->plan.lanes; i++)
		s->lanes[i].end = RB_STREAM_DONE;
	if (!v->receives)
		return 0;
	for (uint32_t i = 0; i < s->plan.qps; i++)
		memset(s->recv_base + i * s->stride, 0, s->part);
	v->next = round_after(v, 0);
	for (uint32_t i = 0; i < s->plan.lanes; i++)
		rb_verify_offer(&v->lanes[i]);
	return lanes_failed(v);
}

void rb_verify_free(struct rb_verify *v)
{
	for (uint32_t i = 0; v->lanes && i < v->session->plan.lanes; i++)
		free(v->lanes[i].scratch);
	free(v->lanes);
	free(v->names);
	free(v->due);
	free(v->seen);
}

/* --- what the two ends tell each other ----------------------------------------- */

static void add_counts(struct rb_verify_counts *to,
		       const struct rb_verify_counts *more)
{
	to->checked += more->checked;
	to->corrupt += more->corrupt;
	to->lost += more->lost;
}

/* What the lanes found in this round, where @at stands in each; they begin anew. */
static struct rb_verify_counts gather(struct rb_verify *v, size_t at)
{
	struct rb_verify_counts sum = { 0 };

	for (uint32_t i = 0; i < v->session->plan.lanes; i++) {
		struct rb_verify_lane *l = &v->lanes[i];
		struct rb_verify_counts *c = (void *)((char *)l + at);

		add_counts(&sum, c);
		memset(c, 0, sizeof(*c));
		if (v->fault.what == RB_VERIFY_FINE)
			v->fault = l->fault;
	}
	add_counts(&v->here, &sum);
	return sum;
}

/* Put what was found in this round into @frame. */
static json_t *with_counts(struct rb_verify *v, size_t at, json_t *frame)
{
	struct rb_verify_counts c = gather(v, at);

	json_object_set_new(frame, "checked",
			    json_integer((json_int_t)c.checked));
	json_object_set_new(frame, "corrupt",
			    json_integer((json_int_t)c.corrupt));
	json_object_set_new(frame, "lost", json_integer((json_int_t)c.lost));
	if (v->fault.what != RB_VERIFY_FINE)
		json_object_set_new(frame, "fault",
				    rb_verify_fault_json(&v->fault));
	return frame;
}

static int hear_counts(struct rb_verify *v, const json_t *frame)
{
	struct rb_verify_limits limits = { v->session->plan.qps, v->size };
	struct rb_verify_counts c;
	int err = rb_frame_uint(frame, "checked", 0, INT64_MAX, &c.checked);

	if (!err)
		err = rb_frame_uint(frame, "corrupt", 0, INT64_MAX, &c.corrupt);
	if (!err)
		err = rb_frame_uint(frame, "lost", 0, INT64_MAX, &c.lost);
	if (!err)
		add_counts(&v->peer, &c);
	return err ? err : rb_verify_fault_take(frame, &limits, &v->peer_fault);
}

/* The initiator's half of a round's end: say it is there, hear what arrived. */
static int tell_round(struct rb_verify *v, bool last)
{
	rb_verify_kind(v->verb)->sum_brought(v->lanes, &v->out);
	return rb_oob_send(
		v->oob,
		with_counts(v, offsetof(struct rb_verify_lane, brought),
			    json_pack("{s:s, s:I, s:I, s:b}", "type", "round",
				      "first", (json_int_t)v->out.first, "count",
				      (json_int_t)v->out.n, "last", (int)last)));
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

static int hear_round(struct rb_verify *v, bool *last)
{
	uint64_t n = 0;
	json_t *frame;
	int err = rb_oob_expect(v->oob, "round", &frame);

	if (err)
		return err;
	/* what this end has made ready for */
	err = rb_frame_uint(frame, "first", v->next.first, v->next.first,
			    &v->in.first);
	if (!err)
		err = rb_frame_uint(frame, "count", 1, v->next.n, &n);
	if (!err)
		err = hear_counts(v, frame);
	v->in.n = (uint32_t)n;
	*last = json_is_true(json_object_get(frame, "last"));
	json_decref(frame);
	return err;
}

static int tell_verified(struct rb_verify *v)
{
	/* whoever sends ends the run: it is asked to */
	v->interrupted = v->interrupted || rb_intr_check(v->intr);
	rb_verify_kind(v->verb)->sum_taken(v->lanes, &v->in);
	return rb_oob_send(
		v->oob,
		with_counts(v, offsetof(struct rb_verify_lane, taken),
			    json_pack("{s:s, s:b}", "type", "verified", "stop",
				      (int)v->interrupted)));
}

/* --- rounds --------------------------------------------------------------------- */

/* The responder's half: wait for the data, compare, make ready for the next. */
static int take_round(struct rb_verify *v, struct rb_gang *gang, bool *last)
{
	uint64_t done;
	int err = hear_round(v, last);

	if (err)
		return err;
	done = v->in.first + v->in.n;
	v->next.n = 0;
	if (!*last && (v->messages == RB_AUTO || done < v->messages))
		v->next = round_after(v, done);
	rb_gang_do(gang, rb_verify_take, v);
	err = lanes_failed(v);
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

static int give_round(struct rb_verify *v, struct rb_gang *gang,
		      uint64_t start, bool *last)
{
	int err;

	v->out = round_after(v, v->out.first + v->out.n);
	rb_gang_do(gang, rb_verify_send, v);
	err = lanes_failed(v);
	if (err)
		return err;
	v->sent += (uint64_t)v->out.n * v->session->plan.qps;
	*last = is_last(v, v->out.first + v->out.n, start);
	return tell_round(v, *last);
}

static int turn(struct rb_verify *v, struct rb_gang *gang, uint64_t start,
		bool *last)
{
	bool peer_last = false;
	int err = 0;

	if (v->sends)
		err = give_round(v, gang, start, last);
	if (!err && v->receives)
		err = take_round(v, gang, &peer_last);
	if (!err && v->sends)
		err = hear_verified(v);
	*last = *last || peer_last;
	return err;
}

struct rounds {
	struct rb_verify *v;
	uint64_t start;
	int err;
};

static void go_round(struct rb_gang *gang, void *arg)
{
	struct rounds *r = arg;
	bool last = false;

	while (!r->err && !last)
		r->err = turn(r->v, gang, r->start, &last);
	/* a rate is that of a time which lasts until one more would be due */
	if (!r->err && r->v->sends && r->v->messages != RB_AUTO)
		r->err = rb_verify_await_due(r->v->lanes);
}

const struct rb_verify_fault *rb_verify_first(const struct rb_verify *v)
{
	if (v->fault.what != RB_VERIFY_FINE)
		return &v->fault;
	return v->peer_fault.what != RB_VERIFY_FINE ? &v->peer_fault : NULL;
}

static void fill_result(const struct rb_verify *v, struct rb_bw_result *r)
{
	const struct rb_verify_fault *f = rb_verify_first(v);

	r->messages = v->sends ? v->sent : v->here.checked + v->peer.checked;
	r->bytes = r->messages * r->size_bytes;
	r->messages_per_s = (double)r->messages * 1e9 / (double)r->duration_ns;
	r->bits_per_s = r->messages_per_s * (double)r->size_bytes *
			RB_BITS_PER_BYTE;
	r->checked = v->here.checked + v->peer.checked;
	r->corrupt = v->here.corrupt + v->peer.corrupt;
	r->lost = v->here.lost + v->peer.lost;
	r->checked_bytes = (r->checked - RB_MIN(r->checked, r->lost)) *
			   r->size_bytes;
	if (!f)
		return;
	r->fault_qp = f->qp;
	r->fault_sequence = f->sequence;
	r->fault_offset = f->offset;
}

int rb_verify_run(struct rb_verify *v, struct rb_bw_result *r)
{
	struct rounds rounds = { v, rb_now_ns(), 0 };
	int err;

	v->out.n = 0;
	err = rb_gang_run(v->cores, v->session->plan.lanes, go_round, &rounds);
	if (!err)
		err = rounds.err;
	if (err)
		return err;
	r->duration_ns = rb_now_ns() - rounds.start;
	fill_result(v, r);
	return 0;
}
