/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * result - the row that a bandwidth run of one size yields
 *
 * What was not measured is absent (report.h). "out" and "in" are seen from the
 * end that holds the row; a row from the peer is turned round.
 */
#ifndef RB_RESULT_H
#define RB_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/report.h"

struct rb_window;
struct rb_clock;

struct rb_direction {
	uint64_t messages;
	double bits_per_s;
};

struct rb_cpu_use {
	double user_s, system_s;
	double utilisation; /* of one CPU, 0 to 1 */
	double cycles_per_message;
};

extern const struct rb_cpu_use rb_no_cpu_use; /* all absent */

struct rb_bw_result {
	uint64_t size_bytes, qps, threads, messages, bytes, duration_ns;
	double bits_per_s, percent_of_link, messages_per_s;
	struct rb_direction out, in; /* bidirectional runs only */
	uint64_t worst_at_ns; /* where the slowest interval began, in the window */
	uint64_t period_ns;
	double min, p5, p50, max, stddev; /* bit/s of the intervals */
	double fair_qps, fair_threads; /* Jain's index (share.h) */
	struct rb_cpu_use local, peer;
	uint64_t checked, corrupt, lost; /* verified messages */
	uint64_t checked_bytes;
	uint64_t fault_qp, fault_sequence, fault_offset; /* the first wrong one */
	uint64_t arrived;	/* at the receiver of sends, in its window */
	double goodput;		/* bit/s of them */
	uint64_t total_sent, total_arrived; /* with warm-up and drain */
	uint64_t missing;	/* of those sent, to each that listens */
	double missing_percent;
};

extern const struct rb_fields rb_bw_fields;	 /* one direction */
extern const struct rb_fields rb_bw_lossy_fields; /* the same, of UC and UD sends */
extern const struct rb_fields rb_bw_both_fields; /* bidirectional */

/* CPU time in a closed window, which has to have a length. */
struct rb_cpu_use rb_cpu_use_of(const struct rb_window *w);

/* All absent but size, qps and threads. */
void rb_bw_result_init(struct rb_bw_result *r, uint64_t size, uint64_t qps,
		       uint64_t threads);

/* What the closed window of a stream of messages of r->size_bytes shows. */
void rb_bw_result_window(struct rb_bw_result *r, const struct rb_window *w);

/* Share of @link_bits_per_s (0: unknown) in @directions directions. */
void rb_bw_result_share(struct rb_bw_result *r, uint64_t link_bits_per_s,
			unsigned int directions);

/*
 * Join our row @r of a bidirectional run with the peer's row of its direction:
 * rates and counts are added, "out" and "in" are set; loss is that of "in".
 */
void rb_bw_result_join(struct rb_bw_result *r, const struct rb_bw_result *peer);

/* Take what the receiver of sends in one direction saw into @r. */
void rb_bw_result_receiver(struct rb_bw_result *r,
			   const struct rb_bw_result *receiver);

/*
 * Set what is missing of the messages sent, each to @listeners; where both
 * totals are known.
 */
void rb_bw_result_loss(struct rb_bw_result *r, uint64_t listeners);

#endif
