/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rule - what is checked of a host and of a pair of hosts, a row each
 *
 * A rule looks at facts of a snapshot (rbench-snapshot(5)) and at nothing else,
 * so it says the same of a live host and of the file that was written there.
 * It ends in one of four ways; a fact that could not be read is never a pass.
 * Rows stand in rules_*.c, a file a topic, the more basic ones first; help, man
 * page, list and the tests that each rule must have follow from them.
 */
#ifndef RB_DIAG_RULE_H
#define RB_DIAG_RULE_H

#include <stddef.h>

struct rb_subject;

enum rb_severity { RB_SEVERITY_INFO, RB_SEVERITY_WARNING, RB_SEVERITY_ERROR };

enum rb_scope {
	RB_SCOPE_HOST,
	RB_SCOPE_DEVICE,
	RB_SCOPE_PORT,
	RB_SCOPE_PAIR, /* a port and the one of the other host that it talks to */
};

enum rb_ruling {
	RB_RULING_PASS,
	RB_RULING_FAIL,
	RB_RULING_SKIP,	   /* does not apply here */
	RB_RULING_UNKNOWN, /* a fact could not be read */
};

/* What a rule of devices, ports and pairs is about; 0: all. */
enum rb_on {
	RB_ON_ROCE = 1 << 0,
	RB_ON_IB = 1 << 1,
	RB_ON_IWARP = 1 << 2,
	RB_ON_OTHER = 1 << 3, /* EFA and its like */
	RB_ON_HARDWARE = 1 << 4,
	RB_ON_SOFTWARE = 1 << 5,
	RB_ON_ACTIVE = 1 << 6, /* ports that are up */
};

#define RB_ON_ETHERNET (RB_ON_ROCE | RB_ON_IWARP)

struct rb_rule {
	const char *id; /* never renamed */
	enum rb_scope scope;
	enum rb_severity severity; /* the worst that it finds */
	unsigned int on;
	const char *title; /* what is wrong when it fails */
	/* facts, as JSON pointers with * for a name; blanks between */
	const char *reads;
	const char *why; /* what it means, for people */
	/* what to do; {device} {port} {netdev} {pci} {driver} are filled in */
	const char *fix;
	const char *evidence; /* where it is known from */
	void (*test)(struct rb_subject *s);
};

struct rb_rules {
	const char *topic; /* heading of the man page */
	const struct rb_rule *rows;
	size_t n;
};

extern const struct rb_rules rb_rules_setup, rb_rules_limits, rb_rules_port,
	rb_rules_mtu, rb_rules_gid, rb_rules_net, rb_rules_qos, rb_rules_count,
	rb_rules_pci, rb_rules_numa, rb_rules_cpu, rb_rules_gpu, rb_rules_ib,
	rb_rules_virt, rb_rules_pair, rb_rules_way, rb_rules_ecn, rb_rules_probe;

/* The rule @id (case does not matter), or NULL. */
const struct rb_rule *rb_rule(const char *id);

const char *rb_severity_name(enum rb_severity severity);
const char *rb_scope_name(enum rb_scope scope);
const char *rb_ruling_name(enum rb_ruling ruling);

#endif
