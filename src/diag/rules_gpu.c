/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_gpu - rules: memory of GPUs for RDMA
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/units.h"
#include "diag/subject.h"

#define DMABUF_KERNEL 5012
#define BAR1_SMALL (1ll << 30)
#define BAR1 1 /* of NVIDIA's: the window into the GPU's memory */

/* False when there is no GPU of this kind: said. */
static bool has_driver(struct rb_subject *s, const char *module)
{
	const json_t *modules = rb_need(s, RB_HOST, "modules");

	if (!modules)
		return false;
	if (json_object_get(modules, module))
		return true;
	if (!rb_unreadable(s, RB_HOST, "modules"))
		rb_subject_skip(s, "the driver '%s' is not loaded", module);
	return false;
}

static bool has_peermem(struct rb_subject *s)
{
	const json_t *list = rb_get(s, RB_HOST, "gpu/peer_memory");

	return rb_lists(list, "nvidia_peermem") || rb_lists(list, "nv_peer_mem");
}

/* The open kernel modules export dma-buf. */
static bool is_open(struct rb_subject *s)
{
	return strcasestr(rb_get_text(s, RB_HOST, "gpu/nvidia_version"), "open");
}

static void gpu_peermem(struct rb_subject *s)
{
	unsigned int kernel;

	if (!has_driver(s, "nvidia") || rb_unreadable(s, RB_HOST, "gpu/peer_memory"))
		return;
	kernel = rb_subject_kernel(s);
	if (has_peermem(s))
		rb_subject_pass(s, "a peer-memory module is loaded");
	else if (rb_unreadable(s, RB_HOST, "gpu/nvidia_version"))
		return;
	else if (!kernel) {
		if (!rb_unreadable(s, RB_HOST, "host/kernel"))
			rb_subject_unknown(s, "the kernel's release is not known");
	} else if (kernel >= DMABUF_KERNEL && is_open(s))
		rb_subject_pass(s, "dma-buf serves in its place");
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"nvidia is loaded, nvidia_peermem is not%s",
				kernel < DMABUF_KERNEL ? ", and this kernel has no dma-buf regions" :
				": without it only the open kernel modules can (dma-buf)");
}

static void gpu_dmabuf(struct rb_subject *s)
{
	unsigned int kernel;

	if (!has_driver(s, "nvidia"))
		return;
	kernel = rb_need_kernel(s);
	if (!kernel)
		return;
	if (kernel < DMABUF_KERNEL)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"kernel %s cannot register GPU memory by dma-buf (5.12)",
				rb_get_text(s, RB_HOST, "host/kernel"));
	else if (!rb_unreadable(s, RB_HOST, "gpu/nvidia_version")) {
		if (is_open(s))
			rb_subject_pass(s, "kernel and driver can");
		else
			rb_subject_fail(s, RB_SEVERITY_INFO,
					"the closed kernel modules of nvidia give out no dma-buf");
	}
}

static void gpu_geforce(struct rb_subject *s)
{
	const json_t *models = rb_need(s, RB_HOST, "gpu/nvidia_models");
	const char *address;
	json_t *model;

	if (!models)
		return;
	json_object_foreach((json_t *)(uintptr_t)models, address, model) {
		const char *name = json_string_value(model);

		if (!name || (!strcasestr(name, "GeForce") && !strcasestr(name, "TITAN")))
			continue;
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s is a %s: consumer boards have no GPUDirect RDMA",
				address, name);
		return;
	}
	rb_subject_pass(s, "no consumer board");
}

static void gpu_bar1(struct rb_subject *s)
{
	const json_t *list = rb_need(s, RB_HOST, "gpu/functions"), *one;
	char text[RB_TEXT_SIZE];
	size_t i, told = 0;

	if (!list)
		return;
	json_array_foreach(list, i, one) {
		const char *name = json_string_value(one);
		const json_t *bars = name ? rb_at(rb_at(rb_at(s->doc, "pci"), name), "bars") : NULL;
		int64_t size = 0;

		for (size_t k = 0; k < json_array_size(bars); k++)
			if (json_integer_value(json_array_get(bars, k)) > size)
				size = json_integer_value(json_array_get(bars, k));
		told += size > 0;
		if (size <= 0 || size >= BAR1_SMALL)
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the window into the memory of GPU %s has %s: larger regions fail with EFAULT or ENOMEM",
				name, rb_format_size((uint64_t)size, text));
		return;
	}
	if (told)
		rb_subject_pass(s, "the GPUs' windows are large");
	else if (json_array_size(list))
		rb_subject_unknown(s, "the sizes of the GPUs' windows are not known");
	else
		rb_subject_skip(s, "there is no GPU");
}

