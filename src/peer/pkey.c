/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pkey - agree on a partition: the client's P_Key, found in the server's table
 */
#include "peer/pkey.h"

#include <endian.h>
#include <errno.h>

#include "base/log.h"
#include "peer/conn.h"
#include "peer/oob.h"
#include "verbs/dev.h"

#define MEMBERS 0x7fffu /* of a P_Key: the partition */
#define FULL 0x8000u	/* a full member; limited ones don't hear each other */

static bool match(unsigned int a, unsigned int b)
{
	return !((a ^ b) & MEMBERS) && (a | b) & FULL;
}

/* 0 or a negative errno, not reported. */
static int read_key(const struct rb_dev *dev, unsigned int index,
		    unsigned int *key)
{
	__be16 raw;

	errno = 0;
	if (ibv_query_pkey(dev->ctx, dev->port, (int)index, &raw))
		return errno ? -errno : -EIO;
	*key = be16toh(raw);
	return 0;
}

static int key_at(const struct rb_conn *conn, unsigned int index,
		  unsigned int *key)
{
	const struct rb_dev *dev = conn->dev;
	unsigned int n = dev->port_attr.pkey_tbl_len;
	int err;

	if (index >= n)
		return rb_fail(RB_FAULT_PKEY, -EINVAL,
			       "the P_Key table of '%s' port %u has %u entries, none at index %u",
			       dev->name, dev->port, n, index);
	err = read_key(dev, index, key);
	if (err)
		return rb_fail(RB_FAULT_PKEY, err,
			       "cannot read P_Key index %u of '%s'", index,
			       dev->name);
	if (*key & MEMBERS)
		return 0;
	return rb_fail(RB_FAULT_PKEY, -EINVAL,
		       "P_Key index %u of '%s' port %u is empty", index,
		       dev->name, dev->port);
}

int rb_pkey_tell(const struct rb_conn *conn, json_t *path)
{
	unsigned int key;
	int err;

	if (!conn->pkey_given)
		return 0;
	err = key_at(conn, conn->path.pkey_index, &key);
	if (!err)
		json_object_set_new(path, "pkey", json_integer(key));
	return err;
}

int rb_pkey_take(struct rb_conn *conn, const json_t *path)
{
	uint64_t theirs = 0;
	const struct rb_dev *dev = conn->dev;
	unsigned int key;
	int err;

	err = rb_frame_uint_maybe(path, "pkey", 1, UINT16_MAX, &theirs);
	if (err || !theirs)
		return err;
	if (conn->pkey_given) {
		err = key_at(conn, conn->path.pkey_index, &key);
		if (err || match(key, (unsigned int)theirs))
			return err;
		return rb_fail(RB_FAULT_PKEY, -EINVAL,
			       "the client's P_Key is 0x%04x, that of our index %u 0x%04x",
			       (unsigned int)theirs, conn->path.pkey_index,
			       key);
	}
	for (unsigned int i = 0; i < dev->port_attr.pkey_tbl_len; i++) {
		if (read_key(dev, i, &key) || !match(key, (unsigned int)theirs))
			continue;
		conn->path.pkey_index = (uint16_t)i;
		return 0;
	}
	return rb_fail(RB_FAULT_PKEY, -EINVAL,
		       "'%s' port %u is not in the client's partition (P_Key 0x%04x)",
		       dev->name, dev->port, (unsigned int)theirs);
}
