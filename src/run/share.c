/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * share - how evenly the threads and queue pairs of a run got their turns
 */
#include "run/share.h"

#include "base/report.h"
#include "host/cores.h"
#include "run/session.h"

void rb_share_edge(void *arg, bool opens)
{
	struct rb_lane *lane = arg;
	const struct rb_window *w = &lane->window;

	for (uint32_t i = 0; i < lane->stream.nflows; i++) {
		uint64_t done = rb_stream_share(&lane->stream, i);

		lane->shares[i] = opens ? done : done - lane->shares[i];
	}
	/* kept, since an end that also receives has another window after it */
	if (!opens)
		lane->sent = (struct rb_sent){
			.messages = w->to_count - w->from_count,
			.per_s = rb_window_rate(w),
			.cpu = w->cpu,
		};
}

struct sums {
	double n, sum, squares;
};

static void add(struct sums *s, uint64_t share)
{
	s->n++;
	s->sum += (double)share;
	s->squares += (double)share * (double)share;
}

static double jain(const struct sums *s)
{
	return s->squares > 0 ? s->sum * s->sum / (s->n * s->squares) :
				RB_ABSENT_F;
}

double rb_share_of_qps(const struct rb_session *s)
{
	struct sums sums = { 0 };

	for (uint32_t k = 0; k < s->plan.lanes; k++)
		for (uint32_t i = 0; i < s->lanes[k].stream.nflows; i++)
			add(&sums, s->lanes[k].shares[i]);
	return jain(&sums);
}

double rb_share_of_threads(const struct rb_session *s)
{
	struct sums sums = { 0 };

	for (uint32_t k = 0; k < s->plan.lanes; k++)
		add(&sums, s->lanes[k].sent.messages);
	return jain(&sums);
}

static json_t *thread_json(const struct rb_lane *lane, uint32_t index,
			   const struct rb_cores *cores)
{
	const struct rb_sent *sent = &lane->sent;
	json_t *o = json_pack("{s:I, s:I, s:f, s:f, s:f}", "qps",
			      (json_int_t)lane->n, "messages",
			      (json_int_t)sent->messages, "per_s", sent->per_s,
			      "user_s", sent->cpu.user_s, "system_s",
			      sent->cpu.system_s);

	if (cores->n)
		json_object_set_new(o, "core",
				    json_integer(cores->v[index % cores->n]));
	return o;
}

json_t *rb_share_json(const struct rb_session *s, const struct rb_cores *cores)
{
	json_t *qps = json_array(), *threads = json_array();

	for (uint32_t k = 0; k < s->plan.lanes; k++) {
		const struct rb_lane *lane = &s->lanes[k];

		for (uint32_t i = 0; i < lane->stream.nflows; i++)
			json_array_append_new(
				qps, json_integer((json_int_t)lane->shares[i]));
		json_array_append_new(threads, thread_json(lane, k, cores));
	}
	return json_pack("{s:o, s:o}", "qps", qps, "threads", threads);
}
