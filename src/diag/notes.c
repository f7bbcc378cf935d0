/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * notes - remarks on one line: what misleads in it, and what else it shows
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/firmware.h"
#include "diag/wc.h"
#include "diag/words.h"

static RB_PRINTF(2, 3) void note(json_t *list, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_array_append_new(list, json_string(text));
}

/* NCCL's decimal 81 was read as 0x81 before, by people in a hurry. */
static void base_notes(const struct rb_codes *c, json_t *list)
{
	const struct rb_vendor_row *other =
		rb_vendor_row(c->provider, -1, c->vendor_as_hex, c->queue);

	if (!c->has_vendor || c->vendor == c->vendor_as_hex)
		return;
	if (c->base == RB_BASE_EITHER) {
		note(list,
		     "%s may be decimal (0x%02x) or hexadecimal (0x%02x): the text does not tell, and both readings are possible",
		     c->vendor_digits, c->vendor, c->vendor_as_hex);
		return;
	}
	/* a line with the status in words leaves no room for that */
	if (c->base != RB_BASE_DECIMAL || c->status_named || !other ||
	    other->status < 0 || other->status == c->status)
		return;
	note(list,
	     "%s is decimal, 0x%02x; read as hexadecimal it would be 0x%02x (%s), which belongs to status %d and does not fit status %d",
	     c->vendor_digits, c->vendor, c->vendor_as_hex,
	     other->status == 12 ? "a timeout: no acknowledgement" :
				   rb_wc_row((unsigned int)other->status)->text,
	     other->status, c->status);
}

static void provider_notes(const struct rb_codes *c, json_t *list)
{
	const struct rb_provider_row *p = rb_provider_row(c->provider);

	if (p->silent && c->has_vendor)
		note(list, "%s tells nothing in vendor_err (%s)", p->name,
		     p->holds);
	else if (c->provider_guessed && c->provider && c->has_vendor)
		note(list,
		     "the text does not name the provider: %s is assumed, whose codes fit%s",
		     p->name,
		     c->provider_others ? "; other providers have the same pair" :
					  "");
	else if (!c->provider && c->has_vendor)
		note(list,
		     "the text does not name the provider, and no table has this pair: say --driver");
	if (c->provider == RB_PROVIDER_EFA)
		note(list,
		     "SRD is no RC: a failure at one peer leaves the queue pair usable for the others");
}

static void hardware_notes(const struct rb_finding *f, json_t *list)
{
	const struct rb_codes *c = &f->codes;
	const struct rb_code_name *hw =
		c->hw_syndrome > 0 ?
			rb_mlx5_hw_syndrome((uint32_t)c->hw_syndrome) :
			NULL;
	const struct rb_code_name *op =
		c->opcode >= 0 ? rb_mlx5_opcode((uint32_t)c->opcode) : NULL;

	if (hw)
		note(list, "hw_synd 0x%02x: %s", c->hw_syndrome, hw->name);
	if (c->vendor == 0x51 && c->hw_syndrome >= 0 && c->status == 4)
		note(list,
		     "the lkey is known: what fails is the DMA on the path between that memory (a GPU's?) and the adapter%s%s",
		     *f->device ? " " : "", f->device);
	if (op)
		note(list, "the request was %s", op->name);
	if (c->kernel_text)
		note(list,
		     "the words of the kernel must be ignored: they are of the wrong table (mlx5_ib since 6.3); V=0x%x T=0x%x H=0x%x count",
		     c->vendor, c->hw_type, c->hw_syndrome);
}

static void request_notes(const struct rb_request *r, int status, json_t *list)
{
	if (status == 12 && !r->there)
		note(list,
		     "when it came decides: at once with the first message (class A, status12-A: addressing, path, filters) or after messages had gone through (class B, status12-B: peer gone, link, loss)");
	if (r->index == 0 && status == 12)
		note(list,
		     "wqe index 0: the very first message of the queue pair failed: class A, the path never worked");
	else if (r->index > 0 && status == 12)
		note(list,
		     "wqe index %d: messages had gone through before, or were not acknowledged yet",
		     r->index);
	if (r->has_mac && r->zero_mac)
		note(list,
		     "rmac is all zero: the destination MAC is unresolved in the address vector");
	if (r->has_length)
		note(list, "local range: address 0x%" PRIx64 ", %" PRIu64
			   " bytes", r->address, r->length);
}

static void alive_note(const struct rb_codes *c, json_t *list)
{
	if (c->status == 9 || c->status == 10 || c->status == 11 ||
	    c->status == 13)
		note(list,
		     "the peer's adapter answered: it is alive, and the path works");
}

static void completion_notes(const struct rb_explain *x,
			     const struct rb_finding *f, json_t *list)
{
	const struct rb_codes *c = &f->codes;
	bool alone = true;

	if (f->undefined_fields)
		note(list,
		     "opcode and len are undefined on an error completion (only wr_id, status, qp_num and vendor_err hold): ignore them");
	if (!strncmp(f->peer, "fe80", 4) && !strcmp(f->dialect, "nccl"))
		note(list,
		     "peer %s is the address of the bootstrap socket, not the GID",
		     f->peer);
	else if (*f->peer && c->status == 13)
		note(list, "look at the peer, %s: it had no receive posted; its out_of_buffer rises",
		     f->peer);
	base_notes(c, list);
	provider_notes(c, list);
	hardware_notes(f, list);
	request_notes(&f->request, c->status, list);
	alive_note(c, list);
	for (size_t i = 0; i < x->n; i++)
		alone &= x->findings[i].kind != RB_KIND_COMPLETION ||
			 x->findings[i].codes.status == 5;
	if (c->status == 5 && alone && f->role == RB_ROLE_CONSEQUENCE)
		note(list,
		     "this text holds flushes only: the cause is in the first error that is no flush, earlier or in the peer's log");
}

static void firmware_notes(const struct rb_codes *c, json_t *list)
{
	const struct rb_code_name *status =
		rb_mlx5_command_status(c->fw_status);

	if (!strcmp(c->command, "health"))
		return;
	if (status)
		note(list, "firmware status 0x%x (%s): the verb returns %s",
		     c->fw_status, status->name,
		     status->value == 22 ? "EINVAL" :
		     status->value == 12 ? "ENOMEM" :
		     status->value == 16 ? "EBUSY" :
		     status->value == 11 ? "EAGAIN" :
					   "EIO");
}

json_t *rb_words_notes(const struct rb_explain *x, const struct rb_finding *f)
{
	json_t *list = json_array();

	if (f->kind == RB_KIND_COMPLETION)
		completion_notes(x, f, list);
	if (f->kind == RB_KIND_FIRMWARE)
		firmware_notes(&f->codes, list);
	if (f->kind == RB_KIND_CM && f->codes.has_cm_status &&
	    f->codes.cm_status > 0)
		note(list,
		     "the status (%d) is the reason; a number in brackets behind the event's name is only the number of the event",
		     f->codes.cm_status);
	if (f->kind == RB_KIND_CALL && !f->codes.err)
		note(list, "the text does not tell the errno");
	return list;
}
