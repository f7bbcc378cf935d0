/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * anon - other addresses in place of true ones, with their relations kept
 */
#include "host/anon.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#include "base/base.h"

#define V4_BITS 32
#define V6_BITS 128
#define MAC_BITS 48
#define GUID_BITS 64
#define OUI_BITS 24
#define SUBNET_BITS 64 /* of an IPv6 address in front of the interface */
#define U_BIT 0x02     /* of an EUI-64's first byte: turned in an address */

/* What keeps the kinds of address apart in the key's use. */
enum tag { TAG_V4 = 4, TAG_V6 = 6, TAG_MAC = 48, TAG_GUID = 64 };

int rb_anon_init(struct rb_anon *anon)
{
	ssize_t n = getrandom(anon->key, sizeof(anon->key), 0);

	return n == sizeof(anon->key) ? 0 : -EIO;
}

static uint64_t rotate(uint64_t v, unsigned int by)
{
	return v << by | v >> (64 - by);
}

static void round_of(uint64_t v[static 4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

/* SipHash-2-4 (Aumasson and Bernstein, 2012) of three words. */
static uint64_t siphash(const struct rb_anon *anon, const uint64_t words[3])
{
	uint64_t v[4] = { anon->key[0] ^ 0x736f6d6570736575ull,
			  anon->key[1] ^ 0x646f72616e646f6dull,
			  anon->key[0] ^ 0x6c7967656e657261ull,
			  anon->key[1] ^ 0x7465646279746573ull };
	const uint64_t length = 24ull << 56;

	for (int i = 0; i < 4; i++) {
		uint64_t word = i < 3 ? words[i] : length;

		v[3] ^= word;
		round_of(v);
		round_of(v);
		v[0] ^= word;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		round_of(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Whether the bit after the first @n bits of @addr turns. */
static bool turns(const struct rb_anon *anon, enum tag tag, const uint8_t *addr,
		  unsigned int n)
{
	uint8_t prefix[16] = { 0 };
	uint64_t words[3];
	unsigned int bytes = n / RB_BITS_PER_BYTE;

	memcpy(prefix, addr, bytes);
	if (n % RB_BITS_PER_BYTE)
		prefix[bytes] =
			(uint8_t)(addr[bytes] & 0xff << (RB_BITS_PER_BYTE -
							 n % RB_BITS_PER_BYTE));
	memcpy(words, prefix, sizeof(prefix));
	words[2] = (uint64_t)tag << 32 | n;
	return siphash(anon, words) & 1;
}

/*
 * Turn bits of @addr from @first to before @end, each as the bits in front of
 * it say. The first of them turns always: nothing stays what it was.
 */
static void permute(const struct rb_anon *anon, enum tag tag, uint8_t *addr,
		    unsigned int first, unsigned int end)
{
	uint8_t before[16];

	memcpy(before, addr, (end + RB_BITS_PER_BYTE - 1) / RB_BITS_PER_BYTE);
	for (unsigned int i = first; i < end; i++)
		if (i == first || turns(anon, tag, before, i))
			addr[i / RB_BITS_PER_BYTE] ^=
				(uint8_t)(0x80 >> i % RB_BITS_PER_BYTE);
}

/* Blocks of IPv4 that mean something: their first bits stay. */
static const struct {
	uint32_t net;
	unsigned int bits;
	bool whole; /* the whole address stays */
} v4_blocks[] = {
	{ 0x00000000, 8, true },   /* 0/8 */
	{ 0x7f000000, 8, true },   /* 127/8 */
	{ 0xe0000000, 4, true },   /* 224/4 */
	{ 0xf0000000, 4, true },   /* 240/4 */
	{ 0x0a000000, 8, false },  /* 10/8 */
	{ 0xac100000, 12, false }, /* 172.16/12 */
	{ 0xc0a80000, 16, false }, /* 192.168/16 */
	{ 0xa9fe0000, 16, false }, /* 169.254/16 */
	{ 0x64400000, 10, false }, /* 100.64/10 */
};

void rb_anon_ipv4(const struct rb_anon *anon, struct in_addr *addr)
{
	/* of a public address the first byte stays, lest it become another kind
	 */
	unsigned int keep = 8;
	uint32_t host = ntohl(addr->s_addr);

	for (size_t i = 0; i < RB_ARRAY_SIZE(v4_blocks); i++) {
		if ((host ^ v4_blocks[i].net) >> (V4_BITS - v4_blocks[i].bits))
			continue;
		if (v4_blocks[i].whole)
			return;
		keep = v4_blocks[i].bits;
		break;
	}
	permute(anon, TAG_V4, (uint8_t *)&addr->s_addr, keep, V4_BITS);
}

void rb_anon_mac(const struct rb_anon *anon, uint8_t mac[static RB_MAC_BYTES])
{
	static const uint8_t nothing[RB_MAC_BYTES];

	/* none, and those of groups */
	if (!memcmp(mac, nothing, sizeof(nothing)) || mac[0] & 1)
		return;
	permute(anon, TAG_MAC, mac, OUI_BITS, MAC_BITS);
}

/* An identifier that was made of a MAC becomes the one of the other MAC. */
static bool anon_eui64(const struct rb_anon *anon, uint8_t *id)
{
	uint8_t mac[RB_MAC_BYTES];

	if (id[3] != 0xff || id[4] != 0xfe)
		return false;
	memcpy(mac, id, 3);
	memcpy(mac + 3, id + 5, 3);
	mac[0] ^= U_BIT;
	rb_anon_mac(anon, mac);
	memcpy(id + 5, mac + 3, 3);
	return true;
}

void rb_anon_guid(const struct rb_anon *anon,
		  uint8_t guid[static RB_GUID_BYTES])
{
	static const uint8_t nothing[RB_GUID_BYTES];

	if (memcmp(guid, nothing, sizeof(nothing)) && !anon_eui64(anon, guid))
		permute(anon, TAG_GUID, guid, OUI_BITS, GUID_BITS);
}

/* The interface's part of an address: mostly a GUID, or a small number. */
static void anon_interface(const struct rb_anon *anon, struct in6_addr *addr)
{
	uint8_t *id = addr->s6_addr + SUBNET_BITS / RB_BITS_PER_BYTE;

	if (id[0] || id[1] || id[2] || id[3])
		rb_anon_guid(anon, id);
	else
		permute(anon, TAG_V6, addr->s6_addr, V6_BITS - 16, V6_BITS);
}

void rb_anon_ipv6(const struct rb_anon *anon, struct in6_addr *addr)
{
	unsigned int keep = (addr->s6_addr[0] & 0xfe) == 0xfc ? 8 : 16;
	struct in_addr v4;

	if (IN6_IS_ADDR_UNSPECIFIED(addr) || IN6_IS_ADDR_LOOPBACK(addr) ||
	    IN6_IS_ADDR_MULTICAST(addr))
		return;
	if (IN6_IS_ADDR_V4MAPPED(addr)) {
		memcpy(&v4, addr->s6_addr + 12, sizeof(v4));
		rb_anon_ipv4(anon, &v4);
		memcpy(addr->s6_addr + 12, &v4, sizeof(v4));
		return;
	}
	anon_interface(anon, addr);
	if (!IN6_IS_ADDR_LINKLOCAL(addr))
		permute(anon, TAG_V6, addr->s6_addr, keep, SUBNET_BITS);
}
