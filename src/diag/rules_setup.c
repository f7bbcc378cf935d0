/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_setup - rules: is there a device, and may a program use it
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"

#define KERNEL(major, minor) ((major) * 1000u + (minor))

/* --- devices ---------------------------------------------------------------- */

/* NICs that can do RDMA, and the module that makes an RDMA device of them. */
static const struct {
	const char *vendor, *device; /* the beginning of the identifier */
	const char *module;
} nics[] = {
	{ "0x15b3", "0x1003", "mlx4_ib" },	{ "0x15b3", "0x1004", "mlx4_ib" },
	{ "0x15b3", "0x1007", "mlx4_ib" },
	{ "0x15b3", "0x10", "mlx5_ib" },	{ "0x15b3", "0xa2d", "mlx5_ib" },
	{ "0x14e4", "0x16d", "bnxt_re" },	{ "0x14e4", "0x175", "bnxt_re" },
	{ "0x14e4", "0x176", "bnxt_re" },	{ "0x8086", "0x159", "irdma" },
	/* E823: 0x188a to 0x188e; 0x1889 is a virtual function of others */
	{ "0x8086", "0x188a", "irdma" },	{ "0x8086", "0x188b", "irdma" },
	{ "0x8086", "0x188c", "irdma" },	{ "0x8086", "0x188d", "irdma" },
	{ "0x8086", "0x188e", "irdma" },	{ "0x1d0f", "0xefa", "efa" },
	{ "0x19e5", "0xa22", "hns_roce_hw_v2" }, { "0x1ded", "0x107f", "erdma" },
	{ "0x1dd8", "0x1002", "ionic_rdma" },	{ "0x1dd8", "0x1003", "ionic_rdma" },
	{ "0x1077", "0x16", "qedr" },		{ "0x1077", "0x80", "qedr" },
	{ "0x1425", "0x5", "iw_cxgb4" },	{ "0x1425", "0x6", "iw_cxgb4" },
};

static const char *module_of(const json_t *function)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(nics); i++)
		if (!strcmp(rb_text_at(function, "vendor_id"), nics[i].vendor) &&
		    !strncmp(rb_text_at(function, "device_id"), nics[i].device,
			     strlen(nics[i].device)))
			return nics[i].module;
	return NULL;
}

static void dev_none(struct rb_subject *s)
{
	const json_t *devices = rb_need(s, RB_HOST, "devices");

	if (!devices)
		return;
	if (json_object_size(devices))
		rb_subject_pass(s, "RDMA devices: %zu", json_object_size(devices));
	else if (!rb_unreadable(s, RB_HOST, "devices"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"there is no RDMA device");
}

static void dev_pci(struct rb_subject *s)
{
	const json_t *functions = rb_need(s, RB_HOST, "pci");
	bool any = json_object_size(json_object_get(s->doc, "devices"));
	const char *name;
	size_t idle = 0, used = 0;
	json_t *function;

	if (!functions || rb_unreadable(s, RB_HOST, "pci"))
		return;
	json_object_foreach((json_t *)(uintptr_t)functions, name, function) {
		const char *module = module_of(function);

		if (module && !json_array_size(json_object_get(function, "rdma")) &&
		    strcmp(rb_text_at(function, "driver"), "vfio-pci")) {
			bool loaded = json_object_get(
				json_object_get(s->doc, "modules"), module);

			idle++;
			rb_subject_fail(s, any ? RB_SEVERITY_INFO : RB_SEVERITY_ERROR,
					"%s (%s) could do RDMA and has no RDMA device: %s %s",
					name, rb_text_at(function, "device"), module,
					loaded ? "is loaded, RDMA is switched off in the device or its configuration" :
						 "is not loaded");
		} else if (module) {
			used++;
		}
	}
	if (idle)
		return;
	if (used)
		rb_subject_pass(s, "all %zu NICs that can do RDMA have a device", used);
	else
		rb_subject_skip(s, "no PCI function that is known to do RDMA");
}

/* --- device nodes ----------------------------------------------------------- */

static void dev_uverbs(struct rb_subject *s)
{
	const json_t *nodes = rb_need(s, RB_HOST, "device_nodes");
	const char *path;
	size_t n = 0, bad = 0;
	json_t *node;

	if (!nodes)
		return;
	json_object_foreach((json_t *)(uintptr_t)nodes, path, node) {
		if (!json_is_true(json_object_get(node, "announced")))
			continue;
		n++;
		if (json_is_true(json_object_get(node, "exists")))
			continue;
		bad++;
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"%s of %s is announced in sysfs and is not there",
				path, rb_text_at(node, "device"));
	}
	if (!n)
		rb_subject_skip(s, "no device is announced");
	else if (!bad)
		rb_subject_pass(s, "all %zu device nodes are there", n);
}

