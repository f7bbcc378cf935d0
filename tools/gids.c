/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gids - the GID tables of this host, and which entry is right for a peer
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "command.h"
#include "local.h"
#include "verbs/dev.h"
#include "verbs/devlist.h"
#include "verbs/gid.h"
#include "verbs/gidpeer.h"
#include "verbs/gidports.h"

#define SETTING_TEXT 128
#define CELL_TEXT 64

struct gids_opts {
	const char *device; /* NULL: all */
	uint64_t port;	    /* RB_AUTO: all */
	const char *peer;   /* NULL: none */
};

static const struct rb_opt gids_rows[] = {
	/* clang-format off */
	{ .name = "device", .letter = 'd', .type = RB_OPT_STRING, .arg = "NAME",
	  .offset = offsetof(struct gids_opts, device),
	  .help = "only this device, DEVICE:PORT, or the one of this network interface" },
	{ .name = "port-num", .letter = 'i', .type = RB_OPT_COUNT, .min = 1, .max = UINT8_MAX,
	  .offset = offsetof(struct gids_opts, port), .flags = RB_OPT_AUTO,
	  .help = "only this port of the device [all]" },
	{ .name = "peer", .type = RB_OPT_STRING, .arg = "ADDRESS",
	  .offset = offsetof(struct gids_opts, peer),
	  .help = "say which entry is right for this address, and why the others are not" },
	/* clang-format on */
};

static const struct rb_optgroup gids_optgroup = { "GIDs", gids_rows,
						  RB_ARRAY_SIZE(gids_rows) };

struct gids {
	const struct gids_opts *opts;
	struct rb_gid_ports ports;
	struct rb_gid_view *views;
	unsigned int nviews;
	const struct rb_gid_view *best;
	struct rb_gid_peer peer;
};

static int make_views(struct gids *g)
{
	size_t n = 0;

	for (unsigned int p = 0; p < g->ports.n; p++)
		n += g->ports.v[p].table->n;
	g->views = calloc(n + 1, sizeof(*g->views));
	if (!g->views)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "no memory for %zu GIDs", n);
	for (unsigned int p = 0; p < g->ports.n; p++)
		for (unsigned int i = 0; i < g->ports.v[p].table->n; i++)
			rb_gid_view_init(&g->views[g->nviews++],
					 &g->ports.v[p].dev, g->ports.v[p].table,
					 i);
	return 0;
}

/* --- the peer ------------------------------------------------------------ */

static int find_peer(struct gids *g)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	int err = getaddrinfo(g->opts->peer, NULL, &wanted, &found);

	if (err)
		return rb_fail(RB_FAULT_PEER_NAME, -ENOENT,
			       "cannot find the address of '%s': %s",
			       g->opts->peer, gai_strerror(err));
	err = rb_gid_peer_open(&g->peer, found->ai_addr);
	freeaddrinfo(found);
	return err;
}

/* Nothing fits: the entry that came closest says why. */
static int report_none(const struct gids *g)
{
	const struct rb_gid_view *near = NULL;
	char text[RB_GID_TEXT];

	for (unsigned int i = 0; i < g->nviews; i++)
		if (!near || g->views[i].score > near->score)
			near = &g->views[i];
	if (!near)
		return rb_fail(RB_FAULT_NO_GID, -ENOENT,
			       "no port has a GID: nothing reaches '%s'",
			       g->opts->peer);
	return rb_fail_cause(RB_FAULT_GID_PEER, -ENETUNREACH,
			     near->reasons[0].text,
			     "no GID reaches '%s'; index %u of '%s' port %u (%s) comes closest",
			     g->opts->peer, near->gid->index, near->dev->name,
			     near->dev->port,
			     rb_gid_text(&near->gid->raw, text));
}

static int judge(struct gids *g)
{
	for (unsigned int i = 0; i < g->nviews; i++)
		rb_gid_view_judge(&g->views[i], &g->peer);
	g->best = rb_gid_views_rank(g->views, g->nviews);
	return g->best ? 0 : report_none(g);
}

static void make_hca(char text[static SETTING_TEXT],
		     const struct rb_gid_view *view)
{
	/* "=": this very name, not all that begin with it (NCCL's manual) */
	snprintf(text, SETTING_TEXT, "=%s:%u", view->dev->name,
		 view->dev->port);
}

static void make_port(char text[static SETTING_TEXT],
		      const struct rb_gid_view *view)
{
	snprintf(text, SETTING_TEXT, "%s:%u", view->dev->name, view->dev->port);
}

static void make_index(char text[static SETTING_TEXT],
		       const struct rb_gid_view *view)
{
	snprintf(text, SETTING_TEXT, "%u", view->gid->index);
}

