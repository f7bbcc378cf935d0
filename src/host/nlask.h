/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nlask - one question to the kernel by netlink, and all of its answers
 *
 * Over host/netlink.h, with a socket for each question.
 * On a recorded host (host/files.h) the answers come from the file
 * nl/NAME.bin: the messages as the kernel sent them, one after the other. A
 * message of type NLMSG_ERROR is a refusal there too; no file is EOPNOTSUPP.
 */
#ifndef RB_NLASK_H
#define RB_NLASK_H

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RB_NL_BODY 512

/* A question: the request's header and body, which the caller fills. */
struct rb_nl_ask {
	const char *name; /* of the recorded file, without "nl/" and ".bin" */
	int protocol;	  /* NETLINK_ROUTE, NETLINK_RDMA, NETLINK_GENERIC, ... */
	uint16_t type, flags; /* NLM_F_REQUEST is added; NLM_F_DUMP or not */
	size_t size;	      /* of @body */
	unsigned char body[RB_NL_BODY] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* Append to the body: an attribute, or the fixed header in front of those. */
void rb_nl_add(struct rb_nl_ask *ask, const void *data, size_t size);
void rb_nl_add_attr(struct rb_nl_ask *ask, uint16_t type, const void *data,
		    size_t size);
void rb_nl_add_text(struct rb_nl_ask *ask, uint16_t type, const char *text);
void rb_nl_add_u32(struct rb_nl_ask *ask, uint16_t type, uint32_t value);

/* Called with each answer; the message is the callee's to read only. */
typedef void (*rb_nl_taker)(const struct nlmsghdr *msg, void *arg);

/*
 * Ask and have every answer taken: 0, or -errno (not reported): the kernel's
 * own, or -ETIMEDOUT after two seconds of silence.
 */
int rb_nl_ask(const struct rb_nl_ask *ask, rb_nl_taker take, void *arg);

/*
 * The number of a generic netlink family ("ethtool"): 0 or -errno. On a recorded
 * host it is any.
 */
int rb_nl_family(const char *name, uint16_t *family);

/* An unsigned number of whatever size in the host's order; 0 for none. */
static inline uint64_t rb_nl_uint(const struct nlattr *attr)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} v = { .u64 = 0 };
	int n = attr ? nla_len(attr) : 0;

	if (n != 1 && n != 2 && n != 4 && n != 8)
		return 0;
	memcpy(&v, nla_data(attr), (size_t)n);
	return n == 1 ? v.u8 : n == 2 ? v.u16 : n == 4 ? v.u32 : v.u64;
}

/* A text; "" for none, or where the NUL is missing. */
static inline const char *rb_nl_text(const struct nlattr *attr)
{
	int n = attr ? nla_len(attr) : 0;
	const char *text = n > 0 ? nla_data(attr) : "";

	return n > 0 && text[n - 1] ? "" : text;
}

/* The bytes of an attribute that has at least @size, else NULL. */
static inline const void *rb_nl_data(const struct nlattr *attr, size_t size)
{
	return attr && nla_len(attr) >= (int)size ? nla_data(attr) : NULL;
}

#endif
