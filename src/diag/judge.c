/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * judge - after the last line: whose codes they are, in which base, and which
 * failure came first
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "diag/taker.h"
#include "diag/wc.h"

static bool is_completion(const struct rb_finding *f, int status)
{
	return f->kind == RB_KIND_COMPLETION &&
	       (status < 0 || f->codes.status == status);
}

static bool is_flush(const struct rb_finding *f)
{
	return is_completion(f, IBV_WC_WR_FLUSH_ERR);
}

/* --- providers ----------------------------------------------------------- */

/* The one provider of the devices that the text names; unknown: none, several. */
static enum rb_provider of_devices(const struct rb_explain *x)
{
	enum rb_provider found = RB_PROVIDER_UNKNOWN, p;

	for (unsigned int i = 0; i < x->facts.ntables + x->facts.nports; i++) {
		unsigned int k = i - x->facts.ntables;

		if (i < x->facts.ntables)
			p = rb_provider_by_name(x->facts.tables[i].device);
		else
			p = rb_provider_by_name(
				*x->facts.ports[k].driver ?
					x->facts.ports[k].driver :
					x->facts.ports[k].device);
		if (p && found && p != found)
			return RB_PROVIDER_UNKNOWN;
		found = p ? p : found;
	}
	return found;
}

/* What other lines of the text say. */
static enum rb_provider of_findings(const struct rb_explain *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->findings[i].codes.provider &&
		    !x->findings[i].codes.provider_guessed)
			return x->findings[i].codes.provider;
	return RB_PROVIDER_UNKNOWN;
}

static bool known(enum rb_provider provider, const struct rb_codes *c,
		  uint32_t vendor)
{
	const struct rb_vendor_row *row =
		rb_vendor_row(provider, c->status, vendor, c->queue);

	return row && (c->status < 0 || row->status < 0 ||
		       row->status == c->status);
}

static bool fits(enum rb_provider provider, const struct rb_codes *c)
{
	return known(provider, c, c->vendor) ||
	       (c->base == RB_BASE_EITHER &&
		known(provider, c, c->vendor_as_hex));
}

static void find_provider(const struct rb_explain *x, struct rb_finding *f)
{
	struct rb_codes *c = &f->codes;
	enum rb_provider near = of_devices(x);

	if (!near)
		near = of_findings(x);
	if (c->provider || f->kind != RB_KIND_COMPLETION)
		return;
	if (x->given) {
		c->provider = x->given;
		return;
	}
	if (near && (!c->has_vendor || fits(near, c))) {
		c->provider = near;
		c->provider_guessed = true;
		return;
	}
	if (!c->has_vendor)
		return;
	c->provider =
		rb_vendor_guess(c->status, c->vendor, &c->provider_others);
	if (!c->provider && c->base == RB_BASE_EITHER)
		c->provider = rb_vendor_guess(c->status, c->vendor_as_hex,
					      &c->provider_others);
	c->provider_guessed = true;
}

/* --- the base of a number ------------------------------------------------ */

static void find_base(struct rb_codes *c)
{
	bool decimal, hex;

	if (!c->has_vendor || c->base != RB_BASE_EITHER)
		return;
	if (c->vendor == c->vendor_as_hex) {
		c->base = RB_BASE_NONE;
		return;
	}
	decimal = known(c->provider, c, c->vendor);
	hex = known(c->provider, c, c->vendor_as_hex);
	if (decimal == hex)
		return; /* both readings are shown */
	c->base = decimal ? RB_BASE_DECIMAL : RB_BASE_HEX;
	if (hex)
		c->vendor = c->vendor_as_hex;
}

/* --- the status that a code implies -------------------------------------- */

static void find_status(struct rb_codes *c)
{
	const struct rb_vendor_row *row;

	if (c->status >= 0 || !c->has_vendor)
		return;
	row = rb_vendor_row(c->provider, -1, c->vendor, c->queue);
	if (row)
		c->status = row->status;
}

/* Where the same code means another status in the other queue. */
static void find_queue(struct rb_codes *c)
{
	const struct rb_vendor_row *row;

	if (c->queue || !c->has_vendor || c->status < 0)
		return;
	row = rb_vendor_row(c->provider, c->status, c->vendor, 0);
	if (row && row->status == c->status)
		c->queue = row->queue;
}

/* Errnos that come from resolving the address: of one transition only. */
static void find_transition(struct rb_codes *c)
{
	static const int errs[] = { ETIMEDOUT, ENETUNREACH, EHOSTUNREACH,
				    ENODEV, ENODATA };
	static const char rtr[] = "INIT->RTR";

	if (strncmp(c->call, "ibv_modify_qp", 13) || *c->transition)
		return;
	for (size_t i = 0; i < RB_ARRAY_SIZE(errs); i++)
		if (c->err == errs[i])
			memcpy(c->transition, rtr, sizeof(rtr));
}

/* --- roles --------------------------------------------------------------- */

static bool before(const struct rb_finding *a, const struct rb_finding *b)
{
	if (a->file == b->file)
		return a->line < b->line;
	if (a->at_us && b->at_us)
		return a->at_us < b->at_us;
	return a->file < b->file;
}

/* Of one process as far as the text tells: one input, one host. */
static bool together(const struct rb_finding *a, const struct rb_finding *b)
{
	return a->file == b->file && !strcmp(a->host, b->host);
}

/* Whether @b is about the queue pair of @a, or may be. */
static bool same_qp(const struct rb_finding *a, const struct rb_finding *b)
{
	return !a->codes.has_qpn || !b->codes.has_qpn ||
	       a->codes.qpn == b->codes.qpn;
}

