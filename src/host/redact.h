/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * redact - take names and addresses out of a snapshot, consistently
 *
 * Replaced are, wherever they stand in a text: the host's name; IPv4, IPv6 and
 * MAC addresses and GUIDs (host/anon.h); and as a whole: paths of cgroups,
 * options of the kernel's command line and words of environment variables that
 * are not known to be harmless. Names of devices and interfaces, versions and
 * numbers stay.
 */
#ifndef RB_REDACT_H
#define RB_REDACT_H

#include <jansson.h>

/*
 * Redact the snapshot @doc in place and say so in it. 0, or a negative errno
 * (reported: RB_FAULT_SYSTEM); the document must not be shown then.
 */
int rb_redact(json_t *doc);

#endif
