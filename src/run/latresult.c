/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * latresult - the row that a latency run of one size yields
 */
#include "run/latresult.h"

#include <string.h>

#include "base/clock.h"
#include "base/hist.h"
#include "run/window.h"

#define AT(member) offsetof(struct rb_lat_result, member)
#define AT_NS(member) AT(ns.member)
#define US 1e-3 /* of a nanosecond */

static const char half_round_trip[] = "half_round_trip";

/* clang-format off */
#define HEAD \
	{ "size_bytes", "bytes", RB_FIELD_UINT, AT(size_bytes), 8, 0, 0 }, \
	{ "messages", "messages", RB_FIELD_UINT, AT(messages), 10, 0, 0 }, \
	{ "duration_ns", NULL, RB_FIELD_UINT, AT(duration_ns), 0, 0, 0 }, \
	{ "message_rate.per_s", NULL, RB_FIELD_REAL, AT(messages_per_s), 0, 0, 0 }, \
	{ "latency.kind", NULL, RB_FIELD_TEXT, AT(kind), 0, 0, 0 }, \
	RB_LATENCY_FIELDS(AT_NS)
/* The rest of a struct rb_latency below @key whose median, p99 and maximum are shown. */
#define BESIDES(key, name, member) \
	{ key ".count", NULL, RB_FIELD_UINT, AT(member.count), 0, 0, 0 }, \
	{ key ".min", NULL, RB_FIELD_REAL, AT(member.min), 0, 0, 0 }, \
	{ key ".p50", name " p50", RB_FIELD_REAL, AT(member.p50), 9, 2, US }, \
	{ key ".mean", NULL, RB_FIELD_REAL, AT(member.mean), 0, 0, 0 }, \
	{ key ".stddev", NULL, RB_FIELD_REAL, AT(member.stddev), 0, 0, 0 }, \
	{ key ".p90", NULL, RB_FIELD_REAL, AT(member.p90), 0, 0, 0 }, \
	{ key ".p99", name " p99", RB_FIELD_REAL, AT(member.p99), 9, 2, US }, \
	{ key ".p99_9", NULL, RB_FIELD_REAL, AT(member.p99_9), 0, 0, 0 }, \
	{ key ".p99_99", NULL, RB_FIELD_REAL, AT(member.p99_99), 0, 0, 0 }, \
	{ key ".max", name " max", RB_FIELD_REAL, AT(member.max), 9, 2, US }
#define RESPONSE BESIDES("response_ns", "resp", response)
#define STAMPS \
	BESIDES("hw_latency_ns", "hw", hw), \
	BESIDES("hw_delay_ns", "late", hw_delay), \
	{ "hw_clock.error_ns", "hw +-us", RB_FIELD_REAL, AT(hw_clock.error_ns), 8, 3, US }, \
	{ "hw_clock.hz", NULL, RB_FIELD_REAL, AT(hw_clock.hz), 0, 0, 0 }, \
	{ "hw_clock.ppm", NULL, RB_FIELD_REAL, AT(hw_clock.ppm), 0, 0, 0 }, \
	{ "hw_clock.ppm_error", NULL, RB_FIELD_REAL, AT(hw_clock.ppm_error), 0, 0, 0 }, \
	{ "hw_clock.outside", NULL, RB_FIELD_UINT, AT(hw_clock.outside), 0, 0, 0 }
#define LOAD \
	{ "background.bits_per_s", "bg Gb/s", RB_FIELD_REAL, AT(background), 8, 3, 1e-9 }
#define TAIL \
	{ "cpu.local.user_s", NULL, RB_FIELD_REAL, AT(local.user_s), 0, 0, 0 }, \
	{ "cpu.local.system_s", NULL, RB_FIELD_REAL, AT(local.system_s), 0, 0, 0 }, \
	{ "cpu.local.cycles_per_message", NULL, RB_FIELD_REAL, AT(local.cycles_per_message), 0, 0, 0 }, \
	{ "cpu.local.utilisation", "cpu %", RB_FIELD_REAL, AT(local.utilisation), 5, 0, 100 }, \
	{ "cpu.peer.user_s", NULL, RB_FIELD_REAL, AT(peer.user_s), 0, 0, 0 }, \
	{ "cpu.peer.system_s", NULL, RB_FIELD_REAL, AT(peer.system_s), 0, 0, 0 }, \
	{ "cpu.peer.cycles_per_message", NULL, RB_FIELD_REAL, AT(peer.cycles_per_message), 0, 0, 0 }, \
	{ "cpu.peer.utilisation", "peer %", RB_FIELD_REAL, AT(peer.utilisation), 6, 0, 100 }

