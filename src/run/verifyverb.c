/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyverb - what each verb does in a round of verify, and how it is checked
 */
#include "run/verifyverb.h"

#include <endian.h>
#include <string.h>

#include "base/base.h"
#include "run/verify.h"
#include "run/verifymatch.h"

static void nothing_arrives(struct rb_verify_lane *l, const struct ibv_wc *wc,
			    int i)
{
	(void)l, (void)wc, (void)i;
}

static void nothing(struct rb_verify_lane *l, const struct rb_verify_round *r)
{
	(void)l, (void)r;
}

static uint32_t none(uint32_t n)
{
	return n * 0;
}

static uint32_t one(uint32_t n)
{
	return n > 0;
}

static uint32_t all(uint32_t n)
{
	return n;
}

/* What is done with each message of a lane. */
typedef void (*each_fn)(struct rb_verify_lane *l, uint32_t i,
			const struct rb_verify_spot *m);

static void each_message(struct rb_verify_lane *l,
			 const struct rb_verify_round *r, each_fn fn)
{
	for (uint32_t i = 0; i < l->lane->n; i++)
		for (uint32_t k = 0; k < r->n; k++) {
			uint64_t seq = r->first + k;
			struct rb_verify_spot m = {
				l->lane->first + i, seq,
				rb_verify_place(l->v, seq, k)
			};

			fn(l, i, &m);
		}
}

static uint8_t *received(const struct rb_verify_lane *l, uint32_t i,
			 uint64_t place)
{
	return (uint8_t *)(uintptr_t)l->lane->flows[i].rx_addr + place;
}

static uint8_t *own(const struct rb_verify_lane *l, uint32_t i, uint64_t place)
{
	return (uint8_t *)(uintptr_t)l->lane->flows[i].laddr + place;
}

static uint8_t *seen(const struct rb_verify_lane *l, uint32_t i, uint64_t ahead)
{
	return &l->v->seen[(uint64_t)(l->lane->first + i) * l->v->slots + ahead];
}

/* --- write: the last one of a round carries immediate data ------------------- */

static void aim(const struct rb_verify_message *m, struct ibv_send_wr *wr)
{
	wr->wr.rdma.remote_addr = m->flow->raddr + m->place;
	wr->wr.rdma.rkey = m->flow->rkey;
}

static void write_request(const struct rb_verify *v,
			  const struct rb_verify_message *m,
			  struct ibv_send_wr *wr)
{
	bool tells = v->verb == RB_VERB_WRITE_IMM ||
		     wr->send_flags & IBV_SEND_SIGNALED;

	wr->opcode = tells ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
	wr->imm_data = htobe32((uint32_t)m->seq);
	aim(m, wr);
}

static void blank(struct rb_verify_lane *l, uint32_t i,
		  const struct rb_verify_spot *m)
{
	memset(received(l, i, m->place), 0, l->v->size);
}

/* What arrives has to arrive anew. */
static void lay_blank(struct rb_verify_lane *l, const struct rb_verify_round *r)
{
	each_message(l, r, blank);
}

static void write_message(struct rb_verify_lane *l, uint32_t i,
			  const struct rb_verify_spot *m)
{
	l->taken.checked++;
	rb_verify_match(l, m, received(l, i, m->place), &l->taken);
}

static void write_check(struct rb_verify_lane *l,
			const struct rb_verify_round *r)
{
	each_message(l, r, write_message);
}

/* --- immediate data of each message ------------------------------------------ */

static void wrong_number(struct rb_verify_lane *l, uint32_t qp, uint64_t seq,
			 uint32_t imm)
{
	struct rb_verify_fault fault = { .what = RB_VERIFY_NUMBER,
					 .qp = qp,
					 .sequence = seq,
					 .place = RB_VERIFY_NO_PLACE,
					 .got = imm,
					 .want = (uint32_t)l->v->due[qp] };

	rb_verify_note(l, &fault);
}

/*
 * Is it a message of a QP of this lane, of this round, for the first time, and in
 * order, as far as the transport keeps one? If not, that is noted. A gap is no fault
 * of the message that follows: what is missing is found at the round's end. In
 * *@ahead its number, from the first of the round that arrives now.
 */
