/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * take_dump - hexadecimal dumps of error completions: mlx5's 64 bytes, as words
 * or as bytes, with any prefix; mthca's words with offsets; mlx4's line
 *
 * Of mlx5's error CQE all that matters is in its last 16 bytes (libmlx5, struct
 * mlx5_err_cqe; UCX names the two bytes before the vendor's):
 *
 *   word 13: hw syndrome, hw type, vendor_err_synd, syndrome
 *   word 14: opcode of the request, 24 bits QPN
 *   word 15: 16 bits counter of the request, signature, op_own
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/firmware.h"
#include "diag/taker.h"

#define REQUESTER 0xdu
#define RESPONDER 0xeu

/* The next part of the line between blanks; false at its end. */
static bool next_token(struct rb_text *t, struct rb_text *token)
{
	size_t n = 0;

	while (t->n && (*t->p == ' ' || *t->p == '\t' || *t->p == '\r'))
		*t = rb_text_from(*t, 1);
	while (n < t->n && t->p[n] != ' ' && t->p[n] != '\t' &&
	       t->p[n] != '\r')
		n++;
	*token = rb_text_first(*t, n);
	*t = rb_text_from(*t, n);
	return n > 0;
}

/* Four words of eight digits in a row; false: there are none. */
static bool read_words(struct rb_text line, uint32_t words[static 4])
{
	struct rb_text t = line, token;
	unsigned int run = 0;

	while (run < 4 && next_token(&t, &token)) {
		/* "[1,5]<stderr>:00000000" */
		if (token.n > 8 && strchr(":>]|", token.p[token.n - 9]))
			token = rb_text_from(token, token.n - 8);
		if (token.n == 8 && rb_text_hex(&token, 8, &words[run]))
			run++;
		else
			run = 0;
	}
	return run == 4;
}

/* "00000030: b0 .. b15", more bytes are cut; false: it is none. */
static bool read_bytes(struct rb_text line, uint32_t *offset,
		       uint32_t words[static 4])
{
	struct rb_text t = line;
	uint32_t byte;

	for (;;) {
		struct rb_text at;

		if (!rb_text_after(t, "000000", &t))
			return false;
		at = t;
		if (rb_text_hex(&at, 2, offset) && at.n && *at.p == ':') {
			t = rb_text_from(at, 1);
			break;
		}
	}
	for (unsigned int i = 0; i < 16; i++) {
		while (t.n && *t.p == ' ')
			t = rb_text_from(t, 1);
		if (!rb_text_hex(&t, 2, &byte))
			return false;
		words[i / 4] = words[i / 4] << 8 | byte;
	}
	return true;
}

/* Does this look like the end of an error CQE? */
static bool is_tail(const uint32_t w[static 4])
{
	uint32_t owner = w[3] >> 4 & 0xf;

	return (owner == REQUESTER || owner == RESPONDER) &&
	       rb_mlx5_syndrome(w[1] & 0xff) && (w[1] & 0xff00 || w[1] >> 16);
}

static void decode(const uint32_t w[static 4], struct rb_codes *c)
{
	const struct rb_code_name *synd = rb_mlx5_syndrome(w[1] & 0xff);

	c->provider = RB_PROVIDER_MLX5;
	c->syndrome = (int)(w[1] & 0xff);
	c->status = synd ? synd->value : 21;
	c->has_vendor = true;
	c->base = RB_BASE_HEX;
	c->vendor = c->vendor_as_hex = w[1] >> 8 & 0xff;
	snprintf(c->vendor_digits, sizeof(c->vendor_digits), "%02x", c->vendor);
	c->hw_type = (int)(w[1] >> 16 & 0xff);
	c->hw_syndrome = (int)(w[1] >> 24);
	c->op_own = (int)(w[3] & 0xff);
	c->queue = (w[3] >> 4 & 0xf) == RESPONDER ? 'R' : 'S';
	c->wqe_counter = (int)(w[3] >> 16);
	if (c->queue == 'S') {
		c->opcode = (int)(w[2] >> 24);
		c->has_qpn = true;
		c->qpn = w[2] & 0xffffff;
	}
}

/* The dump's own line, or the kernel's line that announced it. */
static void finish(struct rb_explain *x, const uint32_t w[static 4],
		   struct rb_text line)
{
	struct rb_dump *d = &x->dump;
	struct rb_finding f;

	rb_finding_init(&f, RB_KIND_COMPLETION, "cqe dump");
	if (d->finding >= 0) {
		struct rb_codes *known = &x->findings[d->finding].codes;
		uint32_t qpn = known->qpn;
		bool has_qpn = known->has_qpn;

		/* a dump that does not belong to the line is one of its own */
		if (known->has_vendor && known->vendor == (w[1] >> 8 & 0xff)) {
			decode(w, known);
			if (has_qpn && !known->qpn)
				known->qpn = qpn;
			known->has_qpn |= has_qpn;
			d->open = false;
			return;
		}
	}
	decode(w, &f.codes);
	memcpy(f.host, d->host, sizeof(d->host));
	rb_explain_found(x, &f, line);
	d->open = false;
}

