/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * options - what a benchmark is asked to do
 *
 * Everything marked AGREE in the tables is the client's word for both ends.
 */
#ifndef RB_OPTIONS_H
#define RB_OPTIONS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "base/units.h"
#include "run/verb.h"

#define RB_ALL_SIZES "2:8M:*2" /* of --all */
#define RB_ALL_SIZES_MOST (8u << 20)
#define RB_DURATION_MAX (366ull * 24 * 3600 * RB_NS_PER_S)

struct rb_bench;
struct rb_load_opts;
struct rb_path;

struct rb_conn_opts {
	int transport; /* enum ibv_qp_type */
	bool cm;
	uint64_t mtu; /* bytes; RB_AUTO: the smaller active MTU */
	uint64_t sl;
	uint64_t tclass;
	uint64_t qp_timeout;
	uint64_t retry_count, rnr_retry;
	uint64_t pkey_index; /* RB_AUTO: 0, on the server the client's key */
	uint64_t flow_label;
	uint64_t hop_limit; /* RB_AUTO: 64, through rdma_cm the kernel's */
	uint64_t rd_atomic; /* outstanding reads and atomics; RB_AUTO */
	uint64_t multicast; /* QPs that listen to a group; 0: no group */
	const char *group;  /* its address; NULL: one of our own */
};
extern const struct rb_optgroup rb_conn_optgroup;
extern const struct rb_enum rb_transport_names[];

/* "RC", of an enum ibv_qp_type; "?" for one that the table does not have. */
const char *rb_conn_type_name(int transport);

/*
 * Put into @path what the user decides about it, the same on both ends; what was
 * left to rbench stays as it is.
 */
void rb_conn_set_path(const struct rb_conn_opts *conn, struct rb_path *path);

struct rb_run_opts {
	struct rb_sizes sizes;
	bool all_sizes;
	bool forever;	   /* until somebody ends it, as good as a duration */
	uint64_t messages; /* of each QP; RB_AUTO: by duration */
	uint64_t duration_ns;
	uint64_t warmup_ns;
	uint64_t interval_ns;
	uint64_t repeat;
	uint64_t until_stable; /* percent; 0: no */
	uint64_t qps;
	uint64_t depth;
	/* on a depth left to us, of the device (--verify: both); 0: none */
	uint64_t depth_limit;
	uint64_t cq_mod;
	uint64_t list;
	uint64_t inline_bytes;
	uint64_t rx_depth;
	int atomic; /* enum rb_verb */
	bool bidirectional;
	bool imm;
	bool solicited;
	bool srq;
	bool mr_per_qp; /* a memory region for each queue pair */
	bool verify;
	bool post_send; /* ibv_post_send, not ibv_wr_*; each end for itself */
	bool no_effect; /* accepted for habit's sake */
};
extern const struct rb_optgroup rb_run_optgroup;

/*
 * Fill in what the user left to rbench (RB_AUTO), from the rest and the row's
 * defaults, and refuse what cannot go together. 0 or -EINVAL (reported).
 */
int rb_run_complete(struct rb_optset *set, const struct rb_bench *bench,
		    struct rb_run_opts *run, const struct rb_conn_opts *conn,
		    const struct rb_load_opts *load);

/*
 * Server: check a plan that came from the peer, where no rule about what its user
 * typed applies any more. 0 or -EPROTO (reported).
 */
int rb_run_admit(const struct rb_bench *bench, const struct rb_run_opts *run,
		 const struct rb_conn_opts *conn,
		 const struct rb_load_opts *load);

/* The verb that is measured: -A and --imm choose among the row's. */
enum rb_verb rb_run_verb(const struct rb_bench *bench,
			 const struct rb_run_opts *run);

/* Nothing is sent again there: what gets lost is counted, not an error. */
bool rb_conn_is_lossy(const struct rb_conn_opts *conn);

/* Outstanding messages of each QP at this size, where it is left to us. */
uint64_t rb_run_depth(const struct rb_run_opts *run, uint64_t size);

/* Completions are asked for every this many messages when it is left to us. */
uint64_t rb_run_cq_mod(const struct rb_run_opts *run, uint64_t size);

/*
 * The same where one message awaits the other, in a send queue of @depth; where
 * there are receives, they are posted again @rx_batch at a time (else: 0), and
 * that is done together.
 */
uint64_t rb_run_pingpong_mod(const struct rb_run_opts *run, uint64_t depth,
			     uint64_t rx_batch);

/* The largest size of the sweep. */
uint64_t rb_run_max_size(const struct rb_run_opts *run);

/* Spellings of perftest: accepted under our names, or refused with the reason. */
extern const struct rb_optalias rb_perftest_aliases[];
extern const size_t rb_perftest_naliases;

#endif
