/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ethtool - link, pause, FEC and link modes of a network interface by netlink
 *
 * Recorded answers: nl/ethtool-WHAT-N.bin, WHAT as in the table of questions.
 */
#include "host/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "host/facts.h"
#include "host/nlask.h"
#include "host/snap.h"

#define NAME_TEXT 64
#define ATTRS 48 /* more than any of these messages has */
#define BITS_PER_MBIT 1000000ull
#define BITS_PER_WORD 32
/* ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT of Linux 6.1; older headers lack it */
#define LINKSTATE_DOWN_COUNT 7

/*
 * Speeds of the link modes (enum ethtool_link_mode_bit_indices), in runs of
 * bits; bits that are no speed are left out.
 */
static const struct {
	unsigned int first, last, mbits;
} mode_speeds[] = {
	{ 0, 1, 10 },	      { 2, 3, 100 },	    { 4, 5, 1000 },
	{ 12, 12, 10000 },    { 15, 15, 2500 },	    { 17, 17, 1000 },
	{ 18, 20, 10000 },    { 21, 22, 20000 },    { 23, 26, 40000 },
	{ 27, 30, 56000 },    { 31, 33, 25000 },    { 34, 35, 50000 },
	{ 36, 39, 100000 },   { 40, 40, 50000 },    { 41, 41, 1000 },
	{ 42, 46, 10000 },    { 47, 47, 2500 },	    { 48, 48, 5000 },
	{ 52, 56, 50000 },    { 57, 61, 100000 },   { 62, 66, 200000 },
	{ 67, 67, 100 },      { 68, 68, 1000 },	    { 69, 73, 400000 },
	{ 75, 79, 100000 },   { 80, 84, 200000 },   { 85, 89, 400000 },
	{ 90, 91, 100 },      { 92, 92, 10 },	    { 93, 98, 800000 },
	{ 102, 107, 200000 }, { 108, 113, 400000 }, { 114, 119, 800000 },
};

/* Link modes that stand for a kind of forward error correction. */
static const struct {
	unsigned int bit;
	const char *word;
} fec_modes[] = {
	{ 49, "off" },
	{ 50, "rs" },
	{ 51, "baser" },
	{ 74, "llrs" },
};

/* Why a link is down: enum ethtool_link_ext_state. */
static const char *const link_reasons[] = {
	"autonegotiation",
	"link_training_failure",
	"link_logical_mismatch",
	"bad_signal_integrity",
	"no_cable",
	"cable_issue",
	"eeprom_issue",
	"calibration_failure",
	"power_budget_exceeded",
	"overheat",
	"module",
};

/* A set of bits in its compact form: the words of its value or its mask. */
struct bits {
	const unsigned char *words;
	unsigned int n;
};

static struct bits bits_of(struct nlattr *bitset, int which)
{
	struct nlattr *attrs[ETHTOOL_A_BITSET_MAX + 1];
	struct bits bits = { 0 };

	if (!bitset ||
	    nla_parse_nested(attrs, ETHTOOL_A_BITSET_MAX, bitset, NULL) ||
	    !attrs[which])
		return bits;
	bits.words = nla_data(attrs[which]);
	bits.n = (unsigned int)nla_len(attrs[which]) * RB_BITS_PER_BYTE;
	return bits;
}

static bool has_bit(const struct bits *bits, unsigned int bit)
{
	uint32_t word;

	if (bit >= bits->n)
		return false;
	memcpy(&word, bits->words + bit / BITS_PER_WORD * sizeof(word),
	       sizeof(word));
	return word >> bit % BITS_PER_WORD & 1;
}

static uint64_t fastest(struct bits bits)
{
	uint64_t mbits = 0;

	for (size_t i = 0; i < RB_ARRAY_SIZE(mode_speeds); i++)
		for (unsigned int b = mode_speeds[i].first;
		     b <= mode_speeds[i].last; b++)
			if (has_bit(&bits, b))
				mbits = RB_MAX(mbits, mode_speeds[i].mbits);
	return mbits * BITS_PER_MBIT;
}

static void put_flag(json_t *to, const char *key, const struct nlattr *attr)
{
	if (attr)
		rb_fact_value(to, key, json_boolean(rb_nl_uint(attr)));
}

static void put_number(json_t *to, const char *key, const struct nlattr *attr)
{
	if (attr)
		rb_fact_number(to, key, rb_nl_uint(attr));
}

