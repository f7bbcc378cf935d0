/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stream - the loop that keeps send queues full and counts completions
 */
#include "run/stream.h"

#include <string.h>

#include "base/base.h"
#include "run/idle.h"
#include "run/pace.h"
#include "run/post.h"
#include "verbs/cq.h"

#define STOPPED_NS RB_NS_PER_S
#define SETTLE_NS (20 * RB_NS_PER_MS) /* without anything arriving */
#define SETTLE_MOST_NS (500 * RB_NS_PER_MS)

/* What an instance of the loop does: constants for the compiler. */
struct shape {
	struct rb_how how;
	bool sends, receives;
};

RB_INLINE void enqueue(struct rb_stream *s, struct rb_flow *f)
{
	f->queued = true;
	s->ring[s->ring_tail++ & s->ring_mask] = f;
}

RB_INLINE struct rb_flow *dequeue(struct rb_stream *s)
{
	struct rb_flow *f = s->ring[s->ring_head++ & s->ring_mask];

	f->queued = false;
	return f;
}

static uint32_t place_of(uint32_t i)
{
	return i * (uint32_t)sizeof(struct rb_flow);
}

void rb_stream_prepare(struct rb_stream *s, uint64_t messages)
{
	s->ring_head = s->ring_tail = 0;
	s->busy = s->nflows;
	s->completed = 0;
	s->messages = messages;
	s->due = 0;
	s->imm_wrong = 0;
	s->err = 0;
	rb_stream_wake(s);
	for (uint32_t i = 0; i < s->nflows; i++) {
		s->flows[i].left = messages;
		s->flows[i].credits = s->depth;
		s->flows[i].since = 0;
		s->flows[i].offset = 0;
		s->flows[i].place = place_of(i);
		enqueue(s, &s->flows[i]);
	}
}

uint64_t rb_stream_share(const struct rb_stream *s, uint32_t i)
{
	const struct rb_flow *f = &s->flows[i];

	return s->messages - f->left - (s->depth - f->credits);
}

/*
 * Fill the flow's queue as far as its credits and messages go, by whole lists;
 * only what is left at the very end may be a shorter one. A paced one fills in no
 * more than a burst.
 */
RB_INLINE int fill(const struct rb_stream *s, struct rb_flow *f,
		   const struct rb_how how)
{
	uint32_t n = (uint32_t)RB_MIN(f->credits, f->left);

	if (how.loaded && s->burst)
		n = RB_MIN(n, s->burst);
	f->credits -= n;
	f->left -= n;
	for (; n > s->list; n -= s->list) {
		int err = rb_post(s, f, s->list, false, how);

		if (rb_unlikely(err))
			return err;
	}
	if (n == s->list || (n && !f->left))
		return rb_post(s, f, n, !f->left, how);
	f->credits += n;
	f->left += n;
	return 0;
}

/* One burst of the flow, whose turn then is after that of all others. */
RB_INLINE int fill_burst(struct rb_stream *s, struct rb_flow *f,
			 const struct rb_how how)
{
	uint64_t left = f->left;
	int err = fill(s, f, how);

	if (!s->burst)
		return err;
	rb_pace_spend(s, left - f->left);
	if (f->left && f->credits >= RB_MIN(s->list, f->left))
		enqueue(s, f);
	return err;
}

/* A message arrived: its receive is owed to the queue again. */
RB_INLINE int arrive(struct rb_stream *s, const struct ibv_wc *wc,
		     const bool has_imm)
{
	struct rb_flow *f = rb_flow_of(s, wc->wr_id);

	s->received++;
	if (has_imm)
		rb_check_imm(s, wc);
	if (++f->rx_owed < s->rx_batch)
		return 0;
	f->rx_owed = 0;
	return rb_post_receives(s, f, s->rx_batch);
}

/* Give a flow its credits back and make it post again. */
RB_INLINE void credit(struct rb_stream *s, const struct ibv_wc *wc)
{
	uint32_t n = (uint32_t)(wc->wr_id >> RB_CREDIT_SHIFT);
	struct rb_flow *f = rb_flow_of(s, wc->wr_id);

	f->credits += n;
	s->completed += n;
	if (f->queued)
		return;
	if (rb_likely(f->left))
		enqueue(s, f);
	else if (f->credits == s->depth)
		s->busy--;
}

