/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counter - which counters mean trouble when they move: a plain look-up table
 *
 * Names as in host/counters.h and, of ethtool's statistics, host/snap.h. mlx5's are
 * described in the kernel's
 * Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst,
 * rxe's in drivers/infiniband/sw/rxe/rxe_hw_counters.c; those of bnxt_re, irdma,
 * efa and mana in the hw_counters or verbs sources of these drivers.
 */
#ifndef RB_DIAG_COUNTER_H
#define RB_DIAG_COUNTER_H

#include <stdbool.h>

struct rb_counter_row {
	const char *name;    /* "hw.out_of_sequence"; a pattern (fnmatch(3)) */
	const char *rule;    /* of 'rbench doctor', which is about it; or NULL */
	const char *id;	     /* of the warning; NULL: a matter for the rule only */
	const char *meaning; /* what it implies; NULL with @id */
};

/* The row by which to warn of @name, or NULL when moving means nothing bad. */
const struct rb_counter_row *rb_counter_row(const char *name);

/* Whether a row of @rule has @name. */
bool rb_counter_is_of(const char *name, const char *rule);

/* Whether there are rows of @rule in one of the @groups: "port hw", "ethtool". */
bool rb_counter_in_groups(const char *rule, const char *groups);

#endif
