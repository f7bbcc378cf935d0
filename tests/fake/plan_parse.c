/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* plan_parse - read the text of RB_FAKE into a plan, or abort saying why. */

#include "plan_names.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One item of the plan: KEY, KEY#N or KEY@TIME, then perhaps =VALUE. */
struct item {
	const char *text;
	char *key;
	char *number;
	char *at;
	char *value;
};

enum { MAX_DEVICES = 8 };

_Noreturn static void refuse(const struct item *item, const char *why)
{
	fprintf(stderr, "libfakeverbs: RB_FAKE item '%s': %s\n", item->text,
		why);
	abort();
}

static int need(const struct item *item, const struct plan_name *table,
		const char *name)
{
	int value = plan_lookup(table, name);

	if (value < 0)
		refuse(item, "value not known");
	return value;
}

static uint64_t scaled(const struct item *item, const char *text,
		       const struct plan_name *units)
{
	char *end;
	double v;

	if (!text || !*text)
		refuse(item, "a number is missing");
	v = strtod(text, &end);
	if (end == text || v < 0)
		refuse(item, "not a number");
	if (!*end)
		return (uint64_t)v;
	return (uint64_t)(v * need(item, units, end));
}

static uint64_t duration(const struct item *item, const char *text)
{
	static const struct plan_name units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { NULL, 0 }
	};

	return scaled(item, text, units);
}

static uint64_t number(const struct item *item, const char *text)
{
	static const struct plan_name units[] = {
		{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 }
	};

	if (text && !strncmp(text, "0x", 2))
		return strtoull(text, NULL, 16);
	return scaled(item, text, units);
}

static int errno_value(const struct item *item)
{
	int err = plan_lookup(plan_errno_names, item->value);

	if (err < 0)
		refuse(item, "not the name of an errno");
	return err;
}

static void need_value(const struct item *item)
{
	if (!item->value)
		refuse(item, "a value is missing");
}

static void room(const struct item *item, int used)
{
	if (used == PLAN_LIST)
		refuse(item, "too many of these");
}

static bool parse_call(struct plan *p, struct item *item)
{
	int call = plan_lookup(plan_call_names, item->key);
	struct plan_fail *f = &p->fail[p->nfail];

	if (call < 0)
		return false;
	room(item, p->nfail++);
	f->call = call;
	f->n = item->number ? number(item, item->number) : 0;
	f->err = errno_value(item);
	return true;
}

static void parse_wc(struct plan *p, struct item *item)
{
	char *vendor = item->value ? strchr(item->value, ':') : NULL;
	struct plan_wc *wc = &p->wc[p->nwc];

	room(item, p->nwc++);
	if (vendor)
		*vendor++ = '\0';
	wc->n = number(item, item->number);
	wc->status = need(item, plan_status_names, item->value);
	wc->vendor = vendor ? (uint32_t)number(item, vendor) : 0;
}

static void parse_event(struct plan *p, struct item *item)
{
	struct plan_event *e = &p->event[p->nevent];

	if (p->nevent == 32)		/* bits of fake_ctx.fired */
		refuse(item, "too many of these");
	p->nevent++;
	e->at_ns = duration(item, item->at);
	e->type = need(item, plan_event_names, item->value);
}

#define LIST(key) { #key, offsetof(struct plan, key), offsetof(struct plan, n##key) }

/* Lists of messages, by their numbers. */
static const struct {
	const char *key;
	size_t list, n;
} lists[] = {
	LIST(imm), LIST(corrupt), LIST(drop), LIST(lose), LIST(misplace), LIST(swap),
};

static bool parse_list(struct plan *p, struct item *item)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		uint64_t *list = (void *)((char *)p + lists[i].list);
		int *n = (void *)((char *)p + lists[i].n);

		if (strcmp(item->key, lists[i].key))
			continue;
		room(item, *n);
		list[(*n)++] = number(item, item->number);
		return true;
	}
	return false;
}

static void parse_service(struct plan *p, struct item *item)
{
	struct plan_timing *t = &p->timing;
	char *save, *part;

	p->timed = true;
	if (!item->value || strncmp(item->value, "bimodal:", 8)) {
		t->service_ns = duration(item, item->value);
		return;
	}
	part = strtok_r(item->value + 8, ",", &save);
	t->service_ns = duration(item, part);
	part = strtok_r(NULL, ",", &save);
	t->slow_ns = duration(item, part);
	part = strtok_r(NULL, ",", &save);
	t->slow_share = part ? strtod(part, NULL) : -1;
	if (t->slow_share <= 0 || t->slow_share >= 1)
		refuse(item, "the share has to be between 0 and 1");
}

