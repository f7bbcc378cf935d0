/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* query - what the fake devices and ports say of themselves. */

#include "fake.h"
#include "plan.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	PHYS_STATE_DISABLED	= 3,	/* PortPhysicalState, IBTA vol. 1 */
	PHYS_STATE_LINK_UP	= 5,
	GID_TABLE_LEN		= 16,
};

static void fill_limits(struct ibv_device_attr *a, const struct plan_device *d)
{
	a->max_mr_size = d->max_mr_size;
	a->page_size_cap = 0xfffff000;
	a->max_qp = d->max_qp;
	a->max_qp_wr = d->max_qp_wr;
	a->max_sge = d->max_sge;
	a->max_sge_rd = d->max_sge;
	a->max_cq = d->max_cq;
	a->max_cqe = d->max_cqe;
	a->max_mr = d->max_mr;
	a->max_pd = 65536;
	a->max_qp_rd_atom = 16;
	a->max_qp_init_rd_atom = 16;
	a->max_res_rd_atom = 16 * d->max_qp;
	a->max_mcast_grp = 8192;
	a->max_mcast_qp_attach = WIRE_GROUPS;
	a->max_total_mcast_qp_attach = 8192 * WIRE_GROUPS;
	a->max_ah = 65536;
	a->max_srq = WIRE_SRQS;
	a->max_srq_wr = 16384;
	a->max_srq_sge = WIRE_SGE;
	a->max_pkeys = (uint16_t)d->pkeys;
}

static void fill_device(struct ibv_device_attr *a, int dev)
{
	const struct plan_device *d = &plan_get()->dev;

	memset(a, 0, sizeof(*a));
	snprintf(a->fw_ver, sizeof(a->fw_ver), "%s", d->fw_ver);
	a->node_guid = htobe64(dev_guid(dev));
	a->sys_image_guid = a->node_guid;
	a->vendor_id = d->vendor_id;
	a->vendor_part_id = d->vendor_part_id;
	a->device_cap_flags = IBV_DEVICE_CURR_QP_STATE_MOD |
			      IBV_DEVICE_PORT_ACTIVE_EVENT |
			      IBV_DEVICE_SYS_IMAGE_GUID |
			      IBV_DEVICE_RC_RNR_NAK_GEN |
			      IBV_DEVICE_SRQ_RESIZE;
	if (d->xrc)
		a->device_cap_flags |= IBV_DEVICE_XRC;
	a->atomic_cap = d->atomic_cap;
	a->local_ca_ack_delay = 16;
	a->phys_port_cnt = 1;
	fill_limits(a, d);
}

FAKE_EXPORT int ibv_query_device(struct ibv_context *ctx,
				 struct ibv_device_attr *attr)
{
	FAKE_FAIL_ERRNO(ibv_query_device);
	fill_device(attr, to_ctx(ctx)->dev->index);
	return 0;
}

int ctx_query_device_ex(struct ibv_context *ctx,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t len)
{
	struct ibv_device_attr_ex full;

	(void)input;
	FAKE_FAIL_ERRNO(ibv_query_device);
	memset(&full, 0, sizeof(full));
	fill_device(&full.orig_attr, to_ctx(ctx)->dev->index);
	full.completion_timestamp_mask = hwclock_mask();
	full.hca_core_clock = (uint64_t)plan_get()->dev.hw_clock;
	full.device_cap_flags_ex = full.orig_attr.device_cap_flags;
	full.cq_mod_caps.max_cq_count = UINT16_MAX;
	full.cq_mod_caps.max_cq_period = UINT16_MAX;
	full.phys_port_cnt_ex = 1;
	if (plan_get()->dev.odp) {
		full.odp_caps.general_caps = IBV_ODP_SUPPORT;
		full.odp_caps.per_transport_caps.rc_odp_caps =
			IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
			IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;
	}
	memcpy(attr, &full, len < sizeof(full) ? len : sizeof(full));
	return 0;
}

int ctx_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *v)
{
	(void)ctx;
	FAKE_FAIL_ERRNO(ibv_query_rt_values);
	if (!hwclock_mask())
		return EOPNOTSUPP;
	/* as mlx4 and mlx5 do: ticks, in the place of nanoseconds */
	if (v->comp_mask & IBV_VALUES_MASK_RAW_CLOCK)
		v->raw_clock = (struct timespec){
			.tv_nsec = (long)hwclock_at(now_ns())
		};
	v->comp_mask &= IBV_VALUES_MASK_RAW_CLOCK;
	return 0;
}

static void fill_link(struct ibv_port_attr *p, int dev)
{
	const struct plan_device *d = &plan_get()->dev;
	bool down = dev_port_down(dev);

	p->state = down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
	p->phys_state = down ? PHYS_STATE_DISABLED : PHYS_STATE_LINK_UP;
	p->max_mtu = IBV_MTU_4096;
	p->active_mtu = d->mtu;
	p->active_width = (uint8_t)d->width;
	p->active_speed = (uint8_t)d->speed;
	if (d->infiniband) {
		p->link_layer = IBV_LINK_LAYER_INFINIBAND;
		p->lid = (uint16_t)(dev + 1);
		p->sm_lid = 1;
	} else {
		p->link_layer = IBV_LINK_LAYER_ETHERNET;
		p->port_cap_flags |= IBV_PORT_IP_BASED_GIDS;
		p->flags = IBV_QPF_GRH_REQUIRED;
	}
}

