/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * timing - when a message is due under service=, rate= and stall=
 *
 * A queue pair serves its messages one after the other; the rate is that of
 * the link, so all queue pairs of the process share it. The times chain from
 * when a message was due, not from when it was noticed, so they do not drift.
 */

#include "fake.h"
#include "plan.h"

static pthread_mutex_t link_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t link_busy_ns;
static uint64_t first_ns;		/* the first message of the process */
static uint64_t random_state = 88172645463325252ull;

/* xorshift64: the same sequence in each run */
static double next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / (double)(1ull << 53);
}

static uint64_t service(const struct plan_timing *t)
{
	if (t->slow_share > 0 && next_random() < t->slow_share)
		return t->slow_ns;
	return t->service_ns;
}

static double rate_at(const struct plan_timing *t, uint64_t when)
{
	double gbps = 0;
	int i;

	for (i = 0; i < t->nrate; i++)
		if (when - first_ns >= t->rate[i].from_ns)
			gbps = t->rate[i].gbps;
	return gbps;
}

static uint64_t through_link(const struct plan_timing *t, uint64_t when,
			     uint32_t len)
{
	double gbps;

	if (when < link_busy_ns)
		when = link_busy_ns;
	gbps = rate_at(t, when);
	if (gbps > 0)
		when += (uint64_t)(len * 8.0 / gbps);
	link_busy_ns = when;
	return when;
}

/* The last part of each period is a stall: nothing completes until its end. */
static uint64_t after_stall(const struct plan_timing *t, uint64_t when)
{
	uint64_t at;

	if (!t->stall_ns)
		return when;
	at = (when - first_ns) % t->period_ns;
	return at < t->period_ns - t->stall_ns ? when :
	       when + (t->period_ns - at);
}

uint64_t timing_due(struct fake_qp *qp, uint32_t len)
{
	const struct plan_timing *t = &plan_get()->timing;
	uint64_t when = now_ns();

	pthread_mutex_lock(&link_lock);
	if (!first_ns)
		first_ns = when;
	if (when < qp->busy_ns)
		when = qp->busy_ns;
	when += service(t);
	if (t->nrate)
		when = through_link(t, when, len);
	when = after_stall(t, when);
	qp->busy_ns = when;
	pthread_mutex_unlock(&link_lock);
	return when;
}
