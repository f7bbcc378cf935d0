/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pingpong - the loop that sends one message and waits for the answer to it
 */
#include "run/pingpong.h"

#include "base/base.h"
#include "base/hist.h"
#include "run/hwlat.h"
#include "run/idle.h"
#include "run/post.h"
#include "verbs/cq.h"

#define LOOKS 16 /* for an answer, between two at the counter; a power of 2 */

/* What an instance of the loop does: constants for the compiler. */
struct shape {
	struct rb_how how; /* by lists: READ stands for all requests */
	bool leads;
	bool counter; /* the clock is the CPU's counter */
	bool paced;   /* messages are due at a rate */
	bool stamped; /* completions have the device's time */
};

RB_INLINE bool is_request(const struct shape shape)
{
	return shape.how.verb != RB_VERB_WRITE &&
	       !rb_verb_receives(shape.how.verb);
}

RB_INLINE uint64_t stamp(const struct shape shape)
{
	return shape.counter ? rb_clock_counter() : rb_now_ns();
}

static uint8_t *last_byte(const struct rb_stream *s, uint64_t addr)
{
	return (uint8_t *)(uintptr_t)(addr + s->length - 1);
}

static uint64_t done(const struct rb_pingpong *p)
{
	return p->messages - p->left;
}

void rb_pingpong_prepare(struct rb_pingpong *p)
{
	struct rb_stream *s = p->stream;
	struct rb_flow *f = &s->flows[0];

	if (s->verb == RB_VERB_WRITE) {
		p->out = last_byte(s, f->laddr);
		p->in = last_byte(s, f->rx_addr);
		/* what earlier sizes left there must not pass for an answer */
		*p->in = 0;
	}
	p->value = 1;
	p->cq = s->cq->cq;
	/* who is to sleep does not look again before that */
	p->spins = s->cq->channel && s->verb != RB_VERB_WRITE ? 0 : LOOKS - 1;
	s->step = 0;
	rb_stream_wake(s);
	f->offset = 0;
	if (!f->until) /* a new queue; as many receives are used by then */
		f->until = s->mod + 1;
}

/*
 * A poll gave something other than an answer: nothing, the completion of a
 * message that asked for it, or an error. False: the loop has to end.
 */
static bool take_other(struct rb_pingpong *p, int n, const struct ibv_wc *wc)
{
	struct rb_stream *s = p->stream;

	if (n < 0) {
		s->err = n;
		p->end = RB_STREAM_POLL;
		return false;
	}
	if (n && wc->status != IBV_WC_SUCCESS) {
		s->wc = *wc;
		p->end = RB_STREAM_COMPLETION;
		return false;
	}
	if (n)
		s->flows[0].asked = false;
	return true;
}

/*
 * What is counted begins here; what was late before is not to be made up in it. This
 * takes a while: between two exchanges.
 */
static void begin_samples(struct rb_pingpong *p)
{
	if (rb_likely(!p->fresh))
		return;
	p->fresh = false;
	rb_hist_clear(p->hist);
	if (p->hwlat)
		rb_hwlat_begin(p->hwlat);
	if (!p->response)
		return;
	rb_hist_clear(p->response);
	p->turn = RB_MAX(p->turn, p->stream->window->from);
}

/*
 * Tell the window how many exchanges are done. True: it is over. What was
 * recorded before it opened, whoever finds it open, is not of it.
 */
static bool tick(struct rb_pingpong *p, uint64_t count)
{
	struct rb_window *w = p->stream->window;
	enum rb_window_state before = w->state;
	bool over = rb_window_tick(w, count);

	if (p->leads && before == RB_WINDOW_WARMUP &&
	    w->state == RB_WINDOW_OPEN)
		p->fresh = true;
	return over;
}

/*
 * It is time to look at the window. False: the loop has to end. Where the window
 * is over while an answer is awaited, that one is still waited for, so that the
 * next size finds nothing under way; but not after a stop.
 */
static bool look(struct rb_pingpong *p)
{
	struct rb_window *w = p->stream->window;

	/* the exchange under way took long: it is none of the brief ones */
	p->due = 0;
	if (!p->closing) {
		if (!tick(p, done(p)))
			return true;
		p->closing = true;
		p->deadline_ns = rb_deadline(p->stream->stall_ns);
		w->next = 0;
	}
	if (atomic_load(w->stop) || w->stalled)
		return false;
	if (rb_now_ns() < p->deadline_ns)
		return true;
	p->end = RB_STREAM_STALLED;
	return false;
}

