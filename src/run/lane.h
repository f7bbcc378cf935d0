/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lane - what one measuring thread works with: its share of the QPs, their CQ and
 * shared receive queue
 *
 * The QPs of a session are dealt out in rows: lane 0 has the first ones. What a
 * thread writes while it measures is allocated for its lane, in whole cache
 * lines, so that no line is written by two threads.
 */
#ifndef RB_LANE_H
#define RB_LANE_H

#include <stdint.h>

#include "run/laps.h"
#include "run/pingpong.h"
#include "run/stream.h"
#include "run/window.h"
#include "verbs/cq.h"

#define RB_CACHE_LINE 64u

struct rb_context;
struct rb_dev;
struct rb_hist;
struct rb_hwlat;
struct rb_session;
struct rb_session_plan;

/* What a lane sent in its window. */
struct rb_sent {
	uint64_t messages;
	double per_s;
	struct rb_cpu_time cpu;
};

struct rb_lane {
	uint32_t first, n; /* its QPs: first, first + 1 ... of the session */
	struct rb_cq cq;
	struct ibv_srq *srq; /* NULL: each QP has its own receives */
	struct rb_flow *flows;
	struct rb_flow **ring; /* rb_power_of_two(n) places */
	struct ibv_send_wr *wrs; /* list * n; NULL with ibv_wr_* */
	struct ibv_sge *sges;
	uint64_t *shares; /* messages of each QP in the window */
	struct rb_sent sent;
	struct rb_context *ctx; /* of the run, for what calls back */
	/* one size's run of its thread */
	struct rb_stream stream;
	struct rb_window window;
	struct rb_lap lap;
	struct rb_pingpong pingpong;
	struct rb_hist *hist, *response; /* latency: of this lane; NULL: none */
	struct rb_hwlat *hwlat;		 /* the same, by the device's time */
	enum rb_stream_end end;
	_Atomic double rate; /* of the last interval, for the progress line */
} __attribute__((aligned(RB_CACHE_LINE)));

/* The smallest power of two that is not below @v. */
uint32_t rb_power_of_two(uint32_t v);

/* @n zeroed elements of @size bytes in whole cache lines; NULL without memory. */
void *rb_lane_alloc(size_t n, size_t size);

/* How many of @qps QPs the lanes before lane @index of @lanes have together. */
uint32_t rb_lane_first(uint32_t qps, uint32_t lanes, uint32_t index);

/*
 * Make lane @index of @session by its plan: CQ, SRQ, flows and ring. 0 or a negative errno
 * (reported); rb_lane_close is to be called in either case.
 */
int rb_lane_open(const struct rb_session *session, uint32_t index,
		 struct rb_lane *lane);

/* Prepared lists of requests, for QPs without the ibv_wr_* interface. */
int rb_lane_open_lists(struct rb_lane *lane, uint32_t list, uint32_t sges);

/* Once its QPs are gone. Safe on a zeroed lane, and twice. */
void rb_lane_close(struct rb_lane *lane);

#endif
