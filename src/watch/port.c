/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * port - the ports of a device that is watched: their state and GIDs
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/counters.h"
#include "watch/device.h"
#include "watch/watch.h"

#define GID_CELL 96

static json_t *port_fields(const struct rb_watch_device *d, unsigned int port)
{
	return json_pack("{s:s, s:i}", "device", d->dev.name, "port",
			 (int)port);
}

/* --- GIDs ---------------------------------------------------------------- */

static const char *gid_cell(const struct rb_gid *gid, char cell[static GID_CELL])
{
	char text[RB_GID_TEXT];

	snprintf(cell, GID_CELL, "%s %s%s%s", rb_gid_type_name(gid->type),
		 rb_gid_text(&gid->raw, text), gid->netdev[0] ? " on " : "",
		 gid->netdev);
	return cell;
}

static json_t *gid_fields(const struct rb_watch_device *d,
			  const struct rb_watch_port *port,
			  const struct rb_gid *gid)
{
	json_t *fields = port_fields(d, port->number);

	json_object_set_new(fields, "gid", rb_gid_json(gid));
	return fields;
}

static const struct rb_gid *at_index(const struct rb_gid_table *table,
				     unsigned int index)
{
	for (unsigned int i = 0; i < table->n; i++)
		if (table->v[i].index == index)
			return &table->v[i];
	return NULL;
}

static bool is_same_gid(const struct rb_gid *a, const struct rb_gid *b)
{
	return a->type == b->type && !memcmp(&a->raw, &b->raw, sizeof(a->raw)) &&
	       !strcmp(a->netdev, b->netdev);
}

static void tell_gid_changes(struct rb_watch *w, const struct rb_watch_device *d,
			     const struct rb_watch_port *port,
			     const struct rb_gid_table *now)
{
	char is[GID_CELL], was[GID_CELL];

	for (unsigned int i = 0; i < port->table->n; i++) {
		const struct rb_gid *old = &port->table->v[i];
		const struct rb_gid *new = at_index(now, old->index);

		if (!new)
			rb_watch_tell(w, "gid_removed",
				      gid_fields(d, port, old),
				      "GID %u went: %s", old->index,
				      gid_cell(old, was));
		else if (!is_same_gid(old, new))
			rb_watch_tell(w, "gid_replaced",
				      gid_fields(d, port, new),
				      "GID %u is now %s; it was %s", new->index,
				      gid_cell(new, is), gid_cell(old, was));
	}
	for (unsigned int i = 0; i < now->n; i++)
		if (!at_index(port->table, now->v[i].index))
			rb_watch_tell(w, "gid_added",
				      gid_fields(d, port, &now->v[i]),
				      "GID %u came: %s", now->v[i].index,
				      gid_cell(&now->v[i], is));
}

/* Read the table anew; the first reading is no news. */
static void read_gids(struct rb_watch *w, struct rb_watch_device *d,
		      struct rb_watch_port *port)
{
	struct rb_gid_table *table;

	if (!d->dev.ctx || d->dev.is_iwarp)
		return;
	table = calloc(1, sizeof(*table));
	if (!table)
		return;
	table->wanted = UINT_MAX;
	d->dev.port = (uint8_t)port->number;
	/* a device that failed does not answer: the old table stands */
	if (rb_gid_table_scan(&d->dev, table)) {
		free(table);
		return;
	}
	if (port->table)
		tell_gid_changes(w, d, port, table);
	free(port->table);
	port->table = table;
}

/* --- ports --------------------------------------------------------------- */

/* "4: ACTIVE" */
static const char *word_of(const char *state)
{
	const char *blank = strchr(state, ' ');

	return blank ? blank + 1 : state;
}

static void read_state(struct rb_watch *w, const struct rb_watch_device *d,
		       struct rb_watch_port *port)
{
	char was[RB_IBSYS_TEXT], netdev[IFNAMSIZ];
	json_t *fields;

	memcpy(was, port->state, sizeof(was));
	if (rb_ibsys_port_attr(d->dev.name, port->number, "state",
			       port->state)) {
		memcpy(port->state, was, sizeof(was));
		return;
	}
	rb_ibsys_netdev(d->dev.name, port->number, netdev);
	if (netdev[0])
		memcpy(port->netdev, netdev, sizeof(netdev));
	if (!was[0] || !strcmp(was, port->state))
		return;
	fields = port_fields(d, port->number);
	json_object_set_new(fields, "from", json_string(word_of(was)));
	json_object_set_new(fields, "to", json_string(word_of(port->state)));
	rb_watch_tell(w, "link_state", fields, "the port is %s, was %s",
		      word_of(port->state), word_of(was));
}

void rb_watch_ports_refresh(struct rb_watch *w, struct rb_watch_device *d)
{
	for (unsigned int p = 0; p < d->nports; p++) {
		read_state(w, d, &d->ports[p]);
		read_gids(w, d, &d->ports[p]);
	}
}

void rb_watch_ports_forget(struct rb_watch_device *d)
{
	for (unsigned int p = 0; p < d->nports; p++) {
		free(d->ports[p].table);
		rb_counters_free(d->ports[p].counters);
	}
	free(d->ports);
	d->ports = NULL;
	d->nports = 0;
}

void rb_watch_ports_make(struct rb_watch_device *d)
{
	unsigned int n = rb_ibsys_nports(d->dev.name);

	if (d->dev.ctx)
		n = d->dev.attr.phys_port_cnt;
	rb_watch_ports_forget(d);
	d->ports = calloc(n + 1, sizeof(*d->ports));
	d->nports = d->ports ? n : 0;
	for (unsigned int p = 0; p < d->nports; p++) {
		d->ports[p].number = p + 1;
		rb_ibsys_netdev(d->dev.name, p + 1, d->ports[p].netdev);
	}
}

bool rb_watch_has_netdev(const struct rb_watch *w, const char *netdev)
{
	for (unsigned int i = 0; i < w->ndevices; i++) {
		const struct rb_watch_device *d = &w->devices[i];

		for (unsigned int p = 0; p < d->nports; p++) {
			const struct rb_gid_table *table = d->ports[p].table;

			if (!strcmp(d->ports[p].netdev, netdev))
				return true;
			for (unsigned int g = 0; table && g < table->n; g++)
				if (!strcmp(table->v[g].netdev, netdev))
					return true;
		}
	}
	return false;
}