static void make_options(char text[static SETTING_TEXT],
			 const struct rb_gid_view *view)
{
	size_t n = (size_t)snprintf(text, SETTING_TEXT, "-d %s -i %u",
				    view->dev->name, view->dev->port);

	if (view->gid->type != RB_GID_IB)
		snprintf(text + n, SETTING_TEXT - n, " -x %u",
			 view->gid->index);
}

/* What to tell others, so that they use the same entry. */
static const struct {
	const char *name;
	bool gid_only; /* nothing to say on InfiniBand, where there is no choice */
	void (*make)(char text[static SETTING_TEXT],
		     const struct rb_gid_view *view);
} settings[] = {
	{ "NCCL_IB_HCA", false, make_hca },
	{ "NCCL_IB_GID_INDEX", true, make_index },
	{ "UCX_NET_DEVICES", false, make_port },
	{ "UCX_IB_GID_INDEX", true, make_index },
	{ "FI_VERBS_GID_IDX", true, make_index },
	{ "options", false, make_options },
};

/* --- the document and the text ------------------------------------------- */

static json_t *choice_json(const struct gids *g)
{
	json_t *to = rb_gid_view_json(g->best);
	json_t *list = json_object();
	char text[SETTING_TEXT];

	for (size_t i = 0; i < RB_ARRAY_SIZE(settings); i++) {
		if (settings[i].gid_only && g->best->gid->type == RB_GID_IB)
			continue;
		settings[i].make(text, g->best);
		json_object_set_new(list, settings[i].name, json_string(text));
	}
	json_object_set_new(to, "settings", list);
	return to;
}

static void put_document(const struct gids *g, struct rb_report *report)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < g->nviews; i++)
		json_array_append_new(list, rb_gid_view_json(&g->views[i]));
	rb_report_set(report, "gids", list);
	if (g->best)
		rb_report_set(report, "choice", choice_json(g));
}

static const char *address_cell(const struct rb_gid *gid,
				char cell[static CELL_TEXT])
{
	char text[RB_GID_TEXT], prefix[sizeof("/255")] = "";

	if (gid->prefix)
		snprintf(prefix, sizeof(prefix), "/%u", gid->prefix);
	snprintf(cell, CELL_TEXT, "%s%s", rb_gid_text(&gid->raw, text),
		 prefix);
	return cell;
}

static const char *netdev_cell(const struct rb_gid_view *view,
			       char cell[static CELL_TEXT])
{
	const struct rb_netdev *netdev = &view->netdev;
	char vlan[sizeof(" VLAN 4294967295")] = "";

	if (netdev->vlan)
		snprintf(vlan, sizeof(vlan), " VLAN %u", netdev->vlan);
	if (netdev->ifindex)
		snprintf(cell, CELL_TEXT, "%s%s %s", netdev->name, vlan,
			 rb_netdev_state_name(netdev->state));
	else
		snprintf(cell, CELL_TEXT, "%s",
			 view->gid->elsewhere ? "other namespace" : "-");
	return cell;
}

static const char *ip_cell(const struct rb_gid *gid)
{
	if (gid->type == RB_GID_IB)
		return "-";
	return gid->stale ? "stale" : gid->prefix ? "present" : "-";
}

static void show_port(struct rb_report *out, const struct rb_gid_port *port)
{
	rb_report_text(out, "%s port %u  %s, %s\n", port->dev.name,
		       port->dev.port,
		       port->dev.is_iwarp ?
			       "iWARP" :
			       rb_link_layer_name(
				       port->dev.port_attr.link_layer),
		       rb_port_state_name(port->dev.port_attr.state));
	if (port->dev.is_iwarp)
		rb_report_text(out, "  iWARP uses the addresses of TCP: there is no GID to choose\n");
	else if (!port->table->n)
		rb_report_text(out, "  no GID: give the network interface an address\n");
	else
		rb_report_text(out, "  %5s  %-7s  %-12s  %-7s  %-25s  %s\n",
			       "index", "type", "scope", "IP", "netdev",
			       "address");
}

static void show_table(const struct gids *g, struct rb_report *out)
{
	char netdev[CELL_TEXT], address[CELL_TEXT];
	unsigned int v = 0;

	for (unsigned int p = 0; p < g->ports.n; p++) {
		const struct rb_gid_port *port = &g->ports.v[p];

		if (p)
			rb_report_text(out, "\n");
		show_port(out, port);
		for (; v < g->nviews && g->views[v].table == port->table; v++) {
			const struct rb_gid_view *view = &g->views[v];

			rb_report_text(out, "  %5u  %-7s  %-12s  %-7s  %-25s  %s\n",
				       view->gid->index,
				       rb_gid_type_name(view->gid->type),
				       rb_gid_scope(view->gid),
				       ip_cell(view->gid),
				       netdev_cell(view, netdev),
				       address_cell(view->gid, address));
		}
		if (port->dev.port_attr.link_layer ==
			    IBV_LINK_LAYER_INFINIBAND &&
		    port->table->n)
			rb_report_text(out, "  InfiniBand: the subnet manager's prefix and the port's GUID; no index needs to be chosen\n");
	}
}

