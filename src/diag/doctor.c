/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * doctor - all rules over the snapshot of a host, or over those of two
 */
#include "diag/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/words.h"
#include "diag/diagnosis.h"
#include "diag/mates.h"
#include "diag/probed.h"
#include "diag/traffic.h"
#include "host/facts.h"

#define PORTS_MOST 256 /* of a host; what is beyond is not looked at */

struct host {
	struct rb_subject all;
	struct rb_subject *devices, *ports;
	size_t ndevices, nports;
};

struct rb_doctor {
	const struct rb_asked *asked;
	struct rb_diagnosis *diagnosis;
	struct host hosts[RB_DOCTOR_HOSTS];
	size_t nhosts;
	bool has_pair; /* two hosts are looked at */
	struct rb_subject pairs[PORTS_MOST];
	size_t npairs;
};

struct rb_diagnosis *rb_doctor_diagnosis(struct rb_doctor *doctor)
{
	return doctor->diagnosis;
}

/* --- the tables ------------------------------------------------------------- */

static const struct rb_rules *const tables[] = {
	&rb_rules_setup, &rb_rules_probe, &rb_rules_limits, &rb_rules_port, &rb_rules_gid,
	&rb_rules_way, &rb_rules_pair,	 &rb_rules_net,	   &rb_rules_mtu,  &rb_rules_ib,
	&rb_rules_qos, &rb_rules_ecn,	 &rb_rules_count,  &rb_rules_pci,  &rb_rules_numa,
	&rb_rules_gpu,	 &rb_rules_virt,   &rb_rules_cpu,
};

const struct rb_rule *rb_rule(const char *id)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(tables); i++)
		for (size_t k = 0; k < tables[i]->n; k++)
			if (!strcasecmp(tables[i]->rows[k].id, id))
				return &tables[i]->rows[k];
	return NULL;
}

const char *rb_severity_name(enum rb_severity severity)
{
	static const char *const names[] = { "info", "warning", "error" };

	return names[severity];
}

const char *rb_scope_name(enum rb_scope scope)
{
	static const char *const names[] = { "host", "device", "port", "pair" };

	return names[scope];
}

const char *rb_ruling_name(enum rb_ruling ruling)
{
	static const char *const names[] = { "pass", "fail", "skip", "unknown" };

	return names[ruling];
}

/* --- subjects --------------------------------------------------------------- */

static unsigned int kind_of(const json_t *device, const json_t *port)
{
	const char *layer = rb_text_at(port, "link_layer");
	bool soft = json_is_true(json_object_get(device, "software"));
	unsigned int kind = soft ? RB_ON_SOFTWARE : RB_ON_HARDWARE;

	if (!strcmp(rb_text_at(device, "transport"), "iWARP") ||
	    !strcmp(rb_text_at(device, "protocol"), "iw"))
		return kind | RB_ON_IWARP;
	if (!strcmp(layer, "Ethernet"))
		return kind | RB_ON_ROCE;
	if (!strcmp(layer, "InfiniBand"))
		return kind | RB_ON_IB;
	return kind | RB_ON_OTHER;
}

static void aim_device(struct rb_subject *s, const char *name,
		       const json_t *device)
{
	const json_t *port;

	s->device = name;
	s->devicev = device;
	s->pci = json_string_value(json_object_get(device, "pci"));
	if (s->pci)
		s->pciv = json_object_get(json_object_get(s->doc, "pci"), s->pci);
	port = json_object_get(json_object_get(device, "ports"), "1");
	s->kind = kind_of(device, port);
	rb_subject_netdev(s, rb_text_at(port, "netdev"));
}

static void aim_port(struct rb_subject *s, const char *number,
		     const json_t *port)
{
	s->port = number;
	s->portv = port;
	s->kind = kind_of(s->devicev, port);
	s->active = rb_int_at(port, "state_id", 0) == 4;
	rb_subject_netdev(s, rb_text_at(port, "netdev"));
}

/* Whether the user's word means this device. */
static bool is_meant(const char *word, const char *name, const json_t *device)
{
	const char *number;
	json_t *port;

	if (!word || !strcmp(word, name))
		return true;
	json_object_foreach(json_object_get(device, "ports"), number, port)
		if (!strcmp(rb_text_at(port, "netdev"), word))
			return true;
	return false;
}

static void add_ports(struct host *host, const struct rb_subject *device)
{
	const char *number;
	json_t *port;

	json_object_foreach(json_object_get(device->devicev, "ports"), number,
			    port) {
		if (host->nports == PORTS_MOST)
			return;
		host->ports[host->nports] = *device;
		aim_port(&host->ports[host->nports++], number, port);
	}
}