static bool is_due(struct rb_verify_lane *l, const struct ibv_wc *wc, int i,
		   uint64_t *ahead)
{
	uint32_t imm = be32toh(wc->imm_data), qp;
	uint64_t *due, number;

	if (i < 0)
		return false;
	qp = l->lane->first + (uint32_t)i;
	due = &l->v->due[qp];
	*ahead = imm - (uint32_t)l->first;
	number = l->first + *ahead;
	if (!(wc->wc_flags & IBV_WC_WITH_IMM) || *ahead >= l->v->most ||
	    *seen(l, (uint32_t)i, *ahead)) {
		wrong_number(l, qp, *due, imm);
		return false;
	}
	if (number < *due && !rb_verify_lossy(l->v)) {
		wrong_number(l, qp, number, imm);
		return false;
	}
	*seen(l, (uint32_t)i, *ahead) = 1;
	*due = RB_MAX(*due, number + 1);
	return true;
}

/* Note the first of a QP's messages that did not come. */
static void note_missing(struct rb_verify_lane *l, uint32_t i,
			 const struct rb_verify_round *r)
{
	struct rb_verify_fault fault = { .what = RB_VERIFY_MISSING,
					 .qp = l->lane->first + i,
					 .sequence = r->first,
					 .place = RB_VERIFY_NO_PLACE };

	while (fault.sequence < r->first + r->n &&
	       *seen(l, i, fault.sequence - r->first))
		fault.sequence++;
	if (fault.sequence < r->first + r->n)
		rb_verify_note(l, &fault);
}

/* At the round's end. */
static void expect_next(struct rb_verify_lane *l,
			const struct rb_verify_round *r)
{
	for (uint32_t i = 0; i < l->lane->n; i++) {
		if (!rb_verify_lossy(l->v))
			note_missing(l, i, r);
		l->v->due[l->lane->first + i] = r->first + r->n;
	}
}

static void imm_arrive(struct rb_verify_lane *l, const struct ibv_wc *wc, int i)
{
	uint64_t ahead;

	if (!is_due(l, wc, i, &ahead))
		l->imm_wrong = true;
}

/* Where the data is right, it has to have been told of too. */
static void imm_message(struct rb_verify_lane *l, uint32_t i,
			const struct rb_verify_spot *m)
{
	uint64_t wrong = l->taken.corrupt + l->taken.lost;

	write_message(l, i, m);
	if (l->taken.corrupt + l->taken.lost > wrong ||
	    *seen(l, i, m->seq - l->first))
		return;
	if (l->imm_wrong)
		l->taken.corrupt++;
	else
		l->taken.lost++;
}

static void imm_check(struct rb_verify_lane *l, const struct rb_verify_round *r)
{
	each_message(l, r, imm_message);
	expect_next(l, r);
}

/* --- send: what a receive holds has to be the message that its number says --- */

static void send_request(const struct rb_verify *v,
			 const struct rb_verify_message *m,
			 struct ibv_send_wr *wr)
{
	wr->opcode = IBV_WR_SEND_WITH_IMM;
	wr->imm_data = htobe32((uint32_t)m->seq);
	if (v->session->plan.type != IBV_QPT_UD)
		return;
	wr->wr.ud.ah = m->flow->ah;
	wr->wr.ud.remote_qpn = m->flow->peer_qpn;
	wr->wr.ud.remote_qkey = v->session->conn.path.qkey;
}

/* The receive that @wc is about: a shared queue's lie in all QPs' memory in turn. */
static const uint8_t *arrived_at(const struct rb_verify_lane *l,
				 const struct ibv_wc *wc, uint32_t i,
				 uint64_t *place)
{
	uint64_t number = wc->wr_id & ~RB_VERIFY_RECEIVE_FLAG;

	if (l->lane->srq) {
		i = (uint32_t)(number % l->lane->n);
		number /= l->lane->n;
	}
	*place = rb_verify_receive_place(l->v, number);
	return received(l, i, *place);
}

