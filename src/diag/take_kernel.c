/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * take_kernel - lines of the kernel's drivers: mlx5's of queue pairs, commands
 * and completions, irdma's events, and those that have a row of their own
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/firmware.h"
#include "diag/taker.h"

#define LIKELY RB_SURE_LIKELY
#define SRC RB_SURE_SOURCE

/* clang-format off */
static const struct rb_kernel_row rows[] = {
	{ "CQ error on CQN", "mlx5_cq_error", "syndrom", "a completion queue failed: syndrome 1 is an overrun, 2 an access violation",
	  RB_CAUSES({ "the CQ is smaller than the signaled requests of all its queue pairs: size it by their sum", RB_SURE_CONFIRMED, NULL, "linux-rdma list, svcrdma SQ depth" }), "make the CQ larger, or poll it" },
	{ "Port module event[error]", "mlx5_module", NULL, "the cable or transceiver of a port is in error",
	  RB_CAUSES({ "power budget, no EEPROM, unsupported cable or high temperature: the line says which", SRC, "MODULE-ERR", "mlx5_core" }), "swap the cable or module" },
	{ "insufficient power on the PCIe slot", "mlx5_power", NULL, "the slot gives less power than the adapter asks for: it may be throttled",
	  RB_CAUSES({ "auxiliary power is not connected, or the slot is too weak", LIKELY, "PCI-POWER", "mlx5_core" }), NULL },
	{ "health compromised", "mlx5_health", NULL, "the firmware stopped answering: the device is about to fail",
	  RB_CAUSES({ "firmware or hardware of the adapter, or the PCIe link", LIKELY, "PCI-AER", "mlx5_core" }), "devlink health show; dmesg" },
	{ "assert_var[0]", "mlx5_assert", NULL, "the firmware hit an assertion: the device is in the error state",
	  RB_CAUSES({ "firmware: report the whole dump to the vendor", SRC, NULL, "mlx5_core" }), "devlink health show" },
	{ "non-flush error status", "rxe_error", "non-flush error status", "soft-RoCE: a request failed; the number is the completion's status", NULL, NULL },
	{ "AE qpid", "cxgb4_ae", "status", "iWARP of Chelsio: a queue pair failed; the status is that of its completion", NULL, NULL },
	{ "ae_id", "irdma_ae", "ae_id", "irdma: an asynchronous event of a queue pair", NULL, NULL },
};
/* clang-format on */

/*
 * The driver looks the hardware's syndrome up in the names of ib_wc_status: the
 * words are those of another error, but their number is the syndrome.
 */
static const struct {
	const char *words;
	int syndrome;
} wrong_words[] = {
	{ "local length", 0x01 },	  { "local QP operation", 0x02 },
	{ "local protection", 0x04 },	  { "WR flushed", 0x05 },
	{ "memory bind", 0x06 },	  { "operation aborted", 0x10 },
	{ "invalid EE context number", 0x11 },
	{ "invalid EE context state", 0x12 },
	{ "fatal error", 0x13 },	  { "response timeout", 0x14 },
	{ "general error", 0x15 },
};

static void set_by_words(struct rb_text words, struct rb_codes *c)
{
	const struct rb_code_name *synd;

	for (size_t i = 0; i < RB_ARRAY_SIZE(wrong_words); i++) {
		if (!rb_text_has(words, wrong_words[i].words))
			continue;
		synd = rb_mlx5_syndrome((uint32_t)wrong_words[i].syndrome);
		c->syndrome = wrong_words[i].syndrome;
		c->status = synd ? synd->value : 21;
	}
	/* what a requester sees: of its peer */
	c->queue = c->status >= 9 && c->status <= 13 ? 'S' : 'R';
}

/* "DEV/PORT: QP N error: TEXT (0xV 0xT 0xH)" */
static bool take_qp_error(struct rb_explain *x, struct rb_text line)
{
	struct rb_text t, words;
	struct rb_number v[3];
	struct rb_finding f;
	uint64_t qpn;

	if (!rb_text_after_word(line, "QP", &t) || !rb_text_key(t, "", &qpn) ||
	    !rb_text_after(t, "error:", &t))
		return false;
	words = t;
	while (rb_text_after(t, "(", &t))
		if (rb_text_begins(t, "0x"))
			break;
	for (int i = 0; i < 3; i++)
		if (!rb_text_number(&t, &v[i]) || !v[i].hex)
			return false;
	rb_finding_init(&f, RB_KIND_COMPLETION, "mlx5 kernel");
	f.codes.provider = RB_PROVIDER_MLX5;
	f.codes.has_qpn = true;
	f.codes.qpn = (uint32_t)(qpn & 0xffffff);
	f.codes.has_vendor = true;
	f.codes.base = RB_BASE_HEX;
	f.codes.vendor = f.codes.vendor_as_hex = (uint32_t)(v[0].value & 0xff);
	memcpy(f.codes.vendor_digits, v[0].digits, sizeof(v[0].digits));
	f.codes.hw_type = (int)(v[1].value & 0xff);
	f.codes.hw_syndrome = (int)(v[2].value & 0xff);
	f.codes.kernel_text = true;
	set_by_words(words, &f.codes);
	rb_explain_found(x, &f, line);
	return true;
}

