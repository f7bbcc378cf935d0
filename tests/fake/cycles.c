/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cycles - a processor's cycle counter that answers as the plan says
 *
 * Each reading of it is a million cycles more than the one before it, so that
 * what a program makes of two readings is known.
 */
#define _GNU_SOURCE
#include "fake.h"
#include "plan.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { READINGS = 64, STEP = 1000000 };

static long open_counter(const struct perf_event_attr *attr)
{
	const enum plan_cycles can = plan_get()->dev.cycles;
	uint64_t readings[READINGS][3]; /* value, enabled, running */
	int fd;

	if (attr->type != PERF_TYPE_HARDWARE || can == CYCLES_NONE ||
	    (can == CYCLES_USER && !attr->exclude_kernel)) {
		errno = EACCES;
		return -1;
	}
	for (uint64_t i = 0; i < READINGS; i++) {
		readings[i][0] = (i + 1) * STEP;
		readings[i][1] = readings[i][2] = i + 1;
	}
	fd = memfd_create("cycles", MFD_CLOEXEC);
	if (fd < 0 || write(fd, readings, sizeof(readings)) != sizeof(readings))
		abort();
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* glibc has no function of its own for perf_event_open(2). */
FAKE_EXPORT long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long v[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		v[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open && plan_get()->dev.cycles)
		return open_counter((const struct perf_event_attr *)v[0]);
	return real(number, v[0], v[1], v[2], v[3], v[4], v[5]);
}
