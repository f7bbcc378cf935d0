/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verdict - what the facts of a text say about a rule: it holds, it does not
 */
#include "diag/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PERFTEST_SIZE 65536u /* of a server that is not told one */

struct rb_verdict *rb_verdict_add(struct rb_verdicts *list, const char *rule,
				  enum rb_outcome outcome, const char *fix,
				  const char *fmt, ...)
{
	struct rb_verdict *v;
	va_list args;

	if (list->n == RB_VERDICTS_MAX)
		return NULL;
	v = &list->v[list->n++];
	*v = (struct rb_verdict){
		.rule = rule, .outcome = outcome, .fix = fix, .gid_index = -1
	};
	va_start(args, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, args);
	va_end(args);
	return v;
}

const struct rb_verdict *rb_verdict_of(const struct rb_verdicts *list,
				       const char *rule)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (!strcmp(list->v[i].rule, rule))
			return &list->v[i];
	return NULL;
}

bool rb_explain_has_status(const struct rb_explain *x, int status)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->findings[i].kind == RB_KIND_COMPLETION &&
		    (status < 0 || x->findings[i].codes.status == status))
			return true;
	return false;
}

bool rb_explain_has_call(const struct rb_explain *x, const char *call, int err)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->findings[i].kind == RB_KIND_CALL &&
		    !strncmp(x->findings[i].codes.call, call, strlen(call)) &&
		    (!err || x->findings[i].codes.err == err))
			return true;
	return false;
}

/* --- ports -------------------------------------------------------------- */

static bool ethernet(const struct rb_fact_port *p)
{
	return !strcasecmp(p->link_layer, "Ethernet");
}

static void port_state(const struct rb_fact_port *p, struct rb_verdicts *list)
{
	if (!strncasecmp(p->state, "INIT", 4) || !strcasecmp(p->state, "ARMED"))
		rb_verdict_add(list, "PORT-INIT", RB_OUTCOME_FAIL,
			       "start or check the subnet manager (sminfo)",
			       "%s: the link is up, but no subnet manager has configured the port (state %s)",
			       p->device, p->state);
	else if (p->down)
		rb_verdict_add(list, "PORT-DOWN", RB_OUTCOME_FAIL,
			       "cable, switch port, 'ip link set NETDEV up'",
			       "%s: the port was not ACTIVE in %u of %u samples%s%s",
			       p->device, p->down, p->samples,
			       *p->phys ? "; physical state at the end: " : "",
			       p->phys);
	if (p->states > 1 && p->samples > 1)
		rb_verdict_add(list, "PORT-FLAP", RB_OUTCOME_FAIL,
			       "reseat or replace cable or transceiver; look at the switch port",
			       "%s: the port changed, %u states in %u samples: the link flaps, and transfers over it end with status 12",
			       p->device, p->states, p->samples);
}

static void port_details(const struct rb_fact_port *p, struct rb_verdicts *list)
{
	if (p->has_guid && p->zero_guid)
		rb_verdict_add(list, "GID-GUID0", RB_OUTCOME_FAIL,
			       "ip link set PF vf N node_guid ...; bind the virtual function again",
			       "%s: the node GUID is zero: error for everything that uses rdma_cm (librdmacm cannot match the device)",
			       p->device);
	if (!ethernet(p) && !strcasecmp(p->link_layer, "InfiniBand") &&
	    p->has_lid && !p->sm_lid && !strncasecmp(p->state, "ACTIVE", 6))
		rb_verdict_add(list, "IB-SM", RB_OUTCOME_FAIL,
			       "start or check the subnet manager (sminfo)",
			       "%s: no subnet manager (sm_lid 0)", p->device);
	if (ethernet(p) && p->active_mtu && p->active_mtu <= 1024)
		rb_verdict_add(list, "MTU-ACTIVE", RB_OUTCOME_INFO,
			       "an MTU of 9000 on the interface, the switches and the peer gives 4096",
			       "%s: active path MTU %u of %u (an Ethernet MTU of 1500): it works, and costs bandwidth",
			       p->device, p->active_mtu, p->max_mtu);
}