/* "CMD(0xNNN) op_mod(..) failed, status TEXT(0xS), syndrome (0xX), err(-E)" */
static bool take_command(struct rb_explain *x, struct rb_text line)
{
	struct rb_text t, name, rest;
	struct rb_finding f;
	uint64_t value;
	size_t n = 0;

	if (!rb_text_after(line, " failed, status", &rest) ||
	    !rb_text_after(line, " op_mod", &t))
		return false;
	/* the name stands before "(0x", back to a blank */
	name = rb_text_first(line, (size_t)(t.p - line.p) - strlen(" op_mod"));
	while (name.n && name.p[name.n - 1] != '(')
		name.n--;
	if (!name.n)
		return false;
	name.n--;
	while (n < name.n && name.p[name.n - 1 - n] != ' ')
		n++;
	rb_finding_init(&f, RB_KIND_FIRMWARE, "mlx5 kernel");
	rb_text_copy(rb_text_from(name, name.n - n), f.codes.command,
		     sizeof(f.codes.command));
	f.codes.provider = RB_PROVIDER_MLX5;
	if (rb_text_after(rest, "(", &t) && rb_text_key(t, "", &value))
		f.codes.fw_status = (uint32_t)value;
	if (rb_text_key(rest, "syndrome", &value))
		f.codes.fw_syndrome = (uint32_t)(value & 0xffffff);
	rb_explain_found(x, &f, line);
	return true;
}

static void set_syndromes(struct rb_text line, struct rb_codes *c)
{
	const struct rb_code_name *synd;
	uint64_t value;

	if (rb_text_key(line, "syndrome", &value)) {
		c->syndrome = (int)(value & 0xff);
		synd = rb_mlx5_syndrome((uint32_t)value);
		c->status = synd ? synd->value : 21;
	}
	if (rb_text_key(line, "vendor syndrome", &value)) {
		c->has_vendor = true;
		c->base = RB_BASE_HEX;
		c->vendor = c->vendor_as_hex = (uint32_t)(value & 0xff);
		snprintf(c->vendor_digits, sizeof(c->vendor_digits), "%02x",
			 c->vendor);
	}
}

/* "Error cqe on cqn 0xC, ci 0xI, qn 0xQ, opcode 0xd, syndrome 0xS, vendor syndrome 0xV" */
static bool take_netdev_cqe(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;
	uint64_t value;

	if (!rb_text_has(line, "error cqe on cqn") ||
	    !rb_text_has(line, "syndrome"))
		return false;
	rb_finding_init(&f, RB_KIND_COMPLETION, "mlx5 kernel");
	f.codes.provider = RB_PROVIDER_MLX5;
	set_syndromes(line, &f.codes);
	if (rb_text_key(line, "qn", &value) || rb_text_key(line, "sqn", &value)) {
		f.codes.has_qpn = true;
		f.codes.qpn = (uint32_t)(value & 0xffffff);
	}
	if (rb_text_key(line, "opcode", &value))
		f.codes.queue = value == 0xe ? 'R' : 'S';
	x->dump = (struct rb_dump){
		.open = true,
		.patience = 2,
		.finding = rb_explain_found(x, &f, line),
	};
	x->want |= RB_TOPIC_DUMP;
	return true;
}

/* Two lines of mlx5_ib: "Responder error cqe on cqn N:", "syndrome S, ..." */
static bool take_ib_cqe(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;

	if (rb_text_has(line, "error cqe on cqn")) {
		x->cqe = rb_text_has(line, "Responder") ? 'R' : 'S';
		x->want |= RB_TOPIC_KERNEL;
		return true;
	}
	if (!rb_text_has(line, "vendor syndrome") ||
	    !rb_text_after_word(line, "syndrome", NULL) ||
	    rb_text_has(line, "operation err"))
		return false;
	/* "vendor syndrome" alone is somebody else's */
	if (!rb_text_has(line, "syndrome 0x") ||
	    (!rb_text_has(line, "mlx") && x->cqe < 0))
		return false;
	rb_finding_init(&f, RB_KIND_COMPLETION, "mlx5 kernel");
	f.codes.provider = RB_PROVIDER_MLX5;
	f.codes.queue = (char)(x->cqe > 0 ? x->cqe : 0);
	x->cqe = -1;
	set_syndromes(line, &f.codes);
	if (f.codes.syndrome < 0)
		return false;
	rb_explain_found(x, &f, line);
	return true;
}

static bool take_row(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;
	uint64_t value;

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++) {
		if (!rb_text_has(line, rows[i].words))
			continue;
		rb_finding_init(&f, RB_KIND_KERNEL, "kernel");
		f.codes.kernel = &rows[i];
		if (rows[i].number && rb_text_key(line, rows[i].number, &value))
			f.codes.number = (uint32_t)value;
		else if (rows[i].number && strcmp(rows[i].number, "syndrom"))
			continue;
		rb_explain_found(x, &f, line);
		return true;
	}
	return false;
}

/* "synd 0x8: unrecoverable hardware error", of the health buffer */
static bool take_health(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;
	uint64_t synd;

	if (!rb_text_has(line, "mlx5_core") || !rb_text_key(line, "synd", &synd))
		return false;
	rb_finding_init(&f, RB_KIND_FIRMWARE, "mlx5 kernel");
	f.codes.provider = RB_PROVIDER_MLX5;
	memcpy(f.codes.command, "health", sizeof("health"));
	f.codes.fw_status = (uint32_t)(synd & 0xff);
	rb_explain_found(x, &f, line);
	return true;
}

bool rb_take_kernel(struct rb_explain *x, struct rb_text line)
{
	return take_qp_error(x, line) || take_command(x, line) ||
	       take_netdev_cqe(x, line) || take_ib_cqe(x, line) ||
	       take_row(x, line) || take_health(x, line);
}
