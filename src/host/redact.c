/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * redact - take names and addresses out of a snapshot, consistently
 */
#include "host/redact.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "host/redacttext.h"

#define GONE "(redacted)"

/* Keys whose texts are versions or the like: nothing in them is an address. */
static const char *const plain_keys[] = {
	"schema",
	"version",
	"taken_at",
	"firmware",
	"driver_version",
	"kernel",
	"kernel_build",
	"os",
	"bios_version",
	"bios_date",
	"nvidia_version",
	"libibverbs",
	"librdmacm",
	"libraries",
	"ofed",
	"capabilities",
	"srcversion",
	"driver",
	"device_filter",
	"pci",
	"path",
	"functions",
	"physical_function",
	"bus",
};

static bool is_among(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

/* Options of the kernel's command line that rules look at. */
static const char *const known_options[] = {
	"iommu",
	"intel_iommu",
	"amd_iommu",
	"pci",
	"pcie_aspm",
	"pcie_ports",
	"isolcpus",
	"nohz_full",
	"rcu_nocbs",
	"hugepages",
	"hugepagesz",
	"default_hugepagesz",
	"mitigations",
	"idle",
	"intel_idle.max_cstate",
	"processor.max_cstate",
	"intel_pstate",
	"amd_pstate",
	"cpufreq.default_governor",
	"transparent_hugepage",
	"numa_balancing",
	"nosmt",
	"tsc",
	"clocksource",
	"quiet",
	"ro",
	"rw",
	"splash",
	"nomodeset",
	"selinux",
	"iommu.passthrough",
	"iommu.strict",
	"skew_tick",
	"nosoftlockup",
};

static json_t *redact_option(const char *option)
{
	char name[RB_REDACT_TOKEN];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(option, "="), option);
	return json_string(
		is_among(name, known_options, RB_ARRAY_SIZE(known_options))
			? option
			: GONE);
}

/* How a text is redacted, by the section and the key that it stands at. */
static json_t *redact_string(const struct rb_redaction *r, const char *section,
			     const char *key, const char *text)
{
	if (!strcmp(section, "host") && !strcmp(key, "name"))
		return json_string(RB_REDACT_HOST);
	if (!strcmp(section, "host") && !strcmp(key, "boot_options"))
		return redact_option(text);
	if (!strcmp(section, "environment"))
		return rb_redact_value(r, text);
	if (!strcmp(section, "cgroup") && !strcmp(key, "path"))
		return json_string(strcmp(text, "/") ? "/" GONE : text);
	/* a path of a cgroup may be in a file's name */
	if (!strcmp(key, "source") && strstr(text, "/cgroup/"))
		return json_string("/sys/fs/cgroup/" GONE);
	if (is_among(key, plain_keys, RB_ARRAY_SIZE(plain_keys)))
		return json_string(text);
	return rb_redact_text(r, text);
}

static void walk(const struct rb_redaction *r, const char *section,
		 const char *key, json_t *value);

static void redact_member(const struct rb_redaction *r, const char *section,
			  const char *key, json_t *parent, json_t *value)
{
	if (json_is_string(value))
		json_object_set_new(parent, key,
				    redact_string(r, section, key,
						  json_string_value(value)));
	else
		walk(r, section, key, value);
}

/* Snapshots are some levels deep; a loader has limited the others. */
static void walk(const struct rb_redaction *r, const char *section,
		 const char *key, json_t *value)
{
	const char *name;
	json_t *member;
	void *next;
	size_t i;

	json_object_foreach_safe(value, next, name, member)
		redact_member(r, section, name, value, member);
	json_array_foreach(value, i, member) {
		if (json_is_string(member))
			json_array_set_new(
				value, i,
				redact_string(r, section, key,
					      json_string_value(member)));
		else
			walk(r, section, key, member);
	}
}

static void read_names(struct rb_redaction *r)
{
	const char *name = json_string_value(
		json_object_get(json_object_get(r->doc, "host"), "name"));

	/* a name that every text has says nothing, and would spoil them */
	if (!name || !strcmp(name, "localhost"))
		return;
	snprintf(r->name, sizeof(r->name), "%s", name);
	snprintf(r->short_name, sizeof(r->short_name), "%.*s",
		 (int)strcspn(name, "."), name);
}

int rb_redact(json_t *doc)
{
	struct rb_redaction r = { .doc = doc };
	int err = rb_anon_init(&r.anon);
	const char *section;
	json_t *value;
	void *next;

	if (err)
		return rb_fail(RB_FAULT_SYSTEM, err,
			       "cannot make a key to redact with");
	r.words = json_object();
	read_names(&r);
	json_object_foreach_safe(doc, next, section, value)
		redact_member(&r, section, section, doc, value);
	json_object_set_new(doc, "redacted", json_true());
	json_decref(r.words);
	return 0;
}