static int open_host(struct rb_doctor *d, struct host *host, json_t *doc)
{
	const struct rb_asked *asked = d->asked;
	unsigned int which = (unsigned int)(host - d->hosts);
	const char *word = which ? asked->peer_device : asked->device;
	const char *name;
	json_t *device;

	host->devices = calloc(PORTS_MOST, sizeof(*host->devices));
	host->ports = calloc(PORTS_MOST, sizeof(*host->ports));
	if (!host->devices || !host->ports)
		return -1;
	host->all = (struct rb_subject){
		.doctor = d, .asked = asked, .which = which, .doc = doc,
		.end = d->has_pair ? which ? "peer" : "local" : NULL,
		.host = json_string_value(
			json_object_get(json_object_get(doc, "host"), "name")),
	};
	json_object_foreach(json_object_get(doc, "devices"), name, device) {
		struct rb_subject *s = &host->devices[host->ndevices];

		if (host->ndevices == PORTS_MOST || !is_meant(word, name, device))
			continue;
		*s = host->all;
		aim_device(s, name, device);
		host->ndevices++;
		add_ports(host, s);
	}
	return 0;
}

static void close_host(struct host *host)
{
	free(host->devices);
	free(host->ports);
}

/* --- rules over subjects ---------------------------------------------------- */

static bool skips(struct rb_subject *s)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} names[] = {
		{ RB_ON_ROCE, "RoCE" }, { RB_ON_IB, "InfiniBand" },
		{ RB_ON_IWARP, "iWARP" }, { RB_ON_OTHER, "of another kind" },
	};
	const unsigned int links =
		RB_ON_ROCE | RB_ON_IB | RB_ON_IWARP | RB_ON_OTHER;
	unsigned int on = s->rule->on;

	if (s->rule->scope == RB_SCOPE_HOST)
		return false;
	for (size_t i = 0; on & links && !(on & s->kind & links) &&
			   i < RB_ARRAY_SIZE(names);
	     i++)
		if (s->kind & names[i].bit) {
			rb_subject_skip(s, "this one is %s", names[i].name);
			return true;
		}
	if (on & RB_ON_HARDWARE && s->kind & RB_ON_SOFTWARE)
		rb_subject_skip(s, "it is a device of software");
	else if (on & RB_ON_SOFTWARE && s->kind & RB_ON_HARDWARE)
		rb_subject_skip(s, "it is hardware");
	else if (on & RB_ON_ACTIVE && s->portv && !s->active)
		rb_subject_skip(s, "the port is not active");
	else
		return false;
	return true;
}

static void apply(const struct rb_rule *rule, const struct rb_subject *subject)
{
	struct rb_subject s = *subject;

	s.rule = rule;
	s.read = json_object();
	if (!skips(&s)) {
		rule->test(&s);
		if (!s.said)
			rb_subject_unknown(&s, "the rule said nothing");
	}
	json_decref(s.read);
}

static void apply_all(const struct rb_rule *rule, const struct rb_subject *v,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		apply(rule, &v[i]);
}

static void apply_rule(struct rb_doctor *d, const struct rb_rule *rule)
{
	if (rule->scope == RB_SCOPE_PAIR)
		apply_all(rule, d->pairs, d->npairs);
	for (size_t i = 0; i < d->nhosts; i++) {
		struct host *host = &d->hosts[i];

		if (rule->scope == RB_SCOPE_HOST)
			apply(rule, &host->all);
		else if (rule->scope == RB_SCOPE_DEVICE)
			apply_all(rule, host->devices, host->ndevices);
		else if (rule->scope == RB_SCOPE_PORT)
			apply_all(rule, host->ports, host->nports);
	}
}

void rb_subject_each(struct rb_subject *s, enum rb_scope scope,
		     void (*each)(struct rb_subject *one, void *arg), void *arg)
{
	struct host *host = &s->doctor->hosts[s->which];
	bool devices = scope == RB_SCOPE_DEVICE;
	size_t n = devices ? host->ndevices : host->nports;

	for (size_t i = 0; i < n; i++) {
		struct rb_subject one =
			devices ? host->devices[i] : host->ports[i];

		one.rule = s->rule;
		one.read = s->read;
		each(&one, arg);
		s->said |= one.said;
	}
}

/* --- the document ----------------------------------------------------------- */

static void put_words(json_t *to, const char *key, const char *words)
{
	json_t *list = json_array();

	while (*words) {
		size_t n = strcspn(words, " ");

		json_array_append_new(list, json_stringn(words, n));
		words += n + strspn(words + n, " ");
	}
	rb_fact_value(to, key, list);
}

static json_t *rule_json(const struct rb_rule *rule, const char *topic)
{
	json_t *json = json_object();

	rb_fact_text(json, "id", rule->id);
	rb_fact_text(json, "topic", topic);
	rb_fact_text(json, "scope", rb_scope_name(rule->scope));
	rb_fact_text(json, "severity", rb_severity_name(rule->severity));
	rb_fact_text(json, "title", rule->title);
	put_words(json, "reads", rule->reads);
	rb_fact_text(json, "why", rule->why);
	rb_fact_text(json, "fix", rule->fix);
	rb_fact_text(json, "evidence", rule->evidence);
	return json;
}