static void send_arrive(struct rb_verify_lane *l, const struct ibv_wc *wc,
			int i)
{
	struct rb_verify *v = l->v;
	struct rb_verify_spot spot;
	const uint8_t *at;
	uint64_t ahead;

	l->taken.checked++;
	if (!is_due(l, wc, i, &ahead)) {
		l->taken.corrupt++;
		return;
	}
	spot = (struct rb_verify_spot){ l->lane->first + (uint32_t)i,
					l->first + ahead, 0 };
	at = arrived_at(l, wc, (uint32_t)i, &spot.place);
	if (wc->byte_len != v->size + v->grh) {
		struct rb_verify_fault fault = {
			RB_VERIFY_LENGTH,     spot.qp,
			spot.seq,	      RB_MIN(wc->byte_len - (uint64_t)v->grh, v->size),
			spot.place,	      wc->byte_len - (uint64_t)v->grh,
			v->size,
		};

		rb_verify_note(l, &fault);
		l->taken.corrupt++;
		return;
	}
	rb_verify_match(l, &spot, at + v->grh, &l->taken);
}

/* What did not come is lost. */
static void send_check(struct rb_verify_lane *l,
		       const struct rb_verify_round *r)
{
	uint64_t sent = (uint64_t)r->n * l->lane->n, came = l->taken.checked;

	l->taken.lost += sent > came ? sent - came : 0;
	l->taken.checked = RB_MAX(sent, came);
	expect_next(l, r);
}

/* --- read: the responder makes the payloads, the initiator looks at them ------ */

static void read_request(const struct rb_verify *v,
			 const struct rb_verify_message *m,
			 struct ibv_send_wr *wr)
{
	(void)v;
	wr->opcode = IBV_WR_RDMA_READ;
	aim(m, wr);
}

static void fill(struct rb_verify_lane *l, uint32_t i,
		 const struct rb_verify_spot *m)
{
	rb_verify_fill(received(l, i, m->place), l->v->size, m->qp, m->seq);
}

static void lay_filled(struct rb_verify_lane *l,
		       const struct rb_verify_round *r)
{
	each_message(l, r, fill);
}

static void read_message(struct rb_verify_lane *l, uint32_t i,
			 const struct rb_verify_spot *m)
{
	l->brought.checked++;
	rb_verify_match(l, m, own(l, i, m->place), &l->brought);
}

static void read_check(struct rb_verify_lane *l,
		       const struct rb_verify_round *r)
{
	each_message(l, r, read_message);
}

/* --- atomics: the old values that came back, and what stands there in the end - */

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void wrong_word(struct rb_verify_lane *l, enum rb_verify_what what,
		       const struct rb_verify_spot *spot, uint64_t got,
		       uint64_t want)
{
	struct rb_verify_fault fault = { what, spot->qp, spot->seq, 0,
					 spot->place, got, want };

	rb_verify_note(l, &fault);
}

/* All QPs add one to the same counter. */
static void add_request(const struct rb_verify *v,
			const struct rb_verify_message *m,
			struct ibv_send_wr *wr)
{
	wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr->wr.atomic.compare_add = 1;
	wr->wr.atomic.remote_addr = v->session->conn.peer.region.addr;
	wr->wr.atomic.rkey = rb_conn_rkey(&v->session->conn, 0);
	(void)m;
}

/* Every old value of the round is seen once: a mark for each. */
static void add_check(struct rb_verify_lane *l, const struct rb_verify_round *r)
{
	struct rb_verify *v = l->v;
	uint64_t qps = v->session->plan.qps;

	memset(v->seen, 0, v->slots * qps);
	for (uint32_t qp = 0; qp < qps; qp++)
		for (uint32_t k = 0; k < r->n; k++) {
			struct rb_verify_spot spot = {
				qp, r->first + k,
				rb_verify_place(v, r->first + k, k)
			};
			uint64_t old = word_at(v->session->send_base +
					       qp * v->session->stride +
					       spot.place);
			uint64_t mark = old - r->first * qps;

			l->brought.checked++;
			if (mark < r->n * qps && !v->seen[mark]) {
				v->seen[mark] = 1;
				continue;
			}
			l->brought.corrupt++;
			wrong_word(l, RB_VERIFY_OLD, &spot, old, r->first * qps);
		}
}