/* No answer yet. False: the loop has to end. */
RB_INLINE bool linger(struct rb_pingpong *p, struct rb_stream *s,
		      const struct shape shape)
{
	uint64_t now = rb_clock_counter();
	struct ibv_wc wc;

	if (shape.how.verb != RB_VERB_WRITE && s->cq->channel) {
		if (p->idle_for != p->left) /* it is another answer */
			s->idle_since = 0;
		p->idle_for = p->left;
		s->err = rb_stream_idle(s, now);
		if (s->err) {
			p->end = RB_STREAM_POLL;
			return false;
		}
	}
	if (rb_likely(now < s->window->next))
		return true;
	/* who waits for memory sees errors nowhere else */
	if (shape.how.verb == RB_VERB_WRITE &&
	    !take_other(p, ibv_poll_cq(s->cq->cq, 1, &wc), &wc))
		return false;
	return look(p);
}

/* Is the answer there? False, with p->end set, also when it cannot come. */
RB_INLINE bool answered(struct rb_pingpong *p, struct rb_stream *s,
			const struct shape shape)
{
	struct ibv_wc wc;
	int n;

	if (shape.how.verb == RB_VERB_WRITE)
		return __atomic_load_n(p->in, __ATOMIC_ACQUIRE) == p->value;
	n = shape.stamped ?
		    rb_cq_poll_stamped(s->cq->stamped, &wc, &p->stamp) :
		    ibv_poll_cq(p->cq, 1, &wc);
	if (n == 1 && rb_likely(wc.status == IBV_WC_SUCCESS) &&
	    (is_request(shape) || wc.wr_id & RB_RECEIVE_FLAG)) {
		if (rb_verb_has_imm(shape.how.verb))
			rb_check_imm(s, &wc);
		return true;
	}
	if (rb_unlikely(n))
		take_other(p, n, &wc);
	return false;
}

/* Wait for the answer. False: there is none, the loop has to end. */
RB_INLINE bool await(struct rb_pingpong *p, struct rb_stream *s,
		     const struct shape shape)
{
	while (!rb_likely(answered(p, s, shape))) {
		if (shape.how.verb != RB_VERB_WRITE &&
		    rb_unlikely(p->end != RB_STREAM_DONE))
			return false;
		if (!(++p->looks & p->spins) &&
		    rb_unlikely(!linger(p, s, shape)))
			return false;
	}
	return true;
}

/* Wait until the completion that was asked for last has been seen. */
static bool settle(struct rb_pingpong *p)
{
	struct rb_stream *s = p->stream;
	struct rb_flow *f = &s->flows[0];
	struct ibv_wc wc;

	while (f->asked) {
		if (!take_other(p, ibv_poll_cq(s->cq->cq, 1, &wc), &wc))
			return false;
		if (f->asked && rb_clock_counter() >= s->window->next &&
		    !look(p))
			return false;
	}
	return true;
}

/*
 * Once in a while, before a message is posted that asks for a completion: see
 * that of the one that asked before it, and post receives for those that were
 * used. No answer can come meanwhile, since none was asked for. False: the loop
 * has to end.
 */
static bool tidy(struct rb_pingpong *p)
{
	struct rb_stream *s = p->stream;
	struct rb_flow *f = &s->flows[0];

	if (!settle(p))
		return false;
	f->asked = true;
	f->until = s->mod;
	if (rb_verb_receives(s->verb))
		s->err = rb_post_receives(s, f, f->until);
	if (!s->err)
		return true;
	p->end = RB_STREAM_POST;
	return false;
}

/* Post the next message and say when. False: the loop has to end. */
RB_INLINE bool put(struct rb_pingpong *p, struct rb_stream *s,
		   struct rb_flow *f, const struct shape shape,
		   uint64_t *posted)
{
	int err;

	if (shape.how.verb == RB_VERB_WRITE)
		*p->out = p->value;
	if (is_request(shape)) {
		*posted = stamp(shape);
		err = rb_hand_over(s, f, 1, 0, IBV_SEND_SIGNALED, shape.how);
	} else if (rb_likely(--f->until)) {
		*posted = stamp(shape);
		err = rb_hand_over(s, f, 1, 0, 0, shape.how);
	} else {
		if (!tidy(p))
			return false;
		*posted = stamp(shape);
		err = rb_hand_over(s, f, 1, 0, IBV_SEND_SIGNALED, shape.how);
	}
	if (rb_likely(!err))
		return true;
	s->err = err;
	p->end = RB_STREAM_POST;
	return false;
}

