/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * environ - what of two hosts spoils numbers: a warning each
 */
#ifndef RB_ENVIRON_H
#define RB_ENVIRON_H

struct rb_context;

/*
 * The ends have described themselves (ctx->ends): warn of what in that spoils a
 * measurement, once a kind and for both ends. Nothing is measured for it.
 */
void rb_environ_warn(const struct rb_context *ctx);

#endif
