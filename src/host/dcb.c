/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dcb - PFC, ETS, DSCP and buffers of a network interface (RTM_GETDCB)
 *
 * Recorded answers: nl/dcb-ieee-N.bin, nl/dcb-dcbx-N.bin, and, where the driver
 * has no IEEE side, nl/dcb-cee-pfc-N.bin and nl/dcb-cee-state-N.bin.
 */
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "host/facts.h"
#include "host/nlask.h"
#include "host/snap.h"

#define PRIORITIES 8
#define NAME_TEXT 64
#define BITS_PER_KBIT 1000
/* linux/dcbnl.h of Linux 6.3; older headers lack them */
#define ATTR_APP_TRUST 11
#define ATTR_DCB_APP 2
#define SEL_PCP 255

static const char *const selectors[] = { NULL,	     "ethertype", "stream",
					 "datagram", "port",	  "dscp" };

static const char *selector_word(unsigned int selector)
{
	if (selector == SEL_PCP)
		return "pcp";
	if (selector < RB_ARRAY_SIZE(selectors) && selectors[selector])
		return selectors[selector];
	return "unknown";
}

static json_t *eight_u8(const uint8_t *v)
{
	json_t *list = json_array();

	for (int i = 0; i < PRIORITIES; i++)
		json_array_append_new(list, json_integer(v[i]));
	return list;
}

static json_t *eight_u64(const __u64 *v, uint64_t factor)
{
	json_t *list = json_array();

	for (int i = 0; i < PRIORITIES; i++)
		json_array_append_new(
			list, json_integer((json_int_t)(v[i] * factor)));
	return list;
}

static json_t *algorithms_json(const uint8_t *tsa)
{
	json_t *list = json_array();

	for (int i = 0; i < PRIORITIES; i++) {
		const char *word = tsa[i] == IEEE_8021QAZ_TSA_STRICT ? "strict"
				   : tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER
					   ? "cbs"
				   : tsa[i] == IEEE_8021QAZ_TSA_ETS ? "ets"
								    : "vendor";

		json_array_append_new(list, json_string(word));
	}
	return list;
}

static json_t *ets_json(const struct nlattr *attr)
{
	struct ieee_ets ets;
	const void *raw = rb_nl_data(attr, sizeof(ets));

	if (!raw)
		return NULL;
	memcpy(&ets, raw, sizeof(ets));
	return json_pack("{s:b, s:i, s:o, s:o, s:o}", "willing", ets.willing,
			 "traffic_classes", (int)ets.ets_cap, "priority_tc",
			 eight_u8(ets.prio_tc), "bandwidth_percent",
			 eight_u8(ets.tc_tx_bw), "algorithm",
			 algorithms_json(ets.tc_tsa));
}

static json_t *bits_json(unsigned int bits)
{
	json_t *list = json_array();

	for (int i = 0; i < PRIORITIES; i++)
		json_array_append_new(list, json_boolean(bits >> i & 1));
	return list;
}

static json_t *pfc_json(const struct nlattr *attr)
{
	struct ieee_pfc pfc;
	const void *raw = rb_nl_data(attr, sizeof(pfc));

	if (!raw)
		return NULL;
	memcpy(&pfc, raw, sizeof(pfc));
	return json_pack("{s:o, s:i, s:i, s:b, s:o, s:o}", "enabled",
			 bits_json(pfc.pfc_en), "priorities_max",
			 (int)pfc.pfc_cap, "delay_bits", (int)pfc.delay,
			 "macsec_bypass", pfc.mbc, "requests",
			 eight_u64(pfc.requests, 1), "indications",
			 eight_u64(pfc.indications, 1));
}