static void take_modes(struct nlattr **attrs, json_t *to)
{
	struct nlattr *ours = attrs[ETHTOOL_A_LINKMODES_OURS];
	struct nlattr *peer = attrs[ETHTOOL_A_LINKMODES_PEER];

	put_flag(to, "autonegotiation", attrs[ETHTOOL_A_LINKMODES_AUTONEG]);
	/* 0xff: unknown */
	if (rb_nl_uint(attrs[ETHTOOL_A_LINKMODES_DUPLEX]) <= DUPLEX_FULL)
		put_flag(to, "full_duplex", attrs[ETHTOOL_A_LINKMODES_DUPLEX]);
	if (rb_nl_uint(attrs[ETHTOOL_A_LINKMODES_LANES]))
		put_number(to, "lanes", attrs[ETHTOOL_A_LINKMODES_LANES]);
	rb_fact_uint(to, "supported_max_bits_per_s",
		     fastest(bits_of(ours, ETHTOOL_A_BITSET_MASK)));
	rb_fact_uint(to, "advertised_max_bits_per_s",
		     fastest(bits_of(ours, ETHTOOL_A_BITSET_VALUE)));
	rb_fact_uint(to, "peer_max_bits_per_s",
		     fastest(bits_of(peer, ETHTOOL_A_BITSET_VALUE)));
}

static void take_state(struct nlattr **attrs, json_t *to)
{
	const struct nlattr *reason = attrs[ETHTOOL_A_LINKSTATE_EXT_STATE];

	put_flag(to, "detected", attrs[ETHTOOL_A_LINKSTATE_LINK]);
	if (reason && rb_nl_uint(reason) < RB_ARRAY_SIZE(link_reasons))
		rb_fact_text(to, "reason", link_reasons[rb_nl_uint(reason)]);
	put_number(to, "down_count", attrs[LINKSTATE_DOWN_COUNT]);
	put_number(to, "signal_quality", attrs[ETHTOOL_A_LINKSTATE_SQI]);
	put_number(to, "signal_quality_max",
		   attrs[ETHTOOL_A_LINKSTATE_SQI_MAX]);
}

static void take_pause(struct nlattr **attrs, json_t *to)
{
	put_flag(to, "autonegotiation", attrs[ETHTOOL_A_PAUSE_AUTONEG]);
	put_flag(to, "rx", attrs[ETHTOOL_A_PAUSE_RX]);
	put_flag(to, "tx", attrs[ETHTOOL_A_PAUSE_TX]);
}

/* Arrays of 64 bits: the total, then by lane. */
static void put_blocks(json_t *to, const char *key, const struct nlattr *attr)
{
	const void *raw = rb_nl_data(attr, sizeof(uint64_t));
	uint64_t total;

	if (!raw)
		return;
	memcpy(&total, raw, sizeof(total));
	rb_fact_number(to, key, total);
}

static void take_fec(struct nlattr **attrs, json_t *to)
{
	struct nlattr *stats[ETHTOOL_A_FEC_STAT_MAX + 1];
	struct bits modes =
		bits_of(attrs[ETHTOOL_A_FEC_MODES], ETHTOOL_A_BITSET_VALUE);
	const struct nlattr *active = attrs[ETHTOOL_A_FEC_ACTIVE];
	json_t *configured = json_array();

	if (rb_nl_uint(attrs[ETHTOOL_A_FEC_AUTO]))
		json_array_append_new(configured, json_string("auto"));
	for (size_t i = 0; i < RB_ARRAY_SIZE(fec_modes); i++) {
		if (has_bit(&modes, fec_modes[i].bit))
			json_array_append_new(configured,
					      json_string(fec_modes[i].word));
		if (active && rb_nl_uint(active) == fec_modes[i].bit)
			rb_fact_text(to, "active", fec_modes[i].word);
	}
	rb_fact_value(to, "configured", configured);
	if (!attrs[ETHTOOL_A_FEC_STATS] ||
	    nla_parse_nested(stats, ETHTOOL_A_FEC_STAT_MAX,
			     attrs[ETHTOOL_A_FEC_STATS], NULL))
		return;
	put_blocks(to, "corrected_blocks", stats[ETHTOOL_A_FEC_STAT_CORRECTED]);
	put_blocks(to, "uncorrectable_blocks",
		   stats[ETHTOOL_A_FEC_STAT_UNCORR]);
}

static void take_coalesce(struct nlattr **attrs, json_t *to)
{
	put_number(to, "rx_us", attrs[ETHTOOL_A_COALESCE_RX_USECS]);
	put_flag(to, "rx_adaptive", attrs[ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX]);
	put_flag(to, "tx_adaptive", attrs[ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX]);
}

static void take_rings(struct nlattr **attrs, json_t *to)
{
	put_number(to, "rx", attrs[ETHTOOL_A_RINGS_RX]);
	put_number(to, "rx_max", attrs[ETHTOOL_A_RINGS_RX_MAX]);
	put_number(to, "tx", attrs[ETHTOOL_A_RINGS_TX]);
	put_number(to, "tx_max", attrs[ETHTOOL_A_RINGS_TX_MAX]);
}