static void parse_stall(struct plan *p, struct item *item)
{
	char *slash = item->value ? strchr(item->value, '/') : NULL;

	if (!slash)
		refuse(item, "wants STALL/PERIOD");
	*slash = '\0';
	p->timed = true;
	p->timing.stall_ns = duration(item, item->value);
	p->timing.period_ns = duration(item, slash + 1);
	if (p->timing.stall_ns >= p->timing.period_ns)
		refuse(item, "the stall has to be shorter than its period");
}

static void parse_rate(struct plan *p, struct item *item)
{
	struct plan_timing *t = &p->timing;
	char *save, *part;

	need_value(item);
	p->timed = true;
	for (part = strtok_r(item->value, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		struct plan_rate *r = &t->rate[t->nrate];
		char *at = strchr(part, '@');

		room(item, t->nrate++);
		if (at)
			*at++ = '\0';
		r->from_ns = at ? duration(item, at) : 0;
		r->gbps = strtod(part, NULL);
		if (r->gbps <= 0)
			refuse(item, "a rate is in Gb/s, above 0");
	}
}

static void parse_speed(struct plan *p, struct item *item)
{
	int code = need(item, plan_speed_names, item->value);

	p->dev.speed = code & 0xff;
	p->dev.width = code >> 8;
}

static void parse_cm(struct plan *p, struct item *item)
{
	char *code = item->value ? strchr(item->value, ':') : NULL;

	if (code)
		*code++ = '\0';
	p->cm_event = need(item, plan_cm_names, item->value);
	p->cm_status = code ? (int)number(item, code) : 0;
}

static void parse_instant(struct plan *p, struct item *item)
{
	p->instant = true;
	if (!item->value)
		return;
	if (strcmp(item->value, "echo"))
		refuse(item, "instant is alone, or instant=echo");
	p->echo = true;
}

static void parse_unsolicited(struct plan *p, struct item *item)
{
	(void)item;
	p->unsolicited = true;
}

static void parse_anykey(struct plan *p, struct item *item)
{
	(void)item;
	p->anykey = true;
}

static int64_t with_sign(const struct item *item,
			 uint64_t (*read)(const struct item *, const char *))
{
	const char *text = item->value;

	return text && *text == '-' ? -(int64_t)read(item, text + 1) :
				      (int64_t)read(item, text);
}

static void parse_hw_ppm(struct plan *p, struct item *item)
{
	int64_t ppm = with_sign(item, number);

	if (ppm <= -1000000 || ppm > 1000000)
		refuse(item, "beyond a million");
	p->dev.hw_clock_ppm = (int)ppm;
}

static void parse_hw_stamp(struct plan *p, struct item *item)
{
	p->dev.hw_stamp_ns = with_sign(item, duration);
}

static void parse_poll_late(struct plan *p, struct item *item)
{
	p->dev.poll_late_ns = duration(item, item->value);
}

static void parse_fw_ver(struct plan *p, struct item *item)
{
	need_value(item);
	snprintf(p->dev.fw_ver, sizeof(p->dev.fw_ver), "%s", item->value);
}

static const struct special {
	const char *key;
	void (*parse)(struct plan *p, struct item *item);
} specials[] = {
	{ "wc", parse_wc }, { "event", parse_event },
	{ "unsolicited", parse_unsolicited },
	{ "anykey", parse_anykey },
	{ "service", parse_service }, { "stall", parse_stall },
	{ "rate", parse_rate }, { "speed", parse_speed }, { "cm", parse_cm },
	{ "instant", parse_instant }, { "fw_ver", parse_fw_ver },
	{ "hw_clock_ppm", parse_hw_ppm }, { "hw_stamp", parse_hw_stamp },
	{ "poll_late", parse_poll_late },
};

static bool parse_special(struct plan *p, struct item *item)
{
	size_t i;

	for (i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		if (strcmp(specials[i].key, item->key))
			continue;
		specials[i].parse(p, item);
		return true;
	}
	return false;
}

#define FIELD(key, field, words) \
	{ key, offsetof(struct plan_device, field), \
	  sizeof(((struct plan_device *)0)->field), words }
#define NUMBER(field) FIELD(#field, field, NULL)

static const struct setting {
	const char *key;
	size_t at, size;
	const struct plan_name *words;	/* NULL: a number */
} settings[] = {
	FIELD("devices", count, NULL), NUMBER(pkeys), NUMBER(cq_holds),
	NUMBER(odp), NUMBER(limited), NUMBER(xrc),
	NUMBER(hw_clock), NUMBER(hw_clock_bits), NUMBER(hw_clock_start),
	FIELD("port", port_down, plan_port_names),
	FIELD("link", infiniband, plan_link_names),
	FIELD("gid", gid, plan_gid_names),
	FIELD("cycles", cycles, plan_cycles_names),
	FIELD("netdev", no_netdev, plan_netdev_names),
	FIELD("mtu", mtu, plan_mtu_names),
	FIELD("atomic", atomic_cap, plan_atomic_names),
	FIELD("transport", transport, plan_transport_names),
	NUMBER(max_qp), NUMBER(max_cqe), NUMBER(max_cq), NUMBER(max_mr),
	NUMBER(max_qp_wr), NUMBER(max_sge), NUMBER(max_inline),
	NUMBER(max_msg_sz), NUMBER(max_mr_size), NUMBER(vendor_id),
	NUMBER(vendor_part_id),
};

static void store(void *at, size_t size, uint64_t value)
{
	uint32_t v32 = (uint32_t)value;
	uint8_t v8 = (uint8_t)value;

	memcpy(at, size == 1 ? (void *)&v8 : size == 4 ? (void *)&v32 :
	       (void *)&value, size);
}

static bool parse_device(struct plan *p, struct item *item)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const struct setting *s = &settings[i];
		uint64_t value;

		if (strcmp(s->key, item->key))
			continue;
		value = s->words ? (uint64_t)need(item, s->words, item->value) :
			number(item, item->value);
		if (s->size < 8 && value >> (s->size * 8))
			refuse(item, "too large");
		store((char *)&p->dev + s->at, s->size, value);
		if (p->dev.count > MAX_DEVICES)
			refuse(item, "at most 8 devices");
		return true;
	}
	return false;
}

