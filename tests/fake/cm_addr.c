/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cm_addr - addresses: binding, resolving, rdma_getaddrinfo. */

#define _GNU_SOURCE
#include "cm.h"
#include "plan.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_EPHEMERAL = 49152, LAST_EPHEMERAL = 65535 };

static uint32_t next_port;

/* IPv4, or IPv6 that is a wildcard, the loopback or a mapped IPv4 address. */
static bool addr_get(const struct sockaddr *sa, uint32_t *addr, uint16_t *port)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_in *in = (const void *)sa;

	*addr = 0;
	if (sa->sa_family == AF_INET) {
		*addr = in->sin_addr.s_addr;
		*port = in->sin_port;
		return true;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	*port = in6->sin6_port;
	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		memcpy(addr, &in6->sin6_addr.s6_addr[12], 4);
	else if (IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr))
		*addr = htonl(INADDR_LOOPBACK);
	else
		return IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
	return true;
}

void cm_addr_set(struct sockaddr_storage *to, uint32_t addr, uint16_t port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = port,
		.sin_addr.s_addr = addr,
	};

	memcpy(to, &in, sizeof(in));
}

/* 127.0.0.1 is the first device, and so on. */
int cm_addr_dev(uint32_t addr)
{
	uint32_t dev = ntohl(addr) - INADDR_LOOPBACK;

	return dev < (uint32_t)plan_get()->dev.count ? (int)dev : -1;
}

void cm_set_device(struct cm_id *id, int dev)
{
	struct ibv_gid_entry e;

	id->own.dev = dev;
	id->id.verbs = cm_context(dev);
	id->id.port_num = 1;
	id->id.route.addr.addr.ibaddr.pkey = htons(0xffff);
	if (!gid_entry(dev, (uint32_t)gid_for_cm(dev), &e))
		id->id.route.addr.addr.ibaddr.sgid = e.gid;
}

/* Is the port taken by another id, of this process or a live one? */
static bool port_in_use(struct cm_id *id, uint16_t port)
{
	bool used = false;
	uint32_t slot, i;

	for (slot = 1; slot < WIRE_SLOTS && !used; slot++) {
		struct wire_peer *p = wire_peer_get(slot);

		for (i = 0; p && i < WIRE_CMIDS && !used; i++) {
			struct wire_cmid *w = &p->a->cm[i];

			used = w != id->w && w->port == port && w->gen &&
			       w->ps == id->w->ps && wire_peer_alive(p);
		}
		wire_peer_put(p);
	}
	return used;
}

static uint16_t free_port(struct cm_id *id)
{
	const uint32_t n = LAST_EPHEMERAL - FIRST_EPHEMERAL + 1;
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint32_t step = __atomic_fetch_add(&next_port, 1,
						   __ATOMIC_RELAXED);
		uint16_t port = htons((uint16_t)(FIRST_EPHEMERAL +
				(step + proc.self.slot * 64) % n));

		if (!port_in_use(id, port))
			return port;
	}
	return 0;
}

static int bind_id(struct cm_id *id, const struct sockaddr *sa)
{
	uint32_t addr;
	uint16_t port;

	if (!addr_get(sa, &addr, &port))
		return EADDRNOTAVAIL;
	if (addr && cm_addr_dev(addr) < 0)
		return ENODEV;
	if (port && port_in_use(id, port))
		return EADDRINUSE;
	if (!port)
		port = free_port(id);
	if (addr)
		cm_set_device(id, cm_addr_dev(addr));
	id->own.addr = id->w->addr = addr;
	id->own.port = id->w->port = port;
	cm_addr_set(&id->id.route.addr.src_storage, addr, port);
	id->state = CM_BOUND;
	return 0;
}

FAKE_EXPORT int rdma_bind_addr(struct rdma_cm_id *ibid, struct sockaddr *addr)
{
	int err;

	FAKE_FAIL_MINUS(rdma_bind_addr);
	if (to_cm(ibid)->state != CM_IDLE)
		return cm_fail(EINVAL);
	err = bind_id(to_cm(ibid), addr);
	return err ? cm_fail(err) : 0;
}

/* Without a source, the source is the device that has the destination. */
static int choose_source(struct cm_id *id, const struct sockaddr *src,
			 int dst_dev)
{
	int err = src && id->state == CM_IDLE ? bind_id(id, src) : 0;

	if (err)
		return err;
	if (!id->own.port)
		id->own.port = id->w->port = free_port(id);
	if (!id->own.addr) {
		id->own.addr = htonl(INADDR_LOOPBACK + (uint32_t)dst_dev);
		cm_set_device(id, dst_dev);
	}
	cm_addr_set(&id->id.route.addr.src_storage, id->own.addr,
		    id->own.port);
	return 0;
}

