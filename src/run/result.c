/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * result - the row that a bandwidth run of one size yields
 */
#include "run/result.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "run/window.h"

#define AT(member) offsetof(struct rb_bw_result, member)

/* clang-format off */
#define COMMON_HEAD \
	{ "size_bytes", "bytes", RB_FIELD_UINT, AT(size_bytes), 10, 0, 0 }, \
	{ "qps", "qps", RB_FIELD_UINT, AT(qps), 5, 0, 0 }, \
	{ "threads", NULL, RB_FIELD_UINT, AT(threads), 0, 0, 0 }, \
	{ "messages", "messages", RB_FIELD_UINT, AT(messages), 11, 0, 0 }, \
	{ "bytes", NULL, RB_FIELD_UINT, AT(bytes), 0, 0, 0 }, \
	{ "duration_ns", "seconds", RB_FIELD_UINT, AT(duration_ns), 8, 3, 1e-9 }
/* Labels: of the columns that only sends which may get lost have. */
#define COMMON_TAIL(goodput_label, lost_label, percent_label) \
	{ "bandwidth.percent_of_link", "% link", RB_FIELD_REAL, AT(percent_of_link), 7, 1, 0 }, \
	{ "message_rate.per_s", "Mmsg/s", RB_FIELD_REAL, AT(messages_per_s), 10, 4, 1e-6 }, \
	{ "intervals.period_ns", NULL, RB_FIELD_UINT, AT(period_ns), 0, 0, 0 }, \
	{ "intervals.worst_at_ns", NULL, RB_FIELD_UINT, AT(worst_at_ns), 0, 0, 0 }, \
	{ "intervals.bits_per_s.min", "min Gb/s", RB_FIELD_REAL, AT(min), 9, 3, 1e-9 }, \
	{ "intervals.bits_per_s.p5", NULL, RB_FIELD_REAL, AT(p5), 0, 0, 0 }, \
	{ "intervals.bits_per_s.p50", NULL, RB_FIELD_REAL, AT(p50), 0, 0, 0 }, \
	{ "intervals.bits_per_s.max", "max Gb/s", RB_FIELD_REAL, AT(max), 9, 3, 1e-9 }, \
	{ "intervals.bits_per_s.stddev", NULL, RB_FIELD_REAL, AT(stddev), 0, 0, 0 }, \
	{ "fairness.qps", NULL, RB_FIELD_REAL, AT(fair_qps), 0, 0, 0 }, \
	{ "fairness.threads", NULL, RB_FIELD_REAL, AT(fair_threads), 0, 0, 0 }, \
	{ "cpu.local.user_s", NULL, RB_FIELD_REAL, AT(local.user_s), 0, 0, 0 }, \
	{ "cpu.local.system_s", NULL, RB_FIELD_REAL, AT(local.system_s), 0, 0, 0 }, \
	{ "cpu.local.cycles_per_message", NULL, RB_FIELD_REAL, AT(local.cycles_per_message), 0, 0, 0 }, \
	{ "cpu.local.utilisation", "cpu %", RB_FIELD_REAL, AT(local.utilisation), 6, 0, 100 }, \
	{ "cpu.peer.user_s", NULL, RB_FIELD_REAL, AT(peer.user_s), 0, 0, 0 }, \
	{ "cpu.peer.system_s", NULL, RB_FIELD_REAL, AT(peer.system_s), 0, 0, 0 }, \
	{ "cpu.peer.cycles_per_message", NULL, RB_FIELD_REAL, AT(peer.cycles_per_message), 0, 0, 0 }, \
	{ "cpu.peer.utilisation", "peer %", RB_FIELD_REAL, AT(peer.utilisation), 6, 0, 100 }, \
	{ "receiver.messages", NULL, RB_FIELD_UINT, AT(arrived), 0, 0, 0 }, \
	{ "receiver.bits_per_s", goodput_label, RB_FIELD_REAL, AT(goodput), 10, 3, 1e-9 }, \
	{ "loss.sent", NULL, RB_FIELD_UINT, AT(total_sent), 0, 0, 0 }, \
	{ "loss.received", NULL, RB_FIELD_UINT, AT(total_arrived), 0, 0, 0 }, \
	{ "loss.lost", lost_label, RB_FIELD_UINT, AT(missing), 9, 0, 0 }, \
	{ "loss.percent", percent_label, RB_FIELD_REAL, AT(missing_percent), 7, 3, 0 }, \
	{ "verify.checked", NULL, RB_FIELD_UINT, AT(checked), 0, 0, 0 }, \
	{ "verify.bytes", NULL, RB_FIELD_UINT, AT(checked_bytes), 0, 0, 0 }, \
	{ "verify.corrupt", NULL, RB_FIELD_UINT, AT(corrupt), 0, 0, 0 }, \
	{ "verify.lost", NULL, RB_FIELD_UINT, AT(lost), 0, 0, 0 }, \
	{ "verify.first.qp", NULL, RB_FIELD_UINT, AT(fault_qp), 0, 0, 0 }, \
	{ "verify.first.sequence", NULL, RB_FIELD_UINT, AT(fault_sequence), 0, 0, 0 }, \
	{ "verify.first.offset", NULL, RB_FIELD_UINT, AT(fault_offset), 0, 0, 0 }

