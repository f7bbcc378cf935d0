/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fault - the kinds of failure that rbench can end with, one row each
 *
 * A row holds what does not change from one occurrence to the next: the code
 * that scripts match on (the JSON's error.code, never renamed), the stage
 * (error.where), the usual cause and the next steps. What is particular to an
 * occurrence is the message, written where the failure was first known.
 */
#ifndef RB_FAULT_H
#define RB_FAULT_H

#include <stdbool.h>

#define RB_FAULT_HINTS 3

enum rb_fault {
	RB_FAULT_USAGE,
	RB_FAULT_INTERNAL,
	RB_FAULT_NO_MEMORY,
	RB_FAULT_SYSTEM,
	RB_FAULT_OUTPUT,
	RB_FAULT_INPUT,
	RB_FAULT_INTERRUPTED,
	RB_FAULT_NO_DEVICES,
	RB_FAULT_NO_DEVICE,
	RB_FAULT_DEVICE_OPEN,
	RB_FAULT_DEVICE_QUERY,
	RB_FAULT_NO_PORT,
	RB_FAULT_PORT_DOWN,
	RB_FAULT_NO_ACTIVE_PORT,
	RB_FAULT_MTU,
	RB_FAULT_NO_GID,
	RB_FAULT_GID_INDEX,
	RB_FAULT_GID_MISMATCH,
	RB_FAULT_GID_PEER,
	RB_FAULT_PKEY,
	RB_FAULT_TRANSPORT,
	RB_FAULT_MEMLOCK,
	RB_FAULT_MEM_REGISTER,
	RB_FAULT_HUGEPAGES,
	RB_FAULT_MEMORY_FILE,
	RB_FAULT_PD,
	RB_FAULT_CQ,
	RB_FAULT_CQ_WAIT,
	RB_FAULT_HW_CLOCK,
	RB_FAULT_QP_LIMIT,
	RB_FAULT_DEPTH_LIMIT,
	RB_FAULT_MESSAGE_LIMIT,
	RB_FAULT_INLINE_LIMIT,
	RB_FAULT_SGE_LIMIT,
	RB_FAULT_RD_ATOMIC,
	RB_FAULT_QP_CREATE,
	RB_FAULT_QP_MODIFY,
	RB_FAULT_SRQ,
	RB_FAULT_XRCD,
	RB_FAULT_AH,
	RB_FAULT_MULTICAST,
	RB_FAULT_ASYNC,
	RB_FAULT_LISTEN,
	RB_FAULT_PEER_NAME,
	RB_FAULT_SOURCE_ADDRESS,
	RB_FAULT_PEER_UNREACHABLE,
	RB_FAULT_PEER_REFUSED,
	RB_FAULT_PEER_NOT_RBENCH,
	RB_FAULT_PEER_VERSION,
	RB_FAULT_PEER_PROTOCOL,
	RB_FAULT_SERVER_BUSY,
	RB_FAULT_PEER_GONE,
	RB_FAULT_PEER_SILENT,
	RB_FAULT_PEER_FAILED,
	RB_FAULT_CM,
	RB_FAULT_CM_ADDRESS,
	RB_FAULT_CM_REJECTED,
	RB_FAULT_CM_UNREACHABLE,
	RB_FAULT_POST,
	RB_FAULT_COMPLETION,
	RB_FAULT_QP_DIED,
	RB_FAULT_DEVICE_DIED,
	RB_FAULT_STALLED,
	RB_FAULT_MESSAGE_LOST,
	RB_FAULT_EMPTY_WINDOW,
	RB_FAULT_VERIFY,
	RB_FAULT_DOCUMENT,
	RB_FAULT_SNAPSHOT,
	RB_FAULT_COUNT
};

struct rb_fault_row {
	const char *code;  /* stable identifier, lower case with underscores */
	const char *where; /* stage: "options", "device", "memory", ... */
	bool with_errno;   /* the system's text of the error follows the message */
	const char *cause; /* usual cause, or NULL when the message says all */
	const char *hints[RB_FAULT_HINTS]; /* next steps, most likely first */
};

/* The row of @fault; never NULL. */
const struct rb_fault_row *rb_fault_row(enum rb_fault fault);

/* The fault whose code is @code; RB_FAULT_COUNT when there is none. */
enum rb_fault rb_fault_by_code(const char *code);

#endif