json_t *rb_doctor_rules(const struct rb_rule *only)
{
	json_t *list = json_array();

	for (size_t i = 0; i < RB_ARRAY_SIZE(tables); i++)
		for (size_t k = 0; k < tables[i]->n; k++)
			if (!only || only == &tables[i]->rows[k])
				json_array_append_new(
					list, rule_json(&tables[i]->rows[k],
							tables[i]->topic));
	return list;
}

static json_t *host_json(const struct host *host)
{
	json_t *json = json_object();

	rb_plain_text(json, "name", host->all.host);
	if (host->all.end)
		rb_fact_text(json, "end", host->all.end);
	rb_plain_text(json, "taken_at", rb_text_at(host->all.doc, "taken_at"));
	rb_fact_number(json, "devices", host->ndevices);
	rb_fact_number(json, "unread_facts",
		       json_array_size(json_object_get(host->all.doc, "missing")));
	return json;
}

/* Of ports of RoCE: the class of their traffic and where it leads. */
static json_t *traffic_json(struct rb_doctor *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->nhosts; i++)
		for (size_t k = 0; k < d->hosts[i].nports; k++) {
			struct rb_subject s = d->hosts[i].ports[k];

			if (s.active && s.kind & RB_ON_ROCE)
				json_array_append_new(list, rb_traffic_json(&s));
		}
	return list;
}

static bool is_asked(const struct rb_asked *asked, const struct rb_rule *rule)
{
	const char *read = rule->reads;

	if (asked->rule && rb_rule(asked->rule) != rule)
		return false;
	while (asked->facts && *read) {
		size_t n = strcspn(read, " ");

		if (!rb_words_have(asked->facts, read, n))
			return false;
		read += n + strspn(read + n, " ");
	}
	return true;
}

static json_t *examine(struct rb_doctor *d)
{
	const struct rb_rule *only =
		d->asked->rule ? rb_rule(d->asked->rule) : NULL;
	json_t *section = json_object(), *list = json_array();

	for (size_t i = 0; i < RB_ARRAY_SIZE(tables); i++)
		for (size_t k = 0; k < tables[i]->n; k++)
			if (is_asked(d->asked, &tables[i]->rows[k]))
				apply_rule(d, &tables[i]->rows[k]);
	for (size_t i = 0; i < d->nhosts; i++)
		json_array_append_new(list, host_json(&d->hosts[i]));
	rb_fact_value(section, "hosts", list);
	rb_fact_value(section, "traffic", traffic_json(d));
	if (d->has_pair)
		rb_fact_value(section, "probes",
			      rb_probes_json(json_object_get(d->hosts[0].all.doc,
							     "probes")));
	if (only)
		rb_fact_value(section, "rules", rb_doctor_rules(only));
	rb_diagnosis_json(d->diagnosis, section);
	return section;
}

/* Of a port that was tried: the one with which it was. */
static struct rb_subject *find_probed(const struct rb_subject *port,
				      struct host *peer)
{
	const json_t *probe =
		rb_probe_of(json_object_get(port->doc, "probes"), port->device,
			    port->port);

	for (size_t k = 0; probe && k < peer->nports; k++)
		if (rb_probe_is_with(probe, peer->ports[k].device,
				     peer->ports[k].port))
			return &peer->ports[k];
	return NULL;
}

static void pair_up(struct rb_doctor *d)
{
	struct host *a = &d->hosts[0], *b = &d->hosts[1];

	for (size_t i = 0; i < a->nports; i++) {
		struct rb_subject *mate = find_probed(&a->ports[i], b);

		if (!mate)
			mate = rb_mate_find(a->ports, i, b->ports, b->nports);
		if (!mate)
			continue;
		d->pairs[d->npairs] = a->ports[i];
		d->pairs[d->npairs++].peer = mate;
	}
}

json_t *rb_doctor_examine(const struct rb_asked *asked, json_t *const *docs,
			  size_t n)
{
	struct rb_doctor *d = calloc(1, sizeof(*d));
	json_t *section = NULL;
	int err = 0;

	if (!d)
		return NULL;
	d->asked = asked;
	d->has_pair = n == RB_DOCTOR_HOSTS;
	d->diagnosis = rb_diagnosis_create(asked->suspects);
	for (; d->nhosts < n && !err; d->nhosts++)
		err = open_host(d, &d->hosts[d->nhosts], docs[d->nhosts]);
	if (d->has_pair && !err)
		pair_up(d);
	if (d->diagnosis && !err)
		section = examine(d);
	for (size_t i = 0; i < d->nhosts; i++)
		close_host(&d->hosts[i]);
	rb_diagnosis_destroy(d->diagnosis);
	free(d);
	return section;
}

size_t rb_doctor_count(const json_t *section, enum rb_severity severity)
{
	static const char *const keys[] = { "notes", "warnings", "errors" };
	size_t n = 0;

	for (int i = severity; i <= RB_SEVERITY_ERROR; i++)
		n += (size_t)rb_int_at(json_object_get(section, "sums"), keys[i],
				       0);
	return n;
}
