/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * traffic - which priority a port's RoCE traffic lands in, and what that gets
 */
#include "diag/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/addr.h"
#include "diag/diagnosis.h"
#include "diag/doctor.h"
#include "diag/subject.h"
#include "host/facts.h"

/* Variables by which programs set the traffic class. */
static const char *const variables[] = {
	"NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS", "NVSHMEM_IB_TRAFFIC_CLASS",
	"MC_IB_TC",
};

static int variable(struct rb_subject *s, const char **name)
{
	char path[64];

	for (size_t i = 0; i < RB_ARRAY_SIZE(variables); i++) {
		const char *text;
		char *end;
		long value;

		snprintf(path, sizeof(path), "environment/%s", variables[i]);
		text = rb_get_text(s, RB_HOST, path);
		value = strtol(text, &end, 10);
		*name = variables[i];
		if (*text && !*end && value >= 0 && value < 256)
			return (int)value;
	}
	return -1;
}

static int in_range(int64_t value)
{
	return value >= 0 && value < 256 ? (int)value : -1;
}

static void find_class(struct rb_subject *s, struct rb_traffic *t)
{
	int forced = in_range(rb_get_int(s, RB_PORT, "traffic_class", -1));
	int cm = in_range(rb_get_int(s, RB_PORT, "cm/default_roce_tos", -1));
	const char *name = "";
	int env;

	t->told = true;
	if (forced > 0) {
		t->tos = forced;
		t->source = "forced by the driver";
	} else if (s->asked->tos >= 0) {
		t->tos = s->asked->tos;
		t->source = "the option --tclass";
	} else if ((env = variable(s, &name)) >= 0) {
		t->tos = env;
		t->source = name;
	} else if (cm > 0) {
		t->tos = cm;
		t->source = "rdma_cm's default";
	} else {
		t->tos = 0;
		t->source = "default";
		t->told = false;
	}
	t->dscp = t->tos >> 2;
}

/* The priority of @dscp in APP; the default is its upper three bits. */
static int map_dscp(const json_t *app, int dscp, bool *mapped)
{
	int64_t priority = -1;
	const json_t *row;
	size_t i;

	json_array_foreach(app, i, row)
		if (!strcmp(rb_text_at(row, "selector"), "dscp") &&
		    rb_int_at(row, "protocol", -1) == dscp)
			priority = rb_int_at(row, "priority", -1);
	*mapped = priority >= 0 && priority < RB_PRIORITIES;
	return *mapped ? (int)priority : dscp >> 3;
}

static bool has_dscp_rows(const json_t *app)
{
	const json_t *row;
	size_t i;

	json_array_foreach(app, i, row)
		if (!strcmp(rb_text_at(row, "selector"), "dscp"))
			return true;
	return false;
}

static const char *find_trust(struct rb_subject *s, const json_t *app)
{
	const json_t *trust = rb_get(s, RB_NETDEV, "dcb/trust");
	const char *vendor = rb_get_text(s, RB_NETDEV, "vendor_trust");

	if (json_array_size(trust))
		return rb_lists(trust, "dscp") ? "dscp" : "pcp";
	if (*vendor)
		return strstr(vendor, "dscp") ? "dscp" : "pcp";
	return has_dscp_rows(app) ? "dscp" : "pcp";
}

/* PCP of what has no VLAN is 0; of a VLAN what its map gives priority 0. */
static int map_pcp(struct rb_subject *s, bool *mapped)
{
	struct rb_gid_fact gid;
	int64_t pcp = 0;

	*mapped = false;
	if (rb_gid_used(s, &gid) && gid.netdev) {
		const json_t *netdev = json_object_get(
			json_object_get(s->doc, "netdevs"), gid.netdev);

		pcp = rb_int_at(netdev, "vlan_egress_map/0", -1);
		*mapped = pcp >= 0 && pcp < RB_PRIORITIES;
	}
	return *mapped ? (int)pcp : 0;
}

static void find_pfc(struct rb_subject *s, struct rb_traffic *t)
{
	const json_t *list = rb_get(s, RB_NETDEV, "dcb/pfc/enabled");

	if (!list)
		list = rb_get(s, RB_NETDEV, "dcb/cee_pfc");
	t->has_pfc = json_array_size(list) == RB_PRIORITIES;
	for (size_t i = 0; t->has_pfc && i < RB_PRIORITIES; i++) {
		t->pfc[i] = json_is_true(json_array_get(list, i));
		t->npfc += t->pfc[i];
	}
}

static int find_ecn(struct rb_subject *s, int priority)
{
	const json_t *np = rb_get(s, RB_NETDEV, "ecn/roce_np");
	const json_t *rp = rb_get(s, RB_NETDEV, "ecn/roce_rp");
	const json_t *a = json_array_get(np, (size_t)priority);
	const json_t *b = json_array_get(rp, (size_t)priority);

	if (!json_is_integer(a) || !json_is_integer(b))
		return -1;
	return json_integer_value(a) && json_integer_value(b);
}

bool rb_traffic_of(struct rb_subject *s, struct rb_traffic *t)
{
	const json_t *app = rb_get(s, RB_NETDEV, "dcb/app");

	*t = (struct rb_traffic){ .ecn = -1, .trust = "" };
	find_class(s, t);
	if (!rb_get(s, RB_NETDEV, "dcb") &&
	    !rb_get(s, RB_NETDEV, "vendor_trust"))
		return false;
	t->trust = find_trust(s, app);
	t->priority = *t->trust == 'd' ? map_dscp(app, t->dscp, &t->mapped) :
					 map_pcp(s, &t->mapped);
	find_pfc(s, t);
	t->ecn = find_ecn(s, t->priority);
	return true;
}

json_t *rb_traffic_json(struct rb_subject *s)
{
	json_t *json = json_object();
	struct rb_traffic t;
	bool known = rb_traffic_of(s, &t);

	rb_plain_text(json, "host", s->host);
	rb_plain_text(json, "device", s->device);
	rb_plain_text(json, "port", s->port);
	rb_plain_text(json, "netdev", s->netdev);
	rb_fact_number(json, "traffic_class", (uint64_t)t.tos);
	rb_fact_number(json, "dscp", (uint64_t)t.dscp);
	rb_fact_text(json, "source", t.source);
	if (!known)
		return json;
	rb_fact_text(json, "trust", t.trust);
	rb_fact_number(json, "priority", (uint64_t)t.priority);
	if (t.has_pfc)
		rb_fact_value(json, "pfc", json_boolean(t.pfc[t.priority]));
	if (t.ecn >= 0)
		rb_fact_value(json, "ecn", json_boolean(t.ecn));
	return json;
}