static void resolve(struct cm_id *id, uint32_t addr, uint16_t port)
{
	const struct plan *plan = plan_get();
	struct ibv_gid_entry e;
	int dev = cm_addr_dev(addr);

	if (plan->cm_event == RDMA_CM_EVENT_ADDR_ERROR) {
		cm_tell_self(id, RDMA_CM_EVENT_ADDR_ERROR, -plan->cm_status);
		return;
	}
	if (dev < 0) {
		cm_tell_self(id, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
		return;
	}
	if (!gid_entry(dev, (uint32_t)gid_for_cm(dev), &e))
		id->id.route.addr.addr.ibaddr.dgid = e.gid;
	id->far.addr = addr;
	id->far.port = port;
	id->far.dev = dev;
	cm_addr_set(&id->id.route.addr.dst_storage, addr, port);
	id->state = CM_ADDR;
	cm_tell_self(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
}

FAKE_EXPORT int rdma_resolve_addr(struct rdma_cm_id *ibid,
				  struct sockaddr *src, struct sockaddr *dst,
				  int timeout_ms)
{
	struct cm_id *id = to_cm(ibid);
	uint32_t addr;
	uint16_t port;
	int dev, err;

	(void)timeout_ms;
	FAKE_FAIL_MINUS(rdma_resolve_addr);
	if (id->state > CM_BOUND || !addr_get(dst, &addr, &port))
		return cm_fail(EINVAL);
	dev = cm_addr_dev(addr);
	err = dev < 0 ? 0 : choose_source(id, src, dev);
	if (err)
		return cm_fail(err);
	resolve(id, addr, port);
	return 0;
}

FAKE_EXPORT int rdma_resolve_route(struct rdma_cm_id *ibid, int timeout_ms)
{
	const struct plan *plan = plan_get();
	struct cm_id *id = to_cm(ibid);

	(void)timeout_ms;
	FAKE_FAIL_MINUS(rdma_resolve_route);
	if (id->state != CM_ADDR)
		return cm_fail(EINVAL);
	if (plan->cm_event == RDMA_CM_EVENT_ROUTE_ERROR) {
		cm_tell_self(id, RDMA_CM_EVENT_ROUTE_ERROR, -plan->cm_status);
		return 0;
	}
	id->state = CM_ROUTE;
	cm_tell_self(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	return 0;
}

static int fill_info(struct rdma_addrinfo *rai, const struct addrinfo *ai,
		     const struct rdma_addrinfo *hints)
{
	bool passive = hints && hints->ai_flags & RAI_PASSIVE;
	struct sockaddr *copy = malloc(ai->ai_addrlen);

	if (!copy)
		return ENOMEM;
	memcpy(copy, ai->ai_addr, ai->ai_addrlen);
	rai->ai_flags = hints ? hints->ai_flags : 0;
	rai->ai_family = ai->ai_family;
	rai->ai_port_space = hints && hints->ai_port_space ?
			     hints->ai_port_space : RDMA_PS_TCP;
	rai->ai_qp_type = rai->ai_port_space == RDMA_PS_UDP ? IBV_QPT_UD :
			  IBV_QPT_RC;
	if (passive) {
		rai->ai_src_addr = copy;
		rai->ai_src_len = ai->ai_addrlen;
	} else {
		rai->ai_dst_addr = copy;
		rai->ai_dst_len = ai->ai_addrlen;
	}
	return 0;
}

/* The real one wants the kernel's CM; names and ports are the resolver's. */
FAKE_EXPORT int rdma_getaddrinfo(const char *node, const char *service,
				 const struct rdma_addrinfo *hints,
				 struct rdma_addrinfo **res)
{
	struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *ai;
	struct rdma_addrinfo *rai;
	int err;

	want.ai_family = hints && hints->ai_flags & RAI_FAMILY ?
			 hints->ai_family : AF_INET;
	if (hints && hints->ai_flags & RAI_PASSIVE)
		want.ai_flags |= AI_PASSIVE;
	if (hints && hints->ai_flags & RAI_NUMERICHOST)
		want.ai_flags |= AI_NUMERICHOST;
	err = getaddrinfo(node, service, &want, &ai);
	if (err)
		return err;
	rai = calloc(1, sizeof(*rai));
	err = rai ? fill_info(rai, ai, hints) : ENOMEM;
	freeaddrinfo(ai);
	if (err) {
		free(rai);
		return cm_fail(err);
	}
	*res = rai;
	return 0;
}

FAKE_EXPORT void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	free(res->ai_src_addr);
	free(res->ai_dst_addr);
	free(res);
}
