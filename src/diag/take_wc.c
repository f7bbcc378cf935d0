/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * take_wc - lines about a completion: status and vendor_err, whoever wrote them
 *
 * Programs agree on little, but a status and a vendor's code stand behind a few
 * words in nearly all of them. So the words are rows, and so are the programs
 * that are known, for the base in which they print.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/taker.h"
#include "diag/wc.h"

/* Who wrote the line, and in which base does it print vendor_err? */
static const struct {
	const char *words;
	const char *dialect;
	enum rb_number_base base;
} dialects[] = {
	{ "NET/IB", "nccl", RB_BASE_DECIMAL },
	{ "NCCL", "nccl", RB_BASE_DECIMAL },
	{ "ib_plugin.c", "nccl", RB_BASE_DECIMAL },
	{ "Got completion from peer", "nccl", RB_BASE_DECIMAL },
	{ "Got completion with error", "nccl", RB_BASE_DECIMAL },
	{ "handle_wc", "openmpi", RB_BASE_DECIMAL },
	{ "btl_openib", "openmpi", RB_BASE_DECIMAL },
	{ "error polling", "openmpi", RB_BASE_DECIMAL },
	{ "vendor error", "openmpi", RB_BASE_DECIMAL },
	{ "Failed status", "perftest", RB_BASE_HEX },
	{ "RDMA_CQE_", "qedr", RB_BASE_HEX },
	{ "POLL CQ with", "qedr", RB_BASE_HEX },
	{ "libfabric", "libfabric", RB_BASE_EITHER },
	{ "fi_cq_readerr", "libfabric", RB_BASE_EITHER },
	{ "prov_err", "libfabric", RB_BASE_EITHER },
	{ "UCX", "ucx", RB_BASE_HEX },
	{ "nvmf_", "spdk", RB_BASE_HEX },
	{ "nvme_", "spdk", RB_BASE_HEX },
	{ "*ERROR*", "spdk", RB_BASE_HEX },
	{ "mlx4:", "mlx4", RB_BASE_HEX },
};

/* Keys of a status, the more telling first. */
static const char *const status_keys[] = {
	"status number",  "Failed status", "with error",    "wc_status",
	"wc.status",	  "wc status",	   "prov_err",	    "prov_errno",
	"error status",	  "ibv_wc_status", "CQE error",	    "status",
	"completion error", "error code",
};

/* Keys of the vendor's code; hex: without 0x it is hexadecimal all the same. */
static const struct {
	const char *key;
	bool hex;
} vendor_keys[] = {
	{ "vendor err", false },      { "vendor_err", false },
	{ "vendor error", false },    { "vendor_error", false },
	{ "vendor-err", false },      { "vendorerr", false },
	{ "vendor syndrome", true },  { "vendor_syndrome", true },
	{ "vendor_err_synd", true },  { "vendor syndrom", true },
	{ "vendor code", false },     { "syndrom", true },
	{ "vend", true },
};

/* Words that other programs have for a status. */
static const struct {
	const char *words;
	int status;
} synonyms[] = {
	{ "Receive-not-ready retry count exceeded", 13 },
	{ "RECEIVER NOT READY RETRY EXCEEDED", 13 },
	{ "RNR retry counter exceeded", 13 },
	{ "Transport retry count exceeded", 12 },
	{ "RETRY EXCEEDED ERROR", 12 },
	{ "Remote OP ", 11 },
	{ "INVALID REQUEST ERROR", 9 },
	{ "LOCAL PROTOCOL ERROR", 4 },
	{ "WQE was flushed", 5 },
};

/* Words that say that the line is about a completion. */
static const char *const evidence[] = {
	"completion", "CQE", "CQ error", "WC error", "wc ", "wc_", "Error on CQ",
	"work request", "error polling", "requester", "responder",
};

