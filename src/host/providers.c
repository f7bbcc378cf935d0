/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * providers - what of libibverbs is installed, and the devices' nodes in /dev
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define NAME_TEXT 128
#define MODE_TEXT 8
#define MODE_BITS 07777

/* Where distributions put libraries. */
static const char *const library_folders[] = {
	"usr/lib64",
	"usr/lib/x86_64-linux-gnu",
	"usr/lib/aarch64-linux-gnu",
	"usr/lib/powerpc64le-linux-gnu",
	"usr/lib/riscv64-linux-gnu",
	"usr/lib/s390x-linux-gnu",
	"usr/lib",
	"usr/local/lib",
};

static const char *const driver_folders[] = {
	"etc/libibverbs.d",
	"usr/etc/libibverbs.d",
	"usr/share/libibverbs.d",
	"usr/local/etc/libibverbs.d",
};

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

static void append_once(json_t *list, json_t *value)
{
	const json_t *old;
	size_t i;

	json_array_foreach(list, i, old) {
		if (json_equal(old, value)) {
			json_decref(value);
			return;
		}
	}
	json_array_append_new(list, value);
}

/* Each file says "driver mlx5", or "driver /path/libmlx5" of a build tree. */
static void put_drivers(json_t *drivers, const char *folder)
{
	struct rb_names names;

	rb_file_list(&names, "%s", folder);
	for (unsigned int i = 0; i < names.n; i++) {
		char line[NAME_TEXT], *name;

		if (!ends_with(names.v[i], ".driver") ||
		    rb_file_line(line, sizeof(line), "%s/%s", folder,
				 names.v[i]))
			continue;
		name = strchr(line, ' ');
		if (name)
			append_once(drivers, rb_report_string(name + 1));
	}
	rb_names_free(&names);
}

/* "libmlx5-rdmav34.so" */
static bool is_provider(const char *name)
{
	return !strncmp(name, "lib", 3) && strstr(name, "-rdmav") &&
	       ends_with(name, ".so");
}

static void put_libraries(const struct rb_place *to, json_t *libraries,
			  json_t *folders, const char *folder)
{
	char path[RB_FILE_PATH];
	struct rb_names names;
	bool found = false;

	rb_file_list(&names, "%s", folder);
	for (unsigned int i = 0; i < names.n; i++) {
		if (!is_provider(names.v[i]))
			continue;
		append_once(libraries, rb_report_string(names.v[i]));
		found = true;
	}
	rb_names_free(&names);
	snprintf(path, sizeof(path), "/%s", folder);
	if (found)
		json_array_append_new(folders, rb_report_string(path));
}

/* "libibverbs.so.1" is a link to the file with the version in its name. */
static void put_library(const struct rb_place *to, const char *folder,
			const char *name)
{
	char target[NAME_TEXT];

	if (json_object_get(to->object, name) ||
	    rb_file_link(target, sizeof(target), "%s/%s.so.1", folder, name))
		return;
	rb_fact_value(to->object, name, rb_report_string(target));
}

/*
 * The private ABI of this process's libibverbs is the suffix of the providers
 * that it loads. Of several that are installed the newest is taken.
 */
static void put_abi(const struct rb_place *to, const json_t *libraries)
{
	unsigned long best = 0;
	const json_t *name;
	char text[NAME_TEXT];
	size_t i;

	json_array_foreach(libraries, i, name) {
		const char *at = strstr(json_string_value(name), "-rdmav");
		unsigned long version =
			strtoul(at + strlen("-rdmav"), NULL, 10);

		best = RB_MAX(best, version);
	}
	snprintf(text, sizeof(text), "rdmav%lu", best);
	if (best)
		rb_fact_text(to->object, "abi", text);
}

/* What 'ofed_info' would print: a script that begins with its answer. */
static void put_ofed(const struct rb_place *to)
{
	char *text, *at;

	if (rb_file_read(&text, NULL, "usr/bin/ofed_info"))
		return;
	at = strstr(text, "MLNX_OFED_LINUX-");
	if (!at)
		at = strstr(text, "OFED-internal-");
	if (at) {
		at[strcspn(at, ": \n\"'")] = '\0';
		rb_fact_value(to->object, "ofed", rb_report_string(at));
	}
	free(text);
}