static void ports(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;

	for (unsigned int i = 0; i < f->nports; i++) {
		if (f->ports[i].samples)
			port_state(&f->ports[i], list);
		port_details(&f->ports[i], list);
	}
	for (unsigned int i = 1; i < f->nports; i++)
		if (f->ports[i].active_mtu && f->ports[0].active_mtu &&
		    f->ports[i].file != f->ports[0].file &&
		    f->ports[i].active_mtu != f->ports[0].active_mtu)
			rb_verdict_add(list, "MTU-PEER", RB_OUTCOME_FAIL,
				       "the same MTU on both hosts, or the smaller path MTU",
				       "the two hosts have active MTUs of %u and %u",
				       f->ports[0].active_mtu,
				       f->ports[i].active_mtu);
}

/* An adapter inside the machine beside those of the network. */
static void wrong_hca(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_fact_port *odd = NULL, *efa = NULL;

	for (unsigned int i = 0; i < x->facts.nports; i++) {
		const struct rb_fact_port *p = &x->facts.ports[i];

		if (!strcasecmp(p->link_layer, "InfiniBand") &&
		    p->active_mtu == 512)
			odd = p;
		if (rb_provider_by_name(p->driver) == RB_PROVIDER_EFA)
			efa = p;
	}
	if (odd && efa)
		rb_verdict_add(list, "HCA-WRONG", RB_OUTCOME_FAIL,
			       "name the devices: NCCL_IB_HCA, UCX_NET_DEVICES",
			       "%s is an InfiniBand device inside this node (active_mtu 512) beside EFA devices (%s): a program that picks by itself takes the wrong one; exclude it",
			       odd->device, efa->device);
}

/* --- PCIe, IOMMU, limits, nodes ------------------------------------------ */

static void acs(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;

	if (!f->acs_lines)
		return;
	if (f->acs_on)
		rb_verdict_add(list, "ACS-ON", RB_OUTCOME_FAIL,
			       "disable ACS in the BIOS, or setpci ECAP_ACS+6.w=0 on those bridges (bare metal only)",
			       "ACS redirects peer traffic on %u of %u bridges: GPUDirect is slow or fails",
			       f->acs_on, f->acs_lines);
	else
		rb_verdict_add(list, "ACS-ON", RB_OUTCOME_PASS,
			       "look at IOMMU, NUMA node and PCIe link instead",
			       "ACS is off on every bridge shown (%u): it is not the cause",
			       f->acs_lines);
}

static void iommu(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;
	const char *fix = "iommu=pt on the kernel's command line (or off), reboot; then check ACS";

	if (!strncasecmp(f->iommu_type, "DMA", 3))
		rb_verdict_add(list, "IOMMU-MODE", RB_OUTCOME_FAIL, fix,
			       "the IOMMU translates (group type %s%s): DMA between devices may fail or be slow",
			       f->iommu_type,
			       f->cmdline && !f->iommu_pt ?
				       ", no iommu=pt on the command line" :
				       "");
	else if (!strcasecmp(f->iommu_type, "identity") || f->iommu_pt ||
		 f->iommu_off)
		rb_verdict_add(list, "IOMMU-MODE", RB_OUTCOME_PASS, NULL,
			       "the IOMMU is in passthrough mode or off");
	else if (f->iommu_on)
		rb_verdict_add(list, "IOMMU-MODE", RB_OUTCOME_WARN, fix,
			       "the IOMMU is switched on, without iommu=pt");
	if (f->link_downgraded)
		rb_verdict_add(list, "PCI-SPEED", RB_OUTCOME_WARN,
			       "another slot, reseat, BIOS",
			       "the PCIe link is below what the device can: %s",
			       f->pci_link);
}

static void memlock(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;
	bool refused = rb_explain_has_call(x, "ibv_", 12);

	if (!f->has_memlock)
		return;
	if (f->memlock_unlimited)
		rb_verdict_add(list, "LIM-MEMLOCK", RB_OUTCOME_PASS, NULL,
			       "locked memory is unlimited: not the cause");
	else
		rb_verdict_add(list,
			       f->memlock_kb ? "LIM-MEMLOCK" : "LIM-MEMLOCK0",
			       refused ? RB_OUTCOME_FAIL : RB_OUTCOME_WARN,
			       "memlock unlimited in limits.conf and log in again; LimitMEMLOCK=infinity of the service; container: --ulimit memlock=-1",
			       "the limit on locked memory is %" PRIu64 " KiB",
			       f->memlock_kb);
}

