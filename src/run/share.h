/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * share - how evenly the threads and queue pairs of a run got their turns
 */
#ifndef RB_SHARE_H
#define RB_SHARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rb_cores;
struct rb_session;

/* A window's edge of the lane @arg: keep what each of its QPs did in between. */
void rb_share_edge(void *arg, bool opens);

/*
 * Over all QPs, and over the threads, of a run that has ended: Jain's index of
 * their shares, (sum x)^2 / (n * sum x^2), 1 when all are equal, 1/n when one has
 * everything (Jain, Chiu, Hawe: "A quantitative measure of fairness", 1984). NaN
 * where there are none.
 */
double rb_share_of_qps(const struct rb_session *s);
double rb_share_of_threads(const struct rb_session *s);

/*
 * { "qps": [messages, ...], "threads": [ { "core", "qps", "messages", "per_s",
 *   "user_s", "system_s" }, ... ] }; a new reference.
 */
json_t *rb_share_json(const struct rb_session *s, const struct rb_cores *cores);

#endif
