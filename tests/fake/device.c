/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* device - the list of fake devices, opening and closing them. */

#define _GNU_SOURCE
#include "fake.h"
#include "plan.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill_paths(struct ibv_device *d)
{
	const char *root = getenv("RB_FAKE_SYSFS");

	if (!root || !*root)
		root = "/nonexistent/rbfake";
	snprintf(d->dev_path, sizeof(d->dev_path),
		 "%.150s/class/infiniband_verbs/%.32s", root, d->dev_name);
	snprintf(d->ibdev_path, sizeof(d->ibdev_path),
		 "%.150s/class/infiniband/%.32s", root, d->name);
}

struct fake_dev *dev_new(int index)
{
	struct fake_dev *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	dev->index = index;
	dev->refs = 1;
	dev->ibdev.node_type = IBV_NODE_CA;
	dev->ibdev.transport_type =
		(enum ibv_transport_type)plan_get()->dev.transport;
	snprintf(dev->ibdev.name, sizeof(dev->ibdev.name), "fake%d", index);
	snprintf(dev->ibdev.dev_name, sizeof(dev->ibdev.dev_name), "uverbs%d",
		 index);
	fill_paths(&dev->ibdev);
	return dev;
}

void dev_put(struct fake_dev *dev)
{
	if (!__atomic_sub_fetch(&dev->refs, 1, __ATOMIC_ACQ_REL))
		free(dev);
}

static struct fake_dev *to_dev(struct ibv_device *ibdev)
{
	return (struct fake_dev *)(void *)ibdev;
}

#undef ibv_get_device_list
FAKE_EXPORT struct ibv_device **ibv_get_device_list(int *num)
{
	struct ibv_device **list;
	int i, n;

	FAKE_FAIL_NULL(ibv_get_device_list);
	n = plan_get()->dev.count;
	list = calloc((size_t)n + 1, sizeof(*list));
	if (!list)
		return NULL;
	for (i = 0; i < n; i++) {
		struct fake_dev *dev = dev_new(i);

		if (!dev)
			break;
		list[i] = &dev->ibdev;
	}
	if (num)
		*num = i;
	return list;
}

FAKE_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	int i;

	for (i = 0; list[i]; i++)
		dev_put(to_dev(list[i]));
	free(list);
}

FAKE_EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

/* The kernel knows no such device, as with a kernel without the query. */
FAKE_EXPORT int ibv_get_device_index(struct ibv_device *device)
{
	(void)device;
	return -1;
}

FAKE_EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
	return htobe64(dev_guid(to_dev(device)->index));
}

static void set_ops(struct fake_ctx *ctx)
{
	struct ibv_context_ops *ops = &ctx->vctx.context.ops;
	bool instant = plan_get()->instant;

	ops->poll_cq = instant ? instant_poll_cq : cq_poll;
	ops->req_notify_cq = instant ? instant_arm : cq_arm;
	ops->post_send = instant ? instant_post_send : qp_post_send;
	ops->post_recv = instant ? instant_post_recv : qp_post_recv;
	ops->post_srq_recv = srq_post_recv;
	ctx->vctx.query_port = ctx_query_port;
	ctx->vctx.query_device_ex = ctx_query_device_ex;
	ctx->vctx.query_rt_values = ctx_query_rt_values;
	ctx->vctx.create_cq_ex = ctx_create_cq_ex;
	ctx->vctx.modify_cq = ctx_modify_cq;
	ctx->vctx.create_qp_ex = ctx_create_qp_ex;
	if (!plan_get()->dev.xrc)
		return;
	ctx->vctx.open_xrcd = ctx_open_xrcd;
	ctx->vctx.close_xrcd = ctx_close_xrcd;
	ctx->vctx.create_srq_ex = ctx_create_srq_ex;
	ctx->vctx.get_srq_num = ctx_get_srq_num;
}

static int open_pipe(struct fake_ctx *ctx)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	ctx->vctx.context.async_fd = fds[0];
	ctx->async_wfd = fds[1];
	return 0;
}

static void init_public(struct fake_ctx *ctx)
{
	struct ibv_context *public = &ctx->vctx.context;

	ctx->vctx.sz = sizeof(ctx->vctx);
	public->abi_compat = __VERBS_ABI_IS_EXTENDED;
	public->device = &ctx->dev->ibdev;
	public->cmd_fd = -1;
	public->num_comp_vectors = 4;
	pthread_mutex_init(&public->mutex, NULL);
}

struct ibv_context *ctx_open(struct fake_dev *dev)
{
	int err = wire_join();
	struct fake_ctx *ctx;

	if (err) {
		errno = -err;
		return NULL;
	}
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return NULL;
	if (open_pipe(ctx)) {
		free(ctx);
		return NULL;
	}
	ctx->dev = dev;
	__atomic_add_fetch(&dev->refs, 1, __ATOMIC_RELAXED);
	ctx->opened_ns = now_ns();
	init_public(ctx);
	set_ops(ctx);
	if (plan_get()->dev.port_down)
		dev_set_port(dev->index, true);
	async_arm_plan(ctx);
	return &ctx->vctx.context;
}

void ctx_close(struct ibv_context *context)
{
	struct fake_ctx *ctx = to_ctx(context);

	async_disarm_plan(ctx);
	close(context->async_fd);
	close(ctx->async_wfd);
	pthread_mutex_destroy(&context->mutex);
	dev_put(ctx->dev);
	free(ctx);
}

FAKE_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context;

	FAKE_FAIL_NULL(ibv_open_device);
	context = ctx_open(to_dev(device));
	if (context)
		obj_add(&to_ctx(context)->obj, KIND_CONTEXT,
			(uint32_t)to_dev(device)->index);
	return context;
}

FAKE_EXPORT int ibv_close_device(struct ibv_context *context)
{
	FAKE_FAIL_ERRNO(ibv_close_device);
	obj_del(&to_ctx(context)->obj);
	if (!obj_count(KIND_CONTEXT))
		engine_stop();
	ctx_close(context);
	return 0;
}
