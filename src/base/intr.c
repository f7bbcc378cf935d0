/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * intr - SIGINT and SIGTERM as a descriptor that every wait can watch
 */
#include "base/intr.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static void signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

int rb_intr_init(struct rb_intr *intr)
{
	sigset_t set;

	signals(&set);
	atomic_init(&intr->hit, false);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	intr->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (intr->fd < 0)
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot watch for signals");
	return 0;
}

void rb_intr_fini(struct rb_intr *intr)
{
	sigset_t set;

	if (intr->fd >= 0)
		close(intr->fd);
	intr->fd = -1;
	signals(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool rb_intr_check(struct rb_intr *intr)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (!atomic_load(&intr->hit) &&
	    read(intr->fd, &info, sizeof(info)) != sizeof(info))
		return false;
	atomic_store(&intr->hit, true);
	signals(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return true;
}

int rb_wait_fd(int fd, short events, struct rb_intr *intr, uint64_t deadline_ns)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = events },
		{ .fd = intr ? intr->fd : -1, .events = POLLIN },
	};

	for (;;) {
		int n = poll(fds, 2,
			     deadline_ns == UINT64_MAX ?
				     -1 :
				     rb_deadline_ms(deadline_ns));

		if (intr && rb_intr_check(intr))
			return -EINTR;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[0].revents)
			return 0;
		if (rb_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
	}
}
