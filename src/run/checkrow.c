/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * checkrow - the line that a test of 'rbench check' yields, and its judgement
 */
#include "run/checkrow.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "diag/wc.h"
#include "run/header.h"

#define STATUSES 64

const char rb_check_pass[] = "PASS";
const char rb_check_fail[] = "FAIL";
const char rb_check_none[] = "SKIP";

#define AT(field) offsetof(struct rb_check_row, field)

static const struct rb_field rows[] = {
	/* clang-format off */
	{ "outcome", "", RB_FIELD_TEXT, AT(outcome), 4, 0, 0 },
	{ "test", "test", RB_FIELD_TEXT, AT(test), -20, 0, 0 },
	{ "size_bytes", "bytes", RB_FIELD_UINT, AT(size_bytes), 7, 0, 0 },
	{ "direction", "way", RB_FIELD_TEXT, AT(direction), -3, 0, 0 },
	{ "duration_ns", "ms", RB_FIELD_UINT, AT(duration_ns), 7, 1, 1e-6 },
	{ "completion.status", NULL, RB_FIELD_TEXT, AT(status), 0, 0, 0 },
	{ "completion.status_code", NULL, RB_FIELD_UINT, AT(status_code), 0, 0, 0 },
	{ "completion.vendor_err", NULL, RB_FIELD_UINT, AT(vendor_err), 0, 0, 0 },
	{ "description", NULL, RB_FIELD_TEXT, AT(what), 0, 0, 0 },
	{ "detail", " ", RB_FIELD_TEXT, AT(detail_text), 1, 0, 0 },
	/* clang-format on */
};

const struct rb_fields rb_check_fields = { rows, RB_ARRAY_SIZE(rows) };

struct rb_check_row rb_check_row_of(const struct rb_trial *t)
{
	bool connects = t->row->flags & RB_TRIAL_CONNECT;

	return (struct rb_check_row){
		.outcome = rb_check_none,
		.test = t->row->name,
		.what = t->row->what,
		.direction = connects ? NULL : t->acts ? "out" : "in",
		.size_bytes = connects ? RB_ABSENT : t->size,
		.duration_ns = RB_ABSENT,
		.status_code = RB_ABSENT,
		.vendor_err = RB_ABSENT,
	};
}

RB_PRINTF(2, 3)
static void detail(struct rb_check_row *row, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(row->detail, sizeof(row->detail), fmt, args);
	va_end(args);
	row->detail_text = *row->detail ? row->detail : NULL;
}

void rb_check_skip(struct rb_check_row *row, const char *why)
{
	row->outcome = rb_check_none;
	detail(row, "%s", why);
}

void rb_check_broken(struct rb_check_row *row, const struct rb_failure *why)
{
	row->outcome = rb_check_fail;
	detail(row, "%s%s%s", why->message, why->cause[0] ? ": " : "",
	       why->cause);
}

/* "remote access error", or two of them with "or" */
static void due_text(uint64_t expect, char text[static RB_LOG_TEXT])
{
	size_t n = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < STATUSES; i++)
		if (expect & RB_WC(i))
			n += (size_t)snprintf(text + n, RB_LOG_TEXT - n, "%s%s",
					      n ? " or " : "",
					      ibv_wc_status_str(i));
}

static bool is_dropped(const struct rb_trial *t)
{
	return t->row->flags & RB_TRIAL_DROPPED;
}

/* There is no completion: the device did not take the request. */
static void judge_refusal(struct rb_check_row *row, const struct rb_trial *t,
			  unsigned int refused)
{
	row->outcome = is_dropped(t) ? rb_check_pass : rb_check_fail;
	detail(row, "the device refused to take the request: %s",
	       strerror((int)refused));
}

