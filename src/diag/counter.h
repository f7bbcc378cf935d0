/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counter - which counters mean trouble when they move: a plain look-up table
 *
 * Names as in host/counters.h. mlx5's are described in the kernel's
 * Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst,
 * rxe's in drivers/infiniband/sw/rxe/rxe_hw_counters.c; those of bnxt_re, irdma,
 * efa and mana in the hw_counters or verbs sources of these drivers.
 */
#ifndef RB_DIAG_COUNTER_H
#define RB_DIAG_COUNTER_H

struct rb_counter_row {
	const char *name;    /* "hw.out_of_sequence" */
	const char *id;	     /* of the warning */
	const char *meaning; /* what it implies */
};

/* The row of @name, or NULL when moving means nothing bad. */
const struct rb_counter_row *rb_counter_row(const char *name);

/* The rule of 'rbench doctor' that is about the same, or NULL. */
const char *rb_counter_rule(const struct rb_counter_row *row);

#endif
