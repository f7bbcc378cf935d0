/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pace - when the messages of a loaded stream are due: what its loop needs inline
 */
#ifndef RB_PACE_H
#define RB_PACE_H

#include "base/base.h"
#include "run/stream.h"

/* A burst of @messages goes: the next is due so much later. */
RB_INLINE void rb_pace_spend(struct rb_stream *s, uint64_t messages)
{
	uint64_t part = s->gap_part * messages + s->due_part;

	s->due += s->gap * messages + (part >> 32);
	s->due_part = (uint32_t)part;
}

#endif