int ctx_query_port(struct ibv_context *ctx, uint8_t port,
		   struct ibv_port_attr *attr, size_t len)
{
	struct ibv_port_attr p;

	FAKE_FAIL_ERRNO(ibv_query_port);
	if (port != 1)
		return EINVAL;
	memset(&p, 0, sizeof(p));
	p.port_cap_flags = IBV_PORT_CM_SUP;
	fill_link(&p, to_ctx(ctx)->dev->index);
	p.gid_tbl_len = GID_TABLE_LEN;
	p.max_msg_sz = plan_get()->dev.max_msg_sz;
	p.pkey_tbl_len = (uint16_t)plan_get()->dev.pkeys;
	p.max_vl_num = 1;
	p.subnet_timeout = 18;
	memcpy(attr, &p, len < sizeof(p) ? len : sizeof(p));
	return 0;
}

/* The entry point of old programs: their struct ends before the last field. */
#undef ibv_query_port
FAKE_EXPORT int ibv_query_port(struct ibv_context *ctx, uint8_t port,
			       struct _compat_ibv_port_attr *attr)
{
	return ctx_query_port(ctx, port, (struct ibv_port_attr *)(void *)attr,
			      offsetof(struct ibv_port_attr, port_cap_flags2));
}

FAKE_EXPORT int ibv_query_gid(struct ibv_context *ctx, uint8_t port, int index,
			      union ibv_gid *gid)
{
	struct ibv_gid_entry entry;
	int err;

	FAKE_FAIL_MINUS(ibv_query_gid);
	err = port == 1 ? gid_entry(to_ctx(ctx)->dev->index, (uint32_t)index,
				    &entry) : EINVAL;
	if (err == ENODATA) {
		memset(gid, 0, sizeof(*gid));
		return 0;
	}
	if (err) {
		errno = err;
		return -1;
	}
	*gid = entry.gid;
	return 0;
}

FAKE_EXPORT int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port,
				  uint32_t index, struct ibv_gid_entry *entry,
				  uint32_t flags, size_t size)
{
	struct ibv_gid_entry e;
	int err;

	FAKE_FAIL_ERRNO(ibv_query_gid_ex);
	if (flags || port != 1)
		return EINVAL;
	err = gid_entry(to_ctx(ctx)->dev->index, index, &e);
	if (err)
		return err;
	memcpy(entry, &e, size < sizeof(e) ? size : sizeof(e));
	return 0;
}

FAKE_EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *ctx,
					 struct ibv_gid_entry *entries,
					 size_t max, uint32_t flags,
					 size_t size)
{
	struct ibv_gid_entry e;
	size_t n = 0;
	uint32_t i;
	int err = plan_call(CALL_ibv_query_gid_table);

	if (err || flags)
		return err ? -err : -EOPNOTSUPP;
	for (i = 0; i < GID_TABLE_LEN; i++) {
		if (gid_entry(to_ctx(ctx)->dev->index, i, &e))
			continue;
		if (n == max)
			return -EINVAL;
		memcpy((char *)entries + n++ * size, &e,
		       size < sizeof(e) ? size : sizeof(e));
	}
	return (ssize_t)n;
}

/* Private to rdma-core's own tools; there, 0 is IB or RoCE v1 and 1 RoCE v2. */
int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port,
		       unsigned int index, int *type);

FAKE_EXPORT int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port,
				   unsigned int index, int *type)
{
	struct ibv_gid_entry e;

	FAKE_FAIL_MINUS(ibv_query_gid_type);
	if (port != 1 || gid_entry(to_ctx(ctx)->dev->index, index, &e)) {
		errno = EINVAL;
		return -1;
	}
	*type = e.gid_type == IBV_GID_TYPE_ROCE_V2;
	return 0;
}

FAKE_EXPORT int ibv_query_pkey(struct ibv_context *ctx, uint8_t port,
			       int index, __be16 *pkey)
{
	(void)ctx;
	FAKE_FAIL_MINUS(ibv_query_pkey);
	if (port != 1 || index < 0 || index >= plan_get()->dev.pkeys) {
		errno = EINVAL;
		return -1;
	}
	/* the default partition, then 1, 2 ... */
	*pkey = htobe16((uint16_t)(!index ? 0xffff :
				   plan_get()->dev.limited ? index :
							     0x8000 | index));
	return 0;
}

FAKE_EXPORT int ibv_get_pkey_index(struct ibv_context *ctx, uint8_t port,
				   __be16 pkey)
{
	(void)ctx;
	FAKE_FAIL_MINUS(ibv_get_pkey_index);
	if (port == 1 && (be16toh(pkey) & 0x7fff) == 0x7fff)
		return 0;
	if (port == 1 && (be16toh(pkey) & 0x7fff) < plan_get()->dev.pkeys)
		return be16toh(pkey) & 0x7fff;
	errno = EINVAL;
	return -1;
}
