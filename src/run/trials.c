/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trials - the tests of 'rbench check', a row each
 *
 * What must be refused, and how, follows the InfiniBand specification 9.7.5.2.4
 * and 9.9.3 (NAK codes) with ibv_poll_cq(3): a wrong key, address or right of
 * memory is a remote access error; a request that the queue pair does not allow
 * or cannot take is an invalid request. Where the text leaves it to the
 * responder both are right. A datagram is never acknowledged: one with a wrong
 * Q_Key is dropped by its receiver, one that is larger than the MTU by its sender,
 * which says nothing (C10-93.1.1, as rxe_req.c has it) or refuses it.
 */
#include "base/base.h"
#include "run/session.h"
#include "run/trial.h"
#include "verbs/mem.h"

#define ALL                                                                    \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                    \
	 IBV_ACCESS_REMOTE_ATOMIC)
#define GOOD RB_WC(IBV_WC_SUCCESS)
#define ACCESS RB_WC(IBV_WC_REM_ACCESS_ERR)
#define INVALID RB_WC(IBV_WC_REM_INV_REQ_ERR)
#define DATAGRAM (RB_TRIAL_DATAGRAM | RB_TRIAL_RECEIVE)

static void aim(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey)
{
	bool atomic = wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
		      wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;

	if (atomic) {
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
	} else {
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
	}
}

/* The index of the key is right, its variant part is not. */
static void bad_rkey(struct rb_trial *t, struct ibv_send_wr *wr)
{
	const struct rb_region *to = &t->conn.peer.region;

	aim(wr, to->addr, to->rkey ^ 0xa5);
}

/* The last byte is the first one behind the memory. */
static void beyond_end(struct rb_trial *t, struct ibv_send_wr *wr)
{
	const struct rb_region *to = &t->conn.peer.region;

	aim(wr, to->addr + to->stride - t->size + 1, to->rkey);
}

static void before_begin(struct rb_trial *t, struct ibv_send_wr *wr)
{
	const struct rb_region *to = &t->conn.peer.region;

	aim(wr, to->addr - 1, to->rkey);
}

static void misaligned(struct rb_trial *t, struct ibv_send_wr *wr)
{
	const struct rb_region *to = &t->conn.peer.region;

	aim(wr, to->addr + 4, to->rkey);
}

static void bad_lkey(struct rb_trial *t, struct ibv_send_wr *wr)
{
	(void)t;
	wr->sg_list->lkey ^= 0xa5;
}

/* The top bit stays clear: with it the sender's own Q_Key would go out. */
static void bad_qkey(struct rb_trial *t, struct ibv_send_wr *wr)
{
	(void)t;
	wr->wr.ud.remote_qkey ^= 0xa5;
}

static void own_qp_dead(struct rb_trial *t, struct ibv_send_wr *wr)
{
	(void)wr;
	rb_qp_error(&t->qp);
}