/* What is wrong with the completion; the row is a pass when nothing is. */
static void judge_status(struct rb_check_row *row, const struct rb_trial *t,
			 const struct rb_outcome *acted)
{
	uint64_t expect = t->row->expect;
	bool good = acted->status == IBV_WC_SUCCESS;
	char due[RB_LOG_TEXT];

	due_text(expect, due);
	row->outcome = expect & RB_WC(acted->status) ? rb_check_pass :
						       rb_check_fail;
	if (row->outcome == rb_check_pass)
		detail(row, "%s",
		       !good		     ? row->status :
		       is_dropped(t) ? "dropped" :
					       "");
	else if (good)
		detail(row, "it was not refused: %s is due", due);
	else if (expect & RB_WC(IBV_WC_SUCCESS))
		detail(row, "%s (status %u, vendor_err 0x%02x): %s",
		       row->status, acted->status, acted->vendor_err,
		       rb_wc_row(acted->status)->cause);
	else
		detail(row, "%s (status %u, vendor_err 0x%02x), where %s is due",
		       row->status, acted->status, acted->vendor_err, due);
}

void rb_check_judge(struct rb_check_row *row, const struct rb_trial *t,
		    const struct rb_outcome *mine,
		    const struct rb_outcome *theirs)
{
	const struct rb_outcome *acted = t->acts ? mine : theirs;
	const char *wrong = *mine->wrong ? mine->wrong : theirs->wrong;

	row->outcome = *wrong ? rb_check_fail : rb_check_pass;
	if (acted->completed) {
		row->status = ibv_wc_status_str(acted->status);
		row->status_code = acted->status;
		row->vendor_err = acted->vendor_err;
		judge_status(row, t, acted);
	} else if (acted->refused) {
		judge_refusal(row, t, acted->refused);
	}
	/* a wrong status says more than what followed from it */
	if (*wrong && row->outcome == rb_check_pass) {
		row->outcome = rb_check_fail;
		detail(row, "%s (%s)", wrong,
		       *mine->wrong ? "this end" : "peer");
	} else if (*wrong && !acted->completed && !acted->refused) {
		detail(row, "%s", wrong);
	}
}

void rb_check_lost(struct rb_check_row *row, unsigned int lost,
		   unsigned int tried)
{
	size_t n = strlen(row->detail);

	snprintf(row->detail + n, sizeof(row->detail) - n,
		 "%s%u of %u datagrams got lost", n ? "; " : "", lost, tried);
	row->detail_text = row->detail;
}

/* A completion that says nothing of the error. */
static const struct rb_wc_row unnoticed = {
	.cause = "the datagram has left: of what drops it afterwards no sender is told",
	.hint_first = "compare Q_Key, QP number and MTU of both ends; the receiver's port may count wrong keys (qkey_viol_cntr in 'ibv_devinfo -v')",
};

void rb_check_explain(struct rb_report *report, const struct rb_check_row *row,
		      const struct rb_trial *t, const struct rb_outcome *acted)
{
	bool good = acted->status == IBV_WC_SUCCESS;
	const struct rb_wc_row *meaning =
		good ? &unnoticed : rb_wc_row(acted->status);

	rb_report_text(report, "\nprovoked:   %s\n", row->what);
	if (acted->refused)
		rb_report_text(report,
			       "completion: none, the request was not taken: %s\n",
			       strerror((int)acted->refused));
	if (!acted->completed || (good && !is_dropped(t)))
		return;
	rb_report_text(report,
		       "completion: %s (status %u), vendor_err 0x%02x\n"
		       "meaning:    %s\n",
		       row->status, acted->status, acted->vendor_err,
		       meaning->cause);
	if (meaning->hint_first)
		rb_report_text(report, "next step:  %s\n", meaning->hint_first);
}

void rb_check_header(struct rb_report *report, const json_t *local,
		     const json_t *peer, unsigned int mtu)
{
	rb_report_text(report, "rbench check: RC and UD, path MTU %u\n", mtu);
	rb_report_end(report, "local", local);
	rb_report_end(report, "peer", peer);
	rb_report_text(report, "\n");
}
