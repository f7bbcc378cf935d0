/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * log - the only writer to standard error, and the memory of what went wrong
 *
 * A command runs under one struct rb_log, bound to the thread that runs it:
 * the single exception to "no mutable global". The first failure is printed in
 * one line and kept for the JSON document; failures that follow from it (while
 * things are being closed) are shown with -v only. Warnings are kept as well.
 */
#ifndef RB_LOG_H
#define RB_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/base.h"
#include "base/fault.h"

#define RB_LOG_TEXT 512
#define RB_LOG_WARNINGS 32

enum rb_log_level { RB_LOG_MUTE, RB_LOG_QUIET, RB_LOG_NORMAL, RB_LOG_INFO, RB_LOG_DEBUG };

/* A failure, with its words complete: it can be shown or sent to the peer. */
struct rb_failure {
	enum rb_fault fault;
	int err; /* negative errno; 0 when none applies */
	char code[32];
	char where[24];
	char message[RB_LOG_TEXT];
	char cause[RB_LOG_TEXT];
	char hints[RB_FAULT_HINTS][RB_LOG_TEXT / 2];
	/* found out afterwards; empty: nothing was */
	char evidence[RB_LOG_TEXT];   /* counters that confirm or contradict it */
	char other_side[RB_LOG_TEXT]; /* what the peer saw of the same failure */
};

struct rb_warning {
	char id[32];
	char text[RB_LOG_TEXT];
};

struct rb_log {
	FILE *err;
	const char *prefix; /* "rbench write_bw"; borrowed */
	enum rb_log_level level;
	pthread_mutex_t lock;
	bool terminal; /* err is one: progress is shown */
	bool trace;    /* each call of the control path is told (trace.h) */
	uint64_t since_ns; /* what traces count from */
	bool failed;
	struct rb_failure first;
	unsigned int nwarnings;
	struct rb_warning warnings[RB_LOG_WARNINGS];
};

/* Prepare @log to write to @err (borrowed, usually stderr) under @prefix. */
void rb_log_init(struct rb_log *log, FILE *err, const char *prefix);
void rb_log_fini(struct rb_log *log);

/*
 * Prepare @log for a part of the work whose failures are somebody's finding, not
 * ours: mute, but traced as the bound log is.
 */
void rb_log_init_aside(struct rb_log *log);

/* Bind @log to the calling thread; returns the one bound before (or NULL). */
struct rb_log *rb_log_bind(struct rb_log *log);
struct rb_log *rb_log_bound(void);

/* The bound log's level, from --quiet, the number of -v and --trace. */
void rb_log_level(bool quiet, uint64_t verbose, bool trace);

/*
 * Report a failure and return @err (a negative errno), so that a caller can
 * write 'return rb_fail(...)'. The cause and hints are those of the fault's
 * row. errno is left as it was.
 */
int rb_fail(enum rb_fault fault, int err, const char *fmt, ...) RB_PRINTF(3, 4);

/* The same with a cause of its own in place of the row's (NULL: none). */
int rb_fail_cause(enum rb_fault fault, int err, const char *cause,
		  const char *fmt, ...) RB_PRINTF(4, 5);

/* The same with cause and first hint of its own (either may be NULL). */
int rb_fail_hint(enum rb_fault fault, int err, const char *cause,
		 const char *hint, const char *fmt, ...) RB_PRINTF(5, 6);

/*
 * What was found out of the first failure after it was reported: shown in a line
 * of its own and kept with it. Nothing happens when nothing failed.
 */
void rb_fail_evidence(const char *fmt, ...) RB_PRINTF(1, 2);
void rb_fail_other_side(const char *fmt, ...) RB_PRINTF(1, 2);

/* Report a failure that is complete already (one that the peer sent). */
int rb_fail_raw(const struct rb_failure *failure);

/*
 * Warn once per @id: printed (unless quiet) and kept for the document's
 * "warnings". @id is lower case with underscores and never renamed.
 */
void rb_warn(const char *id, const char *fmt, ...) RB_PRINTF(2, 3);

/*
 * Show the state of a run in place, where standard error is a terminal; an
 * empty text takes it away again.
 */
void rb_progress(const char *fmt, ...) RB_PRINTF(1, 2);

/* Say, also when quiet, what the exit code stands for: KIND and the text. */
void rb_say(const char *kind, const char *fmt, ...) RB_PRINTF(2, 3);

/* A line of --trace, with the time since the log's beginning. */
void rb_log_trace(const char *fmt, ...) RB_PRINTF(1, 2);

/* Say something at -v (info) or -vv (debug). */
void rb_info(const char *fmt, ...) RB_PRINTF(1, 2);
void rb_debug(const char *fmt, ...) RB_PRINTF(1, 2);

#endif
