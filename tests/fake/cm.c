/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm - event channels and ids of the librdmacm double. */

#define _GNU_SOURCE
#include "cm.h"
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

struct cm_id *cm_ids[WIRE_CMIDS];
pthread_mutex_t cm_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ibv_context *contexts[WIRE_DEVS];
static uint32_t next_id;

int cm_fail(int err)
{
	errno = err;
	return -1;
}

/* The library's own context of a device, open until the process ends. */
struct ibv_context *cm_context(int dev)
{
	struct fake_dev *d;

	pthread_mutex_lock(&cm_lock);
	if (!contexts[dev]) {
		d = dev_new(dev);
		if (d) {
			contexts[dev] = ctx_open(d);
			dev_put(d);
		}
	}
	pthread_mutex_unlock(&cm_lock);
	return contexts[dev];
}

void cm_fini(void)
{
	int i;

	for (i = 0; i < WIRE_DEVS; i++)
		if (contexts[i])
			ctx_close(contexts[i]);
}

void cm_forget(void)
{
	memset(cm_ids, 0, sizeof(cm_ids));
	memset(contexts, 0, sizeof(contexts));
}

FAKE_EXPORT struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct cm_channel *ch;
	int fds[2];

	FAKE_FAIL_NULL(rdma_create_event_channel);
	if (wire_join())
		return NULL;
	ch = calloc(1, sizeof(*ch));
	if (!ch)
		return NULL;
	if (pipe2(fds, O_CLOEXEC)) {
		free(ch);
		return NULL;
	}
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	ch->ch.fd = fds[0];
	ch->wfd = fds[1];
	obj_add(&ch->obj, KIND_CM_CHANNEL, (uint32_t)fds[0]);
	return &ch->ch;
}

FAKE_EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct cm_channel *ch = (struct cm_channel *)(void *)channel;

	if (ch->obj.users)
		fprintf(stderr, "libfakeverbs: event channel destroyed with %d ids\n",
			ch->obj.users);
	close(channel->fd);
	close(ch->wfd);
	obj_del(&ch->obj);
	free(ch);
}

static bool take_index(struct cm_id *id)
{
	uint32_t i;

	pthread_mutex_lock(&cm_lock);
	for (i = 0; i < WIRE_CMIDS && !id->w; i++) {
		uint32_t index = next_id++ % WIRE_CMIDS;

		if (cm_ids[index])
			continue;
		cm_ids[index] = id;
		id->index = index;
		id->w = &proc.self.a->cm[index];
	}
	pthread_mutex_unlock(&cm_lock);
	return id->w;
}

struct cm_id *cm_id_new(struct rdma_event_channel *channel, void *context,
			enum rdma_port_space ps)
{
	struct cm_channel *ch = (struct cm_channel *)(void *)channel;
	struct cm_id *id = calloc(1, sizeof(*id));

	if (!id || !take_index(id)) {
		free(id);
		errno = ENOMEM;
		return NULL;
	}
	id->id.channel = channel;
	id->id.context = context;
	id->id.ps = ps;
	id->id.qp_type = ps == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC;
	id->w->event_fd = ch->wfd;
	id->w->ps = (uint16_t)ps;
	id->w->addr = id->w->port = id->w->hung_up = 0;
	id->own.slot = proc.self.slot;
	id->own.index = id->index;
	id->own.gen = next_gen();
	id->own.psn = id->own.gen * 7919 & 0xffffff;
	store32(&id->w->gen, id->own.gen);
	pthread_mutex_init(&id->lock, NULL);
	pthread_cond_init(&id->cond, NULL);
	obj_use(&ch->obj);
	obj_add(&id->obj, KIND_CM_ID, id->index);
	return id;
}

FAKE_EXPORT int rdma_create_id(struct rdma_event_channel *channel,
			       struct rdma_cm_id **out, void *context,
			       enum rdma_port_space ps)
{
	struct cm_id *id;

	FAKE_FAIL_MINUS(rdma_create_id);
	if (!channel || (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP))
		return cm_fail(EOPNOTSUPP);
	id = cm_id_new(channel, context, ps);
	if (!id)
		return -1;
	*out = &id->id;
	return 0;
}

static void stop_listening(struct cm_id *id)
{
	if (!id->w->listening)
		return;
	id->w->listening = 0;
	__atomic_sub_fetch(&proc.self.a->nlisten, 1, __ATOMIC_RELAXED);
}

FAKE_EXPORT int rdma_destroy_id(struct rdma_cm_id *ibid)
{
	static const struct wire_layout layout = {
		sizeof(struct cm_record), offsetof(struct cm_record, gen),
	};
	struct cm_channel *ch = (struct cm_channel *)(void *)ibid->channel;
	struct cm_id *id = to_cm(ibid);

	FAKE_FAIL_MINUS(rdma_destroy_id);
	stop_listening(id);
	cm_hang_up(id);
	store32(&id->w->gen, 0);
	pthread_mutex_lock(&cm_lock);
	id->w->port = 0;
	cm_ids[id->index] = NULL;
	pthread_mutex_unlock(&cm_lock);
	wire_purge(ibid->channel->fd, &layout, id->own.gen);
	async_wait_acked(&id->lock, &id->cond, &id->events_got,
			 &id->events_acked);
	wire_peer_put(id->peer);
	obj_unuse(&ch->obj);
	obj_del(&id->obj);
	pthread_mutex_destroy(&id->lock);
	pthread_cond_destroy(&id->cond);
	free(id);
	return 0;
}

FAKE_EXPORT int rdma_listen(struct rdma_cm_id *ibid, int backlog)
{
	struct cm_id *id = to_cm(ibid);

	(void)backlog;
	FAKE_FAIL_MINUS(rdma_listen);
	if (id->state != CM_BOUND)
		return cm_fail(EINVAL);
	id->state = CM_LISTENING;
	__atomic_add_fetch(&proc.self.a->nlisten, 1, __ATOMIC_RELAXED);
	store32(&id->w->listening, 1);
	return 0;
}

FAKE_EXPORT struct ibv_context **rdma_get_devices(int *num)
{
	int n = plan_get()->dev.count, i;
	struct ibv_context **list = calloc((size_t)n + 1, sizeof(*list));

	for (i = 0; list && i < n; i++)
		list[i] = cm_context(i);
	if (num)
		*num = list ? n : 0;
	return list;
}

FAKE_EXPORT void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}

FAKE_EXPORT int rdma_set_option(struct rdma_cm_id *id, int level, int optname,
				void *optval, size_t optlen)
{
	(void)id, (void)level, (void)optname, (void)optval, (void)optlen;
	FAKE_FAIL_MINUS(rdma_set_option);
	return 0;
}