/* "with status LOCAL LENGTH ERROR", "status=IBV_WC_X(12)", "(12): text" */
static bool read_status(struct rb_text t, int *status, bool *named)
{
	struct rb_number number;

	*named = false;
	if (rb_text_number(&t, &number)) {
		*status = (int)number.value;
		return !number.negative && number.value &&
		       number.value < RB_WC_STATUSES;
	}
	rb_text_skip(&t);
	/* NAME(12), or words (12) */
	t.n = RB_MIN(t.n, 64);
	if (!rb_text_after(t, "(", &t) || !rb_text_number(&t, &number) ||
	    !t.n || *t.p != ')')
		return false;
	*named = true;
	*status = (int)number.value;
	return !number.negative && number.value && number.value < RB_WC_STATUSES;
}

/* A name of enum ibv_wc_status, with or without its prefix; -1: none. */
static int named_status(struct rb_text line)
{
	struct rb_text t = line;
	char name[48];

	if (!rb_text_has(line, "_ERR") && !rb_text_has(line, "_WC_"))
		return -1;
	for (unsigned int i = 1; i < RB_WC_STATUSES; i++) {
		if (!rb_text_has(line, rb_wc_row(i)->name))
			continue;
		snprintf(name, sizeof(name), "_WC_%s", rb_wc_row(i)->name);
		if (rb_text_after_word(line, rb_wc_row(i)->name, &t) ||
		    rb_text_after(line, name, &t))
			return (int)i;
	}
	return -1;
}

/* The words of ibv_wc_status_str(3), or another program's; -1: none. */
static int spoken_status(struct rb_text line)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(synonyms); i++)
		if (rb_text_has(line, synonyms[i].words))
			return synonyms[i].status;
	for (unsigned int i = 1; i < RB_WC_STATUSES; i++)
		if (rb_text_has(line, rb_wc_row(i)->text))
			return (int)i;
	return -1;
}

static int keyed_status(struct rb_text line, bool *named)
{
	int status;

	for (size_t i = 0; i < RB_ARRAY_SIZE(status_keys); i++) {
		struct rb_text t = line;

		/* "with status TEXT status number 1": each of them */
		while (rb_text_after_word(t, status_keys[i], &t))
			if (read_status(t, &status, named))
				return status;
	}
	return -1;
}

/* "f9" where nothing but hexadecimal can stand. */
static bool bare_hex(struct rb_text t, struct rb_number *number)
{
	struct rb_number found = { .hex = true };
	char word[20];
	uint32_t value;
	size_t n;

	rb_text_skip(&t);
	n = rb_text_word(&t, word, sizeof(word));
	if (n < 1 || n > 8)
		return false;
	t = rb_text_of(word);
	if (!rb_text_hex(&t, (unsigned int)n, &value))
		return false;
	found.value = found.as_hex = value;
	memcpy(found.digits, word, n + 1);
	*number = found;
	return true;
}

static bool read_vendor(struct rb_text line, enum rb_number_base base,
			struct rb_codes *c)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(vendor_keys); i++) {
		bool hex = vendor_keys[i].hex || base == RB_BASE_HEX;
		struct rb_number number;
		struct rb_text t;

		if (!rb_text_after_word(line, vendor_keys[i].key, &t))
			continue;
		if (!rb_text_number(&t, &number) &&
		    !(hex && bare_hex(t, &number)))
			continue;
		if (number.negative || number.as_hex > UINT32_MAX ||
		    number.value > UINT32_MAX)
			continue;
		c->has_vendor = true;
		c->base = number.hex || hex ? RB_BASE_HEX : base;
		c->vendor_as_hex = (uint32_t)number.as_hex;
		c->vendor = c->base == RB_BASE_HEX ? c->vendor_as_hex :
						     (uint32_t)number.value;
		memcpy(c->vendor_digits, number.digits, sizeof(number.digits));
		return true;
	}
	return false;
}

static void read_queue(struct rb_text line, struct rb_codes *c)
{
	static const struct {
		const char *words;
		char queue;
	} rows[] = {
		{ "(Send)", 'S' },	 { "(Recv)", 'R' },
		{ "req_type=Send", 'S' }, { "req_type=Recv", 'R' },
		{ "type SEND", 'S' },	 { "type RECV", 'R' },
		{ "type DATA", 'S' },	 { "opcode=IBV_WC_RECV", 'R' },
		{ "requester", 'S' },	 { "responder", 'R' },
		{ "ERR CQE on RQ", 'R' },
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows) && !c->queue; i++)
		if (rb_text_has(line, rows[i].words))
			c->queue = rows[i].queue;
}

