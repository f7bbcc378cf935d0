/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fleet - where hosts that should be alike differ
 *
 * Attributes of each snapshot (a table: versions, MTU, PFC, PCIe, limits, ...) are
 * compared with what most of the hosts have, or with a golden one. Addresses and
 * GUIDs, which have to differ, are none of them.
 */
#ifndef RB_DIAG_FLEET_H
#define RB_DIAG_FLEET_H

#include <jansson.h>
#include <stddef.h>

#define RB_FLEET_MOST 4096 /* hosts */

/*
 * Compare @n snapshots; @golden may be NULL. A new reference:
 *   { hosts: [ { name, unreadable: [ ATTRIBUTE ] } ], differences:
 *     [ { attribute, usual, hosts, outliers: [ { host, value } ] } ] }
 * "usual" is absent where no value is that of more than half of the hosts; then
 * all of them are outliers. A value that a host does not have is absent. What a
 * host could not read, and another could, is compared with nothing: it stands in
 * "unreadable".
 */
json_t *rb_fleet_compare(json_t *const *docs, size_t n, json_t *golden);

#endif
