/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * environ - what of two hosts spoils numbers: a warning each
 */
#ifndef RB_ENVIRON_H
#define RB_ENVIRON_H

#include <stdbool.h>

struct rb_context;

/*
 * The ends have described themselves (ctx->ends): the client warns of what in that
 * spoils a measurement, once a kind and for both ends. Nothing is measured for it.
 */
void rb_environ_warn(const struct rb_context *ctx);

/* Has that told what @rule of doctor finds at @end ("local", "peer")? */
bool rb_environ_told(const struct rb_context *ctx, const char *rule,
		     const char *end);

#endif
