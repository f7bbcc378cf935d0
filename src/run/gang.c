/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gang - a crew whose first thread leads: what it asks for, all do at once
 */
#include "run/gang.h"

#include <pthread.h>
#include <stdbool.h>

#include "run/crew.h"

struct rb_gang {
	uint32_t n;
	void (*lead)(struct rb_gang *gang, void *arg);
	void *lead_arg;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* guarded: the order in force, its number, who still works at it */
	void (*fn)(void *arg, uint32_t index);
	void *arg;
	uint64_t order;
	uint32_t at_work;
	bool over;
};

/* Wait for an order after the @done-th; false: there are no more. */
static bool take_order(struct rb_gang *g, uint64_t done)
{
	bool got;

	pthread_mutex_lock(&g->lock);
	while (g->order == done && !g->over)
		pthread_cond_wait(&g->changed, &g->lock);
	got = g->order != done;
	pthread_mutex_unlock(&g->lock);
	return got;
}

static void report_done(struct rb_gang *g)
{
	pthread_mutex_lock(&g->lock);
	if (!--g->at_work)
		pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

static void finish(struct rb_gang *g)
{
	pthread_mutex_lock(&g->lock);
	g->over = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

static void member(void *arg, uint32_t index)
{
	struct rb_gang *g = arg;

	if (!index) {
		g->lead(g, g->lead_arg);
		finish(g);
		return;
	}
	for (uint64_t done = 0; take_order(g, done); done++) {
		g->fn(g->arg, index);
		report_done(g);
	}
}

int rb_gang_run(const struct rb_cores *cores, uint32_t n,
		void (*lead)(struct rb_gang *gang, void *arg), void *arg)
{
	struct rb_gang g = { .n = n,
			     .lead = lead,
			     .lead_arg = arg,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER };

	return rb_crew_run(cores, n, member, &g);
}

void rb_gang_do(struct rb_gang *g, void (*fn)(void *arg, uint32_t index),
		void *arg)
{
	pthread_mutex_lock(&g->lock);
	g->fn = fn;
	g->arg = arg;
	g->order++;
	g->at_work = g->n - 1;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	fn(arg, 0);
	pthread_mutex_lock(&g->lock);
	while (g->at_work)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
}
