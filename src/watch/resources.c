/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * resources - what is read at times: queue pairs of all processes, and counters
 */
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/log.h"
#include "diag/counter.h"
#include "host/counters.h"
#include "host/nldev.h"
#include "verbs/qptext.h"
#include "watch/device.h"
#include "watch/watch.h"

#define TEXT_SHOWN 160

/* One reading of a device's queue pairs. */
struct reading {
	struct rb_watch *w;
	const struct rb_watch_device *d;
	struct rb_watch_qp *qps;
	size_t n, room;
};

static int by_number(const void *a, const void *b)
{
	const struct rb_watch_qp *x = a, *y = b;

	return x->qpn < y->qpn ? -1 : x->qpn > y->qpn;
}

static bool is_error(int state)
{
	return state == IBV_QPS_ERR || state == IBV_QPS_SQE;
}

static const char *type_name(int type)
{
	switch (type) {
	case IBV_QPT_RC:
		return "RC";
	case IBV_QPT_UC:
		return "UC";
	case IBV_QPT_UD:
		return "UD";
	default:
		return NULL;
	}
}

static void tell_error(const struct reading *r, const struct rb_nldev_qp *qp,
		       const struct rb_watch_qp *was)
{
	json_t *fields = json_pack("{s:s, s:I, s:s}", "device", r->d->dev.name,
				   "qpn", (json_int_t)qp->qpn, "to",
				   rb_qp_state_name(qp->state));
	const char *type = type_name(qp->type);

	if (qp->port)
		json_object_set_new(fields, "port", json_integer(qp->port));
	if (was)
		json_object_set_new(fields, "from",
				    json_string(rb_qp_state_name(was->state)));
	if (type)
		json_object_set_new(fields, "qp_type", json_string(type));
	if (qp->pid)
		json_object_set_new(fields, "pid", json_integer(qp->pid));
	if (qp->comm[0])
		json_object_set_new(fields, "comm", json_string(qp->comm));
	rb_watch_tell(r->w, "qp_error", fields,
		      "QP 0x%06x of %s (process %u) is in state %s%s%s",
		      qp->qpn, qp->comm[0] ? qp->comm : "?", qp->pid,
		      rb_qp_state_name(qp->state), was ? ", was " : "",
		      was ? rb_qp_state_name(was->state) : "");
}

static void take_qp(const struct rb_nldev_qp *qp, void *arg)
{
	struct reading *r = arg;
	const struct rb_watch_qp key = { .qpn = qp->qpn };
	const struct rb_watch_qp *was =
		r->d->nqps ? bsearch(&key, r->d->qps, r->d->nqps, sizeof(key),
				     by_number) :
			     NULL;

	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct rb_watch_qp *qps =
			realloc(r->qps, room * sizeof(*qps));

		if (!qps)
			return;
		r->qps = qps;
		r->room = room;
	}
	r->qps[r->n++] = (struct rb_watch_qp){ .qpn = qp->qpn,
					       .state = qp->state };
	if (r->d->qps_known && is_error(qp->state) &&
	    !(was && is_error(was->state)))
		tell_error(r, qp, was);
}

static void read_qps(struct rb_watch *w, struct rb_watch_device *d)
{
	struct reading r = { .w = w, .d = d };
	int err = rb_nldev_qps(w->nldev, d->dev.name, take_qp, &r);

	if (err) {
		free(r.qps);
		if (err != -ENODEV)
			rb_warn("qps_not_shown",
				"the kernel does not show the queue pairs of '%s': %s",
				d->dev.name, strerror(-err));
		return;
	}
	if (r.n)
		qsort(r.qps, r.n, sizeof(*r.qps), by_number);
	free(d->qps);
	d->qps = r.qps;
	d->nqps = r.n;
	d->qps_known = true;
}

void rb_watch_qps(struct rb_watch *w)
{
	for (unsigned int i = 0; i < w->ndevices; i++)
		if (w->devices[i].present)
			read_qps(w, &w->devices[i]);
}

/* --- counters ------------------------------------------------------------ */

/* Those that mean trouble, with what they imply; all are in the JSON. */
static void tell_counters(struct rb_watch *w, const struct rb_watch_device *d,
			  const struct rb_watch_port *port, json_t *moved)
{
	double seconds = (double)w->opts->interval_ns / (double)RB_NS_PER_S;
	json_t *rates = json_object(), *meanings = json_object();
	char text[TEXT_SHOWN] = "";
	const char *name;
	json_t *value, *fields;

	json_object_foreach(moved, name, value) {
		const struct rb_counter_row *row = rb_counter_row(name);
		double rate = (double)json_integer_value(value) / seconds;
		size_t n = strlen(text);

		json_object_set_new(rates, name, json_real(rate));
		if (row)
			json_object_set_new(meanings, name,
					    json_string(row->meaning));
		snprintf(text + n, sizeof(text) - n, "%s%s%s %.4g/s",
			 n ? ", " : "", row ? "! " : "", name, rate);
	}
	fields = json_pack("{s:s, s:i, s:I, s:O, s:o}", "device", d->dev.name,
			   "port", (int)port->number, "interval_ns",
			   (json_int_t)w->opts->interval_ns, "counters", moved,
			   "per_s", rates);
	if (json_object_size(meanings))
		json_object_set_new(fields, "meanings", meanings);
	else
		json_decref(meanings);
	rb_watch_tell(w, "counters", fields, "%s", text);
}

static void read_counters(struct rb_watch *w, const struct rb_watch_device *d,
			  struct rb_watch_port *port)
{
	struct rb_counters *now = rb_counters_read(d->dev.name, port->number,
						   port->netdev);
	json_t *moved = rb_counters_delta(port->counters, now);

	if (json_object_size(moved))
		tell_counters(w, d, port, moved);
	json_decref(moved);
	rb_counters_free(port->counters);
	port->counters = now;
}

void rb_watch_counters(struct rb_watch *w)
{
	for (unsigned int i = 0; i < w->ndevices; i++) {
		struct rb_watch_device *d = &w->devices[i];

		for (unsigned int p = 0; d->present && p < d->nports; p++)
			read_counters(w, d, &d->ports[p]);
	}
}