/* A node that is there and cannot be opened for reading and writing. */
static void dev_perm(struct rb_subject *s)
{
	const json_t *nodes = rb_need(s, RB_HOST, "device_nodes");
	size_t n = 0, bad = 0, silent = 0;
	const char *path;
	json_t *node;

	if (!nodes)
		return;
	json_object_foreach((json_t *)(uintptr_t)nodes, path, node) {
		const json_t *usable = json_object_get(node, "usable");

		if (!json_is_true(json_object_get(node, "exists")) ||
		    (!strstr(path, "uverbs") && !strstr(path, "rdma_cm")))
			continue;
		n++;
		silent += !json_is_boolean(usable);
		if (!json_is_false(usable))
			continue;
		bad++;
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"user %" JSON_INTEGER_FORMAT
				" may not use %s (mode %s, user %" JSON_INTEGER_FORMAT
				", group %" JSON_INTEGER_FORMAT ")",
				(json_int_t)rb_get_int(s, RB_HOST, "process/uid", -1), path,
				rb_text_at(node, "mode"),
				(json_int_t)rb_int_at(node, "uid", -1),
				(json_int_t)rb_int_at(node, "gid", -1));
	}
	if (!n)
		rb_subject_skip(s, "there are no device nodes");
	else if (silent)
		rb_subject_unknown(s, "it is not known whether %zu of %zu nodes can be opened",
				   silent, n);
	else if (!bad)
		rb_subject_pass(s, "this user may use all %zu nodes", n);
}

static void count_cm_users(struct rb_subject *one, void *arg)
{
	unsigned int *kinds = arg;

	*kinds |= one->kind & (RB_ON_ROCE | RB_ON_IB | RB_ON_IWARP);
}

static void dev_rdmacm(struct rb_subject *s)
{
	const json_t *nodes = rb_need(s, RB_HOST, "device_nodes");
	const json_t *node = json_object_get(nodes, "/dev/infiniband/rdma_cm");
	unsigned int kinds = 0;

	if (!nodes)
		return;
	rb_subject_each(s, RB_SCOPE_DEVICE, count_cm_users, &kinds);
	if (!kinds)
		rb_subject_skip(s, "no device that rdma_cm is for");
	else if (json_is_true(json_object_get(node, "exists")))
		rb_subject_pass(s, "/dev/infiniband/rdma_cm is there");
	else
		rb_subject_fail(s, kinds & RB_ON_IWARP ? RB_SEVERITY_ERROR :
							 RB_SEVERITY_WARNING,
				"there is no /dev/infiniband/rdma_cm%s",
				kinds & RB_ON_IWARP ? ": iWARP works through it only" : "");
}

/* --- libraries -------------------------------------------------------------- */

/* Drivers whose provider has another name. */
static const struct {
	const char *driver, *provider;
} providers[] = {
	{ "mlx5_core", "mlx5" },  { "mlx4_core", "mlx4" }, { "bnxt_en", "bnxt_re" },
	{ "ice", "irdma" },	  { "i40e", "irdma" },	   { "idpf", "irdma" },
	{ "rdma_rxe", "rxe" },	  { "hns3", "hns" },	   { "hns_roce_hw_v2", "hns" },
	{ "ionic", "ionic" },	  { "qede", "qedr" },	   { "iw_cxgb4", "cxgb4" },
	{ "be2net", "ocrdma" },	  { "hfi1", "hfi1verbs" }, { "vmxnet3", "vmw_pvrdma" },
	{ "ib_qib", "ipathverbs" },
};

