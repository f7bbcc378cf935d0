/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * finding - an error that a log tells of, decoded; and facts that stand beside
 *
 * A finding is one kind of error of one object (a queue pair, a call): the same
 * again only raises its count. All memory is of fixed size, whatever the log.
 */
#ifndef RB_DIAG_FINDING_H
#define RB_DIAG_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag/vendor.h"

#define RB_FINDINGS_MAX 64
#define RB_FINDINGS_ALIKE 8 /* of one code, for different objects */
#define RB_FINDING_TEXT 320

enum rb_kind {
	RB_KIND_COMPLETION,
	RB_KIND_EVENT,	  /* asynchronous event of a device */
	RB_KIND_CM,	  /* event of rdma_cm */
	RB_KIND_CALL,	  /* a call and its errno */
	RB_KIND_FIRMWARE, /* a command of mlx5's firmware */
	RB_KIND_KERNEL,	  /* a line of a driver that has a row of its own */
	RB_KIND_MESSAGE,  /* a message of a program that has a row of its own */
	RB_KIND_FACT,	  /* nothing failed in so many words: facts do it */
};

enum rb_role {
	RB_ROLE_CAUSE,	     /* the first failure */
	RB_ROLE_CONSEQUENCE, /* follows from another one */
	RB_ROLE_OTHER_SIDE,  /* the same failure, seen from the other end */
	RB_ROLE_LATER,	     /* came after the first; may follow from it */
};

enum rb_number_base {
	RB_BASE_NONE,
	RB_BASE_DECIMAL,
	RB_BASE_HEX,
	RB_BASE_EITHER, /* decimal digits of an unknown program */
};

/* Of a request, where a dialect shows it (UCX). */
struct rb_request {
	bool there;
	int index;	 /* -1: not told */
	int sgid_index;	 /* -1 */
	int traffic_class; /* -1 */
	bool has_mac, zero_mac;
	uint64_t length, address;
	bool has_length;
	char dgid[48];
	char opcode[24];
};

/* An error's codes; what is not told is -1, 0 or empty. */
struct rb_codes {
	enum rb_provider provider;
	bool provider_guessed;
	unsigned int provider_others; /* that have the same pair of codes */
	int status;
	bool status_named; /* the line has the status by name too */
	bool has_vendor;
	enum rb_number_base base;
	uint32_t vendor, vendor_as_hex;
	char vendor_digits[20]; /* as printed */
	char queue;		/* 'S', 'R', 0 */
	int syndrome, hw_type, hw_syndrome, opcode, op_own, wqe_counter;
	int db_count; /* mthca */
	bool kernel_text; /* a line of mlx5_ib whose words are of a wrong table */
	bool has_qpn;
	uint32_t qpn;
	int event;	  /* enum ibv_event_type; -1 */
	int cm_event;	  /* enum rdma_cm_event_type; -1 */
	bool has_cm_status;
	int cm_status;
	char call[32], transition[16];
	int err;	     /* of the call; 0: not told */
	char command[40];
	uint32_t fw_status, fw_syndrome;
	const struct rb_kernel_row *kernel;
	const struct rb_message_row *message;
	uint32_t number; /* of a kernel line: ae_id, CQN, status ... */
};

struct rb_finding {
	enum rb_kind kind;
	enum rb_role role;
	const char *dialect; /* "nccl" */
	struct rb_codes codes;
	struct rb_request request;
	unsigned int file; /* index of the input */
	uint64_t line, last_line, count;
	unsigned int others; /* objects beyond RB_FINDINGS_ALIKE */
	uint64_t hash;
	uint64_t at_us;	  /* time of the first; 0: none, or a form of its own */
	bool undefined_fields; /* the line shows opcode and len as if they held */
	char time[32];
	char host[48], peer[64], device[32];
	char text[RB_FINDING_TEXT];
};

/* A finding with everything not told. */
void rb_finding_init(struct rb_finding *f, enum rb_kind kind,
		     const char *dialect);

#endif
