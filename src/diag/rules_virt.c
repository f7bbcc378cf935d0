/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_virt - rules: virtual functions, bonds, virtual machines, clouds
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "diag/subject.h"

static void vf_state(struct rb_subject *s)
{
	const json_t *vfs = rb_need(s, RB_NETDEV, "vfs"), *vf;
	size_t i;

	if (!vfs)
		return;
	json_array_foreach(vfs, i, vf) {
		if (strcmp(rb_text_at(vf, "link_state"), "disable"))
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"virtual function %" PRId64 " of %s is switched off (link-state disable)",
				rb_int_at(vf, "index", -1), s->netdev);
		return;
	}
	rb_subject_pass(s, "%zu virtual functions, none is switched off",
			json_array_size(vfs));
}

static void vf_rdma(struct rb_subject *s)
{
	const json_t *functions = rb_need(s, RB_HOST, "pci");
	size_t vfs = 0;
	const char *name;
	json_t *function;

	if (!functions || rb_unreadable(s, RB_HOST, "pci"))
		return;
	json_object_foreach((json_t *)(uintptr_t)functions, name, function) {
		const char *pf = rb_text_at(function, "physical_function");
		const json_t *parent = *pf ? json_object_get(functions, pf) : NULL;

		vfs += *pf != '\0';
		if (!*pf || !strcmp(rb_text_at(function, "driver"), "vfio-pci") ||
		    !*rb_text_at(function, "driver") ||
		    json_array_size(json_object_get(function, "rdma")) ||
		    !json_array_size(json_object_get(parent, "rdma")))
			continue;
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"virtual function %s has no RDMA device, its physical function %s has one",
				name, pf);
		return;
	}
	if (vfs)
		rb_subject_pass(s, "%zu virtual functions", vfs);
	else
		rb_subject_skip(s, "there are no virtual functions");
}

/* The bond of a port, NULL: none (said). */
static const json_t *bond_of(struct rb_subject *s, const char **name)
{
	const json_t *netdevs = rb_at(s->doc, "netdevs"), *bond;

	*name = rb_get_text(s, RB_NETDEV, "master");
	bond = **name ? rb_at(json_object_get(netdevs, *name), "bond") : NULL;
	if (!bond) {
		bond = rb_get(s, RB_NETDEV, "bond");
		*name = s->netdev;
	}
	if (!bond && !rb_unreadable(s, RB_NETDEV, "master"))
		rb_subject_skip(s, "no bond");
	return bond;
}

/* The card that a slave sits on: its address without the function. */
static bool same_card(const json_t *netdevs, const char *a, const char *b)
{
	const char *x = rb_text_at(json_object_get(netdevs, a), "pci");
	const char *y = rb_text_at(json_object_get(netdevs, b), "pci");
	size_t n = strcspn(x, ".");

	return !*x || !*y || (strcspn(y, ".") == n && !strncmp(x, y, n));
}

static void lag_mode(struct rb_subject *s)
{
	const json_t *bond, *slaves;
	const char *name;
	int64_t mode;

	bond = bond_of(s, &name);
	if (!bond)
		return;
	mode = rb_int_at(bond, "mode", -1);
	slaves = json_object_get(bond, "slaves");
	if (mode < 0)
		rb_subject_unknown(s, "the mode of %s is not known", name);
	else if (mode != 1 && mode != 2 && mode != 4)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"bond %s has mode %" PRId64 " (%s): RoCE LAG needs 1, 2 or 4",
				name, mode, rb_text_at(bond, "mode_name"));
	else if (json_array_size(slaves) > 1 &&
		 !same_card(rb_at(s->doc, "netdevs"), rb_text_at(slaves, "0"),
			    rb_text_at(slaves, "1")))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the slaves of %s are of different adapters: there is no RoCE LAG",
				name);
	else
		rb_subject_pass(s, "bond %s, mode %" PRId64, name, mode);
}

static void lag_one_port(struct rb_subject *s)
{
	const json_t *bond;
	const char *name;

	bond = bond_of(s, &name);
	if (!bond)
		return;
	if (json_array_size(json_object_get(bond, "slaves")) > 1 &&
	    rb_int_at(bond, "mode", -1) != 1)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s is a bond of several links: one queue pair uses one of them",
				name);
	else
		rb_subject_pass(s, "one link carries all");
}

