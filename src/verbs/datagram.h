/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * datagram - what UD needs beside a queue pair: address handles, the header
 * before each payload, multicast groups
 *
 * Every datagram that arrives stands behind 40 bytes in its receive buffer, the
 * GRH. On InfiniBand, and RoCE v1, and RoCE v2 over IPv6 that is the header that
 * was on the wire; over IPv4 the IP header stands in its last 20 bytes, and the
 * first 20 hold nothing (ibv_post_recv(3); RoCE v2 annex A17.4.5.2).
 */
#ifndef RB_DATAGRAM_H
#define RB_DATAGRAM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "verbs/gid.h"

struct rb_dev;
struct rb_path;
struct rb_qp;

#define RB_GRH_BYTES 40
#define RB_MULTICAST_QPN 0xffffffu /* IB specification 10.5.2.1 */
#define RB_QKEY_MASK 0x7fffffffu   /* the top bit is for privileged ones */

/* A random Q_Key, which keeps strangers' datagrams out. 0 or -errno (reported). */
int rb_qkey_choose(uint32_t *qkey);

/* An address handle for the peer of @path. 0 or -errno (reported: AH). */
int rb_ah_create(const struct rb_dev *dev, struct ibv_pd *pd,
		 const struct rb_path *path, struct ibv_ah **ah);

/* The same from ready attributes (rdma_cm's). */
int rb_ah_create_from(const struct rb_dev *dev, struct ibv_pd *pd,
		      struct ibv_ah_attr *attr, struct ibv_ah **ah);
void rb_ah_destroy(struct ibv_ah *ah);

/* Who sent what stands behind @grh, for a pair of GIDs like @own. */
union ibv_gid rb_grh_source(const uint8_t grh[static RB_GRH_BYTES],
			    const struct rb_gid *own);

/*
 * A multicast address as users write it: 239.1.2.3, ff15::1, or perftest's
 * sixteen decimal bytes 255:21:0:...:1. 0 or -EINVAL (not reported), also for an
 * address that is none of a group.
 */
int rb_group_parse(const char *text, union ibv_gid *group);

/*
 * A group's address of our own for ends with GIDs like @own: 239.x.x.x, or
 * ff15::x:x, from the bits of @random.
 */
union ibv_gid rb_group_make(const struct rb_gid *own, uint32_t random);

/* The two are of one IP version: else no packet to the group can be made. */
bool rb_group_fits(const union ibv_gid *group, const struct rb_gid *own);

/* What an end that listens to a group holds. */
struct rb_membership {
	int fd;		  /* -1: none; keeps the host in the IP group */
	union ibv_gid group;
	uint16_t lid;
	struct rb_qp *qps; /* borrowed; the first nqps are attached */
	uint32_t nqps;
};

/*
 * Attach @nqps of @qps to m->group (m->lid on InfiniBand, else 0). With @netdev
 * this host also joins the group by IP: without it the kernel drops the packets
 * of soft-RoCE, and switches that look at IGMP do not forward any. 0 or -errno
 * (reported: MULTICAST); leave what was done to rb_membership_close.
 */
int rb_membership_open(struct rb_membership *m, struct rb_qp *qps,
		       uint32_t nqps, const char *netdev);
void rb_membership_close(struct rb_membership *m);

#endif
