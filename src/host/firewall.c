/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * firewall - rules of nftables that drop UDP or TCP by destination port
 *
 * Enough to see that soft-RoCE's or the side channel's packets are thrown away;
 * no attempt is made to follow jumps, sets and maps. Recorded answers:
 * nl/nft-chain.bin, nl/nft-rule.bin.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "host/facts.h"
#include "host/nlask.h"
#include "host/place.h"
#include "host/snap.h"

#define PORT_OFFSET 2 /* of the destination port in a TCP or UDP header */

/* What is collected on the way: the chains' hooks, and what drops. */
struct taking {
	json_t *hooks; /* "TABLE CHAIN": name of the hook */
	json_t *drops;
	unsigned int chains;
};

static const char *hook_word(unsigned int hook)
{
	static const char *const words[] = { "prerouting",  "input",
					     "forward",	    "output",
					     "postrouting", "ingress" };

	return hook < RB_ARRAY_SIZE(words) ? words[hook] : "none";
}

static uint32_t be32_of(const struct nlattr *attr)
{
	return ntohl((uint32_t)rb_nl_uint(attr));
}

static bool parse(const struct nlmsghdr *msg, struct nlattr **attrs, int most)
{
	return nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg,
			   sizeof(struct nfgenmsg), attrs, most, NULL) >= 0;
}

static json_t *drop_json(const char *table, const char *chain, const char *hook,
			 const char *verdict)
{
	json_t *drop = json_object();

	rb_fact_value(drop, "table", rb_report_string(table));
	rb_fact_value(drop, "chain", rb_report_string(chain));
	rb_fact_text(drop, "hook", hook);
	rb_fact_text(drop, "verdict", verdict);
	return drop;
}

static void chain_key(char key[static 2 * NFT_NAME_MAXLEN], const char *table,
		      const char *chain)
{
	snprintf(key, 2 * NFT_NAME_MAXLEN, "%.250s %.250s", table, chain);
}

static void take_chain(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[NFTA_CHAIN_MAX + 1], *hook[NFTA_HOOK_MAX + 1];
	char key[2 * NFT_NAME_MAXLEN];
	struct taking *t = arg;
	const char *word = "none", *table, *chain;
	json_t *drop;

	if (!parse(msg, attrs, NFTA_CHAIN_MAX))
		return;
	t->chains++;
	table = rb_nl_text(attrs[NFTA_CHAIN_TABLE]);
	chain = rb_nl_text(attrs[NFTA_CHAIN_NAME]);
	if (attrs[NFTA_CHAIN_HOOK] &&
	    !nla_parse_nested(hook, NFTA_HOOK_MAX, attrs[NFTA_CHAIN_HOOK],
			      NULL))
		word = hook_word(be32_of(hook[NFTA_HOOK_HOOKNUM]));
	chain_key(key, table, chain);
	json_object_set_new(t->hooks, key, json_string(word));
	if (!attrs[NFTA_CHAIN_POLICY] ||
	    be32_of(attrs[NFTA_CHAIN_POLICY]) != NF_DROP)
		return;
	drop = drop_json(table, chain, word, "drop");
	rb_fact_value(drop, "policy", json_true());
	json_array_append_new(t->drops, drop);
}

/* What a rule compares and does, as far as it is understood. */
struct rule {
	unsigned int protocol, port; /* 0: none that is known */
	enum { REG_OTHER, REG_PROTOCOL, REG_PORT } in_register;
	const char *verdict;
	bool narrow; /* by something that is not understood */
};

static void read_payload(struct rule *rule, struct nlattr **attrs)
{
	rule->in_register = REG_OTHER;
	if (be32_of(attrs[NFTA_PAYLOAD_BASE]) == NFT_PAYLOAD_TRANSPORT_HEADER &&
	    be32_of(attrs[NFTA_PAYLOAD_OFFSET]) == PORT_OFFSET &&
	    be32_of(attrs[NFTA_PAYLOAD_LEN]) == sizeof(uint16_t))
		rule->in_register = REG_PORT;
}

static void read_meta(struct rule *rule, struct nlattr **attrs)
{
	rule->in_register = be32_of(attrs[NFTA_META_KEY]) == NFT_META_L4PROTO
				    ? REG_PROTOCOL
				    : REG_OTHER;
}

static void read_cmp(struct rule *rule, struct nlattr **attrs)
{
	struct nlattr *data[NFTA_DATA_MAX + 1];

	if (!attrs[NFTA_CMP_DATA] ||
	    be32_of(attrs[NFTA_CMP_OP]) != NFT_CMP_EQ ||
	    nla_parse_nested(data, NFTA_DATA_MAX, attrs[NFTA_CMP_DATA], NULL))
		rule->narrow = true;
	else if (rule->in_register == REG_PROTOCOL)
		rule->protocol =
			(unsigned int)rb_nl_uint(data[NFTA_DATA_VALUE]);
	else if (rule->in_register == REG_PORT)
		rule->port = ntohs((uint16_t)rb_nl_uint(data[NFTA_DATA_VALUE]));
	else
		rule->narrow = true;
}

static void read_immediate(struct rule *rule, struct nlattr **attrs)
{
	struct nlattr *data[NFTA_DATA_MAX + 1];
	struct nlattr *verdict[NFTA_VERDICT_MAX + 1];

	if (attrs[NFTA_IMMEDIATE_DATA] &&
	    !nla_parse_nested(data, NFTA_DATA_MAX, attrs[NFTA_IMMEDIATE_DATA],
			      NULL) &&
	    data[NFTA_DATA_VERDICT] &&
	    !nla_parse_nested(verdict, NFTA_VERDICT_MAX,
			      data[NFTA_DATA_VERDICT], NULL) &&
	    verdict[NFTA_VERDICT_CODE] &&
	    be32_of(verdict[NFTA_VERDICT_CODE]) == NF_DROP)
		rule->verdict = "drop";
}

