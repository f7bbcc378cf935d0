/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hwlat - latencies by the device's own time stamps of completions
 */
#include "run/hwlat.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/hist.h"
#include "base/log.h"
#include "run/context.h"
#include "run/latresult.h"

#define BLOCK_NS RB_NS_PER_S /* clocks do not change much in it */
#define RATE_PPM 1000.0 /* quartz is right to 100 or better */

int rb_hwlat_check(const struct rb_context *ctx)
{
	if (!ctx->cq_opts.stamped || ctx->host)
		return 0;
	return rb_fail_hint(RB_FAULT_USAGE, -EINVAL, NULL,
			    "--help shows the options",
			    "--hw-clock: the client measures, give it to that end");
}

struct rb_hwlat *rb_hwlat_create(const struct rb_hwclock *hw,
				 const struct rb_clock *clock)
{
	struct rb_hwlat *h = calloc(1, sizeof(*h));

	if (h) {
		h->hw = hw;
		h->clock = clock;
		h->hist = rb_hist_create();
		h->delay = rb_hist_create();
	}
	if (h && h->hist && h->delay)
		return h;
	rb_hwlat_destroy(h);
	rb_fail(RB_FAULT_NO_MEMORY, -ENOMEM, "cannot hold a histogram");
	return NULL;
}

void rb_hwlat_destroy(struct rb_hwlat *h)
{
	if (!h)
		return;
	rb_hist_destroy(h->delay);
	rb_hist_destroy(h->hist);
	free(h);
}

/* Device ticks in a host tick, as the device says. */
static double nominal(const struct rb_hwlat *h)
{
	return h->hw->hz * rb_clock_tick_ns(h->clock) / (double)RB_NS_PER_S;
}

static void set_due(struct rb_hwlat *h, uint64_t now)
{
	uint64_t longest = rb_align_longest(h->hw->mask, nominal(h));

	h->due = now + RB_MIN(rb_clock_ticks(h->clock, BLOCK_NS), longest / 2);
}

static void read_both(struct rb_hwlat *h, struct rb_moment *moment)
{
	int err = rb_hwclock_read(h->hw, h->clock, moment);

	if (err && !h->err)
		h->err = err;
}

void rb_hwlat_begin(struct rb_hwlat *h)
{
	struct rb_moment now = { 0 };

	rb_hist_clear(h->hist);
	rb_hist_clear(h->delay);
	h->outside = 0;
	h->n = 0;
	read_both(h, &now);
	rb_align_begin(&h->align, h->hw->mask, nominal(h), &now);
	set_due(h, now.host);
}

/* By how much a stamp may seem to be out of where it has to be: host ticks. */
static double unsure(const struct rb_align *a)
{
	/* a reading is that of a whole tick, and so is a stamp */
	return (double)RB_MAX(a->from.half, a->last.half) + 2 / a->slope;
}

static void tell(struct rb_hwlat *h, const struct rb_hwlat_sample *s,
		 double slack)
{
	double took = (double)(s->seen - s->posted);
	double age = rb_align_age(&h->align, s->stamp, s->seen);

	if (!(age >= -slack && age <= took + slack)) {
		h->outside++;
		return;
	}
	age = fmin(fmax(age, 0), took);
	rb_hist_record(h->delay, (uint64_t)fmax(age + 0.5, 1));
	rb_hist_record(h->hist, (uint64_t)fmax(took - age + 0.5, 1));
}

void rb_hwlat_end_block(struct rb_hwlat *h)
{
	struct rb_moment now;
	double slack;

	if (!h->err)
		read_both(h, &now);
	if (!h->err) {
		rb_align_end_span(&h->align, &now);
		slack = unsure(&h->align);
		for (unsigned int i = 0; i < h->n; i++)
			tell(h, &h->block[i], slack);
		set_due(h, now.host);
	}
	h->n = 0;
}

static void warn_of_rate(struct rb_hwlat *h, double ppm, double error)
{
	if (h->told || !(fabs(ppm) - error > RATE_PPM))
		return;
	h->told = true;
	rb_warn("hw_clock_rate",
		"the clock of '%s' runs at %.6g MHz, %+.0f ppm from the %.6g MHz that it reports: its times are converted at the rate it runs at",
		h->hw->device, h->hw->hz * (1 + ppm * 1e-6) * 1e-6, ppm,
		h->hw->hz * 1e-6);
}

static void warn_of_stamps(const struct rb_hwlat *h, uint64_t outside,
			   uint64_t size, uint64_t all)
{
	if (outside)
		rb_warn("hw_clock_stamps",
			"%" PRIu64 " of %" PRIu64
			" completions of %" PRIu64
			" bytes have a stamp of '%s' from before they were posted or after they were seen: it is of another clock than the one that is read, and they are left out of hw_latency",
			outside, all, size, h->hw->device);
}

static void put_clock(struct rb_hwlat *h, struct rb_hw_clock *to)
{
	double error, ppm = rb_align_ppm(&h->align, &error);

	/* the host's own rate is not better known than that */
	error += h->clock->error_ppm;
	to->hz = h->hw->hz * (1 + ppm * 1e-6);
	to->ppm = ppm;
	to->ppm_error = error;
	warn_of_rate(h, ppm, error);
}

int rb_hwlat_result(struct rb_context *ctx, struct rb_lat_result *r)
{
	struct rb_lane *lanes = ctx->session.lanes;
	struct rb_hwlat *first = lanes[0].hwlat;
	double unit_ns = rb_clock_tick_ns(&ctx->clock);
	uint64_t half = 0, outside = 0;

	for (uint32_t i = 0; i < ctx->session.plan.lanes; i++) {
		struct rb_hwlat *h = lanes[i].hwlat;

		if (h->err)
			return rb_hwclock_failed(h->hw, h->err);
		half = RB_MAX(half, h->align.half);
		outside += h->outside;
		if (i)
			rb_hist_merge(first->hist, h->hist);
		if (i)
			rb_hist_merge(first->delay, h->delay);
	}
	rb_lat_result_hw(r, first->hist, first->delay, unit_ns);
	r->hw_clock.error_ns = unit_ns * (double)half;
	r->hw_clock.outside = outside;
	put_clock(first, &r->hw_clock);
	warn_of_stamps(first, outside, r->size_bytes,
		       outside + rb_hist_count(first->hist));
	return 0;
}
