/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * afterrun - what the rules of 'rbench doctor' find in the document of a run
 *
 * A run knows something of both of its hosts, and which counters moved meanwhile.
 * That is put in the form of two snapshots, and those rules are applied whose facts
 * (struct rb_rule: reads) are all among what a run can have.
 */
#ifndef RB_DIAG_AFTERRUN_H
#define RB_DIAG_AFTERRUN_H

#include <jansson.h>

/*
 * [ { id, severity, end, text, likelihood }, ... ] of @run, what explains it best
 * first: "local", "peer", "counters" and "results" of it are read, each of which
 * may be absent. A new reference; empty when nothing was found.
 */
json_t *rb_run_findings(const json_t *run);

#endif