static void lag_state(struct rb_subject *s)
{
	const char *state = rb_need_text(s, RB_DEVICE, "lag/state");

	if (!state)
		return;
	if (!strcmp(state, "active") &&
	    !strchr(rb_get_text(s, RB_DEVICE, "lag/mapping"), ':'))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"RoCE LAG of %s is active, and its mapping is not told",
				s->device);
	else if (!strcmp(state, "active"))
		rb_subject_pass(s, "RoCE LAG is active: %s",
				rb_get_text(s, RB_DEVICE, "lag/mapping"));
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"RoCE LAG of %s is not active (%s)", s->device, state);
}

static void vm_passthrough(struct rb_subject *s)
{
	bool vm;

	if (!rb_need_flag(s, RB_HOST, "host/hypervisor", &vm))
		return;
	if (vm && !strcmp(rb_text_at(s->devicev, "driver"), "mlx5_core"))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s is passed through to a virtual machine: where large messages fail and small ones pass, its memory mapping is the cause",
				s->device);
	else
		rb_subject_pass(s, vm ? "not an adapter with a known case" :
					"this is no virtual machine");
}

static void az_pkey(struct rb_subject *s)
{
	const char *vendor = rb_need_text(s, RB_HOST, "host/vendor");

	if (!vendor)
		return;
	if (strcmp(vendor, "Microsoft Corporation"))
		rb_subject_skip(s, "this is not Azure");
	else if (json_array_size(rb_get(s, RB_PORT, "pkeys")) > 1)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s/%s is of an Azure machine: the key to use is the one that is not the default (0x7fff, 0xffff), at index 0 or 1",
				s->device, s->port);
	else if (!rb_unreadable(s, RB_PORT, "pkeys"))
		rb_subject_pass(s, "one partition key");
}

static void find_efa(struct rb_subject *one, void *arg)
{
	*(bool *)arg |= !strcmp(rb_text_at(one->devicev, "driver"), "efa");
}

static void efa_none(struct rb_subject *s)
{
	const char *vendor = rb_need_text(s, RB_HOST, "host/vendor");
	bool efa = false;

	if (!vendor)
		return;
	if (strcmp(vendor, "Amazon EC2")) {
		rb_subject_skip(s, "this is not AWS");
		return;
	}
	rb_subject_each(s, RB_SCOPE_DEVICE, find_efa, &efa);
	if (efa)
		rb_subject_pass(s, "there is an EFA device");
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"an EC2 instance without an EFA device: it is not enabled on a network interface, or the type has none");
}

static void efa_sg(struct rb_subject *s)
{
	struct rb_moved far = rb_counter_of(s, RB_PORT, "hw.unresponsive_remote_events");
	struct rb_moved timeouts = rb_counter_of(s, RB_PORT, "hw.retrans_timeout_events");

	if (strcmp(rb_text_at(s->devicev, "driver"), "efa"))
		rb_subject_skip(s, "it is not EFA");
	else if (!rb_need(s, RB_PORT, "counters"))
		return;
	else if (far.delta || timeouts.delta)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"peers of %s do not answer: the security group must allow all traffic from itself to itself",
				s->device);
	else if (far.there || timeouts.there)
		rb_subject_pass(s, "no peer failed to answer while it was watched");
	else
		rb_subject_skip(s, "the driver does not count that");
}

static void ali_erdma(struct rb_subject *s)
{
	const char *mode;

	if (strcmp(rb_text_at(s->devicev, "driver"), "erdma")) {
		rb_subject_skip(s, "it is not erdma");
		return;
	}
	if (!rb_need(s, RB_HOST, "modules/erdma"))
		return;
	mode = rb_get_text(s, RB_HOST, "modules/erdma/parameters/compat_mode");
	if (*mode == 'Y' || *mode == '1')
		rb_subject_pass(s, "compatibility mode is on");
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"erdma is not in compatibility mode: only programs that use rdma_cm can connect");
}