/*
 * An exchange ended at an alarm of the window, or after its end. False: the loop
 * has to end.
 */
static bool turn(struct rb_pingpong *p, uint64_t posted, uint64_t seen)
{
	if (p->closing)
		return false;
	begin_samples(p);
	if (p->leads && p->stream->window->state == RB_WINDOW_OPEN) {
		rb_hist_record(p->hist, seen - posted); /* and those before it */
		if (p->hwlat)
			rb_hwlat_add(p->hwlat, posted, seen, p->stamp);
	}
	if (tick(p, done(p) + 1))
		return false;
	begin_samples(p);
	p->due = p->stream->window->due;
	return true;
}

/* Wait until a message is due. False: the window was over before. */
static bool await_due(struct rb_pingpong *p)
{
	struct rb_stream *s = p->stream;

	for (;;) {
		uint64_t now = rb_clock_now(s->clock);

		if (!p->turn)
			p->turn = now;
		if (now >= p->turn)
			return true;
		if (rb_clock_counter() >= s->window->next && tick(p, done(p)))
			return false;
	}
}

/* A message that was due, posted and answered; and when the next one is due. */
static void account_due(struct rb_pingpong *p, uint64_t posted, uint64_t seen)
{
	uint64_t waited;
	uint64_t took = p->half ? (seen - posted) / 2 : seen - posted;
	uint64_t part = (uint64_t)p->gap_part + p->turn_part;

	begin_samples(p);
	waited = posted > p->turn ? posted - p->turn : 0;
	if (!p->closing)
		rb_hist_record(p->response, waited + took);
	p->turn += p->gap + (part >> 32);
	p->turn_part = (uint32_t)part;
}

/*
 * The body: one always-inline function, an instance for each shape. Returns when
 * an answer failed to come (p->end) or enough have come.
 */
RB_INLINE void body(struct rb_pingpong *p, const struct shape shape)
{
	struct rb_stream *s = p->stream;
	struct rb_flow *f = &s->flows[0];
	uint64_t posted, seen;

	for (; p->left; p->left--) {
		if (!shape.leads && !await(p, s, shape))
			return;
		if (shape.paced && !await_due(p))
			return;
		if (!put(p, s, f, shape, &posted))
			return;
		if (shape.leads && !await(p, s, shape))
			return;
		seen = shape.leads ? stamp(shape) : posted;
		if (shape.how.verb == RB_VERB_WRITE)
			p->value++;
		if (shape.paced)
			account_due(p, posted, seen);
		if (rb_unlikely(seen >= p->due)) {
			if (!turn(p, posted, seen))
				return;
		} else if (shape.leads) {
			rb_hist_record_brief(p->hist, seen - posted);
			if (shape.stamped)
				rb_hwlat_add(p->hwlat, posted, seen, p->stamp);
		}
	}
	/* so that a count takes as long as its messages are due in */
	if (shape.paced)
		await_due(p);
}

typedef void (*body_fn)(struct rb_pingpong *p);

/* An instance of the body, and the two ends' instances of an exchange. */
#define API(name) .interface = RB_BY_WR_API, .verb = RB_VERB_##name
#define LIST(name) .interface = RB_BY_POST_SEND, .verb = RB_VERB_##name
#define INSTANCE(name, leads, ...)                                            \
	static void name(struct rb_pingpong *p)                               \
	{                                                                     \
		if (p->stream->clock->counter)                                \
			body(p, (struct shape){ __VA_ARGS__, leads, true, false, false });  \
		else                                                          \
			body(p, (struct shape){ __VA_ARGS__, leads, false, false, false }); \
	}
