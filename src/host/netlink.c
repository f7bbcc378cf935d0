/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * netlink - questions to the kernel over netlink, and news from it
 */
#include "host/netlink.h"

#include <errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

#define ANSWER_TIMEOUT_S 2
/* a listener's: many changes may come in one burst */
#define BUFFER_BYTES (1 << 20)

struct rb_netlink {
	struct nl_sock *sock;
	/* of the question or the reading in progress */
	rb_netlink_fn take;
	void *arg;
	bool ended;
	int error; /* the kernel's refusal */
};

static int take_message(struct nl_msg *msg, void *arg)
{
	struct rb_netlink *nl = arg;

	nl->take(nlmsg_hdr(msg), nl->arg);
	return NL_OK;
}

static int take_end(struct nl_msg *msg, void *arg)
{
	struct rb_netlink *nl = arg;

	nl->ended = true;
	return NL_STOP;
}

static int take_error(struct sockaddr_nl *from, struct nlmsgerr *error,
		      void *arg)
{
	struct rb_netlink *nl = arg;

	nl->ended = true;
	nl->error = error->error;
	return NL_STOP;
}

static int connect_socket(struct rb_netlink **nlp, int protocol)
{
	struct rb_netlink *nl = calloc(1, sizeof(*nl));

	if (!nl)
		return -ENOMEM;
	nl->sock = nl_socket_alloc();
	if (!nl->sock) {
		free(nl);
		return -ENOMEM;
	}
	if (nl_connect(nl->sock, protocol)) {
		rb_netlink_close(nl);
		return -EPROTONOSUPPORT;
	}
	nl_socket_modify_cb(nl->sock, NL_CB_VALID, NL_CB_CUSTOM, take_message,
			    nl);
	nl_socket_modify_cb(nl->sock, NL_CB_FINISH, NL_CB_CUSTOM, take_end, nl);
	nl_socket_modify_cb(nl->sock, NL_CB_ACK, NL_CB_CUSTOM, take_end, nl);
	nl_socket_modify_err_cb(nl->sock, NL_CB_CUSTOM, take_error, nl);
	*nlp = nl;
	return 0;
}

int rb_netlink_open(struct rb_netlink **nlp, int protocol)
{
	const struct timeval limit = { .tv_sec = ANSWER_TIMEOUT_S };
	struct rb_netlink *nl;
	int err = connect_socket(&nl, protocol);

	if (err)
		return err;
	if (setsockopt(nl_socket_get_fd(nl->sock), SOL_SOCKET, SO_RCVTIMEO,
		       &limit, sizeof(limit))) {
		err = -errno;
		rb_netlink_close(nl);
		return err;
	}
	*nlp = nl;
	return 0;
}

void rb_netlink_close(struct rb_netlink *nl)
{
	if (!nl)
		return;
	nl_socket_free(nl->sock);
	free(nl);
}

static int receive(struct rb_netlink *nl)
{
	int err = nl_recvmsgs_default(nl->sock);

	if (err >= 0)
		return 0;
	switch (-err) {
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_NOMEM: /* libnl's word for ENOBUFS of the socket */
		return -ENOBUFS;
	case NLE_DUMP_INTR: /* the list changed while it was read: as it is */
		return 0;
	default:
		return -EIO;
	}
}

int rb_netlink_ask(struct rb_netlink *nl, struct nl_msg *question,
		   rb_netlink_fn take, void *arg)
{
	int err;

	if (!question)
		return -ENOMEM;
	nl->take = take;
	nl->arg = arg;
	nl->ended = false;
	nl->error = 0;
	err = nl_send_auto(nl->sock, question) < 0 ? -EIO : 0;
	nlmsg_free(question);
	while (!err && !nl->ended)
		err = receive(nl);
	if (nl->ended)
		return nl->error;
	return err == -EAGAIN ? -ETIMEDOUT : err;
}

int rb_netlink_listen(struct rb_netlink **nlp, int protocol, const int *groups)
{
	struct rb_netlink *nl;
	int err = connect_socket(&nl, protocol);

	if (err)
		return err;
	nl_socket_disable_seq_check(nl->sock);
	nl_socket_set_buffer_size(nl->sock, BUFFER_BYTES, 0);
	for (; *groups && !err; groups++)
		err = nl_socket_add_membership(nl->sock, *groups);
	if (err || nl_socket_set_nonblocking(nl->sock)) {
		rb_netlink_close(nl);
		return -EPROTONOSUPPORT;
	}
	*nlp = nl;
	return 0;
}

int rb_netlink_fd(const struct rb_netlink *nl)
{
	return nl_socket_get_fd(nl->sock);
}

int rb_netlink_drain(struct rb_netlink *nl, rb_netlink_fn take, void *arg)
{
	int err, lost = 0;

	nl->take = take;
	nl->arg = arg;
	do {
		err = receive(nl);
		if (err == -ENOBUFS)
			lost = err;
	} while (!err || err == -ENOBUFS);
	return lost;
}
