/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules_pci - rules: PCIe, IOMMU, and what the kernel's log says of the card
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/units.h"
#include "diag/subject.h"

#define TLP_HEADER 26 /* bytes around the payload of a write, framing included */
#define MRRS_LOW 512
#define FAST 100000000000

/* Bits per second of a lane, encoding taken off. */
static const struct {
	double gt_per_s, bits_per_s;
} lanes[] = {
	{ 2.5, 2.0e9 },	 { 5, 4.0e9 },	   { 8, 7.877e9 },
	{ 16, 15.754e9 }, { 32, 31.508e9 }, { 64, 60.5e9 },
};

static double raw_of(double gt_per_s, int64_t width)
{
	double bits = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(lanes); i++)
		if (gt_per_s >= lanes[i].gt_per_s)
			bits = lanes[i].bits_per_s;
	return bits * (double)width;
}

/* What of the link is payload; 0: not known. */
static double usable_of(struct rb_subject *s)
{
	double gt = rb_get_real(s, RB_PCI, "gt_per_s", 0);
	int64_t width = rb_get_int(s, RB_PCI, "width", 0);
	int64_t mps = rb_get_int(s, RB_PCI, "express/mps_bytes", 256);

	if (width <= 0 || width > 64 || mps <= 0)
		return 0;
	return raw_of(gt, width) * (double)mps / (double)(mps + TLP_HEADER);
}

static void say_hidden(struct rb_subject *s)
{
	rb_subject_unknown(s, "the rate of a port of %s could not be read",
			   s->device);
}

/* Why the link is not what it could be; "" when it is. */
static void link_fault(struct rb_subject *s, char *out, size_t room)
{
	double now = rb_get_real(s, RB_PCI, "gt_per_s", 0);
	double most = rb_get_real(s, RB_PCI, "max_gt_per_s", 0);
	int64_t width = rb_get_int(s, RB_PCI, "width", 0);
	int64_t widest = rb_get_int(s, RB_PCI, "max_width", 0);

	*out = '\0';
	if (now < most || width < widest)
		snprintf(out, room, "runs at %g GT/s x%" PRId64 " of %g GT/s x%" PRId64,
			 now, width, most, widest);
}

static void pci_speed(struct rb_subject *s)
{
	char fault[96], have[RB_TEXT_SIZE], want[RB_TEXT_SIZE];
	struct rb_rates rates;
	double usable, rate;

	if (!rb_need(s, RB_PCI, "gt_per_s") || !rb_need(s, RB_PCI, "width"))
		return;
	link_fault(s, fault, sizeof(fault));
	usable = usable_of(s);
	rates = rb_function_rates(s);
	rate = rates.sum;
	rb_format_rate(usable, have);
	rb_format_rate(rate, want);
	if (rate > 0 && usable < rate)
		rb_subject_fail(s, usable < rate / 2 ? RB_SEVERITY_ERROR : RB_SEVERITY_WARNING,
				"the PCIe link of %s (%s) carries about %s, its port %s%s%s",
				s->device, s->pci, have, want, *fault ? ": it " : "", fault);
	else if (rates.hidden)
		say_hidden(s);
	else if (*fault)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"the PCIe link of %s (%s) %s; about %s are enough for its port",
				s->device, s->pci, fault, have);
	else
		rb_subject_pass(s, "about %s", have);
}

struct slot {
	const char *pci; /* without the function */
	double rates;
};

static void add_slot(struct rb_subject *one, void *arg)
{
	struct slot *slot = arg;
	size_t n = strcspn(slot->pci, ".");

	if (one->active && one->pci && !strncmp(one->pci, slot->pci, n) &&
	    one->pci[n] == '.')
		slot->rates += (double)rb_subject_rate(one);
}

static void pci_dual(struct rb_subject *s)
{
	char have[RB_TEXT_SIZE], want[RB_TEXT_SIZE];
	double usable, own = rb_function_rates(s).sum;
	struct slot slot = { .pci = s->pci };

	if (!rb_need(s, RB_PCI, "gt_per_s") || !rb_need(s, RB_PCI, "width"))
		return;
	usable = usable_of(s);
	rb_subject_each(s, RB_SCOPE_PORT, add_slot, &slot);
	rb_format_rate(usable, have);
	rb_format_rate(slot.rates, want);
	if (slot.rates > own && usable < slot.rates)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"the ports of the card %s have %s together, its slot about %s: they cannot all be full at once",
				s->pci, want, have);
	else
		rb_subject_pass(s, "the slot is enough for all ports of the card");
}

