/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * finding - an error that a log tells of: where and when, and whether it is new
 */
#include "diag/finding.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "diag/taker.h"

void rb_finding_init(struct rb_finding *f, enum rb_kind kind,
		     const char *dialect)
{
	memset(f, 0, sizeof(*f));
	f->kind = kind;
	f->dialect = dialect;
	f->count = 1;
	f->request.index = f->request.sgid_index = -1;
	f->request.traffic_class = -1;
	f->codes.status = f->codes.syndrome = f->codes.hw_type = -1;
	f->codes.hw_syndrome = f->codes.opcode = f->codes.op_own = -1;
	f->codes.wqe_counter = f->codes.db_count = -1;
	f->codes.event = f->codes.cm_event = -1;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xff51afd7ed558ccdu;
	return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = mix(hash, (unsigned char)*text++);
	return hash;
}

/* What kind of error it is, whatever its object. */
static uint64_t code_hash(const struct rb_finding *f)
{
	const struct rb_codes *c = &f->codes;
	const uint64_t values[] = {
		f->kind,	  (uint64_t)c->status,
		c->vendor,	  (uint64_t)c->syndrome,
		(uint64_t)c->event, (uint64_t)c->cm_event,
		(uint64_t)c->cm_status, (uint64_t)c->err,
		(uint64_t)c->fw_status, (uint64_t)c->fw_syndrome,
		(uintptr_t)c->kernel, (uintptr_t)c->message,
	};
	uint64_t h = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(values); i++)
		h = mix(h, values[i]);
	return mix_text(mix_text(h, c->call), c->command);
}

static bool same_object(const struct rb_finding *a, const struct rb_finding *b)
{
	/* whose requests are flushed matters little */
	if (a->codes.status == 5 && a->kind == RB_KIND_COMPLETION)
		return a->file == b->file && !strcmp(a->host, b->host);
	return a->codes.has_qpn == b->codes.has_qpn &&
	       a->codes.qpn == b->codes.qpn &&
	       a->codes.number == b->codes.number && a->file == b->file &&
	       !strcmp(a->host, b->host) && !strcmp(a->peer, b->peer) &&
	       !strcmp(a->device, b->device) &&
	       !strcmp(a->dialect, b->dialect);
}

/* Years, months, days and so on, as far as they are numbers, to microseconds. */
static uint64_t read_clock(struct rb_text t, size_t *used)
{
	static const unsigned int most[6] = { 9999, 12, 31, 23, 59, 60 };
	uint64_t parts[6] = { 0 }, at;
	struct rb_text begin = t;
	struct rb_number number;

	for (int i = 0; i < 6; i++) {
		if (!t.n || !isdigit((unsigned char)*t.p) ||
		    !rb_text_number(&t, &number) || number.hex ||
		    number.value > most[i] || (!i && number.value < 1970))
			return 0;
		parts[i] = number.value;
		if (i < 5 && t.n && strchr("-/T :", *t.p))
			t = rb_text_from(t, 1);
	}
	at = ((((parts[0] * 12 + parts[1]) * 31 + parts[2]) * 24 + parts[3]) *
		      60 + parts[4]) * 60 + parts[5];
	at *= 1000000;
	if (t.n && (*t.p == '.' || *t.p == ',')) {
		uint64_t scale = 100000;

		for (t = rb_text_from(t, 1);
		     t.n && isdigit((unsigned char)*t.p);
		     t = rb_text_from(t, 1)) {
			at += (uint64_t)(*t.p - '0') * scale;
			scale /= 10;
		}
	}
	*used = (size_t)(t.p - begin.p);
	return at;
}

/* "[12345.678]", "[2022-03-25 14:40:20.12]", "2022-03-25T14:40:20" */
static struct rb_text read_time(struct rb_text line, struct rb_finding *f)
{
	struct rb_text t = line;
	size_t n = 0;

	if (t.n && *t.p == '[')
		t = rb_text_from(t, 1);
	f->at_us = read_clock(t, &n);
	if (!f->at_us && t.p != line.p) {
		while (n < t.n && n < 24 &&
		       (isdigit((unsigned char)t.p[n]) || t.p[n] == '.' ||
			t.p[n] == ' '))
			n++;
		if (n < 5 || n == t.n || t.p[n] != ']' ||
		    !memchr(t.p, '.', n))
			return line;
	}
	if (!n)
		return line;
	rb_text_copy(rb_text_first(t, n), f->time, sizeof(f->time));
	t = rb_text_from(t, n);
	while (t.n && (*t.p == ']' || *t.p == ' '))
		t = rb_text_from(t, 1);
	return t;
}