void rb_snap_providers(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "providers");
	json_t *drivers = json_array(), *libraries = json_array();
	json_t *folders = json_array();
	char plugins[NAME_TEXT];

	for (size_t i = 0; i < RB_ARRAY_SIZE(driver_folders); i++)
		put_drivers(drivers, driver_folders[i]);
	for (size_t i = 0; i < RB_ARRAY_SIZE(library_folders); i++) {
		snprintf(plugins, sizeof(plugins), "%s/libibverbs",
			 library_folders[i]);
		put_libraries(&to, libraries, folders, plugins);
		put_libraries(&to, libraries, folders, library_folders[i]);
		put_library(&to, library_folders[i], "libibverbs");
		put_library(&to, library_folders[i], "librdmacm");
	}
	put_abi(&to, libraries);
	rb_fact_value(to.object, "drivers", drivers);
	rb_fact_value(to.object, "libraries", libraries);
	rb_fact_value(to.object, "folders", folders);
	put_ofed(&to);
}

static struct rb_place enter_node(const struct rb_place *nodes,
				  const char *name)
{
	char path[NAME_TEXT];

	snprintf(path, sizeof(path), "/dev/infiniband/%s", name);
	return rb_place_enter(nodes, path);
}

static void put_node(const struct rb_place *nodes, const char *name)
{
	struct rb_place to = enter_node(nodes, name);
	char path[RB_FILE_PATH], mode[MODE_TEXT];
	struct stat st;

	if (rb_root_path(path, "dev/infiniband/%s", name) || stat(path, &st)) {
		rb_fact_value(to.object, "exists", json_false());
		return;
	}
	rb_fact_value(to.object, "exists", json_true());
	snprintf(mode, sizeof(mode), "0%o", st.st_mode & MODE_BITS);
	rb_fact_text(to.object, "mode", mode);
	rb_fact_number(to.object, "uid", st.st_uid);
	rb_fact_number(to.object, "gid", st.st_gid);
	rb_fact_value(to.object, "usable",
		      json_boolean(!access(path, R_OK | W_OK)));
}

/* Those that sysfs announces, there or not. */
static void put_announced(const struct rb_place *nodes, const char *folder,
			  const char *name)
{
	struct rb_place to = enter_node(nodes, name);
	char device[NAME_TEXT];

	if (!json_object_get(to.object, "exists"))
		rb_fact_value(to.object, "exists", json_false());
	rb_fact_value(to.object, "announced", json_true());
	if (!rb_sysfs_text(device, sizeof(device), "%s/%s/ibdev", folder, name))
		rb_fact_value(to.object, "device", rb_report_string(device));
}

void rb_snap_device_nodes(const struct rb_place *doc)
{
	static const char *const classes[] = { "class/infiniband_verbs",
					       "class/infiniband_mad" };
	struct rb_place nodes = rb_place_enter(doc, "device_nodes");
	struct rb_names names;
	char text[NAME_TEXT];
	int err = rb_file_list(&names, "dev/infiniband");

	rb_place_failed(doc, "device_nodes", "/dev/infiniband", err);
	for (unsigned int i = 0; i < names.n; i++)
		if (strncmp(names.v[i], "by-", 3))
			put_node(&nodes, names.v[i]);
	rb_names_free(&names);
	for (size_t c = 0; c < RB_ARRAY_SIZE(classes); c++) {
		rb_sysfs_list(&names, "%s", classes[c]);
		for (unsigned int i = 0; i < names.n; i++)
			if (strcmp(names.v[i], "abi_version"))
				put_announced(&nodes, classes[c], names.v[i]);
		rb_names_free(&names);
	}
	if (!rb_sysfs_text(text, sizeof(text), "class/misc/rdma_cm/dev"))
		put_announced(&nodes, "class/misc", "rdma_cm");
	rb_place_leave(doc, "device_nodes");
}
