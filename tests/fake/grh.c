/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * grh - the 40 bytes before a datagram's payload, written and read back
 *
 * RoCE v2 over IPv4 has its IP header in the last 20 of the 40 bytes and
 * nothing before; every other case has a global route header.
 */

#define _GNU_SOURCE
#include "grh.h"
#include "plan.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <string.h>

enum {
	NEXT_HEADER_IBA = 0x1b, NEXT_HEADER_UDP = 17, IPV4_AT = 20,
	GRH_BYTES = 40,
};

static void fill_ipv4(struct ibv_grh *grh, const union ibv_gid *sgid,
		      const struct ibv_ah_attr *attr, size_t len)
{
	struct iphdr ip = {
		.version = 4, .ihl = 5, .ttl = attr->grh.hop_limit,
		.tos = attr->grh.traffic_class, .protocol = IPPROTO_UDP,
		.tot_len = htons((uint16_t)(sizeof(ip) + len)),
	};
	uint16_t words[sizeof(ip) / 2];
	uint32_t sum = 0;
	size_t i;

	memcpy(&ip.saddr, &sgid->raw[12], 4);
	memcpy(&ip.daddr, &attr->grh.dgid.raw[12], 4);
	memcpy(words, &ip, sizeof(ip));
	for (i = 0; i < sizeof(ip) / 2; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	ip.check = (uint16_t)~(sum + (sum >> 16));
	memcpy((char *)grh + IPV4_AT, &ip, sizeof(ip));
}

static bool is_mapped(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

static void fill(struct ibv_grh *grh, const struct ibv_gid_entry *source,
		 const struct ibv_ah_attr *attr, size_t len)
{
	bool v2 = source->gid_type == IBV_GID_TYPE_ROCE_V2;

	memset(grh, 0, sizeof(*grh));
	if (v2 && is_mapped(&source->gid)) {
		fill_ipv4(grh, &source->gid, attr, len);
		return;
	}
	grh->version_tclass_flow = htonl(6u << 28 |
			(uint32_t)attr->grh.traffic_class << 20 |
			(attr->grh.flow_label & IB_GRH_FLOWLABEL_MASK));
	grh->paylen = htons((uint16_t)len);
	grh->next_hdr = v2 ? NEXT_HEADER_UDP : NEXT_HEADER_IBA;
	grh->hop_limit = attr->grh.hop_limit;
	grh->sgid = source->gid;
	grh->dgid = attr->grh.dgid;
}

void grh_add(struct message *m, struct ibv_grh *grh)
{
	const struct ibv_ah_attr *attr = &m->wqe->ah->attr;
	struct span whole = { .n = 0 };
	struct ibv_gid_entry source;
	int i;

	memset(grh, 0, sizeof(*grh));
	if (attr->is_global &&
	    !gid_entry(m->qp->w->dev, attr->grh.sgid_index, &source))
		fill(grh, &source, attr, m->src.len);
	span_add(&whole, (uintptr_t)grh, GRH_BYTES);
	for (i = 0; i < m->src.n; i++)
		span_add(&whole, (uintptr_t)m->src.v[i].iov_base,
			 m->src.v[i].iov_len);
	m->src = whole;
}

static void read_ipv4(const struct ibv_grh *grh, union ibv_gid *sgid,
		      union ibv_gid *dgid)
{
	struct iphdr ip;

	memcpy(&ip, (const char *)grh + IPV4_AT, sizeof(ip));
	memset(sgid, 0, sizeof(*sgid));
	memset(dgid, 0, sizeof(*dgid));
	sgid->raw[10] = sgid->raw[11] = 0xff;
	dgid->raw[10] = dgid->raw[11] = 0xff;
	memcpy(&sgid->raw[12], &ip.saddr, 4);
	memcpy(&dgid->raw[12], &ip.daddr, 4);
}

static int find_sgid(int dev, const union ibv_gid *gid, bool v2)
{
	struct ibv_gid_entry e;
	uint32_t i;
	int err;

	for (i = 0; (err = gid_entry(dev, i, &e)) != EINVAL; i++) {
		if (err || memcmp(&e.gid, gid, sizeof(*gid)))
			continue;
		if (plan_get()->dev.infiniband ||
		    v2 == (e.gid_type == IBV_GID_TYPE_ROCE_V2))
			return (int)i;
	}
	return -1;
}

static int init_global(struct ibv_context *ctx, const struct ibv_grh *grh,
		       struct ibv_ah_attr *attr)
{
	bool ipv4 = !(ntohl(grh->version_tclass_flow) >> 28);
	bool v2 = ipv4 || grh->next_hdr == NEXT_HEADER_UDP;
	union ibv_gid sgid = grh->sgid, dgid = grh->dgid;
	int index;

	if (ipv4)
		read_ipv4(grh, &sgid, &dgid);
	index = find_sgid(to_ctx(ctx)->dev->index, &dgid, v2);
	if (index < 0)
		return EINVAL;
	attr->is_global = 1;
	attr->grh.dgid = sgid;
	attr->grh.sgid_index = (uint8_t)index;
	attr->grh.hop_limit = 64;
	return 0;
}

FAKE_EXPORT int ibv_init_ah_from_wc(struct ibv_context *ctx, uint8_t port,
				    struct ibv_wc *wc, struct ibv_grh *grh,
				    struct ibv_ah_attr *attr)
{
	int err = 0;

	memset(attr, 0, sizeof(*attr));
	attr->dlid = wc->slid;
	attr->sl = wc->sl;
	attr->src_path_bits = wc->dlid_path_bits;
	attr->port_num = port;
	if (wc->wc_flags & IBV_WC_GRH)
		err = init_global(ctx, grh, attr);
	if (!err)
		return 0;
	errno = err;
	return -1;
}

FAKE_EXPORT struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd,
						 struct ibv_wc *wc,
						 struct ibv_grh *grh,
						 uint8_t port)
{
	struct ibv_ah_attr attr;

	if (ibv_init_ah_from_wc(pd->context, port, wc, grh, &attr))
		return NULL;
	return ibv_create_ah(pd, &attr);
}
