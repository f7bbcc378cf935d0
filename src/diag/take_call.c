/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * take_call - lines about a call that failed, and messages of programs that
 * stand for one
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/callerr.h"
#include "diag/taker.h"

#define CONF RB_SURE_CONFIRMED
#define LIKELY RB_SURE_LIKELY

/* clang-format off */
static const struct rb_message_row rows[] = {
	{ "no userspace device-specific driver found", "no_provider", "libibverbs", RB_ROLE_CAUSE, NULL, NULL,
	  "libibverbs has no provider for a device that the kernel has",
	  RB_CAUSES({ "the provider library of this device is not installed, or built for another rdma-core", CONF, "DEV-PROVIDER", "NVIDIA/caffe#590" }),
	  "install the provider (Debian: ibverbs-providers; in the container too)" },
	{ "couldn't load driver", "other_provider", "libibverbs", RB_ROLE_CONSEQUENCE, NULL, NULL,
	  "a provider of another device could not be loaded: harmless unless it is the one of your device",
	  RB_CAUSES({ "a file of libibverbs.d names a library that is not installed (rdmavNN is its ABI)", CONF, "DEV-PROVIDER", "NVIDIA/nccl#1044" }), NULL },
	{ "No IB devices found", "no_devices", "libibverbs", RB_ROLE_CAUSE, "ibv_get_device_list", NULL, NULL, NULL, NULL },
	{ "Unable to find the Infiniband/RoCE device", "no_devices", "perftest", RB_ROLE_CAUSE, "ibv_get_device_list", NULL, NULL, NULL, NULL },
	{ "Failed to open device", "open_failed", "libibverbs", RB_ROLE_CAUSE, "ibv_open_device", NULL, NULL, NULL, NULL },
	{ "Couldn't get context for the device", "open_failed", "perftest", RB_ROLE_CAUSE, "ibv_open_device", NULL, NULL, NULL, NULL },
	{ "Couldn't allocate MR", "perftest_mr", "perftest", RB_ROLE_CAUSE, "ibv_reg_mr", NULL, NULL, NULL, NULL },
	{ "Failed to allocate hugepages", "hugepages", "perftest", RB_ROLE_CAUSE, NULL, NULL,
	  "no hugepages could be had",
	  RB_CAUSES({ "kernel.shmmni is too small for one segment a queue pair", CONF, "SHMMNI", "linux-rdma/perftest#395" }, { "no free hugepages", LIKELY, "HUGE", NULL }), "sysctl kernel.shmmni; grep Huge /proc/meminfo" },
	{ "Couldn't create CQ", "perftest_cq", "perftest", RB_ROLE_CAUSE, "ibv_create_cq", NULL, NULL, NULL, NULL },
	{ "Unable to create QP", "perftest_qp", "perftest", RB_ROLE_CAUSE, "ibv_create_qp", NULL, NULL, NULL, NULL },
	{ "QP to INIT", "to_init", "verbs", RB_ROLE_CAUSE, "ibv_modify_qp", "RESET->INIT", NULL, NULL, NULL },
	{ "QP to RTR", "to_rtr", "verbs", RB_ROLE_CAUSE, "ibv_modify_qp", "INIT->RTR", NULL, NULL, NULL },
	{ "QP to RTS", "to_rts", "verbs", RB_ROLE_CAUSE, "ibv_modify_qp", "RTR->RTS", NULL, NULL, NULL },
	{ "Unable to Connect the HCA's through the link", "to_rtr", "perftest", RB_ROLE_CAUSE, "ibv_modify_qp", "INIT->RTR", NULL, NULL, NULL },
	{ "fi_av_insert", "av_insert", "libfabric", RB_ROLE_CAUSE, "fi_av_insert", NULL, NULL, NULL, NULL },
	{ "Couldn't read remote address", "peer_left", "perftest", RB_ROLE_CONSEQUENCE, NULL, NULL,
	  "the other end of perftest ended: its own error is the cause", NULL, "look at the output of the other end" },
	{ "Failed to complete run_iter", "run_failed", "perftest", RB_ROLE_CONSEQUENCE, NULL, NULL,
	  "perftest ends because of the error before", NULL, NULL },
	{ "SRQ-attached QP", "ucx_flushed", "ucx", RB_ROLE_CONSEQUENCE, NULL, NULL,
	  "a queue pair with SRQ was flushed: the error is at the other end, or came before", NULL, "look at the log of the peer" },
	{ "Out-of-order", "psn", "ucx", RB_ROLE_LATER, NULL, NULL, "packets came out of order", NULL, NULL },
};
/* clang-format on */

/* "Cannot allocate memory", "errno 19", "[110]", "ENOMEM" */
static int read_errno(struct rb_text line)
{
	static const char *const keys[] = { "errno", "error code", "status:",
					    "ret", "rc", "err", "error",
					    "failed with", "status" };
	const struct rb_errno_name *names;
	struct rb_number number;
	struct rb_text t;
	size_t n;

	names = rb_errno_names(&n);
	for (size_t i = 0; i < n; i++)
		if (rb_text_has(line, names[i].text) ||
		    rb_text_after_word(line, names[i].name, NULL))
			return names[i].err;
	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++)
		if (rb_text_after_word(line, keys[i], &t) &&
		    rb_text_number(&t, &number) && number.value &&
		    number.value < 134)
			return (int)number.value;
	return 0;
}

