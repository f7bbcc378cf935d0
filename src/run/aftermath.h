/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * aftermath - what is found out of a failure after it was reported
 *
 * A failure has two halves: the requester's completion, and at the responder
 * the event of its queue pair. Each end reports the one that it saw, tells the
 * other, and adds what it hears from there. The counters that must have moved
 * for a status confirm it, or contradict it.
 */
#ifndef RB_AFTERMATH_H
#define RB_AFTERMATH_H

#include <stdbool.h>

struct rb_context;
struct rb_oob;

/*
 * Whether the peer's failure, which waits in the queue, is only what its queue
 * pair made of our request: then our own completion is the better report.
 */
bool rb_other_half(const struct rb_oob *oob);

/*
 * After a run that failed and told the peer so: add the other side's words and
 * the counters' evidence to the failure, and to the report the counters of this
 * end that moved since the first size began, with what rules find in them. Waits
 * up to 500 ms for the peer, where there is something to hear; no new failure.
 */
void rb_aftermath(struct rb_context *ctx);

#endif