const struct rb_trial_row rb_trial_rows[] = {
	/* clang-format off */
	{ "connect-manual", "connect by exchanged addresses", 0, RB_TRIAL_CONNECT | RB_TRIAL_MANUAL,
	  ALL, ALL, GOOD, NULL },
	{ "connect-cm", "connect by rdma_cm", 0, RB_TRIAL_CONNECT | RB_TRIAL_CM, ALL, ALL, GOOD, NULL },
	{ "write", "RDMA write", IBV_WR_RDMA_WRITE, RB_TRIAL_SIZED,
	  IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE, GOOD, NULL },
	{ "write-imm", "RDMA write with immediate data", IBV_WR_RDMA_WRITE_WITH_IMM,
	  RB_TRIAL_SIZED | RB_TRIAL_RECEIVE, IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE, GOOD, NULL },
	{ "read", "RDMA read", IBV_WR_RDMA_READ, RB_TRIAL_SIZED,
	  IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_READ, GOOD, NULL },
	{ "send", "send to a posted receive", IBV_WR_SEND, RB_TRIAL_SIZED | RB_TRIAL_RECEIVE,
	  0, 0, GOOD, NULL },
	{ "send-ud", "send to a posted receive, as a datagram (UD)", IBV_WR_SEND,
	  RB_TRIAL_SIZED | DATAGRAM, 0, 0, GOOD, NULL },
	{ "fetch-add", "atomic fetch and add", IBV_WR_ATOMIC_FETCH_AND_ADD, RB_TRIAL_ATOMIC,
	  IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC, GOOD, NULL },
	{ "cmp-swap", "atomic compare and swap", IBV_WR_ATOMIC_CMP_AND_SWP, RB_TRIAL_ATOMIC,
	  IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC, GOOD, NULL },

	{ "bad-rkey", "write with a wrong rkey", IBV_WR_RDMA_WRITE, 0, ALL, ALL, ACCESS, bad_rkey },
	{ "bad-rkey-read", "read with a wrong rkey", IBV_WR_RDMA_READ, 0, ALL, ALL, ACCESS, bad_rkey },
	{ "bad-rkey-atomic", "atomic with a wrong rkey", IBV_WR_ATOMIC_FETCH_AND_ADD, RB_TRIAL_ATOMIC,
	  ALL, ALL, ACCESS, bad_rkey },
	{ "out-of-bounds", "write a byte beyond the end of the memory", IBV_WR_RDMA_WRITE, 0,
	  ALL, ALL, ACCESS, beyond_end },
	{ "out-of-bounds-read", "read a byte beyond the end of the memory", IBV_WR_RDMA_READ, 0,
	  ALL, ALL, ACCESS, beyond_end },
	{ "before-begin", "write a byte before the begin of the memory", IBV_WR_RDMA_WRITE, 0,
	  ALL, ALL, ACCESS, before_begin },
	{ "no-permission", "write to memory without REMOTE_WRITE", IBV_WR_RDMA_WRITE, 0,
	  ALL, IBV_ACCESS_REMOTE_READ, ACCESS, NULL },
	{ "no-permission-read", "read from memory without REMOTE_READ", IBV_WR_RDMA_READ, 0,
	  ALL, IBV_ACCESS_REMOTE_WRITE, ACCESS, NULL },
	{ "no-permission-atomic", "atomic on memory without REMOTE_ATOMIC", IBV_WR_ATOMIC_FETCH_AND_ADD,
	  RB_TRIAL_ATOMIC, ALL, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, ACCESS, NULL },
	{ "no-permission-qp", "write to a queue pair without REMOTE_WRITE", IBV_WR_RDMA_WRITE, 0,
	  IBV_ACCESS_REMOTE_READ, ALL, INVALID | ACCESS, NULL },
	{ "other-pd", "write to memory of another protection domain", IBV_WR_RDMA_WRITE, RB_TRIAL_OTHER_PD,
	  ALL, ALL, ACCESS, NULL },
	{ "misaligned-atomic", "atomic at an address that is no multiple of 8", IBV_WR_ATOMIC_FETCH_AND_ADD,
	  RB_TRIAL_ATOMIC, ALL, ALL, INVALID | ACCESS, misaligned },
	{ "too-long", "send more than the receive holds", IBV_WR_SEND, RB_TRIAL_RECEIVE | RB_TRIAL_SHORT,
	  0, 0, INVALID, NULL },
	{ "rnr", "send without a posted receive", IBV_WR_SEND, 0, 0, 0,
	  RB_WC(IBV_WC_RNR_RETRY_EXC_ERR), NULL },
	{ "bad-qkey", "datagram with a wrong Q_Key", IBV_WR_SEND, DATAGRAM | RB_TRIAL_DROPPED,
	  0, 0, GOOD, bad_qkey },
	{ "too-long-ud", "datagram that is larger than the MTU", IBV_WR_SEND,
	  DATAGRAM | RB_TRIAL_DROPPED | RB_TRIAL_OVER_MTU, 0, 0,
	  GOOD | RB_WC(IBV_WC_LOC_LEN_ERR), NULL },
	{ "bad-lkey", "write from memory with a wrong lkey", IBV_WR_RDMA_WRITE, 0, ALL, ALL,
	  RB_WC(IBV_WC_LOC_PROT_ERR), bad_lkey },
	{ "flush", "post to a queue pair in the error state", IBV_WR_RDMA_WRITE, 0, ALL, ALL,
	  RB_WC(IBV_WC_WR_FLUSH_ERR), own_qp_dead },
	{ "retry", "write to a queue pair that does not answer", IBV_WR_RDMA_WRITE,
	  RB_TRIAL_DEAD_PEER | RB_TRIAL_ASKED, ALL, ALL, RB_WC(IBV_WC_RETRY_EXC_ERR), NULL },
	/* clang-format on */
};

const size_t rb_ntrials = RB_ARRAY_SIZE(rb_trial_rows);