static void read_reject(struct rule *rule, struct nlattr **attrs)
{
	rule->verdict = "reject";
}

/* iptables over nftables: the matches and targets of iptables. */
static void read_match(struct rule *rule, struct nlattr **attrs)
{
	const char *name = rb_nl_text(attrs[NFTA_MATCH_NAME]);
	const struct xt_udp *udp =
		rb_nl_data(attrs[NFTA_MATCH_INFO], sizeof(*udp));

	/* struct xt_tcp begins with the same ports */
	if (strcmp(name, "udp") && strcmp(name, "tcp"))
		rule->narrow = true;
	else if (udp && udp->dpts[0] == udp->dpts[1])
		rule->port = udp->dpts[0];
}

static void read_target(struct rule *rule, struct nlattr **attrs)
{
	if (!strcmp(rb_nl_text(attrs[NFTA_TARGET_NAME]), "REJECT"))
		rule->verdict = "reject";
}

static const struct {
	const char *name;
	int most;
	void (*read)(struct rule *rule, struct nlattr **attrs);
} expressions[] = {
	{ "payload", NFTA_PAYLOAD_MAX, read_payload },
	{ "meta", NFTA_META_MAX, read_meta },
	{ "cmp", NFTA_CMP_MAX, read_cmp },
	{ "immediate", NFTA_IMMEDIATE_MAX, read_immediate },
	{ "reject", NFTA_REJECT_MAX, read_reject },
	{ "match", NFTA_MATCH_MAX, read_match },
	{ "target", NFTA_TARGET_MAX, read_target },
};

#define MOST_ATTRS 32

static void read_expression(struct rule *rule, struct nlattr *element)
{
	struct nlattr *attrs[NFTA_EXPR_MAX + 1], *in[MOST_ATTRS] = { NULL };
	const char *name;

	if (nla_parse_nested(attrs, NFTA_EXPR_MAX, element, NULL))
		return;
	name = rb_nl_text(attrs[NFTA_EXPR_NAME]);
	for (size_t i = 0; i < RB_ARRAY_SIZE(expressions); i++) {
		if (strcmp(name, expressions[i].name))
			continue;
		if (!attrs[NFTA_EXPR_DATA] ||
		    !nla_parse_nested(
			    in, RB_MIN(expressions[i].most, MOST_ATTRS - 1),
			    attrs[NFTA_EXPR_DATA], NULL))
			expressions[i].read(rule, in);
		return;
	}
	if (strcmp(name, "counter") && strcmp(name, "log"))
		rule->narrow = true;
}

static void take_rule(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[NFTA_RULE_MAX + 1], *element;
	char key[2 * NFT_NAME_MAXLEN];
	struct rule rule = { 0 };
	struct taking *t = arg;
	const char *table, *chain, *hook;
	json_t *drop;
	int left;

	if (!parse(msg, attrs, NFTA_RULE_MAX) || !attrs[NFTA_RULE_EXPRESSIONS])
		return;
	nla_for_each_nested(element, attrs[NFTA_RULE_EXPRESSIONS], left)
		read_expression(&rule, element);
	if (!rule.verdict || !rule.port)
		return;
	table = rb_nl_text(attrs[NFTA_RULE_TABLE]);
	chain = rb_nl_text(attrs[NFTA_RULE_CHAIN]);
	chain_key(key, table, chain);
	hook = json_string_value(json_object_get(t->hooks, key));
	drop = drop_json(table, chain, hook ? hook : "none", rule.verdict);
	rb_fact_number(drop, "port", rule.port);
	if (rule.protocol == IPPROTO_UDP || rule.protocol == IPPROTO_TCP)
		rb_fact_text(drop, "protocol",
			     rule.protocol == IPPROTO_UDP ? "udp" : "tcp");
	rb_fact_flag(drop, "narrowed", rule.narrow);
	json_array_append_new(t->drops, drop);
}

static int ask(const char *name, unsigned int type, rb_nl_taker take,
	       struct taking *t)
{
	const struct nfgenmsg head = { .nfgen_family = NFPROTO_UNSPEC,
				       .version = NFNETLINK_V0 };
	struct rb_nl_ask question = {
		.name = name,
		.protocol = NETLINK_NETFILTER,
		.type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type),
		.flags = NLM_F_DUMP,
	};

	rb_nl_add(&question, &head, sizeof(head));
	return rb_nl_ask(&question, take, t);
}

void rb_snap_firewall(const struct rb_place *doc)
{
	struct taking t = { .hooks = json_object(), .drops = json_array() };
	struct rb_place to = rb_place_enter(doc, "firewall");
	int err = ask("nft-chain", NFT_MSG_GETCHAIN, take_chain, &t);

	if (!err)
		err = ask("nft-rule", NFT_MSG_GETRULE, take_rule, &t);
	/* a kernel without nftables has none of its rules */
	if (err != -EOPNOTSUPP && err != -EPROTONOSUPPORT && err != -EINVAL)
		rb_place_failed(doc, "firewall", "netlink nftables", err);
	if (!err) {
		rb_fact_value(to.object, "nftables", json_boolean(t.chains));
		rb_fact_value(to.object, "drops", json_incref(t.drops));
	}
	if (json_object_get(json_object_get(doc->object, "modules"),
			    "ip_tables"))
		rb_place_missing(&to, "drops", "iptables (legacy)", "failed",
				 "its rules are not read");
	json_decref(t.hooks);
	json_decref(t.drops);
	rb_place_leave(doc, "firewall");
}
