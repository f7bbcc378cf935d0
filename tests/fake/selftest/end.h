/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* end - one end of a connection, for the tests of the double itself. */
#ifndef SELFTEST_END_H
#define SELFTEST_END_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

enum { END_BYTES = 1 << 20, END_DEPTH = 16, END_PSN = 0x1234 };

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	char *buf;
	int dev;
};

struct end_addr {
	uint32_t qpn, rkey;
	uint64_t addr;
	union ibv_gid gid;
};

struct end_opts {
	enum ibv_qp_type type;
	unsigned int access;		/* of the region and the queue pair */
	int cqe;
	bool extended;			/* ibv_wr_* */
	bool use_srq;
	uint8_t rnr_retry;
};

#define CHECK(cond) do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, \
				__LINE__, __func__, #cond); \
			exit(1); \
		} \
	} while (0)

extern const struct end_opts end_defaults;

void end_open(struct end *e, int dev, const struct end_opts *opts);
void end_close(struct end *e);
struct end_addr end_address(const struct end *e);
int end_init(struct end *e, const struct end_opts *opts);
int end_connect(struct end *e, const struct end_addr *to,
		const struct end_opts *opts);

/* Two ends in this process, connected. */
void pair_open(struct end *a, struct end *b, const struct end_opts *opts);
void pair_close(struct end *a, struct end *b);

int end_post(struct end *e, enum ibv_wr_opcode op, const struct end_addr *to,
	     uint32_t len, unsigned int flags);
int end_receive(struct end *e, uint64_t wr_id, uint32_t len);

/* Wait for one completion, at most 3 s. */
struct ibv_wc end_wait(struct end *e);
bool end_is_quiet(struct end *e);

/* The next asynchronous event within a second, acknowledged; -1: none. */
int end_event(struct end *e);

#endif