static void pci_mps(struct rb_subject *s)
{
	int64_t mps, able;

	if (!rb_need_int(s, RB_PCI, "express/mps_bytes", &mps) ||
	    !rb_need_int(s, RB_PCI, "express/mps_supported_bytes", &able))
		return;
	if (mps < able && mps <= 128)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the largest PCIe payload of %s is %" PRId64 " bytes of %" PRId64,
				s->pci, mps, able);
	else
		rb_subject_pass(s, "%" PRId64 " bytes", mps);
}

static void pci_mrrs(struct rb_subject *s)
{
	struct rb_rates rates;
	int64_t mrrs;

	if (!rb_need_int(s, RB_PCI, "express/mrrs_bytes", &mrrs))
		return;
	rates = rb_function_rates(s);
	if (mrrs < MRRS_LOW && rates.sum >= FAST)
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"%s reads at most %" PRId64 " bytes at a time from memory",
				s->pci, mrrs);
	else if (mrrs < MRRS_LOW && rates.hidden)
		say_hidden(s);
	else
		rb_subject_pass(s, "%" PRId64 " bytes", mrrs);
}

static void pci_ro(struct rb_subject *s)
{
	const char *vendor = rb_get_text(s, RB_HOST, "cpu/vendor");
	bool on;

	if (!rb_need_flag(s, RB_PCI, "express/relaxed_ordering", &on))
		return;
	if (on)
		rb_subject_pass(s, "relaxed ordering is allowed");
	else
		rb_subject_fail(s, strcmp(vendor, "GenuineIntel") ? RB_SEVERITY_WARNING :
								    RB_SEVERITY_INFO,
				"relaxed ordering is off in %s", s->pci);
}

static void pci_exttag(struct rb_subject *s)
{
	double gt = rb_get_real(s, RB_PCI, "gt_per_s", 0);
	bool extended, ten = rb_get_flag(s, RB_PCI, "express/ten_bit_tag");

	if (!rb_need_flag(s, RB_PCI, "express/extended_tag", &extended))
		return;
	if (!extended && !ten && gt >= 16)
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"%s may have 32 reads under way (no extended tags) on a link of %g GT/s",
				s->pci, gt);
	else
		rb_subject_pass(s, "tags are enough");
}

static void pci_aspm(struct rb_subject *s)
{
	const json_t *aspm = rb_need(s, RB_PCI, "express/aspm");
	const char *power = rb_get_text(s, RB_PCI, "power_control");

	if (!aspm)
		return;
	if (json_array_size(aspm))
		rb_subject_fail(s, RB_SEVERITY_WARNING,
				"the link of %s sleeps when idle (ASPM)", s->pci);
	else if (!strcmp(power, "auto"))
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"runtime power management of %s is on", s->pci);
	else
		rb_subject_pass(s, "the link never sleeps");
}

static void pci_aer(struct rb_subject *s)
{
	static const struct {
		const char *name;
		enum rb_severity severity;
	} kinds[] = {
		{ "aer.fatal", RB_SEVERITY_ERROR },
		{ "aer.nonfatal", RB_SEVERITY_ERROR },
		{ "aer.correctable", RB_SEVERITY_WARNING },
	};
	bool there = false;

	if (!rb_need(s, RB_PCI, "counters"))
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(kinds); i++) {
		struct rb_moved moved = rb_counter_of(s, RB_PCI, kinds[i].name);

		there |= moved.there;
		if (!moved.delta)
			continue;
		rb_subject_fail(s, kinds[i].severity,
				"PCIe errors of %s: %s grew by %" PRId64 " in %.3g s",
				s->pci, kinds[i].name, moved.delta, moved.seconds);
		return;
	}
	if (there)
		rb_subject_pass(s, "no error while it was watched");
	else
		rb_subject_skip(s, "errors are not reported (AER)");
}

/* --- IOMMU and ACS ---------------------------------------------------------- */

static bool has_gpu(const struct rb_subject *s)
{
	return json_array_size(rb_at(s->doc, "gpu/functions"));
}

static bool has_peer_memory(const struct rb_subject *s)
{
	return json_array_size(rb_at(s->doc, "gpu/peer_memory"));
}

