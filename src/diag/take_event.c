/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * take_event - lines about asynchronous events and about events of rdma_cm
 */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "diag/cmevent.h"
#include "diag/event.h"
#include "diag/callerr.h"
#include "diag/taker.h"

/* "IBV_EVENT_QP_FATAL", "IB_EVENT_..." by name; else in words, if it says so. */
static const struct rb_event_row *find_event(struct rb_text line)
{
	const struct rb_event_row *rows, *best = NULL;
	bool spoken = rb_text_has(line, "async") || rb_text_has(line, "event");
	struct rb_text t;
	char word[40];
	size_t n;

	rows = rb_event_rows(&n);
	if (rb_text_after(line, "_EVENT_", &t)) {
		rb_text_word(&t, word, sizeof(word));
		for (size_t i = 0; i < n; i++)
			if (rb_text_begins(rb_text_of(word), rows[i].name) &&
			    (!best || strlen(rows[i].name) > strlen(best->name)))
				best = &rows[i];
	}
	for (size_t i = 0; i < n && !best && spoken; i++)
		if (rb_text_has(line, rows[i].text))
			best = &rows[i];
	return best;
}

bool rb_take_event(struct rb_explain *x, struct rb_text line)
{
	const struct rb_event_row *row;
	struct rb_finding f;
	uint64_t qpn;

	if (rb_text_has(line, "RDMA_CM_"))
		return false;
	row = find_event(line);
	if (!row)
		return false;
	rb_finding_init(&f, RB_KIND_EVENT,
			rb_text_has(line, "NET/IB") || rb_text_has(line, "NCCL") ?
				"nccl" :
				"verbs");
	f.codes.event = row->event;
	if (rb_text_key(line, "qpn", &qpn) && qpn < 1u << 24) {
		f.codes.has_qpn = true;
		f.codes.qpn = (uint32_t)qpn;
	}
	rb_explain_found(x, &f, line);
	return true;
}

/*
 * The status that stands beside the event. "REJECTED (8)" has the number of the
 * event there: only a keyed number is a status. Positive errnos are those of
 * programs that turned them round.
 */
static bool read_status(struct rb_text line, int event, int *status)
{
	static const char *const keys[] = { "status", "error:", "error =",
					    "error=", "reason", "error",
					    "err" };
	const struct rb_cm_row *row;
	struct rb_number number;
	struct rb_text t;

	for (size_t i = 0; i < RB_ARRAY_SIZE(keys); i++) {
		t = line;
		while (rb_text_after_word(t, keys[i], &t)) {
			struct rb_text at = t;

			if (!rb_text_number(&at, &number) ||
			    number.value > 4095)
				continue;
			*status = number.negative ? -(int)number.value :
						    (int)number.value;
			row = rb_cm_row(event, *status);
			if (!row && rb_cm_row(event, -*status))
				*status = -*status;
			return true;
		}
	}
	return false;
}

static int find_cm_event(struct rb_text line)
{
	const struct rb_cm_name *names;
	size_t n, longest = 0;
	struct rb_text t = line;
	char word[40];
	int found = -1;

	names = rb_cm_names(&n);
	/* the last one: "Expected ESTABLISHED but received REJECTED" */
	while (rb_text_after(t, "RDMA_CM_EVENT_", &t)) {
		struct rb_text at = t;

		rb_text_word(&at, word, sizeof(word));
		longest = 0;
		for (size_t i = 0; i < n; i++)
			if (rb_text_begins(rb_text_of(word), names[i].name) &&
			    strlen(names[i].name) > longest) {
				longest = strlen(names[i].name);
				found = names[i].event;
			}
	}
	return found;
}

/* Programs that tell a reason without the event. */
static const struct {
	const char *words;
	const char *event;
	int status; /* 0: it stands in the line */
} spoken[] = {
	{ "Connect rejected: status", "REJECTED", 0 },
	{ "rejected: status", "REJECTED", 0 },
	{ "prov_err: Unknown error -28", "REJECTED", 28 },
	{ "prov_err: Unknown error -8", "REJECTED", 8 },
	{ "invalid service ID", "REJECTED", 8 },
	{ "consumer defined", "REJECTED", 28 },
	{ "stale connection", "REJECTED", 10 },
};

static int find_spoken(struct rb_text line, int *status)
{
	const struct rb_cm_name *names;
	size_t n;

	names = rb_cm_names(&n);
	for (size_t i = 0; i < RB_ARRAY_SIZE(spoken); i++) {
		if (!rb_text_has(line, spoken[i].words))
			continue;
		*status = spoken[i].status;
		for (size_t k = 0; k < n; k++)
			if (!strcmp(names[k].name, spoken[i].event))
				return names[k].event;
	}
	return -1;
}

/* What is normal is no finding. */
static bool is_normal(int event)
{
	const struct rb_cm_name *names;
	size_t n;

	names = rb_cm_names(&n);
	for (size_t i = 0; i < n; i++)
		if (names[i].event == event)
			return strstr(names[i].meaning, ": normal") != NULL;
	return false;
}

bool rb_take_cm(struct rb_explain *x, struct rb_text line)
{
	struct rb_finding f;
	int event, status = 0;

	event = find_cm_event(line);
	if (event < 0)
		event = find_spoken(line, &status);
	if (event < 0)
		return false;
	if (is_normal(event))
		return true;
	rb_finding_init(&f, RB_KIND_CM,
			rb_text_has(line, "nvme") ? "spdk" : "rdma_cm");
	f.codes.cm_event = event;
	f.codes.cm_status = status;
	f.codes.has_cm_status = status ||
				read_status(line, event, &f.codes.cm_status);
	rb_explain_found(x, &f, line);
	return true;
}