/* Take @n completions; the end of the stream when one of them is an error. */
RB_INLINE enum rb_stream_end take(struct rb_stream *s, const struct ibv_wc *wc,
				  int n, const bool receives,
				  const bool has_imm)
{
	for (int i = 0; i < n; i++) {
		if (rb_unlikely(wc[i].status != IBV_WC_SUCCESS)) {
			s->wc = wc[i];
			return RB_STREAM_COMPLETION;
		}
		if (receives && wc[i].wr_id & RB_RECEIVE_FLAG) {
			s->err = arrive(s, &wc[i], has_imm);
			if (rb_unlikely(s->err))
				return RB_STREAM_POST;
		} else {
			credit(s, &wc[i]);
		}
	}
	return RB_STREAM_DONE;
}

/* Loaded: is there nothing to do before the time of the next burst? */
RB_INLINE bool awaits_time(const struct rb_stream *s)
{
	return s->ring_head != s->ring_tail || !s->busy;
}

/*
 * The body: one always-inline function, an instance for each shape. Ends with
 * nothing posted any more, but perhaps with requests under way.
 */
RB_INLINE enum rb_stream_end body(struct rb_stream *s, const struct shape shape)
{
	struct ibv_wc wc[RB_POLL_BATCH_MAX];

	for (;;) {
		enum rb_stream_end end;
		uint64_t now;
		int n;

		while (shape.sends && s->ring_head != s->ring_tail &&
		       (!shape.how.loaded || rb_stream_is_due(s))) {
			s->err = shape.how.loaded ?
					 fill_burst(s, dequeue(s), shape.how) :
					 fill(s, dequeue(s), shape.how);
			if (rb_unlikely(s->err))
				return RB_STREAM_POST;
		}
		n = ibv_poll_cq(s->cq->cq, s->cq->batch, wc);
		end = take(s, wc, n, shape.receives,
			   rb_verb_has_imm(shape.how.verb));
		if (rb_unlikely(end != RB_STREAM_DONE))
			return end;
		now = rb_clock_counter();
		if (rb_unlikely(n <= 0)) {
			/* who waits for the time cannot sleep until a message */
			s->err = n < 0 ? n :
				 shape.how.loaded && awaits_time(s) ?
					 0 :
					 rb_stream_idle(s, now);
			if (s->err)
				return RB_STREAM_POLL;
		} else {
			s->idle_since = 0;
		}
		/* so that a count takes as long as its messages are due in */
		if (shape.sends && rb_unlikely(!s->busy) &&
		    (!shape.how.loaded || rb_stream_is_due(s)))
			return RB_STREAM_DONE;
		if (rb_unlikely(now >= s->window->next) &&
		    rb_window_tick(s->window, shape.sends ? s->completed :
							    s->received))
			return RB_STREAM_DONE;
	}
}

#define INSTANCE(name, ...)                                                   \
	static enum rb_stream_end name(struct rb_stream *s)                   \
	{                                                                     \
		return body(s, (struct shape){ __VA_ARGS__ });                \
	}

#define BY_API(name) .interface = RB_BY_WR_API, .verb = RB_VERB_##name, .walks = true
#define BY_LIST(name) .interface = RB_BY_POST_SEND, .verb = RB_VERB_##name