static void gpu_amd(struct rb_subject *s)
{
	const json_t *options;

	if (!has_driver(s, "amdgpu"))
		return;
	options = rb_need(s, RB_HOST, "host/boot_options");
	if (!options || rb_unreadable(s, RB_HOST, "iommu"))
		return;
	if (rb_lists(options, "iommu=pt") || rb_lists(options, "iommu=off") ||
	    rb_lists(options, "amd_iommu=off") ||
	    !json_array_size(rb_get(s, RB_HOST, "iommu/units")))
		rb_subject_pass(s, "the IOMMU does not translate");
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"amdgpu is loaded, an IOMMU is on, and the kernel was booted without iommu=pt");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "GPU-PEERMEM", .scope = RB_SCOPE_HOST, .severity = E, .test = gpu_peermem,
	  .title = "no way from the NIC to the GPU's memory", .reads = "/modules /gpu/peer_memory /gpu/nvidia_version /host/kernel",
	  .why = "Registering GPU memory fails with EFAULT: it needs nvidia_peermem, or dma-buf (kernel 5.12, open kernel modules, a provider and a program that use it).",
	  .fix = "modprobe nvidia_peermem", .evidence = "NVIDIA/nccl#523 and reports like it" },
	{ .id = "GPU-PEERMEM-SYM", .scope = RB_SCOPE_HOST, .severity = E, .test = rb_rule_log,
	  .title = "the peer-memory module does not fit", .reads = "/kernel_log",
	  .why = "The vendor's RDMA stack was installed after the GPU's driver: nvidia_peermem was built without it.",
	  .fix = "install the GPU's driver again, then modprobe nvidia_peermem", .evidence = "NVIDIA/open-gpu-kernel-modules pull 630, linux-rdma/perftest#269" },
	{ .id = "GPU-DMABUF", .scope = RB_SCOPE_HOST, .severity = I, .test = gpu_dmabuf,
	  .title = "no dma-buf of GPU memory", .reads = "/modules /host/kernel /gpu/nvidia_version",
	  .why = "Programs that register GPU memory by dma-buf need kernel 5.12, the open kernel modules, and a provider that can (mlx5, irdma, efa, newer bnxt_re).",
	  .fix = "install the open kernel modules; or use nvidia_peermem", .evidence = "kernel: ib_umem_dmabuf" },
	{ .id = "GPU-GEFORCE", .scope = RB_SCOPE_HOST, .severity = E, .test = gpu_geforce,
	  .title = "a consumer GPU", .reads = "/gpu/nvidia_models",
	  .why = "These boards give no other device access to their memory: registering fails.",
	  .fix = "copy through host memory: NCCL_NET_GDR_LEVEL=LOC, UCX_IB_GPU_DIRECT_RDMA=no", .evidence = "openucx/ucx#8049, FlagOpen/FlagCX#61" },
	{ .id = "GPU-BAR1", .scope = RB_SCOPE_HOST, .severity = W, .test = gpu_bar1,
	  .title = "a small window into the GPU's memory", .reads = "/gpu/functions /pci/*/bars",
	  .why = "What is registered must fit into the window (BAR1), together with all else that is mapped.",
	  .fix = "BIOS: Above 4G decoding, resizable BAR; register less", .evidence = "Mellanox/nv_peer_memory#27" },
	{ .id = "GPU-AMD", .scope = RB_SCOPE_HOST, .severity = W, .test = gpu_amd,
	  .title = "AMD GPUs behind a translating IOMMU", .reads = "/modules /host/boot_options /iommu",
	  .why = "Transfers between GPU and NIC hang or fail.",
	  .fix = "boot with iommu=pt; BIOS: large BAR (Above 4G decoding)", .evidence = "ROCm/rccl#1129" },
};
/* clang-format on */

const struct rb_rules rb_rules_gpu = { "GPUs", rows, RB_ARRAY_SIZE(rows) };
