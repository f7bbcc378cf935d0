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
		fprintf(out, "cq cqe=%d vector=%d batch=%d\n", cq->cq.cqe,
			cq->vector, cq->batch);
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

void notes_request(struct fake_qp *qp, const struct fake_wqe *wqe)
{
	if (!notes_wanted())
		return;
	qp->notes.signaled += qp->sig_all || wqe->flags & IBV_SEND_SIGNALED;
	if (wqe->nsge > qp->notes.sges)
		qp->notes.sges = wqe->nsge;
	see(&qp->notes.to, wqe->raddr, wqe->len);
	if (wqe->nsge)
		see(&qp->notes.from, wqe->sge[0].addr, wqe->len);
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

void notes_qp(const struct fake_qp *qp)
{
	const struct ibv_qp_attr *a = &qp->attr;

	if (!notes_wanted())
		return;
	fprintf(out, "qp num=0x%x retry_cnt=%u rnr_retry=%u timeout=%u pkey_index=%u sl=%u",
		qp->qp.qp_num, a->retry_cnt, a->rnr_retry, a->timeout,
		a->pkey_index, a->ah_attr.sl);
	fprintf(out, " flow_label=0x%x hop_limit=%u tclass=%u",
		a->ah_attr.grh.flow_label, a->ah_attr.grh.hop_limit,
		a->ah_attr.grh.traffic_class);
	fprintf(out, " requests=%llu signaled=%llu sges=%d receives=%llu rsges=%d",
		(unsigned long long)qp->notes.to.n,
		(unsigned long long)qp->notes.signaled, qp->notes.sges,
		(unsigned long long)qp->notes.into.n, qp->notes.rsges);
	put_range("from", &qp->notes.from);
	put_range("to", &qp->notes.to);
	put_range("into", &qp->notes.into);
	fputc('\n', out);
}
