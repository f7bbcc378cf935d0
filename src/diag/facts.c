/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * facts - what a text tells beside errors: limits, counters, PCIe, perftest
 */
#include "diag/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define FIELD(f) offsetof(struct rb_facts, f)

void rb_facts_init(struct rb_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->gid_index = facts->qp_timeout = facts->retry_cnt = -1;
	facts->rnr_retry = facts->min_rnr_timer = -1;
	facts->arp_ignore = facts->rp_filter = -1;
}

/* A small number behind a key. */
static const struct {
	const char *key;
	size_t offset; /* of an int */
} numbers[] = {
	{ "gid_index", FIELD(gid_index) },
	{ "gid index", FIELD(gid_index) },
	{ "NCCL_IB_GID_INDEX", FIELD(gid_index) },
	{ "NCCL_IB_GID_INDEX set by environment to", FIELD(gid_index) },
	{ "UCX_IB_GID_INDEX", FIELD(gid_index) },
	{ "timeout", FIELD(qp_timeout) },
	{ "retry_cnt", FIELD(retry_cnt) },
	{ "NCCL_IB_RETRY_CNT", FIELD(retry_cnt) },
	{ "NCCL_IB_TIMEOUT", FIELD(qp_timeout) },
	{ "rnr_retry", FIELD(rnr_retry) },
	{ "min_rnr_timer", FIELD(min_rnr_timer) },
	{ "arp_ignore", FIELD(arp_ignore) },
	{ "rp_filter", FIELD(rp_filter) },
};

static const struct {
	const char *key;
	size_t offset; /* of an uint64_t */
	uint64_t scale;
} large[] = {
	{ "message_bytes", FIELD(message_bytes), 1 },
	{ "max_msg_sz", FIELD(max_msg_sz), 1 },
	{ "elapsed_s", FIELD(elapsed_us), 1000000 },
	{ "elapsed_us", FIELD(elapsed_us), 1 },
};

/* "timeout" stands in many texts: of a queue pair it has company. */
static bool is_qp_line(struct rb_text line)
{
	return rb_text_has(line, "retry_cnt") || rb_text_has(line, "rnr") ||
	       rb_text_has(line, "NCCL_IB_");
}

static bool take_numbers(struct rb_facts *facts, struct rb_text line)
{
	bool took = false;
	uint64_t v;

	for (size_t i = 0; i < RB_ARRAY_SIZE(numbers); i++) {
		if (!strcmp(numbers[i].key, "timeout") && !is_qp_line(line))
			continue;
		if (!rb_text_key(line, numbers[i].key, &v) || v > 4095)
			continue;
		*(int *)((char *)facts + numbers[i].offset) = (int)v;
		took = true;
	}
	for (size_t i = 0; i < RB_ARRAY_SIZE(large); i++) {
		if (!rb_text_key(line, large[i].key, &v))
			continue;
		*(uint64_t *)((char *)facts + large[i].offset) =
			v * large[i].scale;
		took = true;
	}
	if (rb_text_key(line, "path_mtu", &v) && facts->path_mtus < 2)
		facts->path_mtu[facts->path_mtus++] = (int)(v & 0xffff);
	facts->is_delta |= facts->elapsed_us != 0;
	return took;
}

/* "name: value", "name value", "name=value", and nothing else on the line. */
static void take_counter(struct rb_facts *facts, unsigned int file,
			 struct rb_text line)
{
	struct rb_fact_counter *c = &facts->counters[facts->ncounters];
	struct rb_number number;
	struct rb_text t = line;
	size_t n = 0;

	while (t.n && isspace((unsigned char)*t.p))
		t = rb_text_from(t, 1);
	while (n < t.n && (isalnum((unsigned char)t.p[n]) || t.p[n] == '_'))
		n++;
	if (!n || n >= sizeof(c->name) || !memchr(t.p, '_', n) ||
	    facts->ncounters == RB_FACT_COUNTERS)
		return;
	rb_text_copy(rb_text_first(t, n), c->name, sizeof(c->name));
	t = rb_text_from(t, n);
	if (!rb_text_number(&t, &number))
		return;
	while (t.n && isspace((unsigned char)*t.p))
		t = rb_text_from(t, 1);
	if (t.n)
		return;
	c->value = number.value;
	c->file = file;
	facts->ncounters++;
}

