/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dial - make the side channel's TCP connection, from either end
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/units.h"
#include "peer/oob.h"

#define RETRY_NS (50 * RB_NS_PER_MS) /* between attempts to reach a server */
#define BACKLOG 16

static const struct rb_opt oob_rows[] = {
	/* clang-format off */
	{ .name = "port", .letter = 'p', .type = RB_OPT_COUNT, .def = "18515", .min = 1, .max = 65535,
	  .offset = offsetof(struct rb_oob_opts, port), .help = "TCP port of the side channel" },
	{ .name = "wait", .type = RB_OPT_DURATION, .def = "5", .max = 24 * 3600 * RB_NS_PER_S, .arg = "TIME",
	  .offset = offsetof(struct rb_oob_opts, wait_ns),
	  .help = "how long the client tries to reach its server" },
	{ .name = "timeout", .type = RB_OPT_DURATION, .def = "5", .min = 100 * RB_NS_PER_MS,
	  .max = 24 * 3600 * RB_NS_PER_S, .arg = "TIME", .offset = offsetof(struct rb_oob_opts, timeout_ns),
	  .help = "how long the peer may be silent" },
	{ .name = "bind-source-ip", .type = RB_OPT_STRING, .arg = "ADDRESS",
	  .offset = offsetof(struct rb_oob_opts, source),
	  .help = "address of this host that the connection uses [by route]" },
	/* clang-format on */
};

const struct rb_optgroup rb_oob_optgroup = { "Peer", oob_rows,
					     RB_ARRAY_SIZE(oob_rows) };

const char *rb_oob_address(const struct sockaddr_storage *addr,
			   char buf[static RB_OOB_NAME])
{
	const char *mapped = "::ffff:";

	if (getnameinfo((const struct sockaddr *)addr, sizeof(*addr), buf,
			RB_OOB_NAME, NULL, 0, NI_NUMERICHOST))
		snprintf(buf, RB_OOB_NAME, "?");
	if (!strncmp(buf, mapped, strlen(mapped)))
		memmove(buf, buf + strlen(mapped),
			strlen(buf + strlen(mapped)) + 1);
	return buf;
}

static void set_flag(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)))
		rb_debug("cannot set socket option %d/%d: %s", level, option,
			 strerror(errno));
}

/* A connected socket becomes the channel. */
static void adopt(struct rb_oob *oob, int fd, const struct rb_oob_opts *opts,
		  struct rb_intr *intr)
{
	socklen_t len = sizeof(oob->local);

	memset(oob, 0, sizeof(*oob));
	oob->fd = fd;
	oob->intr = intr;
	oob->timeout_ns = opts->timeout_ns;
	oob->alive_ns = RB_NS_PER_S;
	oob->limit = RB_FRAME_FIRST_MAX;
	getsockname(fd, (struct sockaddr *)&oob->local, &len);
	len = sizeof(oob->peer);
	getpeername(fd, (struct sockaddr *)&oob->peer, &len);
	set_flag(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_flag(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
		 (int)RB_MIN(opts->timeout_ns / RB_NS_PER_MS, 1u << 30));
}

/* opts->source as an address; 0, or -EINVAL (reported). @from is zero without. */
static int parse_source(const struct rb_oob_opts *opts, unsigned int port,
			struct sockaddr_storage *from)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST };
	struct addrinfo *list;
	char service[8];

	memset(from, 0, sizeof(*from));
	if (!opts->source)
		return 0;
	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(opts->source, service, &hints, &list))
		return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
				    "'ip addr' lists the addresses of this host",
				    "value '%s' of option '--bind-source-ip' is not an IP address",
				    opts->source);
	memcpy(from, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return 0;
}

static socklen_t length_of(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     sizeof(struct sockaddr_in);
}

/* What the source address is to blame for: it is of no interface here. */
static int source_failed(const struct rb_oob_opts *opts, int err)
{
	return rb_fail(RB_FAULT_SOURCE_ADDRESS, err,
		       "cannot use the source address %s", opts->source);
}

