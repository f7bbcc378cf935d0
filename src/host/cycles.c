/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cycles - how many processor cycles the calling thread has used
 */
#include "host/cycles.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What read(2) gives with these bits of read_format, in this order. */
struct reading {
	uint64_t value;
	uint64_t enabled_ns, running_ns; /* shared with others: less running */
};

static __thread int counter = -1;

static int open_counter(bool kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = !kernel,
		.exclude_hv = !kernel,
	};
	const int this_thread = 0, any_cpu = -1, no_group = -1;

	return (int)syscall(SYS_perf_event_open, &attr, this_thread, any_cpu,
			    no_group, PERF_FLAG_FD_CLOEXEC);
}

static enum rb_cycles open_best(int *fd)
{
	*fd = open_counter(true);
	if (*fd >= 0)
		return RB_CYCLES_ALL;
	*fd = open_counter(false);
	return *fd >= 0 ? RB_CYCLES_USER : RB_CYCLES_NONE;
}

enum rb_cycles rb_cycles_can(void)
{
	int fd;
	enum rb_cycles can = open_best(&fd);

	if (fd >= 0)
		close(fd);
	return can;
}

void rb_cycles_begin(void)
{
	rb_cycles_end();
	open_best(&counter);
}

void rb_cycles_end(void)
{
	if (counter >= 0)
		close(counter);
	counter = -1;
}

double rb_cycles_now(void)
{
	struct reading r;

	if (counter < 0 || read(counter, &r, sizeof(r)) != sizeof(r) ||
	    !r.running_ns)
		return NAN;
	return (double)r.value * ((double)r.enabled_ns / (double)r.running_ns);
}