/* The table of this end; the peer's has the bare structs. */
static json_t *app_json(struct nlattr *table)
{
	json_t *list;
	struct nlattr *entry;
	int left;

	if (!table)
		return NULL;
	list = json_array();
	nla_for_each_nested(entry, table, left) {
		const struct dcb_app *app = rb_nl_data(entry, sizeof(*app));

		if (app)
			json_array_append_new(
				list,
				json_pack("{s:s, s:i, s:i}", "selector",
					  selector_word(app->selector),
					  "protocol", (int)app->protocol,
					  "priority", (int)app->priority));
	}
	return list;
}

static json_t *trust_json(struct nlattr *table)
{
	json_t *list;
	struct nlattr *entry;
	int left;

	if (!table)
		return NULL;
	list = json_array();
	nla_for_each_nested(entry, table, left) {
		const char *word =
			selector_word((unsigned int)rb_nl_uint(entry));

		if (strcmp(word, "unknown"))
			json_array_append_new(list, json_string(word));
	}
	return list;
}

static json_t *buffer_json(const struct nlattr *attr)
{
	struct dcbnl_buffer buffer;
	const void *raw = rb_nl_data(attr, sizeof(buffer));
	__u64 sizes[PRIORITIES];

	if (!raw)
		return NULL;
	memcpy(&buffer, raw, sizeof(buffer));
	for (int i = 0; i < PRIORITIES; i++)
		sizes[i] = buffer.buffer_size[i];
	return json_pack("{s:o, s:o, s:I}", "priority_buffer",
			 eight_u8(buffer.prio2buffer), "size_bytes",
			 eight_u64(sizes, 1), "total_bytes",
			 (json_int_t)buffer.total_size);
}

/* The kernel counts kbit/s. */
static json_t *max_rate_json(const struct nlattr *attr)
{
	struct ieee_maxrate rate;
	const void *raw = rb_nl_data(attr, sizeof(rate));

	if (!raw)
		return NULL;
	memcpy(&rate, raw, sizeof(rate));
	return eight_u64(rate.tc_maxrate, BITS_PER_KBIT);
}

static bool parse(const struct nlmsghdr *msg, struct nlattr **attrs)
{
	return nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg,
			   sizeof(struct dcbmsg), attrs, DCB_ATTR_MAX,
			   NULL) >= 0;
}

static void take_ieee(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[DCB_ATTR_MAX + 1], *ieee[ATTR_APP_TRUST + 1];
	json_t *to = arg;

	if (!parse(msg, attrs) || !attrs[DCB_ATTR_IEEE] ||
	    nla_parse_nested(ieee, ATTR_APP_TRUST, attrs[DCB_ATTR_IEEE], NULL))
		return;
	rb_fact_value(to, "ets", ets_json(ieee[DCB_ATTR_IEEE_ETS]));
	rb_fact_value(to, "pfc", pfc_json(ieee[DCB_ATTR_IEEE_PFC]));
	rb_fact_value(to, "app", app_json(ieee[DCB_ATTR_IEEE_APP_TABLE]));
	rb_fact_value(to, "peer_ets", ets_json(ieee[DCB_ATTR_IEEE_PEER_ETS]));
	rb_fact_value(to, "peer_pfc", pfc_json(ieee[DCB_ATTR_IEEE_PEER_PFC]));
	rb_fact_value(to, "peer_app", app_json(ieee[DCB_ATTR_IEEE_PEER_APP]));
	rb_fact_value(to, "max_rate_bits_per_s",
		      max_rate_json(ieee[DCB_ATTR_IEEE_MAXRATE]));
	rb_fact_value(to, "buffer", buffer_json(ieee[DCB_ATTR_DCB_BUFFER]));
	rb_fact_value(to, "trust", trust_json(ieee[ATTR_APP_TRUST]));
}

