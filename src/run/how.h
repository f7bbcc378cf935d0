/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * how - what an instance of a loop does with its requests: constants for the
 * compiler
 */
#ifndef RB_HOW_H
#define RB_HOW_H

#include <stdbool.h>

#include "run/verb.h"

enum rb_interface { RB_BY_WR_API, RB_BY_POST_SEND };

/* How requests reach the device. */
struct rb_how {
	enum rb_interface interface;
	enum rb_verb verb; /* by ibv_post_send it stands in the prepared lists */
	bool inlined;	   /* by ibv_wr_*: the data goes with the request */
	bool datagram;	   /* by ibv_wr_*: each request has its address */
	bool walks;	   /* by ibv_wr_*: messages move on through the buffers */
	bool loaded;	   /* by what few ask for: see stream.h */
};

#endif
