/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * links - the network interfaces of RDMA devices and their addresses
 */
#ifndef RB_WATCH_LINKS_H
#define RB_WATCH_LINKS_H

struct rb_watch;

/* Begin to listen and read what is there: 0 or -errno (not reported). */
int rb_watch_links_open(struct rb_watch *w);
void rb_watch_links_close(struct rb_watch *w);

/* To poll; -1 when it is not open. */
int rb_watch_links_fd(const struct rb_watch *w);

/* Take the news and tell those that concern an RDMA device. */
void rb_watch_links_news(struct rb_watch *w);

#endif
