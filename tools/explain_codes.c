/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explain_codes - one error from the words of a command line
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "diag/callerr.h"
#include "diag/cmevent.h"
#include "diag/event.h"
#include "diag/text.h"
#include "diag/wc.h"
#include "explain.h"

void rb_given_init(struct rb_given *given)
{
	memset(given, 0, sizeof(*given));
	rb_finding_init(&given->finding, RB_KIND_COMPLETION, "command line");
}

/* A number and nothing else. */
static bool number(const char *value, struct rb_number *n)
{
	struct rb_text t = rb_text_of(value);

	return rb_text_number(&t, n) && !t.n;
}

static void add_text(struct rb_finding *f, const char *value)
{
	size_t used = strlen(f->text);

	snprintf(f->text + used, sizeof(f->text) - used, "%s%s",
		 used ? " " : "", value);
}

static int took(struct rb_given *given, const char *value)
{
	given->any = true;
	add_text(&given->finding, value);
	return 0;
}

/* "12", "0xc", "RETRY_EXC_ERR", "IBV_WC_...", "transport retry counter exceeded" */
static int find_status(const char *value)
{
	const char *name = strncasecmp(value, "IBV_WC_", 7) ? value : value + 7;
	struct rb_number n;

	if (number(value, &n))
		return !n.negative && n.value < RB_WC_STATUSES ? (int)n.value :
								 -1;
	for (unsigned int i = 0; i < RB_WC_STATUSES; i++)
		if (!strcasecmp(rb_wc_row(i)->name, name) ||
		    !strcasecmp(rb_wc_row(i)->text, value))
			return (int)i;
	return -1;
}

int rb_given_status(struct rb_given *given, const char *value)
{
	int status = find_status(value);

	if (status < 0)
		return -EINVAL;
	given->finding.codes.status = status;
	given->has_status = true;
	return took(given, value);
}

int rb_given_vendor(struct rb_given *given, const char *value)
{
	struct rb_codes *c = &given->finding.codes;
	struct rb_number n;

	if (!number(value, &n) || n.negative || n.as_hex > UINT32_MAX)
		return -EINVAL;
	c->has_vendor = true;
	c->base = n.hex ? RB_BASE_HEX : RB_BASE_EITHER;
	c->vendor = (uint32_t)n.value;
	c->vendor_as_hex = (uint32_t)n.as_hex;
	memcpy(c->vendor_digits, n.digits, sizeof(n.digits));
	return took(given, value);
}

int rb_given_driver(struct rb_given *given, const char *value)
{
	enum rb_provider provider = rb_provider_by_name(value);

	if (!provider)
		return -EINVAL;
	given->finding.codes.provider = provider;
	add_text(&given->finding, value);
	return 0;
}

int rb_given_queue(struct rb_given *given, const char *value)
{
	bool send = !strcasecmp(value, "SQ") || !strcasecmp(value, "send");

	if (!send && strcasecmp(value, "RQ") && strcasecmp(value, "recv"))
		return -EINVAL;
	given->finding.codes.queue = send ? 'S' : 'R';
	return 0;
}

int rb_given_call(struct rb_given *given, const char *value)
{
	const struct rb_call_row *rows;
	size_t n;

	rows = rb_call_rows(&n);
	for (size_t i = 0; i < n; i++) {
		if (strncmp(rows[i].call, value, strlen(rows[i].call)))
			continue;
		given->finding.kind = RB_KIND_CALL;
		snprintf(given->finding.codes.call,
			 sizeof(given->finding.codes.call), "%s", value);
		return took(given, value);
	}
	return -EINVAL;
}

/* "INIT->RTR", or only "RTR": what it is to become. */
int rb_given_transition(struct rb_given *given, const char *value)
{
	static const char *const names[] = { "RESET->INIT", "INIT->RTR",
					     "RTR->RTS" };

	for (size_t i = 0; i < RB_ARRAY_SIZE(names); i++) {
		const char *to = strchr(names[i], '>') + 1;

		if (strcasecmp(names[i], value) && strcasecmp(to, value))
			continue;
		memcpy(given->finding.codes.transition, names[i],
		       strlen(names[i]) + 1);
		add_text(&given->finding, value);
		return 0;
	}
	return -EINVAL;
}