static const char *provider_of(const char *driver)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(providers); i++)
		if (!strcmp(providers[i].driver, driver))
			return providers[i].provider;
	return driver;
}

static void dev_provider(struct rb_subject *s)
{
	const char *driver = rb_need_text(s, RB_DEVICE, "driver"), *abi;
	const json_t *libraries;
	char name[128];

	if (!driver)
		return;
	if (rb_get_flag(s, RB_DEVICE, "usable")) {
		rb_subject_pass(s, "libibverbs opens the device");
		return;
	}
	libraries = rb_need(s, RB_HOST, "providers/libraries");
	abi = libraries ? rb_need_text(s, RB_HOST, "providers/abi") : NULL;
	if (!abi)
		return;
	snprintf(name, sizeof(name), "lib%s-%s.so", provider_of(driver), abi);
	if (rb_lists(libraries, name))
		rb_subject_pass(s, "%s is there", name);
	else
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"libibverbs (%s) has no provider for %s: %s is not there",
				abi, driver, name);
}

static void dev_ofedmix(struct rb_subject *s)
{
	const json_t *core = rb_get(s, RB_HOST, "modules/mlx5_core");
	const char *ofed = rb_get_text(s, RB_HOST, "providers/ofed");
	bool vendor;

	if (rb_unreadable(s, RB_HOST, "modules") ||
	    rb_unreadable(s, RB_HOST, "providers/ofed"))
		return;
	if (!core) {
		rb_subject_skip(s, "mlx5_core is not loaded");
		return;
	}
	vendor = json_is_true(json_object_get(core, "out_of_tree"));
	if (vendor == (*ofed != '\0'))
		rb_subject_pass(s, vendor ? "modules and libraries are the vendor's (%s)" :
					    "modules and libraries are the distribution's%s", ofed);
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				vendor ? "mlx5_core is not the kernel's own, and no vendor's stack is installed for the libraries%s" :
					 "mlx5_core is the kernel's own, and the libraries may be of %s",
				ofed);
}

/* --- namespaces ------------------------------------------------------------- */

static void ns_mode(struct rb_subject *s)
{
	const char *mode = rb_need_text(s, RB_HOST, "rdma/netns_mode");
	const char *netdev = mode ? rb_need_text(s, RB_PORT, "netdev") : NULL;

	if (!netdev)
		return;
	if (s->netdevv)
		rb_subject_pass(s, "%s is in this network namespace (mode %s)",
				netdev, mode);
	else if (!rb_unreadable(s, RB_HOST, "netdevs"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"the interface %s of the port is not in this network namespace (mode %s)",
				netdev, mode);
}

static void ns_gids(struct rb_subject *s)
{
	const json_t *gids = rb_need(s, RB_PORT, "gids"), *gid;
	size_t i, seen = 0;

	if (!gids)
		return;
	json_array_foreach(gids, i, gid)
		seen += json_is_string(json_object_get(gid, "netdev"));
	if (!json_array_size(gids))
		rb_subject_skip(s, "the table is empty");
	else if (seen)
		rb_subject_pass(s, "%zu of %zu GIDs have an interface here", seen,
				json_array_size(gids));
	else if (!rb_unreadable(s, RB_PORT, "gids"))
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"none of the %zu GIDs has an interface in this network namespace",
				json_array_size(gids));
}

static void fork_safe(struct rb_subject *s)
{
	bool cow;

	if (!rb_need_flag(s, RB_HOST, "rdma/copy_on_fork", &cow))
		return;
	if (cow)
		rb_subject_pass(s, "the kernel copies pinned pages on fork");
	else if (rb_get(s, RB_HOST, "environment/RDMAV_FORK_SAFE") ||
		 rb_get(s, RB_HOST, "environment/IBV_FORK_SAFE"))
		rb_subject_pass(s, "the environment asks for fork protection");
	else
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the kernel does not copy pinned pages on fork, and RDMAV_FORK_SAFE is not set");
}

/* --- versions --------------------------------------------------------------- */

