/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * turns - makes the runnable processes of a CPU take short turns, until killed
 *
 *   turns NANOSECONDS
 *
 * Two processes that spin on one CPU each wait for a tick of the scheduler, some
 * milliseconds, before the other one sees what it has been sent. This one comes
 * in between so often, at a higher priority, and sleeps again at once: what runs
 * then is the one that has run less. It does not interrupt a system call, so
 * what is cut short is the spinning.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct sched_param priority = { .sched_priority = 1 };
	struct timespec pause = { .tv_nsec = argc == 2 ? atol(argv[1]) : 0 };

	if (pause.tv_nsec <= 0 || pause.tv_nsec >= 1000000000) {
		fprintf(stderr, "usage: turns NANOSECONDS\n");
		return 2;
	}
	if (sched_setscheduler(0, SCHED_FIFO, &priority)) {
		perror("turns: SCHED_FIFO");
		return 1;
	}
	for (;;)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}
