/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verbfacts - what only an opened device tells: MTUs, limits, features
 *
 * On a recorded host (host/files.h) it is in devices.json, the document of
 * 'rbench devices --json' there.
 */
#ifndef RB_VERBFACTS_H
#define RB_VERBFACTS_H

#include "host/place.h"

/* Add to the devices that @doc has; those that cannot be opened are noted. */
void rb_snap_verbs(const struct rb_place *doc);

#endif