/* Firmware commands that make a verb fail, or a connection later. */
static bool command_explains(const struct rb_finding *f,
			     const struct rb_finding *of)
{
	const char *command = f->codes.command;
	bool state = strstr(command, "2INIT") || strstr(command, "2RTR") ||
		     strstr(command, "2RTS");

	if (f->kind != RB_KIND_FIRMWARE)
		return false;
	if (is_completion(of, IBV_WC_REM_INV_REQ_ERR) ||
	    is_completion(of, IBV_WC_RETRY_EXC_ERR))
		return state;
	if (of->kind != RB_KIND_CALL)
		return false;
	if (!strncmp(of->codes.call, "ibv_modify_qp", 13))
		return state;
	if (!strncmp(of->codes.call, "ibv_reg_mr", 10))
		return strstr(command, "MKEY") != NULL;
	return !strncmp(of->codes.call, "ibv_create_qp", 13) &&
	       strstr(command, "CREATE_QP");
}

/* Events after which completions fail. */
static bool event_explains(const struct rb_finding *f,
			   const struct rb_finding *of)
{
	int event = f->codes.event;

	if (f->kind != RB_KIND_EVENT || of->kind != RB_KIND_COMPLETION ||
	    before(of, f))
		return false;
	if (event == IBV_EVENT_DEVICE_FATAL || event == IBV_EVENT_CQ_ERR)
		return true;
	return (event == IBV_EVENT_PORT_ERR || event == IBV_EVENT_GID_CHANGE ||
		event == IBV_EVENT_LID_CHANGE) &&
	       is_completion(of, IBV_WC_RETRY_EXC_ERR);
}

/* The two halves of one failure: what requester and responder see. */
static const struct {
	int requester;
	int event;	  /* of the responder; -1 */
	int responder[3]; /* statuses of the responder */
} pairs[] = {
	{ IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR, { 8 } },
	{ IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR, { 1, 8 } },
	{ IBV_WC_REM_OP_ERR, -1, { 4, 2 } },
};

/* The kernel's line about a queue pair, of a responder. */
static bool is_responder_line(const struct rb_finding *f)
{
	return is_completion(f, -1) && f->codes.kernel_text &&
	       f->codes.queue == 'R';
}

static bool other_half(const struct rb_finding *f, const struct rb_finding *of)
{
	for (size_t i = 0; i < RB_ARRAY_SIZE(pairs); i++) {
		if (!is_completion(of, pairs[i].requester))
			continue;
		if (f->kind == RB_KIND_EVENT &&
		    f->codes.event == pairs[i].event)
			return true;
		if (is_responder_line(f))
			return true;
		for (int k = 0; k < 3; k++)
			if (pairs[i].responder[k] && !together(f, of) &&
			    is_completion(f, pairs[i].responder[k]))
				return true;
	}
	return false;
}

/* libibverbs has no device because it has no provider for any. */
static bool provider_explains(const struct rb_finding *f,
			      const struct rb_finding *of)
{
	return f->codes.message &&
	       !strcmp(f->codes.message->id, "no_provider") &&
	       of->kind == RB_KIND_CALL &&
	       !strcmp(of->codes.call, "ibv_get_device_list");
}

/* Whether @f follows from @of, or tells the same again. */
static enum rb_role role_beside(const struct rb_finding *f,
				const struct rb_finding *of)
{
	if (command_explains(of, f) || event_explains(of, f) ||
	    provider_explains(of, f))
		return RB_ROLE_CONSEQUENCE;
	if (f->kind == RB_KIND_CM && is_completion(of, -1) &&
	    f->codes.cm_event == RDMA_CM_EVENT_DISCONNECTED)
		return RB_ROLE_CONSEQUENCE;
	if (other_half(f, of))
		return RB_ROLE_OTHER_SIDE;
	if (is_completion(f, -1) && is_completion(of, -1) && !is_flush(of) &&
	    together(f, of) && same_qp(f, of) && before(of, f) &&
	    f->codes.status >= 0 && f->hash != of->hash)
		return RB_ROLE_LATER;
	return RB_ROLE_CAUSE;
}

/* The first flush that software made, with nothing before it (mlx5 0xf5). */
static bool is_cause(const struct rb_explain *x, const struct rb_finding *f)
{
	if (f->codes.vendor != 0xf5 || !f->codes.has_vendor)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (is_completion(&x->findings[i], -1) &&
		    !is_flush(&x->findings[i]))
			return false;
	return true;
}

static void find_role(const struct rb_explain *x, struct rb_finding *f)
{
	if (f->codes.message)
		f->role = f->codes.message->role;
	if (is_flush(f) && !is_cause(x, f))
		f->role = RB_ROLE_CONSEQUENCE;
	for (size_t i = 0; i < x->n && f->role == RB_ROLE_CAUSE; i++)
		if (&x->findings[i] != f)
			f->role = role_beside(f, &x->findings[i]);
}

static int compare(const void *a, const void *b)
{
	static const int order[] = {
		[RB_ROLE_CAUSE] = 0,
		[RB_ROLE_OTHER_SIDE] = 1,
		[RB_ROLE_LATER] = 2,
		[RB_ROLE_CONSEQUENCE] = 3,
	};
	const struct rb_finding *x = a, *y = b;

	if (x->role != y->role)
		return order[x->role] - order[y->role];
	return before(x, y) ? -1 : before(y, x) ? 1 : 0;
}

void rb_explain_judge(struct rb_explain *x)
{
	for (size_t i = 0; i < x->n; i++) {
		find_provider(x, &x->findings[i]);
		find_base(&x->findings[i].codes);
		find_status(&x->findings[i].codes);
		find_queue(&x->findings[i].codes);
		find_transition(&x->findings[i].codes);
	}
	for (size_t i = 0; i < x->n; i++)
		find_role(x, &x->findings[i]);
	qsort(x->findings, x->n, sizeof(x->findings[0]), compare);
}