bool rb_facts_counter(const struct rb_facts *facts, const char *name,
		      uint64_t *value)
{
	for (unsigned int i = 0; i < facts->ncounters; i++)
		if (!strcmp(facts->counters[i].name, name)) {
			*value = facts->counters[i].value;
			return true;
		}
	return false;
}

static void take_pci(struct rb_facts *facts, struct rb_text line)
{
	static const char *const redirects[] = { "SrcValid+", "ReqRedir+",
						 "CmpltRedir+",
						 "UpstreamFwd+" };
	bool on = false;

	if (rb_text_has(line, "ACSCtl:")) {
		facts->acs_lines++;
		for (size_t i = 0; i < RB_ARRAY_SIZE(redirects); i++)
			on |= rb_text_has(line, redirects[i]);
		facts->acs_on += on;
	}
	if (rb_text_has(line, "LnkSta:") && rb_text_has(line, "downgraded")) {
		struct rb_text t;

		rb_text_after(line, "LnkSta:", &t);
		rb_text_skip(&t);
		rb_text_copy(t, facts->pci_link, sizeof(facts->pci_link));
		facts->link_downgraded = true;
	}
}

static void take_iommu(struct rb_facts *facts, struct rb_text line)
{
	struct rb_text t;

	if (rb_text_has(line, "iommu_group") &&
	    rb_text_after(line, "type", &t)) {
		rb_text_skip(&t);
		rb_text_word(&t, facts->iommu_type, sizeof(facts->iommu_type));
	}
	if (!rb_text_has(line, "cmdline") && !rb_text_has(line, "BOOT_IMAGE") &&
	    !rb_text_has(line, "Command line:"))
		return;
	facts->cmdline = true;
	facts->iommu_pt = rb_text_has(line, "iommu=pt");
	facts->iommu_off = rb_text_has(line, "iommu=off");
	facts->iommu_on = rb_text_has(line, "iommu=on");
}

static void take_memlock(struct rb_facts *facts, struct rb_text line)
{
	struct rb_number number;
	struct rb_text t;

	if (rb_text_after(line, "(current: ", &t) && rb_text_has(t, "kbytes")) {
		if (rb_text_number(&t, &number)) {
			facts->has_memlock = true;
			facts->memlock_kb = number.value;
		}
		return;
	}
	if (!rb_text_after(line, "max locked memory", &t))
		return;
	if (rb_text_after(t, "-l)", &t) && rb_text_number(&t, &number)) {
		facts->has_memlock = true;
		facts->memlock_kb = number.value;
	} else if (rb_text_has(line, "unlimited")) {
		facts->has_memlock = facts->memlock_unlimited = true;
	} else if (rb_text_number(&t, &number)) { /* of /proc: bytes */
		facts->has_memlock = true;
		facts->memlock_kb = number.value / 1024;
	}
}

/* Words of the line that begin with @prefix and a digit. */
static unsigned int count_words(struct rb_text line, const char *prefix)
{
	struct rb_text t = line;
	unsigned int n = 0;

	while (rb_text_after_word(t, prefix, &t))
		n += t.n && isdigit((unsigned char)*t.p);
	return n;
}

static void take_nodes(struct rb_facts *facts, struct rb_text line)
{
	char device[32], node[24];
	struct rb_text t;
	size_t used;

	if (rb_text_after(line, "/sys/class/infiniband:", &t)) {
		while (rb_text_word(&t, device, sizeof(device)))
			facts->class_devices++;
	}
	if (rb_text_after(line, "/dev/infiniband", &t) &&
	    count_words(t, "uverbs")) {
		facts->nodes = count_words(t, "uverbs");
		rb_text_copy(t, facts->node_names, sizeof(facts->node_names));
	}
	if (rb_text_has(line, "no userspace device-specific driver") &&
	    rb_text_after(line, "infiniband_verbs/", &t)) {
		rb_text_word(&t, node, sizeof(node));
		used = strlen(facts->no_driver);
		snprintf(facts->no_driver + used,
			 sizeof(facts->no_driver) - used, "%s%s",
			 used ? ", " : "", node);
		facts->no_drivers++;
	}
}