#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "VF-STATE", .scope = RB_SCOPE_PORT, .severity = W, .test = vf_state, .on = RB_ON_ETHERNET,
	  .title = "a virtual function is switched off", .reads = "/netdevs/*/vfs",
	  .why = "Its port stays down in the virtual machine or pod.",
	  .fix = "ip link set {netdev} vf N state auto", .evidence = "ip-link(8)" },
	{ .id = "VF-RDMA", .scope = RB_SCOPE_HOST, .severity = W, .test = vf_rdma,
	  .title = "a virtual function without RDMA", .reads = "/pci",
	  .why = "RoCE is switched off for the function (enable_roce), or the RDMA module did not take it.",
	  .fix = "devlink port function set DEV roce enable, or devlink dev param set pci/FUNCTION name enable_roce value true cmode driverinit; devlink dev reload", .evidence = "devlink-port(8)" },
	{ .id = "LAG-MODE", .scope = RB_SCOPE_PORT, .severity = W, .test = lag_mode, .on = RB_ON_ROCE,
	  .title = "a bond that RoCE cannot use", .reads = "/netdevs/*/master",
	  .why = "RoCE LAG exists for active-backup, balance-xor and 802.3ad over the ports of one adapter. Else the RDMA devices stay those of the single ports, without the bond's addresses.",
	  .fix = "ip link set BOND type bond mode 802.3ad, over both ports of one adapter", .evidence = "kernel: mlx5 lag" },
	{ .id = "LAG-STATE", .scope = RB_SCOPE_DEVICE, .severity = I, .test = lag_state, .on = RB_ON_HARDWARE,
	  .title = "the state of RoCE LAG", .reads = "/devices/*/lag",
	  .why = "Which port a queue pair uses is in the mapping.",
	  .fix = "cat /sys/kernel/debug/mlx5/{pci}/lag/mapping", .evidence = "kernel: mlx5 lag" },
	{ .id = "LAG-ONE-PORT", .scope = RB_SCOPE_PORT, .severity = I, .test = lag_one_port, .on = RB_ON_ROCE,
	  .title = "one queue pair, one link", .reads = "/netdevs/*/master",
	  .why = "Half of the bond's bandwidth with one queue pair is as it should be.",
	  .fix = "rbench -q 4", .evidence = "kernel: mlx5 lag" },
	{ .id = "VM-PASSTHROUGH", .scope = RB_SCOPE_DEVICE, .severity = I, .test = vm_passthrough, .on = RB_ON_HARDWARE,
	  .title = "a device passed through to a virtual machine", .reads = "/host/hypervisor",
	  .why = "Status 4 with vendor_err 0x3b or 0x9d for large messages only has been the mapping of the guest's memory.",
	  .fix = "huge pages for the guest's memory; iommu=pt on the host", .evidence = "linux-rdma/perftest#394" },
	{ .id = "EFA-SG", .scope = RB_SCOPE_PORT, .severity = W, .test = efa_sg, .on = RB_ON_OTHER,
	  .title = "EFA peers do not answer", .reads = "/devices/*/ports/*/counters",
	  .why = "EFA is not routed, and the security group must allow everything between its members; its own rules by port are not enough.",
	  .fix = "a rule from the security group to itself, all traffic, both ways; one subnet", .evidence = "ofiwg/libfabric#9694" },
	{ .id = "EFA-NONE", .scope = RB_SCOPE_HOST, .severity = I, .test = efa_none,
	  .title = "no EFA device", .reads = "/host/vendor",
	  .why = "EFA is switched on by network interface when the instance is started.",
	  .fix = "attach a network interface of type efa", .evidence = "public documentation" },
	{ .id = "AZ-PKEY", .scope = RB_SCOPE_PORT, .severity = W, .test = az_pkey, .on = RB_ON_IB,
	  .title = "partition keys of Azure", .reads = "/host/vendor /devices/*/ports/*/pkeys",
	  .why = "The tenant's key is not the default one, and neither its index nor the device's name is always the same.",
	  .fix = "look for it: grep -r . /sys/class/infiniband/*/ports/1/pkeys | grep -v 0x0000", .evidence = "MicrosoftDocs/azure-docs#69185, #94446" },
	{ .id = "ALI-ERDMA", .scope = RB_SCOPE_DEVICE, .severity = I, .test = ali_erdma, .on = RB_ON_HARDWARE,
	  .title = "erdma without compatibility mode", .reads = "/modules",
	  .why = "Programs that exchange queue pair numbers themselves cannot connect.",
	  .fix = "modprobe -r erdma; modprobe erdma compat_mode=Y", .evidence = "public documentation" },
};
/* clang-format on */

const struct rb_rules rb_rules_virt = { "Virtual functions, bonds, clouds", rows,
					RB_ARRAY_SIZE(rows) };