static void read_qpn(struct rb_text line, struct rb_codes *c)
{
	static const char *const keys[] = { "qp_num", "qpn", "local_qpn",
					    "qp_id", "qp#", "QP num", "QP" };
	uint64_t value;

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys) && !c->has_qpn; i++)
		if (rb_text_key(line, keys[i], &value) && value < 1u << 24) {
			c->has_qpn = true;
			c->qpn = (uint32_t)value;
		}
}

/* What a program says of both ends. */
static void read_ends(struct rb_text line, struct rb_finding *f)
{
	struct rb_text t;

	if (rb_text_after(line, "from peer ", &t) &&
	    !rb_text_begins(t, "with "))
		rb_text_word(&t, f->peer, sizeof(f->peer));
	/* Open MPI: "from HOST to: HOST" */
	if (rb_text_after(line, "] from ", &t) &&
	    rb_text_word(&t, f->host, sizeof(f->host)) &&
	    rb_text_after(t, "to: ", &t))
		rb_text_word(&t, f->peer, sizeof(f->peer));
}

static bool evident(struct rb_text line)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(evidence); i++)
		if (rb_text_has(line, evidence[i]))
			return true;
	return false;
}

/* libfabric's EFA has codes beyond those of verbs in the same place. */
static bool efa_code(struct rb_text line, struct rb_codes *c)
{
	uint64_t value;

	if (!rb_text_key(line, "prov_errno", &value) &&
	    (!rb_text_after(line, "prov_errno", &line) ||
	     !rb_text_after(line, "(", &line) || !rb_text_key(line, "", &value)))
		return false;
	if (value < 4096 || value > 4200)
		return false;
	c->provider = RB_PROVIDER_EFA;
	c->has_vendor = true;
	c->base = RB_BASE_DECIMAL;
	c->vendor = c->vendor_as_hex = (uint32_t)value;
	snprintf(c->vendor_digits, sizeof(c->vendor_digits), "%u", c->vendor);
	return true;
}

static bool read_codes(struct rb_text line, enum rb_number_base base,
		       struct rb_codes *c)
{
	bool named = false, vendor = read_vendor(line, base, c);
	int status = keyed_status(line, &named);

	c->status_named = named;
	if (status < 0) {
		status = named_status(line);
		c->status_named = status >= 0;
	}
	if (status < 0 && (vendor || evident(line)))
		status = spoken_status(line);
	if (status < 0)
		return vendor && c->vendor && evident(line);
	c->status = status;
	/* "exit status 1" is no completion */
	return vendor || c->status_named || evident(line) ||
	       spoken_status(line) == status;
}

bool rb_take_wc(struct rb_explain *x, struct rb_text line)
{
	enum rb_number_base base = RB_BASE_EITHER;
	const char *dialect = "verbs";
	struct rb_finding f;

	for (size_t i = 0; i < RB_ARRAY_SIZE(dialects); i++) {
		if (rb_text_has(line, dialects[i].words)) {
			dialect = dialects[i].dialect;
			base = dialects[i].base;
			break;
		}
	}
	rb_finding_init(&f, RB_KIND_COMPLETION, dialect);
	if (!strcmp(dialect, "libfabric") && efa_code(line, &f.codes))
		return rb_explain_found(x, &f, line) >= 0;
	if (!read_codes(line, base, &f.codes))
		return false;
	if (!strcmp(dialect, "qedr"))
		f.codes.provider = RB_PROVIDER_QEDR;
	read_queue(line, &f.codes);
	read_qpn(line, &f.codes);
	read_ends(line, &f);
	f.undefined_fields = rb_text_has(line, "opcode") ||
			     rb_text_has(line, "len ") ||
			     rb_text_has(line, "byte_len");
	rb_explain_found(x, &f, line);
	return true;
}
