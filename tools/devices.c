/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devices - what this host has: devices, ports, GIDs, and where they sit
 *
 * The text is a view of the document's "devices": both come from one reading.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/units.h"
#include "command.h"
#include "local.h"
#include "host/ibsys.h"
#include "verbs/devlist.h"

#define NOTES_TEXT 64
#define LINE_TEXT 256

struct devices_opts {
	const char *device; /* NULL: all */
};

static const struct rb_opt devices_rows[] = {
	{ .name = "device",
	  .letter = 'd',
	  .type = RB_OPT_STRING,
	  .arg = "NAME",
	  .offset = offsetof(struct devices_opts, device),
	  .help = "only this device, or the one of this network interface" },
};

static const struct rb_optgroup devices_optgroup = {
	"Device", devices_rows, RB_ARRAY_SIZE(devices_rows)
};

static uint64_t number_at(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static bool flag_at(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* Add to a line what @fmt makes, with @between in front unless it is empty. */
static RB_PRINTF(3, 4) void add(char line[static LINE_TEXT],
				const char *between, const char *fmt, ...)
{
	size_t n = strlen(line);
	va_list args;

	if (n)
		n += (size_t)snprintf(line + n, LINE_TEXT - n, "%s", between);
	if (n >= LINE_TEXT)
		return;
	va_start(args, fmt);
	vsnprintf(line + n, LINE_TEXT - n, fmt, args);
	va_end(args);
}

static void add_link(char line[static LINE_TEXT], const char *between,
		     double gt_per_s, uint64_t width)
{
	if (gt_per_s > 0 && width)
		add(line, between, "%g GT/s x%" PRIu64, gt_per_s, width);
}

static void show_pci(struct rb_report *out, const json_t *device)
{
	const json_t *pci = json_object_get(device, "pci");
	const json_t *node = json_object_get(device, "numa_node");
	double speed = json_number_value(json_object_get(pci, "gt_per_s"));
	double max = json_number_value(json_object_get(pci, "max_gt_per_s"));
	uint64_t width = number_at(pci, "width");
	uint64_t max_width = number_at(pci, "max_width");
	char line[LINE_TEXT] = "";

	if (!pci)
		return;
	add(line, "", "PCI %s", rb_text_at(pci, "address"));
	if (*rb_text_at(pci, "device"))
		add(line, " ", "%s", rb_text_at(pci, "device"));
	if (flag_at(pci, "virtual_function"))
		add(line, " ", "(virtual function)");
	add_link(line, ", ", speed, width);
	if (speed < max || width < max_width)
		add_link(line, " of ", max, max_width);
	if (node)
		add(line, ", ", "NUMA node %" PRIu64,
		    number_at(device, "numa_node"));
	rb_report_text(out, "  %s\n", line);
}

static void show_netdev(struct rb_report *out, const json_t *port)
{
	const json_t *addresses = json_object_get(port, "addresses");
	char line[LINE_TEXT] = "";
	const json_t *address;
	size_t i;

	if (!*rb_text_at(port, "netdev"))
		return;
	add(line, "", "%s", rb_text_at(port, "netdev"));
	if (*rb_text_at(port, "netdev_state"))
		add(line, " ", "%s", rb_text_at(port, "netdev_state"));
	if (number_at(port, "netdev_mtu"))
		add(line, ", ", "MTU %" PRIu64, number_at(port, "netdev_mtu"));
	json_array_foreach(addresses, i, address)
		add(line, i ? " " : ", ", "%s", json_string_value(address));
	rb_report_text(out, "          %s\n", line);
}

static const char *notes_of(const json_t *gid, char notes[static NOTES_TEXT])
{
	snprintf(notes, NOTES_TEXT, "%s%s",
		 flag_at(gid, "netdev_down") ? "  netdev is down" : "",
		 flag_at(gid, "stale") ? "  stale: no such address here" : "");
	return notes;
}

static void show_gids(struct rb_report *out, const json_t *port)
{
	const json_t *gids = json_object_get(port, "gids");
	bool ethernet = !strcmp(rb_text_at(port, "link_layer"), "Ethernet");
	char notes[NOTES_TEXT];
	const json_t *gid;
	size_t i;

	if (json_array_size(gids))
		rb_report_text(out, "    %5s  %-7s  %-15s  %s\n", "GID", "type",
			       "netdev", "address");
	else if (gids && ethernet)
		rb_report_text(
			out,
			"          no GID: give the network interface an address\n");
	json_array_foreach(gids, i, gid) rb_report_text(
		out, "    %5" PRIu64 "  %-7s  %-15s  %s%s\n",
		number_at(gid, "index"), rb_text_at(gid, "type"),
		*rb_text_at(gid, "netdev") ? rb_text_at(gid, "netdev") : "-",
		rb_text_at(gid, "address"), notes_of(gid, notes));
}

static void show_port(struct rb_report *out, const json_t *port)
{
	char line[LINE_TEXT] = "", rate[RB_TEXT_SIZE];
	uint64_t bits = number_at(port, "link_bits_per_s");

	add(line, "", "%s",
	    *rb_text_at(port, "state") ? rb_text_at(port, "state") : "unknown");
	if (*rb_text_at(port, "phys_state"))
		add(line, " ", "(%s)", rb_text_at(port, "phys_state"));
	add(line, ", ", "%s", rb_text_at(port, "link_layer"));
	if (bits)
		add(line, ", ", "%s", rb_format_rate((double)bits, rate));
	if (number_at(port, "mtu"))
		add(line, ", ", "MTU %" PRIu64, number_at(port, "mtu"));
	if (number_at(port, "mtu") < number_at(port, "max_mtu"))
		add(line, " ", "of %" PRIu64, number_at(port, "max_mtu"));
	if (json_object_get(port, "lid"))
		add(line, ", ", "LID %" PRIu64 ", SM LID %" PRIu64,
		    number_at(port, "lid"), number_at(port, "sm_lid"));
	rb_report_text(out, "  port %-3" PRIu64 "%s\n", number_at(port, "port"),
		       line);
	show_netdev(out, port);
	show_gids(out, port);
}

/* With -v: what the device can do and how much of it. */
static void show_details(struct rb_report *out, json_t *device)
{
	static const char *const sections[] = { "features", "limits" };
	const char *key;
	json_t *value;

	for (size_t s = 0; s < RB_ARRAY_SIZE(sections); s++) {
		json_t *section = json_object_get(device, sections[s]);

		if (section)
			rb_report_text(out, "  %s\n", sections[s]);
		json_object_foreach(section, key, value) {
			char *text = json_dumps(value, JSON_ENCODE_ANY);
			size_t n = text ? strlen(text) : 0;
			bool quoted = json_is_string(value) && n >= 2;

			rb_report_text(out, "    %-26s %.*s\n", key,
				       (int)(quoted ? n - 2 : n),
				       quoted ? text + 1 :
				       text   ? text :
						"");
			free(text);
		}
	}
}

static void show_device(struct rb_report *out, json_t *device, bool details)
{
	const json_t *ports = json_object_get(device, "ports");
	const json_t *error = json_object_get(device, "error");
	char line[LINE_TEXT] = "";
	const json_t *port;
	size_t i;

	if (*rb_text_at(device, "driver"))
		add(line, ", ", "driver %s", rb_text_at(device, "driver"));
	if (*rb_text_at(device, "firmware"))
		add(line, ", ", "firmware %s", rb_text_at(device, "firmware"));
	if (*rb_text_at(device, "board_id"))
		add(line, ", ", "board %s", rb_text_at(device, "board_id"));
	if (*rb_text_at(device, "transport") &&
	    strcmp(rb_text_at(device, "transport"), "IB"))
		add(line, ", ", "%s", rb_text_at(device, "transport"));
	rb_report_text(out, "%s%s%s\n", rb_text_at(device, "name"),
		       line[0] ? "  " : "", line);
	if (error)
		rb_report_text(out, "  %s%s%s\n", rb_text_at(error, "message"),
			       *rb_text_at(error, "cause") ? ": " : "",
			       rb_text_at(error, "cause"));
	show_pci(out, device);
	json_array_foreach(ports, i, port) show_port(out, port);
	if (details)
		show_details(out, device);
}

/* Those that the kernel has and libibverbs does not show. */
static void read_hidden(const struct rb_devlist *list, json_t *devices)
{
	struct rb_names names;

	rb_ibsys_devices(&names);
	for (unsigned int i = 0; i < names.n; i++)
		if (!rb_devlist_has(list, names.v[i]))
			json_array_append_new(devices,
					      rb_devlist_hidden_json(
						      names.v[i]));
	rb_names_free(&names);
}

/* All devices, or the one that the user named. */
static int read_devices(const struct devices_opts *opts, json_t *devices)
{
	struct rb_devmatch only = { 0 };
	struct rb_devlist list;
	int err = rb_devlist_open(&list);

	if (err)
		return err;
	if (opts->device)
		err = rb_devlist_find(&list, opts->device, &only);
	for (int i = 0; i < list.n && !err; i++)
		if (!only.device || only.device == list.v[i])
			json_array_append_new(devices,
					      rb_devlist_json(list.v[i]));
	if (!opts->device)
		read_hidden(&list, devices);
	rb_devlist_close(&list);
	return err;
}

static int report_devices(struct rb_local_call *call)
{
	struct rb_report *report = call->report;
	json_t *devices = json_array();
	int err = read_devices(call->opts, devices);
	json_t *device;
	size_t i;

	json_array_foreach(devices, i, device) {
		if (i)
			rb_report_text(report, "\n");
		show_device(report, device, report->opts->verbose > 0);
	}
	rb_report_set(report, "devices", devices);
	return err;
}

static const struct rb_local devices_local = {
	.group = &devices_optgroup,
	.opts_size = sizeof(struct devices_opts),
	.usage = "[options]",
	.no_csv = "give --json",
	.run = report_devices,
};

const struct rb_command rb_command_devices = {
	.name = "devices",
	.summary = "devices, ports and GIDs, with what sysfs, netlink and PCI add",
	.kind = RB_COMMAND_LOCAL,
	.local = &devices_local,
};
