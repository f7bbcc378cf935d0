/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host - the host's name, its kernel, and the limit on locked memory
 */
#ifndef RB_HOST_H
#define RB_HOST_H

#include <stdint.h>

#define RB_HOST_TEXT 65 /* as uname(2) has it */
#define RB_MEMLOCK_UNLIMITED UINT64_MAX

struct rb_host {
	char name[RB_HOST_TEXT];
	char kernel[RB_HOST_TEXT]; /* release: "6.1.0-18-amd64" */
	char machine[RB_HOST_TEXT];
	uint64_t memlock_bytes; /* soft RLIMIT_MEMLOCK, or ..._UNLIMITED */
};

void rb_host_read(struct rb_host *host);

#endif