static const struct rb_field bw_rows[] = {
	COMMON_HEAD,
	{ "bandwidth.bits_per_s", "Gb/s", RB_FIELD_REAL, AT(bits_per_s), 9, 3, 1e-9 },
	COMMON_TAIL(NULL, NULL, NULL),
};

static const struct rb_field bw_lossy_rows[] = {
	COMMON_HEAD,
	{ "bandwidth.bits_per_s", "sent Gb/s", RB_FIELD_REAL, AT(bits_per_s), 9, 3, 1e-9 },
	COMMON_TAIL("recvd Gb/s", "lost", "lost %"),
};

static const struct rb_field bw_both_rows[] = {
	COMMON_HEAD,
	{ "directions.out.messages", NULL, RB_FIELD_UINT, AT(out.messages), 0, 0, 0 },
	{ "directions.out.bits_per_s", "out Gb/s", RB_FIELD_REAL, AT(out.bits_per_s), 9, 3, 1e-9 },
	{ "directions.in.messages", NULL, RB_FIELD_UINT, AT(in.messages), 0, 0, 0 },
	{ "directions.in.bits_per_s", "in Gb/s", RB_FIELD_REAL, AT(in.bits_per_s), 9, 3, 1e-9 },
	{ "bandwidth.bits_per_s", "sum Gb/s", RB_FIELD_REAL, AT(bits_per_s), 9, 3, 1e-9 },
	COMMON_TAIL(NULL, NULL, NULL),
};
/* clang-format on */

const struct rb_fields rb_bw_fields = { bw_rows, RB_ARRAY_SIZE(bw_rows) };
const struct rb_fields rb_bw_lossy_fields = { bw_lossy_rows,
					      RB_ARRAY_SIZE(bw_lossy_rows) };
const struct rb_fields rb_bw_both_fields = { bw_both_rows,
					     RB_ARRAY_SIZE(bw_both_rows) };

void rb_bw_result_init(struct rb_bw_result *r, uint64_t size, uint64_t qps,
		       uint64_t threads)
{
	const struct rb_direction no_direction = { RB_ABSENT, RB_ABSENT_F };

	*r = (struct rb_bw_result){
		.size_bytes = size,
		.qps = qps,
		.threads = threads,
		.fair_qps = RB_ABSENT_F,
		.fair_threads = RB_ABSENT_F,
		.messages = RB_ABSENT,
		.bytes = RB_ABSENT,
		.duration_ns = RB_ABSENT,
		.bits_per_s = RB_ABSENT_F,
		.percent_of_link = RB_ABSENT_F,
		.messages_per_s = RB_ABSENT_F,
		.out = no_direction,
		.in = no_direction,
		.period_ns = RB_ABSENT,
		.worst_at_ns = RB_ABSENT,
		.min = RB_ABSENT_F,
		.p5 = RB_ABSENT_F,
		.p50 = RB_ABSENT_F,
		.max = RB_ABSENT_F,
		.stddev = RB_ABSENT_F,
		.local = rb_no_cpu_use,
		.peer = rb_no_cpu_use,
		.checked = RB_ABSENT,
		.corrupt = RB_ABSENT,
		.lost = RB_ABSENT,
		.checked_bytes = RB_ABSENT,
		.fault_qp = RB_ABSENT,
		.fault_sequence = RB_ABSENT,
		.fault_offset = RB_ABSENT,
		.arrived = RB_ABSENT,
		.goodput = RB_ABSENT_F,
		.total_sent = RB_ABSENT,
		.total_arrived = RB_ABSENT,
		.missing = RB_ABSENT,
		.missing_percent = RB_ABSENT_F,
	};
}

