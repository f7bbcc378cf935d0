/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * notes - what the program asked for, an object a line, for tests to look at
 *
 * RB_FAKE_NOTES names the file. A line has the object's kind, then NAME=VALUE
 * (README.md). Memory is noted when it is registered, the others when they are
 * destroyed, with what they did until then.
 */

#include "fake.h"
#include "plan.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static FILE *out;

static void open_notes(void)
{
	out = report_open("RB_FAKE_NOTES");
}

bool notes_wanted(void)
{
	pthread_once(&once, open_notes);
	return out != NULL;
}

void notes_close(void)
{
	if (notes_wanted())
		fclose(out);
	out = NULL;
}

void notes_mr(const void *addr, size_t length, unsigned int access)
{
	if (notes_wanted())
		fprintf(out, "mr addr=%p length=%zu access=0x%x\n", addr,
			length, access);
}

void notes_cq(const struct fake_cq *cq)
{
	if (notes_wanted())
		fprintf(out, "cq cqe=%d vector=%d batch=%d armed=%llu\n",
			cq->cq.cqe, cq->vector, cq->batch,
			(unsigned long long)cq->arms);
}

static void see(struct fake_range *r, uint64_t at, uint64_t length)
{
	if (!r->n || at < r->low)
		r->low = at;
	if (at + length > r->high)
		r->high = at + length;
	r->back += r->n && at < r->last;
	r->last = at;
	r->n++;
}

static void keep_most(uint32_t *most, uint32_t n)
{
	if (n > *most)
		*most = n;
}

/* The one that is about to become the last of the send queue. */
void notes_request(struct fake_qp *qp, const struct fake_wqe *wqe)
{
	if (!notes_wanted())
		return;
	qp->notes.opcodes |= 1u << wqe->opcode;
	qp->notes.signaled += qp->sig_all || wqe->flags & IBV_SEND_SIGNALED;
	qp->notes.inlined += !!(wqe->flags & IBV_SEND_INLINE);
	keep_most(&qp->notes.longest, wqe->len);
	keep_most(&qp->notes.outstanding,
		  qp->sq_head + 1 - load32(&qp->sq_tail));
	if (wqe->nsge > qp->notes.sges)
		qp->notes.sges = wqe->nsge;
	see(&qp->notes.to, wqe->raddr, wqe->len);
	if (wqe->nsge)
		see(&qp->notes.from, wqe->sge[0].addr, wqe->len);
}

/* Requests that came by one call; @calls counts those of its interface. */
void notes_list(struct fake_qp *qp, uint64_t *calls, uint32_t requests)
{
	if (!notes_wanted())
		return;
	(*calls)++;
	keep_most(&qp->notes.list, requests);
}

void notes_receive(struct fake_qp *qp, const struct ibv_recv_wr *wr)
{
	if (!notes_wanted())
		return;
	if (wr->num_sge > qp->notes.rsges)
		qp->notes.rsges = wr->num_sge;
	if (wr->num_sge)
		see(&qp->notes.into, wr->sg_list[0].addr, wr->sg_list[0].length);
}

static void put_range(const char *name, const struct fake_range *r)
{
	fprintf(out, " %s_span=%llu %s_back=%llu", name,
		(unsigned long long)(r->high - r->low), name,
		(unsigned long long)r->back);
}

static void put_attributes(const struct fake_qp *qp)
{
	const struct ibv_qp_attr *a = &qp->attr;

	fprintf(out, "qp num=0x%x type=%d retry_cnt=%u rnr_retry=%u timeout=%u pkey_index=%u sl=%u",
		qp->qp.qp_num, (int)qp->qp.qp_type, a->retry_cnt, a->rnr_retry,
		a->timeout, a->pkey_index, a->ah_attr.sl);
	fprintf(out, " mtu=%u rd_atomic=%u dest_rd_atomic=%u recv_wr=%u srq=%d",
		128u << a->path_mtu, a->max_rd_atomic, a->max_dest_rd_atomic,
		qp->init.cap.max_recv_wr, qp->qp.srq != NULL);
	fprintf(out, " flow_label=0x%x hop_limit=%u tclass=%u",
		a->ah_attr.grh.flow_label, a->ah_attr.grh.hop_limit,
		a->ah_attr.grh.traffic_class);
}

static void put_requests(const struct fake_qp *qp)
{
	fprintf(out, " requests=%llu signaled=%llu inlined=%llu opcodes=0x%x sges=%d longest=%u",
		(unsigned long long)qp->notes.to.n,
		(unsigned long long)qp->notes.signaled,
		(unsigned long long)qp->notes.inlined, qp->notes.opcodes,
		qp->notes.sges, qp->notes.longest);
	fprintf(out, " by_wr=%llu by_post_send=%llu list=%u outstanding=%u",
		(unsigned long long)qp->notes.by_wr,
		(unsigned long long)qp->notes.by_post_send, qp->notes.list,
		qp->notes.outstanding);
	fprintf(out, " receives=%llu rsges=%d",
		(unsigned long long)qp->notes.into.n, qp->notes.rsges);
}

void notes_qp(const struct fake_qp *qp)
{
	if (!notes_wanted())
		return;
	put_attributes(qp);
	put_requests(qp);
	put_range("from", &qp->notes.from);
	put_range("to", &qp->notes.to);
	put_range("into", &qp->notes.into);
	fputc('\n', out);
}
