/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * aftermath - what is found out of a failure after it was reported
 */
#include "run/aftermath.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/intr.h"
#include "base/log.h"
#include "diag/signature.h"
#include "host/counters.h"
#include "run/context.h"
#include "run/header.h"

#define HEAR_NS (500 * RB_NS_PER_MS)
#define NAME_TEXT 64

static const json_t *queued_error(const struct rb_oob *oob)
{
	return oob->queued && !strcmp(rb_frame_type(oob->queue[0]), "error") ?
		       oob->queue[0] :
		       NULL;
}

bool rb_other_half(const struct rb_oob *oob)
{
	const json_t *frame = queued_error(oob);
	struct rb_failure f;

	if (!frame)
		return false;
	rb_failure_load(&f, frame);
	return f.fault == RB_FAULT_QP_DIED;
}

/* What the peer says, within a moment; it may be gone, or have nothing to say. */
static const json_t *hear(struct rb_oob *oob)
{
	uint64_t deadline = rb_deadline(HEAR_NS);
	const json_t *frame;

	while (!queued_error(oob)) {
		if (oob->queued || rb_wait_fd(oob->fd, POLLIN, NULL, deadline) ||
		    rb_oob_pump(oob, &frame))
			return NULL;
	}
	return queued_error(oob);
}

static void add_other_side(struct rb_context *ctx)
{
	const json_t *frame = hear(&ctx->oob);
	struct rb_failure f;

	if (!frame)
		return;
	rb_failure_load(&f, frame);
	if (f.fault == RB_FAULT_QP_DIED || f.fault == RB_FAULT_COMPLETION ||
	    f.fault == RB_FAULT_DEVICE_DIED)
		rb_fail_other_side("%s: %.400s", ctx->oob.peer_name, f.message);
}

/* The next of the names, as the document has them; false: no more. */
static bool next_name(const char **names, char name[static NAME_TEXT])
{
	size_t n = strcspn(*names, " ");

	if (!n)
		return false;
	snprintf(name, NAME_TEXT, "hw.%.*s", (int)n, *names);
	*names += n;
	*names += strspn(*names, " ");
	return true;
}

/* The counters @after the failure, and those that @moved: is it as the status says? */
static void add_evidence(struct rb_context *ctx,
			 const struct rb_counters *after, const json_t *moved)
{
	const struct rb_signature *sig =
		rb_signature(ctx->session.failed_status);
	const char *names = sig ? sig->requester : "";
	char name[NAME_TEXT], known[NAME_TEXT] = "";
	json_int_t rose = 0;

	if (!sig)
		return;
	while (!rose && next_name(&names, name)) {
		rose = json_integer_value(json_object_get(moved, name));
		if (rb_counters_have(after, name) && !*known)
			memcpy(known, name, sizeof(known));
	}
	if (rose)
		rb_fail_evidence("%s of this port rose by %lld, as it must",
				 name, (long long)rose);
	else if (*known)
		rb_fail_evidence("%s of this port did not rise, which contradicts the status: %s",
				 known, sig->missing);
}

/* What moved at this end, and what the rules make of it. */
static void add_counters(struct rb_context *ctx, enum rb_fault fault)
{
	struct rb_counters *after;
	json_t *moved;

	if (!ctx->before) /* nothing has been measured yet */
		return;
	after = rb_context_count(ctx);
	moved = rb_counters_delta(ctx->before, after);
	if (fault == RB_FAULT_COMPLETION)
		add_evidence(ctx, after, moved);
	rb_counters_free(after);
	rb_report_counters(ctx, moved, NULL);
	rb_report_findings(ctx);
}

void rb_aftermath(struct rb_context *ctx)
{
	const struct rb_log *log = rb_log_bound();
	enum rb_fault fault = log->first.fault;

	if (!log->failed)
		return;
	if (fault == RB_FAULT_COMPLETION || fault == RB_FAULT_QP_DIED)
		add_other_side(ctx);
	add_counters(ctx, fault);
}
