/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pipe - the pipes that carry events between processes, as whole records. */

#define _GNU_SOURCE
#include "wire.h"
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

static int open_end(const struct wire_peer *peer, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)peer->pid, fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

void wire_signal(const struct wire_peer *peer, int fd, const void *record,
		 size_t len)
{
	int out = fd;

	if (fd >= 0 && !peer->is_self)
		out = open_end(peer, fd);
	if (out < 0)
		return;
	wire_lock(&peer->a->event_lock);
	if (write(out, record, len) != (ssize_t)len)
		fprintf(stderr, "libfakeverbs: event lost: %s\n",
			strerror(errno));
	wire_unlock(&peer->a->event_lock);
	if (out != fd)
		close(out);
}

/*
 * The real calls are not woken when their descriptor is closed under them:
 * here that is the end of the file, and the thread stays where it is.
 */
int wire_read(int fd, void *record, size_t len)
{
	ssize_t n = read(fd, record, len);

	while (!n)
		pause();
	return n == (ssize_t)len ? 0 : -1;
}

/* Read what is there without waiting for more, whatever the flags of @fd. */
static size_t drain(int fd, char **data)
{
	size_t have = 0;
	int ready = 0;

	*data = NULL;
	if (ioctl(fd, FIONREAD, &ready) || ready <= 0)
		return 0;
	*data = malloc((size_t)ready);
	while (*data && have < (size_t)ready) {
		struct iovec iov = { *data + have, (size_t)ready - have };
		ssize_t n = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	return have;
}

static uint32_t gen_of(const char *record, size_t at)
{
	uint32_t gen;

	memcpy(&gen, record + at, sizeof(gen));
	return gen;
}

/*
 * Events of an object that is going away are not delivered any more, or a
 * program would find its descriptor readable and nothing to read. Writers are
 * locked out meanwhile, so the others stay in order.
 */
void wire_purge(int fd, const struct wire_layout *layout, uint32_t gen)
{
	size_t have, i, kept = 0;
	char *data;
	int out;

	wire_lock(&proc.self.a->event_lock);
	have = drain(fd, &data);
	for (i = 0; i + layout->size <= have; i += layout->size) {
		if (gen_of(data + i, layout->gen_at) == gen)
			continue;
		memmove(data + kept, data + i, layout->size);
		kept += layout->size;
	}
	out = kept ? open_end(&proc.self, fd) : -1;
	for (i = 0; out >= 0 && i < kept; i += layout->size)
		if (write(out, data + i, layout->size) < 0)
			break;
	if (out >= 0)
		close(out);
	wire_unlock(&proc.self.a->event_lock);
	free(data);
}