static int connect_one(const struct addrinfo *ai,
		       const struct sockaddr_storage *from,
		       struct rb_intr *intr, uint64_t deadline, int *fdp)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			ai->ai_protocol);
	socklen_t len = sizeof(int);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (from->ss_family &&
	    bind(fd, (const struct sockaddr *)from, length_of(from)))
		err = -errno;
	if (!err && connect(fd, ai->ai_addr, ai->ai_addrlen) &&
	    errno != EINPROGRESS)
		err = -errno;
	if (!err)
		err = rb_wait_fd(fd, POLLOUT, intr, deadline);
	if (!err && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = -err;
	if (err) {
		close(fd);
		return err;
	}
	*fdp = fd;
	return 0;
}

static int dial_failed(const char *host, const struct rb_oob_opts *opts, int err)
{
	unsigned int port = (unsigned int)opts->port;

	if (err == -EINTR)
		return rb_fail(RB_FAULT_INTERRUPTED, err,
			       "interrupted while connecting to '%s'", host);
	if (err == -EADDRNOTAVAIL && opts->source)
		return source_failed(opts, err);
	if (err == -EAFNOSUPPORT && opts->source)
		return rb_fail_cause(RB_FAULT_SOURCE_ADDRESS, err,
				     "source and host must have addresses of one family",
				     "'%s' has no address that %s could reach",
				     host, opts->source);
	if (err == -ECONNRESET)
		return rb_fail_cause(RB_FAULT_PEER_NOT_RBENCH, err,
				     "a service that refuses strangers does that",
				     "'%s' port %u reset the connection without a greeting: it is not rbench",
				     host, port);
	if (err == -ECONNREFUSED)
		return rb_fail(RB_FAULT_PEER_REFUSED, err,
			       "cannot connect to '%s' port %u", host, port);
	return rb_fail(RB_FAULT_PEER_UNREACHABLE, err,
		       "cannot connect to '%s' port %u", host, port);
}

static void trace_connect(uint64_t since, int err, const struct addrinfo *ai)
{
	struct sockaddr_storage to = { 0 };
	char address[RB_OOB_NAME];

	if (!since)
		return;
	memcpy(&to, ai->ai_addr, ai->ai_addrlen);
	rb_trace_end(since, err, "connect", "%s", rb_oob_address(&to, address));
}

/* One pass over the addresses of the host: the last error counts. */
static int try_addresses(const struct addrinfo *list,
			 const struct sockaddr_storage *from,
			 struct rb_intr *intr, uint64_t deadline, int *fd)
{
	int err = from->ss_family ? -EAFNOSUPPORT : -ENETUNREACH;

	for (const struct addrinfo *ai = list; ai; ai = ai->ai_next) {
		uint64_t since = rb_trace_begin();

		if (from->ss_family && from->ss_family != ai->ai_family)
			continue;
		err = connect_one(ai, from, intr, deadline, fd);
		trace_connect(since, err, ai);
		if (!err || err == -EINTR)
			break;
	}
	return err;
}

/* Pause between attempts; true when there is time for another. */
static bool pause_for_retry(struct rb_intr *intr, uint64_t deadline)
{
	uint64_t next = rb_deadline(RETRY_NS);

	if (next >= deadline)
		return false;
	return rb_wait_fd(-1, 0, intr, next) == -ETIMEDOUT;
}

static bool worth_retrying(int err)
{
	return err == -ECONNREFUSED || err == -EHOSTUNREACH ||
	       err == -ENETUNREACH || err == -ETIMEDOUT;
}

int rb_oob_dial(const struct rb_oob_opts *opts, const char *host,
		struct rb_intr *intr, struct rb_oob *oob)
{
	uint64_t deadline =
		rb_deadline(RB_MAX(opts->wait_ns, 100 * RB_NS_PER_MS));
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct sockaddr_storage from;
	struct addrinfo *list;
	char service[8];
	int fd = -1, err = parse_source(opts, 0, &from);

