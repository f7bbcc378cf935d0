/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* channel - completion channels, whose descriptor is a pipe of events. */

#define _GNU_SOURCE
#include "fake.h"
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

FAKE_EXPORT struct ibv_comp_channel *
ibv_create_comp_channel(struct ibv_context *ctx)
{
	struct fake_channel *ch;
	int fds[2];

	FAKE_FAIL_NULL(ibv_create_comp_channel);
	ch = calloc(1, sizeof(*ch));
	if (!ch)
		return NULL;
	if (pipe2(fds, O_CLOEXEC)) {
		free(ch);
		return NULL;
	}
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	ch->ch.context = ctx;
	ch->ch.fd = fds[0];
	ch->wfd = fds[1];
	obj_add(&ch->obj, KIND_CHANNEL, (uint32_t)ch->ch.fd);
	return &ch->ch;
}

FAKE_EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct fake_channel *ch = (struct fake_channel *)(void *)channel;

	FAKE_FAIL_ERRNO(ibv_destroy_comp_channel);
	if (ch->obj.users)
		return EBUSY;
	close(channel->fd);
	close(ch->wfd);
	obj_del(&ch->obj);
	free(ch);
	return 0;
}

static struct fake_cq *find_cq(const struct wire_event *event)
{
	struct fake_cq *cq = __atomic_load_n(&proc.cqs[event->index],
					     __ATOMIC_ACQUIRE);

	return cq && cq->w->gen == event->gen ? cq : NULL;
}

FAKE_EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel,
				 struct ibv_cq **ibcq, void **cq_context)
{
	struct wire_event event;
	struct fake_cq *cq;

	FAKE_FAIL_MINUS(ibv_get_cq_event);
	do {
		if (wire_read(channel->fd, &event, sizeof(event)))
			return -1;
		cq = find_cq(&event);
	} while (!cq);
	__atomic_add_fetch(&cq->events_got, 1, __ATOMIC_RELAXED);
	*ibcq = &cq->cq;
	*cq_context = cq->cq.cq_context;
	return 0;
}

FAKE_EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += nevents;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}