/* The only set of bits that has names of its own. */
static void take_private_flags(struct nlattr **attrs, json_t *to)
{
	struct nlattr *set[ETHTOOL_A_BITSET_MAX + 1], *bit;
	int left;

	if (!attrs[ETHTOOL_A_PRIVFLAGS_FLAGS] ||
	    nla_parse_nested(set, ETHTOOL_A_BITSET_MAX,
			     attrs[ETHTOOL_A_PRIVFLAGS_FLAGS], NULL) ||
	    !set[ETHTOOL_A_BITSET_BITS])
		return;
	nla_for_each_nested(bit, set[ETHTOOL_A_BITSET_BITS], left) {
		struct nlattr *in[ETHTOOL_A_BITSET_BIT_MAX + 1];

		if (nla_parse_nested(in, ETHTOOL_A_BITSET_BIT_MAX, bit, NULL))
			continue;
		rb_fact_value(to, rb_nl_text(in[ETHTOOL_A_BITSET_BIT_NAME]),
			      json_boolean(in[ETHTOOL_A_BITSET_BIT_VALUE]));
	}
}

static const struct question {
	const char *name;
	const char *key; /* below "ethtool"; NULL: there itself */
	uint8_t command;
	uint32_t flags;
	void (*take)(struct nlattr **attrs, json_t *to);
} questions[] = {
	{ "linkmodes", NULL, ETHTOOL_MSG_LINKMODES_GET,
	  ETHTOOL_FLAG_COMPACT_BITSETS, take_modes },
	{ "linkstate", "link", ETHTOOL_MSG_LINKSTATE_GET, 0, take_state },
	{ "pause", "pause", ETHTOOL_MSG_PAUSE_GET, 0, take_pause },
	{ "fec", "fec", ETHTOOL_MSG_FEC_GET,
	  ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_STATS, take_fec },
	{ "coalesce", "coalesce", ETHTOOL_MSG_COALESCE_GET, 0, take_coalesce },
	{ "rings", "rings", ETHTOOL_MSG_RINGS_GET, 0, take_rings },
	{ "privflags", "private_flags", ETHTOOL_MSG_PRIVFLAGS_GET, 0,
	  take_private_flags },
};

struct taking {
	const struct question *question;
	json_t *to;
};

static void take(const struct nlmsghdr *msg, void *arg)
{
	struct nlattr *attrs[ATTRS];
	const struct taking *t = arg;

	if (nlmsg_parse((struct nlmsghdr *)(uintptr_t)msg, GENL_HDRLEN, attrs,
			ATTRS - 1, NULL) >= 0)
		t->question->take(attrs, t->to);
}

/* Every ethtool message begins with a header: the netdev, and flags. */
static void add_header(struct rb_nl_ask *ask, const char *netdev,
		       uint32_t flags)
{
	struct rb_nl_ask nest = { 0 };

	rb_nl_add_text(&nest, ETHTOOL_A_HEADER_DEV_NAME, netdev);
	rb_nl_add_u32(&nest, ETHTOOL_A_HEADER_FLAGS, flags);
	/* the header is attribute 1 of all */
	rb_nl_add_attr(ask, ETHTOOL_A_LINKMODES_HEADER | NLA_F_NESTED,
		       nest.body, nest.size);
}

static int ask(const struct question *question, uint16_t family,
	       const char *netdev, json_t *to)
{
	const struct genlmsghdr head = { .cmd = question->command,
					 .version = ETHTOOL_GENL_VERSION };
	struct taking t = { question, to };
	char name[NAME_TEXT];
	struct rb_nl_ask message = { .name = name,
				     .protocol = NETLINK_GENERIC,
				     .type = family };

	snprintf(name, sizeof(name), "ethtool-%s-%s", question->name, netdev);
	rb_nl_add(&message, &head, sizeof(head));
	add_header(&message, netdev, question->flags);
	return rb_nl_ask(&message, take, &t);
}

static void put_answer(const struct rb_place *ethtool, const char *netdev,
		       const struct question *question, uint16_t family)
{
	struct rb_place to = question->key
				     ? rb_place_enter(ethtool, question->key)
				     : *ethtool;
	char source[NAME_TEXT];
	int err = ask(question, family, netdev, to.object);

	snprintf(source, sizeof(source), "netlink ethtool %s", question->name);
	rb_place_failed(&to, question->key ? "" : "supported_max_bits_per_s",
			source, err);
	if (question->key)
		rb_place_leave(ethtool, question->key);
}

static void put_ethtool(const struct rb_place *netdev, const char *name,
			uint16_t family, int err)
{
	struct rb_place to = rb_place_enter(netdev, "ethtool");

	rb_place_failed(&to, "", "netlink ethtool", err);
	for (size_t i = 0; i < RB_ARRAY_SIZE(questions) && !err; i++)
		put_answer(&to, name, &questions[i], family);
	rb_ethtool_info(name, to.object);
	rb_place_leave(netdev, "ethtool");
}

void rb_snap_ethtool(const struct rb_place *doc)
{
	struct rb_place netdevs = rb_place_enter(doc, "netdevs");
	uint16_t family = 0;
	int err = rb_nl_family(ETHTOOL_GENL_NAME, &family);
	const char *name;
	json_t *netdev;

	json_object_foreach(netdevs.object, name, netdev) {
		struct rb_place to;

		if (!rb_snap_carries_rdma(netdevs.object, name))
			continue;
		to = rb_place_enter(&netdevs, name);
		put_ethtool(&to, name, family, err);
	}
}
