/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mates - which port of the other host a port talks to
 */
#ifndef RB_DIAG_MATES_H
#define RB_DIAG_MATES_H

#include <stddef.h>

struct rb_subject;

/*
 * The mate of port @i of @ports among @peers: the one with an address in the
 * same subnet, else the one of the same rank among those of the same link layer,
 * else the one of the same rank; NULL: none.
 */
struct rb_subject *rb_mate_find(struct rb_subject *ports, size_t i,
				struct rb_subject *peers, size_t npeers);

#endif
