/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * explaintables - all tables of explanations, as JSON
 */
#include <stdio.h>

#include "base/base.h"
#include "diag/callerr.h"
#include "diag/cmevent.h"
#include "diag/event.h"
#include "diag/explain.h"
#include "diag/taker.h"
#include "diag/wc.h"

static json_t *row(const char *name, const char *meaning,
		   const struct rb_cause *causes)
{
	json_t *o = json_object(), *list = json_array();

	json_object_set_new(o, "name", json_string(name ? name : "-"));
	if (meaning)
		json_object_set_new(o, "meaning", json_string(meaning));
	for (; causes && causes->text; causes++) {
		json_t *c = json_pack("{s:s, s:s}", "text", causes->text,
				      "certainty", rb_sure_name(causes->sure));

		if (causes->rule)
			json_object_set_new(c, "rule",
					    json_string(causes->rule));
		if (causes->ref)
			json_object_set_new(c, "reference",
					    json_string(causes->ref));
		json_array_append_new(list, c);
	}
	json_object_set_new(o, "causes", list);
	return o;
}

static json_t *statuses(void)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < RB_WC_STATUSES; i++) {
		const struct rb_wc_row *wc = rb_wc_row(i);
		json_t *o = row(wc->name, wc->meaning, wc->causes);

		json_object_set_new(o, "number", json_integer(i));
		json_object_set_new(o, "text", json_string(wc->text));
		json_object_set_new(o, "side", json_string(wc->side));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *vendor(enum rb_provider provider)
{
	struct rb_vendor_table t = rb_vendor_table(provider);
	json_t *list = json_array();
	char code[16], queue[2] = "";

	for (size_t i = 0; i < t.n; i++) {
		const struct rb_vendor_row *v = &t.rows[i];
		json_t *o;

		if (!v->older && (provider == RB_PROVIDER_MLX4 ||
				  provider == RB_PROVIDER_MTHCA))
			continue;
		o = row(v->name, v->meaning, v->causes);
		snprintf(code, sizeof(code), "0x%02x", v->code);
		json_object_set_new(o, "code", json_string(code));
		if (v->status >= 0)
			json_object_set_new(o, "status",
					    json_integer(v->status));
		queue[0] = v->queue;
		if (v->queue)
			json_object_set_new(o, "queue", json_string(queue));
		json_object_set_new(o, "certainty",
				    json_string(rb_sure_name(v->sure)));
		if (v->ref)
			json_object_set_new(o, "reference",
					    json_string(v->ref));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *providers(void)
{
	json_t *list = json_array();

	for (int i = 1; i < RB_PROVIDERS; i++) {
		const struct rb_provider_row *p =
			rb_provider_row((enum rb_provider)i);

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o}", "name", p->name,
					"holds", p->holds, "codes",
					vendor((enum rb_provider)i)));
	}
	return list;
}

static json_t *events(void)
{
	const struct rb_event_row *rows;
	json_t *list = json_array();
	size_t n;

	rows = rb_event_rows(&n);
	for (size_t i = 0; i < n; i++) {
		json_t *o = row(rows[i].name, rows[i].meaning, rows[i].causes);

		json_object_set_new(o, "number", json_integer(rows[i].event));
		json_object_set_new(o, "text", json_string(rows[i].text));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *cm_events(void)
{
	const struct rb_cm_row *rows;
	json_t *list = json_array();
	size_t n;

	rows = rb_cm_rows(&n);
	for (size_t i = 0; i < n; i++) {
		json_t *o = row(rows[i].name, rows[i].meaning, rows[i].causes);

		json_object_set_new(o, "event", json_string(rows[i].event));
		json_object_set_new(o, "status", json_integer(rows[i].status));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *calls(void)
{
	const struct rb_call_row *rows;
	json_t *list = json_array();
	size_t n;

	rows = rb_call_rows(&n);
	for (size_t i = 0; i < n; i++) {
		const struct rb_errno_name *err = rb_errno_name(rows[i].err);
		json_t *o = row(rows[i].call, rows[i].meaning, rows[i].causes);

		if (rows[i].transition)
			json_object_set_new(o, "transition",
					    json_string(rows[i].transition));
		if (err)
			json_object_set_new(o, "errno_name",
					    json_string(err->name));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *rb_explain_tables(void)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "statuses", statuses(),
			 "providers", providers(), "async_events", events(),
			 "cm_events", cm_events(), "calls", calls());
}
