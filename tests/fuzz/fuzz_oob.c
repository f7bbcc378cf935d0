/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fuzz_oob - any bytes on the side channel's connection
 *
 * The first byte chooses how they are read: as by one who waits for a frame, or
 * as by the monitor.
 */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "peer/oob.h"

#define MOST 60000 /* fits a socket's buffer: nobody reads while we write */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int channel(struct rb_oob *oob, const uint8_t *data, size_t size)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return -1;
	if (write(fds[1], data, size) != (ssize_t)size)
		abort();
	close(fds[1]);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*oob = (struct rb_oob){
		.fd = fds[0],
		.timeout_ns = 1000000,
		.limit = RB_FRAME_FIRST_MAX,
		.peer_name = "fuzz",
	};
	return 0;
}

static void as_waiter(struct rb_oob *oob)
{
	json_t *frame;

	while (!rb_oob_expect(oob, "hello", &frame)) {
		oob->limit = RB_FRAME_MAX;
		json_decref(frame);
	}
}

static void as_monitor(struct rb_oob *oob)
{
	const json_t *frame;

	do {
		if (rb_oob_pump(oob, &frame))
			return;
		if (frame)
			rb_oob_peer_failed(oob, frame);
	} while (frame || oob->have);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rb_oob oob;

	if (size < 1 || size > MOST)
		return 0;
	rb_log_bind(NULL);
	if (channel(&oob, data + 1, size - 1))
		return 0;
	if (data[0] & 1)
		as_monitor(&oob);
	else
		as_waiter(&oob);
	rb_oob_close(&oob);
	return 0;
}