static void show_verdict(struct rb_report *out, const struct rb_gid_view *view)
{
	char rank[CELL_TEXT] = "-", address[RB_GID_TEXT];

	if (view->usable)
		snprintf(rank, sizeof(rank), "%u", view->rank);
	rb_report_text(out, "  %4s  %s port %u index %u  %s %s%s%s\n", rank,
		       view->dev->name, view->dev->port, view->gid->index,
		       rb_gid_type_name(view->gid->type),
		       rb_gid_text(&view->gid->raw, address),
		       view->netdev.ifindex ? " on " : "", view->netdev.name);
	for (unsigned int i = 0; i < view->nreasons; i++)
		rb_report_text(out, "        %s%s\n",
			       view->usable ? "can, but " : "",
			       view->reasons[i].text);
	if (view->usable && !view->nreasons && view->rank > 1)
		rb_report_text(out, "        can as well\n");
}

/* The best first, then what cannot be used, by device and index. */
static void show_ranking(const struct gids *g, struct rb_report *out)
{
	char to[RB_GID_TEXT], from[RB_GID_TEXT];
	union ibv_gid raw;
	unsigned int rank = 0, shown;

	memcpy(&raw, &g->peer.addr, sizeof(raw));
	rb_gid_text(&raw, to);
	memcpy(&raw, &g->peer.source, sizeof(raw));
	rb_report_text(out, "\nfor the peer %s%s%s\n", to,
		       g->peer.has_source ?
			       ", to which this host sends IP from " :
			       ", to which this host has no route",
		       g->peer.has_source ? rb_gid_text(&raw, from) : "");
	do {
		shown = 0;
		rank++;
		for (unsigned int i = 0; i < g->nviews; i++) {
			if (g->views[i].rank != rank)
				continue;
			show_verdict(out, &g->views[i]);
			shown++;
		}
	} while (shown);
	for (unsigned int i = 0; i < g->nviews; i++)
		if (!g->views[i].usable)
			show_verdict(out, &g->views[i]);
}

static void show_choice(const struct gids *g, struct rb_report *out)
{
	const struct rb_gid_view *best = g->best;
	char text[SETTING_TEXT];

	if (best->gid->type == RB_GID_IB)
		rb_report_text(out, "\nuse %s port %u: InfiniBand, no GID index needs to be chosen\n",
			       best->dev->name, best->dev->port);
	else
		rb_report_text(out, "\nuse GID index %u of %s port %u (%s %s)\n",
			       best->gid->index, best->dev->name,
			       best->dev->port,
			       rb_gid_type_name(best->gid->type),
			       rb_gid_text(&best->gid->raw, text));
	for (size_t i = 0; i < RB_ARRAY_SIZE(settings); i++) {
		bool is_options = settings[i].make == make_options;

		if (settings[i].gid_only && best->gid->type == RB_GID_IB)
			continue;
		settings[i].make(text, best);
		if (is_options)
			rb_report_text(out, "  rbench, perftest: %s\n", text);
		else
			rb_report_text(out, "  %s=%s\n", settings[i].name,
				       text);
	}
}

static int report_gids(struct rb_local_call *call)
{
	const struct gids_opts *opts = call->opts;
	struct rb_report *report = call->report;
	struct gids g = { .opts = opts };
	int err = opts->peer ? find_peer(&g) : 0;

	if (!err)
		err = rb_gid_ports_read(&g.ports, opts->device,
					opts->port == RB_AUTO ?
						0 :
						(unsigned int)opts->port);
	if (!err)
		err = make_views(&g);
	if (!err)
		show_table(&g, report);
	if (!err && opts->peer) {
		err = judge(&g);
		show_ranking(&g, report);
	}
	if (g.best)
		show_choice(&g, report);
	put_document(&g, report);
	free(g.views);
	rb_gid_ports_free(&g.ports);
	rb_gid_peer_close(&g.peer);
	return err;
}

static const struct rb_local gids_local = {
	.group = &gids_optgroup,
	.opts_size = sizeof(struct gids_opts),
	.usage = "[options]",
	.no_csv = "give --json",
	.run = report_gids,
};

const struct rb_command rb_command_gids = {
	.name = "gids",
	.summary = "GID tables, and which entry is right for a peer",
	.kind = RB_COMMAND_LOCAL,
	.local = &gids_local,
};