static void nodes(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;

	if (f->no_drivers)
		rb_verdict_add(list, "DEV-PROVIDER", RB_OUTCOME_FAIL,
			       "install the provider library of the device, of the same rdma-core (Debian: ibverbs-providers)",
			       "libibverbs has no provider for %s",
			       f->no_driver);
	if (f->class_devices > f->nodes && f->nodes)
		rb_verdict_add(list, "DEV-UVERBS", RB_OUTCOME_FAIL,
			       "pass all of /dev/infiniband to the container, or hide the others in sysfs",
			       "%u of %u devices are not accessible: they have no node here; usable:%s; not fatal for programs that skip the others",
			       f->class_devices - f->nodes, f->class_devices,
			       *f->node_names == ':' ? f->node_names + 1 :
						       f->node_names);
}

static void pkeys(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;
	int full = -1;

	for (unsigned int i = f->pkeys; i-- > 0;)
		if (f->pkey[i] & 0x8000)
			full = f->pkey_index[i];
	if (!f->pkeys || f->pkey_index[0] || f->pkey[0] & 0x8000)
		return;
	if (full >= 0)
		rb_verdict_add(list, "IB-PKEY-LIMITED", RB_OUTCOME_FAIL,
			       "choose that index: perftest --pkey_index, NCCL_IB_PKEY, UCX_IB_PKEY",
			       "P_Key index 0 is 0x%04x, a limited member: two limited members cannot talk (status 12); index %d is the first full member",
			       f->pkey[0], full);
	else
		rb_verdict_add(list, "IB-PKEY-LIMITED", RB_OUTCOME_FAIL,
			       "ask for full membership in the partition",
			       "P_Key index 0 is 0x%04x, a limited member, and no index is full: two such hosts cannot talk",
			       f->pkey[0]);
}

/* --- perftest ------------------------------------------------------------ */

static bool client_larger(const struct rb_facts *f)
{
	uint64_t server = f->server_size ? f->server_size : PERFTEST_SIZE;

	return (f->client_all && !f->server_all) || f->client_size > server;
}

static void perftest(const struct rb_explain *x, struct rb_verdicts *list)
{
	const struct rb_facts *f = &x->facts;

	if (rb_explain_has_status(x, 10) &&
	    (f->last_size == PERFTEST_SIZE || client_larger(f)))
		rb_verdict_add(list, "PT-SIZE", RB_OUTCOME_FAIL,
			       "give the server the same -a (or -s)",
			       "the last size that worked is %" PRIu64
			       ", %s: the client goes beyond the server's buffer%s; not a fault of the fabric",
			       f->last_size,
			       f->last_size == PERFTEST_SIZE ?
				       "the server's default buffer" :
				       "and the server was not given the client's size",
			       client_larger(f) ?
				       " (the client uses -a or a larger -s, the server does not)" :
				       "");
	if (*f->client_tool && *f->server_tool &&
	    strcmp(f->client_tool, f->server_tool))
		rb_verdict_add(list, "PT-TOOL", RB_OUTCOME_FAIL,
			       "start the same tool on both ends",
			       "the client is %s and the server %s: the server's queue pair lacks the right (REMOTE_WRITE, REMOTE_READ) for it",
			       f->client_tool, f->server_tool);
	if (f->message_bytes && f->max_msg_sz &&
	    f->message_bytes > f->max_msg_sz)
		rb_verdict_add(list, "PT-MSGSZ", RB_OUTCOME_FAIL,
			       "send in fragments (Open MPI: mpi_leave_pinned 0)",
			       "one message of %" PRIu64
			       " bytes > max_msg_sz %" PRIu64,
			       f->message_bytes, f->max_msg_sz);
}

void rb_verdicts_make(const struct rb_explain *x, struct rb_verdicts *list)
{
	static void (*const rules[])(const struct rb_explain *x,
				     struct rb_verdicts *list) = {
		rb_verdicts_gid, ports, wrong_hca, acs,
		iommu,		 memlock, nodes,   pkeys,
		perftest,	 rb_verdicts_counters,
	};

	list->n = 0;
	for (size_t i = 0; i < RB_ARRAY_SIZE(rules); i++)
		rules[i](x, list);
}
