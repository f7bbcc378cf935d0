/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * facts_port - what a text tells of ports and GIDs: ibv_devinfo, ibstat,
 * ibstatus, rdma link, show_gids
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "diag/facts.h"
#include "diag/vendor.h"

/* The first word that is an IPv6 address; where it begins. */
static bool find_address(struct rb_text line, uint8_t raw[static 16],
			 struct rb_text *at)
{
	for (size_t i = 0; i < line.n; i++) {
		char word[INET6_ADDRSTRLEN + 1];
		size_t n = i, colons = 0;

		while (n < line.n && (isxdigit((unsigned char)line.p[n]) ||
				      line.p[n] == ':' || line.p[n] == '.'))
			colons += line.p[n++] == ':';
		if (colons >= 2 && n - i < sizeof(word)) {
			memcpy(word, line.p + i, n - i);
			word[n - i] = '\0';
			if (inet_pton(AF_INET6, word, raw) == 1) {
				*at = rb_text_from(line, i);
				return true;
			}
		}
		/* to the next word */
		for (i = n; i < line.n && !strchr(" \t", line.p[i]); i++)
			;
	}
	return false;
}

/* "GID[  3]:", or the number before the address in show_gids' rows. */
static int read_index(struct rb_text line, struct rb_text at)
{
	struct rb_text before = rb_text_first(line, (size_t)(at.p - line.p));
	struct rb_number number;
	uint64_t index;

	if (rb_text_key(line, "GID[", &index))
		return (int)RB_MIN(index, 4095u);
	while (before.n && isspace((unsigned char)before.p[before.n - 1]))
		before.n--;
	while (before.n && !isspace((unsigned char)before.p[before.n - 1]))
		before.n--;
	before = rb_text_first(rb_text_from(line, before.n),
			       (size_t)(at.p - line.p) - before.n);
	if (!rb_text_number(&before, &number) || number.value > 4095)
		return -1;
	return (int)number.value;
}

static void read_type(struct rb_text after, struct rb_fact_gid *gid)
{
	static const struct {
		const char *words;
		enum rb_fact_type type;
	} rows[] = {
		{ "RoCE v1", RB_TYPE_V1 }, { "RoCE v2", RB_TYPE_V2 },
		{ "v1", RB_TYPE_V1 },	   { "v2", RB_TYPE_V2 },
	};
	struct rb_text t;

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rb_text_after_word(after, rows[i].words, &t)) {
			gid->type = rows[i].type;
			rb_text_word(&t, gid->netdev, sizeof(gid->netdev));
			return;
		}
}

/* The table that goes on: of this input, of this device, at a higher index. */
static struct rb_fact_table *table_for(struct rb_facts *facts,
				       unsigned int file, const char *device,
				       int index)
{
	struct rb_fact_table *t =
		facts->ntables ? &facts->tables[facts->ntables - 1] : NULL;

	if (t && t->file == file && t->n < RB_FACT_GIDS &&
	    (!*device || !strcmp(t->device, device)) &&
	    (!t->n || t->gids[t->n - 1].index < index))
		return t;
	if (facts->ntables == RB_FACT_TABLES)
		return NULL;
	t = &facts->tables[facts->ntables++];
	t->file = file;
	snprintf(t->device, sizeof(t->device), "%s", device);
	return t;
}

bool rb_facts_gid_line(struct rb_facts *facts, unsigned int file,
		       struct rb_text line)
{
	struct rb_fact_gid gid = { 0 };
	struct rb_fact_table *table;
	char device[32] = "";
	struct rb_text at, t = line;

	if (!find_address(line, gid.raw, &at))
		return false;
	gid.index = read_index(line, at);
	if (gid.index < 0)
		return false;
	if (!rb_text_has(line, "GID[")) {
		rb_text_word(&t, device, sizeof(device));
		if (!isalpha((unsigned char)device[0]))
			return false;
	}
	read_type(at, &gid);
	table = table_for(facts, file, device, gid.index);
	if (table)
		table->gids[table->n++] = gid;
	return table != NULL;
}

static struct rb_fact_port *port_of(struct rb_facts *facts, unsigned int file,
				    const char *device)
{
	struct rb_fact_port *p;

	for (unsigned int i = 0; i < facts->nports; i++)
		if (facts->ports[i].file == file &&
		    !strcmp(facts->ports[i].device, device))
			return &facts->ports[i];
	if (facts->nports == RB_FACT_PORTS)
		return NULL;
	p = &facts->ports[facts->nports++];
	p->file = file;
	snprintf(p->device, sizeof(p->device), "%s", device);
	return p;
}

/* The names of states differ: ACTIVE, Active, PORT_ACTIVE (4), 4: ACTIVE. */
static void note_state(struct rb_fact_port *p, const char *state)
{
	const char *name = strncasecmp(state, "PORT_", 5) ? state : state + 5;

	p->samples++;
	p->down += strncasecmp(name, "ACTIVE", 6) != 0;
	if (strcasecmp(p->state, name))
		p->states++;
	snprintf(p->state, sizeof(p->state), "%s", name);
}

