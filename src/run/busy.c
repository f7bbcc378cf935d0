/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * busy - tell those who come while a client is served that, and with whom
 */
#include "run/busy.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"

#define PATIENCE_NS RB_NS_PER_S /* a stranger may keep others waiting so long */

static json_t *busy_json(struct rb_busy *b)
{
	json_t *frame;

	pthread_mutex_lock(&b->lock);
	frame = json_pack("{s:s, s:s, s:I}", "type", "busy", "with", b->with,
			  "for_ns", (json_int_t)(rb_now_ns() - b->since_ns));
	pthread_mutex_unlock(&b->lock);
	return frame;
}

/* From now on rb_busy_end() cuts a talk with @fd (-1: with nobody) short. */
static void talk_to(struct rb_busy *b, int fd)
{
	pthread_mutex_lock(&b->lock);
	b->stranger = fd;
	if (b->ends && fd >= 0)
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&b->lock);
}

/* One who speaks first is answered; the channel is then the other end's to close. */
static void turn_away(struct rb_busy *b)
{
	struct rb_oob oob = { .fd = -1 };
	json_t *frame;

	if (rb_oob_accept(b->opts, b->listen_fd, NULL, &oob))
		return;
	talk_to(b, oob.fd);
	oob.timeout_ns = RB_MIN(oob.timeout_ns, PATIENCE_NS);
	if (!rb_oob_expect(&oob, "hello", &frame)) {
		json_decref(frame);
		if (!rb_oob_send(&oob, busy_json(b)) &&
		    !rb_oob_next(&oob, &frame))
			json_decref(frame);
	}
	talk_to(b, -1);
	rb_oob_close(&oob);
}

static void *busy_main(void *arg)
{
	struct rb_busy *b = arg;
	struct pollfd fds[2] = { { .fd = b->stop[0], .events = POLLIN },
				 { .fd = b->listen_fd, .events = POLLIN } };

	rb_log_bind(&b->log);
	while (poll(fds, RB_ARRAY_SIZE(fds), -1) < 0 || !fds[0].revents)
		if (fds[1].revents)
			turn_away(b);
	return NULL;
}

void rb_busy_begin(struct rb_busy *b, const struct rb_oob_opts *opts,
		   int listen_fd, const char *client)
{
	struct rb_log *own = rb_log_bound();

	memset(b, 0, sizeof(*b));
	b->opts = opts;
	b->listen_fd = listen_fd;
	b->since_ns = rb_now_ns();
	b->stranger = -1;
	snprintf(b->with, sizeof(b->with), "%s", client);
	if (pipe(b->stop))
		return;
	pthread_mutex_init(&b->lock, NULL);
	rb_log_init(&b->log, own->err, own->prefix);
	b->log.level = RB_LOG_MUTE; /* who is turned away is no failure of ours */
	b->runs = !pthread_create(&b->thread, NULL, busy_main, b);
	if (b->runs)
		return;
	rb_log_fini(&b->log);
	pthread_mutex_destroy(&b->lock);
	close(b->stop[0]);
	close(b->stop[1]);
}

void rb_busy_tell(struct rb_busy *b, const char *command, const char *client)
{
	if (!b->runs)
		return;
	pthread_mutex_lock(&b->lock);
	snprintf(b->with, sizeof(b->with), "%.80s of %.80s", command, client);
	pthread_mutex_unlock(&b->lock);
}

void rb_busy_end(struct rb_busy *b)
{
	if (!b->runs)
		return;
	b->runs = false;
	close(b->stop[1]); /* its end of the pipe hangs up */
	pthread_mutex_lock(&b->lock);
	b->ends = true;
	if (b->stranger >= 0)
		shutdown(b->stranger, SHUT_RDWR);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	close(b->stop[0]);
	rb_log_fini(&b->log);
	pthread_mutex_destroy(&b->lock);
}
