/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * words - the explanation of one finding, looked up in the tables
 */
#include "diag/words.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "diag/callerr.h"
#include "diag/cmevent.h"
#include "diag/event.h"
#include "diag/firmware.h"
#include "diag/wc.h"

static bool has_cause(const struct rb_words *w, const char *text)
{
	for (unsigned int i = 0; i < w->ncauses; i++)
		if (!strcmp(w->causes[i]->text, text))
			return true;
	return false;
}

static void add_causes(struct rb_words *w, const struct rb_cause *list)
{
	for (; list && list->text && w->ncauses < RB_WORDS_CAUSES; list++)
		if (!has_cause(w, list->text))
			w->causes[w->ncauses++] = list;
}

/* What the hardware syndrome of a responder's line tells. */
static const struct {
	int syndrome;
	struct rb_cause cause;
} responder_causes[] = {
	{ 0x95, { "the peer's inbound READ was refused because of the rkey: an rkey of another device or PD (hosts with several adapters)", RB_SURE_LIKELY, "HCA-RKEY", "chimera-nas/libevpl pull 89" } },
	{ 0x92, { "the index of the key is not found", RB_SURE_LIKELY, NULL, "openucx/ucx pull 7801" } },
	{ 0x93, { "the key is of another PD", RB_SURE_LIKELY, NULL, "kernel commit 665a7e13c220" } },
	{ 0x9d, { "the address cannot be translated or is out of bounds", RB_SURE_LIKELY, NULL, "linux-rdma/perftest#394" } },
};

/* The reasons that only the hardware syndrome of vendor code 0x68 tells apart. */
static const struct {
	int syndrome;
	struct rb_cause cause;
} malformed_causes[] = {
	{ 0x60, { "the inline L2 header is missing or shorter than the adapter's minimum inline (ConnectX-4 Lx)", RB_SURE_CONFIRMED, NULL, "netdev, 2021-01-19" } },
	{ 0x86, { "the size of a UMR is not aligned to 64 bytes", RB_SURE_CONFIRMED, NULL, "kernel, alignment of MTT/KLM entries" } },
	{ 0x01, { "the control segment is wrong: index or opcode do not fit (ring overwritten, race of producers)", RB_SURE_CONFIRMED, NULL, "kernel commit c326f9c68921" } },
	{ 0x1f, { "key of the address vector or of DC access", RB_SURE_LIKELY, NULL, "openucx/ucx#3618" } },
};

static void hardware_causes(const struct rb_codes *c, struct rb_words *w)
{
	if (c->kernel_text)
		for (size_t i = 0; i < RB_ARRAY_SIZE(responder_causes); i++)
			if (responder_causes[i].syndrome == c->hw_syndrome)
				w->causes[w->ncauses++] =
					&responder_causes[i].cause;
	for (size_t i = 0;
	     c->vendor == 0x68 && i < RB_ARRAY_SIZE(malformed_causes); i++)
		if (malformed_causes[i].syndrome == c->hw_syndrome)
			w->causes[w->ncauses++] = &malformed_causes[i].cause;
}

static bool row_fits(const struct rb_vendor_row *row, const struct rb_codes *c)
{
	return row && (row->status < 0 || c->status < 0 ||
		       row->status == c->status);
}

static void of_completion(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_codes *c = &f->codes;
	const struct rb_wc_row *wc = rb_wc_row((unsigned int)c->status);
	const struct rb_vendor_row *row =
		c->has_vendor ? rb_vendor_row(c->provider, c->status,
					      c->vendor, c->queue) :
				NULL;
	bool silent = rb_provider_row(c->provider)->silent;

	if (c->status >= 0) {
		w->title = wc->name;
		w->side = wc->side;
		w->meaning = wc->meaning;
		w->check = wc->check;
		w->next = wc->next;
		w->pair = wc->pair;
		w->sure = RB_SURE_SOURCE;
	} else if (c->kernel_text) {
		w->title = "QP error";
		w->side = "the end whose kernel wrote it: usually the responder";
		w->meaning = "the driver tells why a queue pair went to the error state; its words are of the wrong table, the three codes count";
	}
	hardware_causes(c, w);
	if (row_fits(row, c)) {
		w->vendor = row->meaning;
		w->vendor_name = row->name;
		w->sure = row->sure;
		w->ref = row->ref;
		add_causes(w, row->causes);
	} else if (c->has_vendor && c->vendor && c->provider && !silent &&
		   !c->kernel_text) {
		w->sure = RB_SURE_UNKNOWN;
		w->vendor = row ? "this code was never reported with this status: unknown" :
				  "undocumented, and no public report: unknown";
	}
	if (c->kernel_text && w->ncauses) {
		w->sure = RB_SURE_LIKELY;
		if (!row_fits(row, c))
			w->ref = w->causes[0]->ref;
	}
	/* where nobody knows what the code means, a ranking would be a claim */
	if (c->status >= 0 && !w->ncauses && w->sure != RB_SURE_UNKNOWN)
		add_causes(w, wc->causes);
}

