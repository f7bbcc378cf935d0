/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fake - the objects that a program holds, and what the files share
 *
 * Each verbs object embeds the public struct first, then struct fake_obj by
 * which the leak report at exit finds what was not destroyed.
 */
#ifndef FAKE_H
#define FAKE_H

#include "wire.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

struct plan;

enum fake_kind {
	KIND_CONTEXT, KIND_PD, KIND_MR, KIND_CHANNEL, KIND_CQ, KIND_SRQ,
	KIND_QP, KIND_AH, KIND_XRCD, KIND_CM_CHANNEL, KIND_CM_ID, KIND_COUNT
};

struct fake_obj {
	struct fake_obj *next, *prev;
	enum fake_kind kind;
	uint32_t id;
	int users;			/* objects that need this one */
};

struct fake_dev {
	struct ibv_device ibdev;
	int index;
	int refs;
};

struct fake_ctx {
	struct fake_obj obj;
	struct fake_dev *dev;
	int async_wfd;
	bool events_armed;
	uint64_t opened_ns;
	uint32_t fired;			/* bit per event of the plan */
	struct fake_ctx *next;
	struct verbs_context vctx;	/* last: so is ibv_context in it */
};

struct fake_pd {
	struct ibv_pd pd;
	struct fake_obj obj;
};

struct fake_mr {
	struct ibv_mr mr;
	struct fake_obj obj;
};

struct fake_ah {
	struct ibv_ah ah;
	struct fake_obj obj;
	struct ibv_ah_attr attr;
	int dev;			/* where it leads; -1: nowhere */
};

struct fake_channel {
	struct ibv_comp_channel ch;
	struct fake_obj obj;
	int wfd;
};

/* A completion in instant mode: process memory, one thread, no lock. */
struct instant_cqe {
	uint64_t wr_id;
	struct fake_qp *qp;
	uint32_t seq;
	uint32_t opcode;
	uint32_t byte_len;
	uint32_t is_recv;
};

struct fake_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex ex;
	};
	struct fake_obj obj;
	struct wire_cq *w;
	uint32_t events_got;
	uint32_t async_got;
	int vector, batch;		/* batch: the most that a poll which
					 * found something asked for */
	uint64_t arms;			/* how often an event was asked for */
	struct wire_cqe cur;		/* what start_poll and next_poll read */
	struct instant_cqe *ring;	/* the rest: instant mode only */
	uint32_t ihead, itail;
	uint32_t imask, isize;
	uint32_t armed;
};

struct fake_srq {
	struct ibv_srq srq;
	struct fake_obj obj;
	struct wire_srq *w;
	struct ibv_xrcd *xrcd;		/* NULL: an ordinary one */
	struct ibv_cq *cq;		/* XRC */
	uint32_t polled;
	uint32_t async_got;
};

/* One send work request, as it waits in the send queue. */
struct fake_wqe {
	uint64_t wr_id;
	uint64_t due_ns;
	uint64_t msg;			/* number of the message in the process */
	uint64_t raddr;
	uint64_t compare;
	uint64_t swap;
	const struct fake_ah *ah;
	uint32_t rkey;
	uint32_t imm;
	uint32_t qpn;
	uint32_t qkey;
	uint32_t srqn;			/* XRC */
	uint32_t len;
	uint16_t nsge;
	uint8_t opcode;
	uint8_t flags;
	union {
		struct ibv_sge sge[1];
		char data[1];
	};
};

/* Of requests or receives: how many, where, and how often one went back. */
struct fake_range {
	uint64_t n, low, high, last, back;
};

struct fake_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex ex;
	};
	struct fake_obj obj;
	struct wire_qp *w;
	pthread_mutex_t lock;		/* the send queue */
	char *sq;
	uint32_t sq_stride;
	uint32_t sq_mask;
	uint32_t sq_max;
	uint32_t sq_inline;
	uint32_t sq_head;		/* posted */
	uint32_t sq_exec;		/* executed */
	uint32_t sq_tail;		/* polled: free again */
	uint32_t rq_polled;
	uint32_t async_got;
	bool sig_all;
	bool is_ex;

	uint32_t wr_head;		/* between wr_start and wr_complete */
	int wr_err;
	struct fake_wqe *wr_cur;

	struct ibv_xrcd *xrcd;		/* of an XRC_RECV */
	struct wire_peer *peer;		/* RC, UC and XRC: where it leads */
	struct wire_qp *dst;
	uint64_t busy_ns;		/* service: end of the last message */
	uint64_t give_up_ns;		/* deadline of the message in flight */
	uint64_t swapped;		/* the message that was exchanged last */
	int rnr_left;
	bool rnr_active;
	bool retried;			/* it is later than by the plan */

	struct fake_qp *busy_next;	/* engine's list */
	uint64_t wake_ns;
	bool busy;
	bool dying;
	int running;

	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	uint32_t wr_cq_tail;		/* instant mode: for wr_abort */
	uint64_t echo_raddr;		/* instant=echo: the write being built */
	uint32_t echo_rkey;
	bool echo;
	struct {
		struct fake_range from, to, into;
		uint64_t signaled, inlined, by_wr, by_post_send;
		uint32_t opcodes, list, outstanding, longest;
		int sges, rsges;
	} notes;
};

