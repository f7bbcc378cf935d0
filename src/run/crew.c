/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crew - the measuring threads of a run, each on its core
 */
#include "run/crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"
#include "host/cores.h"

enum signal { WAIT, GO, LEAVE };

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t there; /* threads that are ready, the caller's not counted */
	enum signal signal;
	struct rb_log *log;
	void (*fn)(void *arg, uint32_t index);
	void *arg;
};

struct member {
	struct crew *crew;
	uint32_t index;
	pthread_t thread;
};

static void *member_main(void *arg)
{
	const struct member *m = arg;
	struct crew *c = m->crew;
	enum signal signal;

	rb_log_bind(c->log);
	pthread_mutex_lock(&c->lock);
	c->there++;
	pthread_cond_broadcast(&c->changed);
	while (c->signal == WAIT)
		pthread_cond_wait(&c->changed, &c->lock);
	signal = c->signal;
	pthread_mutex_unlock(&c->lock);
	if (signal == GO)
		c->fn(c->arg, m->index);
	return NULL;
}

/* Give the word when @n members are there; or send them away at once. */
static void give(struct crew *c, enum signal signal, uint32_t n)
{
	pthread_mutex_lock(&c->lock);
	while (signal == GO && c->there < n)
		pthread_cond_wait(&c->changed, &c->lock);
	c->signal = signal;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static int place(pthread_t thread, const struct rb_cores *cores, uint32_t index)
{
	cpu_set_t set;
	int err;

	if (!cores->n)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cores->v[index % cores->n], &set);
	err = pthread_setaffinity_np(thread, sizeof(set), &set);
	if (err)
		return rb_fail_hint(RB_FAULT_SYSTEM, -err, NULL,
				    "choose others with --cores; taskset(1) and the container's cpuset tell which there are",
				    "cannot place a thread on core %u",
				    cores->v[index % cores->n]);
	return 0;
}

/* Members 1 to @n - 1; the caller works as the first. */
static int work(struct crew *c, struct member *members, uint32_t n,
		const struct rb_cores *cores)
{
	uint32_t started = 0;
	int err = place(pthread_self(), cores, 0);

	while (!err && started + 1 < n) {
		struct member *m = &members[started];

		*m = (struct member){ .crew = c, .index = started + 1 };
		err = pthread_create(&m->thread, NULL, member_main, m);
		if (err) {
			err = rb_fail(RB_FAULT_SYSTEM, -err,
				      "cannot start measuring thread %u",
				      m->index);
			break;
		}
		started++;
		err = place(m->thread, cores, m->index);
	}
	give(c, err ? LEAVE : GO, started);
	if (!err)
		c->fn(c->arg, 0);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(members[i].thread, NULL);
	return err;
}

int rb_crew_run(const struct rb_cores *cores, uint32_t n,
		void (*fn)(void *arg, uint32_t index), void *arg)
{
	struct crew c = { .lock = PTHREAD_MUTEX_INITIALIZER,
			  .changed = PTHREAD_COND_INITIALIZER,
			  .log = rb_log_bound(),
			  .fn = fn,
			  .arg = arg };
	struct member *members = calloc(n, sizeof(*members));
	cpu_set_t before;
	bool known;
	int err;

	if (!members)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold %u threads", n);
	known = !pthread_getaffinity_np(pthread_self(), sizeof(before),
					&before);
	err = work(&c, members, n, cores);
	if (known && cores->n)
		pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
	free(members);
	return err;
}