#define INSTANCES(name, ...)                       \
	INSTANCE(name##_answer, false, __VA_ARGS__) \
	INSTANCE(name##_lead, true, __VA_ARGS__)
#define ENDS(name) { name##_answer, name##_lead }

/* clang-format off */
INSTANCES(api_write, { API(WRITE) })
INSTANCES(api_write_inline, { API(WRITE), .inlined = true })
INSTANCES(api_write_imm, { API(WRITE_IMM) })
INSTANCES(api_write_imm_inline, { API(WRITE_IMM), .inlined = true })
INSTANCES(api_send, { API(SEND) })
INSTANCES(api_send_inline, { API(SEND), .inlined = true })
INSTANCES(api_send_imm, { API(SEND_IMM) })
INSTANCES(api_send_imm_inline, { API(SEND_IMM), .inlined = true })
INSTANCES(api_datagram, { API(SEND), .datagram = true })
INSTANCES(api_datagram_inline, { API(SEND), .inlined = true, .datagram = true })
INSTANCES(api_datagram_imm, { API(SEND_IMM), .datagram = true })
INSTANCES(api_datagram_imm_inline, { API(SEND_IMM), .inlined = true, .datagram = true })
INSTANCE(api_read, true, { API(READ) })
INSTANCE(api_fetch_add, true, { API(FETCH_ADD) })
INSTANCE(api_cmp_swap, true, { API(CMP_SWAP) })
/* lists hold what is posted; what is awaited differs */
INSTANCES(list_write, { LIST(WRITE) })
INSTANCES(list_send, { LIST(SEND) })
INSTANCES(list_imm, { LIST(SEND_IMM) })
INSTANCE(list_request, true, { LIST(READ) })

/* What few ask for: one instance for all, which looks at everything. */
static void rare(struct rb_pingpong *p)
{
	const struct rb_stream *s = p->stream;
	const struct rb_how how = {
		.interface = s->flows[0].qpx ? RB_BY_WR_API : RB_BY_POST_SEND,
		.verb = s->verb,
		.inlined = s->inlined,
		.datagram = s->datagram,
	};

	body(p, (struct shape){ how, true, s->clock->counter,
				p->response != NULL, p->hwlat != NULL });
}

/* Of each: without and with inline data; of that: who answers, who leads. */
static const struct {
	body_fn api[2][2], datagram[2][2], list[2];
} bodies[RB_VERB_COUNT] = {
	[RB_VERB_WRITE] = { { ENDS(api_write), ENDS(api_write_inline) }, { { NULL } }, ENDS(list_write) },
	[RB_VERB_READ] = { { { NULL, api_read } }, { { NULL } }, { NULL, list_request } },
	[RB_VERB_SEND] = { { ENDS(api_send), ENDS(api_send_inline) },
			   { ENDS(api_datagram), ENDS(api_datagram_inline) }, ENDS(list_send) },
	[RB_VERB_FETCH_ADD] = { { { NULL, api_fetch_add } }, { { NULL } }, { NULL, list_request } },
	[RB_VERB_CMP_SWAP] = { { { NULL, api_cmp_swap } }, { { NULL } }, { NULL, list_request } },
	[RB_VERB_WRITE_IMM] = { { ENDS(api_write_imm), ENDS(api_write_imm_inline) }, { { NULL } }, ENDS(list_imm) },
	[RB_VERB_SEND_IMM] = { { ENDS(api_send_imm), ENDS(api_send_imm_inline) },
			       { ENDS(api_datagram_imm), ENDS(api_datagram_imm_inline) }, ENDS(list_imm) },
};
/* clang-format on */

static body_fn choose_body(const struct rb_pingpong *p)
{
	const struct rb_stream *s = p->stream;

	if (p->response || p->hwlat)
		return rare;
	if (!s->flows[0].qpx)
		return bodies[s->verb].list[p->leads];
	return s->datagram ? bodies[s->verb].datagram[s->inlined][p->leads] :
			     bodies[s->verb].api[s->inlined][p->leads];
}

enum rb_stream_end rb_pingpong_run(struct rb_pingpong *p)
{
	struct rb_stream *s = p->stream;

	p->end = RB_STREAM_DONE;
	p->closing = p->fresh = false;
	p->left = p->messages;
	p->due = s->window->due;
	p->turn = 0;
	choose_body(p)(p);
	begin_samples(p); /* where it opened as late as it ended */
	s->completed = done(p);
	rb_window_close(s->window, s->completed);
	if (s->window->stalled && p->end == RB_STREAM_DONE)
		p->end = RB_STREAM_STALLED;
	return p->end;
}