/* clang-format off */
/* One that sends only and one that receives too, each also with inline data. */
#define INSTANCES(name, ...) \
	INSTANCE(name, { __VA_ARGS__ }, .sends = true) \
	INSTANCE(name##_inline, { __VA_ARGS__, .inlined = true }, .sends = true) \
	INSTANCE(name##_both, { __VA_ARGS__ }, .sends = true, .receives = true) \
	INSTANCE(name##_both_inline, { __VA_ARGS__, .inlined = true }, .sends = true, .receives = true)
#define ALL(name) { { name, name##_inline }, { name##_both, name##_both_inline } }

INSTANCE(api_write, { BY_API(WRITE) }, .sends = true)
INSTANCE(api_write_inline, { BY_API(WRITE), .inlined = true }, .sends = true)
INSTANCE(api_read, { BY_API(READ) }, .sends = true)
INSTANCE(api_fetch_add, { BY_API(FETCH_ADD) }, .sends = true)
INSTANCE(api_cmp_swap, { BY_API(CMP_SWAP) }, .sends = true)
INSTANCES(api_send, BY_API(SEND))
INSTANCES(api_write_imm, BY_API(WRITE_IMM))
INSTANCES(api_send_imm, BY_API(SEND_IMM))
INSTANCES(api_datagram, BY_API(SEND), .datagram = true)
INSTANCES(api_datagram_imm, BY_API(SEND_IMM), .datagram = true)

/* lists of ibv_post_send hold what is posted, but for the immediate data */
INSTANCE(list, { BY_LIST(SEND) }, .sends = true)
INSTANCE(list_imm, { BY_LIST(SEND_IMM) }, .sends = true)
INSTANCE(list_both, { BY_LIST(SEND) }, .sends = true, .receives = true)
INSTANCE(list_both_imm, { BY_LIST(SEND_IMM) }, .sends = true, .receives = true)

INSTANCE(receive, { BY_API(SEND) }, .receives = true)
INSTANCE(receive_imm, { BY_API(SEND_IMM) }, .receives = true)
/* clang-format on */

/* How messages go where it is not a constant. */
static struct rb_how how_of(const struct rb_stream *s)
{
	return (struct rb_how){
		.interface = s->flows[0].qpx ? RB_BY_WR_API : RB_BY_POST_SEND,
		.verb = s->verb,
		.inlined = s->inlined,
		.datagram = s->datagram,
		.walks = true,
		.loaded = s->loaded,
	};
}

/* What few ask for: one instance for all, which looks at everything. */
static enum rb_stream_end loaded(struct rb_stream *s)
{
	struct shape shape = { how_of(s), true, s->rx_batch != 0 };

	shape.how.loaded = true; /* a constant here */
	return body(s, shape);
}

typedef enum rb_stream_end (*body_fn)(struct rb_stream *s);

/* By verb, whether it receives too, and whether data goes inline. */
static const body_fn by_api[RB_VERB_COUNT][2][2] = {
	[RB_VERB_WRITE] = { { api_write, api_write_inline } },
	[RB_VERB_READ] = { { api_read } },
	[RB_VERB_SEND] = ALL(api_send),
	[RB_VERB_FETCH_ADD] = { { api_fetch_add } },
	[RB_VERB_CMP_SWAP] = { { api_cmp_swap } },
	[RB_VERB_WRITE_IMM] = ALL(api_write_imm),
	[RB_VERB_SEND_IMM] = ALL(api_send_imm),
};

/* By whether there is immediate data, and then the same. */
static const body_fn by_api_datagram[2][2][2] = { ALL(api_datagram),
						  ALL(api_datagram_imm) };

static const body_fn by_list[2][2] = { { list, list_both },
				       { list_imm, list_both_imm } };

static body_fn choose_body(const struct rb_stream *s)
{
	bool has_imm = rb_verb_has_imm(s->verb);
	bool receives = s->rx_batch != 0;

	if (s->loaded)
		return loaded;
	if (!s->flows[0].qpx)
		return by_list[has_imm][receives];
	return s->datagram ? by_api_datagram[has_imm][receives][s->inlined] :
			     by_api[s->verb][receives][s->inlined];
}

/*
 * Let no flow post more than what it must: the one message that asks for the
 * completion of those posted without.
 */
static void cut(struct rb_stream *s)
{
	s->busy = 0;
	s->ring_head = s->ring_tail = 0;
	for (uint32_t i = 0; i < s->nflows; i++) {
		struct rb_flow *f = &s->flows[i];

		f->queued = false;
		f->left = f->since ? 1 : 0;
		if (f->left)
			enqueue(s, f);
		if (f->left || f->credits < s->depth)
			s->busy++;
	}
}

/* Where it matters no more what a message costs. */
static int post_one(const struct rb_stream *s, struct rb_flow *f)
{
	f->credits--;
	f->left--;
	return rb_post(s, f, 1, true, how_of(s));
}

/* Post one message of each flow that has to, when it has a credit. */
static int post_last(struct rb_stream *s)
{
	uint32_t n = s->ring_tail - s->ring_head;
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		struct rb_flow *f = dequeue(s);

		if (!f->credits)
			enqueue(s, f);
		else
			err = post_one(s, f);
	}
	return err;
}

/* A run that somebody stopped does not wait long for what may never come. */
static uint64_t drain_limit(const struct rb_stream *s)
{
	bool stopped = atomic_load(s->window->stop);

	return stopped ? RB_MIN(s->stall_ns, STOPPED_NS) : s->stall_ns;
}

/* After the window: wait until every flow has all its credits back. */
static enum rb_stream_end drain(struct rb_stream *s)
{
	uint64_t deadline = rb_deadline(drain_limit(s));
	struct ibv_wc wc[RB_POLL_BATCH_MAX];
	enum rb_stream_end end;

	cut(s);
	while (s->busy) {
		int n;

		s->err = post_last(s);
		if (s->err)
			return RB_STREAM_POST;
		n = ibv_poll_cq(s->cq->cq, s->cq->batch, wc);
		if (n < 0) {
			s->err = n;
			return RB_STREAM_POLL;
		}
		end = take(s, wc, n, s->rx_batch != 0,
			   rb_verb_has_imm(s->verb));
		if (end != RB_STREAM_DONE)
			return end;
		if (n) {
			deadline = rb_deadline(drain_limit(s));
			s->idle_since = 0;
			continue;
		}
		if (rb_now_ns() >= deadline)
			return RB_STREAM_STALLED;
		s->err = rb_stream_doze(s);
		if (s->err)
			return RB_STREAM_POLL;
	}
	return RB_STREAM_DONE;
}

enum rb_stream_end rb_stream_run(struct rb_stream *s)
{
	enum rb_stream_end end = choose_body(s)(s);

	rb_window_close(s->window, s->completed);
	if (end == RB_STREAM_DONE && s->window->stalled)
		return RB_STREAM_STALLED; /* it was waited for already */
	return end == RB_STREAM_DONE ? drain(s) : end;
}

enum rb_stream_end rb_stream_receive(struct rb_stream *s)
{
	enum rb_stream_end end = rb_verb_has_imm(s->verb) ? receive_imm(s) :
							    receive(s);

	rb_window_close(s->window, s->received);
	return end;
}

enum rb_stream_end rb_stream_settle(struct rb_stream *s)
{
	uint64_t last = rb_deadline(SETTLE_MOST_NS);
	uint64_t deadline = rb_deadline(SETTLE_NS);
	struct ibv_wc wc[RB_POLL_BATCH_MAX];
	enum rb_stream_end end = RB_STREAM_DONE;
	uint64_t now;
	int n;

	do {
		now = rb_now_ns(); /* before: a look follows the last sleep */
		n = ibv_poll_cq(s->cq->cq, s->cq->batch, wc);
		if (n > 0) {
			end = take(s, wc, n, true, rb_verb_has_imm(s->verb));
			deadline = RB_MIN(last, rb_deadline(SETTLE_NS));
			s->idle_since = 0;
		} else if (!n && now < deadline) {
			s->err = rb_stream_doze(s);
			if (s->err)
				end = RB_STREAM_POLL;
		}
	} while (n >= 0 && end == RB_STREAM_DONE && now < deadline);
	return end;
}

int rb_stream_post_receives(struct rb_stream *s, uint32_t depth)
{
	int err = 0;

	for (uint32_t i = 0; i < s->nflows && !err; i++) {
		struct rb_flow *f = &s->flows[i];

		if (s->srq && i)
			break;
		f->rx_owed = 0;
		f->rx_offset = 0;
		f->place = place_of(i);
		for (uint32_t left = depth; left && !err;) {
			uint32_t n = RB_MIN(left, RB_RECEIVE_BATCH);

			err = rb_post_receives(s, f, n);
			left -= n;
		}
	}
	return err;
}
