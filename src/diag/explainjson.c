/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explainjson - the section "explain" of the document
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/callerr.h"
#include "diag/cmevent.h"
#include "diag/event.h"
#include "diag/firmware.h"
#include "diag/verdict.h"
#include "diag/wc.h"
#include "diag/words.h"

static const char *const kinds[] = {
	[RB_KIND_COMPLETION] = "completion", [RB_KIND_EVENT] = "async_event",
	[RB_KIND_CM] = "cm_event",	     [RB_KIND_CALL] = "call",
	[RB_KIND_FIRMWARE] = "firmware",     [RB_KIND_KERNEL] = "driver",
	[RB_KIND_MESSAGE] = "message",
};
static const char *const roles[] = {
	[RB_ROLE_CAUSE] = "cause",
	[RB_ROLE_CONSEQUENCE] = "consequence",
	[RB_ROLE_OTHER_SIDE] = "other_side",
	[RB_ROLE_LATER] = "later",
};
static const char *const bases[] = {
	[RB_BASE_NONE] = NULL,
	[RB_BASE_DECIMAL] = "decimal",
	[RB_BASE_HEX] = "hexadecimal",
	[RB_BASE_EITHER] = "unknown",
};
static const char *const outcomes[] = {
	[RB_OUTCOME_FAIL] = "fail",
	[RB_OUTCOME_WARN] = "warn",
	[RB_OUTCOME_INFO] = "info",
	[RB_OUTCOME_PASS] = "pass",
};

static void put_text(json_t *o, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(o, key, json_string(text));
}

