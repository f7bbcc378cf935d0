/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gang - a crew whose first thread leads: what it asks for, all do at once
 */
#include "run/gang.h"

#include <pthread.h>

#include "base/log.h"
#include "run/crew.h"

struct rb_gang {
	void (*lead)(struct rb_gang *gang, void *arg);
	void *lead_arg;
	/* all meet here before an order and after it; it is set in between */
	pthread_barrier_t edge;
	void (*fn)(void *arg, uint32_t index); /* NULL: there are no more */
	void *arg;
};

static void meet(struct rb_gang *g)
{
	pthread_barrier_wait(&g->edge);
}

static void member(void *arg, uint32_t index)
{
	struct rb_gang *g = arg;

	if (!index) {
		g->lead(g, g->lead_arg);
		g->fn = NULL;
		meet(g);
		return;
	}
	for (;;) {
		meet(g);
		if (!g->fn)
			return;
		g->fn(g->arg, index);
		meet(g);
	}
}

int rb_gang_run(const struct rb_cores *cores, uint32_t n,
		void (*lead)(struct rb_gang *gang, void *arg), void *arg)
{
	struct rb_gang g = { .lead = lead, .lead_arg = arg };
	int err = pthread_barrier_init(&g.edge, NULL, n);

	if (err)
		return rb_fail(RB_FAULT_SYSTEM, -err,
			       "cannot make threads wait for each other");
	err = rb_crew_run(cores, n, member, &g);
	pthread_barrier_destroy(&g.edge);
	return err;
}

void rb_gang_do(struct rb_gang *g, void (*fn)(void *arg, uint32_t index),
		void *arg)
{
	g->fn = fn;
	g->arg = arg;
	meet(g);
	fn(arg, 0);
	meet(g);
}