static void iommu_mode(struct rb_subject *s)
{
	const char *type = rb_get_text(s, RB_PCI, "iommu_type");

	if (!s->pciv) {
		rb_subject_skip(s, "it is not on PCI");
		return;
	}
	if (rb_unreadable(s, RB_PCI, "iommu_group") ||
	    rb_unreadable(s, RB_PCI, "iommu_type"))
		return;
	if (!rb_get(s, RB_PCI, "iommu_group"))
		rb_subject_pass(s, "there is no IOMMU");
	else if (!strcmp(type, "identity"))
		rb_subject_pass(s, "the IOMMU passes its transfers through");
	else if (!*type)
		rb_subject_unknown(s, "its IOMMU group does not tell its type");
	else
		rb_subject_fail(s, has_gpu(s) && has_peer_memory(s) ? RB_SEVERITY_ERROR :
								      RB_SEVERITY_WARNING,
				"the IOMMU translates each transfer of %s (%s)",
				s->pci, type);
}

static void ats(struct rb_subject *s)
{
	const char *type = rb_get_text(s, RB_PCI, "iommu_type");
	bool on;

	if (!rb_need_flag(s, RB_PCI, "ats/enabled", &on) ||
	    rb_unreadable(s, RB_PCI, "iommu_type"))
		return;
	if (on)
		rb_subject_pass(s, "the device may cache translations");
	else if (strncmp(type, "DMA", 3))
		rb_subject_pass(s, "nothing is translated");
	else
		rb_subject_fail(s, RB_SEVERITY_INFO,
				"the IOMMU translates for %s, and the device may not cache translations (ATS is off)",
				s->pci);
}

static bool redirects(const json_t *bridge)
{
	static const char *const bits[] = { "request_redirect",
					    "completion_redirect",
					    "upstream_forwarding" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(bits); i++)
		if (json_is_true(json_object_get(json_object_get(bridge, "acs"),
						 bits[i])))
			return true;
	return false;
}

static bool is_above_gpu(const struct rb_subject *s, const char *bridge)
{
	const json_t *gpu;
	size_t i;

	json_array_foreach(rb_at(s->doc, "gpu/functions"), i, gpu) {
		const char *name = json_string_value(gpu);
		const json_t *function = name ? json_object_get(rb_at(s->doc, "pci"), name) : NULL;

		if (rb_lists(json_object_get(function, "path"), bridge))
			return true;
	}
	return false;
}

/* The first bridge that both the NIC and a GPU are below and that redirects. */
static void acs_on(struct rb_subject *s)
{
	const json_t *path = rb_need(s, RB_PCI, "path"), *bridge;
	const json_t *pci = rb_at(s->doc, "pci");
	size_t i;

	if (!path)
		return;
	if (!has_gpu(s)) {
		rb_subject_skip(s, "there is no GPU");
		return;
	}
	json_array_foreach(path, i, bridge) {
		const char *name = json_string_value(bridge);
		struct rb_subject one = *s;

		if (!name || !is_above_gpu(s, name))
			continue;
		one.pci = name;
		one.pciv = json_object_get(pci, name);
		if (rb_unreadable(&one, RB_PCI, "acs")) {
			s->said = true;
			return;
		}
		if (!redirects(one.pciv))
			continue;
		rb_subject_fail(s, RB_SEVERITY_ERROR,
				"ACS of bridge %s, on the way to %s, sends peer transfers up to the root: GPUDirect is slow or fails",
				name, s->device);
		return;
	}
	rb_subject_pass(s, "no bridge above it and a GPU redirects");
}

/* --- the kernel's log ------------------------------------------------------- */

static const struct {
	const char *rule, *pattern;
} log_rows[] = {
	{ "PCI-POWER", "*insufficient power on the PCIe slot*" },
	{ "MODULE-ERR", "*Port module event[[]error[]]*" },
	{ "MODULE-ERR", "*High Temperature*" },
	{ "MODULE-ERR", "*Cable error*" },
	{ "GPU-PEERMEM-SYM", "*peermem*Unknown symbol*" },
	{ "GPU-PEERMEM-SYM", "*nv_peer_mem*Invalid argument*" },
	{ "GPU-PEERMEM-SYM", "*peermem*disagrees about version*" },
	{ "IOMMU-FAULT", "*DMAR:*[Ff]ault*" },
	{ "IOMMU-FAULT", "*AMD-Vi*IO_PAGE_FAULT*" },
	{ "IOMMU-FAULT", "*IO_PAGE_FAULT*" },
	{ "IOMMU-FAULT", "*arm-smmu*fault*" },
};

