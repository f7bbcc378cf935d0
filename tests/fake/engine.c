/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine - what has to happen later
 *
 * Queue pairs whose next request is delayed stand in a list. Whoever polls a
 * completion queue runs what is due, so that times are exact while a program
 * polls; a worker thread does it for programs that do not. It is started with
 * the first delay, so an undisturbed run has no thread of ours.
 */

#define _GNU_SOURCE
#include "fake.h"
#include "plan.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

enum {
	BATCH = 64,
	POLLED_LATELY_NS = 100000,	/* someone polls: leave the work to it */
	GRACE_NS = 60000,
};

uint32_t engine_nbusy;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* the worker: something is due sooner */
	pthread_cond_t idle;		/* a queue pair stopped running */
	pthread_t thread;
	bool started, stop;
	struct fake_qp *list;
	uint64_t next_ns;		/* earliest of the list and the plan */
	uint64_t plan_ns;
	uint64_t asleep_until;
	uint64_t polled_ns;
	int running;
} engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER,
	.next_ns = UINT64_MAX, .plan_ns = UINT64_MAX,
};

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void set_busy(struct fake_qp *qp, bool busy)
{
	__atomic_store_n(&qp->busy, busy, __ATOMIC_RELEASE);
	store32(&engine_nbusy, engine_nbusy + (busy ? 1 : -1u));
}

static void find_next(void)
{
	uint64_t next = engine.plan_ns;
	struct fake_qp *qp;

	for (qp = engine.list; qp; qp = qp->busy_next)
		if (qp->wake_ns < next)
			next = qp->wake_ns;
	__atomic_store_n(&engine.next_ns, next, __ATOMIC_RELEASE);
}

/* Take what is due out of the list; with the lock held. */
static int take_due(struct fake_qp **due, uint64_t now)
{
	struct fake_qp **at = &engine.list;
	int n = 0;

	while (*at && n < BATCH) {
		struct fake_qp *qp = *at;

		if (qp->wake_ns > now) {
			at = &qp->busy_next;
			continue;
		}
		*at = qp->busy_next;
		set_busy(qp, false);
		qp->running++;
		due[n++] = qp;
	}
	engine.running += n;
	find_next();
	return n;
}

static void run_due(uint64_t now)
{
	struct fake_qp *due[BATCH];
	int n, i;

	pthread_mutex_lock(&engine.lock);
	n = take_due(due, now);
	pthread_mutex_unlock(&engine.lock);
	for (i = 0; i < n; i++) {
		pthread_mutex_lock(&due[i]->lock);
		qp_progress(due[i], now);
		pthread_mutex_unlock(&due[i]->lock);
	}
	if (!n)
		return;
	pthread_mutex_lock(&engine.lock);
	for (i = 0; i < n; i++)
		due[i]->running--;
	engine.running -= n;
	pthread_cond_broadcast(&engine.idle);
	pthread_mutex_unlock(&engine.lock);
}

/* From a poll. */
void engine_run(void)
{
	uint64_t now = now_ns();

	__atomic_store_n(&engine.polled_ns, now, __ATOMIC_RELAXED);
	if (now >= __atomic_load_n(&engine.next_ns, __ATOMIC_ACQUIRE))
		run_due(now);
}

static bool polled_lately(uint64_t now)
{
	return now - __atomic_load_n(&engine.polled_ns, __ATOMIC_RELAXED) <
	       POLLED_LATELY_NS;
}

static void sleep_until(uint64_t when)
{
	struct timespec t = {
		.tv_sec = (time_t)(when / 1000000000),
		.tv_nsec = (long)(when % 1000000000),
	};

	engine.asleep_until = when;
	if (when > UINT64_MAX / 2)
		pthread_cond_wait(&engine.wake, &engine.lock);
	else
		pthread_cond_timedwait(&engine.wake, &engine.lock, &t);
	engine.asleep_until = 0;
}

static void run_plan(uint64_t now)
{
	uint64_t next = async_tick(now), cm = cm_tick(now);

	if (cm < next)
		next = cm;
	pthread_mutex_lock(&engine.lock);
	engine.plan_ns = next;
	find_next();
	pthread_mutex_unlock(&engine.lock);
}

