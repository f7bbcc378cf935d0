/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * repeat - the runs of one size over the same connection, and what they say together
 */
#include "run/repeat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/stats.h"
#include "run/context.h"

#define STABLE_RUNS_MIN 3 /* of fewer the interval is anybody's guess */
#define NOISY_PERCENT 5	  /* coefficient of variation */

int rb_repeat_keep(struct rb_repeat *repeat, const void *row, size_t size)
{
	char *rows = realloc(repeat->rows, (repeat->n + 1) * size);

	if (!rows)
		return rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM,
			       "cannot hold another run's result");
	memcpy(rows + repeat->n++ * size, row, size);
	repeat->rows = rows;
	repeat->size = size;
	return 0;
}

static void release(struct rb_repeat *repeat)
{
	free(repeat->rows);
	*repeat = (struct rb_repeat){ 0 };
}

static double value_of(const json_t *row, const char *key)
{
	const json_t *v = rb_metric_at(row, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* The values of @key in the order of the rows; fewer than all: 0. */
static unsigned int collect(const json_t *rows, const char *key,
			    double v[RB_REPEAT_MAX])
{
	unsigned int n = (unsigned int)json_array_size(rows);

	for (unsigned int i = 0; i < n; i++) {
		v[i] = value_of(json_array_get(rows, i), key);
		if (!isfinite(v[i]))
			return 0;
	}
	return n;
}

static json_t *metric_json(double v[], unsigned int n)
{
	double mean = rb_stats_mean(v, n), stddev = rb_stats_stddev(v, n);
	double half = rb_stats_half95(stddev, n);

	rb_stats_sort(v, n);
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "median",
			 rb_stats_median(v, n), "mean", mean, "stddev", stddev,
			 "ci95_low", mean - half, "ci95_high", mean + half,
			 "min", v[0], "max", v[n - 1]);
}

static json_t *metrics_json(const json_t *rows, const struct rb_fields *fields)
{
	json_t *all = json_object();
	double v[RB_REPEAT_MAX];

	for (size_t i = 0; i < fields->n; i++) {
		const struct rb_field *f = &fields->rows[i];
		unsigned int n = 0;

		if (f->key && f->type != RB_FIELD_TEXT &&
		    rb_metric_goodness(f->key))
			n = collect(rows, f->key, v);
		if (n > 1)
			json_object_set_new(all, f->key, metric_json(v, n));
	}
	return all;
}

/* The row whose value has as many below it as a median has. */
static size_t find_median(const double v[], unsigned int n)
{
	double sorted[RB_REPEAT_MAX];
	size_t i;

	memcpy(sorted, v, n * sizeof(*v));
	rb_stats_sort(sorted, n);
	for (i = 0; i + 1 < n; i++)
		if (!(v[i] < sorted[(n - 1) / 2]) && !(v[i] > sorted[(n - 1) / 2]))
			break;
	return i;
}

json_t *rb_repeat_judge(const json_t *rows, const struct rb_fields *fields,
			const char *key, size_t *median)
{
	double v[RB_REPEAT_MAX], mean;
	unsigned int n = collect(rows, key, v);
	json_t *o, *values;

	if (!n)
		return NULL;
	*median = find_median(v, n);
	values = json_array();
	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(values, json_real(v[i]));
	mean = rb_stats_mean(v, n);
	o = json_pack("{s:i, s:s, s:o, s:o}", "count", (int)n, "key", key,
		      "values", values, "metrics", metrics_json(rows, fields));
	if (mean > 0)
		json_object_set_new(o, "cv_percent",
				    json_real(100 * rb_stats_stddev(v, n) /
					      mean));
	return o;
}

static json_t *rows_json(const struct rb_repeat *r,
			 const struct rb_fields *fields)
{
	json_t *rows = json_array();

	for (unsigned int i = 0; i < r->n; i++)
		json_array_append_new(rows, rb_fields_json(fields, r->rows +
							   i * r->size));
	return rows;
}

/* Half of the confidence interval by the mean, in percent: how sure we are. */
static double uncertainty(const struct rb_repeat *r,
			  const struct rb_fields *fields, const char *key)
{
	json_t *rows = rows_json(r, fields);
	double v[RB_REPEAT_MAX], mean, half;
	unsigned int n = collect(rows, key, v);

	json_decref(rows);
	if (n < STABLE_RUNS_MIN)
		return INFINITY;
	mean = rb_stats_mean(v, n);
	half = rb_stats_half95(rb_stats_stddev(v, n), n);
	return mean > 0 ? 100 * half / mean : INFINITY;
}

static unsigned int limit_of(const struct rb_context *ctx)
{
	const struct rb_run_opts *run = &ctx->run_opts;

	return run->until_stable && run->repeat == 1 ?
		       RB_REPEAT_STABLE_RUNS :
		       (unsigned int)run->repeat;
}

/* With --until-stable the client says whether there is another run. */
static int ask(struct rb_context *ctx, const struct rb_repeat_way *way,
	       const struct rb_fields *fields, bool *again)
{
	json_t *frame;
	int err;

	if (ctx->host) {
		*again = ctx->repeat.n < limit_of(ctx) &&
			 uncertainty(&ctx->repeat, fields, way->key) >
				 (double)ctx->run_opts.until_stable;
		return rb_oob_send(&ctx->oob,
				   json_pack("{s:s, s:b}", "type", "repeat",
					     "again", (int)*again));
	}
	err = rb_oob_expect(&ctx->oob, "repeat", &frame);
	if (err)
		return err;
	*again = json_is_true(json_object_get(frame, "again")) &&
		 ctx->repeat.n < RB_REPEAT_MAX;
	json_decref(frame);
	return 0;
}

static void warn_noise(struct rb_context *ctx, const json_t *repeats,
		       const struct rb_fields *fields,
		       const struct rb_repeat_way *way)
{
	double cv = json_number_value(json_object_get(repeats, "cv_percent"));
	double off = uncertainty(&ctx->repeat, fields, way->key);

	if (cv > NOISY_PERCENT)
		rb_warn("noisy",
			"%u runs of one size differ: coefficient of variation %.1f %% (limit %d %%); look for other load, power saving and for counters that moved",
			ctx->repeat.n, cv, NOISY_PERCENT);
	if (ctx->run_opts.until_stable && !ctx->interrupted &&
	    off > (double)ctx->run_opts.until_stable)
		rb_warn("unstable",
			"after %u runs the 95 %% interval is still +- %.1f %%, not %u %%",
			ctx->repeat.n, off,
			(unsigned int)ctx->run_opts.until_stable);
}

/* "  5 runs: median 11.7 Gb/s, 95 % interval 11.6 Gb/s to 11.8 Gb/s, ..." */
static void tell(struct rb_context *ctx, const json_t *repeats, const char *key)
{
	const json_t *metric = json_object_get(
		json_object_get(repeats, "metrics"), key);
	enum rb_quantity quantity = rb_metric_quantity(key);
	char median[RB_TEXT_SIZE], low[RB_TEXT_SIZE], high[RB_TEXT_SIZE];

	rb_report_text(&ctx->report,
		       "  %u runs: median %s, 95 %% interval %s to %s, coefficient of variation %.2f %%\n",
		       ctx->repeat.n,
		       rb_metric_format(quantity, value_of(metric, "median"),
					median),
		       rb_metric_format(quantity, value_of(metric, "ci95_low"),
					low),
		       rb_metric_format(quantity, value_of(metric, "ci95_high"),
					high),
		       value_of(repeats, "cv_percent"));
}

/* One run is reported as it is; of several the median's, with what they say. */
static void report(struct rb_context *ctx, const struct rb_repeat_way *way,
		   const struct rb_fields *fields)
{
	struct rb_repeat *r = &ctx->repeat;
	json_t *rows, *repeats;
	size_t median = 0;

	if (r->n < 2) {
		if (r->n)
			way->report(ctx, r->rows);
		return;
	}
	rows = rows_json(r, fields);
	repeats = rb_repeat_judge(rows, fields, way->key, &median);
	json_decref(rows);
	way->report(ctx, r->rows + median * r->size);
	if (!repeats)
		return;
	tell(ctx, repeats, way->key);
	warn_noise(ctx, repeats, fields, way);
	rb_report_extend(&ctx->report, "repeats", repeats);
}

int rb_repeat_size(struct rb_context *ctx, const struct rb_repeat_way *way,
		   const struct rb_fields *fields, uint64_t size)
{
	bool again = false;
	int err;

	do {
		/* each one's last exchange is not to be interrupted */
		ctx->oob.intr = ctx->intr;
		err = way->measure(ctx, size);
		if (err || ctx->interrupted)
			break;
		if (ctx->run_opts.until_stable)
			err = ask(ctx, way, fields, &again);
		else
			again = ctx->repeat.n < limit_of(ctx);
	} while (!err && again);
	/* what was cut short is only told where it is all there is */
	if (ctx->interrupted && ctx->repeat.n > 1)
		ctx->repeat.n--;
	/* what was measured is told, also of a run that then failed */
	report(ctx, way, fields);
	release(&ctx->repeat);
	return err;
}
