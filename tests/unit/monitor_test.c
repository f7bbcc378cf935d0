/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * monitor_test - what halts a run wakes its loops once, and keeps nobody awake
 */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/intr.h"
#include "peer/oob.h"
#include "quiet.h"
#include "run/monitor.h"
#include "verbs/dev.h"

#define WATCHED_NS (100 * RB_NS_PER_MS)

struct fixture {
	struct quiet quiet;
	struct ibv_context ctx;
	struct rb_dev dev;
	int events[2]; /* a pipe: the device's async events, of which none come */
	struct rb_oob ends[2];
	struct rb_monitor monitor;
};

static int set_up(void **state)
{
	static const struct rb_oob_opts opts = { .timeout_ns = 10 * RB_NS_PER_S };
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	quiet_begin(&f.quiet);
	assert_int_equal(pipe(f.events), 0);
	f.ctx.async_fd = f.events[0];
	f.dev.ctx = &f.ctx;
	assert_int_equal(rb_oob_pair(&opts, NULL, f.ends), 0);
	assert_int_equal(rb_monitor_init(&f.monitor, &f.dev, &f.ends[0], NULL),
			 0);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	rb_monitor_fini(&f->monitor);
	rb_oob_close(&f->ends[0]);
	rb_oob_close(&f->ends[1]);
	close(f->events[0]);
	close(f->events[1]);
	quiet_end(&f->quiet);
	return 0;
}

/* Would a loop that sleeps be woken? */
static bool wakes(const struct fixture *f)
{
	return !rb_wait_fd(f->monitor.wake_fd, POLLIN, NULL, 0);
}

static void send_result(struct fixture *f)
{
	assert_int_equal(rb_oob_send(&f->ends[1],
				     json_pack("{s:s}", "type", "result")),
			 0);
}

/* CPU time that the monitor's thread takes while we look. */
static uint64_t cpu_ns_of(pthread_t thread)
{
	struct timespec from, to;
	clockid_t clock;

	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	clock_gettime(clock, &from);
	rb_wait_fd(-1, 0, NULL, rb_deadline(WATCHED_NS));
	clock_gettime(clock, &to);
	return (uint64_t)(to.tv_sec - from.tv_sec) * RB_NS_PER_S +
	       (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
}

static void the_monitor_sleeps_while_the_loops_settle(void **state)
{
	struct fixture *f = *state;

	rb_monitor_halt_on_result(&f->monitor, true);
	assert_int_equal(rb_monitor_start(&f->monitor), 0);
	send_result(f);
	assert_int_equal(rb_wait_fd(f->monitor.wake_fd, POLLIN, NULL,
				    rb_deadline(10 * RB_NS_PER_S)),
			 0);
	assert_true(cpu_ns_of(f->monitor.thread) < WATCHED_NS / 10);
	rb_monitor_join(&f->monitor);
}

static void the_next_run_is_not_woken_by_what_halted_the_last(void **state)
{
	struct fixture *f = *state;

	rb_monitor_halt_on_result(&f->monitor, true);
	assert_int_equal(rb_monitor_start(&f->monitor), 0);
	rb_monitor_halt(&f->monitor);
	rb_monitor_join(&f->monitor);
	assert_true(wakes(f));
	rb_monitor_halt_on_result(&f->monitor, true);
	assert_false(wakes(f));
	assert_false(atomic_load(&f->monitor.halt));
}

static void nor_by_a_result_that_came_after_it(void **state)
{
	struct fixture *f = *state;
	json_t *frame;

	rb_monitor_halt_on_result(&f->monitor, true);
	assert_int_equal(rb_monitor_start(&f->monitor), 0);
	rb_monitor_join(&f->monitor);
	send_result(f);
	assert_int_equal(rb_monitor_await(&f->monitor, "result", &frame), 0);
	assert_non_null(frame);
	json_decref(frame);
	rb_monitor_halt_on_result(&f->monitor, true);
	assert_false(wakes(f));
	assert_false(atomic_load(&f->monitor.halt));
}

static void a_result_that_is_there_halts_and_wakes(void **state)
{
	struct fixture *f = *state;
	const json_t *frame;

	send_result(f);
	assert_int_equal(rb_oob_pump(&f->ends[0], &frame), 0);
	assert_non_null(frame);
	rb_monitor_halt_on_result(&f->monitor, false);
	assert_false(wakes(f));
	rb_monitor_halt_on_result(&f->monitor, true);
	assert_true(wakes(f));
	assert_true(atomic_load(&f->monitor.halt));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_monitor_sleeps_while_the_loops_settle, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_next_run_is_not_woken_by_what_halted_the_last, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nor_by_a_result_that_came_after_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_result_that_is_there_halts_and_wakes, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("monitor", tests, NULL, NULL);
}