/* @end: these may be the last 16 bytes. */
static bool take_words(struct rb_explain *x, const uint32_t w[static 4],
		       bool end, struct rb_text line)
{
	struct rb_dump *d = &x->dump;

	if (!d->open)
		*d = (struct rb_dump){ .open = true, .finding = -1 };
	d->patience = 2;
	d->lines++;
	if (end && !d->request && is_tail(w))
		finish(x, w, line);
	if (d->open)
		x->want |= RB_TOPIC_DUMP;
	return true;
}

/* Who says that a dump follows. */
static bool take_head(struct rb_explain *x, struct rb_text line)
{
	struct rb_dump *d = &x->dump;
	bool request = rb_text_has(line, "WQE DUMP");
	struct rb_text t;

	if (!request && !rb_text_has(line, "got completion with error:") &&
	    !rb_text_has(line, "dump error cqe") &&
	    !rb_text_has(line, "Error CQE: at"))
		return false;
	*d = (struct rb_dump){ .open = true,
			       .patience = 2,
			       .finding = -1,
			       .request = request };
	if (rb_text_after(line, "mlx5: ", &t))
		rb_text_word(&t, d->host, sizeof(d->host));
	if (*d->host && d->host[strlen(d->host) - 1] == ':')
		d->host[strlen(d->host) - 1] = '\0';
	x->want |= RB_TOPIC_DUMP;
	return true;
}

/* "local QP operation err (QPN 350406, WQE @ 00000883, CQN 9b0083, index 153)" */
static bool take_mthca_head(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;
	struct rb_text t;
	char word[16];
	uint32_t qpn;
	size_t n;

	if (!rb_text_after(line, "operation err (QPN ", &t))
		return false;
	rb_finding_init(&f, RB_KIND_COMPLETION, "mthca");
	n = rb_text_word(&t, word, sizeof(word));
	t = rb_text_of(word);
	if (n < 9 && rb_text_hex(&t, (unsigned int)n, &qpn)) {
		f.codes.has_qpn = true;
		f.codes.qpn = qpn;
	}
	f.codes.status = 2;
	f.codes.syndrome = 2;
	f.codes.base = RB_BASE_HEX;
	f.codes.queue = 'S';
	f.codes.provider = RB_PROVIDER_MTHCA;
	/* mlx4 has all in one line, hexadecimal without 0x */
	if (rb_text_after(line, "vendor syndrome ", &t)) {
		n = rb_text_word(&t, word, sizeof(word));
		t = rb_text_of(word);
		f.codes.provider = RB_PROVIDER_MLX4;
		f.dialect = "mlx4";
		f.codes.has_vendor = n < 9 && rb_text_hex(&t, (unsigned int)n,
							  &f.codes.vendor);
		f.codes.vendor_as_hex = f.codes.vendor;
		snprintf(f.codes.vendor_digits, sizeof(f.codes.vendor_digits),
			 "%s", word);
		rb_explain_found(x, &f, line);
		return true;
	}
	x->dump = (struct rb_dump){
		.open = true,
		.mthca = true,
		.patience = 2,
		.finding = rb_explain_found(x, &f, line),
	};
	x->want |= RB_TOPIC_DUMP;
	return true;
}

/* "  [10] 02702711": syndrome, vendor, 16 bits of a counter */
static bool take_mthca_word(struct rb_explain *x, struct rb_text line)
{
	struct rb_dump *d = &x->dump;
	struct rb_text t;
	uint32_t word;

	if (!rb_text_after(line, "[", &t) || !rb_text_after(t, "] ", NULL))
		return false;
	d->patience = 2;
	x->want |= RB_TOPIC_DUMP;
	if (!rb_text_after(line, "[10] ", &t) || !rb_text_hex(&t, 8, &word))
		return true;
	d->open = false;
	if (d->finding >= 0) {
		struct rb_codes *c = &x->findings[d->finding].codes;

		c->syndrome = (int)(word >> 24);
		c->has_vendor = true;
		c->vendor = c->vendor_as_hex = word >> 16 & 0xff;
		snprintf(c->vendor_digits, sizeof(c->vendor_digits), "%02x",
			 c->vendor);
		c->db_count = (int)(word & 0xffff);
	}
	return true;
}

bool rb_take_dump(struct rb_explain *x, struct rb_text line)
{
	struct rb_dump *d = &x->dump;
	uint32_t words[4] = { 0 }, offset;

	if (take_mthca_head(x, line) || take_head(x, line))
		return true;
	if (d->open && d->mthca) {
		if (take_mthca_word(x, line))
			return true;
	} else if (read_bytes(line, &offset, words)) {
		return take_words(x, words, offset == 0x30, line);
	} else if (read_words(line, words)) {
		return take_words(x, words, true, line);
	}
	if (d->open && d->patience) {
		d->patience--;
		x->want |= RB_TOPIC_DUMP;
	} else if (d->open) {
		x->stats.broken_dumps += !d->request && !d->mthca;
		d->open = false;
	}
	return false;
}
