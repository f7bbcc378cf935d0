/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pciconf - what the configuration space of a PCI function says (libpci)
 *
 * An ordinary user sees the first 64 bytes only, which end before the
 * capabilities.
 */
#ifndef RB_PCICONF_H
#define RB_PCICONF_H

#include "host/place.h"

struct rb_pciconf;

/* NULL where libpci has no memory; owned by the caller. */
struct rb_pciconf *rb_pciconf_open(void);
void rb_pciconf_close(struct rb_pciconf *conf);

/*
 * Put vendor, device (names), config_bytes, express, acs and ats of the function
 * at @address. @conf may be NULL.
 */
void rb_pciconf_put(struct rb_pciconf *conf, const char *address,
		    const struct rb_place *to);

#endif
