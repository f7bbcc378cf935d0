/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * subject - what a rule looks at: its facts, and how it says what it found
 *
 * Facts are asked by a base and a path below it. rb_need* are for facts without
 * which the rule cannot decide: when one is not there, they have said so (UNKNOWN
 * with the snapshot's reason, SKIP where the host has no such thing), and the
 * test returns. rb_get* are for what may be absent. What was read of a finding is
 * kept with it.
 */
#ifndef RB_DIAG_SUBJECT_H
#define RB_DIAG_SUBJECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/jsonat.h"
#include "diag/rule.h"

struct rb_doctor;
struct rb_asked;

enum rb_base { RB_HOST, RB_DEVICE, RB_PORT, RB_NETDEV, RB_PCI };

struct rb_subject {
	struct rb_doctor *doctor;
	const struct rb_asked *asked;
	const struct rb_rule *rule;
	unsigned int which; /* of the hosts */
	const char *host;   /* its name */
	const char *end;    /* of two hosts: "local", "peer"; else NULL */
	json_t *doc;	    /* the snapshot */
	/* what is looked at; NULL where there is none */
	const char *device, *port, *netdev, *pci;
	const json_t *devicev, *portv, *netdevv, *pciv;
	unsigned int kind; /* enum rb_on: one of the links, and hard or soft */
	bool active;
	struct rb_subject *peer; /* of a pair */
	/* of the rule that runs */
	json_t *read;	/* facts that it looked at, by JSON pointer */
	bool said;
};

/* The netdev @name is looked at in place of the port's own; NULL: none. */
void rb_subject_netdev(struct rb_subject *s, const char *name);

const json_t *rb_need(struct rb_subject *s, enum rb_base base, const char *path);
bool rb_need_int(struct rb_subject *s, enum rb_base base, const char *path,
		 int64_t *value);
bool rb_need_flag(struct rb_subject *s, enum rb_base base, const char *path,
		  bool *value);
/* NULL when it is not there. */
const char *rb_need_text(struct rb_subject *s, enum rb_base base,
			 const char *path);

const json_t *rb_get(struct rb_subject *s, enum rb_base base, const char *path);
int64_t rb_get_int(struct rb_subject *s, enum rb_base base, const char *path,
		   int64_t otherwise);
double rb_get_real(struct rb_subject *s, enum rb_base base, const char *path,
		   double otherwise);
bool rb_get_flag(struct rb_subject *s, enum rb_base base, const char *path);
/* "" when it is not there. */
const char *rb_get_text(struct rb_subject *s, enum rb_base base,
			const char *path);

/* The snapshot says that the fact, or what it is part of, could not be read. */
bool rb_hidden(struct rb_subject *s, enum rb_base base, const char *path);
/* It says that there is no such thing: that is no secret, but an answer. */
bool rb_unsupported(struct rb_subject *s, enum rb_base base, const char *path);
/* The first of them, and the rule has said so. */
bool rb_unreadable(struct rb_subject *s, enum rb_base base, const char *path);

/* Everything below is of a value that a snapshot holds, of whatever type. */
/* Whether an array holds the text, or the text holds the word (a blank apart). */
bool rb_lists(const json_t *array, const char *text);

/* How the rule ends. One that found several things may fail several times. */
void rb_subject_pass(struct rb_subject *s, const char *fmt, ...) RB_PRINTF(2, 3);
void rb_subject_fail(struct rb_subject *s, enum rb_severity severity,
		     const char *fmt, ...) RB_PRINTF(3, 4);
void rb_subject_skip(struct rb_subject *s, const char *fmt, ...) RB_PRINTF(2, 3);
void rb_subject_unknown(struct rb_subject *s, const char *fmt, ...)
	RB_PRINTF(2, 3);

/* Counters of the port, its device (RB_DEVICE), netdev or PCI function. */
struct rb_moved {
	bool there;
	int64_t value; /* at the second reading */
	int64_t delta; /* since the first one */
	double seconds; /* between them */
};
struct rb_moved rb_counter_of(struct rb_subject *s, enum rb_base base,
			      const char *name);

/* A test: no line of the kernel's log is one that the rule is about. */
void rb_rule_log(struct rb_subject *s);

/* Call @each with every subject of @scope on the same host. */
void rb_subject_each(struct rb_subject *s, enum rb_scope scope,
		     void (*each)(struct rb_subject *one, void *arg), void *arg);

/* Major and minor of the kernel as major * 1000 + minor; 0: not told. */
unsigned int rb_subject_kernel(struct rb_subject *s);
/* The same, where the rule cannot decide without; 0: it has said so. */
unsigned int rb_need_kernel(struct rb_subject *s);

/* Bits per second of the port: the netdev's, else sysfs' rate; 0: not told. */
int64_t rb_subject_rate(struct rb_subject *s);

/* What tells that rate best could not be read. */
bool rb_rate_hidden(struct rb_subject *s);

/* The rates of the active ports of @s's PCI function. */
struct rb_rates {
	const char *pci;
	double sum;
	bool hidden; /* of one at least */
};
struct rb_rates rb_function_rates(struct rb_subject *s);

#endif