static void of_event(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_event_row *rows;
	size_t n;

	rows = rb_event_rows(&n);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].event != f->codes.event)
			continue;
		w->title = rows[i].name;
		w->meaning = rows[i].meaning;
		w->next = rows[i].hint;
		w->pair = rows[i].pair;
		add_causes(w, rows[i].causes);
	}
	w->side = "the end that reports it";
	w->sure = RB_SURE_SOURCE;
}

static void of_cm(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_cm_row *row = NULL;
	const struct rb_cm_name *names;
	size_t n;

	names = rb_cm_names(&n);
	for (size_t i = 0; i < n; i++)
		if (names[i].event == f->codes.cm_event) {
			w->title = names[i].name;
			w->meaning = names[i].meaning;
		}
	w->sure = RB_SURE_SOURCE;
	if (f->codes.has_cm_status)
		row = rb_cm_row(f->codes.cm_event, f->codes.cm_status);
	if (row) {
		w->vendor = row->meaning;
		w->vendor_name = row->name;
		w->next = row->next;
		add_causes(w, row->causes);
	}
}

static void of_call(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_codes *c = &f->codes;
	const struct rb_call_row *row = rb_call_row(
		c->call, *c->transition ? c->transition : NULL, c->err);

	w->title = c->call;
	w->side = "this end";
	w->meaning = row ? row->meaning : "the call failed";
	w->sure = row && row->causes ? row->causes->sure :
		  row		     ? RB_SURE_SOURCE :
				       RB_SURE_UNKNOWN;
	if (row) {
		w->next = row->next;
		add_causes(w, row->causes);
	}
}

static void of_firmware(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_codes *c = &f->codes;
	const struct rb_mlx5_command *row =
		rb_mlx5_command(c->command, c->fw_syndrome);
	const struct rb_code_name *health = rb_mlx5_health(c->fw_status);

	w->title = c->command;
	w->side = "this end";
	if (!strcmp(c->command, "health")) {
		w->meaning = "the adapter's firmware reports a fatal state: everything on the device fails";
		w->vendor = health ? health->name : NULL;
		w->sure = health ? RB_SURE_SOURCE : RB_SURE_UNKNOWN;
		w->next = "devlink health show; dmesg";
		return;
	}
	w->meaning = "a command to the adapter's firmware failed, and with it the call that needed it";
	w->vendor = row ? row->meaning :
			  "the syndrome is private to the firmware: unknown";
	w->sure = row ? row->causes->sure : RB_SURE_UNKNOWN;
	w->ref = row ? row->causes->ref : NULL;
	w->next = "the errno of the verb, and the return value of every ibv_modify_qp";
	if (row)
		add_causes(w, row->causes);
}

static void of_kernel(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_kernel_row *row = f->codes.kernel;
	const struct rb_irdma_ae *ae = rb_irdma_ae(f->codes.number);
	const struct rb_vendor_row *t4 = rb_vendor_row(
		RB_PROVIDER_CXGB4, -1, f->codes.number, 0);

	w->title = row->id;
	w->meaning = row->meaning;
	w->next = row->next;
	w->sure = RB_SURE_SOURCE;
	add_causes(w, row->causes);
	if (!strcmp(row->id, "irdma_ae")) {
		w->vendor_name = ae ? ae->name : NULL;
		w->vendor = !ae		? "no event of that number is known" :
			    ae->meaning ? ae->meaning :
			    ae->status >= 0 ?
					  rb_wc_row((unsigned int)ae->status)->meaning :
					  NULL;
		if (ae && ae->status >= 0)
			add_causes(w, rb_wc_row((unsigned int)ae->status)->causes);
		if (!ae)
			w->sure = RB_SURE_UNKNOWN;
	} else if (!strcmp(row->id, "cxgb4_ae") && t4) {
		w->vendor_name = t4->name;
		w->vendor = t4->meaning;
	} else if (!strcmp(row->id, "rxe_error")) {
		w->vendor_name = rb_wc_row(f->codes.number)->name;
		w->vendor = rb_wc_row(f->codes.number)->meaning;
		add_causes(w, rb_wc_row(f->codes.number)->causes);
	}
}

static void of_message(const struct rb_finding *f, struct rb_words *w)
{
	const struct rb_message_row *row = f->codes.message;

	w->title = row->id;
	w->meaning = row->meaning;
	w->next = row->next;
	w->sure = RB_SURE_SOURCE;
	add_causes(w, row->causes);
}

void rb_words_find(const struct rb_finding *f, struct rb_words *w)
{
	static void (*const by_kind[])(const struct rb_finding *f,
				       struct rb_words *w) = {
		[RB_KIND_COMPLETION] = of_completion,
		[RB_KIND_EVENT] = of_event,
		[RB_KIND_CM] = of_cm,
		[RB_KIND_CALL] = of_call,
		[RB_KIND_FIRMWARE] = of_firmware,
		[RB_KIND_KERNEL] = of_kernel,
		[RB_KIND_MESSAGE] = of_message,
	};

	memset(w, 0, sizeof(*w));
	w->title = "unknown";
	by_kind[f->kind](f, w);
}
