/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* grh - the 40 bytes before a datagram's payload, written and read back. */
#ifndef FAKE_GRH_H
#define FAKE_GRH_H

#include "responder.h"

/* Put the header of a datagram before the payload of @m; @grh is storage. */
void grh_add(struct message *m, struct ibv_grh *grh);

#endif
