/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pkey - agree on a partition: the client's P_Key, found in the server's table
 *
 * An index is of each port's own table; what has to match is the key.
 */
#ifndef RB_PKEY_H
#define RB_PKEY_H

#include <jansson.h>

struct rb_conn;

/*
 * Client: put the key of the user's index into @path. Server: take the index of
 * that key, or see that the user's own index has it. Without --pkey-index
 * neither does anything. 0 or a negative errno (reported).
 */
int rb_pkey_tell(const struct rb_conn *conn, json_t *path);
int rb_pkey_take(struct rb_conn *conn, const json_t *path);

#endif
