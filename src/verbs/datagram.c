/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * datagram - what UD needs beside a queue pair: address handles, the header
 * before each payload, multicast groups
 */
#include "verbs/datagram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/log.h"
#include "base/trace.h"
#include "host/netdev.h"
#include "verbs/dev.h"
#include "verbs/qp.h"

#define IPV4_SOURCE (20 + 12) /* in a GRH: the IPv4 header's source address */
#define GRH_SOURCE 8	      /* IB specification 8.3 */
#define GID_BYTES 16

static const uint8_t mapped_prefix[] = { 0, 0, 0, 0, 0,	   0,
					 0, 0, 0, 0, 0xff, 0xff };

static bool is_mapped(const union ibv_gid *gid)
{
	return !memcmp(gid->raw, mapped_prefix, sizeof(mapped_prefix));
}

int rb_qkey_choose(uint32_t *qkey)
{
	uint32_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return rb_fail(RB_FAULT_SYSTEM, -errno,
			       "cannot get a random number");
	*qkey = random & RB_QKEY_MASK;
	return 0;
}

int rb_ah_create_from(const struct rb_dev *dev, struct ibv_pd *pd,
		      struct ibv_ah_attr *attr, struct ibv_ah **ah)
{
	char text[RB_GID_TEXT];

	*ah = rb_traced_ptr(ibv_create_ah(pd, attr), "dlid %u sgid_index %u",
			    attr->dlid, attr->grh.sgid_index);
	if (*ah)
		return 0;
	return rb_fail(RB_FAULT_AH, -errno,
		       "cannot create an address handle on '%s' for %s",
		       dev->name, rb_gid_text(&attr->grh.dgid, text));
}

int rb_ah_create(const struct rb_dev *dev, struct ibv_pd *pd,
		 const struct rb_path *path, struct ibv_ah **ah)
{
	struct ibv_ah_attr attr = rb_path_address(dev, path);

	return rb_ah_create_from(dev, pd, &attr, ah);
}

void rb_ah_destroy(struct ibv_ah *ah)
{
	if (ah && rb_traced(ibv_destroy_ah(ah), "%p", (void *)ah))
		rb_debug("cannot destroy an address handle");
}

union ibv_gid rb_grh_source(const uint8_t grh[static RB_GRH_BYTES],
			    const struct rb_gid *own)
{
	union ibv_gid source = { .raw = { 0 } };

	if (own->type == RB_GID_ROCE_V2 && is_mapped(&own->raw)) {
		memcpy(source.raw, mapped_prefix, sizeof(mapped_prefix));
		memcpy(source.raw + sizeof(mapped_prefix), grh + IPV4_SOURCE,
		       GID_BYTES - sizeof(mapped_prefix));
	} else {
		memcpy(source.raw, grh + GRH_SOURCE, GID_BYTES);
	}
	return source;
}

/* 255:1:0:0:0:2:201:133:0:0:0:0:0:0:0:0 */
static bool parse_bytes(const char *text, union ibv_gid *group)
{
	for (unsigned int i = 0; i < GID_BYTES; i++) {
		unsigned int value = 0, digits = 0;

		for (; *text >= '0' && *text <= '9' && digits < 3; digits++)
			value = 10 * value + (unsigned int)(*text++ - '0');
		if (!digits || value > UINT8_MAX ||
		    *text != (i + 1 < GID_BYTES ? ':' : '\0'))
			return false;
		group->raw[i] = (uint8_t)value;
		text++;
	}
	return true;
}

static bool is_group(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xff ||
	       (is_mapped(gid) && gid->raw[12] >> 4 == 0xe);
}

int rb_group_parse(const char *text, union ibv_gid *group)
{
	union ibv_gid gid;

	memcpy(gid.raw, mapped_prefix, sizeof(mapped_prefix));
	if (inet_pton(AF_INET, text, gid.raw + sizeof(mapped_prefix)) != 1 &&
	    inet_pton(AF_INET6, text, gid.raw) != 1 && !parse_bytes(text, &gid))
		return -EINVAL;
	if (!is_group(&gid))
		return -EINVAL;
	*group = gid;
	return 0;
}

union ibv_gid rb_group_make(const struct rb_gid *own, uint32_t random)
{
	union ibv_gid group = { .raw = { 0xff, 0x15 } }; /* RFC 4291 2.7 */

	random = htonl(random);
	memcpy(group.raw + 12, &random, sizeof(random));
	if (is_mapped(&own->raw)) {
		memcpy(group.raw, mapped_prefix, sizeof(mapped_prefix));
		group.raw[12] = 239; /* RFC 2365: administratively scoped */
	}
	return group;
}

bool rb_group_fits(const union ibv_gid *group, const struct rb_gid *own)
{
	return is_mapped(group) == is_mapped(&own->raw);
}

static int join_ip(const union ibv_gid *group, unsigned int netdev)
{
	struct ip_mreqn four = { .imr_ifindex = (int)netdev };
	struct ipv6_mreq six = { .ipv6mr_interface = netdev };
	bool mapped = is_mapped(group);
	int fd = socket(mapped ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC,
			0);
	int err;

	if (fd < 0)
		return -errno;
	memcpy(&four.imr_multiaddr, group->raw + 12, 4);
	memcpy(&six.ipv6mr_multiaddr, group->raw, GID_BYTES);
	err = mapped ? setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &four,
				  sizeof(four)) :
		       setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &six,
				  sizeof(six));
	if (!err)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int attach_one(struct rb_membership *m, struct rb_qp *qp)
{
	char text[RB_GID_TEXT];
	int err = rb_traced(ibv_attach_mcast(qp->qp, &m->group, m->lid),
			    "qpn 0x%06x, lid 0x%x", qp->qp->qp_num, m->lid);

	if (!err) {
		m->nqps++;
		return 0;
	}
	/* the interface returns errno; some providers returned -1 */
	err = err < 0 ? -errno : -err;
	return rb_fail(RB_FAULT_MULTICAST, err,
		       "cannot attach QP 0x%06x to the group %s",
		       qp->qp->qp_num, rb_gid_text(&m->group, text));
}

int rb_membership_open(struct rb_membership *m, struct rb_qp *qps,
		       uint32_t nqps, const char *netdev)
{
	unsigned int index = netdev ? rb_netdev_index(netdev) : 0;
	char text[RB_GID_TEXT];
	int err = 0;

	m->fd = -1;
	m->qps = qps;
	m->nqps = 0;
	if (index) {
		m->fd = join_ip(&m->group, index);
		if (m->fd < 0)
			return rb_fail(RB_FAULT_MULTICAST, m->fd,
				       "'%s' cannot join the group %s", netdev,
				       rb_gid_text(&m->group, text));
	}
	for (uint32_t i = 0; i < nqps && !err; i++)
		err = attach_one(m, &qps[i]);
	return err;
}

void rb_membership_close(struct rb_membership *m)
{
	for (uint32_t i = 0; i < m->nqps; i++)
		if (rb_traced(ibv_detach_mcast(m->qps[i].qp, &m->group, m->lid),
			      "qpn 0x%06x", m->qps[i].qp->qp_num))
			rb_debug("cannot detach QP 0x%06x from its group",
				 m->qps[i].qp->qp_num);
	m->nqps = 0;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