/* "pkeys/0: 0x7fff", "PKEY[ 0]: 0xffff" */
static void take_pkey(struct rb_facts *facts, struct rb_text line)
{
	struct rb_number index, key;
	struct rb_text t;

	if (facts->pkeys == RB_ARRAY_SIZE(facts->pkey) ||
	    (!rb_text_after(line, "pkeys/", &t) &&
	     !rb_text_after(line, "pkey[", &t)))
		return;
	if (!rb_text_number(&t, &index))
		return;
	while (t.n && (*t.p == ']' || *t.p == ' '))
		t = rb_text_from(t, 1);
	if (!rb_text_number(&t, &key) || !key.hex)
		return;
	facts->pkey_index[facts->pkeys] = (int)index.value;
	facts->pkey[facts->pkeys++] = (uint32_t)(key.as_hex & 0xffff);
}

/* An IPv4 address or the word "client": who dials. */
static bool is_client(struct rb_text line)
{
	unsigned int dots = 0;

	if (rb_text_has(line, "client"))
		return true;
	if (rb_text_has(line, "server"))
		return false;
	for (size_t i = line.n; i-- > 0 && (isdigit((unsigned char)line.p[i]) ||
					    line.p[i] == '.');)
		dots += line.p[i] == '.';
	return dots == 3;
}

/* "client: ib_write_bw -d mlx5_0 -a 192.0.2.1" */
static void take_perftest(struct rb_facts *facts, struct rb_text line)
{
	static const char *const tools[] = {
		"ib_write_bw", "ib_write_lat", "ib_read_bw",   "ib_read_lat",
		"ib_send_bw",  "ib_send_lat",  "ib_atomic_bw", "ib_atomic_lat",
	};
	bool client = is_client(line);
	char *tool = client ? facts->client_tool : facts->server_tool;
	struct rb_text t;
	uint64_t size;

	for (size_t i = 0; i < RB_ARRAY_SIZE(tools); i++) {
		if (!rb_text_after_word(line, tools[i], &t) ||
		    (t.n && *t.p != ' ' && *t.p != '\t'))
			continue;
		memcpy(tool, tools[i], strlen(tools[i]) + 1);
		if (rb_text_has(t, " -a ") || rb_text_has(t, " --all") ||
		    (t.n > 2 && !memcmp(t.p + t.n - 3, " -a", 3)))
			*(client ? &facts->client_all : &facts->server_all) =
				true;
		if (rb_text_key(t, "-s", &size))
			*(client ? &facts->client_size : &facts->server_size) =
				size;
	}
}

/* Rows of perftest's table; whether the next line may be one. */
static bool take_rows(struct rb_facts *facts, struct rb_text line)
{
	struct rb_number size, iterations;
	struct rb_text t = line;

	if (rb_text_has(line, "#bytes")) {
		facts->in_rows = true;
		return true;
	}
	if (!facts->in_rows)
		return false;
	facts->in_rows = rb_text_number(&t, &size) && !size.hex &&
			 rb_text_number(&t, &iterations) && t.n;
	if (facts->in_rows)
		facts->last_size = size.value;
	return facts->in_rows;
}

bool rb_facts_line(struct rb_facts *facts, unsigned int file,
		   struct rb_text line)
{
	bool more = take_rows(facts, line);

	if (facts->in_rows)
		return more;
	if (!take_numbers(facts, line))
		take_counter(facts, file, line);
	take_pci(facts, line);
	take_iommu(facts, line);
	take_memlock(facts, line);
	take_nodes(facts, line);
	take_pkey(facts, line);
	take_perftest(facts, line);
	return more;
}
