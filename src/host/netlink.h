/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * netlink - questions to the kernel over netlink, and news from it
 *
 * One socket for one purpose: it asks (every wait has a deadline), or it
 * listens to groups and is read without blocking. Messages are handed on as
 * they are; who asked knows what is in them. Nothing here reports.
 */
#ifndef RB_NETLINK_H
#define RB_NETLINK_H

#include <stddef.h>

struct nl_msg;
struct nlmsghdr;

struct rb_netlink; /* one thread at a time */

/* Takes one message; @arg is the caller's. */
typedef void (*rb_netlink_fn)(struct nlmsghdr *message, void *arg);

/* A socket of @protocol (NETLINK_ROUTE ...) to ask with: 0 and *@nlp, or
 * -errno. */
int rb_netlink_open(struct rb_netlink **nlp, int protocol);
void rb_netlink_close(struct rb_netlink *nl);

/*
 * Send @question (made with nlmsg_alloc_simple; freed here; NULL is -ENOMEM) and
 * hand each message of the answer to @take, which may not ask on the same
 * socket. NLM_F_DUMP in its flags asks for a list. 0, or the kernel's refusal,
 * or -ETIMEDOUT after two seconds.
 */
int rb_netlink_ask(struct rb_netlink *nl, struct nl_msg *question,
		   rb_netlink_fn take, void *arg);

/* A socket that belongs to @groups (RTNLGRP_LINK ...), ended by a 0. */
int rb_netlink_listen(struct rb_netlink **nlp, int protocol, const int *groups);

/* To poll for reading. */
int rb_netlink_fd(const struct rb_netlink *nl);

/*
 * Hand on what has come, without waiting: 0, or -ENOBUFS when the kernel had to
 * drop messages since the last call (the rest was handed on).
 */
int rb_netlink_drain(struct rb_netlink *nl, rb_netlink_fn take, void *arg);

#endif