	if (err)
		return err;
	snprintf(service, sizeof(service), "%u", (unsigned int)opts->port);
	err = getaddrinfo(host, service, &hints, &list);
	if (err)
		return rb_fail(RB_FAULT_PEER_NAME, -ENOENT,
			       "cannot resolve '%s': %s", host,
			       gai_strerror(err));
	do
		err = try_addresses(list, &from, intr, deadline, &fd);
	while (worth_retrying(err) && opts->wait_ns &&
	       pause_for_retry(intr, deadline));
	freeaddrinfo(list);
	if (err)
		return dial_failed(host, opts, intr && atomic_load(&intr->hit) ?
						       -EINTR :
						       err);
	adopt(oob, fd, opts, intr);
	snprintf(oob->peer_name, sizeof(oob->peer_name), "'%.60s' port %u", host,
		 (unsigned int)opts->port);
	return 0;
}

/* Which socket to listen with: both families', IPv4's where IPv6 is off. */
static int open_listener(sa_family_t family)
{
	int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int fd = socket(family ? family : AF_INET6, type, 0);

	if (fd < 0 && !family)
		fd = socket(AF_INET, type, 0);
	return fd;
}

/* @from, or all addresses of the socket's family; IPv6 has IPv4's too. */
static struct sockaddr_storage listen_address(int fd, unsigned int port,
					      const struct sockaddr_storage *from)
{
	struct sockaddr_storage any = *from;
	socklen_t len = sizeof(any);

	if (!from->ss_family)
		getsockname(fd, (struct sockaddr *)&any, &len);
	/* sin_port and sin6_port are at the same place */
	((struct sockaddr_in *)&any)->sin_port = htons((uint16_t)port);
	return any;
}

int rb_oob_listen(const struct rb_oob_opts *opts, int *fdp)
{
	unsigned int port = (unsigned int)opts->port;
	struct sockaddr_storage from, at;
	int fd, err = parse_source(opts, port, &from);
	uint64_t since = rb_trace_begin();

	if (err)
		return err;
	fd = open_listener(from.ss_family);
	if (fd < 0)
		return rb_fail(RB_FAULT_LISTEN, -errno,
			       "cannot listen on port %u", port);
	at = listen_address(fd, port, &from);
	set_flag(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (at.ss_family == AF_INET6)
		set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, (struct sockaddr *)&at, length_of(&at)) ||
	    listen(fd, BACKLOG))
		err = -errno;
	rb_trace_end(since, err, "listen", "port %u", port);
	if (err) {
		close(fd);
		return err == -EADDRNOTAVAIL && opts->source ?
			       source_failed(opts, err) :
			       rb_fail(RB_FAULT_LISTEN, err,
				       "cannot listen on port %u", port);
	}
	*fdp = fd;
	return 0;
}

int rb_oob_accept(const struct rb_oob_opts *opts, int listen_fd,
		  struct rb_intr *intr, struct rb_oob *oob)
{
	char address[RB_OOB_NAME];
	int fd, err;

	do {
		err = rb_wait_fd(listen_fd, POLLIN, intr, UINT64_MAX);
		if (err == -EINTR)
			return rb_fail(RB_FAULT_INTERRUPTED, err,
				       "interrupted while waiting for a client");
		fd = err ? -1 :
			   accept4(listen_fd, NULL, NULL,
				   SOCK_NONBLOCK | SOCK_CLOEXEC);
		/* a client that left again is not this server's failure */
	} while (!err && fd < 0 &&
		 (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR));
	if (fd < 0)
		return rb_fail(RB_FAULT_LISTEN, err ? err : -errno,
			       "cannot accept a client");
	adopt(oob, fd, opts, intr);
	snprintf(oob->peer_name, sizeof(oob->peer_name), "'%.60s'",
		 rb_oob_address(&oob->peer, address));
	rb_trace_event("accept", "fd %d, %s", fd, address);
	return 0;
}

int rb_oob_pair(const struct rb_oob_opts *opts, struct rb_intr *intr,
		struct rb_oob ends[static 2])
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
		       fds))
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot make a pair of sockets");
	for (int i = 0; i < 2; i++) {
		adopt(&ends[i], fds[i], opts, intr);
		snprintf(ends[i].peer_name, sizeof(ends[i].peer_name),
			 "the other end in this process");
	}
	return 0;
}
