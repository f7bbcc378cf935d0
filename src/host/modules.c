/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * modules - kernel modules for RDMA, its NICs and GPUs, and GPUs' own facts
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/files.h"
#include "host/snap.h"
#include "host/sysfs.h"

#define NAME_TEXT 64
#define LINE_TEXT 512

/* Modules that matter; those of GPUs' peer memory tell who reaches it. */
static const struct {
	const char *name;
	bool peer_memory;
} rows[] = {
	{ "ib_core", false },
	{ "ib_uverbs", false },
	{ "ib_umad", false },
	{ "ib_cm", false },
	{ "iw_cm", false },
	{ "rdma_cm", false },
	{ "rdma_ucm", false },
	{ "ib_ipoib", false },
	{ "mlx5_core", false },
	{ "mlx5_ib", false },
	{ "mlx4_core", false },
	{ "mlx4_ib", false },
	{ "mlx_compat", false },
	{ "mlxfw", false },
	{ "bnxt_en", false },
	{ "bnxt_re", false },
	{ "ice", false },
	{ "idpf", false },
	{ "irdma", false },
	{ "i40e", false },
	{ "i40iw", false },
	{ "efa", false },
	{ "ena", false },
	{ "hns3", false },
	{ "hns_roce_hw_v2", false },
	{ "erdma", false },
	{ "ionic", false },
	{ "ionic_rdma", false },
	{ "qed", false },
	{ "qede", false },
	{ "qedr", false },
	{ "cxgb4", false },
	{ "iw_cxgb4", false },
	{ "mana", false },
	{ "mana_ib", false },
	{ "rdma_rxe", false },
	{ "siw", false },
	{ "hfi1", false },
	{ "ocrdma", false },
	{ "vmw_pvrdma", false },
	{ "usnic_verbs", false },
	{ "nvidia", false },
	{ "nvidia_uvm", false },
	{ "nouveau", false },
	{ "nvidia_peermem", true },
	{ "nv_peer_mem", true },
	{ "gdrdrv", true },
	{ "amdgpu", false },
	{ "amdp2p", true },
	{ "xe", false },
	{ "i915", false },
	{ "vfio_pci", false },
	{ "bonding", false },
	{ "8021q", false },
	{ "nf_tables", false },
	{ "ip_tables", false },
};

static void put_parameters(const struct rb_place *module, const char *name)
{
	struct rb_place to = rb_place_enter(module, "parameters");
	struct rb_names names;

	rb_sysfs_list(&names, "module/%s/parameters", name);
	for (unsigned int i = 0; i < names.n; i++) {
		char text[LINE_TEXT];

		/* which of them are secret is the module's business */
		if (!rb_sysfs_text(text, sizeof(text),
				   "module/%s/parameters/%s", name, names.v[i]))
			json_object_set_new(to.object, names.v[i],
					    rb_report_string(text));
	}
	rb_names_free(&names);
	rb_place_leave(module, "parameters");
}

static void put_module(const struct rb_place *to, const char *name)
{
	struct rb_place module = rb_place_enter(to, name);
	char text[NAME_TEXT];
	uint64_t uses;

	if (!rb_sysfs_text(text, sizeof(text), "module/%s/version", name))
		rb_fact_text(module.object, "version", text);
	if (!rb_sysfs_text(text, sizeof(text), "module/%s/srcversion", name))
		rb_fact_text(module.object, "srcversion", text);
	/* only a module that was loaded has this file */
	if (rb_sysfs_text(text, sizeof(text), "module/%s/initstate", name))
		rb_fact_value(module.object, "builtin", json_true());
	if (!rb_sysfs_u64(&uses, "module/%s/refcnt", name))
		rb_fact_number(module.object, "uses", uses);
	if (!rb_sysfs_text(text, sizeof(text), "module/%s/taint", name)) {
		rb_fact_flag(module.object, "out_of_tree",
			     strchr(text, 'O') != NULL);
		rb_fact_flag(module.object, "proprietary",
			     strchr(text, 'P') != NULL);
	}
	put_parameters(&module, name);
}

static bool is_loaded(const char *name)
{
	struct rb_names names;
	bool loaded = !rb_sysfs_list(&names, "module/%s", name);

	rb_names_free(&names);
	return loaded;
}

void rb_snap_modules(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "modules");

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (is_loaded(rows[i].name))
			put_module(&to, rows[i].name);
	rb_place_leave(doc, "modules");
}

/* Lines "Model: \t NVIDIA H100" of what the driver tells of each GPU. */
static void put_nvidia_models(const struct rb_place *gpu)
{
	struct rb_place to = rb_place_enter(gpu, "nvidia_models");
	struct rb_names names;

	rb_file_list(&names, "proc/driver/nvidia/gpus");
	for (unsigned int i = 0; i < names.n; i++) {
		char *text, *rest, *line;

		if (rb_file_read(&text, NULL,
				 "proc/driver/nvidia/gpus/%s/information",
				 names.v[i]))
			continue;
		rest = text;
		while ((line = rb_next_line(&rest))) {
			const char *model = rb_line_value(line, "Model");

			if (model)
				json_object_set_new(to.object, names.v[i],
						    rb_report_string(model));
		}
		free(text);
	}
	rb_names_free(&names);
	rb_place_leave(gpu, "nvidia_models");
}

static void put_functions(const struct rb_place *doc, json_t *gpu)
{
	json_t *list = json_array(), *function;
	const char *address;

	json_object_foreach(json_object_get(doc->object, "pci"), address,
			    function) {
		const json_t *role = json_object_get(function, "role");

		if (!strcmp(json_string_value(role), "gpu"))
			json_array_append_new(list, json_string(address));
	}
	if (json_array_size(list))
		rb_fact_value(gpu, "functions", list);
	else
		json_decref(list);
}

void rb_snap_gpu(const struct rb_place *doc)
{
	struct rb_place to = rb_place_enter(doc, "gpu");
	json_t *peers = json_array();

	put_functions(doc, to.object);
	rb_place_text(&to, "nvidia_version", "proc/driver/nvidia/version");
	put_nvidia_models(&to);
	for (size_t i = 0; i < RB_ARRAY_SIZE(rows); i++)
		if (rows[i].peer_memory && is_loaded(rows[i].name))
			json_array_append_new(peers, json_string(rows[i].name));
	/* "none" is worth saying where there is a GPU */
	if (json_object_size(to.object) || json_array_size(peers))
		rb_fact_value(to.object, "peer_memory", peers);
	else
		json_decref(peers);
	rb_place_leave(doc, "gpu");
}