#define TABLE(name, ...) static const struct rb_field name[] = { HEAD, __VA_ARGS__ TAIL };
TABLE(plain_rows, )
TABLE(rated_rows, RESPONSE, )
TABLE(loaded_rows, LOAD, )
TABLE(rated_loaded_rows, RESPONSE, LOAD, )
TABLE(stamped_rows, STAMPS, )
TABLE(stamped_rated_rows, STAMPS, RESPONSE, )
TABLE(stamped_loaded_rows, STAMPS, LOAD, )
TABLE(stamped_rated_loaded_rows, STAMPS, RESPONSE, LOAD, )
#undef TABLE

const struct rb_fields *rb_lat_result_fields(struct rb_lat_parts parts)
{
#define FIELDS(rows) { rows, RB_ARRAY_SIZE(rows) }
	static const struct rb_fields fields[2][2][2] = {
		{ { FIELDS(plain_rows), FIELDS(loaded_rows) },
		  { FIELDS(rated_rows), FIELDS(rated_loaded_rows) } },
		{ { FIELDS(stamped_rows), FIELDS(stamped_loaded_rows) },
		  { FIELDS(stamped_rated_rows), FIELDS(stamped_rated_loaded_rows) } },
	};
#undef FIELDS

	return &fields[parts.stamped][parts.rated][parts.loaded];
}
/* clang-format on */

void rb_latency_init(struct rb_latency *l)
{
	*l = (struct rb_latency){
		RB_ABSENT,   RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F,
		RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F,
	};
}

void rb_lat_result_init(struct rb_lat_result *r, uint64_t size, bool half)
{
	*r = (struct rb_lat_result){
		.size_bytes = size,
		.messages = RB_ABSENT,
		.duration_ns = RB_ABSENT,
		.messages_per_s = RB_ABSENT_F,
		.kind = half ? half_round_trip : "completion",
		.background = RB_ABSENT_F,
		.hw_clock = { RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F,
			      RB_ABSENT_F, RB_ABSENT },
		.local = rb_no_cpu_use,
		.peer = rb_no_cpu_use,
	};
	rb_latency_init(&r->ns);
	rb_latency_init(&r->response);
	rb_latency_init(&r->hw);
	rb_latency_init(&r->hw_delay);
}

void rb_lat_result_window(struct rb_lat_result *r, const struct rb_window *w)
{
	r->messages = w->to_count - w->from_count;
	r->duration_ns = rb_clock_ns(w->clock, w->to - w->from);
	if (!r->duration_ns)
		return;
	r->messages_per_s = (double)r->messages * 1e9 / (double)r->duration_ns;
	r->local = rb_cpu_use_of(w);
}

static double percentile(const struct rb_hist *hist, double percent,
			 uint64_t at_least, double part)
{
	return rb_hist_count(hist) < at_least ?
		       RB_ABSENT_F :
		       part * (double)rb_hist_percentile(hist, percent);
}

void rb_latency_take(struct rb_latency *l, const struct rb_hist *hist,
		     double part)
{
	uint64_t count = rb_hist_count(hist);

	if (!count)
		return;
	l->count = count;
	l->min = percentile(hist, 0, 1, part);
	l->mean = part * rb_hist_mean(hist);
	l->stddev = part * rb_hist_stddev(hist);
	l->p50 = percentile(hist, 50, 1, part);
	l->p90 = percentile(hist, 90, 10, part);
	l->p99 = percentile(hist, 99, 100, part);
	l->p99_9 = percentile(hist, 99.9, 1000, part);
	l->p99_99 = percentile(hist, 99.99, 10000, part);
	l->max = part * (double)hist->max;
}

/* What a tick of a round trip or completion counts in the row. */
static double part_of(const struct rb_lat_result *r, double unit_ns)
{
	return r->kind == half_round_trip ? unit_ns / 2 : unit_ns;
}

void rb_lat_result_hist(struct rb_lat_result *r, const struct rb_hist *hist,
			double unit_ns)
{
	rb_latency_take(&r->ns, hist, part_of(r, unit_ns));
}

void rb_lat_result_hw(struct rb_lat_result *r, const struct rb_hist *hist,
		      const struct rb_hist *delay, double unit_ns)
{
	rb_latency_take(&r->hw, hist, part_of(r, unit_ns));
	rb_latency_take(&r->hw_delay, delay, unit_ns);
}

void rb_lat_result_response(struct rb_lat_result *r, const struct rb_hist *hist,
			    double unit_ns)
{
	rb_latency_take(&r->response, hist, unit_ns);
}
