/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyplan - what a verified run needs of a session, and how it goes about a size
 */
#ifndef RB_VERIFYPLAN_H
#define RB_VERIFYPLAN_H

#include <stdint.h>

struct rb_context;
struct rb_verify;

/* Bytes of each QP's memory, in each direction. */
uint64_t rb_verify_memory(const struct rb_context *ctx);

/* Receives of each QP, or of each shared queue. */
uint32_t rb_verify_receives(const struct rb_context *ctx);

/* A run of messages of @size on the session of @ctx. */
struct rb_verify rb_verify_plan(struct rb_context *ctx, uint64_t size);

#endif