static char *cut(char *text, char mark)
{
	char *at = strchr(text, mark);

	if (!at)
		return NULL;
	*at = '\0';
	return at + 1;
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\n");
	n = strlen(text);
	while (n && strchr(" \t\n", text[n - 1]))
		text[--n] = '\0';
	return text;
}

static void parse_item(struct plan *p, char *text)
{
	char copy[256];
	struct item item = { .text = copy };

	snprintf(copy, sizeof(copy), "%s", text);
	item.value = cut(text, '=');
	item.at = cut(text, '@');
	item.number = cut(text, '#');
	item.key = text;
	if (parse_call(p, &item) || parse_special(p, &item) ||
	    parse_list(p, &item) ||
	    parse_device(p, &item))
		return;
	refuse(&item, "not known (see tests/fake/README.md)");
}

static const struct plan defaults = {
	.dev = {
		.count = 2, .mtu = 5, .speed = 0x20, .width = 2,
		.pkeys = 1, .xrc = 1, .max_qp = 16384, .max_cqe = 4194303, .max_cq = 32768,
		.max_mr = 65535, .max_qp_wr = 16384, .max_sge = 16,
		.max_inline = 220, .max_msg_sz = 1u << 30,
		.max_mr_size = UINT64_MAX, .vendor_id = 0x02c9,
		.vendor_part_id = 4119, .atomic_cap = 1,
		.fw_ver = "1.0.0-fake",
		.hw_clock = 1000000, .hw_clock_bits = 64,
	},
	.cm_event = -1,
};

static bool has_data_call(const struct plan *p)
{
	int i;

	for (i = 0; i < p->nfail; i++)
		if (p->fail[i].call >= CALL_ibv_req_notify_cq &&
		    p->fail[i].call <= CALL_ibv_poll_cq)
			return true;
	return false;
}

void plan_parse(struct plan *plan, const char *text)
{
	struct item whole = { .text = text };
	char *copy = strdup(text), *save, *part;

	if (!copy)
		abort();
	*plan = defaults;
	for (part = strtok_r(copy, ";", &save); part;
	     part = strtok_r(NULL, ";", &save)) {
		part = trim(part);
		if (*part)
			parse_item(plan, part);
	}
	free(copy);
	if (plan->instant && (plan->timed || has_data_call(plan) ||
			      plan->nwc || plan->ncorrupt || plan->ndrop ||
			      plan->nimm || plan->nlose ||
			      plan->nmisplace || plan->nswap))
		refuse(&whole, "instant goes with no other data item");
}