/* notes.c: RB_FAKE_NOTES */
bool notes_wanted(void);
void notes_close(void);
void notes_mr(const void *addr, size_t length, unsigned int access);
void notes_cq(const struct fake_cq *cq);
void notes_request(struct fake_qp *qp, const struct fake_wqe *wqe);
void notes_list(struct fake_qp *qp, uint64_t *calls, uint32_t requests);
void notes_receive(struct fake_qp *qp, const struct ibv_recv_wr *wr);
void notes_qp(const struct fake_qp *qp);

struct fake_proc {
	struct wire_peer self;
	struct fake_qp *qps[WIRE_QPS];
	struct fake_cq *cqs[WIRE_CQS];
	struct fake_srq *srqs[WIRE_SRQS];
	uint64_t msgs;
	uint64_t wcs;
	uint32_t gen;			/* each object has one of its own */
};

extern struct fake_proc proc;

static inline uint32_t next_gen(void)
{
	return __atomic_add_fetch(&proc.gen, 1, __ATOMIC_RELAXED);
}

static inline struct fake_qp *to_qp(struct ibv_qp *qp)
{
	return (struct fake_qp *)(void *)qp;
}

static inline struct fake_cq *to_cq(struct ibv_cq *cq)
{
	return (struct fake_cq *)(void *)cq;
}

static inline struct fake_ctx *to_ctx(struct ibv_context *ctx)
{
	return (struct fake_ctx *)(void *)((char *)ctx -
			offsetof(struct fake_ctx, vctx.context));
}

static inline struct fake_wqe *sq_at(const struct fake_qp *qp, uint32_t seq)
{
	return (struct fake_wqe *)(void *)(qp->sq +
			(size_t)(seq & qp->sq_mask) * qp->sq_stride);
}

/* object.c: the list of what lives */
void obj_add(struct fake_obj *obj, enum fake_kind kind, uint32_t id);
void obj_del(struct fake_obj *obj);
void obj_use(struct fake_obj *obj);
void obj_unuse(struct fake_obj *obj);
int obj_count(enum fake_kind kind);
void *lines_alloc(size_t size);
struct fake_obj *pd_obj(struct ibv_pd *pd);

/* device.c: a context that the leak report does not know, and its device */
struct fake_dev *dev_new(int index);
void dev_put(struct fake_dev *dev);
struct ibv_context *ctx_open(struct fake_dev *dev);
void ctx_close(struct ibv_context *context);

/* gid.c */
int gid_for_cm(int dev);
int gid_entry(int dev, uint32_t index, struct ibv_gid_entry *entry);
bool gid_is_group(const union ibv_gid *gid);
int ah_to_dev(const struct ibv_ah_attr *attr);
int ah_check(int dev, const struct ibv_ah_attr *attr);
uint64_t dev_guid(int dev);
bool dev_port_down(int dev);
bool dev_is_iwarp(void);
void dev_set_port(int dev, bool down);

/* query.c, cq.c, qp.c: what the extended context's table leads to */
int ctx_query_port(struct ibv_context *ctx, uint8_t port,
		   struct ibv_port_attr *attr, size_t len);
int ctx_query_device_ex(struct ibv_context *ctx,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t len);
int ctx_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *v);
struct ibv_cq_ex *ctx_create_cq_ex(struct ibv_context *ctx,
				   struct ibv_cq_init_attr_ex *attr);
int ctx_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
struct ibv_qp *ctx_create_qp_ex(struct ibv_context *ctx,
				struct ibv_qp_init_attr_ex *attr);

/* cq.c */
void cq_push(const struct wire_peer *peer, uint32_t index,
	     const struct wire_cqe *cqe, bool solicited);
