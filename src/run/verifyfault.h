/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * verifyfault - the first wrong message that a verified run found: which, where,
 * and in what way
 */
#ifndef RB_VERIFYFAULT_H
#define RB_VERIFYFAULT_H

#include <jansson.h>
#include <stdint.h>

enum rb_verify_what {
	RB_VERIFY_FINE,
	RB_VERIFY_BYTE,	   /* a byte is another: got, want */
	RB_VERIFY_OTHER,   /* what stands there is message got of QP want */
	RB_VERIFY_MISSING, /* nothing stands there, from the offset on */
	RB_VERIFY_LENGTH,  /* it has got bytes, not want */
	RB_VERIFY_NUMBER,  /* its immediate data says message got; want was due */
	RB_VERIFY_WORD,	   /* a word is got, not want */
	RB_VERIFY_OLD,	   /* an atomic found got, a second time or out of its
			    * round, whose values begin at want */
	RB_VERIFY_WHATS
};

#define RB_VERIFY_NO_PLACE UINT64_MAX

struct rb_verify_fault {
	enum rb_verify_what what;
	uint32_t qp;	   /* index of the queue pair */
	uint64_t sequence; /* of the message, from 0 */
	uint64_t offset;   /* in the message, bytes */
	uint64_t place;	   /* of the message in the queue pair's memory, bytes;
			    * RB_VERIFY_NO_PLACE: not known */
	uint64_t got, want;
};

/* What a fault may be: limits on what a peer may say. */
struct rb_verify_limits {
	uint32_t qps;
	uint64_t size;
};

#define RB_VERIFY_FAULT_TEXT 256

/* In a sentence; @qpn: the queue pair's number at this end. @buf of the size above. */
const char *rb_verify_fault_text(const struct rb_verify_fault *f, uint32_t qpn,
				 char buf[static RB_VERIFY_FAULT_TEXT]);

/* For the peer: a new reference. */
json_t *rb_verify_fault_json(const struct rb_verify_fault *f);

/*
 * The peer's, from the key "fault" of @frame; without it @f is left as it is. 0 or
 * -EPROTO (reported).
 */
int rb_verify_fault_take(const json_t *frame,
			 const struct rb_verify_limits *limits,
			 struct rb_verify_fault *f);

#endif