static void put_number(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

/* -1: not told. */
static void put_hex(json_t *o, const char *key, int value, int digits)
{
	char text[16];

	if (value < 0)
		return;
	snprintf(text, sizeof(text), "0x%0*x", digits, (unsigned int)value);
	json_object_set_new(o, key, json_string(text));
}

static void put_vendor(json_t *o, const struct rb_codes *c)
{
	if (!c->has_vendor || (!c->vendor && rb_provider_row(c->provider)->silent))
		return;
	put_number(o, "vendor_err", c->vendor);
	put_hex(o, "vendor_err_hex", (int)c->vendor, 2);
	put_text(o, "vendor_err_printed", c->vendor_digits);
	put_text(o, "base", bases[c->base]);
}

static void put_cqe(json_t *o, const struct rb_codes *c)
{
	const struct rb_code_name *op =
		c->opcode >= 0 ? rb_mlx5_opcode((uint32_t)c->opcode) : NULL;

	put_hex(o, "syndrome", c->syndrome, 2);
	put_hex(o, "hw_type", c->hw_type, 2);
	put_hex(o, "hw_synd", c->hw_syndrome, 2);
	put_hex(o, "opcode", c->opcode, 2);
	put_text(o, "opcode_name", op ? op->name : NULL);
	if (c->has_qpn)
		put_hex(o, "qpn", (int)c->qpn, 1);
	put_hex(o, "wqe_counter", c->wqe_counter, 4);
	put_hex(o, "op_own", c->op_own, 2);
	put_hex(o, "db_cnt", c->db_count, 4);
}

static void put_completion(json_t *o, const struct rb_codes *c)
{
	if (c->status >= 0) {
		put_number(o, "status", (uint64_t)c->status);
		put_text(o, "status_name",
			 rb_wc_row((unsigned int)c->status)->name);
	}
	put_text(o, "provider", rb_provider_row(c->provider)->name);
	put_vendor(o, c);
	put_text(o, "queue", c->queue == 'S' ? "SQ" : c->queue ? "RQ" : NULL);
	put_cqe(o, c);
	if (c->queue)
		put_text(o, "side",
			 c->queue == 'S' ? "requester" : "responder");
}

static void put_request(json_t *o, const struct rb_request *r)
{
	if (!r->there)
		return;
	if (r->index >= 0)
		put_number(o, "wqe_index", (uint64_t)r->index);
	put_text(o, "opcode_name", r->opcode);
	put_text(o, "dgid", r->dgid);
	if (r->sgid_index >= 0)
		put_number(o, "sgid_index", (uint64_t)r->sgid_index);
	if (r->traffic_class >= 0)
		put_number(o, "traffic_class", (uint64_t)r->traffic_class);
}

static void put_errno(json_t *o, int err)
{
	const struct rb_errno_name *name = rb_errno_name(err);

	if (!err)
		return;
	put_number(o, "errno", (uint64_t)err);
	put_text(o, "errno_name", name ? name->name : NULL);
}

static void put_cm(json_t *o, const struct rb_codes *c)
{
	const struct rb_cm_name *names;
	const struct rb_cm_row *row;
	size_t n;

	names = rb_cm_names(&n);
	for (size_t i = 0; i < n; i++)
		if (names[i].event == c->cm_event)
			put_text(o, "event", names[i].name);
	put_number(o, "event_number", (uint64_t)c->cm_event);
	if (!c->has_cm_status)
		return;
	row = rb_cm_row(c->cm_event, c->cm_status);
	json_object_set_new(o, "event_status", json_integer(c->cm_status));
	put_text(o, "event_status_name", row ? row->name : NULL);
}

static void put_event(json_t *o, const struct rb_codes *c)
{
	const struct rb_event_row *rows;
	size_t n;

	rows = rb_event_rows(&n);
	for (size_t i = 0; i < n; i++)
		if (rows[i].event == c->event) {
			put_text(o, "event", rows[i].name);
			put_text(o, "object", rows[i].object);
		}
	put_number(o, "event_number", (uint64_t)c->event);
}

static void put_firmware(json_t *o, const struct rb_codes *c)
{
	const struct rb_code_name *status =
		rb_mlx5_command_status(c->fw_status);

	put_text(o, "provider", rb_provider_row(c->provider)->name);
	put_text(o, "command", c->command);
	put_hex(o, "firmware_status", (int)c->fw_status, 1);
	put_hex(o, "firmware_syndrome", (int)c->fw_syndrome, 1);
	if (status && strcmp(c->command, "health"))
		put_errno(o, status->value);
}

static json_t *codes_json(const struct rb_finding *f)
{
	const struct rb_codes *c = &f->codes;
	json_t *o = json_object();

	switch (f->kind) {
	case RB_KIND_COMPLETION:
		put_completion(o, c);
		put_request(o, &f->request);
		break;
	case RB_KIND_EVENT:
		put_event(o, c);
		break;
	case RB_KIND_CM:
		put_cm(o, c);
		break;
	case RB_KIND_CALL:
		put_text(o, "call", c->call);
		put_text(o, "transition", c->transition);
		put_errno(o, c->err);
		break;
	case RB_KIND_FIRMWARE:
		put_firmware(o, c);
		break;
	case RB_KIND_KERNEL:
		put_hex(o, "number", (int)c->number, 1);
		break;
	default:
		break;
	}
	return o;
}

static json_t *cause_json(const struct rb_cause *cause,
			  const struct rb_verdicts *verdicts)
{
	const struct rb_verdict *v =
		cause->rule ? rb_verdict_of(verdicts, cause->rule) : NULL;
	json_t *o = json_object();

	put_text(o, "text", cause->text);
	put_text(o, "certainty", rb_sure_name(cause->sure));
	put_text(o, "rule", cause->rule);
	put_text(o, "outcome", v ? outcomes[v->outcome] : NULL);
	put_text(o, "reference", cause->ref);
	return o;
}

/* 0: a rule of this text proves it; 1: open; 2: a rule refutes it. */
static int cause_rank(const struct rb_cause *cause,
		      const struct rb_verdicts *verdicts)
{
	const struct rb_verdict *v =
		cause->rule ? rb_verdict_of(verdicts, cause->rule) : NULL;

	return !v			      ? 1 :
	       v->outcome == RB_OUTCOME_FAIL ? 0 :
	       v->outcome == RB_OUTCOME_PASS ? 2 :
					       1;
}

static json_t *causes_json(const struct rb_words *w,
			   const struct rb_verdicts *verdicts)
{
	json_t *list = json_array();

	for (int rank = 0; rank < 3; rank++)
		for (unsigned int i = 0; i < w->ncauses; i++)
			if (cause_rank(w->causes[i], verdicts) == rank)
				json_array_append_new(
					list,
					cause_json(w->causes[i], verdicts));
	return list;
}

static void put_place(json_t *o, const struct rb_explain *x,
		      const struct rb_finding *f)
{
	put_text(o, "file", f->line && f->file < x->nfiles ?
				    x->files[f->file] :
				    NULL);
	if (f->line) {
		put_number(o, "line", f->line);
		put_number(o, "last_line", f->last_line);
	}
	put_number(o, "count", f->count);
	if (f->others)
		put_number(o, "further_objects", f->others);
	put_text(o, "text", f->text);
	put_text(o, "time", f->time);
	put_text(o, "host", f->host);
	put_text(o, "peer", f->peer);
	put_text(o, "device", f->device);
}

static json_t *finding_json(const struct rb_explain *x,
			    const struct rb_finding *f,
			    const struct rb_verdicts *verdicts)
{
	json_t *o = json_object();
	struct rb_words w;

	rb_words_find(f, &w);
	put_text(o, "kind", kinds[f->kind]);
	put_text(o, "role", roles[f->role]);
	put_text(o, "dialect", f->dialect);
	put_place(o, x, f);
	json_object_set_new(o, "codes", codes_json(f));
	put_text(o, "name", w.title);
	put_text(o, "side", w.side);
	put_text(o, "meaning", w.meaning);
	put_text(o, "detail_name", w.vendor_name);
	put_text(o, "detail", w.vendor);
	put_text(o, "certainty", rb_sure_name(w.sure));
	put_text(o, "reference", w.ref);
	json_object_set_new(o, "causes", causes_json(&w, verdicts));
	put_text(o, "check", w.check);
	put_text(o, "next", w.next);
	put_text(o, "other_side", w.pair);
	json_object_set_new(o, "notes", rb_words_notes(x, f));
	return o;
}

static json_t *rules_json(const struct rb_verdicts *verdicts)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < verdicts->n; i++) {
		const struct rb_verdict *v = &verdicts->v[i];
		json_t *o = json_object();

		put_text(o, "id", v->rule);
		put_text(o, "outcome", outcomes[v->outcome]);
		put_text(o, "text", v->text);
		put_text(o, "fix", v->fix);
		if (v->gid_index >= 0)
			put_number(o, "gid_index", (uint64_t)v->gid_index);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *input_json(const struct rb_explain_stats *s)
{
	json_t *o = json_object();

	put_number(o, "bytes", s->bytes);
	put_number(o, "lines", s->lines);
	put_number(o, "long_lines", s->long_lines);
	put_number(o, "binary_lines", s->binary_lines);
	put_number(o, "broken_dumps", s->broken_dumps);
	put_number(o, "dropped", s->dropped);
	return o;
}

json_t *rb_explain_json(const struct rb_explain *x)
{
	json_t *o = json_object(), *findings = json_array();
	struct rb_verdicts verdicts;

	rb_verdicts_make(x, &verdicts);
	for (size_t i = 0; i < x->n; i++)
		json_array_append_new(findings,
				      finding_json(x, &x->findings[i],
						   &verdicts));
	json_object_set_new(o, "input", input_json(&x->stats));
	json_object_set_new(o, "findings", findings);
	json_object_set_new(o, "rules", rules_json(&verdicts));
	return o;
}
