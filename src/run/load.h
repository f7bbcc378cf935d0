/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * load - how hard a run presses, and from where: threads and their cores, the
 * rate at which messages are due, the memory through which they walk
 *
 * A rate is kept as bits or, with RB_RATE_MESSAGES, messages a second, of all QPs
 * of an end together; 0: as fast as it goes. A way through memory (access) is
 * RB_ACCESS_SEQ, RB_ACCESS_RANDOM, or the bytes of a stride.
 */
#ifndef RB_LOAD_H
#define RB_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"

struct rb_cores;

#define RB_THREADS_MAX 1024
#define RB_SGES_MAX 32u
#define RB_BACKGROUND_QPS_MAX 1024u
#define RB_RATE_MESSAGES (1ull << 63)
#define RB_ACCESS_SEQ 0u
#define RB_ACCESS_RANDOM 1u

struct rb_load_opts {
	uint64_t threads; /* that measure, at each end */
	const char *cores; /* NULL: near ones, with more than one thread */
	uint64_t rate;
	uint64_t burst;	    /* messages due together; RB_AUTO: a list */
	uint64_t footprint; /* bytes of each QP at each end; RB_AUTO: few */
	uint64_t access;
	uint64_t sges; /* pieces of a message */
	uint64_t background; /* QPs that write while a latency is measured */
	uint64_t background_size; /* of their messages */
};
extern const struct rb_optgroup rb_load_optgroup;

/*
 * The cores of this end's threads: the first that --cores lists, else, with more
 * than one thread, those near the device @ibdev: the client takes them from the
 * front, the server from the back, so that two ends on one host do not meet.
 * None (@cores->n 0) when threads go where the scheduler puts them.
 */
void rb_load_cores(const struct rb_load_opts *load, const char *ibdev,
		   bool client, struct rb_cores *cores);

/* Messages a second that are due, of @size bytes; 0: as fast as it goes. */
double rb_load_rate(const struct rb_load_opts *load, uint64_t size);

/*
 * Warn of messages of @size that went slower than --rate asks for: the device, or
 * the loop, could not do it.
 */
void rb_load_warn(const struct rb_load_opts *load, uint64_t size,
		  double messages_per_s);

/* Does it ask for what only a loaded stream does (stream.h)? */
bool rb_load_is_any(const struct rb_load_opts *load);

/* Bytes that messages of @size walk through, a power of two of whole slots. */
uint64_t rb_load_span(const struct rb_load_opts *load, uint64_t size);

/* Bytes of memory that takes for a QP; @size, when it is left to us. */
uint64_t rb_load_region(const struct rb_load_opts *load, uint64_t size);

/*
 * How messages walk through memory: the next place is place * factor + step
 * (mod mask + 1), from 0; stream.h tells of factors.
 */
struct rb_walk {
	uint64_t factor, step, mask;
};

/* That of messages of @size through a footprint that was asked for. */
struct rb_walk rb_load_walk(const struct rb_load_opts *load, uint64_t size);

/* Its @n-th place, by log2(n) steps; the first is 0. */
uint64_t rb_walk_place(const struct rb_walk *walk, uint64_t n);

/* How many messages of @size in a row have places that do not overlap; 0: none. */
uint64_t rb_load_places(const struct rb_load_opts *load, uint64_t size);

/* Texts of rates and ways; see struct rb_code. */
int rb_rate_read(const char *text, uint64_t *rate);
const char *rb_rate_write(uint64_t rate, char buf[static RB_TEXT_SIZE]);
int rb_access_read(const char *text, uint64_t *access);
const char *rb_access_write(uint64_t access, char buf[static RB_TEXT_SIZE]);

/* Is --cores a list, or "any", or not there? */
bool rb_load_knows_cores(const struct rb_load_opts *load);

#endif