/* A word behind one of two keys; "4: ACTIVE" is ACTIVE. */
static bool word_after(struct rb_text line, const char *key, char *out,
		       size_t room)
{
	struct rb_text t;
	size_t n;

	if (!rb_text_after_word(line, key, &t))
		return false;
	rb_text_skip(&t);
	n = rb_text_word(&t, out, room);
	if (n == 2 && isdigit((unsigned char)out[0]) && out[1] == ':')
		n = rb_text_word(&t, out, room);
	return n > 0;
}

/* "link mlx5_7/1 subnet_prefix .. state DOWN physical_state POLLING" */
static bool take_link(struct rb_facts *facts, unsigned int file,
		      struct rb_text line)
{
	struct rb_fact_port *p;
	char word[32], phys[24] = "";
	struct rb_text t;

	if (!rb_text_begins(line, "link ") || !rb_text_has(line, " state "))
		return false;
	rb_text_after(line, "link ", &t);
	rb_text_word(&t, word, sizeof(word));
	p = port_of(facts, file, word);
	if (!p || !word_after(t, "state", word, sizeof(word)))
		return true;
	word_after(t, "physical_state", phys, sizeof(phys));
	if (!strcasecmp(p->state, word) && strcasecmp(p->phys, phys))
		p->states++;
	memcpy(p->phys, phys, sizeof(phys));
	note_state(p, word);
	return true;
}

/* "ibp198s0f0 driver=mlx5_core link_layer=InfiniBand active_mtu=512" */
static bool take_flat(struct rb_facts *facts, unsigned int file,
		      struct rb_text line)
{
	struct rb_fact_port *p;
	struct rb_text t = line;
	char word[32];
	uint64_t v;

	if (!rb_text_has(line, "driver="))
		return false;
	rb_text_word(&t, word, sizeof(word));
	p = port_of(facts, file, word);
	if (!p)
		return true;
	word_after(t, "driver", p->driver, sizeof(p->driver));
	word_after(t, "link_layer", p->link_layer, sizeof(p->link_layer));
	if (rb_text_key(t, "active_mtu", &v))
		p->active_mtu = (uint32_t)v;
	if (word_after(t, "state", word, sizeof(word)))
		note_state(p, word);
	return true;
}

/* Whose port the next lines tell of. */
static bool take_heading(struct rb_facts *facts, unsigned int file,
			 struct rb_text line)
{
	static const char *const keys[] = { "hca_id:", "CA '",
					    "Infiniband device '" };
	struct rb_text t;
	char word[32];

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++)
		if (rb_text_after(line, keys[i], &t)) {
			rb_text_word(&t, word, sizeof(word));
			return port_of(facts, file, word) != NULL;
		}
	return false;
}

static void take_guid(struct rb_text line, struct rb_fact_port *p)
{
	struct rb_text t;

	if (!rb_text_after(line, "node_guid:", &t) &&
	    !rb_text_after(line, "Node GUID:", &t))
		return;
	p->has_guid = p->zero_guid = true;
	for (size_t i = 0; i < t.n; i++)
		if (isxdigit((unsigned char)t.p[i]) && t.p[i] != '0')
			p->zero_guid = false;
}

static void take_details(struct rb_text line, struct rb_fact_port *p)
{
	char word[24];
	uint64_t v;

	if (word_after(line, "physical state:", p->phys, sizeof(p->phys)) ||
	    word_after(line, "phys state:", p->phys, sizeof(p->phys)))
		return;
	if (word_after(line, "state:", word, sizeof(word)))
		note_state(p, word);
	if (rb_text_key(line, "active_mtu:", &v))
		p->active_mtu = (uint32_t)v;
	if (rb_text_key(line, "max_mtu:", &v))
		p->max_mtu = (uint32_t)v;
	word_after(line, "link_layer:", p->link_layer, sizeof(p->link_layer));
	word_after(line, "Link layer:", p->link_layer, sizeof(p->link_layer));
	if (rb_text_key(line, "port_lid:", &v) ||
	    rb_text_key(line, "Base lid:", &v)) {
		p->has_lid = true;
		p->lid = (uint32_t)v;
	}
	if (rb_text_key(line, "sm_lid:", &v) || rb_text_key(line, "SM lid:", &v))
		p->sm_lid = (uint32_t)v;
	take_guid(line, p);
}

void rb_facts_port_line(struct rb_facts *facts, unsigned int file,
			struct rb_text line)
{
	if (take_link(facts, file, line) || take_flat(facts, file, line) ||
	    take_heading(facts, file, line))
		return;
	if (facts->nports && facts->ports[facts->nports - 1].file == file)
		take_details(line, &facts->ports[facts->nports - 1]);
}