static void ver_kernel(struct rb_subject *s)
{
	unsigned int kernel = rb_need_kernel(s);

	if (!kernel)
		return;
	if (kernel < KERNEL(5, 12))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"kernel %s has no memory regions of dma-buf (5.12) and no copy on fork",
				rb_get_text(s, RB_HOST, "host/kernel"));
	else
		rb_subject_pass(s, "kernel %s", rb_get_text(s, RB_HOST, "host/kernel"));
}

static void find_mlx5(struct rb_subject *one, void *arg)
{
	*(bool *)arg |= !strcmp(rb_text_at(one->devicev, "driver"), "mlx5_core");
}

/* The package's version is the last number but one: libibverbs.so.1.14.44.0 */
static void ver_rdma_core(struct rb_subject *s)
{
	const char *name = rb_need_text(s, RB_HOST, "providers/libibverbs");
	unsigned int version;
	bool mlx5 = false;

	if (!name)
		return;
	rb_subject_each(s, RB_SCOPE_DEVICE, find_mlx5, &mlx5);
	if (sscanf(name, "libibverbs.so.1.%*u.%u", &version) != 1)
		rb_subject_unknown(s, "'%s' tells no version", name);
	else if (!mlx5)
		rb_subject_skip(s, "no row of the table is for these devices");
	else if (version < 61)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"rdma-core %u: libmlx5 before 61 cuts the length of indirect keys (mlx5dv_wr_mr_list) of more than 2 GiB",
				version);
	else
		rb_subject_pass(s, "rdma-core %u", version);
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "DEV-NONE", .scope = RB_SCOPE_HOST, .severity = E, .test = dev_none,
	  .title = "no RDMA device", .reads = "/devices",
	  .why = "The kernel has registered no RDMA device: there is no NIC that can do RDMA, its driver is not loaded, or RDMA is switched off in it.",
	  .fix = "rbench doctor --rule DEV-PCI; modprobe mlx5_ib (bnxt_re, irdma, efa, ...)",
	  .evidence = "nminoru/pib#2" },
	{ .id = "DEV-PCI", .scope = RB_SCOPE_HOST, .severity = E, .test = dev_pci,
	  .title = "a NIC that can do RDMA has no RDMA device", .reads = "/pci",
	  .why = "The NIC's driver works, its RDMA half does not: the module is missing, or RoCE is switched off (devlink enable_roce for mlx5, roce_ena of irdma for ice). Worth an error only where the host has no other RDMA device.",
	  .fix = "modprobe mlx5_ib (bnxt_re, irdma, ...); devlink dev param show",
	  .evidence = "common operational practice" },
	{ .id = "DEV-UVERBS", .scope = RB_SCOPE_HOST, .severity = E, .test = dev_uverbs,
	  .title = "a device node is missing", .reads = "/device_nodes",
	  .why = "libibverbs lists devices by sysfs and opens them by /dev/infiniband: in a container the first is often there without the second. librdmacm before 2021 then fails for all devices.",
	  .fix = "docker run --device=/dev/infiniband ...; in Kubernetes the device plugin's resource",
	  .evidence = "hustcat/k8s-rdma-device-plugin#8, linux-rdma/rdma-core pull 1060" },
	{ .id = "DEV-PERM", .scope = RB_SCOPE_HOST, .severity = E, .test = dev_perm,
	  .title = "this user may not open a device node", .reads = "/device_nodes /device_nodes/*/usable",
	  .why = "Opening the device fails with EACCES (mode, group) or EPERM (the cgroup's device list). udev usually makes these nodes 0666.",
	  .fix = "usermod -aG rdma USER and log in again, or a udev rule with MODE=\"0666\" for KERNEL==\"uverbs*\"",
	  .evidence = "hustcat/k8s-rdma-device-plugin#8" },
	{ .id = "DEV-RDMACM", .scope = RB_SCOPE_HOST, .severity = E, .test = dev_rdmacm,
	  .title = "no rdma_cm for programs", .reads = "/device_nodes",
	  .why = "Connections by address (librdmacm, rbench -R) need /dev/infiniband/rdma_cm; iWARP has no other way.",
	  .fix = "modprobe rdma_ucm; in a container: --device=/dev/infiniband/rdma_cm",
	  .evidence = "common operational practice" },
	{ .id = "DEV-PROVIDER", .scope = RB_SCOPE_DEVICE, .severity = E, .test = dev_provider,
	  .title = "libibverbs has no provider for the device", .reads = "/providers /devices/*/driver",
	  .why = "The device is there and no program sees it: \"no userspace device-specific driver\". The provider must be of the same private ABI (rdmavNN) as libibverbs. A warning about another provider that cannot be loaded is harmless.",
	  .fix = "apt install ibverbs-providers (dnf install libibverbs), of the same version as libibverbs",
	  .evidence = "nminoru/pib#2, NVIDIA/caffe#590, NVIDIA/nccl#1044" },
	{ .id = "DEV-OFEDMIX", .scope = RB_SCOPE_HOST, .severity = W, .test = dev_ofedmix,
	  .title = "kernel modules and libraries are of different makers", .reads = "/modules /providers/ofed",
	  .why = "Modules of MLNX_OFED or DOCA and libraries of the distribution (or the reverse) do not always fit: \"disagrees about version of symbol\", missing features.",
	  .fix = "use one stack: ofed_info -s; modinfo mlx5_core | grep -E 'filename|version'",
	  .evidence = "LINBIT/drbd#59" },
	{ .id = "NS-MODE", .scope = RB_SCOPE_PORT, .severity = E, .test = ns_mode, .on = RB_ON_ETHERNET,
	  .title = "the port's interface is in another network namespace", .reads = "/rdma/netns_mode /devices/*/ports/*/netdev /netdevs",
	  .why = "GIDs belong to the interface: from here they read as zero, or address resolution fails with ENODEV.",
	  .fix = "rdma dev set {device} netns NAME (mode exclusive), or move {netdev} here: ip link set {netdev} netns NAME",
	  .evidence = "kernel: drivers/infiniband/core/device.c" },
	{ .id = "NS-GIDS", .scope = RB_SCOPE_PORT, .severity = E, .test = ns_gids, .on = RB_ON_ROCE,
	  .title = "no GID is usable from this network namespace", .reads = "/devices/*/ports/*/gids",
	  .why = "Pods with macvlan share one GID table: each sees all GIDs, and only those of its own interface work. The usable index is then a large one and differs from pod to pod.",
	  .fix = "choose the GID by its interface: rbench gids -d {device}",
	  .evidence = "public reports of macvlan pods" },
	{ .id = "FORK", .scope = RB_SCOPE_HOST, .severity = W, .test = fork_safe,
	  .title = "memory regions do not survive fork", .reads = "/rdma/copy_on_fork",
	  .why = "After fork() the kernel gives the parent a copy of a page at its next write, while the device keeps using the old one: silent corruption, or protection errors.",
	  .fix = "kernel 5.13 or later; or export RDMAV_FORK_SAFE=1 (and RDMAV_HUGEPAGES_SAFE=1)",
	  .evidence = "linux-rdma/rdma-core pulls 975, 1431" },
	{ .id = "VER-KERNEL", .scope = RB_SCOPE_HOST, .severity = I, .test = ver_kernel,
	  .title = "the kernel lacks features", .reads = "/host/kernel",
	  .why = "Before 5.12 there are no memory regions of dma-buf (GPU memory without a peer-memory module) and no copy on fork.",
	  .fix = "a newer kernel where these are needed",
	  .evidence = "kernel history" },
	{ .id = "VER-RDMA-CORE", .scope = RB_SCOPE_HOST, .severity = I, .test = ver_rdma_core,
	  .title = "a library with a known error", .reads = "/providers/libibverbs",
	  .why = "libmlx5 before 61 adds up the pieces of an indirect memory key in 32 bits with a sign: over about 2 GiB the length is cut, and peers get status 10 (0x88) at high offsets only.",
	  .fix = "rdma-core 61 or later, where mlx5dv_wr_mr_list is used on large regions",
	  .evidence = "rdma-core commit e23cb0a72" },
};
/* clang-format on */

const struct rb_rules rb_rules_setup = { "Devices and libraries", rows,
					 RB_ARRAY_SIZE(rows) };
