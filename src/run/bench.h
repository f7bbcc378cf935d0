/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bench - a benchmark is a row of facts on shared loops
 */
#ifndef RB_BENCH_H
#define RB_BENCH_H

#include <infiniband/verbs.h>
#include <jansson.h>

#include "run/verb.h"

struct rb_visit;

#define RB_TRANSPORT(type) (1u << (type))

enum rb_pattern {
	RB_PATTERN_STREAM,   /* keep queues full: bandwidth */
	RB_PATTERN_PINGPONG, /* message and answer: latency of write and send */
	RB_PATTERN_REQUEST,  /* one at a time: latency of read and atomics */
};

struct rb_bench {
	const char *name; /* "write_bw" */
	const char *summary;
	enum rb_verb verb; /* of atomics: RB_VERB_FETCH_ADD, -A may change it */
	enum rb_pattern pattern;
	unsigned int transports;	/* RB_TRANSPORT() of each possible one */
	const char *transport_reason;	/* why the others are not */
};

/*
 * What the rules of doctor find in the document of a run (diag/afterrun.h), which
 * those who know these rules hand in: an array, a new reference.
 */
typedef json_t *(*rb_judge_fn)(const json_t *run);

/*
 * Run @bench from its command line to its document, as the waiting server (no
 * host given) or as the client. Returns the process's exit code.
 */
int rb_bench_run(const struct rb_bench *bench, rb_judge_fn judge, int argc,
		 char **argv);

/* Serve one client of @bench at a server. 0 or -errno (reported). */
int rb_bench_serve(const struct rb_bench *bench, rb_judge_fn judge,
		   struct rb_visit *visit);

/* Write the help, or the list of options, of a benchmark to standard output. */
void rb_bench_help(const struct rb_bench *bench);
void rb_bench_list_options(const struct rb_bench *bench);

#endif