/* The value below which @percent of the @n sorted values lie (nearest rank). */
static double percentile(const double *sorted, unsigned int n, double percent)
{
	double rank = ceil(percent / 100 * n);

	return sorted[rank < 1 ? 0 : (unsigned int)rank - 1];
}

static void put_intervals(struct rb_bw_result *r, const struct rb_window *w)
{
	double per_tick = (double)rb_clock_ticks(w->clock, RB_NS_PER_S) *
			  (double)r->size_bytes * RB_BITS_PER_BYTE;
	double sorted[RB_INTERVALS];
	unsigned int worst = 0;

	if (w->n < 2)
		return;
	for (unsigned int i = 0; i < w->n; i++) {
		sorted[i] = w->rate[i] * per_tick;
		if (w->rate[i] < w->rate[worst])
			worst = i;
	}
	rb_stats_sort(sorted, w->n);
	r->period_ns = rb_clock_ns(w->clock, w->period);
	r->worst_at_ns = worst * r->period_ns;
	r->min = sorted[0];
	r->p5 = percentile(sorted, w->n, 5);
	r->p50 = percentile(sorted, w->n, 50);
	r->max = sorted[w->n - 1];
	r->stddev = rb_stats_stddev(sorted, w->n);
}

const struct rb_cpu_use rb_no_cpu_use = { RB_ABSENT_F, RB_ABSENT_F, RB_ABSENT_F,
					  RB_ABSENT_F };

struct rb_cpu_use rb_cpu_use_of(const struct rb_window *w)
{
	double seconds = (double)rb_clock_ns(w->clock, w->to - w->from) / 1e9;
	uint64_t messages = w->to_count - w->from_count;

	return (struct rb_cpu_use){
		.user_s = w->cpu.user_s,
		.system_s = w->cpu.system_s,
		.utilisation = (w->cpu.user_s + w->cpu.system_s) / seconds,
		.cycles_per_message = messages ? w->cpu.cycles /
							 (double)messages :
						 RB_ABSENT_F,
	};
}

void rb_bw_result_window(struct rb_bw_result *r, const struct rb_window *w)
{
	double seconds;

	r->messages = w->to_count - w->from_count;
	r->bytes = r->messages * r->size_bytes;
	r->duration_ns = rb_clock_ns(w->clock, w->to - w->from);
	if (!r->duration_ns)
		return;
	seconds = (double)r->duration_ns / 1e9;
	r->messages_per_s = (double)r->messages / seconds;
	r->bits_per_s = (double)r->bytes * RB_BITS_PER_BYTE / seconds;
	r->local = rb_cpu_use_of(w);
	put_intervals(r, w);
}

void rb_bw_result_share(struct rb_bw_result *r, uint64_t link_bits_per_s,
			unsigned int directions)
{
	if (link_bits_per_s)
		r->percent_of_link = 100 * r->bits_per_s /
				     ((double)link_bits_per_s * directions);
}

/* Of what was measured: an end that was stopped in its warm-up has no rate. */
static double sum(double a, double b)
{
	return !isfinite(a) ? b : isfinite(b) ? a + b : a;
}

void rb_bw_result_join(struct rb_bw_result *r, const struct rb_bw_result *peer)
{
	r->out = (struct rb_direction){ r->messages, r->bits_per_s };
	r->in = (struct rb_direction){ peer->messages, peer->bits_per_s };
	r->messages += peer->messages;
	r->bytes += peer->bytes;
	r->bits_per_s = sum(r->bits_per_s, peer->bits_per_s);
	r->messages_per_s = sum(r->messages_per_s, peer->messages_per_s);
	r->peer = peer->local;
	/* what is lost is seen where it should have arrived: of "in", here */
	r->total_sent = peer->total_sent;
}

void rb_bw_result_receiver(struct rb_bw_result *r,
			   const struct rb_bw_result *receiver)
{
	r->arrived = receiver->arrived;
	r->goodput = receiver->goodput;
	r->total_arrived = receiver->total_arrived;
}

void rb_bw_result_loss(struct rb_bw_result *r, uint64_t listeners)
{
	uint64_t due = r->total_sent * listeners;

	if (r->total_sent == RB_ABSENT || r->total_arrived == RB_ABSENT)
		return;
	/* a network may also duplicate */
	r->missing = due > r->total_arrived ? due - r->total_arrived : 0;
	if (due)
		r->missing_percent = 100 * (double)r->missing / (double)due;
}
