/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wcfail - report a completion error with its cause
 */
#include "run/wcfail.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "diag/event.h"
#include "diag/vendor.h"
#include "diag/wc.h"
#include "host/ibsys.h"
#include "run/monitor.h"
#include "run/session.h"
#include "verbs/dev.h"

#define CODE_TEXT 64

/* A completion of any lane, in the order of the lanes. */
static bool next_completion(struct rb_session *session, struct ibv_wc *wc)
{
	for (uint32_t i = 0; i < session->plan.lanes; i++)
		if (ibv_poll_cq(session->lanes[i].cq.cq, 1, wc) > 0)
			return true;
	return false;
}

/* A flushed request only says that its QP had failed already. */
static struct ibv_wc first_cause(struct rb_session *session, struct ibv_wc wc)
{
	struct ibv_wc other;
	int limit = 1 << 16;

	while (wc.status == IBV_WC_WR_FLUSH_ERR && limit-- &&
	       next_completion(session, &other))
		if (other.status != IBV_WC_SUCCESS)
			wc = other;
	return wc;
}

/* The status' usual cause, and what the vendor's code adds to it. */
static void find_cause(const struct rb_session *session,
		       const struct ibv_wc *wc, const struct rb_wc_row *row,
		       char cause[static RB_LOG_TEXT],
		       char code[static CODE_TEXT])
{
	const struct rb_vendor_row *vendor;
	enum rb_provider provider;
	char driver[RB_IBSYS_TEXT];

	rb_ibsys_driver(session->dev->name, driver);
	provider = rb_provider_by_name(driver);
	vendor = rb_vendor_row(provider, (int)wc->status, wc->vendor_err, 0);
	if (vendor && vendor->status >= 0 && vendor->status != (int)wc->status)
		vendor = NULL;
	snprintf(cause, RB_LOG_TEXT, "%s%s%s",
		 row->cause ? row->cause : row->meaning,
		 vendor ? "; its vendor's code: " : "",
		 vendor ? vendor->meaning : "");
	if (rb_provider_row(provider)->silent && !wc->vendor_err)
		code[0] = '\0'; /* that driver has no code to tell */
	else
		snprintf(code, CODE_TEXT, ", vendor_err 0x%02x%s%s",
			 wc->vendor_err, provider ? " of " : "",
			 provider ? rb_provider_row(provider)->name : "");
}

int rb_wc_fail(struct rb_session *session, struct rb_monitor *monitor,
	       const struct ibv_wc *wc, uint64_t completed)
{
	struct ibv_wc first = first_cause(session, *wc);
	const struct rb_event_row *event =
		rb_event_row(rb_monitor_explains(monitor));
	const struct rb_wc_row *row = rb_wc_row(first.status);
	const char *hint = completed && row->hint_later ? row->hint_later :
							  row->hint_first;
	char cause[RB_LOG_TEXT], code[CODE_TEXT];

	session->failed_status = (int)first.status;
	find_cause(session, &first, row, cause, code);
	return rb_fail_hint(RB_FAULT_COMPLETION, -EIO,
			    event ? event->cause : cause,
			    event ? event->hint : hint,
			    "QP 0x%06x%s on '%s' failed after %llu messages: %s (status %d%s)",
			    first.qp_num, session->plan.of ? session->plan.of : "",
			    session->dev->name,
			    (unsigned long long)completed,
			    ibv_wc_status_str(first.status), first.status,
			    code);
}

int rb_stall_fail(struct rb_session *session, struct rb_monitor *monitor,
		  uint64_t completed)
{
	const struct rb_event_row *event =
		rb_event_row(rb_monitor_explains(monitor));

	return rb_fail_hint(RB_FAULT_STALLED, -ETIMEDOUT,
			    event ? event->cause :
				    rb_fault_row(RB_FAULT_STALLED)->cause,
			    event ? event->hint : NULL,
			    "nothing completes any more on '%s' after %llu messages",
			    session->dev->name,
			    (unsigned long long)completed);
}