static void take_dcbx(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[DCB_ATTR_MAX + 1];
	unsigned int mode;

	if (!parse(msg, attrs) || !attrs[DCB_ATTR_DCBX])
		return;
	mode = (unsigned int)rb_nl_uint(attrs[DCB_ATTR_DCBX]);
	rb_fact_value(arg, "dcbx",
		      json_pack("{s:b, s:b, s:b, s:b, s:b}", "host",
				mode & DCB_CAP_DCBX_HOST, "lld_managed",
				mode & DCB_CAP_DCBX_LLD_MANAGED, "cee",
				mode & DCB_CAP_DCBX_VER_CEE, "ieee",
				mode & DCB_CAP_DCBX_VER_IEEE, "static",
				mode & DCB_CAP_DCBX_STATIC));
}

static void take_cee_pfc(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[DCB_ATTR_MAX + 1];
	struct nlattr *pfc[DCB_PFC_UP_ATTR_MAX + 1];
	unsigned int bits = 0;

	if (!parse(msg, attrs) || !attrs[DCB_ATTR_PFC_CFG] ||
	    nla_parse_nested(pfc, DCB_PFC_UP_ATTR_MAX, attrs[DCB_ATTR_PFC_CFG],
			     NULL))
		return;
	for (int i = 0; i < PRIORITIES; i++)
		if (rb_nl_uint(pfc[DCB_PFC_UP_ATTR_0 + i]))
			bits |= 1u << i;
	rb_fact_value(arg, "cee_pfc", bits_json(bits));
}

static void take_cee_state(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[DCB_ATTR_MAX + 1];

	if (parse(msg, attrs) && attrs[DCB_ATTR_PFC_STATE])
		rb_fact_value(
			arg, "cee_pfc_enabled",
			json_boolean(rb_nl_uint(attrs[DCB_ATTR_PFC_STATE])));
}

static int ask(const char *what, const char *netdev, uint8_t command,
	       rb_nl_taker take, json_t *to)
{
	const struct dcbmsg head = { .dcb_family = AF_UNSPEC, .cmd = command };
	/* "all priorities", a flag in a nest */
	const struct nlattr all = { .nla_len = NLA_HDRLEN,
				    .nla_type = DCB_PFC_UP_ATTR_ALL };
	char name[NAME_TEXT];
	struct rb_nl_ask question = { .name = name,
				      .protocol = NETLINK_ROUTE,
				      .type = RTM_GETDCB };

	snprintf(name, sizeof(name), "dcb-%s-%s", what, netdev);
	rb_nl_add(&question, &head, sizeof(head));
	rb_nl_add_text(&question, DCB_ATTR_IFNAME, netdev);
	if (command == DCB_CMD_PFC_GCFG)
		rb_nl_add_attr(&question, DCB_ATTR_PFC_CFG | NLA_F_NESTED, &all,
			       sizeof(all));
	return rb_nl_ask(&question, take, to);
}

static void put_dcb(const struct rb_place *netdev, const char *name)
{
	struct rb_place to = rb_place_enter(netdev, "dcb");
	int err = ask("ieee", name, DCB_CMD_IEEE_GET, take_ieee, to.object);
	int cee = -EOPNOTSUPP;

	if (!json_object_get(to.object, "pfc")) {
		cee = ask("cee-pfc", name, DCB_CMD_PFC_GCFG, take_cee_pfc,
			  to.object);
		ask("cee-state", name, DCB_CMD_PFC_GSTATE, take_cee_state,
		    to.object);
	}
	if (err && cee)
		rb_place_failed(netdev, "dcb", "netlink RTM_GETDCB", err);
	else
		ask("dcbx", name, DCB_CMD_GDCBX, take_dcbx, to.object);
	rb_place_leave(netdev, "dcb");
}

void rb_snap_dcb(const struct rb_place *doc)
{
	struct rb_place netdevs = rb_place_enter(doc, "netdevs");
	const char *name;
	json_t *netdev;

	json_object_foreach(netdevs.object, name, netdev) {
		struct rb_place to;

		if (!rb_snap_carries_rdma(netdevs.object, name))
			continue;
		to = rb_place_enter(&netdevs, name);
		put_dcb(&to, name);
	}
}
