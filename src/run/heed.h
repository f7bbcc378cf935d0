/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heed - what the device and the path in use allow: for defaults, and for what
 * was asked for
 */
#ifndef RB_HEED_H
#define RB_HEED_H

struct rb_context;

/*
 * With the device open: refuse what it cannot do. 0 or a negative errno
 * (reported; -EOPNOTSUPP: not with this device).
 */
int rb_heed_device(struct rb_context *ctx);

/*
 * With the ends known to each other, before anything is made: the same of the
 * path between them, which limits datagrams, and of both devices, which limit a
 * round of --verify. 0 or a negative errno (reported).
 */
int rb_heed_path(struct rb_context *ctx);

#endif
