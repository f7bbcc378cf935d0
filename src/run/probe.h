/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probe - what a pair of hosts needs that no snapshot tells: does it pass?
 *
 * A few trials of 'rbench check' over the devices and GIDs that a run would use:
 * a connection, one small packet each way, full packets each way, rdma_cm. What
 * came of them are facts of this host's snapshot, and rules judge them
 * (diag/rules_probe.c).
 */
#ifndef RB_PROBE_H
#define RB_PROBE_H

#include <jansson.h>

struct rb_consult;
struct rb_oob;

/*
 * Probe with the greeted server of @oob, which has sent its snapshot, and take
 * leave of it. 0 and sets *@probes (owned by the caller; "probes" of
 * rbench-snapshot(5), also where nothing could be probed: why), or -EINTR
 * (reported).
 */
int rb_probe(const struct rb_consult *c, struct rb_oob *oob, json_t **probes);

#endif