static void *work(void *unused)
{
	bool due;

	(void)unused;
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	pthread_mutex_lock(&engine.lock);
	while (!engine.stop) {
		uint64_t now = now_ns(), when = engine.next_ns;

		if (polled_lately(now) && when < UINT64_MAX / 2)
			when += GRACE_NS;
		if (now < when) {
			sleep_until(when);
			continue;
		}
		due = now >= engine.plan_ns;
		pthread_mutex_unlock(&engine.lock);
		run_due(now);
		if (due)
			run_plan(now);
		pthread_mutex_lock(&engine.lock);
	}
	pthread_mutex_unlock(&engine.lock);
	return NULL;
}

/* With the lock held. */
static void start(void)
{
	pthread_condattr_t attr;
	sigset_t all, old;

	if (engine.started)
		return;
	engine.started = true;
	engine.stop = false;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&engine.wake, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&engine.thread, NULL, work, NULL))
		engine.started = false;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void wake_for(uint64_t when)
{
	uint64_t slack = polled_lately(now_ns()) ? GRACE_NS : 0;

	if (engine.asleep_until > when + slack)
		pthread_cond_signal(&engine.wake);
}

void engine_schedule(struct fake_qp *qp, uint64_t when)
{
	pthread_mutex_lock(&engine.lock);
	if (!qp->dying) {
		start();
		if (!qp->busy) {
			qp->busy_next = engine.list;
			engine.list = qp;
			set_busy(qp, true);
		}
		qp->wake_ns = when;
		if (when < engine.next_ns)
			__atomic_store_n(&engine.next_ns, when,
					 __ATOMIC_RELEASE);
		wake_for(when);
	}
	pthread_mutex_unlock(&engine.lock);
}

/* The plan or the CM has something at @when; the worker asks them what. */
void engine_kick(uint64_t when)
{
	pthread_mutex_lock(&engine.lock);
	start();
	if (when < engine.plan_ns)
		engine.plan_ns = when;
	find_next();
	pthread_cond_signal(&engine.wake);
	pthread_mutex_unlock(&engine.lock);
}

/* Take @qp off the list and wait until nobody runs it. */
void engine_forget(struct fake_qp *qp)
{
	struct fake_qp **at;

	pthread_mutex_lock(&engine.lock);
	for (at = &engine.list; *at; at = &(*at)->busy_next) {
		if (*at != qp)
			continue;
		*at = qp->busy_next;
		set_busy(qp, false);
		break;
	}
	find_next();
	pthread_mutex_unlock(&engine.lock);
}

void engine_drop(struct fake_qp *qp)
{
	engine_forget(qp);
	pthread_mutex_lock(&engine.lock);
	qp->dying = true;
	while (qp->running)
		pthread_cond_wait(&engine.idle, &engine.lock);
	pthread_mutex_unlock(&engine.lock);
	engine_forget(qp);
}

/* Wait until no delayed request is being executed. */
void engine_quiesce(void)
{
	pthread_mutex_lock(&engine.lock);
	while (engine.running)
		pthread_cond_wait(&engine.idle, &engine.lock);
	pthread_mutex_unlock(&engine.lock);
}

void engine_forget_all(void)
{
	pthread_mutex_init(&engine.lock, NULL);
	pthread_cond_init(&engine.idle, NULL);
	engine.started = false;
	engine.list = NULL;
	engine.next_ns = engine.plan_ns = UINT64_MAX;
	engine.running = 0;
	engine_nbusy = 0;
}

void engine_stop(void)
{
	bool started;

	pthread_mutex_lock(&engine.lock);
	started = engine.started;
	engine.stop = true;
	if (started)
		pthread_cond_signal(&engine.wake);
	pthread_mutex_unlock(&engine.lock);
	if (!started)
		return;
	pthread_join(engine.thread, NULL);
	pthread_mutex_lock(&engine.lock);
	pthread_cond_destroy(&engine.wake);
	engine.started = false;
	pthread_mutex_unlock(&engine.lock);
}