/* "HOST:PID:TID", as NCCL and UCX begin their lines. */
static void read_host(struct rb_text t, struct rb_finding *f)
{
	size_t n = 0, colons = 0, at = 0;

	if (*f->host)
		return;
	if (t.n && *t.p == '[')
		t = rb_text_from(t, 1);
	for (; n < t.n && n < 80 && !isspace((unsigned char)t.p[n]) &&
	       t.p[n] != ']'; n++) {
		if (t.p[n] == ':') {
			at = colons++ ? at : n;
		} else if (colons && !isdigit((unsigned char)t.p[n])) {
			return;
		}
	}
	if (colons >= 2 && at && isalpha((unsigned char)t.p[0]))
		rb_text_copy(rb_text_first(t, at), f->host, sizeof(f->host));
}

static void describe(const struct rb_explain *x, struct rb_finding *f,
		     struct rb_text line)
{
	f->file = x->nfiles ? x->nfiles - 1 : 0;
	f->line = f->last_line = x->line;
	read_host(read_time(line, f), f);
	if (!*f->device)
		rb_text_device(line, f->device, sizeof(f->device));
	if (!f->codes.provider && *f->device)
		f->codes.provider = rb_provider_by_name(f->device);
	f->hash = code_hash(f);
}

static int again(struct rb_finding *known, const struct rb_finding *f)
{
	known->count++;
	known->last_line = f->line;
	return 0;
}

static int put(struct rb_explain *x, struct rb_finding *f,
	       struct rb_text line)
{
	unsigned int alike = 0;
	int nearest = -1;

	for (size_t i = 0; i < x->n; i++) {
		if (x->findings[i].hash != f->hash)
			continue;
		if (same_object(&x->findings[i], f)) {
			again(&x->findings[i], f);
			return (int)i;
		}
		alike++;
		nearest = (int)i;
	}
	if (alike >= RB_FINDINGS_ALIKE ||
	    (x->n == RB_FINDINGS_MAX && nearest >= 0)) {
		x->findings[nearest].others++;
		again(&x->findings[nearest], f);
		return nearest;
	}
	if (x->n == RB_FINDINGS_MAX) {
		x->stats.dropped++;
		return -1;
	}
	x->findings[x->n] = *f;
	rb_text_copy(line, x->findings[x->n].text, sizeof(f->text));
	return (int)x->n++;
}

int rb_explain_found(struct rb_explain *x, struct rb_finding *f,
		     struct rb_text line)
{
	describe(x, f, line);
	x->found_last = put(x, f, line);
	x->found++;
	return x->found_last;
}

void rb_explain_add(struct rb_explain *x, const struct rb_finding *f)
{
	if (x->n == RB_FINDINGS_MAX)
		return;
	x->findings[x->n] = *f;
	x->findings[x->n].hash = code_hash(f);
	x->n++;
}

bool rb_text_device(struct rb_text line, char *out, size_t room)
{
	static const char *const prefixes[] = {
		"mlx5_", "mlx4_", "mthca", "bnxt_re", "irdma", "i40iw", "rxe",
		"siw", "efa_", "hns_", "erdma_", "mana_", "cxgb4_", "ionic_",
		"qedr", "ocrdma", "rocep", "ibp", "rdmap", "hfi1_", "qib",
		"roceo", "ibs", "roces",
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(prefixes); i++) {
		size_t length, n = 0;
		struct rb_text t = line;

		if (rb_text_lacks(line, prefixes[i]))
			continue;
		length = strlen(prefixes[i]);
		while (rb_text_after_word(t, prefixes[i], &t)) {
			n = 0;
			while (n < t.n && (isalnum((unsigned char)t.p[n]) ||
					   t.p[n] == '_'))
				n++;
			if (n && n + length < room &&
			    (isdigit((unsigned char)*t.p) ||
			     rb_text_begins(t, "bond"))) {
				t.p -= length;
				rb_text_copy(rb_text_first(t, n + length), out,
					     room);
				return true;
			}
		}
	}
	return false;
}
