/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fixture - let sysfs be one of tests/fixtures/sys
 */
#ifndef RB_TEST_FIXTURE_H
#define RB_TEST_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

static inline void fixture_sys(const char *name)
{
	const char *src = getenv("RBENCH_SRC");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/fixtures/sys/%s",
		 src ? src : ".", name);
	setenv("SYSFS_PATH", path, 1);
}

#endif