void cq_clean(struct ibv_cq *cq, uint32_t qpn);
int cq_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int cq_take(struct fake_cq *cq, int n, struct wire_cqe *out);
int cq_arm(struct ibv_cq *cq, int solicited_only);
void cq_set_poll_ops(struct fake_cq *cq, uint64_t wc_flags);

/* qp.c: hold off destruction while looking at proc.qps */
void qp_table_lock(void);
void qp_table_unlock(void);

/* qpstate.c, post.c, wrapi.c */
void qp_fail(struct fake_qp *qp);
void qp_progress(struct fake_qp *qp, uint64_t now);
int qp_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		 struct ibv_send_wr **bad);
int qp_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		 struct ibv_recv_wr **bad);
int srq_post_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad);
void qp_commit(struct fake_qp *qp, uint32_t head);
int wqe_check(const struct fake_qp *qp, enum ibv_wr_opcode opcode);
void qp_set_wr_ops(struct fake_qp *qp);

/* xrc.c */
uint32_t xrcd_handle(struct ibv_xrcd *xrcd);
struct fake_obj *xrcd_obj(struct ibv_xrcd *xrcd);
struct ibv_xrcd *ctx_open_xrcd(struct ibv_context *ctx,
			       struct ibv_xrcd_init_attr *attr);
int ctx_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_srq *ctx_create_srq_ex(struct ibv_context *ctx,
				  struct ibv_srq_init_attr_ex *attr);
int ctx_get_srq_num(struct ibv_srq *srq, uint32_t *num);
void xrc_release_srq(struct fake_srq *srq);
struct wire_srq *xrc_find_srq(const struct wire_peer *peer,
			      const struct wire_qp *dst, uint32_t srqn);

/* responder.c */
void rq_flush(const struct wire_peer *peer, struct wire_qp *qp);
void responder_fail(const struct wire_peer *peer, struct wire_qp *qp,
		    int event);

/* rq.c */
int rq_init(struct wire_rq *rq, uint32_t max_wr, uint32_t max_sge);
void rq_fini(struct wire_rq *rq);

/* instant.c: nothing moves, everything completes at once */
int instant_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad);
int instant_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad);
int instant_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int instant_arm(struct ibv_cq *cq, int solicited_only);
void instant_set_wr_ops(struct fake_qp *qp);
void instant_set_poll_ops(struct fake_cq *cq);
void instant_clean(struct ibv_cq *cq, const struct fake_qp *qp);

/* async.c */
void async_raise(const struct wire_peer *peer, int fd, int type,
		 uint32_t index, uint32_t gen);
void async_purge(int fd, uint32_t gen);
void async_arm_plan(struct fake_ctx *ctx);
void async_disarm_plan(struct fake_ctx *ctx);
uint64_t async_tick(uint64_t now);
void async_wait_acked(pthread_mutex_t *lock, pthread_cond_t *cond,
		      const uint32_t *got, const uint32_t *acked);

/* record.c: what really happened, and when */
uint64_t record_now(void);
void record_post(uint64_t ns, uint64_t due_ns);
void record_taken(const struct ibv_wc *wc);
void record_write(void);

/* requester.c: when the plan has it done; 0: the moment of its completion */
uint64_t requester_stamp(const struct fake_qp *qp, const struct fake_wqe *wqe);

/* hwclock.c: of the devices; the mask is 0 where they have none */
uint64_t hwclock_mask(void);
uint64_t hwclock_at(uint64_t ns);
uint64_t hwclock_stamp(uint64_t ns);

/* engine.c: what has to happen later */
uint64_t now_ns(void);
void engine_schedule(struct fake_qp *qp, uint64_t when_ns);
void engine_forget(struct fake_qp *qp);
void engine_drop(struct fake_qp *qp);	/* for good; waits for its user */
void engine_run(void);
void engine_kick(uint64_t when_ns);
void engine_stop(void);
void engine_quiesce(void);
uint64_t timing_due(struct fake_qp *qp, uint32_t len);

extern uint32_t engine_nbusy;

/*
 * The child of a fork starts with nothing: what its parent had stays the
 * parent's, and its own first call joins the fabric anew.
 */
void heap_forget(void);
void obj_forget(void);
void engine_forget_all(void);
void cm_forget(void);

/* cm_event.c: look after peers that die; returns when to come again */
uint64_t cm_tick(uint64_t now);
void cm_fini(void);

#endif