/* The latest line of the log that the rule is about. */
void rb_rule_log(struct rb_subject *s)
{
	const json_t *log = rb_need(s, RB_HOST, "kernel_log");
	const char *found = NULL;
	size_t i;
	json_t *line;

	if (!log || rb_unreadable(s, RB_HOST, "kernel_log"))
		return;
	json_array_foreach(log, i, line)
		for (size_t k = 0; k < RB_ARRAY_SIZE(log_rows); k++)
			if (!strcmp(log_rows[k].rule, s->rule->id) &&
			    json_is_string(line) &&
			    !fnmatch(log_rows[k].pattern,
				     json_string_value(line), 0))
				found = json_string_value(line);
	if (found)
		rb_subject_fail(s, s->rule->severity, "the kernel's log: %.300s",
				found);
	else
		rb_subject_pass(s, "the kernel's log has no such line");
}

#define E RB_SEVERITY_ERROR
#define W RB_SEVERITY_WARNING
#define I RB_SEVERITY_INFO

/* clang-format off */
static const struct rb_rule rows[] = {
	{ .id = "PCI-SPEED", .scope = RB_SCOPE_DEVICE, .severity = E, .test = pci_speed, .on = RB_ON_HARDWARE,
	  .title = "the PCIe link is slower than the port",
	  .reads = "/pci/*/gt_per_s /pci/*/width /netdevs/*/bits_per_s /devices/*/ports/*/bits_per_s",
	  .why = "The link between card and host limits what the port can do: wrong slot, a slot with fewer lanes wired, bifurcation or a generation set in the BIOS, or a card that sits badly.",
	  .fix = "lspci -vv -s {pci} | grep -E 'LnkCap|LnkSta'; reseat the card or use another slot",
	  .evidence = "NVIDIA/l2fwd-nv#6, openucx/ucx#9520" },
	{ .id = "PCI-DUAL", .scope = RB_SCOPE_DEVICE, .severity = I, .test = pci_dual, .on = RB_ON_HARDWARE,
	  .title = "ports share a PCIe link", .reads = "/pci/*/gt_per_s /pci/*/width",
	  .why = "Two ports of one card share its slot: using both does not double the bandwidth.",
	  .fix = "nothing, or one card a port",
	  .evidence = "openucx/ucx#9520" },
	{ .id = "PCI-MPS", .scope = RB_SCOPE_DEVICE, .severity = W, .test = pci_mps, .on = RB_ON_HARDWARE,
	  .title = "small PCIe payloads", .reads = "/pci/*/express",
	  .why = "With 128 bytes of payload about 17% of the link is headers; 256 bytes halve that.",
	  .fix = "boot with pci=pcie_bus_perf, or set it in the BIOS",
	  .evidence = "common operational practice" },
	{ .id = "PCI-MRRS", .scope = RB_SCOPE_DEVICE, .severity = W, .test = pci_mrrs, .on = RB_ON_HARDWARE,
	  .title = "small PCIe reads", .reads = "/pci/*/express",
	  .why = "What is sent is first read from memory, in requests of that size: at 100 Gb/s and more small ones do not keep up.",
	  .fix = "setpci -s {pci} CAP_EXP+8.w=5000:7000 (4096 bytes), and in the BIOS",
	  .evidence = "common operational practice" },
	{ .id = "PCI-RO", .scope = RB_SCOPE_DEVICE, .severity = W, .test = pci_ro, .on = RB_ON_HARDWARE,
	  .title = "relaxed ordering is off", .reads = "/pci/*/express",
	  .why = "On AMD and ARM, and with several sockets, strictly ordered writes cost a quarter of 200 Gb/s. Forcing it in the firmware for everybody broke older NCCL: allow it, and let each region ask (IBV_ACCESS_RELAXED_ORDERING).",
	  .fix = "setpci -s {pci} CAP_EXP+8.w=0010:0010; mlxconfig -d {pci} set PCI_WR_ORDERING=0",
	  .evidence = "openucx/ucx pull 8062, NVIDIA/nccl#531" },
	{ .id = "PCI-EXTTAG", .scope = RB_SCOPE_DEVICE, .severity = I, .test = pci_exttag, .on = RB_ON_HARDWARE,
	  .title = "few PCIe tags", .reads = "/pci/*/express",
	  .why = "The number of reads under way limits the bandwidth of a fast link.",
	  .fix = "extended tags in the BIOS",
	  .evidence = "common operational practice" },
	{ .id = "PCI-ASPM", .scope = RB_SCOPE_DEVICE, .severity = W, .test = pci_aspm, .on = RB_ON_HARDWARE,
	  .title = "the PCIe link sleeps", .reads = "/pci/*/express",
	  .why = "Waking it takes microseconds: the first message after a pause is slow.",
	  .fix = "boot with pcie_aspm=off; echo on > /sys/bus/pci/devices/{pci}/power/control",
	  .evidence = "common operational practice" },
	{ .id = "PCI-AER", .scope = RB_SCOPE_DEVICE, .severity = E, .test = pci_aer, .on = RB_ON_HARDWARE,
	  .title = "errors on PCIe", .reads = "/pci/*/counters",
	  .why = "The signal between card and host is bad. Correctable errors cost retransmissions, others end with a dead device.",
	  .fix = "reseat the card; another slot or riser; dmesg | grep AER",
	  .evidence = "kernel: Documentation/PCI/pcieaer-howto.rst" },
	{ .id = "PCI-POWER", .scope = RB_SCOPE_HOST, .severity = W, .test = rb_rule_log,
	  .title = "the slot has too little power", .reads = "/kernel_log",
	  .why = "The card throttles itself.",
	  .fix = "a slot with more power, or the auxiliary connector",
	  .evidence = "kernel: mlx5 events.c" },
	{ .id = "MODULE-ERR", .scope = RB_SCOPE_HOST, .severity = E, .test = rb_rule_log,
	  .title = "cable or transceiver is refused", .reads = "/kernel_log",
	  .why = "The adapter says what is wrong with the module: power budget, no EEPROM, not supported, too hot.",
	  .fix = "ethtool -m NETDEV; another module or cable",
	  .evidence = "kernel: mlx5 events.c" },
	{ .id = "ACS-ON", .scope = RB_SCOPE_DEVICE, .severity = E, .test = acs_on, .on = RB_ON_HARDWARE,
	  .title = "ACS keeps GPU and NIC apart", .reads = "/pci/*/path /pci/*/acs",
	  .why = "Access Control Services send transfers between two devices up to the root complex and back: GPUDirect is slow, or fails with DMA errors: statuses 4/0x51, 11/0x89.",
	  .fix = "switch ACS off in the BIOS, or setpci -s BRIDGE ECAP_ACS+6.w=0 (not for virtual machines)",
	  .evidence = "openucx/ucx#3564, NVIDIA/nccl#928, NVIDIA/nccl#489" },
	{ .id = "IOMMU-MODE", .scope = RB_SCOPE_DEVICE, .severity = E, .test = iommu_mode, .on = RB_ON_HARDWARE,
	  .title = "the IOMMU translates", .reads = "/pci/*/iommu_group /pci/*/iommu_type",
	  .why = "Each transfer costs a translation, and GPUDirect faults. Passed through it is 0.98 against 83 GiB/s in one report.",
	  .fix = "boot with iommu=pt (intel_iommu=on iommu=pt, amd_iommu=on iommu=pt)",
	  .evidence = "ROCm/rccl#1129; public report with before and after" },
	{ .id = "IOMMU-FAULT", .scope = RB_SCOPE_HOST, .severity = E, .test = rb_rule_log,
	  .title = "the IOMMU refused a transfer", .reads = "/kernel_log",
	  .why = "A device reached for memory that is not mapped for it: status 4/0x51 or a dead queue pair follow.",
	  .fix = "boot with iommu=pt; rbench doctor --rule IOMMU-MODE",
	  .evidence = "kernel: drivers/iommu" },
	{ .id = "ATS", .scope = RB_SCOPE_DEVICE, .severity = I, .test = ats, .on = RB_ON_HARDWARE,
	  .title = "the device may not cache translations", .reads = "/pci/*/ats /pci/*/iommu_type",
	  .why = "Matters for shared virtual memory and on-demand paging under an IOMMU.",
	  .fix = "ATS in the BIOS and in the adapter's configuration",
	  .evidence = "common operational practice" },
};
/* clang-format on */

const struct rb_rules rb_rules_pci = { "PCIe and IOMMU", rows,
				       RB_ARRAY_SIZE(rows) };
