/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * take_ucx - UCX's lines about an error CQE of mlx5, and of its request
 *
 *   Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)
 *   DCI QP 0x14e4 wqe[0]: SEND s-e [rqpn 0x2248a rmac .. sgix 0 dgid .. tc 0] [..]
 *
 * The request may go on over further lines.
 */
#include <string.h>

#include "base/base.h"
#include "diag/firmware.h"
#include "diag/taker.h"

static bool take_error(struct rb_explain *x, struct rb_text line)
{
	const struct rb_code_name *synd;
	struct rb_number number;
	struct rb_finding f;
	struct rb_text t;
	uint64_t value;

	if (!rb_text_after(line, "(synd", &t) || !rb_text_number(&t, &number))
		return false;
	rb_finding_init(&f, RB_KIND_COMPLETION, "ucx");
	f.codes.provider = RB_PROVIDER_MLX5;
	f.codes.syndrome = (int)(number.as_hex & 0xff);
	synd = rb_mlx5_syndrome((uint32_t)f.codes.syndrome);
	f.codes.status = synd ? synd->value : 21;
	f.codes.base = RB_BASE_HEX;
	if (rb_text_after(t, "vend", &t) && rb_text_number(&t, &number)) {
		f.codes.has_vendor = true;
		f.codes.vendor = (uint32_t)(number.as_hex & 0xff);
		f.codes.vendor_as_hex = f.codes.vendor;
		memcpy(f.codes.vendor_digits, number.digits,
		       sizeof(number.digits));
	}
	if (rb_text_key(t, "hw_synd", &value)) {
		f.codes.hw_type = (int)(value & 0xff);
		if (rb_text_after(t, "/", &t) && rb_text_number(&t, &number))
			f.codes.hw_syndrome = (int)(number.value & 0xff);
	}
	x->last = rb_explain_found(x, &f, line);
	x->last_lines = 6;
	x->want |= RB_TOPIC_UCX;
	return true;
}

static void read_mac(struct rb_text line, struct rb_request *r)
{
	struct rb_text t;
	char mac[20];

	if (!rb_text_after(line, "rmac ", &t) ||
	    rb_text_word(&t, mac, sizeof(mac)) != 17)
		return;
	r->has_mac = true;
	r->zero_mac = !strcmp(mac, "00:00:00:00:00:00");
}

static void read_small(struct rb_text line, const char *key, int *value)
{
	uint64_t v;

	if (rb_text_key(line, key, &v) && v < 1u << 24)
		*value = (int)v;
}

static void read_target(struct rb_text line, struct rb_request *r)
{
	struct rb_text t;
	uint64_t v;

	read_mac(line, r);
	read_small(line, "sgix", &r->sgid_index);
	read_small(line, "tc", &r->traffic_class);
	if (rb_text_after(line, "dgid ", &t))
		rb_text_word(&t, r->dgid, sizeof(r->dgid));
	if (rb_text_after(line, "[va", &t) && rb_text_key(t, "", &v)) {
		r->address = v;
		if (rb_text_key(t, "len", &v)) {
			r->has_length = true;
			r->length = v;
		}
	}
}

/* "DCI QP 0x14e4 wqe[0]: SEND s-e" */
static bool read_head(struct rb_text line, struct rb_finding *f)
{
	struct rb_text t;
	uint64_t qpn;

	if (!rb_text_after(line, "wqe[", &t))
		return false;
	f->request.there = true;
	read_small(line, "wqe[", &f->request.index);
	if (rb_text_key(line, "QP", &qpn) && qpn < 1u << 24) {
		f->codes.has_qpn = true;
		f->codes.qpn = (uint32_t)qpn;
	}
	if (rb_text_after(t, "]: ", &t))
		rb_text_word(&t, f->request.opcode, sizeof(f->request.opcode));
	return true;
}

bool rb_take_ucx(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding *f;

	if (take_error(x, line))
		return true;
	if (x->last < 0 || !x->last_lines)
		return false;
	f = &x->findings[x->last];
	if (strcmp(f->dialect, "ucx") || f->count > 1)
		return false;
	if (!read_head(line, f) && !rb_text_has(line, "[r") &&
	    !rb_text_has(line, "[va "))
		return false;
	read_target(line, &f->request);
	x->want |= RB_TOPIC_UCX;
	return true;
}
