/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cqex - the extended polling interface (ibv_start_poll and its readers). */

#include "fake.h"
#include "plan.h"

#include <errno.h>

static struct fake_cq *ex_cq(struct ibv_cq_ex *ex)
{
	return (struct fake_cq *)(void *)ex;
}

static int take_one(struct ibv_cq_ex *ex)
{
	struct fake_cq *cq = ex_cq(ex);

	if (cq_take(cq, 1, &cq->cur) != 1)
		return ENOENT;
	ex->wr_id = cq->cur.wc.wr_id;
	ex->status = cq->cur.wc.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	if (attr->comp_mask)
		return EINVAL;
	FAKE_FAIL_ERRNO(ibv_poll_cq);
	return take_one(ex);
}

static int next_poll(struct ibv_cq_ex *ex)
{
	return take_one(ex);
}

static void end_poll(struct ibv_cq_ex *ex)
{
	(void)ex;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.wc_flags;
}

static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.wc.dlid_path_bits;
}

static uint64_t read_stamp(struct ibv_cq_ex *ex)
{
	return hwclock_stamp(ex_cq(ex)->cur.stamp_ns);
}

static uint64_t read_wallclock(struct ibv_cq_ex *ex)
{
	return ex_cq(ex)->cur.stamp_ns;
}

void cq_set_poll_ops(struct fake_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	ex->read_byte_len = read_byte_len;
	ex->read_imm_data = read_imm_data;
	ex->read_qp_num = read_qp_num;
	ex->read_src_qp = read_src_qp;
	ex->read_slid = read_slid;
	ex->read_sl = read_sl;
	ex->read_dlid_path_bits = read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ex->read_completion_ts = read_stamp;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		ex->read_completion_wallclock_ns = read_wallclock;
}
