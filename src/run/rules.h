/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rules - what options of a run cannot go together
 */
#ifndef RB_RULES_H
#define RB_RULES_H

struct rb_bench;
struct rb_conn_opts;
struct rb_load_opts;
struct rb_optset;
struct rb_run_opts;

/* 0, or -EINVAL (reported) by the first rule that the user broke. */
int rb_run_refuse(const struct rb_optset *set, const struct rb_bench *bench,
		  const struct rb_run_opts *run,
		  const struct rb_conn_opts *conn,
		  const struct rb_load_opts *load);

#endif
