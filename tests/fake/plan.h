/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plan - what RB_FAKE asks the double to do, and the calls made so far
 *
 * README.md has the grammar. The plan is read once, at the first verbs call.
 */
#ifndef FAKE_PLAN_H
#define FAKE_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Every call that a plan can fail. 1: a control call, which control#N and
 * RB_FAKE_COUNT count; 0: failed by name only (calls that undo, that wait,
 * or that are on the data path).
 */
#define FAKE_CALLS(X) \
	X(ibv_get_device_list, 1) X(ibv_open_device, 1) \
	X(ibv_query_device, 1) X(ibv_query_port, 1) \
	X(ibv_query_gid, 1) X(ibv_query_gid_ex, 1) \
	X(ibv_query_gid_table, 1) X(ibv_query_gid_type, 1) \
	X(ibv_query_pkey, 1) X(ibv_get_pkey_index, 1) \
	X(ibv_query_rt_values, 1) X(ibv_alloc_pd, 1) X(ibv_reg_mr, 1) \
	X(ibv_create_comp_channel, 1) X(ibv_create_cq, 1) \
	X(ibv_resize_cq, 1) X(ibv_modify_cq, 1) X(ibv_create_qp, 1) \
	X(ibv_modify_qp, 1) X(ibv_query_qp, 1) X(ibv_create_ah, 1) \
	X(ibv_create_srq, 1) X(ibv_modify_srq, 1) X(ibv_query_srq, 1) X(ibv_open_xrcd, 1) \
	X(ibv_attach_mcast, 1) \
	X(ibv_detach_mcast, 0) X(ibv_close_device, 0) X(ibv_dealloc_pd, 0) \
	X(ibv_dereg_mr, 0) X(ibv_destroy_comp_channel, 0) \
	X(ibv_destroy_cq, 0) X(ibv_destroy_qp, 0) X(ibv_destroy_ah, 0) \
	X(ibv_destroy_srq, 0) X(ibv_close_xrcd, 0) X(ibv_get_async_event, 0) \
	X(ibv_get_cq_event, 0) X(ibv_req_notify_cq, 0) \
	X(ibv_post_send, 0) X(ibv_post_recv, 0) X(ibv_post_srq_recv, 0) \
	X(ibv_poll_cq, 0) \
	X(rdma_create_event_channel, 1) X(rdma_create_id, 1) \
	X(rdma_bind_addr, 1) X(rdma_resolve_addr, 1) \
	X(rdma_resolve_route, 1) X(rdma_listen, 1) X(rdma_connect, 1) \
	X(rdma_accept, 1) X(rdma_reject, 1) X(rdma_establish, 1) \
	X(rdma_init_qp_attr, 1) X(rdma_set_option, 1) X(rdma_create_qp, 1) \
	X(rdma_join_multicast, 1) \
	X(rdma_disconnect, 0) X(rdma_get_cm_event, 0) X(rdma_destroy_id, 0)

enum fake_call {
#define X(name, control) CALL_##name,
	FAKE_CALLS(X)
#undef X
	CALL_COUNT
};

enum { PLAN_LIST = 64, PLAN_CONTROL = CALL_COUNT };

struct plan_fail {
	int call;			/* enum fake_call, or PLAN_CONTROL */
	uint64_t n;			/* 0: every call */
	int err;
};

struct plan_wc {
	uint64_t n;
	int status;
	uint32_t vendor;
};

struct plan_event {
	uint64_t at_ns;
	int type;
};

struct plan_rate {
	uint64_t from_ns;
	double gbps;			/* 0: no limit */
};

struct plan_timing {
	uint64_t service_ns;
	uint64_t slow_ns;		/* bimodal: the other mode */
	double slow_share;
	uint64_t stall_ns;
	uint64_t period_ns;
	struct plan_rate rate[PLAN_LIST];
	int nrate;
};

/* The processor's cycle counter; by default it is the machine's own. */
enum plan_cycles { CYCLES_REAL, CYCLES_NONE, CYCLES_USER, CYCLES_ALL };

enum plan_gid { GID_ALL, GID_V1ONLY, GID_V2ONLY, GID_LINKLOCAL, GID_NONE };

struct plan_device {
	int count;
	bool port_down;
	bool infiniband;
	bool no_netdev;
	enum plan_gid gid;
	enum plan_cycles cycles;
	int mtu;			/* enum ibv_mtu */
	int speed;			/* codes of active_speed, active_width */
	int width;
	int pkeys;
	int limited;			/* 1: but for the default, limited members */
	int xrc;			/* 0: no extended connections */
	int odp;			/* 1: memory can be paged on demand */
	int cq_holds;			/* entries, whatever was asked for; 0: that */
	int hw_clock;			/* kHz that are reported; 0: no stamps */
	int hw_clock_bits;
	int hw_clock_ppm;		/* how much faster it really runs */
	uint64_t hw_clock_start;
	int64_t hw_stamp_ns;		/* stamps are later than the clock says */
	uint64_t poll_late_ns;		/* from a completion to the poll that finds it */
	int max_qp;
	int max_cqe;
	int max_cq;
	int max_mr;
	int max_qp_wr;
	int max_sge;
	int max_inline;
	uint32_t max_msg_sz;
	uint64_t max_mr_size;
	uint32_t vendor_id;
	uint32_t vendor_part_id;
	int atomic_cap;
	int transport;
	char fw_ver[64];
};

struct plan {
	struct plan_device dev;
	struct plan_timing timing;
	struct plan_fail fail[PLAN_LIST];
	int nfail;
	struct plan_wc wc[PLAN_LIST];
	int nwc;
	struct plan_event event[PLAN_LIST];
	int nevent;
	uint64_t corrupt[PLAN_LIST];
	int ncorrupt;
	uint64_t imm[PLAN_LIST];
	int nimm;
	uint64_t drop[PLAN_LIST];
	int ndrop;
	uint64_t lose[PLAN_LIST];
	int nlose;
	uint64_t misplace[PLAN_LIST];
	int nmisplace;
	uint64_t swap[PLAN_LIST];
	int nswap;
	int cm_event;			/* enum rdma_cm_event_type; -1: none */
	int cm_status;
	bool instant;
	bool unsolicited;
	bool anykey;
	bool echo;
	bool timed;			/* service, rate or stall was given */
};

/* The plan; the first call reads RB_FAKE, and aborts on an item unknown. */
const struct plan *plan_get(void);

/* Count one call; returns 0 or the (positive) errno that it has to give. */
int plan_call(enum fake_call call);

void plan_forget_calls(void);

/* Counted calls fail with EIO from now on. */
void plan_device_died(void);

bool plan_has(const uint64_t *list, int n, uint64_t value);
uint64_t plan_control_calls(void);

/* The file that environment @variable names, opened to write, or NULL. */
FILE *report_open(const char *variable);
void plan_close_trace(void);

/* Read @text into @plan; prints and aborts on an error. */
void plan_parse(struct plan *plan, const char *text);

#define FAKE_FAIL_ERRNO(name) do { \
		int err_ = plan_call(CALL_##name); \
		if (err_) \
			return err_; \
	} while (0)

#define FAKE_FAIL_NULL(name) do { \
		int err_ = plan_call(CALL_##name); \
		if (err_) { \
			errno = err_; \
			return NULL; \
		} \
	} while (0)

#define FAKE_FAIL_MINUS(name) do { \
		int err_ = plan_call(CALL_##name); \
		if (err_) { \
			errno = err_; \
			return -1; \
		} \
	} while (0)

#endif
