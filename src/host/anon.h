/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anon - other addresses in place of true ones, with their relations kept
 *
 * Each is a permutation that keeps prefixes: two addresses that share their
 * first N bits do so afterwards, so that subnets, routes and GIDs still fit
 * together. The kind of an address (private, link-local, multicast, loopback)
 * stays what it is, and so does the maker's part of a MAC or GUID. The
 * permutation follows from a key that is random and kept nowhere.
 */
#ifndef RB_ANON_H
#define RB_ANON_H

#include <netinet/in.h>
#include <stdint.h>

#define RB_MAC_BYTES 6
#define RB_GUID_BYTES 8

struct rb_anon {
	uint64_t key[2];
};

/* A key of its own: 0 or -errno (not reported). */
int rb_anon_init(struct rb_anon *anon);

/* Each replaces its address in place. */
void rb_anon_ipv4(const struct rb_anon *anon, struct in_addr *addr);
void rb_anon_ipv6(const struct rb_anon *anon, struct in6_addr *addr);
void rb_anon_mac(const struct rb_anon *anon, uint8_t mac[static RB_MAC_BYTES]);
void rb_anon_guid(const struct rb_anon *anon,
		  uint8_t guid[static RB_GUID_BYTES]);

#endif