/* The states before and after, where the line has them. */
static void read_transition(struct rb_text line, struct rb_codes *c)
{
	static const struct {
		const char *words;
		const char *transition;
	} texts[] = {
		{ "next state RTR", "INIT->RTR" }, { "to RTR", "INIT->RTR" },
		{ "INIT2RTR", "INIT->RTR" },	   { "RtrQp", "INIT->RTR" },
		{ "next state RTS", "RTR->RTS" },  { "to RTS", "RTR->RTS" },
		{ "RTR2RTS", "RTR->RTS" },	   { "to INIT", "RESET->INIT" },
		{ "next state INIT", "RESET->INIT" },
		{ "RST2INIT", "RESET->INIT" },
	};

	for (size_t i = 0; i < RB_ARRAY_SIZE(texts); i++)
		if (rb_text_has(line, texts[i].words)) {
			memcpy(c->transition, texts[i].transition,
			       strlen(texts[i].transition) + 1);
			return;
		}
}

static bool said_failed(struct rb_text line)
{
	static const char *const words[] = { "fail", "error", "errno",
					     "unable", "couldn't", "cannot",
					     "non-zero" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(words); i++)
		if (rb_text_has(line, words[i]))
			return true;
	return false;
}

/* Is there a call named @prefix and what @rest begins with? */
static bool is_call(const char *prefix, struct rb_text rest)
{
	size_t length = strlen(prefix), n;
	const struct rb_call_row *calls = rb_call_rows(&n);

	/* the first letter tells one prefix from the other */
	for (size_t i = 0; i < n; i++)
		if (*calls[i].call == *prefix &&
		    rb_text_begins(rest, calls[i].call + length))
			return true;
	return false;
}

/* The call's own name, "ibv_..." or "rdma_...": the first of the line. */
static bool read_call(struct rb_text line, char *out, size_t room)
{
	static const char *const prefixes[] = { "ibv_", "rdma_" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(prefixes); i++) {
		struct rb_text t = line;

		while (rb_text_after_word(t, prefixes[i], &t)) {
			size_t n = 0, length = strlen(prefixes[i]);

			if (!is_call(prefixes[i], t))
				continue;
			while (n < t.n && (isalnum((unsigned char)t.p[n]) ||
					   t.p[n] == '_'))
				n++;
			t.p -= length;
			rb_text_copy(rb_text_first(t, n + length), out, room);
			return true;
		}
	}
	return false;
}

/* perftest and others tell the errno in the next line. */
static bool take_errno(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding *f;
	struct rb_text t;

	if (!rb_text_after_word(line, "ERRNO:", &t) &&
	    !rb_text_after_word(line, "errno", &t))
		return false;
	if (x->last < 0 || !x->last_lines)
		return false;
	f = &x->findings[x->last];
	if (f->kind != RB_KIND_CALL || f->codes.err)
		return false;
	f->codes.err = read_errno(line);
	return true;
}

bool rb_take_call(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;

	if (take_errno(x, line))
		return true;
	rb_finding_init(&f, RB_KIND_CALL,
			rb_text_has(line, "NCCL") ? "nccl" :
			rb_text_has(line, "UCX")  ? "ucx" :
						    "verbs");
	if (!said_failed(line) ||
	    !read_call(line, f.codes.call, sizeof(f.codes.call)))
		return false;
	f.codes.err = read_errno(line);
	if (rb_text_begins(rb_text_of(f.codes.call), "ibv_modify_qp"))
		read_transition(line, &f.codes);
	x->last = rb_explain_found(x, &f, line);
	x->last_lines = 3;
	return true;
}

bool rb_take_message(struct rb_explain *x, struct rb_text line)
{
	const struct rb_message_row *row = NULL;
	struct rb_finding f;

	for (size_t i = 0; i < RB_ARRAY_SIZE(rows) && !row; i++)
		if (rb_text_has(line, rows[i].words))
			row = &rows[i];
	if (!row)
		return false;
	/* "number of addresses inserted = 1" is no failure */
	if (row->call && !strcmp(row->call, "fi_av_insert") &&
	    !rb_text_has(line, "inserted = 0"))
		return false;
	/* "move QP to RTR" in a debug log is none either */
	if (row->transition && !said_failed(line))
		return false;
	rb_finding_init(&f, row->call ? RB_KIND_CALL : RB_KIND_MESSAGE,
			row->dialect);
	f.codes.message = row;
	if (row->call) {
		memcpy(f.codes.call, row->call, strlen(row->call) + 1);
		f.codes.err = read_errno(line);
	}
	if (row->transition)
		memcpy(f.codes.transition, row->transition,
		       strlen(row->transition) + 1);
	x->last = rb_explain_found(x, &f, line);
	x->last_lines = 3;
	return true;
}
