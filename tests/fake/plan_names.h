/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* plan_names - the words of the plan's grammar. */
#ifndef FAKE_PLAN_NAMES_H
#define FAKE_PLAN_NAMES_H

#include "plan.h"

struct plan_name {
	const char *name;		/* NULL ends a table */
	int value;
};

extern const struct plan_name plan_call_names[];
extern const struct plan_name plan_errno_names[];
extern const struct plan_name plan_status_names[];
extern const struct plan_name plan_event_names[];
extern const struct plan_name plan_cm_names[];
extern const struct plan_name plan_gid_names[];
extern const struct plan_name plan_cycles_names[];
extern const struct plan_name plan_port_names[];
extern const struct plan_name plan_netdev_names[];
extern const struct plan_name plan_link_names[];
extern const struct plan_name plan_atomic_names[];
extern const struct plan_name plan_transport_names[];
extern const struct plan_name plan_mtu_names[];
extern const struct plan_name plan_speed_names[];

/* The value of @name, or -1. */
int plan_lookup(const struct plan_name *table, const char *name);

#endif