/* The counter ends at the sum of all that was added. */
static void add_check_sum(struct rb_verify_lane *l,
			  const struct rb_verify_round *r)
{
	const struct rb_session *s = l->v->session;
	uint64_t sum = (r->first + r->n) * s->plan.qps;
	struct rb_verify_spot spot = { 0, r->first + r->n - 1, 0 };

	if (word_at(s->recv_base) == sum)
		return;
	l->taken.corrupt++;
	wrong_word(l, RB_VERIFY_WORD, &spot, word_at(s->recv_base), sum);
}

/* Each QP swaps its own word from one number to the next. */
static void swap_request(const struct rb_verify *v,
			 const struct rb_verify_message *m,
			 struct ibv_send_wr *wr)
{
	(void)v;
	wr->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr->wr.atomic.compare_add = m->seq;
	wr->wr.atomic.swap = m->seq + 1;
	wr->wr.atomic.remote_addr = m->flow->raddr;
	wr->wr.atomic.rkey = m->flow->rkey;
}

static void swap_message(struct rb_verify_lane *l, uint32_t i,
			 const struct rb_verify_spot *m)
{
	uint64_t old = word_at(own(l, i, m->place));

	l->brought.checked++;
	if (old == m->seq)
		return;
	l->brought.corrupt++;
	wrong_word(l, RB_VERIFY_WORD, m, old, m->seq);
}

static void swap_check(struct rb_verify_lane *l,
		       const struct rb_verify_round *r)
{
	each_message(l, r, swap_message);
}

static void swap_check_last(struct rb_verify_lane *l,
			    const struct rb_verify_round *r)
{
	uint64_t last = r->first + r->n;

	for (uint32_t i = 0; i < l->lane->n; i++) {
		struct rb_verify_spot spot = { l->lane->first + i, last - 1, 0 };
		uint64_t word = word_at(received(l, i, 0));

		if (word == last)
			continue;
		l->taken.corrupt++;
		wrong_word(l, RB_VERIFY_WORD, &spot, word, last);
	}
}

/* clang-format off */
#define WRITE .request = write_request, .lay = lay_blank, .check_brought = nothing, \
	.sum_taken = nothing, .sum_brought = nothing
#define SEND .request = send_request, .lay = nothing, .arrive = send_arrive, .check_taken = send_check, \
	.check_brought = nothing, .sum_taken = nothing, .sum_brought = nothing, \
	.arrivals = all, .takes_data = true
#define BRINGS .arrive = nothing_arrives, .arrivals = none
static const struct rb_verify_kind kinds[RB_VERB_COUNT] = {
	[RB_VERB_WRITE] = { WRITE, .arrive = nothing_arrives, .check_taken = write_check, .arrivals = one },
	[RB_VERB_WRITE_IMM] = { WRITE, .arrive = imm_arrive, .check_taken = imm_check, .arrivals = all },
	[RB_VERB_SEND] = { SEND },
	[RB_VERB_SEND_IMM] = { SEND },
	[RB_VERB_READ] = { BRINGS, .request = read_request, .lay = lay_filled, .check_taken = nothing,
			   .check_brought = read_check, .sum_taken = nothing, .sum_brought = nothing },
	[RB_VERB_FETCH_ADD] = { BRINGS, .request = add_request, .lay = nothing, .check_taken = nothing,
				.check_brought = nothing, .sum_taken = add_check_sum, .sum_brought = add_check },
	[RB_VERB_CMP_SWAP] = { BRINGS, .request = swap_request, .lay = nothing, .check_taken = swap_check_last,
			       .check_brought = swap_check, .sum_taken = nothing, .sum_brought = nothing },
};
/* clang-format on */

const struct rb_verify_kind *rb_verify_kind(enum rb_verb verb)
{
	return &kinds[verb];
}