int rb_given_errno(struct rb_given *given, const char *value)
{
	const struct rb_errno_name *names;
	struct rb_number num;
	size_t n;

	names = rb_errno_names(&n);
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(names[i].name, value) ||
		    !strcasecmp(names[i].text, value) ||
		    (number(value, &num) &&
		     num.value == (uint64_t)names[i].err)) {
			given->finding.codes.err = names[i].err;
			return took(given, value);
		}
	return -EINVAL;
}

static bool is_name(const char *value, const char *prefix, const char *name)
{
	size_t n = strlen(prefix);

	if (!strncasecmp(value, prefix, n))
		value += n;
	return !strcasecmp(value, name);
}

int rb_given_event(struct rb_given *given, const char *value)
{
	const struct rb_event_row *events;
	const struct rb_cm_name *names;
	size_t n;

	events = rb_event_rows(&n);
	for (size_t i = 0; i < n; i++)
		if (is_name(value, "IBV_EVENT_", events[i].name) ||
		    !strcasecmp(value, events[i].text)) {
			given->finding.kind = RB_KIND_EVENT;
			given->finding.codes.event = events[i].event;
			return took(given, value);
		}
	names = rb_cm_names(&n);
	for (size_t i = 0; i < n; i++)
		if (is_name(value, "RDMA_CM_EVENT_", names[i].name)) {
			given->finding.kind = RB_KIND_CM;
			given->finding.codes.cm_event = names[i].event;
			return took(given, value);
		}
	return -EINVAL;
}

int rb_given_event_status(struct rb_given *given, const char *value)
{
	struct rb_codes *c = &given->finding.codes;
	const struct rb_errno_name *names;
	const struct rb_cm_row *rows;
	struct rb_number num;
	size_t n;
	bool found = number(value, &num) && num.value < 4096;

	if (found)
		c->cm_status = num.negative ? -(int)num.value : (int)num.value;
	rows = rb_cm_rows(&n);
	for (size_t i = 0; i < n && !found; i++)
		if (!strcasecmp(rows[i].name, value)) {
			c->cm_status = rows[i].status;
			found = true;
		}
	names = rb_errno_names(&n);
	for (size_t i = 0; i < n && !found; i++)
		if (!strcasecmp(names[i].name, value)) {
			c->cm_status = -names[i].err;
			found = true;
		}
	c->has_cm_status = found;
	/* "110" is meant as an errno where no reason has that number */
	if (found && c->cm_event >= 0 && !rb_cm_row(c->cm_event, c->cm_status) &&
	    rb_cm_row(c->cm_event, -c->cm_status))
		c->cm_status = -c->cm_status;
	return found ? took(given, value) : -EINVAL;
}

static int given_number(struct rb_given *given, const char *value)
{
	switch (given->finding.kind) {
	case RB_KIND_CALL:
		return rb_given_errno(given, value);
	case RB_KIND_CM:
		return rb_given_event_status(given, value);
	default:
		break;
	}
	if (!given->has_status && !rb_given_status(given, value))
		return 0;
	return given->finding.codes.has_vendor ? -EINVAL :
						 rb_given_vendor(given, value);
}

int rb_given_word(struct rb_given *given, const char *value)
{
	struct rb_number n;

	if (number(value, &n))
		return given_number(given, value);
	if (given->finding.kind == RB_KIND_CM &&
	    !rb_given_event_status(given, value))
		return 0;
	if (!rb_given_status(given, value) || !rb_given_event(given, value) ||
	    !rb_given_call(given, value) || !rb_given_errno(given, value) ||
	    !rb_given_transition(given, value) || !rb_given_queue(given, value))
		return 0;
	return rb_given_driver(given, value);
}
