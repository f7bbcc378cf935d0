/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host - the host's name, its kernel, and the limit on locked memory
 */
#include "host/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

void rb_host_read(struct rb_host *host)
{
	struct utsname names;
	struct rlimit limit;

	memset(host, 0, sizeof(*host));
	host->memlock_bytes = RB_MEMLOCK_UNLIMITED;
	if (!uname(&names)) {
		snprintf(host->name, sizeof(host->name), "%s", names.nodename);
		snprintf(host->kernel, sizeof(host->kernel), "%s",
			 names.release);
		snprintf(host->machine, sizeof(host->machine), "%s",
			 names.machine);
	}
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) &&
	    limit.rlim_cur != RLIM_INFINITY)
		host->memlock_bytes = limit.rlim_cur;
}
